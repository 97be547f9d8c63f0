// SPDX-License-Identifier: MIT
/* Runs from fio's logs. */
#include "import/fio.h"
#include "import/formats.h"

#include "base/mem.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The grid for logs with a row per I/O: that of our own runs. */
#define GRID (500 * NSEC_PER_MSEC)
/* Bytes of a log and of the JSON beside it may differ by this share before we say so; the last window comes on top. */
#define BYTES_TOLERANCE 0.03

/* The logs of one job and its clones, and the JSON that belongs to them. */
struct group {
	const char *prefix;
	struct fio_log **logs;
	size_t n, cap;
	struct fio_result *result; /* NULL = none */
};

/* The bandwidth logs of the group if it has any, else the first other kind that tells bytes. */
static enum fio_log_kind kind_for_bytes(const struct group *g, uint32_t block_bytes, bool *aggregate)
{
	static const enum fio_log_kind order[] = {LOG_BW, LOG_IOPS, LOG_CLAT, LOG_LAT, LOG_SLAT, LOG_HIST, LOG_UNKNOWN};
	for (int with_aggregates = 0; with_aggregates < 2; with_aggregates++) {
		for (size_t k = 0; k < ARRAY_SIZE(order); k++) {
			for (size_t i = 0; i < g->n; i++) {
				const struct fio_log *l = g->logs[i];
				bool tells = order[k] == LOG_BW	    ? !l->per_io
					     : order[k] == LOG_HIST ? true
					     : order[k] == LOG_IOPS ? l->per_io || block_bytes
								    : l->per_io;
				if (l->kind == order[k] && l->aggregate == with_aggregates && tells) {
					*aggregate = with_aggregates;
					return order[k];
				}
			}
		}
	}
	return LOG_UNKNOWN;
}

/* Why a group of logs cannot become a run. */
static int refuse(const struct group *g, struct err *e)
{
	const struct fio_log *l = g->logs[0];
	for (size_t i = 0; i < g->n; i++)
		if (g->logs[i]->kind == LOG_BW && g->logs[i]->per_io)
			return err_set(e, EXIT_USAGE,
				"cannot import '%s': it has a row per I/O, and its values are the rates of single I/Os "
				"(10^3 bytes/s of each, while it was in flight), which are not the bandwidth; log with "
				"log_avg_msec=500, or give the iops or clat log of the same job",
				g->logs[i]->source->path);
	if (l->kind == LOG_UNKNOWN)
		return err_set(e, EXIT_USAGE,
			"cannot import '%s': nothing in it says whether its numbers are bandwidth, IOPS or latency; "
			"name it as fio does (X_bw.1.log), or give --unit KiB/s, iops or ns",
			l->source->path);
	if (l->kind == LOG_IOPS)
		return err_set(e, EXIT_USAGE,
			"cannot import '%s': averaged IOPS without a block size are no bytes; give the job's JSON or "
			"its bw log beside it",
			l->source->path);
	return err_set(e, EXIT_USAGE,
		"cannot import '%s': mean latencies alone tell neither bytes nor percentiles; give the job's bw log or "
		"JSON beside it",
		l->source->path);
}

static bool takes_part(const struct fio_log *l, enum fio_log_kind kind, bool aggregate)
{
	return l->kind == kind && l->aggregate == aggregate && (kind != LOG_BW || !l->per_io);
}

/* Since-1970 stamps: when the first window of any log began, ms; 0 for stamps since the job's start. */
static int64_t zero_of(const struct group *g, enum fio_log_kind kind, bool aggregate, nsec interval)
{
	int64_t first = INT64_MAX;
	for (size_t i = 0; i < g->n; i++) {
		const struct fio_log *l = g->logs[i];
		if (!takes_part(l, kind, aggregate))
			continue;
		for (size_t k = 0; k < l->n; k++)
			first = l->rows[k].ms < first ? l->rows[k].ms : first;
	}
	return first > SINCE_1970_MS && first != INT64_MAX ? first - interval / NSEC_PER_MSEC : 0;
}

static nsec interval_of_group(const struct group *g, enum fio_log_kind kind, bool aggregate)
{
	nsec interval = 0;
	for (size_t i = 0; i < g->n; i++) {
		const struct fio_log *l = g->logs[i];
		if (!takes_part(l, kind, aggregate))
			continue;
		if (l->per_io)
			return GRID;
		if (l->interval && (!interval || l->interval < interval))
			interval = l->interval;
	}
	/* The job says what was asked for; the rows of a display tick do not follow it. */
	const struct fio_job *j = g->result ? &g->result->jobs[0] : NULL;
	const char *text = j && !aggregate ? fio_option(j, kind == LOG_HIST ? "log_hist_msec" : "log_avg_msec") : NULL;
	int64_t ms;
	if (text && parse_integer(text, &ms) == 0 && ms > 0 && ms < 86400000)
		interval = ms * NSEC_PER_MSEC;
	return interval ? interval : NSEC_PER_SEC;
}

/* Latencies: of the job's JSON, else of a histogram log or of a log with a row per I/O. */
static struct hist *latency_of_group(const struct group *g, struct run_record *r)
{
	struct hist *sum = NULL;
	for (size_t i = 0; g->result && i < g->result->njobs; i++) {
		for (int k = 0; k < 2; k++) {
			const struct hist *h = g->result->jobs[i].direction[k].latency;
			if (h && !sum)
				sum = xcalloc(1, sizeof *sum);
			if (h)
				hist_merge(sum, h);
		}
	}
	static const enum fio_log_kind order[] = {LOG_HIST, LOG_LAT, LOG_CLAT};
	for (size_t k = 0; k < ARRAY_SIZE(order) && !sum; k++) {
		for (size_t i = 0; i < g->n; i++) {
			const struct fio_log *l = g->logs[i];
			if (l->kind != order[k] || (l->kind != LOG_HIST && !l->per_io))
				continue;
			if (!sum)
				sum = xcalloc(1, sizeof *sum);
			if (l->kind == LOG_HIST) {
				hist_merge(sum, l->latency);
				continue;
			}
			/* Old logs are in us: three columns, or values no drive reaches in ns. */
			for (size_t m = 0; m < l->n; m++)
				if (l->rows[m].direction < 2)
					hist_add(sum, (uint64_t)l->rows[m].value * (l->columns == 3 ? 1000 : 1));
			if (l->columns == 4)
				run_warn(r, "latency-unit",
					"'%s' may be of fio before 3.18, so whether of before 2.99, whose latencies "
					"are µs, is not known: ns are assumed",
					l->source->path);
		}
	}
	if (sum && sum->count == 0) {
		free(sum);
		sum = NULL;
	}
	return sum;
}

/* Bytes of the log against the totals of the JSON. */
static void compare_bytes(
	struct run_record *r, const struct phase_record *p, const struct fio_result *result, nsec interval)
{
	double total = 0;
	for (size_t i = 0; i < result->njobs; i++)
		total += result->jobs[i].direction[0].bytes + result->jobs[i].direction[1].bytes;
	/* What fits into the last window, which fio does not log. */
	double last_window = p->duration > 0 ? (double)p->bytes * (double)interval / (double)p->duration : 0;
	double ratio = total > 0 ? (double)p->bytes / total : 1;
	if (ratio > 1.5 || ratio < 1 / 1.5)
		run_warn(r, "log-wrong",
			"the log holds %.3g times the bytes that the JSON counts (%.4g and %.4g GB): its rates are "
			"wrong by that factor, and so is every figure made of them (log_compression with log_avg_msec "
			"does this)",
			ratio, (double)p->bytes / 1e9, total / 1e9);
	else if (fabs(ratio - 1) > BYTES_TOLERANCE && !(ratio < 1 && total - (double)p->bytes <= last_window))
		run_warn(r, "bytes-differ",
			"the log holds %.4g GB, the JSON counts %.4g GB: %.1f %% %s; rates are those of the log",
			(double)p->bytes / 1e9, total / 1e9, 100 * fabs(ratio - 1),
			ratio < 1 ? "are missing" : "too much");
}

/* What the logs cannot tell, with its effect. */
static void warn_of_logs(struct run_record *r, const struct group *g, const struct phase_record *p,
	enum fio_log_kind kind, bool aggregate, nsec interval)
{
	double holes = 0;
	for (size_t i = 0; i < p->nevents; i++)
		holes += nsec_to_s(p->events[i].end - p->events[i].start);
	if (holes > 0)
		run_warn(r, "holes",
			"%zu times, %.4g s in all, there is no row: fio writes none where nothing was completed, so "
			"these are taken as stalls, with 0 bytes; rows that fio lost look the same",
			p->nevents, holes);
	size_t used = 0, repeated = 0, restarts = 0, short_ones = 0;
	int64_t longest = 0;
	for (size_t i = 0; i < g->n; i++) {
		const struct fio_log *l = g->logs[i];
		if (!takes_part(l, kind, aggregate))
			continue;
		used++;
		repeated += l->repeated;
		restarts += l->restarts;
		int64_t last = l->rows[l->n - 1].ms;
		longest = last > longest ? last : longest;
		if (aggregate && l->n >= 1024)
			run_warn(r, "log-capped",
				"'%s' has %zu rows, and fio before 3.36 ends this log after 1024: what came later may "
				"be missing",
				l->source->path, l->n);
	}
	for (size_t i = 0; i < g->n; i++)
		if (takes_part(g->logs[i], kind, aggregate))
			short_ones += (longest - g->logs[i]->rows[g->logs[i]->n - 1].ms) * NSEC_PER_MSEC > 2 * interval;
	if (short_ones)
		run_warn(r, "jobs-ended-apart",
			"%zu of %zu jobs ended before the last one: from then on fewer jobs were at work, and a change "
			"of rate is not the drive's alone",
			short_ones, used);
	size_t means = 0;
	for (size_t i = 0; i < g->n; i++)
		means += !g->logs[i]->per_io && g->logs[i]->kind >= LOG_LAT && g->logs[i]->kind <= LOG_SLAT;
	if (means)
		run_warn(r, "latency-means-left-out",
			"%zu latency logs hold means of windows, of which no percentiles can be made: they are not "
			"used",
			means);
	if (repeated)
		run_warn(r, "repeated-rows", "%zu rows have the time of the row before them and were left out",
			repeated);
	if (restarts)
		run_warn(r, "several-jobs-in-one-log",
			"the time goes back %zu times: the log holds several jobs one after another (per_job_logs=0), "
			"which are summed as if they ran together; if it was appended to an older log, both are in it",
			restarts);
	const struct fio_job *j = g->result ? &g->result->jobs[0] : NULL;
	const char *window = j ? fio_option(j, "log_window_value") : NULL;
	if ((window && strcmp(window, "max") == 0) || (j && fio_option(j, "log_max_value")))
		run_warn(r, "log-holds-maxima",
			"the log holds the largest value of each window, not its mean: rates are too high");
	if (j && fio_option(j, "log_compression") && fio_option(j, "log_avg_msec"))
		run_warn(r, "log-compression",
			"log_compression with log_avg_msec makes fio log means of the rates of single I/Os: rates can "
			"be wrong by a factor; log without log_compression");
}

/* What the jobs go over once: as their offsets show, or as their options say; 0 = not known. */
static uint64_t span_of_group(const struct group *g, enum fio_log_kind kind, bool aggregate)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < g->n; i++) {
		const struct fio_log *l = g->logs[i];
		if (!takes_part(l, kind, aggregate))
			continue;
		if (!l->written_span || sum > UINT64_MAX / 2) {
			sum = 0;
			break;
		}
		sum += l->written_span;
	}
	return sum ? sum : g->result ? fio_span_of(g->result) : 0;
}

static int run_from_group(struct fio_work *w, struct group *g, struct err *e)
{
	const struct fio_job *j = g->result ? &g->result->jobs[0] : NULL;
	uint32_t block = j ? j->block_bytes : 0;
	bool aggregate = false;
	for (size_t i = 1; g->result && i < g->result->njobs; i++)
		if (g->result->jobs[i].group != j->group)
			return err_set(e, EXIT_USAGE,
				"cannot import '%s': its jobs ran one after another, and nothing says which log is of "
				"which; import the logs of each job without the JSON",
				g->result->source->path);
	enum fio_log_kind kind = kind_for_bytes(g, block, &aggregate);
	if (kind == LOG_UNKNOWN && !(g->logs[0]->kind == LOG_UNKNOWN && g->logs[0]->per_io))
		return refuse(g, e);
	nsec interval = interval_of_group(g, kind, aggregate);
	int64_t zero = zero_of(g, kind, aggregate, interval);
	struct piece_list pieces = {0};
	struct phase_record *p = xmalloc(sizeof *p);
	*p = phase_unknown();
	const struct fio_log *first = NULL;
	for (size_t i = 0; i < g->n; i++) {
		if (!takes_part(g->logs[i], kind, aggregate))
			continue;
		first = first ? first : g->logs[i];
		fio_log_pieces(g->logs[i], block, zero, interval, &pieces);
	}
	if (j)
		fio_describe_phase(p, j);
	struct run_record *r = fio_new_run(w, first->source, kind == LOG_HIST ? "fio histogram log" : "fio log");
	int rc = phase_from_pieces(p, &pieces, interval, first->source, e);
	bool empty = pieces.n == 0;
	piece_list_free(&pieces);
	p->latency = latency_of_group(g, r);
	/* With one block size the I/Os follow from the bytes. */
	for (size_t i = 0; i < p->nsamples && block && p->ios == 0; i++)
		p->samples[i].ios = (p->samples[i].bytes + block / 2) / block;
	if (p->ios == 0 && block)
		p->ios = p->bytes / block;
	struct test_record *t = run_add_test(r, p, 1, false);
	fio_check_latency(r, p);
	if (rc == 0 && empty)
		rc = err_set(e, EXIT_USAGE, "cannot import '%s': it has trims only, or no time passes in it",
			first->source->path);
	if (rc != 0)
		return -1;
	for (size_t i = 0; i < g->n; i++)
		run_note_broken(r, g->logs[i]->source);
	warn_of_logs(r, g, p, kind, aggregate, interval);
	if (g->result) {
		fio_describe_run(r, g->result, p->duration / NSEC_PER_MSEC);
		compare_bytes(r, p, g->result, interval);
		t->params = json_dumps(j->options, JSON_COMPACT);
		for (size_t i = 0; i < g->result->njobs; i++) {
			fio_note_error(r, t, &g->result->jobs[i]);
			fio_note_job(r, p, &g->result->jobs[i]);
		}
	}
	if (zero)
		r->started_ms = zero;
	run_split_passes(r, span_of_group(g, kind, aggregate), "what its jobs go over");
	return run_complete(r, w->options, e);
}

/* Whether a JSON is of the job that wrote the logs of a prefix: by its own name, or by the name it gave the logs. */
static bool belongs(const struct fio_result *r, const char *prefix)
{
	const char *slash = strrchr(prefix, '/'), *base = slash ? slash + 1 : prefix;
	const char *dot = strrchr(r->source->name, '.');
	size_t n = dot ? (size_t)(dot - r->source->name) : strlen(r->source->name);
	if (strlen(base) == n && strncmp(base, r->source->name, n) == 0)
		return true;
	static const char *const options[] = {"write_bw_log", "write_iops_log", "write_lat_log", "write_hist_log"};
	for (size_t i = 0; i < ARRAY_SIZE(options); i++) {
		const char *name = fio_option(&r->jobs[0], options[i]);
		const char *last = name ? strrchr(name, '/') : NULL;
		if (name && strcmp(last ? last + 1 : name, base) == 0)
			return true;
	}
	return false;
}

int fio_runs_from_logs(struct fio_work *w, struct err *e)
{
	struct group *groups = NULL;
	size_t n = 0, cap = 0;
	size_t filled = 0;
	for (size_t i = 0; i < w->nlogs; i++)
		filled += w->logs[i].n > 0;
	if (w->nlogs && !filled)
		return err_set(e, EXIT_USAGE,
			"cannot import '%s': it is empty, as fio leaves it where a job is shorter than log_avg_msec; "
			"give the "
			"job's JSON alone",
			w->logs[0].source->path);
	for (size_t i = 0; i < w->nlogs; i++) {
		if (w->logs[i].n == 0)
			continue;
		size_t k = 0;
		while (k < n && strcmp(groups[k].prefix, w->logs[i].prefix) != 0)
			k++;
		if (k == n) {
			GROW(groups, n, cap);
			groups[n++] = (struct group){.prefix = w->logs[i].prefix};
		}
		GROW(groups[k].logs, groups[k].n, groups[k].cap);
		groups[k].logs[groups[k].n++] = &w->logs[i];
	}
	for (size_t k = 0; k < n; k++) {
		for (size_t i = 0; i < w->nresults && !groups[k].result; i++)
			if (!w->results[i].used &&
				((n == 1 && w->nresults == 1) || belongs(&w->results[i], groups[k].prefix)))
				groups[k].result = &w->results[i];
		if (groups[k].result)
			groups[k].result->used = true;
	}
	int rc = 0;
	for (size_t k = 0; k < n && rc == 0; k++)
		rc = run_from_group(w, &groups[k], e);
	for (size_t k = 0; k < n; k++)
		free(groups[k].logs);
	free(groups);
	return rc;
}
