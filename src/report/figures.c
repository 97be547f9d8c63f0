// SPDX-License-Identifier: MIT
#include "report/figures.h"

#include "analysis/burst.h"
#include "analysis/recovery.h"
#include "analysis/sweep.h"
#include "base/mem.h"

#include <math.h>
#include <string.h>

struct series series_of(const struct phase_record *p)
{
	size_t n = p->nsamples;
	double *t = xmalloc((2 * n + 1) * sizeof *t), *bytes = t + n;
	for (size_t i = 0; i < n; i++) {
		t[i] = sample_end_s(&p->samples[i]);
		bytes[i] = (double)p->samples[i].bytes;
	}
	return (struct series){.n = n, .t = t, .bytes = bytes};
}

static double rate_of(double bytes, double seconds)
{
	return seconds > 0 ? bytes / seconds / 1e6 : NAN;
}

static double known(int64_t bytes)
{
	return bytes < 0 ? NAN : (double)bytes;
}

/* Bytes and seconds of a phase; one that was cut off by a kill has only its samples. */
static void extent(const struct phase_record *p, double *bytes, double *seconds)
{
	*bytes = (double)p->bytes;
	*seconds = nsec_to_s(p->duration);
	if (p->duration > 0 || !p->nsamples)
		return;
	*bytes = 0;
	for (size_t i = 0; i < p->nsamples; i++)
		*bytes += (double)p->samples[i].bytes;
	*seconds = sample_end_s(&p->samples[p->nsamples - 1]);
}

void build_burst(struct review_burst *b, const struct test_record *t)
{
	double ios = 0, joules = 0, idle_joules = 0, idle_s = 0;
	struct burst *bursts = xcalloc(t->nphases + 1, sizeof *bursts);
	struct hist *all = NULL;
	size_t n = 0;
	for (size_t i = 0; i < t->nphases; i++) {
		const struct phase_record *p = &t->phases[i];
		if (!strcmp(p->op, "idle")) { /* the pause after the last burst */
			if (n)
				bursts[n - 1].idle_s += nsec_to_s(p->duration);
			idle_joules += p->joules;
			continue;
		}
		if (n && p->idle_before > 0) {
			bursts[n - 1].idle_s = nsec_to_s(p->idle_before);
			idle_joules += p->idle_joules;
		}
		extent(p, &bursts[n].bytes, &bursts[n].busy_s);
		n++;
		ios += (double)p->ios;
		joules += joules_of(p);
		if (p->latency) {
			if (!all)
				all = xcalloc(1, sizeof *all);
			hist_merge(all, p->latency);
		}
	}
	struct burst_figures g;
	burst_figures(bursts, n, &g);
	b->nbursts = n;
	b->bursts = xcalloc(n + 1, sizeof *b->bursts);
	for (size_t i = 0; i < n; i++) {
		b->bursts[i] = burst_mbps(&bursts[i]);
		idle_s += bursts[i].idle_s;
	}
	b->mbps = g.mbps;
	b->mbps_lo = g.mbps_lo;
	b->mbps_hi = g.mbps_hi;
	b->mean_of_bursts_mbps = g.mean_of_bursts_mbps;
	b->bytes = g.bytes;
	b->iops = g.busy_s > 0 && ios > 0 ? ios / g.busy_s : NAN;
	b->duty = idle_s > 0 ? g.duty : NAN;
	b->power = power_of(joules, g.busy_s, g.bytes);
	b->mean_power_w = power_of(joules + idle_joules, g.busy_s + idle_s, 0).power_w;
	b->latency = latency_of(all);
	free(all);
	free(bursts);
}

static void sweep_phase(struct review_sweep_point *to, const struct phase_record *p)
{
	double seconds;
	extent(p, &to->bytes, &seconds);
	struct series series = series_of(p);
	struct estimate rate = sweep_rate(&series);
	free((void *)series.t);
	to->qd = p->queue_depth ? p->queue_depth : NAN; /* an imported log may not say */
	to->mbps = rate_of(to->bytes, seconds);
	to->mbps_lo = rate.lo;
	to->mbps_hi = rate.hi;
	to->iops = seconds > 0 && p->ios ? (double)p->ios / seconds : NAN;
	to->power = power_of(joules_of(p), seconds, to->bytes);
	to->nand_bytes = known(p->nand_bytes) + (p->idle_before > 0 ? known(p->idle_nand_bytes) : 0);
	to->die_busy = p->die_busy;
	to->latency = latency_of(p->latency);
	to->occupancy = sweep_occupancy(to->iops, to->latency.mean_us / 1e6, p->queue_depth);
}

void build_sweep(struct review_sweep *s, const struct test_record *t)
{
	struct sweep_point *points = xcalloc(t->nphases + 1, sizeof *points);
	s->points = xcalloc(t->nphases, sizeof *s->points);
	s->npoints = t->nphases;
	for (size_t i = 0; i < t->nphases; i++) {
		struct review_sweep_point *p = &s->points[i];
		sweep_phase(p, &t->phases[i]);
		points[i] = (struct sweep_point){
			t->phases[i].queue_depth, {p->mbps, p->mbps_lo, p->mbps_hi}, p->power.power_w};
	}
	struct sweep_figures g;
	sweep_figures(points, t->nphases, &g);
	free(points);
	s->score_mbps = g.score_mbps;
	s->score = (struct review_power){g.score_watts, g.score_mbps_per_w};
	s->saturation_qd = g.saturation_qd ? g.saturation_qd : NAN;
	s->loss = NAN;
}

void build_mixed(struct review_mixed *m, const struct test_record *t)
{
	m->points = xcalloc(t->nphases, sizeof *m->points);
	m->npoints = t->nphases;
	for (size_t i = 0; i < t->nphases; i++) {
		const struct phase_record *p = &t->phases[i];
		double bytes, seconds;
		extent(p, &bytes, &seconds);
		m->points[i] = (struct review_mixed_point){
			.read_share = !strcmp(p->op, "read")	? 1
				      : !strcmp(p->op, "write") ? 0
								: p->read_share,
			.mbps = rate_of(bytes, seconds),
			.iops = seconds > 0 && p->ios ? (double)p->ios / seconds : NAN,
			.power = power_of(joules_of(p), seconds, bytes),
			.latency = latency_of(p->latency),
		};
	}
}

void build_idle(struct review_idle *idle, const struct test_record *t)
{
	idle->active_w = idle->low_power_w = NAN;
	for (size_t i = 0; i < t->nphases; i++) {
		const struct phase_record *p = &t->phases[i];
		double w = power_of(joules_of(p), nsec_to_s(p->duration), 0).power_w;
		if (!strcmp(p->name, "active"))
			idle->active_w = w;
		else if (!strcmp(p->name, "low-power"))
			idle->low_power_w = w;
	}
}

/* The cache of this very test: the phase that exhausted it is a small fill. Among its many slow samples the few of a
 * small cache may not be enough to be believed; then the shorter writing after the longest idle, the last phase, tells.
 */
static struct cache_figures own_cache(const struct test_record *t)
{
	struct cache_figures found = {.bytes = NAN, .mbps = NAN};
	for (size_t i = 0; i < 2 && i < t->nphases && isnan(found.mbps); i++) {
		const struct phase_record *p = &t->phases[i == 0 ? 0 : t->nphases - 1];
		if (!p->nsamples)
			continue;
		struct series series = series_of(p);
		struct fill_figures g;
		analyse_fill(&series, NULL, &g);
		free((void *)series.t);
		if (g.cache.verdict == CACHE_FOUND)
			found = g.cache;
		fill_figures_free(&g);
	}
	return found;
}

void build_recovery(struct review_recovery *r, const struct test_record *t, const struct fill_figures *fill)
{
	struct cache_figures cache = own_cache(t);
	if (isnan(cache.mbps) && fill)
		cache = fill->cache;
	struct recovery_point *points = xcalloc(t->nphases + 1, sizeof *points);
	r->points = xcalloc(t->nphases, sizeof *r->points);
	for (size_t i = 0; i < t->nphases; i++) {
		const struct phase_record *p = &t->phases[i];
		if (strncmp(p->name, "idle-", 5))
			continue;
		struct series series = series_of(p);
		struct recovery_point *from = &points[r->npoints];
		recovery_point(&series, cache.mbps, nsec_to_s(p->idle_before), from);
		free((void *)series.t);
		/* Without the cache's rate nothing can be at it: that is not 0 bytes, but not known. */
		r->points[r->npoints++] = (struct review_recovery_point){.idle_seconds = from->idle_s,
			.fill_level = p->fill_level,
			.fast_bytes = isnan(cache.mbps) ? NAN : from->fast_bytes,
			.mbps = from->mbps,
			.mbps_ratio = from->mbps_ratio,
			.fell = from->fell};
	}
	struct reclaim reclaim;
	recovery_reclaim(points, r->npoints, cache.bytes, &reclaim);
	r->reclaim_mbps = reclaim.mbps;
	r->full_seconds = reclaim.full_s;
	free(points);
}
