// SPDX-License-Identifier: MIT
/* `ssdscope export`: a run for other programs. */
#include "cli/cli.h"

#include "cli/present.h"
#include "report/export.h"
#include "report/review.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum export_format { EXPORT_NONE, EXPORT_FIO, EXPORT_CSV, EXPORT_JSON };

struct arguments {
	struct err wrong; /* what is wrong with the command line */
	const char *run, *store, *test, *output;
	enum export_format format;
	bool json; /* --json was given, maybe beside another format */
};

enum { KEY_FIO = 1000, KEY_CSV, KEY_JSON, KEY_STORE };

static const struct argp_option options[] = {
	{"fio", KEY_FIO, NULL, 0, "A job file for fio that repeats the tests", 0},
	{"csv", KEY_CSV, NULL, 0, "The raw series; that of a fill can be imported again", 0},
	{"json", KEY_JSON, NULL, 0, "The figures, as 'show --json' prints them", 0},
	{"test", 't', "TEST", 0, "This test alone (--fio, --csv)", 0},
	{"output", 'o', "FILE", 0, "Where to write it (default: standard output)", 0},
	{"store", KEY_STORE, "FILE", 0, CLI_STORE_HELP, 1},
	{0},
};

static void set_format(struct arguments *a, enum export_format format)
{
	if (a->format && a->format != format)
		err_set(&a->wrong, EXIT_USAGE, "one format at a time: --fio, --csv or --json");
	a->format = format;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *a = state->input;
	switch (key) {
	case KEY_FIO: set_format(a, EXPORT_FIO); return 0;
	case KEY_CSV: set_format(a, EXPORT_CSV); return 0;
	case KEY_JSON:
		a->json = true;
		set_format(a, EXPORT_JSON);
		return 0;
	case 't': a->test = arg; return 0;
	case 'o': a->output = cli_is_stdout(arg) ? NULL : arg; return 0;
	case KEY_STORE: a->store = arg; return 0;
	case ARGP_KEY_ARG:
		if (a->run)
			err_set(&a->wrong, EXIT_USAGE, "one run at a time");
		a->run = arg;
		return 0;
	case ARGP_KEY_END:
		if (!a->format)
			err_set(&a->wrong, EXIT_USAGE, "in which format? --fio, --csv or --json");
		if (a->test && a->format == EXPORT_JSON)
			err_set(&a->wrong, EXIT_USAGE, "--test goes with --fio and --csv");
		return 0;
	default: return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.args_doc = "[RUN]",
	.doc = "Writes a run for other programs. RUN is an id, a label, or 'last' (the default).",
};

static int write_run(const struct arguments *a, struct run_record *run, struct err *e)
{
	bool created = false;
	if (a->output && cli_check_writable(a->output, &created, e) != 0)
		return -1;
	/* present_json prints to standard output, so a file takes its place. */
	if (a->output && !freopen(a->output, "w", stdout))
		return err_set(e, exit_code_of_errno(errno), "cannot write '%s': %s", a->output, strerror(errno));
	int rc = 0;
	if (a->format == EXPORT_FIO)
		rc = export_fio(stdout, run, a->test, e);
	else if (a->format == EXPORT_CSV)
		rc = report_csv(stdout, run, a->test, e);
	else
		present_json(&run, 1, false);
	if (rc == 0 && (fflush(stdout) || ferror(stdout)))
		rc = err_set(e, EXIT_FAILED, "cannot write %s%s%s: %s", a->output ? "'" : "",
			a->output ? a->output : "standard output", a->output ? "'" : "", strerror(errno));
	if (rc != 0 && created)
		remove(a->output);
	return rc;
}

int verb_export(int argc, char **argv)
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
	if (rc == 0)
		rc = store_load_named(store, a.run ? a.run : "last", &run, &e);
	if (rc != 0 && a.json)
		present_json_error(&e);
	if (rc == 0)
		rc = write_run(&a, run, &e);
	run_record_free(run);
	store_close(store);
	free(path);
	return rc ? cli_fail(&e) : EXIT_DONE;
}
