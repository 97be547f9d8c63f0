// SPDX-License-Identifier: MIT
#include "cli/evidence.h"

#include "base/mem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void take_fill(struct claim_fill *out, const struct review_fill *f)
{
	const struct fill_figures *g = &f->figures;
	*out = (struct claim_fill){.measured = g->bytes > 0,
		.verdict = g->cache.verdict,
		.nstages = g->nstages,
		.mean_mbps = g->mean_mbps,
		.max_mbps = g->max_mbps,
		.cache_bytes = g->cache.bytes,
		.cache_mbps = g->cache.mbps,
		.after_mbps = g->cache.after_mbps,
		.share_of_cells = f->share_of_cells,
		.after_bytes = NAN,
		.after_nand_bytes = NAN};
	if (g->cache.verdict != CACHE_FOUND)
		return;
	out->after_bytes = out->after_nand_bytes = 0;
	for (size_t i = 0; i < g->nstages; i++) {
		const struct stage *s = &g->stages[i];
		if ((s->start_bytes + s->end_bytes) / 2 > g->cache.bytes) {
			out->after_bytes += s->end_bytes - s->start_bytes;
			out->after_nand_bytes += f->stage_nand_bytes[i];
		}
	}
}

static void take_recovery(struct claim_recovery *out, const struct review_recovery *r)
{
	for (out->n = 0; out->n < r->npoints && out->n < CLAIM_MAX_POINTS; out->n++)
		out->points[out->n] = (struct claim_recovery_point){
			r->points[out->n].idle_seconds, r->points[out->n].fast_bytes, r->points[out->n].mbps};
}

static void take_sweep(struct claim_sweep *out, const struct review_sweep *s)
{
	for (out->n = 0; out->n < s->npoints && out->n < CLAIM_MAX_POINTS; out->n++) {
		const struct review_sweep_point *p = &s->points[out->n];
		out->points[out->n] = (struct claim_sweep_point){.qd = (unsigned)p->qd,
			.mbps = {p->mbps, p->mbps_lo, p->mbps_hi},
			.watts = p->power.power_w,
			.die_busy = p->die_busy,
			.bytes = p->bytes,
			.nand_bytes = p->nand_bytes};
	}
}

static const struct review_test *done(const struct review *r, const char *name, const char *condition)
{
	const struct review_test *t = review_find(r, name, condition);
	return t && t->record->status == TEST_DONE ? t : NULL;
}

/* The highest of what was seen so far and `rate`, either of which may be NAN. */
static void raise_to(double *highest, double rate)
{
	*highest = fmax(*highest, rate);
}

static void take_highest(struct claim_figures *f, const struct review *r)
{
	for (size_t i = 0; i < r->ntests; i++) {
		const struct review_test *t = &r->tests[i];
		bool reads = strstr(t->record->name, "read");
		double *highest = reads ? &f->max_read_mbps : &f->max_write_mbps;
		if (t->kind == REVIEW_FILL)
			raise_to(highest, t->fill.figures.max_mbps);
		if (t->kind == REVIEW_BURST)
			raise_to(highest, t->burst.mbps);
		for (size_t k = 0; t->kind == REVIEW_SWEEP && k < t->sweep.npoints; k++)
			raise_to(highest, t->sweep.points[k].mbps);
	}
}

void evidence_add(struct claim_figures *f, const struct review *r, bool qd8)
{
	static const char *const bursts[BURST_TESTS] = {
		"burst-seq-read", "burst-seq-write", "burst-rand-read", "burst-rand-write"};
	const struct review_test *t = done(r, "fill", NULL);
	if (t)
		take_fill(qd8 ? &f->fill_qd8 : &f->fill, &t->fill);
	if ((t = done(r, "recovery", NULL)))
		take_recovery(&f->recovery, &t->recovery);
	for (size_t i = 0; i < BURST_TESTS; i++)
		if ((t = done(r, bursts[i], NULL)))
			f->burst[i] = (struct claim_burst){
				{t->burst.mbps, t->burst.mbps_lo, t->burst.mbps_hi}, t->burst.duty};
	if ((t = done(r, "seq-write", NULL)))
		take_sweep(&f->seq_write, &t->sweep);
	if ((t = done(r, "seq-read", "fresh")))
		take_sweep(&f->seq_read, &t->sweep);
	if ((t = done(r, "seq-read", "fragmented")))
		take_sweep(&f->seq_read_fragmented, &t->sweep);
	take_highest(f, r);
}

/* ---- Published figures. */

/* The typical rate of a fill between two offsets: the median of the samples that lie within; NAN if none does. */
static double typical(const struct phase_record *p, double from, double to)
{
	double *rates = xmalloc((p->nsamples + 1) * sizeof *rates), at = 0, median;
	size_t n = 0;
	for (size_t i = 0; i < p->nsamples; i++) {
		double start = at;
		at += (double)p->samples[i].bytes;
		if (start >= from && at <= to && p->samples[i].length > 0)
			rates[n++] = (double)p->samples[i].bytes / nsec_to_s(p->samples[i].length) / 1e6;
	}
	median = stats_quantile(rates, n, 0.5);
	free(rates);
	return median;
}

static double highest(const struct claim_sweep *s)
{
	double h = NAN;
	for (size_t i = 0; i < s->n; i++)
		raise_to(&h, s->points[i].mbps.value);
	return h;
}

static double highest_iops(struct review *const *runs, size_t n, const char *test)
{
	double h = NAN;
	for (size_t i = 0; i < n; i++) {
		const struct review_test *t = done(runs[i], test, NULL);
		for (size_t k = 0; t && k < t->sweep.npoints; k++)
			raise_to(&h, t->sweep.points[k].iops);
	}
	return h;
}

static const struct phase_record *fill_phase(struct review *const *runs, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct review_test *t = done(runs[i], "fill", NULL);
		if (t && t->record->nphases && t->record->phases[0].queue_depth == 1)
			return &t->record->phases[0];
	}
	return NULL;
}

struct comparing {
	struct comparison **list;
	size_t *n, *cap;
	const char *drive;
};

static void compare(struct comparing *c, const char *figure, double published, double model)
{
	if (isnan(published) || isnan(model))
		return;
	GROW(*c->list, *c->n, *c->cap);
	struct comparison *k = &(*c->list)[(*c->n)++];
	*k = (struct comparison){
		.drive = c->drive, .published = published, .model = model, .error = model / published - 1};
	snprintf(k->figure, sizeof k->figure, "%s", figure);
}

/* Where a page does not say where a stage ends or begins, the twentieth of the capacity next to its known bound. */
#define UNKNOWN_SHARE 0.05

static void compare_stages(struct comparing *c, const struct published_drive *d, const struct phase_record *fill)
{
	double capacity = (double)fill->bytes;
	for (size_t i = 0; i < d->nstages; i++) {
		const struct published_stage *s = &d->stages[i], *next = i + 1 < d->nstages ? s + 1 : NULL;
		double from = s->from_gb * 1e9, to = s->to_gb * 1e9;
		char figure[64];
		if (isnan(to))
			to = !next		     ? capacity
			     : !isnan(next->from_gb) ? next->from_gb * 1e9
						     : from + UNKNOWN_SHARE * capacity;
		if (isnan(from))
			from = to - UNKNOWN_SHARE * capacity;
		if (isnan(s->mbps) || isnan(from) || isnan(to))
			continue;
		to = fmin(to, capacity);
		snprintf(figure, sizeof figure, "stage %zu, %.0f to %.0f GB, MB/s", i + 1, from / 1e9, to / 1e9);
		compare(c, figure, s->mbps, typical(fill, from, to));
	}
}

void evidence_compare(struct comparison **list, size_t *n, size_t *cap, const struct published_drive *d,
	const struct claim_figures *f, struct review *const *runs, size_t nruns)
{
	struct comparing c = {list, n, cap, f->drive};
	const struct phase_record *fill = fill_phase(runs, nruns);
	/* Rated writes are those into the cache, at any queue depth. */
	double write =
		fmax(highest(&f->seq_write), f->fill.verdict == CACHE_FOUND ? f->fill.cache_mbps : f->fill.mean_mbps);
	double read = highest(&f->seq_read);
	compare(&c, "rated-seq-read, MB/s", published_value(d, "rated-seq-read"), read);
	compare(&c, "rated-seq-write, MB/s", published_value(d, "rated-seq-write"), write);
	compare(&c, "rated-rand-write, IOPS", published_value(d, "rated-rand-write"),
		highest_iops(runs, nruns, "rand-write"));
	compare(&c, "burst-seq-read, MB/s", published_value(d, "burst-seq-read"), f->burst[BURST_SEQ_READ].mbps.value);
	compare(&c, "cache-size, GB", published_value(d, "cache-size") / 1e9, f->fill.cache_bytes / 1e9);
	compare(&c, "rated-after-cache, MB/s", published_value(d, "rated-after-cache"), f->fill.after_mbps);
	compare(&c, "after-cache, MB/s", published_value(d, "after-cache"), f->fill.after_mbps);
	compare(&c, "fill-mean, MB/s", published_value(d, "fill-mean"), f->fill.mean_mbps);
	if (!fill)
		return;
	compare(&c, "first-16gb, MB/s", published_value(d, "first-16gb"), typical(fill, 0, 16e9));
	compare_stages(&c, d, fill);
}
