// SPDX-License-Identifier: MIT
/* `ssdscope run`: the main job. */
#include "cli/cli.h"

#include "base/mem.h"
#include "base/units.h"
#include "cli/pool.h"
#include "cli/present.h"
#include "cli/preview.h"
#include "cli/progress.h"
#include "cli/room.h"
#include "cli/run_words.h"
#include "report/escape.h"
#include "run/hostlimit.h"
#include "run/run.h"
#include "run/suspend.h"
#include "target/trace.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* One target's way through the command. */
struct job {
	struct run_words *a;
	const char *spec;
	struct store *store;
	struct target *target;
	struct identity id;
	struct plan *plan;
	struct run_record *resume; /* NULL = a new run */
	struct meter *meter;	   /* NULL = none */
	struct progress_board board;
	struct run_outcome outcome;
};

static bool ask_person(const char *question, const char *expected)
{
	char line[256], *clean = clean_text(question);
	fprintf(stderr, "%s: ", clean);
	free(clean);
	if (!fgets(line, sizeof line, stdin)) {
		fprintf(stderr, "\n");
		return false;
	}
	line[strcspn(line, "\r\n")] = 0;
	return !strcmp(line, expected);
}

/* The plan of the run that is resumed, and its target, unless the person named it again. */
static int plan_of_resumed(struct job *j, struct err *e)
{
	if (store_load_named(j->store, j->a->resume, &j->resume, e))
		return -1;
	const struct target_record *t = &j->resume->target;
	if (!strcmp(t->kind, "imported"))
		return err_set(e, EXIT_USAGE,
			"cannot resume run %lld: it was imported from another tool's log, and only that tool can go on "
			"with it; start a new run",
			(long long)j->resume->id);
	if (plan_from_json(&j->plan, j->resume->plan, e))
		return -1;
	run_words_resume(j->a, j->resume->command);
	if (!j->spec)
		j->spec = t->path ? t->path : "";
	struct stat st;
	bool there = !stat(j->spec, &st);
	if (!strcmp(t->kind, "file") &&
		(there ? S_ISREG(st.st_mode) && (uint64_t)st.st_size < t->capacity_bytes : errno == ENOENT))
		return err_set(e, EXIT_USAGE,
			"cannot resume run %lld: its file '%s' %s, and what the finished tests left there is lost; "
			"start a new run",
			(long long)j->resume->id, j->spec, there ? "was cut" : "is gone");
	return 0;
}

static int same_target(const struct job *j, struct err *e)
{
	const struct target_record *old = &j->resume->target;
	const char *serial = old->serial ? old->serial : "";
	if (strcmp(serial, j->id.serial) || old->capacity_bytes != j->id.capacity_bytes)
		return err_set(e, EXIT_USAGE,
			"cannot resume run %lld on '%s': it was on a drive with serial '%s' and %llu bytes, this one "
			"has '%s' and %llu",
			(long long)j->resume->id, j->spec, serial, (unsigned long long)old->capacity_bytes,
			j->id.serial, (unsigned long long)j->id.capacity_bytes);
	return 0;
}

static int plan_of_suite(struct job *j, struct err *e)
{
	const struct run_words *a = j->a;
	if (plan_load(&j->plan, a->suite ? a->suite : "review", e))
		return -1;
	if (a->ntests && plan_select(j->plan, a->tests, a->ntests, e))
		return -1;
	if (a->depth)
		plan_set_depth(j->plan, a->depth);
	bool fills = false;
	for (size_t i = 0; i < j->plan->ntests; i++)
		fills |= j->plan->tests[i].kind == KIND_FILL;
	if (a->verify && !fills)
		return err_set(e, EXIT_USAGE,
			"--verify reads a fill back, and none is among the tests: leave it out, or add -t fill");
	return 0;
}

static int open_job(struct job *j, struct err *e)
{
	const struct run_words *a = j->a;
	if (a->resume ? plan_of_resumed(j, e) : plan_of_suite(j, e))
		return -1;
	const struct target_options o = {
		.max_bytes =
			plan_max_block(j->plan) > MIB ? plan_max_block(j->plan) : MIB, /* preparations write 1 MiB */
		.max_qd = plan_max_depth(j->plan) > 32 ? plan_max_depth(j->plan) : 32, /* ... and fragment at QD32 */
		/* A modelled drive may have been made smaller than it is, and of a file the beginning be used. */
		.size = j->resume && strcmp(j->resume->target.kind, "block") ? j->resume->target.capacity_bytes
									     : a->size,
		.destroy = run_words_destroy(a, j->spec),
		.overwrite_filesystem = a->overwrite_filesystem,
		.read_only = a->dry_run || !plan_writes(j->plan),
		.force_pread = a->force_pread,
		.seed = a->seed,
		.interrupted = &cli_interrupted,
		.confirm = a->json || !isatty(STDIN_FILENO) || !isatty(STDERR_FILENO) ? NULL : ask_person,
	};
	/* Before the target: a meter that is not there makes no file, and asks for no serial number. */
	if (a->meter && strncmp(j->spec, "sim:", 4) && meter_open(&j->meter, a->meter, e))
		return -1;
	if (target_open(&j->target, j->spec, &o, e) || (a->trace && target_trace(&j->target, j->target, a->trace, e)))
		return -1;
	if (j->target->ops->identify(j->target, &j->id, e))
		return -1;
	if (a->meter && j->id.virtual_clock)
		return err_set(e, EXIT_USAGE,
			"'%s' runs in virtual time, where an instrument measures nothing: leave --meter out", j->spec);
	if (j->resume)
		return same_target(j, e);
	struct plan_rates rates = {.write = j->id.rated_write_bps, .read = j->id.rated_read_bps};
	if (plan_fit(j->plan, j->id.capacity_bytes, j->id.logical_block_bytes, a->quick, &rates, e))
		return -1;
	return room_check(j->spec, j->plan, &j->id, e);
}

/* The plans of --dry-run --json. */
static void print_plans_json(const struct job *jobs, size_t n)
{
	json_t *plans = json_array();
	for (size_t i = 0; i < n; i++)
		json_array_append_new(plans, preview_json(jobs[i].spec, jobs[i].plan, &jobs[i].id));
	present_json_value(json_pack("{s:i,s:o}", "schema", 1, "plans", plans));
}

/* Runs side by side that begin in the order of the command line, so that their ids are in it too. */
struct side_by_side {
	struct job *jobs;
	size_t begun;
	pthread_mutex_t lock; /* held until the run that is about to begin has its id */
};

static void let_next_begin(void *lock)
{
	pthread_mutex_unlock(lock);
}

/* `held` (may be NULL) is unlocked once the run has its id. */
static void run_job(struct job *j, pthread_mutex_t *held)
{
	char *command = run_words_again(j->a, j->spec, &j->id, j->meter);
	const struct run_request q = {
		.target = j->target,
		.id = &j->id,
		.plan = j->plan,
		.store = j->store,
		.board = &j->board,
		.label = j->a->label,
		.command = command,
		.verify = j->a->verify,
		.erase = j->a->erase_method,
		.seed = j->a->seed,
		.resume = j->resume,
		.meter = j->meter,
		.begun = held ? let_next_begin : NULL,
		.begun_arg = held,
		/* A modelled drive waits for nobody. */
		.host_limit_mbps = j->id.virtual_clock ? NAN : host_limit_mbps(plan_max_block(j->plan), j->a->seed),
	};
	run_plan(&q, &j->outcome);
	free(command);
	/* Now: what a modelled drive holds is large, and others are waiting. But a trace is asked how it ended later,
	 * and what a run has made that could not even begin is removed then. */
	if (!j->a->trace && j->outcome.run_id) {
		target_close(j->target);
		j->target = NULL;
	}
}

static void run_model(void *arg, size_t i)
{
	struct side_by_side *s = arg;
	(void)i;
	pthread_mutex_lock(&s->lock);
	run_job(&s->jobs[s->begun++], &s->lock);
}

/* In the order of the command line: modelled targets that follow each other side by side on all cores; the others, so
 * that nothing disturbs them, one at a time. */
static void run_jobs(struct job *jobs, size_t n)
{
	for (size_t i = 0; i < n;) {
		struct side_by_side s = {.jobs = &jobs[i], .lock = PTHREAD_MUTEX_INITIALIZER};
		size_t models = 0;
		while (i + models < n && jobs[i + models].id.virtual_clock)
			models++;
		if (models)
			pool_run(run_model, &s, models);
		else
			run_job(&jobs[i], NULL);
		i += models ? models : 1;
	}
}

static int finish(struct job *jobs, size_t n, struct store *store, const struct run_words *a)
{
	struct run_record *runs[ARRAY_SIZE(a->targets)];
	size_t nruns = 0;
	int code = EXIT_DONE;
	struct err e = {0};
	for (size_t i = 0; i < n; i++) {
		struct job *j = &jobs[i];
		if (j->outcome.code != EXIT_DONE && code == EXIT_DONE)
			code = j->outcome.code;
		if (j->outcome.run_id && !store_load(store, j->outcome.run_id, &runs[nruns], &e))
			nruns++;
	}
	if (a->json)
		present_json(runs, nruns, n > 1);
	for (size_t i = 0; i < nruns && !a->json && !cli_is_stdout(a->output); i++)
		present_text(runs[i]);
	if (a->output && nruns) {
		if (present_report(a->output, runs, nruns, false, &e))
			code = cli_fail(&e);
		else if (!cli_is_stdout(a->output))
			cli_say("report: %s", a->output);
	}
	for (size_t i = 0; i < n; i++)
		if (jobs[i].outcome.code != EXIT_DONE) {
			err_set(&e, jobs[i].outcome.code, "%s: %s", jobs[i].spec, jobs[i].outcome.err.text);
			cli_fail(&e);
		}
	for (size_t i = 0; i < nruns; i++)
		run_record_free(runs[i]);
	return code;
}

/* One JSON document, also where nothing could be run. */
static int fail_early(const struct run_words *a, const struct err *e)
{
	if (a->json)
		present_json_error(e);
	return cli_fail(e);
}

/* A report, a trace or a store in the very file that is tested would spoil both. */
static int check_places(const struct run_words *a, const char *store, struct err *e)
{
	const struct {
		const char *path, *what, *option;
	} places[] = {
		{a->output, "the report", "-o"}, {a->trace, "the trace", "--trace"}, {store, "the store", "--store"}};
	for (size_t i = 0; i < a->ntargets; i++)
		for (size_t k = 0; k < ARRAY_SIZE(places); k++)
			if (cli_same_file(a->targets[i], places[k].path))
				return err_set(e, EXIT_USAGE,
					"'%s' is the target and %s too: give another place with %s", a->targets[i],
					places[k].what, places[k].option);
	return 0;
}

int verb_run(int argc, char **argv)
{
	static struct run_words a;
	struct err e = {0};
	bool created = false, traced = false; /* files that were only made to see whether they can be */
	int code = run_words_parse(&a, argc, argv);
	if (code)
		return code;
	if (a.resume &&
		(a.ntargets > 1 || a.ntests || a.suite || a.dry_run || a.quick || a.size || a.depth || a.label)) {
		err_set(&e, EXIT_USAGE,
			"--resume goes on with the plan of its run: leave out -t, --suite, --quick, --size, --qd, "
			"--label, "
			"--dry-run and all but one target");
		return fail_early(&a, &e);
	}
	if (cli_is_stdout(a.trace) || (cli_is_stdout(a.output) && a.json)) {
		err_set(&e, EXIT_USAGE, "standard output is taken: give %s a file ('./-' for one of that name)",
			cli_is_stdout(a.trace) ? "--trace" : "-o");
		return fail_early(&a, &e);
	}
	if (a.trace && a.ntargets > 1) {
		err_set(&e, EXIT_USAGE, "--trace writes one file: give one target");
		return fail_early(&a, &e);
	}
	if (a.resume && !a.ntargets)
		a.targets[a.ntargets++] = NULL; /* the run knows it */
	cli_catch_signals();
	suspend_watch();
	if (a.trace && !a.dry_run && cli_check_writable(a.trace, &traced, &e))
		return fail_early(&a, &e);
	if (a.output && !a.dry_run && cli_check_writable(a.output, &created, &e)) {
		if (traced)
			unlink(a.trace);
		return fail_early(&a, &e);
	}

	struct store *store = NULL;
	char *path = cli_store_path(a.store);
	struct job *jobs = xcalloc(a.ntargets, sizeof *jobs);
	struct progress_board **boards = xcalloc(a.ntargets, sizeof *boards);
	/* Before the store is opened: that would write to it. And after, where it did not exist yet. */
	if (!a.dry_run &&
		(check_places(&a, path, &e) || store_open(&store, path, STORE_WRITE, &e) || check_places(&a, path, &e)))
		code = fail_early(&a, &e);
	for (size_t i = 0; i < a.ntargets && code == EXIT_DONE; i++) {
		jobs[i].a = &a;
		jobs[i].spec = a.targets[i];
		jobs[i].store = store;
		if (open_job(&jobs[i], &e)) {
			if (cli_interrupted) /* Ctrl-C is no refusal */
				err_set(&e, EXIT_INTERRUPTED, "interrupted before the run; nothing was written");
			code = fail_early(&a, &e);
			break;
		}
		progress_init(&jobs[i].board);
		jobs[i].board.p.ntests = (int)jobs[i].plan->ntests;
		boards[i] = &jobs[i].board;
		a.targets[i] = jobs[i].spec;
		preview_say(jobs[i].spec, jobs[i].plan, &jobs[i].id);
		if (a.dry_run && !a.json)
			preview_print(jobs[i].plan);
	}
	if (code == EXIT_DONE && !a.dry_run) {
		struct progress_view *view = progress_view_start(boards, a.targets, a.ntargets, a.quiet);
		run_jobs(jobs, a.ntargets);
		progress_view_stop(view);
		code = finish(jobs, a.ntargets, store, &a);
		/* The end of the trace is known to be written only now. */
		if (code == EXIT_DONE && a.trace && target_same(jobs[0].target, &e))
			code = cli_fail(&e);
	} else {
		if (code == EXIT_DONE && a.json)
			print_plans_json(jobs, a.ntargets);
		if (created)
			unlink(a.output);
		if (traced)
			unlink(a.trace);
	}
	for (size_t i = 0; i < a.ntargets; i++) {
		if (jobs[i].meter)
			meter_close(jobs[i].meter);
		if (jobs[i].target && !jobs[i].outcome.run_id)
			target_unmake(jobs[i].target);
		target_close(jobs[i].target);
		plan_free(jobs[i].plan);
		run_record_free(jobs[i].resume);
	}
	store_close(store);
	free(boards);
	free(jobs);
	free(path);
	return code;
}
