// SPDX-License-Identifier: MIT
/* What fio left behind, put together: logs of one job and its clones with the JSON that belongs to them (fio_group.c),
 * JSONs alone (fio_sweep.c). */
#include "import/fio.h"
#include "import/formats.h"

#include "base/mem.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct run_record *fio_new_run(struct fio_work *w, const struct source *s, const char *format)
{
	GROW(w->runs, w->nruns, w->capruns);
	struct run_record *r = &w->runs[w->nruns++];
	run_start(r, s, format, w->options);
	return r;
}

void fio_describe_run(struct run_record *r, const struct fio_result *result, int64_t duration_ms)
{
	const struct fio_job *j = &result->jobs[0];
	if (result->ended_ms)
		r->started_ms = result->ended_ms - duration_ms;
	const char *file = fio_option(j, "filename");
	if (file) {
		free(r->target.path);
		r->target.path = xstrdup(file);
	}
	json_t *plan =
		json_pack("{s:{s:s, s:s}}", "import", "format", r->target.engine, "fio_version", result->version);
	if (plan) {
		json_object_set(json_object_get(plan, "import"), "job_options", j->options);
		free(r->plan);
		r->plan = json_dumps(plan, JSON_COMPACT);
	}
	json_decref(plan);
}

void fio_describe_phase(struct phase_record *p, const struct fio_job *j)
{
	strcpy(p->pattern, j->pattern);
	p->block_bytes = j->block_bytes;
	p->queue_depth = j->depth;
}

void fio_note_error(struct run_record *r, struct test_record *t, const struct fio_job *j)
{
	if (!j->error)
		return;
	t->status = TEST_PARTIAL;
	free(t->reason);
	t->reason = xasprintf("fio ended job '%s' with error %" PRId64 ": %s", j->name, j->error,
		j->error > 0 && j->error < 4096 ? strerror((int)j->error) : "unknown");
	for (size_t i = 0; i < t->nphases; i++)
		t->phases[i].ended_early = true;
	if (!r->error) {
		r->state = RUN_PARTIAL;
		r->error = xstrdup(t->reason);
	}
}

void fio_note_job(struct run_record *r, const struct phase_record *p, const struct fio_job *j)
{
	if (j->only_percentiles && p->latency && !run_warned(r, "latency-from-percentiles"))
		run_warn(r, "latency-from-percentiles",
			"latencies are known from the percentiles that fio printed; between two of them the larger one "
			"is taken (fio --output-format=json+ keeps all)");
	if (j->trims && !run_warned(r, "trims-left-out"))
		run_warn(r, "trims-left-out", "job '%s' trimmed as well: trims are not imported", j->name);
}

void fio_check_latency(struct run_record *r, struct phase_record *p)
{
	struct hist *h = p->latency;
	/* Twice: the job may have gone on a little after its time, with what was in flight. */
	if (!h || !p->queue_depth || p->duration <= 0 ||
		(double)h->sum <= 2.0 * p->queue_depth * (double)p->duration + 2 * (double)h->max)
		return;
	run_warn(r, "latency-impossible",
		"a mean latency of %.3g ms cannot be with %u I/Os in flight and %" PRIu64
		" I/Os in %.4g s: what fio gives as latencies of phase '%s' are none, and are left out",
		(double)h->sum / (double)h->count / 1e6, p->queue_depth, h->count, nsec_to_s(p->duration), p->name);
	free(h);
	p->latency = NULL;
}

/* --unit is of a CSV's column or of logs whose name does not tell. */
static int check_unit(const char *unit, struct err *e)
{
	if (!unit || !strcmp(unit, "KiB/s") || !strcmp(unit, "iops") || !strcmp(unit, "ns"))
		return 0;
	return err_set(e, EXIT_USAGE, "no unit '%s' for a log of fio; KiB/s, iops or ns", unit);
}

int read_fio(struct source **sources, size_t n, const struct import_options *o, struct run_record **runs, size_t *nruns,
	struct err *e)
{
	struct fio_work w = {.options = o, .runs = *runs, .nruns = *nruns, .capruns = *nruns};
	int rc = 0;
	w.logs = xcalloc(n ? n : 1, sizeof *w.logs);
	for (size_t i = 0; i < n && rc == 0; i++) {
		if (sources[i]->format == FORMAT_FIO_JSON)
			rc = fio_json_read(sources[i], &w.results, &w.nresults, e);
		else if ((rc = check_unit(o->unit, e)) == 0)
			rc = fio_log_read(&w.logs[w.nlogs++], sources[i], o->unit, e);
	}
	if (rc == 0)
		rc = fio_runs_from_logs(&w, e);
	if (rc == 0)
		rc = fio_runs_from_json(&w, e);
	for (size_t i = 0; i < w.nlogs; i++)
		fio_log_free(&w.logs[i]);
	free(w.logs);
	for (size_t i = 0; i < w.nresults; i++)
		fio_result_free(&w.results[i]);
	free(w.results);
	*runs = w.runs;
	*nruns = w.nruns;
	return rc;
}
