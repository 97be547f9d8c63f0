// SPDX-License-Identifier: MIT
#include "sane.h"

#include <math.h>

static bool usable(double x)
{
	return isfinite(x) && x >= 0;
}

/* lo <= value <= hi, all usable, or no interval at all. */
static bool is_interval(double lo, double value, double hi)
{
	if (isnan(lo) && isnan(hi))
		return true;
	return usable(lo) && usable(hi) && lo <= value * (1 + 1e-9) && hi >= value * (1 - 1e-9);
}

static const char *check_stage(const struct fill_figures *f, size_t i)
{
	const struct stage *s = &f->stages[i];
	if (!usable(s->start_bytes) || !usable(s->end_bytes) || !usable(s->start_s) || !usable(s->end_s))
		return "a stage's place is not a number";
	if (s->end_bytes < s->start_bytes || s->end_s < s->start_s)
		return "a stage ends before it begins";
	if (i > 0 && (s->start_bytes != f->stages[i - 1].end_bytes || s->start_s != f->stages[i - 1].end_s))
		return "stages do not follow each other";
	if (!usable(s->mbps) || !usable(s->median_mbps) || !usable(s->p5_mbps) || !usable(s->p95_mbps))
		return "a stage's rate is not a number";
	if (s->p5_mbps > s->median_mbps || s->median_mbps > s->p95_mbps)
		return "quantiles are out of order";
	if (!is_interval(s->mbps_lo, s->mbps, s->mbps_hi))
		return "a stage's interval does not hold its rate";
	return NULL;
}

static const char *check_cache(const struct fill_figures *f)
{
	const struct cache_figures *c = &f->cache;
	if (c->verdict != CACHE_FOUND) {
		bool absent = isnan(c->bytes) && isnan(c->bytes_lo) && isnan(c->bytes_hi) && isnan(c->mbps) &&
			      isnan(c->after_mbps) && isnan(c->after_mean_mbps);
		return absent ? NULL : "figures of a cache that was not found";
	}
	if (!usable(c->bytes) || c->bytes > f->bytes || isnan(c->bytes_lo) ||
		!is_interval(c->bytes_lo, c->bytes, c->bytes_hi))
		return "the cache's size is not within its interval";
	if (!usable(c->mbps) || !usable(c->after_mbps) || !usable(c->after_mean_mbps))
		return "a rate of the cache is not a number";
	return NULL;
}

const char *analyse_sanely(const struct series *s, struct fill_figures *f)
{
	analyse_fill(s, NULL, f);
	if (!usable(f->bytes) || !usable(f->seconds))
		return "bytes or seconds are not a number";
	if (f->seconds > 0 &&
		(!usable(f->mean_mbps) || !usable(f->min_mbps) || !usable(f->max_mbps) || f->min_mbps > f->max_mbps))
		return "the rates of the whole are not numbers";
	for (size_t i = 0; i < f->nstages; i++) {
		const char *wrong = check_stage(f, i);
		if (wrong)
			return wrong;
	}
	for (size_t i = 0; i < f->nstalls; i++)
		if (!usable(f->stalls[i].start_s) || !(f->stalls[i].end_s > f->stalls[i].start_s))
			return "a stall is no stretch of time";
	return check_cache(f);
}
