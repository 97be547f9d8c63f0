// SPDX-License-Identifier: MIT
/* `ssdscope runs`: what is in the store. */
#include "cli/cli.h"

#include "base/units.h"
#include "cli/present.h"
#include "report/escape.h"
#include "report/review.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

struct arguments {
	struct err wrong; /* what is wrong with the command line */
	const char *store;
	bool json;
};

enum { KEY_STORE = 1000, KEY_JSON };

static const struct argp_option options[] = {
	{"json", KEY_JSON, NULL, 0, "Print one JSON document", 0},
	{"store", KEY_STORE, "FILE", 0, CLI_STORE_HELP, 0},
	{0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *a = state->input;
	switch (key) {
	case KEY_STORE: a->store = arg; return 0;
	case KEY_JSON: a->json = true; return 0;
	case ARGP_KEY_ARG:
		err_set(&a->wrong, EXIT_USAGE, "'%s': 'runs' takes no argument; 'show' prints one run", arg);
		return 0;
	default: return ARGP_ERR_UNKNOWN;
	}
}

static void print_table(const struct run_record *runs, size_t n)
{
	static const char *const states[] = {"running", "done", "partial", "failed"};
	printf("%5s  %-16s %-8s %-9s %-24s %s\n", "run", "started", "state", "capacity", "drive", "label");
	for (size_t i = 0; i < n; i++) {
		const struct run_record *r = &runs[i];
		char when[32] = "", size[UNITS_BUF] = "";
		time_t s = r->started_ms / 1000;
		struct tm tm;
		if (localtime_r(&s, &tm))
			strftime(when, sizeof when, "%Y-%m-%d %H:%M", &tm);
		if (r->target.capacity_bytes)
			units_bytes(size, (double)r->target.capacity_bytes);
		char *drive = clean_text(r->target.path ? r->target.path : r->target.model),
		     *label = clean_text(r->label);
		printf("%5lld  %-16s %-8s %-9s %-24s %s%s\n", (long long)r->id, when, states[r->state], size,
			drive ? drive : "unknown", label ? label : "", r->quick ? " (quick)" : "");
		free(drive);
		free(label);
	}
}

int verb_runs(int argc, char **argv)
{
	const struct argp argp = {
		.options = options, .parser = parse, .doc = "Lists the runs in the store, newest first."};
	struct arguments a = {0};
	struct err e = {0};
	struct store *store = NULL;
	struct run_record *runs = NULL;
	size_t n = 0;
	int code = cli_parse(&argp, argc, argv, &a, &a.wrong);
	if (code)
		return code;
	char *path = cli_store_path(a.store);
	int rc = store_open(&store, path, STORE_READ, &e);
	if (!rc)
		rc = store_list(store, &runs, &n, &e);
	if (!rc && a.json) {
		json_t *doc = review_runs_json(runs, n);
		json_dumpf(doc, stdout, REVIEW_JSON_FLAGS);
		putchar('\n');
		json_decref(doc);
	} else if (!rc) {
		print_table(runs, n);
	}
	if (rc && a.json)
		present_json_error(&e);
	for (size_t i = 0; i < n; i++)
		run_record_clear(&runs[i]);
	free(runs);
	store_close(store);
	free(path);
	return rc ? cli_fail(&e) : EXIT_DONE;
}
