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

/* The rate over samples [first, end) in MB/s without those that the drive throttled; NAN where nothing is left. */
static double unthrottled_mbps(const struct series *s, const struct curve *c, size_t first, size_t end)
{
	double bytes = 0, seconds = 0;
	for (size_t i = first, k = 0; i < end; i++) {
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

void analyse_fill(const struct series *s, const struct stage_thresholds *th, struct fill_figures *out)
{
	struct stage_thresholds defaults = stages_defaults();
	th = th ? th : &defaults;
	memset(out, 0, sizeof *out);
	struct cache_figures *cache = &out->cache;
	*cache = (struct cache_figures){CACHE_NOT_REACHED, NAN, NAN, NAN, NAN, NAN, NAN};
	struct curve c;
	curve_build(s, th->noise_floor, &c);
	out->bytes = c.bytes;
	out->seconds = c.seconds;
	out->mean_mbps = c.seconds > 0 ? c.bytes / c.seconds / MB_PER_S : NAN;
	out->min_mbps = c.min_rate / MB_PER_S;
	out->max_mbps = c.max_rate / MB_PER_S;
	out->nstalls = c.nstalls;
	out->stalls = c.stalls;
	c.stalls = NULL;
	if (c.n == 0) {
		curve_free(&c);
		return;
	}
	c.stalls = out->stalls;
	struct pieces p;
	pieces_build(&p, &c, th);
	size_t *bounds = xmalloc((p.m + 1) * sizeof *bounds);
	size_t stages = find_stages(&p, bounds);
	struct boundary *edges = xmalloc((stages + 1) * sizeof *edges);
	size_t n = find_edges(&p, bounds, stages, edges, &out->gradual);
	double *scratch = xmalloc((c.n + 1) * sizeof *scratch);
	out->stages = xcalloc(n + 1, sizeof *out->stages);
	out->nstages = n + 1;
	struct edge *places = xcalloc(n + 2, sizeof *places);
	places[n + 1] = (struct edge){c.n, c.before[c.n], c.start[c.n - 1] + c.dt[c.n - 1], 0, 0};
	for (size_t i = 1; i <= n; i++) {
		places[i] = edge_place(&c, p.first[bounds[i - 1]], p.first[bounds[i]], p.first[bounds[i + 1]]);
		if (edges[i - 1].transition != edges[i - 1].at)
			places[i].hi = fmax(places[i].hi, c.before[p.first[edges[i - 1].transition]]);
	}
	for (size_t i = 0; i <= n; i++) {
		struct stage *stage = &out->stages[i];
		stage->start_bytes = places[i].bytes;
		stage->start_s = places[i].seconds;
		stage->end_bytes = places[i + 1].bytes;
		stage->end_s = places[i + 1].seconds;
		describe(&c, places[i].sample, places[i + 1].sample, th->drop, stage, scratch);
	}
	if (s->reached_end)
		cache->verdict = CACHE_NONE;
	for (size_t i = 1; i <= n && cache->verdict != CACHE_FOUND; i++) {
		struct side l = side_of(&p, bounds[i - 1], bounds[i]), r = side_of(&p, bounds[i], bounds[i + 1]);
		if (r.mean > th->drop * l.mean)
			continue;
		if (throttle_began(s, &c, places[i].seconds)) {
			out->throttle_explains = true;
			continue;
		}
		struct stage before = {.end_bytes = places[i].bytes, .end_s = places[i].seconds};
		struct stage after = {places[i].bytes, places[n + 1].bytes, places[i].seconds, places[n + 1].seconds};
		describe(&c, 0, places[i].sample, th->drop, &before, scratch);
		describe(&c, places[i].sample, c.n, th->drop, &after, scratch);
		double free_mbps = s->nthrottled ? unthrottled_mbps(s, &c, 0, places[i].sample) : NAN;
		*cache = (struct cache_figures){CACHE_FOUND, places[i].bytes, places[i].lo, places[i].hi,
			isfinite(free_mbps) ? free_mbps : before.mbps, after.median_mbps, after.mbps};
	}
	free(places);
	free(scratch);
	free(edges);
	free(bounds);
	pieces_free(&p);
	c.stalls = NULL; /* they are the caller's now */
	curve_free(&c);
}

void fill_figures_free(struct fill_figures *f)
{
	free(f->stages);
	free(f->stalls);
	memset(f, 0, sizeof *f);
}
