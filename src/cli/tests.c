// SPDX-License-Identifier: MIT
/* `ssdscope tests`: what the tests of a suite do, and with which parameters. */
#include "cli/cli.h"

#include "base/mem.h"
#include "base/units.h"
#include "cli/present.h"
#include "plan/plan.h"

#include <stdio.h>
#include <stdlib.h>

struct arguments {
	const char *suite;
	bool json;
};

static const struct argp_option options[] = {{"json", 'j', NULL, 0, "Print one JSON document", 0}, {0}};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *a = state->input;
	if (key == 'j') {
		a->json = true;
		return 0;
	}
	if (key != ARGP_KEY_ARG || state->arg_num > 0)
		return ARGP_ERR_UNKNOWN;
	a->suite = arg;
	return 0;
}

static void print_state(const char *verb, const struct plan_state *s)
{
	static const char *const words[] = {"as it is", "erased", "", "", "full"};
	char b[UNITS_BUF], text[64];
	snprintf(text, sizeof text, "%s", words[s->state]);
	if (s->state == STATE_SEQUENTIAL)
		snprintf(text, sizeof text, "with %s of sequential data", units_block(b, s->bytes));
	if (s->state == STATE_FRAGMENTED)
		snprintf(text, sizeof text, "with %s of fragmented data", units_block(b, s->bytes));
	printf("    %s the drive %s\n", verb, text);
}

static void print_io(const struct plan_test *t)
{
	char b[UNITS_BUF], s[UNITS_BUF];
	printf("    %s %s, %s blocks, %s, queue depth", t->io.random ? "random" : "sequential",
		t->kind == KIND_MIXED ? "reads and writes"
		: t->io.write	      ? "writes"
				      : "reads",
		units_block(b, t->io.block_bytes),
		t->io.span_bytes == PLAN_WHOLE ? "over the whole drive" : units_block(s, t->io.span_bytes));
	for (size_t i = 0; i < t->io.ndepths; i++)
		printf("%s %u", i ? "," : "", t->io.depths[i]);
	printf("\n");
}

static void print_limits(const struct plan_test *t)
{
	char b[UNITS_BUF], d[UNITS_BUF];
	if (t->kind == KIND_BURST)
		printf("    %u bursts of %s, busy %.0f %% of the time\n", t->bursts, units_block(b, t->burst_bytes),
			100 * t->duty);
	if (t->limit_time || t->limit_bytes) {
		printf("    each phase ends at the first of");
		if (t->limit_time)
			printf(" %s", units_duration(d, t->limit_time));
		if (t->limit_bytes)
			printf("%s %s", t->limit_time ? " and" : "", units_block(b, t->limit_bytes));
		printf("\n");
	}
	if (t->idle_at_most)
		printf("    then idle %g times as long as it was busy, at most %s\n", t->idle_of_busy,
			units_duration(d, t->idle_at_most));
	if (t->kind == KIND_RECOVERY) {
		printf("    writes %s beyond the cache, then for each idle of", units_block(b, t->beyond_bytes));
		for (size_t i = 0; i < t->nidles; i++)
			printf("%s %s", i ? "," : "", units_duration(d, t->idles[i]));
		printf(":\n    writes until the rate has fallen for %s", units_block(b, t->fallen_bytes));
		printf(", at most the cache size and %s\n", units_block(b, t->step_bytes));
	}
	if (t->nshares) {
		printf("    shares of reads:");
		for (size_t i = 0; i < t->nshares; i++)
			printf("%s %.0f %%", i ? "," : "", 100 * t->read_shares[i]);
		printf("\n");
	}
	if (t->kind == KIND_IDLE)
		printf("    waits %s,", units_duration(d, t->settle)),
			printf(" then measures for %s, twice\n", units_duration(d, t->measure));
}

/* The tests as a run stores them, and the names of all suites. */
static void print_json(const struct plan *p, char *const *names)
{
	char *text = plan_to_json(p);
	json_t *plan = json_loads(text, 0, NULL), *suites = json_array(), *test,
	       *doc = json_pack("{s:i,s:o}", "schema", 1, "suites", suites);
	size_t i;
	free(text);
	json_array_foreach(json_object_get(plan, "tests"), i, test)
	{
		if (p->tests[i].io.span_bytes == PLAN_WHOLE)
			json_object_set_new(json_object_get(test, "io"), "span_bytes", json_null());
	}
	for (i = 0; names[i]; i++)
		json_array_append_new(suites, json_string(names[i]));
	json_object_del(plan, "quick"); /* of a run's plan */
	json_object_update(doc, plan);
	json_decref(plan);
	present_json_value(doc);
}

static void print_text(const struct plan *p, char *const *names)
{
	printf("suite %s: %s\n", p->name, p->title);
	for (size_t i = 0; i < p->ntests; i++) {
		const struct plan_test *t = &p->tests[i];
		printf("\n%s%s%s\n", t->name, *t->condition ? ", " : "", t->condition);
		if (t->explain)
			printf("    %s\n", t->explain);
		print_state("needs", &t->needs);
		if (t->kind != KIND_IDLE)
			print_io(t);
		print_limits(t);
	}
	printf("\nsuites:");
	for (size_t i = 0; names[i]; i++)
		printf("%s %s", i ? "," : "", names[i]);
	printf("; write your own from the file of one of them\n");
}

int verb_tests(int argc, char **argv)
{
	const struct argp argp = {
		.options = options,
		.parser = parse,
		.args_doc = "[SUITE|FILE]",
		.doc = "Explains each test of a suite (default: review) and its parameters.",
	};
	struct arguments a = {.suite = "review"};
	struct err e = {0};
	struct plan *p;
	int code = cli_parse(&argp, argc, argv, &a, NULL);
	if (code)
		return code;
	if (plan_load(&p, a.suite, &e)) {
		if (a.json)
			present_json_error(&e);
		return cli_fail(&e);
	}
	char **names = plan_suites();
	(a.json ? print_json : print_text)(p, names);
	for (size_t i = 0; names[i]; i++)
		free(names[i]);
	free(names);
	plan_free(p);
	return EXIT_DONE;
}
