// SPDX-License-Identifier: MIT
#include "unit.h"

#include "analysis/recovery.h"

#include <math.h>

/* A step that takes `fast` GB at 7 GB/s, then `slow` GB at 1.7, sampled every 0.5 s. */
static struct recovery_point step(double fast, double slow, double idle)
{
	double t[200], b[200], total = fast + slow, at = 0, end = fast / 7 + slow / 1.7;
	size_t n = 0;
	for (double now = 0.5; at < total - 1e-9; now += 0.5) {
		double to = now < end ? now : end;
		double bytes = to < fast / 7 ? 7 * to : fast + 1.7 * (to - fast / 7);
		t[n] = to;
		b[n++] = (bytes - at) * 1e9;
		at = bytes;
	}
	struct recovery_point p;
	recovery_point(&(struct series){.n = n, .t = t, .bytes = b}, 7000, idle, &p);
	return p;
}

static void fast_bytes_are_known_within_a_sample(void **state)
{
	for (double fast = 0; fast < 40; fast += 0.7) {
		struct recovery_point p = step(fast, 8, 5);
		assert_true(p.fell);
		/* Hidden is only what the noise that is assumed of a slow sample can hide: 9 % of 0.85 GB, at 7 / 5.3.
		 */
		assert_near(p.fast_bytes, fast * 1e9, 0.11e9);
		assert_near(p.idle_s, 5, 0);
		if (fast >= 3.5) {
			assert_near(p.mbps, 7000, 1);
			assert_near(p.mbps_ratio, 1, 1e-3);
		} else {
			assert_true(isnan(p.mbps) && isnan(p.mbps_ratio));
		}
	}
}

static void a_long_fast_part_does_not_hide_the_fall(void **state)
{
	struct recovery_point p = step(150, 5, 60); /* 43 fast samples, 6 slow ones */
	assert_true(p.fell);
	assert_near(p.fast_bytes, 150e9, 0.11e9);
	assert_near(p.mbps_ratio, 1, 1e-3);
}

static void one_dip_does_not_end_it(void **state)
{
	double t[30], b[30];
	for (int i = 0; i < 30; i++) {
		t[i] = 0.5 * (i + 1);
		b[i] = i < 20 ? (i == 6 ? 1.5e9 : 3.5e9) : 0.85e9;
	}
	struct recovery_point p;
	recovery_point(&(struct series){.n = 30, .t = t, .bytes = b}, 7000, 1, &p);
	assert_near(p.fast_bytes, 19 * 3.5e9 + 1.5e9, 0.1e9);
	assert_near(p.mbps, (19 * 3500 + 1500) / 10.0, 1);
}

static void a_step_that_did_not_fall_says_so(void **state)
{
	struct recovery_point p = step(70, 0, 300);
	assert_false(p.fell);
	assert_near(p.fast_bytes, 70e9, 1);
	assert_near(p.mbps, 7000, 1);
	/* A drive that comes back at less than 90 % has not come back. */
	double t[30], b[30];
	for (int i = 0; i < 30; i++) {
		t[i] = 0.5 * (i + 1);
		b[i] = i < 10 ? 2.8e9 : 0.85e9;
	}
	recovery_point(&(struct series){.n = 30, .t = t, .bytes = b}, 7000, 1, &p);
	assert_near(p.fast_bytes, 0, 0);
	assert_near(p.mbps_ratio, 0.8, 1e-3);
	recovery_point(&(struct series){0}, 7000, 1, &p);
	assert_true(isnan(p.mbps) && !p.fell && p.fast_bytes == 0);
}

static void the_reclaim_rate_is_a_line_through_the_unsaturated_points(void **state)
{
	/* 2 GB per second of idle after a wait of 1 s, up to 100 GB. */
	const struct recovery_point p[] = {
		{1, 0, NAN, NAN, true},
		{2, 2e9, 7000, 1, true},
		{5, 8e9, 7000, 1, true},
		{10, 18e9, 7000, 1, true},
		{30, 58e9, 7000, 1, true},
		{60, 99e9, 7000, 1, true},
		{300, 100e9, 7000, 1, true},
	};
	struct reclaim r;
	recovery_reclaim(p, 7, 100e9, &r);
	assert_int_equal(r.points, 4); /* not the empty one, not the two full ones */
	assert_near(r.mbps, 2000, 1e-6);
	assert_near(r.at_zero, -2e9, 1);
	assert_near(r.full_s, 51, 1e-6);
	recovery_reclaim(p, 7, NAN, &r);
	assert_int_equal(r.points, 4);
	recovery_reclaim(p, 2, 100e9, &r);
	assert_true(isnan(r.mbps) && isnan(r.full_s));
	recovery_reclaim(p, 0, NAN, &r);
	assert_int_equal(r.points, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fast_bytes_are_known_within_a_sample),
		cmocka_unit_test(a_long_fast_part_does_not_hide_the_fall),
		cmocka_unit_test(one_dip_does_not_end_it),
		cmocka_unit_test(a_step_that_did_not_fall_says_so),
		cmocka_unit_test(the_reclaim_rate_is_a_line_through_the_unsaturated_points),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
