// SPDX-License-Identifier: MIT
/* What differs between the settings of runs, and what tests did, in words. */
#include "unit.h"

#include "base/mem.h"
#include "records.h"
#include "report/settings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST 8

/* Runs "A", "B", ... of one test with these parameters (NULL: none) and what differs in them. free() it. */
static char *differences(size_t n, const char *const *params)
{
	struct run_record *runs[MOST];
	struct review *reviews[MOST];
	struct figure_value values[MOST] = {0};
	struct figure g = {.test = "burst-seq-read", .condition = "", .values = values};
	for (size_t i = 0; i < n; i++) {
		runs[i] = record_run((int64_t)i + 1, "drive");
		runs[i]->label = xasprintf("%c", (int)('A' + i));
		free(runs[i]->suite);
		runs[i]->suite = xstrdup("review");
		struct test_record *t = record_test(runs[i], "burst-seq-read", "", "burst");
		record_phase(t, "burst", "read", "sequential", 1000, 1, 0, NAN);
		free(t->params);
		t->params = params[i] ? xstrdup(params[i]) : NULL;
		reviews[i] = review_build(runs[i]);
		values[i].value = 1000;
	}
	review_name_runs(reviews, n);
	char *text = settings_differences(reviews, n, &g);
	for (size_t i = 0; i < n; i++) {
		review_free(reviews[i]);
		run_record_free(runs[i]);
	}
	return text;
}

#define BURST(block, depth)                                                                                            \
	"{\"io\":{\"write\":false,\"random\":false,\"block_bytes\":" #block ",\"span_bytes\":17179869184,"             \
	"\"queue_depths\":[" #depth                                                                                    \
	"]},\"needs\":{\"state\":\"any\"},\"bursts\":8,\"burst_bytes\":134217728,\"duty\":0.2,"                        \
	"\"estimate_ns\":" #block "}"

static void assert_differences(size_t n, const char *const *params, const char *wanted)
{
	char *text = differences(n, params);
	if (wanted)
		assert_string_equal(text, wanted);
	else
		assert_null(text);
	free(text);
}

static void equal_settings_are_not_mentioned(void **state)
{
	assert_differences(2, (const char *const[]){BURST(131072, 1), BURST(131072, 1)}, NULL);
	assert_differences(2, (const char *const[]){NULL, NULL}, NULL);
}

static void each_value_is_told_with_its_runs(void **state)
{
	assert_differences(3, (const char *const[]){BURST(131072, 1), BURST(1048576, 1), BURST(131072, 1)},
		"block 128 KiB in A and C, 1 MiB in B");
	assert_differences(2, (const char *const[]){BURST(131072, 1), BURST(1048576, 4)},
		"block 128 KiB in A, 1 MiB in B; queue depth 1 in A, 4 in B");
	/* The most of many are the others. */
	assert_differences(6,
		(const char *const[]){
			BURST(4096, 1), BURST(4096, 1), BURST(4096, 1), BURST(4096, 2), BURST(4096, 1), BURST(4096, 1)},
		"queue depth 2 in D, 1 in the others");
}

static void what_is_not_known_is_not_called_different(void **state)
{
	assert_differences(
		2, (const char *const[]){BURST(131072, 1), "not JSON"}, "what else was set is not known of B");
}

/* A fill of a 100 GB drive with this state before and span, in a sentence. */
static char *explained(const char *needs, const char *span, const char *warning)
{
	struct run_record *run = record_run(1, "drive");
	run->target.capacity_bytes = 100000000000;
	struct test_record *t = record_test(run, "fill", "", "fill");
	record_phase(t, "fill", "write", "sequential", 1000, 100, 0, NAN);
	free(t->params);
	t->params = xasprintf("{\"io\":{\"write\":true,\"random\":false,\"block_bytes\":1048576,\"span_bytes\":%s,"
			      "\"queue_depths\":[1]},\"needs\":{\"state\":\"%s\"}}",
		span, needs);
	if (warning) {
		t->warnings = xcalloc(1, sizeof *t->warnings);
		t->nwarnings = 1;
		snprintf(t->warnings[0].code, sizeof t->warnings[0].code, "%s", warning);
	}
	struct review *r = review_build(run);
	char *text = settings_explain((const struct review *const[]){r}, (const struct test_record *const[]){t}, 1);
	review_free(r);
	run_record_free(run);
	return text;
}

static void a_sentence_follows_the_settings(void **state)
{
	static const struct {
		const char *needs, *span, *warning, *wanted;
	} cases[] = {
		{"erased", "100000000000", NULL,
			"One thread writes the whole drive once from an erased state, in order, in blocks of 1 MiB at "
			"queue depth 1."},
		{"erased", "5368709120", NULL,
			"One thread writes the first 5 GiB of the drive once from an erased state, in order, in blocks "
			"of "
			"1 MiB at queue depth 1."},
		{"full", "-1", NULL,
			"One thread writes the whole drive once over data that fill it, in order, in blocks of 1 MiB "
			"at "
			"queue depth 1."},
		{"erased", "-1", "not-erased",
			"One thread writes the whole drive once, which was not erased before, in order, in blocks of 1 "
			"MiB "
			"at queue depth 1."},
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char *text = explained(cases[i].needs, cases[i].span, cases[i].warning);
		assert_string_equal(text, cases[i].wanted);
		free(text);
	}
}

/* What a recovery test did is told by what came of it. */
static void a_recovery_without_a_cache_did_not_rest(void **state)
{
	struct run_record *run = record_run(1, "drive");
	struct test_record *t = record_test(run, "recovery", "", "recovery");
	record_phase(t, "exhaust", "write", "sequential", 1000, 100, 0, NAN);
	free(t->params);
	t->params = xstrdup("{\"io\":{\"write\":true,\"queue_depths\":[1]},\"idles_ns\":[1000000000,60000000000]}");
	for (int pass = 0; pass < 2; pass++) {
		struct review *r = review_build(run);
		char *text =
			settings_explain((const struct review *const[]){r}, (const struct test_record *const[]){t}, 1);
		assert_string_equal(
			text, pass ? "After writes that would exhaust a cache the drive rests for 1 s and 1 min; then "
				     "the test "
				     "writes until the rate falls again."
				   : "The test looks for the end of a cache by writing, to let the drive rest there.");
		free(text);
		review_free(r);
		if (!pass)
			record_phase(t, "idle-1s", "write", "sequential", 1000, 5, 0, NAN)->idle_before = NSEC_PER_SEC;
	}
	run_record_free(run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_settings_are_not_mentioned),
		cmocka_unit_test(each_value_is_told_with_its_runs),
		cmocka_unit_test(what_is_not_known_is_not_called_different),
		cmocka_unit_test(a_sentence_follows_the_settings),
		cmocka_unit_test(a_recovery_without_a_cache_did_not_rest),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
