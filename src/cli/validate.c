// SPDX-License-Identifier: MIT
/* `ssdscope validate`: every claim of the reviews, and every published figure, against the modelled drives. */
#include "cli/cli.h"

#include "base/mem.h"
#include "cli/evidence.h"
#include "cli/pool.h"
#include "cli/present.h"
#include "cli/progress.h"
#include "facts/claims.h"
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
	       "are met; then compares what is published about each drive with its model. With MODELs: only what they "
	       "alone "
	       "can show.\vExit code 5 if a claim is not met.",
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
		    has(d, "first-16gb");
	bool read = needs.sweeps || has(d, "rated-seq-read");
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
	if (fill) {
		j = add_job(v, d, "techpowerup");
		test(j, "fill");
		if (needs.recovery)
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
	size_t n = v->ncomparisons;
	*median = *worst = NAN;
	if (!n)
		return;
	struct comparison *c = xmalloc(n * sizeof *c);
	memcpy(c, v->comparisons, n * sizeof *c);
	qsort(c, n, sizeof *c, compare_magnitude);
	*median = (fabs(c[(n - 1) / 2].error) + fabs(c[n / 2].error)) / 2;
	*worst = fabs(c[n - 1].error);
	free(c);
}

static json_t *number(double x)
{
	return isfinite(x) ? json_real(x) : json_null();
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
	json_t *all = json_pack("{s:o, s:o, s:o, s:o}", "claims", claims, "published", published, "error_median",
		number(median), "error_worst", number(worst));
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
		printf("  %-24s %-36s %10.0f %10.0f %+7.1f%%\n", c->drive, c->figure, c->published, c->model,
			100 * c->error);
	}
	summarise(v, &median, &worst);
	if (v->ncomparisons)
		printf("  %zu figures, median error %.1f %%, worst %.1f %%\n", v->ncomparisons, 100 * median,
			100 * worst);
	printf("\nAssumed values beyond the shared files\n");
	for (size_t i = 0; i < v->ndrives; i++)
		printf("  %-24s %u\n", v->drives[i].info.name, v->drives[i].info.assumed);
}

/* Whether every drive that the claim names is among the validated ones. */
static bool can_be_told(const struct validation *v, const struct claim_result *r)
{
	size_t found = 0;
	for (size_t k = 0; k < r->ndrives; k++)
		for (size_t i = 0; i < v->ndrives; i++)
			found += !strcmp(r->drives[k], v->drives[i].info.name);
	return found == r->ndrives;
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
	if (published_load(&published, NULL, &e) || choose_drives(&v, &a, published, &e) || run_all(&v, a.quiet, &e))
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
	published_free(published);
	return code;
}
