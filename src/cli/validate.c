// SPDX-License-Identifier: MIT
/* `ssdscope validate`: every claim of the reviews, and every published figure, against the modelled drives. */
#include "cli/cli.h"

#include "base/mem.h"
#include "cli/evidence.h"
#include "cli/pool.h"
#include "cli/present.h"
#include "cli/progress.h"
#include "facts/claims.h"
#include "facts/patterns.h"
#include "facts/published.h"
#include "profile/profile.h"
#include "run/run.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct arguments {
	const char *models[64];
	size_t nmodels;
	bool json, quiet;
	struct err wrong; /* what is wrong with the command line */
};

static const struct argp_option options[] = {
	{"json", 'j', NULL, 0, "Print one JSON document on stdout", 0},
	{"quiet", 'q', NULL, 0, "No progress on stderr", 0},
	{0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *a = state->input;
	switch (key) {
	case 'j': a->json = true; return 0;
	case 'q': a->quiet = true; return 0;
	case ARGP_KEY_ARG:
		if (a->nmodels == ARRAY_SIZE(a->models))
			err_set(&a->wrong, EXIT_USAGE, "too many models: %zu at most", ARRAY_SIZE(a->models));
		else
			a->models[a->nmodels++] = strncmp(arg, "sim:", 4) ? arg : arg + 4;
		return 0;
	default: return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.args_doc = "[MODEL...]",
	.doc = "Runs the tests that the claims of docs/model.md need on the modelled drives, in full size, and says "
	       "which claims "
	       "are met; then compares what is published about each drive with its model, and says which of the "
	       "patterns "
	       "of docs/drives.md the models show. With MODELs: only what they alone can show.\v"
	       "Exit code 5 if a claim or a pattern is not met.",
};

/* A drive under validation. */
struct drive {
	const char *spec; /* a profile's name or file */
	struct profile_info info;
	const struct published_drive *published; /* NULL = nothing */
	struct claim_figures figures;
	struct review *runs[4];
	struct run_record *records[4];
	size_t nruns;
};

/* One run of some tests on a fresh drive of its own. */
struct job {
	struct drive *drive;
	const char *suite;
	const char *tests[8];
	size_t ntests;
	uint32_t depth; /* 0 = the suite's */
	struct store *store;
	struct progress_board board;
	struct run_outcome outcome;
};

struct validation {
	struct profile_info *all; /* of the profile folder; NULL where models were named */
	struct drive *drives;
	size_t ndrives;
	struct job *jobs;
	size_t njobs, jobs_cap;
	struct comparison *comparisons;
	size_t ncomparisons, comparisons_cap;
	struct patterns *patterns;
	struct told *told; /* those of the patterns that the drives can show, in their order */
	size_t ntold;
};

/* A pattern and what became of it. */
struct told {
	size_t number; /* from 1, in the file */
	const struct pattern *pattern;
	struct pattern_check *checks;
	size_t nchecks;
	bool met;
};

static struct job *add_job(struct validation *v, struct drive *d, const char *suite)
{
	GROW(v->jobs, v->njobs, v->jobs_cap);
	struct job *j = &v->jobs[v->njobs++];
	*j = (struct job){.drive = d, .suite = suite};
	return j;
}

static void test(struct job *j, const char *name)
{
	j->tests[j->ntests++] = name;
}

static bool has(const struct drive *d, const char *figure)
{
	return d->published && !isnan(published_value(d->published, figure));
}

/* What the drive's claims and published figures need. */
static void plan_jobs(struct validation *v, struct drive *d)
{
	struct claim_needs needs = claims_needs(d->info.name);
	bool stages = d->published && d->published->nstages;
	bool fill = needs.fill || stages || has(d, "cache-size") || has(d, "fill-mean") ||
		    has(d, "rated-after-cache") || has(d, "after-cache") || has(d, "rated-seq-write") ||
		    has(d, "seq-write-qd128");
	bool recovery = needs.recovery || has(d, "recovery-pause") || has(d, "recovery-5s");
	bool read = needs.sweeps || has(d, "rated-seq-read") || has(d, "seq-read-qd128");
	struct job *j;
	if (needs.bursts || needs.sweeps || read) {
		j = add_job(v, d, "anandtech-2018");
		if (needs.bursts) {
			test(j, "burst-seq-read");
			test(j, "burst-seq-write");
			test(j, "burst-rand-read");
			test(j, "burst-rand-write");
		}
		test(j, "seq-write");
		test(j, "seq-read:fresh");
		if (needs.sweeps) {
			test(j, "rand-write");
			test(j, "seq-read:fragmented");
		}
	}
	if (has(d, "cache-size-full")) { /* what is published of its fill comes from that suite */
		j = add_job(v, d, "anandtech-2021");
		test(j, "fill");
		test(j, "idle");
	} else if (fill) {
		j = add_job(v, d, "techpowerup");
		test(j, "fill");
		if (recovery)
			test(j, "recovery");
	}
	if (needs.fill_qd8) {
		j = add_job(v, d, "techpowerup");
		test(j, "fill");
		j->depth = 8;
	}
}

static int run_tests(struct job *j, struct err *e)
{
	struct plan *plan = NULL;
	struct target *target = NULL;
	struct identity id;
	char spec[4096];
	int code = plan_load(&plan, j->suite, e) || plan_select(plan, j->tests, j->ntests, e) ? -1 : 0;
	if (!code && j->depth)
		plan_set_depth(plan, j->depth);
	if (!code) {
		const struct target_options o = {.max_bytes = 1u << 20, .max_qd = 32, .interrupted = &cli_interrupted};
		snprintf(spec, sizeof spec, "sim:%s", j->drive->spec);
		code = target_open(&target, spec, &o, e) || target->ops->identify(target, &id, e) ? -1 : 0;
	}
	if (!code) {
		const struct plan_rates rates = {.write = id.rated_write_bps, .read = id.rated_read_bps};
		code = plan_fit(plan, id.capacity_bytes, id.logical_block_bytes, false, &rates, e);
	}
	if (!code) {
		const struct run_request q = {.target = target,
			.id = &id,
			.plan = plan,
			.store = j->store,
			.board = &j->board,
			.seed = 1,
			.host_limit_mbps = NAN};
		run_plan(&q, &j->outcome);
	}
	target_close(target);
	plan_free(plan);
	return code;
}

static void run_job(void *arg, size_t i)
{
	struct job *j = &((struct validation *)arg)->jobs[i];
	struct err e = {0};
	if (cli_interrupted) {
		err_set(&e, EXIT_INTERRUPTED, "interrupted");
		j->outcome = (struct run_outcome){.code = e.code, .err = e};
	} else if (run_tests(j, &e)) {
		j->outcome = (struct run_outcome){.code = e.code, .err = e};
	}
}

/* A folder of files, no folders in it. */
static void remove_folder(const char *folder)
{
	DIR *dir = opendir(folder);
	for (struct dirent *e; dir && (e = readdir(dir));)
		if (e->d_name[0] != '.')
			unlinkat(dirfd(dir), e->d_name, 0);
	if (dir)
		closedir(dir);
	rmdir(folder);
}

/* All jobs, the longest first, into a store that lives as long as they do. */
static int run_all(struct validation *v, bool quiet, struct err *e)
{
	const char *tmp = getenv("TMPDIR");
	char *folder = xasprintf("%s/ssdscope-validate-XXXXXX", tmp && *tmp ? tmp : "/tmp"), *path = NULL;
	struct store *store = NULL;
	struct progress_board **boards = xcalloc(v->njobs, sizeof *boards);
	const char **names = xcalloc(v->njobs, sizeof *names);
	int code = 0;
	if (!mkdtemp(folder)) {
		code = err_set(e, exit_code_of_errno(errno),
			"cannot make the folder '%s': %s; set TMPDIR to one that can be written", folder,
			strerror(errno));
	} else {
		path = xasprintf("%s/runs.db", folder);
		code = store_open(&store, path, STORE_WRITE, e);
	}
	for (size_t i = 0; i < v->njobs; i++) {
		v->jobs[i].store = store;
		progress_init(&v->jobs[i].board);
		v->jobs[i].board.p.ntests = (int)v->jobs[i].ntests;
		boards[i] = &v->jobs[i].board;
		names[i] = v->jobs[i].drive->info.name;
	}
	if (!code) {
		struct progress_view *view = progress_view_start(boards, names, v->njobs, quiet);
		pool_run(run_job, v, v->njobs);
		progress_view_stop(view);
	}
	for (size_t i = 0; i < v->njobs && !code; i++) {
		struct job *j = &v->jobs[i];
		struct drive *d = j->drive;
		if (j->outcome.code != EXIT_DONE)
			code = err_set(e, j->outcome.code, "sim:%s: %s", d->info.name, j->outcome.err.text);
		else
			code = store_load(store, j->outcome.run_id, &d->records[d->nruns], e);
		if (!code) {
			d->runs[d->nruns] = review_build(d->records[d->nruns]);
			evidence_add(&d->figures, d->runs[d->nruns++], j->depth == 8);
		}
	}
	store_close(store);
	if (path)
		remove_folder(folder);
	free(folder);
	free(names);
	free(boards);
	free(path);
	return code;
}

/* Fills in what is known of a drive before it is run. */
static int describe(struct drive *d, const char *spec, const struct published *p, struct err *e)
{
	struct ssdmodel_params params;
	d->spec = spec;
	if (profile_load(spec, &params, &d->info, e))
		return -1;
	d->published = published_find(p, d->info.name);
	claim_figures_init(&d->figures, d->info.name);
	d->figures.link_mbps = (double)params.link.bytes_per_s / 1e6;
	d->figures.rated_read_mbps = d->published ? published_value(d->published, "rated-seq-read") : NAN;
	d->figures.rated_write_mbps = d->published ? published_value(d->published, "rated-seq-write") : NAN;
	return 0;
}

static int choose_drives(struct validation *v, const struct arguments *a, const struct published *p, struct err *e)
{
	size_t n = a->nmodels;
	if (!n && profile_list(&v->all, &n, e))
		return -1;
	v->drives = xcalloc(n, sizeof *v->drives);
	for (; v->ndrives < n; v->ndrives++)
		if (describe(
			    &v->drives[v->ndrives], a->nmodels ? a->models[v->ndrives] : v->all[v->ndrives].name, p, e))
			return -1;
	/* The sweeps take longest: first, so that no core waits for the last of them. */
	for (size_t i = 0; i < v->ndrives; i++)
		if (claims_needs(v->drives[i].info.name).sweeps)
			plan_jobs(v, &v->drives[i]);
	for (size_t i = 0; i < v->ndrives; i++)
		if (!claims_needs(v->drives[i].info.name).sweeps)
			plan_jobs(v, &v->drives[i]);
	return 0;
}

static int compare_magnitude(const void *a, const void *b)
{
	double x = fabs(((const struct comparison *)a)->error), y = fabs(((const struct comparison *)b)->error);
	return (x > y) - (x < y);
}

/* The median and the worst error, by magnitude; NAN without any. */
static void summarise(const struct validation *v, double *median, double *worst)
{
	size_t n = 0;
	struct comparison *c = xmalloc((v->ncomparisons + 1) * sizeof *c);
	*median = *worst = NAN;
	for (size_t i = 0; i < v->ncomparisons; i++)
		if (isfinite(v->comparisons[i].error))
			c[n++] = v->comparisons[i];
	if (!n) {
		free(c);
		return;
	}
	qsort(c, n, sizeof *c, compare_magnitude);
	*median = (fabs(c[(n - 1) / 2].error) + fabs(c[n / 2].error)) / 2;
	*worst = fabs(c[n - 1].error);
	free(c);
}

static json_t *number(double x)
{
	return isfinite(x) ? json_real(x) : json_null();
}

static json_t *patterns_json(const struct validation *v)
{
	json_t *all = json_array();
	for (size_t i = 0; i < v->ntold; i++) {
		const struct told *t = &v->told[i];
		json_t *figures = json_array();
		for (size_t k = 0; k < t->nchecks; k++) {
			const struct pattern_check *c = &t->checks[k];
			json_array_append_new(
				figures, json_pack("{s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:b}", "drive", c->drive,
						 "figure", c->figure, "unit", c->unit, "published",
						 number(c->published), "model", number(c->model), "error",
						 number(c->error), "allowed", number(c->allowed), "met", c->met));
		}
		json_array_append_new(all, json_pack("{s:I, s:s, s:b, s:o}", "number", (json_int_t)t->number, "pattern",
						   t->pattern->name, "met", t->met, "figures", figures));
	}
	return all;
}

static void print_patterns(const struct validation *v)
{
	size_t met = 0;
	printf("\nPatterns\n");
	for (size_t i = 0; i < v->ntold; i++) {
		const struct told *t = &v->told[i];
		met += t->met;
		printf("  %-4zu %-8s %s\n", t->number, t->met ? "met" : "NOT MET", t->pattern->name);
		for (size_t k = 0; k < t->nchecks; k++) {
			const struct pattern_check *c = &t->checks[k];
			printf("%16s%-24s %-16s ", "", c->drive, c->figure);
			if (isfinite(c->error))
				printf("%6.0f %-4s got %6.0f, %+6.1f %% of %.0f %%%s\n", c->published, c->unit,
					c->model, 100 * c->error, 100 * c->allowed, c->met ? "" : ": NOT MET");
			else
				printf("%s\n", c->met ? "so" : "NOT MET");
		}
	}
	printf("  %zu of %zu met\n", met, v->ntold);
}

static void print_json(const struct validation *v, const struct claim_result *results, size_t n)
{
	json_t *claims = json_array(), *published = json_array();
	double median, worst;
	for (size_t i = 0; i < n; i++) {
		json_t *drives = json_array();
		for (size_t k = 0; k < results[i].ndrives; k++)
			json_array_append_new(drives, json_string(results[i].drives[k]));
		json_array_append_new(
			claims, json_pack("{s:s, s:o, s:s, s:s, s:b}", "id", results[i].id, "drives", drives, "asked",
					results[i].asked, "got", results[i].got, "met", results[i].met));
	}
	for (size_t i = 0; i < v->ncomparisons; i++) {
		const struct comparison *c = &v->comparisons[i];
		json_array_append_new(published,
			json_pack("{s:s, s:s, s:o, s:o, s:o}", "drive", c->drive, "figure", c->figure, "published",
				number(c->published), "model", number(c->model), "error", number(c->error)));
	}
	summarise(v, &median, &worst);
	json_t *all = json_pack("{s:o, s:o, s:o, s:o, s:o}", "claims", claims, "published", published, "error_median",
		number(median), "error_worst", number(worst), "patterns", patterns_json(v));
	json_dumpf(all, stdout, REVIEW_JSON_FLAGS);
	putchar('\n');
	json_decref(all);
}

static void print_text(const struct validation *v, const struct claim_result *results, size_t n)
{
	size_t met = 0;
	double median, worst;
	printf("Claims\n");
	for (size_t i = 0; i < n; i++) {
		met += results[i].met;
		printf("  %-4s %-8s %s\n%16sgot %s\n", results[i].id, results[i].met ? "met" : "NOT MET",
			results[i].asked, "", results[i].got);
	}
	printf("  %zu of %zu met\n\nPublished figures\n  %-24s %-36s %10s %10s %8s\n", met, n, "drive", "figure",
		"published", "model", "error");
	for (size_t i = 0; i < v->ncomparisons; i++) {
		const struct comparison *c = &v->comparisons[i];
		printf("  %-24s %-36s %10.0f ", c->drive, c->figure, c->published);
		if (isfinite(c->error))
			printf("%10.0f %+7.1f%%\n", c->model, 100 * c->error);
		else
			printf("%10s\n", "none found");
	}
	summarise(v, &median, &worst);
	if (isfinite(median))
		printf("  %zu figures, median error %.1f %%, worst %.1f %%\n", v->ncomparisons, 100 * median,
			100 * worst);
	print_patterns(v);
	printf("\nAssumed values beyond the shared files\n");
	for (size_t i = 0; i < v->ndrives; i++)
		printf("  %-24s %u\n", v->drives[i].info.name, v->drives[i].info.assumed);
}

static bool is_validated(const struct validation *v, const char *drive)
{
	for (size_t i = 0; i < v->ndrives; i++)
		if (!strcmp(drive, v->drives[i].info.name))
			return true;
	return false;
}

/* Whether every drive that the claim names is among the validated ones. */
static bool can_be_told(const struct validation *v, const struct claim_result *r)
{
	for (size_t k = 0; k < r->ndrives; k++)
		if (!is_validated(v, r->drives[k]))
			return false;
	return true;
}

/* The patterns; where models were named, those of which all drives are among them. Whether all are met. */
static bool tell_patterns(struct validation *v, bool every, const struct claim_figures *figures)
{
	bool all_met = true;
	v->told = xcalloc(v->patterns->n, sizeof *v->told);
	for (size_t i = 0; i < v->patterns->n; i++) {
		const struct pattern *p = &v->patterns->patterns[i];
		bool known = true;
		for (size_t k = 0; k < p->ndrives; k++)
			known &= is_validated(v, p->drives[k].drive);
		if (!every && !known)
			continue;
		struct told *t = &v->told[v->ntold++];
		*t = (struct told){.number = i + 1, .pattern = p, .nchecks = pattern_checks(p)};
		t->checks = xcalloc(t->nchecks, sizeof *t->checks);
		t->met = pattern_evaluate(p, v->comparisons, v->ncomparisons, figures, v->ndrives, t->checks);
		all_met &= t->met;
	}
	return all_met;
}

static bool report(struct validation *v, const struct arguments *a)
{
	struct claim_figures *figures = xcalloc(v->ndrives, sizeof *figures);
	struct claim_result *results = xcalloc(claims_count(), sizeof *results);
	size_t n = 0;
	bool all_met = true;
	for (size_t i = 0; i < v->ndrives; i++) {
		struct drive *d = &v->drives[i];
		figures[i] = d->figures;
		if (d->published)
			evidence_compare(&v->comparisons, &v->ncomparisons, &v->comparisons_cap, d->published,
				&d->figures, d->runs, d->nruns);
	}
	for (size_t i = 0; i < claims_count(); i++) {
		claims_evaluate(i, figures, v->ndrives, &results[n]);
		if (a->nmodels && !can_be_told(v, &results[n]))
			continue;
		all_met &= results[n++].met;
	}
	all_met &= tell_patterns(v, !a->nmodels, figures);
	if (a->json)
		print_json(v, results, n);
	else
		print_text(v, results, n);
	free(results);
	free(figures);
	return all_met;
}

static int fail(const struct arguments *a, const struct err *e)
{
	if (a->json)
		present_json_error(e);
	return cli_fail(e);
}

int verb_validate(int argc, char **argv)
{
	static struct arguments a;
	struct validation v = {0};
	struct published *published = NULL;
	struct err e = {0};
	int code = cli_parse(&argp, argc, argv, &a, &a.wrong);
	if (code)
		return code;
	code = EXIT_NOT_MET;
	cli_catch_signals();
	if (published_load(&published, NULL, &e) || patterns_load(&v.patterns, NULL, &e) ||
		choose_drives(&v, &a, published, &e) || run_all(&v, a.quiet, &e))
		code = fail(&a, &e);
	else if (report(&v, &a))
		code = EXIT_DONE;
	for (size_t i = 0; i < v.ndrives; i++)
		for (size_t k = 0; k < v.drives[i].nruns; k++) {
			review_free(v.drives[i].runs[k]);
			run_record_free(v.drives[i].records[k]);
		}
	free(v.drives);
	free(v.all);
	free(v.jobs);
	free(v.comparisons);
	for (size_t i = 0; i < v.ntold; i++)
		free(v.told[i].checks);
	free(v.told);
	patterns_free(v.patterns);
	published_free(published);
	return code;
}
