// SPDX-License-Identifier: MIT
/* `ssdscope tests`: what the tests of a suite do, and with which parameters. */
#include "cli/cli.h"

#include "base/mem.h"
#include "base/units.h"
#include "plan/plan.h"

#include <stdio.h>
#include <stdlib.h>

static error_t parse(int key, char *arg, struct argp_state *state)
{
	const char **suite = state->input;
	if (key != ARGP_KEY_ARG || state->arg_num > 0)
		return ARGP_ERR_UNKNOWN;
	*suite = arg;
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

int verb_tests(int argc, char **argv)
{
	const struct argp argp = {
		.parser = parse,
		.args_doc = "[SUITE|FILE]",
		.doc = "Explains each test of a suite (default: review) and its parameters.",
	};
	const char *suite = "review";
	struct err e = {0};
	struct plan *p;
	int code = cli_parse(&argp, argc, argv, &suite, NULL);
	if (code)
		return code;
	if (plan_load(&p, suite, &e))
		return cli_fail(&e);
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
	char **names = plan_suites();
	printf("\nsuites:");
	for (size_t i = 0; names[i]; i++) {
		printf("%s %s", i ? "," : "", names[i]);
		free(names[i]);
	}
	printf("; write your own from the file of one of them\n");
	free(names);
	plan_free(p);
	return EXIT_DONE;
}
