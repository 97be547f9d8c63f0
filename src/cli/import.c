// SPDX-License-Identifier: MIT
/* `ssdscope import`: other tools' logs, and other stores. */
#include "cli/cli.h"

#include "base/mem.h"
#include "base/units.h"
#include "cli/present.h"
#include "import/import.h"
#include "report/escape.h"
#include "report/review.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct arguments {
	struct err wrong; /* what is wrong with the command line */
	const char **files;
	size_t n, cap;
	struct import_options options;
	const char *store;
	bool json;
};

enum {
	KEY_STORE = 1000,
	KEY_JSON,
	KEY_LABEL,
	KEY_CAPACITY,
	KEY_THROTTLE,
	KEY_TIME_COLUMN,
	KEY_RATE_COLUMN,
	KEY_UNIT,
	KEY_LENIENT
};

static const struct argp_option options[] = {
	{"label", KEY_LABEL, "TEXT", 0, "A name for the new run", 0},
	{"capacity", KEY_CAPACITY, "BYTES", 0, "The drive's capacity: tells whether a fill reached its end", 0},
	{"throttle", KEY_THROTTLE, "FILE", 0, "Lines 'start_s,end_s': when the drive reported throttling", 0},
	{"time-column", KEY_TIME_COLUMN, "NAME", 0, "CSV: the column with the time at which an interval ended", 0},
	{"rate-column", KEY_RATE_COLUMN, "NAME", 0, "CSV: the column with the rate, or the amount, of data", 0},
	{"unit", KEY_UNIT, "UNIT", 0,
		"Its unit: MB/s, MiB/s, kB/s ..., or MB, MiB ... per interval; of a fio log whose name does not tell: "
		"KiB/s, iops or ns",
		0},
	{"lenient", KEY_LENIENT, NULL, 0, "Leave out lines that cannot be read; the run says so", 0},
	{"json", KEY_JSON, NULL, 0, "Print the figures of the new run as one JSON document (an array for several)", 0},
	{"store", KEY_STORE, "FILE", 0, CLI_STORE_HELP, 1},
	{0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *a = state->input;
	switch (key) {
	case KEY_LABEL:
		a->options.label = arg;
		cli_check_label(arg, &a->wrong);
		return 0;
	case KEY_CAPACITY:
		if (units_parse_size(arg, 1, &a->options.capacity_bytes, &a->wrong))
			err_prefix(&a->wrong, "--capacity: ");
		return 0;
	case KEY_THROTTLE: a->options.throttle_file = arg; return 0;
	case KEY_TIME_COLUMN: a->options.time_column = arg; return 0;
	case KEY_RATE_COLUMN: a->options.rate_column = arg; return 0;
	case KEY_UNIT: a->options.unit = arg; return 0;
	case KEY_LENIENT: a->options.lenient = true; return 0;
	case KEY_JSON: a->json = true; return 0;
	case KEY_STORE: a->store = arg; return 0;
	case ARGP_KEY_ARG:
		GROW(a->files, a->n, a->cap);
		a->files[a->n++] = arg;
		return 0;
	case ARGP_KEY_NO_ARGS: err_set(&a->wrong, EXIT_USAGE, "no file to import"); return 0;
	default: return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.args_doc = "FILE...",
	.doc = "Makes runs of other tools' results: fio JSON and logs (a job's logs and its JSON go together), "
	       "elbencho livecsv, diskspd XML, iostat -x -t, CSV. A store of ssdscope is merged: its runs that are not "
	       "here yet are copied.",
};

/* Whether the end of a cache was found in every fill of the run. */
static bool caches_found(const struct run_record *r)
{
	struct review *review = review_build(r);
	bool found = true;
	for (size_t i = 0; i < review->ntests; i++)
		found = found && (review->tests[i].kind != REVIEW_FILL ||
					 review->tests[i].fill.figures.cache.verdict == CACHE_FOUND);
	review_free(review);
	return found;
}

/* The reader of a log warns that without the capacity "no cache" cannot be told from "not reached". Where a cache's end
 * is in the log, there is nothing to tell apart. */
static void drop_needless_warning(struct run_record *r)
{
	bool found = caches_found(r);
	size_t kept = 0;
	for (size_t i = 0; i < r->nwarnings; i++) {
		if (found && !strcmp(r->warnings[i].code, "capacity-unknown"))
			free(r->warnings[i].text);
		else
			r->warnings[kept++] = r->warnings[i];
	}
	r->nwarnings = kept;
}

/* Puts the runs into the store; their ids go to `ids`. */
static int put_runs(struct store *s, const struct run_record *runs, size_t n, int64_t *ids, struct err *e)
{
	for (size_t i = 0; i < n; i++)
		if (store_put_run(s, &runs[i], &ids[i], e) != 0)
			return -1;
	return 0;
}

/* Merges the stores among the files; ids of the copied runs are appended to *ids. */
static int merge_stores(
	struct store *s, const struct arguments *a, int64_t **ids, size_t *n, size_t *cap, struct err *e)
{
	for (size_t i = 0; i < a->n; i++) {
		struct run_record *runs;
		size_t count, added;
		int64_t newest = 0;
		if (!import_is_store(a->files[i]))
			continue;
		if (store_list(s, &runs, &count, e) != 0)
			return -1;
		for (size_t k = 0; k < count; k++) {
			newest = runs[k].id > newest ? runs[k].id : newest;
			run_record_clear(&runs[k]);
		}
		free(runs);
		if (store_merge(s, a->files[i], &added, e) != 0 || store_list(s, &runs, &count, e) != 0)
			return -1;
		/* The newest come first; the order of the other store is kept. */
		for (size_t k = count; k-- > 0;) {
			if (runs[k].id > newest) {
				GROW(*ids, *n, *cap);
				(*ids)[(*n)++] = runs[k].id;
			}
			run_record_clear(&runs[k]);
		}
		free(runs);
		cli_say("ssdscope: %zu new run%s from '%s'", added, added == 1 ? "" : "s", a->files[i]);
	}
	return 0;
}

static void print_line(const struct run_record *r)
{
	char *path = clean_text(r->target.path);
	printf("run %" PRId64 ": %s", r->id, path ? path : r->target.kind);
	for (size_t i = 0; i < r->ntests; i++) {
		const struct test_record *t = &r->tests[i];
		nsec duration = 0;
		uint64_t bytes = 0;
		char b[UNITS_BUF], d[UNITS_BUF];
		for (size_t k = 0; k < t->nphases; k++) {
			duration += t->phases[k].duration;
			bytes += t->phases[k].bytes;
		}
		printf("%s %s, %s in %s", i ? ";" : ":", t->name, units_bytes(b, (double)bytes),
			units_duration(d, duration));
	}
	printf("\n");
	free(path);
	for (size_t i = 0; i < r->nwarnings; i++) {
		const struct warning *w = &r->warnings[i];
		cli_say("ssdscope: warning: %s", w->text ? w->text : w->code);
	}
}

static int present(struct store *s, const int64_t *ids, size_t n, bool json, struct err *e)
{
	struct run_record **runs = xcalloc(n + 1, sizeof *runs);
	int rc = 0;
	for (size_t i = 0; i < n && rc == 0; i++)
		rc = store_load(s, ids[i], &runs[i], e);
	if (rc == 0 && json)
		present_json(runs, n, n != 1);
	for (size_t i = 0; i < n && rc == 0 && !json; i++)
		print_line(runs[i]);
	for (size_t i = 0; i < n; i++)
		run_record_free(runs[i]);
	free(runs);
	return rc;
}

int verb_import(int argc, char **argv)
{
	struct arguments a = {0};
	struct err e = {0};
	struct store *store = NULL;
	struct run_record *runs = NULL;
	size_t nruns = 0, nlogs = 0, nids = 0, cap = 0;
	int code = cli_parse(&argp, argc, argv, &a, &a.wrong);
	if (code) {
		free(a.files);
		return code;
	}
	/* All files are read before anything is stored: either all of them become runs, or none. */
	const char **logs = xcalloc(a.n, sizeof *logs);
	for (size_t i = 0; i < a.n; i++)
		if (!import_is_store(a.files[i]))
			logs[nlogs++] = a.files[i];
	char *path = cli_store_path(a.store);
	int rc = nlogs ? import_files(logs, nlogs, &a.options, &runs, &nruns, &e) : 0;
	for (size_t i = 0; i < a.n && rc == 0; i++)
		if (cli_same_file(a.files[i], path))
			rc = err_set(&e, EXIT_USAGE,
				"'%s' is the store itself: name another one, or with --store the one to copy its runs "
				"to",
				a.files[i]);
	if (rc == 0)
		rc = store_open(&store, path, STORE_WRITE, &e);
	int64_t *ids = NULL;
	for (size_t i = 0; i < nruns; i++) {
		GROW(ids, nids, cap);
		ids[nids++] = 0;
	}
	for (size_t i = 0; i < nruns; i++)
		drop_needless_warning(&runs[i]);
	if (rc == 0)
		rc = put_runs(store, runs, nruns, ids, &e);
	if (rc == 0)
		rc = merge_stores(store, &a, &ids, &nids, &cap, &e);
	if (rc == 0)
		rc = present(store, ids, nids, a.json, &e);
	if (rc != 0 && a.json)
		present_json_error(&e);
	for (size_t i = 0; i < nruns; i++)
		run_record_clear(&runs[i]);
	free(runs);
	free(ids);
	free(logs);
	free(a.files);
	store_close(store);
	free(path);
	return rc ? cli_fail(&e) : EXIT_DONE;
}
