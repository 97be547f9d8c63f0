// SPDX-License-Identifier: MIT
/* `ssdscope show`: a run's figures. */
#include "cli/cli.h"

#include "cli/present.h"
#include "report/review.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct arguments {
	struct err wrong; /* what is wrong with the command line */
	const char *run, *store, *test;
	bool json, csv;
};

enum { KEY_JSON = 1000, KEY_CSV, KEY_STORE };

static const struct argp_option options[] = {
	{"json", KEY_JSON, NULL, 0, "Print the figures as one JSON document", 0},
	{"csv", KEY_CSV, NULL, 0, "Print the raw series; that of a fill can be imported again", 0},
	{"test", 't', "TEST", 0, "With --csv: the series of this test (default: the fill, else all)", 0},
	{"store", KEY_STORE, "FILE", 0, CLI_STORE_HELP, 1},
	{0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *a = state->input;
	switch (key) {
	case 't': a->test = arg; return 0;
	case KEY_JSON: a->json = true; return 0;
	case KEY_CSV: a->csv = true; return 0;
	case KEY_STORE: a->store = arg; return 0;
	case ARGP_KEY_ARG:
		if (a->run)
			err_set(&a->wrong, EXIT_USAGE, "one run at a time; 'report' compares several");
		a->run = arg;
		return 0;
	case ARGP_KEY_END:
		if (a->json && a->csv)
			err_set(&a->wrong, EXIT_USAGE, "--json and --csv exclude each other: give one of them");
		if (a->test && !a->csv)
			err_set(&a->wrong, EXIT_USAGE, "--test goes with --csv: the figures are of all tests");
		return 0;
	default: return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.args_doc = "[RUN]",
	.doc = "Prints a run's figures. RUN is an id, a label, or 'last' (the default).",
};

int verb_show(int argc, char **argv)
{
	struct arguments a = {0};
	struct err e = {0};
	struct store *store = NULL;
	struct run_record *run = NULL;
	int code = cli_parse(&argp, argc, argv, &a, &a.wrong);
	if (code)
		return code;
	char *path = cli_store_path(a.store);
	int rc = store_open(&store, path, STORE_READ, &e);
	if (!rc)
		rc = store_load_named(store, a.run ? a.run : "last", &run, &e);
	if (!rc && a.csv)
		rc = report_csv(stdout, run, a.test, &e);
	else if (!rc && a.json)
		present_json(&run, 1, false);
	else if (!rc)
		present_text(run);
	if (rc && a.json)
		present_json_error(&e);
	if (!rc && (fflush(stdout) || ferror(stdout)))
		rc = err_set(&e, EXIT_FAILED, "cannot write to standard output: %s", strerror(errno));
	run_record_free(run);
	store_close(store);
	free(path);
	return rc ? cli_fail(&e) : EXIT_DONE;
}
