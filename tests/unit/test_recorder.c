// SPDX-License-Identifier: MIT
#include "unit.h"

#include "base/units.h"
#include "fake_target.h"
#include "run/loop.h"
#include "run/recorder.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

struct rows {
	struct sample s[64];
	int n;
};

static void keep(void *ctx, const struct sample *s)
{
	struct rows *r = ctx;
	assert_true(r->n < 64);
	r->s[r->n++] = *s;
}

static struct recorder *fresh(struct fake *f, struct rows *rows)
{
	struct recorder *r = malloc(sizeof *r);
	rows->n = 0;
	recorder_start(r, &f->base, f->now, keep, rows);
	return r;
}

static void completions_fall_into_a_fixed_grid_by_their_end(void **state)
{
	struct fake f;
	struct rows rows;
	fake_init(&f, GIB, 1e9, NULL);
	struct recorder *r = fresh(&f, &rows);
	recorder_add(r, 0, 100 * NSEC_PER_MSEC, 1000, false);
	recorder_add(r, 0, 500 * NSEC_PER_MSEC, 2000, true);	  /* on the border: the earlier slot's */
	recorder_add(r, 0, 500 * NSEC_PER_MSEC + 1, 4000, false); /* just after it */
	recorder_add(r, 0, 2600 * NSEC_PER_MSEC, 8000, false);	  /* a stall of four slots */
	struct phase_record p = {0};
	recorder_finish(r, 0, &p);
	assert_int_equal(rows.n, 6);
	static const uint64_t bytes[] = {3000, 4000, 0, 0, 0, 8000}, ios[] = {2, 1, 0, 0, 0, 1};
	for (int i = 0; i < 6; i++) {
		assert_int_equal(rows.s[i].start, i * RECORDER_SLOT);
		assert_int_equal(rows.s[i].length, i < 5 ? RECORDER_SLOT : 100 * NSEC_PER_MSEC);
		assert_int_equal(rows.s[i].bytes, bytes[i]);
		assert_int_equal(rows.s[i].ios, ios[i]);
	}
	assert_int_equal(rows.s[0].read_bytes, 2000);
	assert_int_equal(p.duration, 2600 * NSEC_PER_MSEC);
	assert_int_equal(p.bytes, 15000);
	assert_int_equal(p.ios, 4);
	assert_int_equal(p.latency->max, 2600 * NSEC_PER_MSEC);
	free(r);
}

static void a_phase_that_ends_in_a_stall_shows_it(void **state)
{
	struct fake f;
	struct rows rows;
	fake_init(&f, GIB, 1e9, NULL);
	struct recorder *r = fresh(&f, &rows);
	recorder_add(r, 0, 100 * NSEC_PER_MSEC, 1000, false);
	struct phase_record p = {0};
	recorder_finish(r, 1200 * NSEC_PER_MSEC, &p);
	assert_int_equal(rows.n, 3);
	assert_int_equal(rows.s[2].bytes, 0);
	assert_int_equal(rows.s[2].length, 200 * NSEC_PER_MSEC);
	assert_int_equal(p.duration, 1200 * NSEC_PER_MSEC);
	free(r);
}

static void watts_come_from_the_same_window_as_the_rate(void **state)
{
	struct fake f;
	struct rows rows;
	struct loop_result res;
	fake_init(&f, GIB, 100e6, NULL);
	struct recorder *r = fresh(&f, &rows);
	struct workload w = {.block_bytes = MIB, .depth = 1, .span_bytes = 200 * MIB, .once = true};
	loop_run(&f.base, &w, r, &res);
	struct phase_record p = {0};
	recorder_finish(r, res.ended, &p);
	assert_int_equal(res.end, LOOP_SPAN);
	assert_int_equal(p.bytes, 200 * MIB);
	assert_true(fabs(nsec_to_s(p.duration) - 2.097152) < 1e-6);
	assert_true(fabs(p.joules - 5 * nsec_to_s(p.duration)) < 1e-6);
	assert_int_equal(p.nand_bytes, 2 * 200 * MIB);
	double sum = 0;
	for (int i = 0; i < rows.n; i++)
		sum += rows.s[i].joules;
	assert_true(fabs(sum - p.joules) < 1e-9);
	assert_true(isnan(p.die_busy)); /* not known is absent */
	free(r);
}

static void the_loop_keeps_to_its_limits(void **state)
{
	struct fake f;
	struct rows rows;
	struct loop_result res;
	static const struct {
		struct workload w;
		enum loop_end end;
		uint64_t bytes;
	} cases[] = {
		/* the last I/O of a span that no block divides is short */
		{{.block_bytes = 4096, .depth = 4, .span_bytes = 10240, .once = true}, LOOP_SPAN, 10240},
		{{.block_bytes = 4096, .depth = 4, .span_bytes = 65536, .limit_bytes = 200000}, LOOP_BYTES, 200000},
		{{.block_bytes = 4096, .depth = 8, .span_bytes = 65536, .limit_time = NSEC_PER_MSEC}, LOOP_TIME, 0},
	};
	for (size_t i = 0; i < 3; i++) {
		fake_init(&f, GIB, 1e9, NULL);
		struct recorder *r = fresh(&f, &rows);
		struct workload w = cases[i].w;
		struct phase_record p = {0};
		loop_run(&f.base, &w, r, &res);
		recorder_finish(r, res.ended, &p);
		assert_int_equal(res.end, cases[i].end);
		if (cases[i].bytes)
			assert_int_equal(p.bytes, cases[i].bytes);
		else /* 1 ms at 1 GB/s, and what was in flight then */
			assert_in_range(p.bytes, 1000000, 1000000 + 9 * 4096);
		assert_int_equal(f.count, 0);
		free(r);
	}
}

static void the_first_error_is_reported_and_everything_is_reaped(void **state)
{
	struct fake f;
	struct rows rows;
	struct loop_result res;
	fake_init(&f, GIB, 1e9, NULL);
	f.fail_at = 10;
	f.fail_status = -EIO;
	struct recorder *r = fresh(&f, &rows);
	struct workload w = {.block_bytes = 4096, .depth = 4, .span_bytes = MIB, .once = true};
	loop_run(&f.base, &w, r, &res);
	assert_int_equal(res.end, LOOP_ERROR);
	assert_int_equal(res.status, -EIO);
	assert_int_equal(res.offset, 9 * 4096);
	assert_false(res.on_read);
	assert_int_equal(f.count, 0);
	free(r);
}

static void random_io_covers_the_span_and_keeps_its_mix(void **state)
{
	struct fake f;
	struct rows rows;
	struct loop_result res;
	struct rng rng;
	rng_seed(&rng, 7);
	fake_init(&f, GIB, 1e9, NULL);
	struct recorder *r = fresh(&f, &rows);
	struct workload w = {.block_bytes = 4096,
		.depth = 2,
		.span_bytes = MIB,
		.random = true,
		.read_share = 0.7,
		.limit_bytes = 4096 * 10000,
		.rng = &rng};
	struct phase_record p = {0};
	loop_run(&f.base, &w, r, &res);
	recorder_finish(r, res.ended, &p);
	assert_int_equal(p.ios, 10000);
	assert_in_range(p.read_bytes / 4096, 6800, 7200); /* 7000 +- 4.4 sigma */
	free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(completions_fall_into_a_fixed_grid_by_their_end),
		cmocka_unit_test(a_phase_that_ends_in_a_stall_shows_it),
		cmocka_unit_test(watts_come_from_the_same_window_as_the_rate),
		cmocka_unit_test(the_loop_keeps_to_its_limits),
		cmocka_unit_test(the_first_error_is_reported_and_everything_is_reaped),
		cmocka_unit_test(random_io_covers_the_span_and_keeps_its_mix),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
