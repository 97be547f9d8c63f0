// SPDX-License-Identifier: MIT
#include "analysis/stages.h"

#include "analysis/boundary.h"
#include "analysis/curve.h"
#include "analysis/edge.h"
#include "analysis/kind.h"
#include "analysis/split.h"
#include "analysis/stats.h"
#include "base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MB_PER_S 1e6

struct stage_thresholds stages_defaults(void)
{
	return (struct stage_thresholds){.drop = 0.80, .z_min = 3, .beta = 4, .k = 3, .noise_floor = 0.03};
}

/* The rate over the samples before `end` in MB/s without those that the drive throttled; NAN where nothing is left. */
static double unthrottled_mbps(const struct series *s, const struct curve *c, size_t end)
{
	double bytes = 0, seconds = 0;
	for (size_t i = 0, k = 0; i < end; i++) {
		while (k < s->nthrottled && s->throttled[k].end_s <= c->start[i])
			k++;
		if (k < s->nthrottled && s->throttled[k].start_s < c->start[i] + c->dt[i])
			continue;
		bytes += c->b[i];
		seconds += c->dt[i];
	}
	return bytes / seconds / MB_PER_S;
}

/* Describes the stage of samples [first, end) between two places on the curve. */
static void describe(const struct curve *c, size_t first, size_t end, double drop, struct stage *s, double *scratch)
{
	double bytes = s->end_bytes - s->start_bytes, stalled = 0;
	for (size_t i = 0; i < c->nstalls; i++)
		if (c->stalls[i].start_s >= s->start_s && c->stalls[i].end_s <= s->end_s)
			stalled += c->stalls[i].end_s - c->stalls[i].start_s;
	double seconds = s->end_s - s->start_s - stalled;
	struct estimate e = stats_rate(c->b + first, c->dt + first, end - first);
	s->mbps = seconds > 0 ? bytes / seconds / MB_PER_S : e.value / MB_PER_S;
	/* The interval's width is that of whole samples, its middle that of the stage to the byte. */
	s->mbps_lo = fmax(0, s->mbps - (e.value - e.lo) / MB_PER_S);
	s->mbps_hi = s->mbps + (e.hi - e.value) / MB_PER_S;
	if (isnan(e.lo))
		s->mbps_lo = s->mbps_hi = NAN;
	s->median_mbps = range_quantile(c->r, first, end, 0.5, scratch) / MB_PER_S;
	s->p5_mbps = range_quantile(c->r, first, end, 0.05, scratch) / MB_PER_S;
	s->p95_mbps = range_quantile(c->r, first, end, 0.95, scratch) / MB_PER_S;
	s->interval_optimistic = end - first < 100 && stats_lag1(c->r + first, end - first) > 0.8;
	s->kind = stage_kind(c, first, end, drop, scratch);
}

/* Whether the drive began to throttle at `seconds`, as nearly as can be told. */
static bool throttle_began(const struct series *s, const struct curve *c, double seconds)
{
	for (size_t i = 0; i < s->nthrottled; i++)
		if (fabs(s->throttled[i].start_s - seconds) <= fmax(3, 5 * c->step))
			return true;
	return false;
}

/* A fill under analysis. */
struct fill {
	const struct series *series;
	const struct stage_thresholds *th;
	struct curve curve;
	struct pieces pieces;
	size_t nedges;
	size_t *bounds;	     /* nedges + 2: the fine segments at which a stage begins, and the end */
	struct edge *places; /* nedges + 2: the same on the curve */
	double *scratch;     /* as many as samples */
};

/* Finds the edges, and their places. *gradual is set if there was a slide. */
static void find_places(struct fill *f, bool *gradual)
{
	const struct curve *c = &f->curve;
	struct pieces *p = &f->pieces;
	pieces_build(p, c, f->th);
	f->bounds = xmalloc((p->m + 1) * sizeof *f->bounds);
	f->scratch = xmalloc(c->n * sizeof *f->scratch);
	size_t stages = find_stages(p, f->bounds);
	struct boundary *edges = xmalloc(stages * sizeof *edges);
	size_t n = f->nedges = find_edges(p, f->bounds, stages, edges, gradual);
	f->places = xcalloc(n + 2, sizeof *f->places);
	for (size_t i = 1; i <= n; i++) {
		struct edge *e = &f->places[i];
		*e = edge_place(c, p->first[f->bounds[i - 1]], p->first[f->bounds[i]], p->first[f->bounds[i + 1]]);
		if (edges[i - 1].transition != edges[i - 1].at)
			e->hi = fmax(e->hi, c->before[p->first[edges[i - 1].transition]]);
	}
	f->places[n + 1] = (struct edge){
		.sample = c->n, .bytes = c->before[c->n], .seconds = c->start[c->n - 1] + c->dt[c->n - 1]};
	free(edges);
}

/* The stage between two places. */
static struct stage stage_between(const struct fill *f, size_t from, size_t to)
{
	const struct edge *a = &f->places[from], *b = &f->places[to];
	struct stage s = {a->bytes, b->bytes, a->seconds, b->seconds};
	describe(&f->curve, a->sample, b->sample, f->th->drop, &s, f->scratch);
	return s;
}

/* The first drop that is no onset of throttling is the end of the cache. */
static void find_cache(const struct fill *f, struct fill_figures *out)
{
	for (size_t i = 1; i <= f->nedges; i++) {
		struct side l = side_of(&f->pieces, f->bounds[i - 1], f->bounds[i]);
		struct side r = side_of(&f->pieces, f->bounds[i], f->bounds[i + 1]);
		const struct edge *e = &f->places[i];
		if (r.mean > f->th->drop * l.mean)
			continue;
		if (throttle_began(f->series, &f->curve, e->seconds)) {
			out->throttle_explains = true;
			continue;
		}
		struct stage before = stage_between(f, 0, i), after = stage_between(f, i, f->nedges + 1);
		double free_mbps = f->series->nthrottled ? unthrottled_mbps(f->series, &f->curve, e->sample) : NAN;
		out->cache = (struct cache_figures){CACHE_FOUND, e->bytes, e->lo, e->hi,
			isfinite(free_mbps) ? free_mbps : before.mbps, after.median_mbps, after.mbps};
		return;
	}
}

void analyse_fill(const struct series *s, const struct stage_thresholds *th, struct fill_figures *out)
{
	struct stage_thresholds defaults = stages_defaults();
	struct fill f = {.series = s, .th = th ? th : &defaults};
	struct curve *c = &f.curve;
	curve_build(s, f.th->noise_floor, c);
	*out = (struct fill_figures){
		.bytes = c->bytes,
		.seconds = c->seconds,
		.mean_mbps = c->seconds > 0 ? c->bytes / c->seconds / MB_PER_S : NAN,
		.min_mbps = c->min_rate / MB_PER_S,
		.max_mbps = c->max_rate / MB_PER_S,
		.nstalls = c->nstalls,
		.cache = {s->reached_end && c->n > 0 ? CACHE_NONE : CACHE_NOT_REACHED, NAN, NAN, NAN, NAN, NAN, NAN},
	};
	if (c->n > 0) {
		find_places(&f, &out->gradual);
		out->nstages = f.nedges + 1;
		out->stages = xcalloc(out->nstages, sizeof *out->stages);
		for (size_t i = 0; i < out->nstages; i++)
			out->stages[i] = stage_between(&f, i, i + 1);
		find_cache(&f, out);
		pieces_free(&f.pieces);
	}
	out->stalls = c->stalls;
	c->stalls = NULL;
	curve_free(c);
	free(f.places);
	free(f.scratch);
	free(f.bounds);
}

void fill_figures_free(struct fill_figures *f)
{
	free(f->stages);
	free(f->stalls);
	memset(f, 0, sizeof *f);
}
