// SPDX-License-Identifier: MIT
#include "unit.h"

#include "base/datadir.h"
#include "base/units.h"
#include "plan/plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct plan_test *find(const struct plan *p, const char *name, const char *condition)
{
	for (size_t i = 0; i < p->ntests; i++)
		if (!strcmp(p->tests[i].name, name) && !strcmp(p->tests[i].condition, condition))
			return &p->tests[i];
	fail_msg("no test %s %s", name, condition);
	return NULL;
}

static void the_review_suite_says_what_the_methods_say(void **state)
{
	struct plan *p;
	struct err e = {0};
	assert_int_equal(plan_load(&p, "review", &e), 0);
	assert_string_equal(p->name, "review");
	const struct plan_test *fill = find(p, "fill", "");
	assert_int_equal(fill->kind, KIND_FILL);
	assert_int_equal(fill->io.block_bytes, MIB);
	assert_true(fill->io.span_bytes == PLAN_WHOLE);
	assert_int_equal(fill->needs.state, STATE_ERASED);
	const struct plan_test *burst = find(p, "burst-seq-read", "");
	assert_int_equal(burst->bursts, 8);
	assert_int_equal(burst->burst_bytes, 128 * MIB);
	assert_true(burst->duty == 0.2);
	const struct plan_test *sweep = find(p, "seq-write", "fresh");
	assert_int_equal(sweep->io.ndepths, 6);
	assert_int_equal(sweep->io.depths[5], 32);
	assert_int_equal(sweep->limit_bytes, 32 * GIB);
	assert_int_equal(sweep->limit_time, 60 * NSEC_PER_SEC);
	assert_int_equal(sweep->idle_at_most, 60 * NSEC_PER_SEC);
	assert_false(sweep->restart);
	const struct plan_test *recovery = find(p, "recovery", "");
	assert_int_equal(recovery->nidles, 7);
	assert_int_equal(recovery->idles[6], 300 * NSEC_PER_SEC);
	assert_int_equal(find(p, "mixed-rand", "")->nshares, 11);
	assert_int_equal(find(p, "seq-read", "fragmented")->needs.state, STATE_FRAGMENTED);
	plan_free(p);
}

static void a_plan_survives_json(void **state)
{
	struct plan *p, *q;
	struct err e = {0};
	const struct plan_rates none = {0};
	assert_int_equal(plan_load(&p, "review", &e), 0);
	assert_int_equal(plan_fit(p, 2000 * GB, 512, false, &none, &e), 0);
	char *a = plan_to_json(p);
	assert_int_equal(plan_from_json(&q, a, &e), 0);
	char *b = plan_to_json(q);
	assert_string_equal(a, b);
	plan_free(p);
	assert_int_equal(plan_from_json(&p, "{}", &e), -1);
	assert_int_equal(plan_from_json(&p, "no json", &e), -1);
	free(a);
	free(b);
	plan_free(q);
}

static void sizes_are_cut_to_the_target(void **state)
{
	static const uint64_t capacities[] = {MIB, 5 * MIB + 512, 64 * MIB, GIB, 20 * GIB, 500 * GB, 8000 * GB};
	for (size_t c = 0; c < sizeof capacities / sizeof *capacities; c++) {
		for (int quick = 0; quick < 2; quick++) {
			struct plan *p;
			struct err e = {0};
			const struct plan_rates none = {0};
			assert_int_equal(plan_load(&p, "review", &e), 0);
			if (plan_fit(p, capacities[c], 512, quick, &none, &e))
				fail_msg("%s", e.text);
			for (size_t i = 0; i < p->ntests; i++) {
				const struct plan_test *t = &p->tests[i];
				if (t->kind == KIND_IDLE)
					continue;
				assert_true(t->io.span_bytes <= capacities[c] && t->io.span_bytes >= t->io.block_bytes);
				assert_true(t->needs.bytes <= capacities[c] && t->leaves.bytes <= capacities[c]);
				assert_true(t->kind != KIND_BURST || t->burst_bytes <= t->io.span_bytes);
				assert_true(t->needs.bytes == 0 || t->needs.bytes == t->io.span_bytes);
				assert_true(!t->limit_bytes || t->limit_bytes >= t->io.block_bytes);
				if (capacities[c] < 64 * GIB && t->kind == KIND_SWEEP)
					assert_non_null(t->cut);
				if (capacities[c] == 8000 * GB && !quick)
					assert_null(t->cut);
			}
			/* What one test leaves is what the next one needs: nothing is prepared twice. */
			assert_int_equal(
				find(p, "seq-write", "fresh")->leaves.bytes, find(p, "seq-read", "fresh")->needs.bytes);
			assert_true(p->estimate > 0 && p->writes > 0);
			plan_free(p);
		}
	}
	struct plan *p;
	struct err e = {0};
	const struct plan_rates none = {0};
	assert_int_equal(plan_load(&p, "review", &e), 0);
	assert_int_equal(plan_fit(p, 512 * KIB, 512, false, &none, &e), -1);
	assert_int_equal(e.code, EXIT_USAGE);
	assert_non_null(strstr(e.text, "less than one block"));
	plan_free(p);
}

/* docs/tests.md, States. */
static void quick_keeps_the_bursts_and_cuts_the_rest(void **state)
{
	struct plan *full, *quick;
	struct err e = {0};
	const struct plan_rates none = {0};
	assert_int_equal(plan_load(&full, "review", &e), 0);
	assert_int_equal(plan_load(&quick, "review", &e), 0);
	assert_int_equal(plan_fit(full, 2000 * GB, 512, false, &none, &e), 0);
	assert_int_equal(plan_fit(quick, 2000 * GB, 512, true, &none, &e), 0);
	for (size_t i = 0; i < full->ntests; i++) {
		const struct plan_test *f = &full->tests[i], *q = &quick->tests[i];
		assert_int_equal(f->bursts, q->bursts);
		assert_int_equal(f->burst_bytes, q->burst_bytes);
		assert_true(f->duty == q->duty);
		assert_int_equal(q->limit_bytes, f->limit_bytes / 8);
		assert_int_equal(q->limit_time, f->limit_time / 8);
		assert_int_equal(q->idle_at_most, f->idle_at_most / 8);
		assert_int_equal(q->settle, f->settle / 8);
		assert_int_equal(q->measure, f->measure / 8);
		assert_int_equal(q->needs.bytes, f->needs.bytes / 8);
		if (f->kind == KIND_FILL)
			assert_int_equal(q->io.span_bytes, 1000 * GB / MIB * MIB);
		else if (f->kind == KIND_RECOVERY)
			assert_int_equal(q->nidles, 3);
		else
			assert_int_equal(q->io.span_bytes, f->io.span_bytes / 8);
	}
	plan_free(full);
	plan_free(quick);
}

static void tests_are_picked_by_name(void **state)
{
	struct plan *p;
	struct err e = {0};
	assert_int_equal(plan_load(&p, "review", &e), 0);
	assert_int_equal(plan_select(p, (const char *const[]){"seq-read", "fill"}, 2, &e), 0);
	assert_int_equal(p->ntests, 3);
	assert_string_equal(p->tests[0].name, "fill");
	assert_string_equal(p->tests[2].condition, "fragmented");
	assert_int_equal(plan_select(p, (const char *const[]){"fil"}, 1, &e), -1);
	assert_string_equal(e.text, "no test 'fil' in suite 'review'; it has fill, seq-read");
	plan_free(p);
	/* Each name once, where two tests that are not neighbours share it. */
	assert_int_equal(plan_load(&p, "review", &e), 0);
	assert_int_equal(plan_select(p, (const char *const[]){"seq-read:frsh"}, 1, &e), -1);
	const char *first = strstr(e.text, "; it has fill, ");
	assert_non_null(first);
	assert_non_null(strstr(first, ", seq-read, "));
	assert_null(strstr(strstr(first, ", seq-read, ") + 1, ", seq-read,"));
	assert_int_equal(plan_select(p, (const char *const[]){"seq-read:fresh"}, 1, &e), 0);
	assert_int_equal(p->ntests, 1);
	plan_free(p);
	assert_int_equal(plan_load(&p, "no-such", &e), -1);
	assert_int_equal(e.code, EXIT_USAGE);
	assert_non_null(strstr(e.text, "review"));
}

/* A suite with one wrong value: the error names the file, the line and the field. */
static void a_wrong_suite_names_line_and_field(void **state)
{
	static const char good[] = "suite: own\n"
				   "tests:\n"
				   "  - test: t1\n"
				   "    kind: sweep\n"
				   "    io: {op: read, pattern: random, block: 4k, queue_depth: [1, 2], span: 1g}\n"
				   "    limit: {time: 5s}\n";
	static const struct {
		const char *from, *to, *line, *field;
	} cases[] = {
		{"4k", "4q", ":5:", "io.block"},
		{"4k", "0", ":5:", "io.block"},
		{"4k", "1000", ":5:", "io.block"},
		{"sweep", "swoop", ":4:", "kind"},
		{"[1, 2]", "[1, 0]", ":5:", "queue_depth"},
		{"[1, 2]", "[1, x]", ":5:", "queue_depth"},
		{"5s", "5 parsecs", ":6:", "limit.time"},
		{"limit: {time: 5s}", "limit: {}", ":6:", "limit"},
		{"limit: {time: 5s}", "limt: {time: 5s}", ":", "limt"},
		{"    limit: {time: 5s}\n", "", ":", "limit"},
		{"limit: {time: 5s}", "limit: {time: 5s}\n    burst: {count: 1, bytes: 1m, duty: 0.2}", ":7:", "burst"},
		{"random", "zigzag", ":5:", "io.pattern"},
		{"t1", "T 1", ":3:", "test"},
		{"op: read", "op: mixed", ":5:", "io.op"},
		{"suite: own\n", "", ":", "suite"},
	};
	char path[] = "/tmp/ssdscope-suite-XXXXXX.yaml";
	int fd = mkstemps(path, 5);
	assert_true(fd >= 0);
	close(fd);
	for (size_t i = 0; i <= sizeof cases / sizeof *cases; i++) {
		FILE *f = fopen(path, "w");
		const char *at = i ? strstr(good, cases[i - 1].from) : good;
		assert_non_null(at);
		fprintf(f, "%.*s%s%s", (int)(at - good), good, i ? cases[i - 1].to : "",
			at + (i ? strlen(cases[i - 1].from) : 0));
		fclose(f);
		struct plan *p;
		struct err e = {0};
		int rc = plan_load(&p, path, &e);
		if (i == 0) {
			assert_int_equal(rc, 0);
			plan_free(p);
			continue;
		}
		if (rc != -1 || e.code != EXIT_USAGE || strncmp(e.text, path, strlen(path)) ||
			strncmp(e.text + strlen(path), cases[i - 1].line, strlen(cases[i - 1].line)) ||
			!strstr(e.text, cases[i - 1].field))
			fail_msg("case %zu: %d %s", i, rc, e.text);
	}
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_review_suite_says_what_the_methods_say),
		cmocka_unit_test(a_plan_survives_json),
		cmocka_unit_test(sizes_are_cut_to_the_target),
		cmocka_unit_test(quick_keeps_the_bursts_and_cuts_the_rest),
		cmocka_unit_test(tests_are_picked_by_name),
		cmocka_unit_test(a_wrong_suite_names_line_and_field),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
