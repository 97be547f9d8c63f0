// SPDX-License-Identifier: MIT
#include "cli/evidence.h"

#include "analysis/levels.h"
#include "analysis/recovery.h"
#include "base/mem.h"
#include "report/figures.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The levels of a fill, and the series that they were cut from. */
struct levels {
	struct series series;
	struct level *level;
	size_t n;
};

static struct levels levels_of_fill(const struct review_test *fill)
{
	struct levels l = {.series = series_of(&fill->record->phases[0])};
	l.level = levels_of(&l.series, &fill->fill.figures, &l.n);
	return l;
}

static void levels_free(struct levels *l)
{
	free((void *)l->series.t);
	free(l->level);
}

/* Whether the rate falls as it does at a cache's end, and is later what a recovered cache's is. */
static bool is_fast_again(const struct review_test *fill)
{
	const double drop = stages_defaults().drop;
	struct levels l = levels_of_fill(fill);
	bool again = false;
	for (size_t i = 2; i < l.n; i++)
		again |= l.level[i - 1].mbps <= drop * l.level[0].mbps &&
			 l.level[i].mbps >= RECOVERY_FAST * l.level[0].mbps;
	levels_free(&l);
	return again;
}

/* ---- Figures of claims. */

static void take_fill(struct claim_fill *out, const struct review_test *t)
{
	const struct review_fill *f = &t->fill;
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
		.fast_again = t->record->nphases && is_fast_again(t),
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
	const struct review_test *t = done(r, "fill", "");
	if (t)
		take_fill(qd8 ? &f->fill_qd8 : &f->fill, t);
	if ((t = done(r, "fill", "full")))
		take_fill(&f->fill_full, t);
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

/* The share of a published stage at either end that is left out of its rate: bounds are rounded, and a model's may be
 * elsewhere by as much. */
#define EDGE_SHARE 0.1

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

/* The fill of the erased drive: that of the first run that has one. */
static const struct review_test *erased_fill(struct review *const *runs, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct review_test *t = done(runs[i], "fill", "");
		if (t && t->record->nphases)
			return t;
	}
	return NULL;
}

struct comparing {
	struct comparison **list;
	size_t *n, *cap;
	const char *drive;
};

/* A row of the table, if the figure is published; `model` NAN: what the model does not show, though it was measured. */
static void add_row(struct comparing *c, const char *figure, double published, double model)
{
	if (isnan(published))
		return;
	GROW(*c->list, *c->n, *c->cap);
	struct comparison *k = &(*c->list)[(*c->n)++];
	*k = (struct comparison){
		.drive = c->drive, .published = published, .model = model, .error = model / published - 1};
	snprintf(k->figure, sizeof k->figure, "%s", figure);
}

/* The same, if the model was measured. */
static void compare(struct comparing *c, const char *figure, double published, double model)
{
	if (!isnan(model))
		add_row(c, figure, published, model);
}

/* The boundary of the model's levels nearest to `bytes`; where there is none but the fill's start and end, one of
 * these. */
static double boundary_near(const struct levels *l, double bytes)
{
	double best = 0;
	for (size_t i = 0; i < l->n; i++)
		if (fabs(l->level[i].end_bytes - bytes) < fabs(best - bytes))
			best = l->level[i].end_bytes;
	return best;
}

/* The mean rate of the model's level that begins or ends at the boundary nearest to `bytes`; NAN if none does. */
static double rate_at(const struct levels *l, double bytes, bool begins)
{
	double edge = boundary_near(l, bytes);
	for (size_t i = 0; i < l->n; i++)
		if (fabs((begins ? l->level[i].start_bytes : l->level[i].end_bytes) - edge) < 1)
			return l->level[i].mbps;
	return NAN;
}

static double stage_rate(const struct published_stage *s, const struct levels *l, double fill_bytes)
{
	double from = s->from_gb * 1e9, to = fmin(s->to_gb * 1e9, fill_bytes), edge = EDGE_SHARE * (to - from);
	if (isnan(s->to_gb))
		return rate_at(l, from, true);
	if (isnan(from))
		return rate_at(l, to, false);
	return mean_between(&l->series, from + edge, to - edge);
}

/* Nearer to the end of the drive than this share of it, the end of a published stage is no boundary. */
#define LAST_SHARE 0.02

static void compare_stages(struct comparing *c, const struct published_drive *d, const struct review_test *fill)
{
	double fill_bytes = (double)fill->record->phases[0].bytes;
	struct levels l = levels_of_fill(fill);
	for (size_t i = 0; i < d->nstages; i++) {
		const struct published_stage *s = &d->stages[i];
		char figure[64];
		snprintf(figure, sizeof figure, "stage %zu rate, MB/s", i + 1);
		if (!isnan(s->mbps))
			compare(c, figure, s->mbps, stage_rate(s, &l, fill_bytes));
		snprintf(figure, sizeof figure, "stage %zu end, GB", i + 1);
		if (s->to_gb * 1e9 < (1 - LAST_SHARE) * fill_bytes)
			compare(c, figure, s->to_gb, boundary_near(&l, s->to_gb * 1e9) / 1e9);
	}
	levels_free(&l);
}

/* The shortest pause past the cache that was tried and after which the drive was at full speed again, be it for less
 * than a sample; seconds. */
static double shortest_pause(const struct claim_recovery *r)
{
	for (size_t i = 0; i < r->n; i++)
		if (r->points[i].fast_bytes > 0)
			return r->points[i].idle_s;
	return NAN;
}

/* The rate right after a pause of `seconds`. */
static double rate_after(const struct claim_recovery *r, double seconds)
{
	for (size_t i = 0; i < r->n; i++)
		if (r->points[i].idle_s == seconds && r->points[i].fast_bytes > 0)
			return r->points[i].mbps;
	return NAN;
}

void evidence_compare(struct comparison **list, size_t *n, size_t *cap, const struct published_drive *d,
	const struct claim_figures *f, struct review *const *runs, size_t nruns)
{
	struct comparing c = {list, n, cap, f->drive};
	const struct review_test *fill = erased_fill(runs, nruns);
	/* Rated writes are peaks, into the cache, at any queue depth: half a second of a fill will do. */
	double write = f->max_write_mbps;
	double read = highest(&f->seq_read);
	compare(&c, "rated-seq-read, MB/s", published_value(d, "rated-seq-read"), read);
	compare(&c, "rated-seq-write, MB/s", published_value(d, "rated-seq-write"), write);
	compare(&c, "rated-rand-write, IOPS", published_value(d, "rated-rand-write"),
		highest_iops(runs, nruns, "rand-write"));
	compare(&c, "burst-seq-read, MB/s", published_value(d, "burst-seq-read"), f->burst[BURST_SEQ_READ].mbps.value);
	if (f->fill.measured)
		add_row(&c, "cache-size, GB", published_value(d, "cache-size") / 1e9, f->fill.cache_bytes / 1e9);
	compare(&c, "rated-after-cache, MB/s", published_value(d, "rated-after-cache"), f->fill.after_mbps);
	compare(&c, "after-cache, MB/s", published_value(d, "after-cache"), f->fill.after_mbps);
	compare(&c, "fill-mean, MB/s", published_value(d, "fill-mean"), f->fill.mean_mbps);
	if (f->fill_full.measured)
		add_row(&c, "cache-size-full, GB", published_value(d, "cache-size-full") / 1e9,
			f->fill_full.cache_bytes / 1e9);
	compare(&c, "seq-read-qd128, MB/s", published_value(d, "seq-read-qd128"), read);
	compare(&c, "seq-write-qd128, MB/s", published_value(d, "seq-write-qd128"), highest(&f->seq_write));
	compare(&c, "recovery-pause, s", published_value(d, "recovery-pause"), shortest_pause(&f->recovery));
	compare(&c, "recovery-5s, MB/s", published_value(d, "recovery-5s"), rate_after(&f->recovery, 5));
	if (fill)
		compare_stages(&c, d, fill);
}
