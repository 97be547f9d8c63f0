// SPDX-License-Identifier: MIT
/* What a report says of runs that are not the usual ones: a drive without a cache, one test alone, too short a fill. */
#include "unit.h"

#include "base/mem.h"
#include "records.h"
#include "report/review.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static char *headline_of(const struct run_record *run)
{
	struct review *r = review_build(run);
	char *s = review_headline(r);
	review_free(r);
	return s;
}

/* The run's headline is `wanted`; frees the run. */
static void assert_headline(struct run_record *run, const char *wanted)
{
	char *s = headline_of(run);
	assert_string_equal(s, wanted);
	free(s);
	run_record_free(run);
}

static void warn(struct test_record *t, const char *code)
{
	t->warnings = xrealloc(t->warnings, (t->nwarnings + 1) * sizeof *t->warnings);
	struct warning *w = &t->warnings[t->nwarnings++];
	*w = (struct warning){.text = xstrdup("a warning of some length, with what to do about it, for the reader")};
	snprintf(w->code, sizeof w->code, "%s", code);
}

static struct phase_record *sweep_point(struct test_record *t, uint32_t qd, double mbps)
{
	struct phase_record *p = record_phase(t, "qd", "read", "random", mbps, 10, 0.01, NAN);
	record_ios(p, 4096, qd);
	return p;
}

/* A steady fill to the last byte. */
static struct run_record *flat_fill(double seconds)
{
	struct run_record *run = record_run(1, "drive");
	struct test_record *t = record_test(run, "fill", "", "fill");
	struct phase_record *p = record_phase(t, "fill", "write", "sequential", 2000, seconds, 0, NAN);
	free(p->end_reason);
	p->end_reason = xstrdup("capacity");
	run->target.capacity_bytes = p->bytes;
	return run;
}

/* A recovery test with one pause, after which `fast_s` seconds were at 3 GB/s. */
static void add_recovery(struct run_record *run, double fast_s)
{
	struct test_record *t = record_test(run, "recovery", "", "recovery");
	struct phase_record *p = record_phase(t, "exhaust", "write", "sequential", 3000, 5, 0, NAN);
	record_samples(p, 2000, 10, 0, NAN);
	p = record_phase(t, "idle-60s", "write", "sequential", 3000, fast_s, 0, NAN);
	record_samples(p, 2000, 5, 0, NAN);
	p->idle_before = 60 * NSEC_PER_SEC;
}

static void one_test_alone_is_the_headline(void **state)
{
	struct run_record *run = record_run(1, "drive");
	struct test_record *t = record_test(run, "rand-read", "", "sweep");
	sweep_point(t, 8, 500);
	sweep_point(t, 32, 1500);
	assert_headline(run, "Sustained random read: 1.50 GB/s at queue depth 32");

	run = record_run(1, "drive");
	t = record_test(run, "rand-read", "", "sweep");
	for (uint32_t qd = 1; qd <= 4; qd *= 2)
		sweep_point(t, qd, 100 * qd);
	assert_headline(run, "Sustained random read: 233 MB/s, the mean of queue depths 1, 2 and 4");

	run = record_run(1, "drive");
	t = record_test(run, "mixed-rand", "", "mixed");
	record_phase(t, "mix-0", "write", "random", 900, 10, 0, NAN);
	record_phase(t, "mix-100", "read", "random", 300, 10, 0, NAN);
	assert_headline(run, "Mixed random reads and writes: 300 MB/s to 900 MB/s");

	run = record_run(1, "drive");
	t = record_test(run, "idle", "", "idle");
	record_phase(t, "active", "idle", "", 0, 10, 0, 0.65);
	assert_headline(run, "Idle: 0.650 W");

	run = record_run(1, "drive");
	add_recovery(run, 10);
	char *s = headline_of(run);
	assert_non_null(strstr(s, "Recovery after a pause: after 1 min idle the next "));
	free(s);
	run_record_free(run);
}

static void a_test_without_figures_does_not_hide_the_next(void **state)
{
	struct run_record *run = record_run(1, "drive");
	record_test(run, "burst-seq-read", "", "burst")->status = TEST_FAILED;
	record_test(run, "recovery", "", "recovery")->status = TEST_NOT_RUN;
	sweep_point(record_test(run, "rand-read", "", "sweep"), 16, 800);
	assert_headline(run, "Sustained random read: 800 MB/s at queue depth 16");
}

static void a_short_fill_tells_nothing_of_a_cache(void **state)
{
	assert_headline(flat_fill(100), "No end of a cache: the whole 200 GB were written at 2.00 GB/s");
	struct run_record *run = flat_fill(4);
	warn(&run->tests[0], "short-fill");
	assert_headline(
		run, "8.00 GB written at 2.00 GB/s in 4.00 s: too short a time to tell whether there is a cache");
}

static void a_cache_too_small_for_the_fill_shows_after_a_pause(void **state)
{
	struct run_record *run = flat_fill(100);
	add_recovery(run, 1);
	assert_headline(
		run, "200 GB written at 2.00 GB/s; a small cache shows only after a pause: 3.00 GB at 3.00 GB/s");
}

static void a_cache_too_small_for_either_test_is_not_0_gigabytes(void **state)
{
	struct run_record *run = record_run(1, "drive");
	struct test_record *t = record_test(run, "fill", "", "fill");
	struct phase_record *p = record_phase(t, "fill", "write", "sequential", 3000, 1, 0, NAN);
	record_samples(p, 2000, 100, 0, NAN);
	p->end_reason = (free(p->end_reason), xstrdup("capacity"));
	run->target.capacity_bytes = p->bytes;
	t = record_test(run, "recovery", "", "recovery");
	p = record_phase(t, "exhaust", "write", "sequential", 3000, 1, 0, NAN);
	record_samples(p, 2000, 20, 0, NAN);
	p = record_phase(t, "idle-60s", "write", "sequential", 3000, 1, 0, NAN);
	record_samples(p, 2000, 5, 0, NAN);
	p->idle_before = 60 * NSEC_PER_SEC;
	struct review *r = review_build(run);
	assert_true(isnan(r->tests[1].recovery.points[0].fast_bytes));
	json_t *doc = review_json(r), *points;
	points = json_object_get(json_object_get(json_object_get(doc, "tests"), "recovery"), "points");
	assert_true(json_is_null(json_object_get(json_array_get(points, 0), "fast_bytes")));
	json_decref(doc);
	review_free(r);
	assert_headline(run,
		"No end of a cache found: the whole 203 GB were written at 2.01 GB/s, only the first 3.00 GB faster");
}

static void a_fast_stage_between_is_not_hidden(void **state)
{
	struct run_record *run = record_run(1, "drive");
	struct phase_record *p =
		record_phase(record_test(run, "fill", "", "fill"), "fill", "write", "sequential", 6000, 10, 0.01, NAN);
	record_samples(p, 4000, 100, 0.01, NAN);
	record_samples(p, 150, 8000, 0.01, NAN);
	p->end_reason = (free(p->end_reason), xstrdup("capacity"));
	char *s = headline_of(run);
	assert_non_null(strstr(s, "60.0 GB of pSLC cache at 6.00 GB/s, then 4.00 GB/s up to 460 GB, then 150 MB/s"));
	free(s);
	run_record_free(run);
}

static void a_deepest_queue_that_is_the_best_is_no_saturation(void **state)
{
	struct run_record *run = record_run(1, "drive");
	struct test_record *t = record_test(run, "rand-read", "", "sweep");
	for (uint32_t qd = 1; qd <= 32; qd *= 2)
		sweep_point(t, qd, 50 * qd);
	t = record_test(run, "seq-read", "", "sweep");
	for (uint32_t qd = 1; qd <= 32; qd *= 2)
		sweep_point(t, qd, qd < 8 ? 1000 : 3000);
	struct review *r = review_build(run);
	assert_true(review_still_rising(&r->tests[0].sweep));
	assert_false(review_still_rising(&r->tests[1].sweep));
	assert_true(review_best(&r->tests[0].sweep)->qd == 32);
	review_free(r);
	run_record_free(run);
}

static char *printed(const struct run_record *run, bool html)
{
	char *text = NULL;
	size_t size = 0;
	struct err e = {0};
	FILE *f = open_memstream(&text, &size);
	if (html) {
		struct run_record *one = (struct run_record *)run;
		assert_int_equal(report_html(f, &one, 1, &(struct report_options){0}, &e), 0);
	} else {
		report_text(f, run);
	}
	fclose(f);
	return text;
}

/* Every kind of run that is not the usual one. */
static struct run_record *odd_run(int kind)
{
	struct run_record *run = kind < 2 ? flat_fill(kind ? 3 : 100) : record_run(1, "drive");
	struct test_record *t;
	switch (kind) {
	case 0: /* no cache: nothing to recover */
		t = record_test(run, "recovery", "", "recovery");
		record_phase(t, "exhaust", "write", "sequential", 2000, 100, 0, NAN);
		warn(t, "no-cache");
		break;
	case 1: warn(&run->tests[0], "short-fill"); break;
	case 2: /* cut short, nothing done */
		run->state = RUN_PARTIAL;
		run->error = xstrdup("interrupted by a signal while the test was on its way; what was done is kept");
		record_test(run, "fill", "", "fill")->status = TEST_NOT_RUN;
		t = record_test(run, "a-test-of-somebody-with-a-very-long-name", "fragmented", "sweep");
		t->status = TEST_PARTIAL;
		t->reason = xstrdup("interrupted");
		sweep_point(t, 1, 0.02);
		break;
	case 3: /* an import with holes: no power, no capacity, no I/Os, and zeros between */
		strcpy(run->target.kind, "imported");
		run->target.path = (free(run->target.path),
			xstrdup("/a/path/that/does/not/end/so/soon/and/has/no/blank/in/it/at/all/log-of-a-drive.csv"));
		run->target.capacity_bytes = 0;
		struct phase_record *p = record_phase(
			record_test(run, "fill", "", "fill"), "fill", "write", "sequential", 90000, 20, 0.5, NAN);
		record_samples(p, 0, 30, 0, NAN);
		record_samples(p, 12, 700, 0.5, NAN);
		break;
	default: /* numbers of many digits */
		t = record_test(run, "rand-write", "fragmented", "sweep");
		for (uint32_t qd = 1; qd <= 1024; qd *= 4)
			sweep_point(t, qd, 123456);
		t = record_test(run, "burst-rand-write", "", "burst");
		for (int i = 0; i < 3; i++)
			record_ios(record_phase(t, "burst", "write", "random", 98765, 10, 0.01, 12), 4096, 1);
		t = record_test(run, "mixed-seq", "", "mixed");
		for (int i = 0; i < 3; i++)
			record_ios(record_phase(t, "mix", "read", "random", 98765, 10, 0.01, 12), 512, 1);
		add_recovery(run, 1000);
	}
	return run;
}

static void odd_runs_have_80_columns_and_no_empty_table(void **state)
{
	for (int kind = 0; kind < 5; kind++) {
		struct run_record *run = odd_run(kind);
		char *text = printed(run, false), *html = printed(run, true);
		for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
			size_t columns = 0;
			for (const char *s = line; *s; s++)
				columns += ((unsigned char)*s & 0xc0) != 0x80;
			if (columns > 80 && !strstr(line, "/a/path"))
				fail_msg("run %d: %zu columns: %s", kind, columns, line);
		}
		if (strstr(html, "<tbody>\n</tbody>"))
			fail_msg("run %d: an empty table", kind);
		assert_null(strstr(html, ">nan"));
		assert_null(strstr(html, " nan"));
		/* Without a meter there are no columns of watts. */
		if (kind < 4)
			assert_null(strstr(html, ">W<"));
		free(text);
		free(html);
		run_record_free(run);
	}
}

static void the_recovery_of_a_drive_without_a_cache_is_in_words(void **state)
{
	struct run_record *run = odd_run(0);
	char *html = printed(run, true), *text = printed(run, false);
	assert_non_null(strstr(html, "Nothing to recover"));
	assert_null(strstr(text, "at full speed, GB"));
	free(html);
	free(text);
	run_record_free(run);
}

static void the_terminal_names_what_the_recovery_columns_are(void **state)
{
	struct run_record *run = record_run(1, "drive");
	add_recovery(run, 10);
	char *text = printed(run, false);
	assert_non_null(strstr(text, "idle  at full speed, GB    MB/s  % of the cache's speed   filled, %"));
	assert_non_null(strstr(text, "1 min"));
	free(text);
	run_record_free(run);
}

static void a_temperature_that_stays_is_one_number(void **state)
{
	char buf[UNITS_BUF];
	assert_string_equal(review_temperature(buf, 37.8, 38.2), "38 \xc2\xb0"
								 "C");
	assert_string_equal(review_temperature(buf, 25, 56.4), "25 to 56 \xc2\xb0"
							       "C");
	assert_string_equal(review_pause(buf, 5), "5 s");
	assert_string_equal(review_pause(buf, 90), "90 s");
	assert_string_equal(review_pause(buf, 300), "5 min");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_test_alone_is_the_headline),
		cmocka_unit_test(a_test_without_figures_does_not_hide_the_next),
		cmocka_unit_test(a_short_fill_tells_nothing_of_a_cache),
		cmocka_unit_test(a_cache_too_small_for_the_fill_shows_after_a_pause),
		cmocka_unit_test(a_cache_too_small_for_either_test_is_not_0_gigabytes),
		cmocka_unit_test(a_fast_stage_between_is_not_hidden),
		cmocka_unit_test(a_deepest_queue_that_is_the_best_is_no_saturation),
		cmocka_unit_test(odd_runs_have_80_columns_and_no_empty_table),
		cmocka_unit_test(the_recovery_of_a_drive_without_a_cache_is_in_words),
		cmocka_unit_test(the_terminal_names_what_the_recovery_columns_are),
		cmocka_unit_test(a_temperature_that_stays_is_one_number),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
