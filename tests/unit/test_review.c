// SPDX-License-Identifier: MIT
/* From a run to its figures and the JSON document. */
#include "unit.h"

#include "base/mem.h"
#include "records.h"
#include "report/compare_figures.h"
#include "report/review.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The document of a run; the run is freed. */
static json_t *document(struct run_record *run)
{
	struct review *r = review_build(run);
	json_t *doc = review_json(r);
	review_free(r);
	run_record_free(run);
	return doc;
}

/* "tests.fill.cache.bytes": the value there, or NULL. A number is an index. */
static json_t *at(json_t *doc, const char *path)
{
	char *copy = xstrdup(path);
	for (char *key = strtok(copy, "."); key && doc; key = strtok(NULL, "."))
		doc = json_is_array(doc) ? json_array_get(doc, (size_t)atoi(key)) : json_object_get(doc, key);
	free(copy);
	return doc;
}

static double number(json_t *doc, const char *path)
{
	json_t *v = at(doc, path);
	if (!json_is_number(v))
		fail_msg("%s is not a number", path);
	return json_number_value(v);
}

/* Off by at most that share of what is wanted. */
static void assert_share(double got, double wanted, double share)
{
	assert_near(got, wanted, share * fabs(wanted));
}

static void fill_figures_from_samples(void **state)
{
	struct run_record *run = record_run(1, "drive");
	record_fill(run, 1);
	json_t *doc = document(run);
	assert_string_equal(json_string_value(at(doc, "tests.fill.cache.verdict")), "found");
	assert_share(number(doc, "tests.fill.cache.bytes"), 617e9, 0.005);
	assert_share(number(doc, "tests.fill.cache.mbps"), 7030, 0.01);
	assert_share(number(doc, "tests.fill.cache.share_of_cells"), 617.0 * 3 / 2048, 0.005);
	double bytes = number(doc, "tests.fill.bytes"), seconds = number(doc, "tests.fill.seconds");
	assert_share(number(doc, "tests.fill.mean_mbps"), bytes / seconds / 1e6, 1e-9);
	assert_share(number(doc, "tests.fill.flush_s"), 0.24, 1e-9);
	double watts = number(doc, "tests.fill.power_w");
	assert_share(number(doc, "tests.fill.j_per_gb"), watts * seconds / (bytes / 1e9), 1e-6);
	assert_share(number(doc, "tests.fill.mbps_per_w"), bytes / 1e6 / seconds / watts, 1e-6);
	assert_int_equal(json_array_size(at(doc, "tests.fill.stages")), 3);
	/* The stages' flash writes add up to those of the whole. */
	double sum = 0;
	for (int i = 0; i < 3; i++)
		sum += json_number_value(
			json_object_get(json_array_get(at(doc, "tests.fill.stages"), (size_t)i), "nand_bytes"));
	assert_share(sum, number(doc, "tests.fill.nand_bytes"), 1e-9);
	assert_share(number(doc, "tests.fill.temperature_c.max"), 71, 1e-9);
	json_decref(doc);
}

static void absent_is_null_never_zero(void **state)
{
	struct run_record *run = record_run(1, "drive");
	struct test_record *t = record_test(run, "fill", "", "fill");
	struct phase_record *p = record_phase(t, "fill", "write", "sequential", 500, 20, 0.01, NAN);
	run->target.capacity_bytes = 0;
	run->power_source = (free(run->power_source), NULL);
	assert_non_null(p);
	json_t *doc = document(run);
	static const char *const absent[] = {"power_source", "host_limit_mbps", "target.capacity_bytes",
		"tests.fill.power_w", "tests.fill.j_per_gb", "tests.fill.mbps_per_w", "tests.fill.nand_bytes",
		"tests.fill.waf", "tests.fill.flush_s", "tests.fill.erase", "tests.fill.temperature_c",
		"tests.fill.cache.bytes", "tests.fill.cache.share_of_cells", "run.label", "run.error"};
	for (size_t i = 0; i < ARRAY_SIZE(absent); i++)
		if (!json_is_null(at(doc, absent[i])))
			fail_msg("%s is not null", absent[i]);
	/* Nobody said that the drive was full. */
	assert_string_equal(json_string_value(at(doc, "tests.fill.cache.verdict")), "not-reached");
	json_decref(doc);
}

static void a_full_drive_without_an_edge_has_no_cache(void **state)
{
	struct run_record *run = record_run(1, "drive");
	struct test_record *t = record_test(run, "fill", "", "fill");
	struct phase_record *p = record_phase(t, "fill", "write", "sequential", 500, 60, 0.01, NAN);
	free(p->end_reason);
	p->end_reason = xstrdup("capacity");
	json_t *doc = document(run);
	assert_string_equal(json_string_value(at(doc, "tests.fill.cache.verdict")), "none");
	json_decref(doc);
}

static void a_killed_run_keeps_its_samples(void **state)
{
	struct run_record *run = record_run(1, "drive");
	struct test_record *t = record_test(run, "fill", "", "fill");
	struct phase_record *p = record_phase(t, "fill", "write", "sequential", 500, 20, 0.01, 4);
	/* What the end of the phase would have written is missing. */
	p->bytes = p->ios = 0;
	p->duration = 0;
	p->joules = NAN;
	free(p->end_reason);
	p->end_reason = NULL;
	t->status = TEST_RUNNING;
	run->state = RUN_PARTIAL;
	record_test(run, "recovery", "", "recovery")->status = TEST_NOT_RUN;
	json_t *doc = document(run);
	assert_true(json_is_true(at(doc, "partial")));
	assert_true(json_is_true(at(doc, "run.partial")));
	assert_string_equal(json_string_value(at(doc, "tests.fill.status")), "partial");
	assert_share(number(doc, "tests.fill.bytes"), 10e9, 0.01);
	assert_share(number(doc, "tests.fill.power_w"), 4, 1e-6);
	assert_string_equal(json_string_value(at(doc, "tests.recovery.status")), "not-run");
	json_decref(doc);
}

static void throttling_joins_events_and_samples(void **state)
{
	struct run_record *run = record_run(1, "drive");
	struct test_record *t = record_test(run, "fill", "", "fill");
	struct phase_record *p = record_phase(t, "fill", "write", "sequential", 500, 20, 0.01, NAN);
	p->samples[4].throttled = p->samples[5].throttled = true; /* 2.0 to 3.0 s */
	p->nevents = 1;
	p->events = xcalloc(1, sizeof *p->events);
	p->events[0] = (struct event){.kind = "throttle", .start = 2500 * NSEC_PER_MSEC, .end = 4 * NSEC_PER_SEC};
	json_t *doc = document(run);
	assert_int_equal(json_array_size(at(doc, "tests.fill.throttled")), 1);
	assert_share(number(doc, "tests.fill.throttled.0.start_s"), 2, 1e-9);
	assert_share(number(doc, "tests.fill.throttled.0.end_s"), 4, 1e-9);
	json_decref(doc);
}

static void bursts_are_bytes_over_busy_time(void **state)
{
	struct run_record *run = record_run(1, "drive");
	struct test_record *t = record_test(run, "burst-seq-read", "", "burst");
	/* 100 MB at 100 MB/s and 100 MB at 400 MB/s: 200 MB in 1.25 s. */
	for (int i = 0; i < 2; i++) {
		double mbps = i ? 400 : 100;
		struct phase_record *p = record_phase(t, "burst", "read", "sequential", mbps, 100 / mbps, 0, 5);
		p->idle_before = i ? 4 * NSEC_PER_SEC : 0;
		p->idle_joules = i ? 4 : NAN;
		record_ios(p, 131072, 1);
	}
	record_phase(t, "pause", "idle", "", 0, 1, 0, 1);
	json_t *doc = document(run);
	assert_share(number(doc, "tests.burst-seq-read.mbps"), 160, 1e-6);
	assert_share(number(doc, "tests.burst-seq-read.mean_of_bursts_mbps"), 250, 1e-6);
	assert_int_equal(json_array_size(at(doc, "tests.burst-seq-read.bursts")), 2);
	assert_share(number(doc, "tests.burst-seq-read.duty"), 0.2, 1e-6);
	assert_share(number(doc, "tests.burst-seq-read.power_w"), 5, 1e-6);
	assert_share(number(doc, "tests.burst-seq-read.mean_power_w"), (5 * 1.25 + 4 + 1) / 6.25, 1e-6);
	assert_share(number(doc, "tests.burst-seq-read.mbps_per_w"), 32, 1e-6);
	json_decref(doc);
}

static void sweeps_nest_by_condition(void **state)
{
	json_t *doc = document(record_review(1, "drive", 1));
	assert_share(number(doc, "tests.seq-read.fresh.score_mbps"), (1910 + 1950 + 1950) / 3.0, 0.01);
	assert_share(number(doc, "tests.seq-read.fragmented.score_mbps"), (1720 + 1750 + 1760) / 3.0, 0.01);
	assert_share(number(doc, "tests.seq-read.fragmented.loss"), 0.1, 0.03);
	assert_null(at(doc, "tests.seq-read.fresh.loss"));
	assert_int_equal(number(doc, "tests.seq-read.fresh.saturation_qd"), 8);
	assert_int_equal(json_array_size(at(doc, "tests.seq-read.fresh.points")), 6);
	assert_int_equal(number(doc, "tests.seq-read.fresh.points.2.qd"), 4);
	assert_share(number(doc, "tests.seq-read.fresh.points.2.mbps"), 1950, 0.01);
	assert_string_equal(json_string_value(at(doc, "tests.seq-read.status")), "done");
	/* No condition: the figures are the test's own. */
	assert_int_equal(json_array_size(at(doc, "tests.rand-read.points")), 6);
	assert_share(number(doc, "tests.rand-read.points.0.iops"), 58e6 / 4096, 0.02);
	assert_int_equal(json_array_size(at(doc, "tests.mixed-rand.points")), 11);
	assert_share(number(doc, "tests.mixed-rand.points.3.read_share"), 0.3, 1e-9);
	assert_share(number(doc, "tests.mixed-rand.points.10.read_share"), 1, 1e-9);
	assert_share(number(doc, "tests.idle.low_power_w"), 0.005, 1e-6);
	assert_int_equal(json_array_size(at(doc, "tests.recovery.points")), 7);
	assert_share(number(doc, "tests.recovery.points.2.fast_bytes"), 9.75e9, 0.05);
	assert_share(number(doc, "tests.recovery.points.5.fast_bytes"), 117e9, 0.02);
	json_decref(doc);
}

/* Three fast samples among 24 slow ones are not enough for a cache, three among six are: the recovery is known all the
 * same, and the headline tells the cache that only a pause shows. */
static void a_small_cache_shows_after_a_pause(void **state)
{
	struct run_record *run = record_run(1, "drive");
	struct test_record *fill = record_test(run, "fill", "", "fill");
	record_samples(record_phase(fill, "fill", "write", "sequential", 2750, 1, 0, NAN), 1646, 600, 0, NAN);
	free(fill->phases[0].end_reason);
	fill->phases[0].end_reason = xstrdup("capacity");
	struct test_record *t = record_test(run, "recovery", "", "recovery");
	record_samples(record_phase(t, "exhaust", "write", "sequential", 2750, 1, 0, NAN), 2445, 0.5, 0, NAN);
	record_samples(&t->phases[0], 1646, 11.5, 0, NAN);
	for (int i = 0; i < 2; i++) {
		struct phase_record *p =
			record_phase(t, i ? "idle-300s" : "idle-1s", "write", "sequential", i ? 2750 : 1646, 1, 0, NAN);
		record_samples(p, i ? 2445 : 1646, 0.5, 0, NAN);
		record_samples(p, 1646, 3, 0, NAN);
		p->idle_before = (i ? 300 : 1) * NSEC_PER_SEC;
	}
	struct review *r = review_build(run);
	char *headline = review_headline(r);
	assert_non_null(strstr(headline, "a small cache shows only after a pause"));
	free(headline);
	review_free(r);
	json_t *doc = document(run);
	assert_string_equal(json_string_value(at(doc, "tests.fill.cache.verdict")), "none");
	assert_share(number(doc, "tests.recovery.points.0.fast_bytes") + 1, 1, 1e-9);
	assert_share(number(doc, "tests.recovery.points.1.fast_bytes"), 2750e6 + 2445e6 / 2, 0.15);
	json_decref(doc);
}

static void headlines(void **state)
{
	struct run_record *run = record_review(1, "drive", 1);
	struct review *r = review_build(run);
	char *s = review_headline(r);
	assert_non_null(strstr(s, "617 GB of pSLC cache at 7.03 GB/s, then 1.7"));
	assert_non_null(strstr(s, "idle"));
	free(s);
	review_free(r);
	run_record_free(run);
	run = record_run(1, "drive");
	r = review_build(run);
	s = review_headline(r);
	assert_string_equal(s, "Nothing was measured");
	free(s);
	review_free(r);
	run_record_free(run);
}

static void the_terminal_text_has_80_columns(void **state)
{
	struct run_record *run =
		record_review(1, "A drive with quite a long name of its own, 2 TB, with heat spreader", 1);
	run->label = xstrdup("a label that is not short either");
	run->nwarnings = 1;
	run->warnings = xcalloc(1, sizeof *run->warnings);
	run->warnings[0].text =
		xstrdup("the drive is within three times of what this host can feed it, so that some of what is "
			"measured may be the host; close other programs");
	char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);
	report_text(f, run);
	fclose(f);
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
		size_t columns = 0;
		for (const char *s = line; *s; s++)
			columns += ((unsigned char)*s & 0xc0) != 0x80;
		if (columns > 80)
			fail_msg("%zu columns: %s", columns, line);
	}
	free(text);
	run_record_free(run);
}

/* The figure of that test, or fails. */
static const struct figure *figure(const struct figure *g, size_t n, enum figure_what what, const char *test)
{
	for (size_t i = 0; i < n; i++)
		if (g[i].what == what && !strcmp(g[i].test, test))
			return &g[i];
	fail_msg("no figure %d of %s", what, test);
	return NULL;
}

static void what_cannot_be_told_apart_has_one_rank(void **state)
{
	struct run_record *runs[] = {record_review(1, "fast", 1), record_review(2, "as fast", 1.001),
		record_review(3, "slow", 0.5), record_run(4, "idle")};
	struct review *r[ARRAY_SIZE(runs)];
	for (size_t i = 0; i < ARRAY_SIZE(runs); i++)
		r[i] = review_build(runs[i]);
	struct figure *g;
	size_t n = figures_compare(r, ARRAY_SIZE(runs), &g);
	assert_true(n > 20);
	static const struct {
		enum figure_what what;
		const char *test;
	} cases[] = {{FIGURE_FILL_MEAN, "fill"}, {FIGURE_CACHE_RATE, "fill"}, {FIGURE_BURST, "burst-seq-read"},
		{FIGURE_SCORE, "seq-read"}, {FIGURE_SCORE, "rand-write"}};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct figure_value *v = figure(g, n, cases[i].what, cases[i].test)->values;
		if (v[0].rank != 1 || v[1].rank != 1 || v[2].rank != 3 || v[3].rank != 0)
			fail_msg("%s: ranks %u %u %u %u", cases[i].test, v[0].rank, v[1].rank, v[2].rank, v[3].rank);
		assert_true(v[0].tied && v[1].tied && !v[2].tied);
		assert_true(isnan(v[3].value));
	}
	/* Where less is better, the least is first. */
	const struct figure_value *energy = figure(g, n, FIGURE_FILL_ENERGY, "fill")->values;
	assert_true(energy[0].value < energy[2].value && energy[2].rank == 3);
	figures_free(g, n);
	for (size_t i = 0; i < ARRAY_SIZE(runs); i++) {
		review_free(r[i]);
		run_record_free(runs[i]);
	}
}

static void published_drives_are_found_by_profile_and_by_model(void **state)
{
	struct published_drive drives[] = {{.id = "phison-e12-960gb", .name = "Phison E12"},
		{.id = "samsung-970-evo-1tb", .name = "Samsung 970 EVO 1 TB"}};
	struct published published = {2, drives};
	static const struct {
		const char *kind, *path, *model;
		int found;
	} cases[] = {
		{"sim", "sim:phison-e12-960gb", "phison-e12-960gb", 0},
		{"sim", "sim:phison-e12-960gb,seed=3", "phison-e12-960gb", 0},
		{"sim", "sim:nothing", "Samsung 970 EVO 1 TB", -1},
		{"block", "/dev/nvme0n1", "Samsung SSD 970 EVO 1TB", 1},
		{"block", "/dev/nvme0n1", "Samsung SSD 970 EVO Plus 1TB", -1},
		{"block", "/dev/nvme0n1", NULL, -1},
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct run_record *run = record_run(1, "drive");
		strcpy(run->target.kind, cases[i].kind);
		free(run->target.path);
		free(run->target.model);
		run->target.path = xstrdup(cases[i].path);
		run->target.model = xstrdup(cases[i].model);
		struct review *r = review_build(run);
		review_attach(r, &published);
		assert_ptr_equal(r->published, cases[i].found < 0 ? NULL : &drives[cases[i].found]);
		review_attach(r, NULL);
		assert_null(r->published);
		review_free(r);
		run_record_free(run);
	}
}

static void csv_can_be_imported_again(void **state)
{
	struct run_record *run = record_run(1, "drive");
	record_fill(run, 1);
	char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);
	struct err e = {0};
	assert_int_equal(report_csv(f, run, NULL, &e), 0);
	fclose(f);
	assert_int_equal(strncmp(text, "seconds,bytes_written_in_interval,", 34), 0);
	size_t rows = 0, i = 0;
	for (char *line = strchr(text, '\n') + 1; *line; line = strchr(line, '\n') + 1, rows++, i++) {
		double seconds;
		unsigned long long bytes;
		assert_int_equal(sscanf(line, "%lf,%llu,", &seconds, &bytes), 2);
		const struct sample *s = &run->tests[0].phases[0].samples[i];
		assert_int_equal(bytes, s->bytes);
		assert_true(fabs(seconds - nsec_to_s(s->start + s->length)) < 1e-8);
	}
	assert_int_equal(rows, run->tests[0].phases[0].nsamples);
	free(text);
	f = open_memstream(&text, &size);
	assert_int_equal(report_csv(f, run, "nonsense", &e), -1);
	assert_int_equal(e.code, EXIT_USAGE);
	assert_non_null(strstr(e.text, "nonsense"));
	fclose(f);
	free(text);
	run_record_free(run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fill_figures_from_samples),
		cmocka_unit_test(absent_is_null_never_zero),
		cmocka_unit_test(a_full_drive_without_an_edge_has_no_cache),
		cmocka_unit_test(a_killed_run_keeps_its_samples),
		cmocka_unit_test(throttling_joins_events_and_samples),
		cmocka_unit_test(bursts_are_bytes_over_busy_time),
		cmocka_unit_test(sweeps_nest_by_condition),
		cmocka_unit_test(a_small_cache_shows_after_a_pause),
		cmocka_unit_test(headlines),
		cmocka_unit_test(the_terminal_text_has_80_columns),
		cmocka_unit_test(what_cannot_be_told_apart_has_one_rank),
		cmocka_unit_test(published_drives_are_found_by_profile_and_by_model),
		cmocka_unit_test(csv_can_be_imported_again),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
