// SPDX-License-Identifier: MIT
/* Runs from fio's JSON alone: totals per job; jobs that differ in their queue depth alone are a sweep. */
#include "import/fio.h"
#include "import/formats.h"

#include "base/mem.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool has_io(const struct fio_job *j)
{
	return j->direction[0].bytes + j->direction[1].bytes > 0;
}

static void phase_of_job(struct phase_record *p, const struct fio_job *j)
{
	const struct fio_direction *rd = &j->direction[0], *wr = &j->direction[1];
	double ms = rd->runtime_ms > wr->runtime_ms ? rd->runtime_ms : wr->runtime_ms;
	*p = phase_unknown();
	fio_describe_phase(p, j);
	strcpy(p->op, rd->bytes == 0 ? "write" : wr->bytes == 0 ? "read" : "mixed");
	p->bytes = (uint64_t)(rd->bytes + wr->bytes);
	p->read_bytes = (uint64_t)rd->bytes;
	p->ios = (uint64_t)(rd->ios + wr->ios);
	p->duration = (nsec)(ms * 1e6);
	if (strcmp(p->op, "mixed") == 0)
		p->read_share = rd->bytes / (rd->bytes + wr->bytes);
	if (rd->latency || wr->latency) {
		p->latency = xcalloc(1, sizeof *p->latency);
		if (rd->latency)
			hist_merge(p->latency, rd->latency);
		if (wr->latency)
			hist_merge(p->latency, wr->latency);
	}
	p->end_reason = j->error ? xasprintf("fio error %" PRId64, j->error) : NULL;
}

/* With --status-interval the objects are the run at several moments: their differences are its samples. */
static int samples_of_snapshots(struct phase_record *p, const struct fio_result *result, struct err *e)
{
	struct piece_list pieces = {0};
	nsec *times = xmalloc(result->nsnapshots * sizeof *times);
	struct fio_snapshot last = {0};
	size_t n = 0;
	for (size_t i = 0; i < result->nsnapshots; i++) {
		const struct fio_snapshot *s = &result->snapshots[i];
		nsec from = (nsec)(last.runtime_ms * 1e6), to = (nsec)(s->runtime_ms * 1e6);
		if (to <= from)
			continue;
		for (int k = 0; k < 2; k++)
			if (s->bytes[k] > 0)
				piece_list_add(&pieces,
					(struct piece){from, to, s->bytes[k] - last.bytes[k],
						s->ios[k] > last.ios[k] ? s->ios[k] - last.ios[k] : 0, k == 0});
		last = *s;
		times[n++] = to;
	}
	nsec duration = p->duration;
	uint64_t bytes = p->bytes, ios = p->ios, reads = p->read_bytes;
	int rc = phase_from_pieces(p, &pieces, median_step(times, n), result->source, e);
	/* The totals are known exactly. */
	p->duration = duration;
	p->bytes = bytes;
	p->ios = ios;
	p->read_bytes = reads;
	free(times);
	piece_list_free(&pieces);
	return rc;
}

/* A job of a result, on its way into a test. */
struct candidate {
	struct fio_result *result;
	struct fio_job *job;
	bool taken;
};

/* The same work at another queue depth. */
static bool same_work(const struct candidate *a, const struct candidate *b)
{
	const char *x = fio_option(a->job, "filename"), *y = fio_option(b->job, "filename");
	bool reads = a->job->direction[0].bytes > 0, writes = a->job->direction[1].bytes > 0;
	return reads == (b->job->direction[0].bytes > 0) && writes == (b->job->direction[1].bytes > 0) &&
	       a->job->block_bytes == b->job->block_bytes && strcmp(a->job->pattern, b->job->pattern) == 0 &&
	       (x && y ? strcmp(x, y) == 0 : x == y);
}

static int compare_depth(const void *a, const void *b)
{
	const struct candidate *x = *(struct candidate *const *)a, *y = *(struct candidate *const *)b;
	return (x->job->depth > y->job->depth) - (x->job->depth < y->job->depth);
}

/* Makes a test of `first` and of what is the same work at other depths, as far as it is in `results`. */
static int add_sweep(struct fio_work *w, struct run_record *r, struct candidate *all, size_t n, struct candidate *first,
	struct err *e)
{
	struct candidate **members = xmalloc(n * sizeof *members);
	size_t count = 0;
	for (struct candidate *c = first; c < all + n; c++) {
		bool fits = !c->taken &&
			    (c == first || (same_work(first, c) && c->job->depth && first->job->depth &&
						   first->result->nsnapshots == 0 && c->result->nsnapshots == 0));
		for (size_t i = 0; i < count && fits; i++)
			fits = members[i]->job->depth != c->job->depth;
		if (fits)
			members[count++] = c;
	}
	qsort(members, count, sizeof *members, compare_depth);
	struct phase_record *phases = xcalloc(count, sizeof *phases);
	int rc = 0;
	nsec at = 0;
	for (size_t i = 0; i < count; i++) {
		members[i]->taken = true;
		phase_of_job(&phases[i], members[i]->job);
		phases[i].start = at;
		at += phases[i].duration;
	}
	if (first->result->nsnapshots && first->result->njobs == 1)
		rc = samples_of_snapshots(&phases[0], first->result, e);
	struct test_record *t = run_add_test(r, phases, count, count > 1);
	t->params = json_dumps(first->job->options, JSON_COMPACT);
	for (size_t i = 0; i < count; i++) {
		fio_check_latency(r, &t->phases[i]);
		fio_note_error(r, t, members[i]->job);
		fio_note_job(r, &t->phases[i], members[i]->job);
	}
	free(members);
	return rc;
}

/* Jobs of one file stay together; so do files that are a sweep of the same work. */
int fio_runs_from_json(struct fio_work *w, struct err *e)
{
	struct candidate *all = NULL;
	size_t n = 0, cap = 0;
	for (size_t i = 0; i < w->nresults; i++) {
		for (size_t k = 0; k < w->results[i].njobs && !w->results[i].used; k++) {
			if (!has_io(&w->results[i].jobs[k]))
				continue;
			GROW(all, n, cap);
			all[n++] = (struct candidate){&w->results[i], &w->results[i].jobs[k], false};
		}
	}
	int rc = 0;
	size_t jobs = 0;
	for (size_t i = 0; i < n && rc == 0; i++) {
		if (all[i].taken)
			continue;
		struct run_record *r = fio_new_run(w, all[i].result->source, "fio JSON");
		/* The first job, then what is left of its file. */
		for (size_t k = i; k < n && rc == 0; k++)
			if (!all[k].taken && all[k].result->source == all[i].result->source) {
				rc = add_sweep(w, r, all, n, &all[k], e);
				jobs++;
			}
		nsec total = 0;
		for (size_t t = 0; t < r->ntests; t++)
			for (size_t p = 0; p < r->tests[t].nphases; p++)
				total += r->tests[t].phases[p].duration;
		fio_describe_run(r, all[i].result, total / NSEC_PER_MSEC);
		if (all[i].result->njobs == 1)
			run_split_passes(r, fio_span_of(all[i].result), "what its job goes over");
		if (rc == 0)
			rc = run_complete(r, w->options, e);
	}
	for (size_t i = 0; i < w->nresults && rc == 0 && jobs == 0; i++)
		if (!w->results[i].used)
			rc = err_set(e, EXIT_USAGE, "cannot import '%s': its jobs read and wrote nothing",
				w->results[i].source->path);
	free(all);
	return rc;
}
