// SPDX-License-Identifier: MIT
/* `ssdscope report`: the report of one run, or the comparison of several. */
#include "cli/cli.h"

#include "base/mem.h"
#include "cli/present.h"
#include "report/review.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct arguments {
	struct err wrong; /* what is wrong with the command line */
	const char **names;
	size_t n, cap;
	const char *store, *output, *svg, *csv;
	bool published;
};

enum { KEY_STORE = 1000, KEY_SVG, KEY_CSV, KEY_PUBLISHED };

static const struct argp_option options[] = {
	{"output", 'o', "FILE", 0,
		"Where to write the HTML, - is standard output (default: review.html; none if --svg or --csv is given)",
		0},
	{"svg", KEY_SVG, "DIR", 0, "Write each chart there as a picture", 0},
	{"csv", KEY_CSV, "DIR", 0, "Write each chart's data there", 0},
	{"published", KEY_PUBLISHED, NULL, 0,
		"In a comparison, also show drives of which only published figures are known", 0},
	{"store", KEY_STORE, "FILE", 0, CLI_STORE_HELP, 1},
	{0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *a = state->input;
	switch (key) {
	case 'o': a->output = arg; return 0;
	case KEY_SVG: a->svg = arg; return 0;
	case KEY_CSV: a->csv = arg; return 0;
	case KEY_PUBLISHED: a->published = true; return 0;
	case KEY_STORE: a->store = arg; return 0;
	case ARGP_KEY_ARG:
		GROW(a->names, a->n, a->cap);
		a->names[a->n++] = arg;
		return 0;
	case ARGP_KEY_NO_ARGS:
		err_set(&a->wrong, EXIT_USAGE, "no run: give an id, a label or 'last'; 'ssdscope runs' lists them");
		return 0;
	default: return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.args_doc = "RUN...",
	.doc = "Draws the report of a run; of several, a comparison in which the first is highlighted. RUN is an id, a "
	       "label, or "
	       "'last'.",
};

static int load(struct store *store, const struct arguments *a, struct run_record **runs, struct err *e)
{
	for (size_t i = 0; i < a->n; i++) {
		if (store_load_named(store, a->names[i], &runs[i], e))
			return -1;
		for (size_t k = 0; k < i; k++)
			if (runs[k]->id == runs[i]->id)
				return err_set(e, EXIT_USAGE, "run %lld is named twice; give each run once",
					(long long)runs[i]->id);
	}
	return 0;
}

int verb_report(int argc, char **argv)
{
	struct arguments a = {0};
	struct err e = {0};
	struct store *store = NULL;
	bool created = false;
	int code = cli_parse(&argp, argc, argv, &a, &a.wrong);
	if (code)
		return code;
	if (!a.output && !a.svg && !a.csv)
		a.output = "review.html";
	if (cli_is_stdout(a.output))
		signal(SIGPIPE, SIG_DFL); /* as a verb that only prints */
	char *path = cli_store_path(a.store);
	struct run_record **runs = xcalloc(a.n, sizeof *runs);
	int rc = a.output ? cli_check_writable(a.output, &created, &e) : 0;
	if (!rc)
		rc = store_open(&store, path, STORE_READ, &e);
	if (!rc)
		rc = load(store, &a, runs, &e);
	if (!rc && a.output)
		rc = present_report(a.output, runs, a.n, a.published, &e);
	if (!rc && (a.svg || a.csv)) {
		struct report_options o = {.published = present_published(), .join_published = a.published};
		rc = report_charts(a.svg, a.csv, runs, a.n, &o, &e);
		published_free((struct published *)o.published);
	}
	if (rc && created)
		unlink(a.output); /* it was only made to see whether it can be */
	else if (!rc && a.output && !cli_is_stdout(a.output))
		cli_say("report: %s", a.output);
	for (size_t i = 0; i < a.n; i++)
		run_record_free(runs[i]);
	store_close(store);
	free(runs);
	free(a.names);
	free(path);
	return rc ? cli_fail(&e) : EXIT_DONE;
}
