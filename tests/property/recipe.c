// SPDX-License-Identifier: MIT
#include "recipe.h"

#include "base/mem.h"

#include <math.h>
#include <string.h>

#define SUBSTEPS 20 /* of a sample: the resolution of what happens in time; stages end to the byte */

double draw(struct rng *r, double lo, double hi)
{
	return lo + (hi - lo) * rng_unit(r);
}

double draw_log(struct rng *r, double lo, double hi)
{
	return exp(draw(r, log(lo), log(hi)));
}

double draw_normal(struct rng *r)
{
	double u = rng_unit(r), v = rng_unit(r);
	return sqrt(-2 * log(1 - u)) * cos(2 * M_PI * v);
}

double draw_exponential(struct rng *r, double mean)
{
	return -mean * log(1 - rng_unit(r));
}

/* The drive while it is written. */
struct drive {
	const struct recipe *recipe;
	struct rng *rng;
	double now, bytes;
	int stage;
	bool low;
	double switch_at; /* when an alternating stage changes its level */
	double dip_from, dip_to;
	double noise;	    /* of the sample that is going on, in the log */
	double stage_start; /* bytes */
	double stage_bytes[MOST_STAGES], stage_seconds[MOST_STAGES];
};

static double rate_now(struct drive *d)
{
	const struct recipe *r = d->recipe;
	int k = d->stage;
	double rate = r->stage[k].mbps;
	double done = (d->bytes - d->stage_start) / (r->stage[k].until_bytes - d->stage_start);
	if (r->stage[k].slide_to_mbps > 0)
		rate *= pow(r->stage[k].slide_to_mbps / rate, done);
	if (r->stage[k].low_s > 0) {
		while (d->now >= d->switch_at) {
			d->low = !d->low;
			double mean = d->low ? r->stage[k].low_s : r->stage[k].high_s;
			if (d->low && r->stage[k].low_s_end > 0)
				mean *= pow(r->stage[k].low_s_end / mean, done);
			d->switch_at += r->stage[k].regular ? mean : fmax(draw_exponential(d->rng, mean), 0.2 * mean);
		}
		rate = d->low ? r->stage[k].low_mbps : rate;
	}
	while (r->dip_every_s > 0 && d->now >= d->dip_to) {
		d->dip_from = d->dip_to + draw_exponential(d->rng, r->dip_every_s);
		d->dip_to = d->dip_from + r->dip_s * draw(d->rng, 0.5, 1.5);
	}
	if (r->dip_every_s > 0 && d->now >= d->dip_from && k >= r->dip_first && k <= r->dip_last)
		rate *= r->dip_factor;
	if (r->saw_s > 0 && k == 0)
		rate *= 1 - (1 - r->saw_factor) * fmod(d->now, r->saw_s) / r->saw_s;
	for (int i = 0; i < r->nslow; i++)
		if (d->now >= r->slow[i].start_s && d->now < r->slow[i].end_s)
			rate *= r->slow[i].factor;
	if (d->now < r->startup_s)
		rate *= r->startup_factor + (1 - r->startup_factor) * d->now / r->startup_s;
	rate *= exp(d->noise);
	for (int i = 0; i < r->nstalls; i++)
		if (d->now >= r->stall[i].start_s && d->now < r->stall[i].start_s + r->stall[i].seconds)
			rate = r->stall[i].mbps;
	return rate * 1e6;
}

static bool stalled(const struct drive *d)
{
	for (int i = 0; i < d->recipe->nstalls; i++)
		if (d->now >= d->recipe->stall[i].start_s &&
			d->now < d->recipe->stall[i].start_s + d->recipe->stall[i].seconds)
			return true;
	return false;
}

/* Writes until `until` or the end of the drive. */
static void write_on(struct drive *d, double until, double substep)
{
	const struct recipe *r = d->recipe;
	while (d->now < until - 1e-9 && d->stage < r->nstages) {
		double rate = rate_now(d), seconds = fmin(substep, until - d->now);
		double left = r->stage[d->stage].until_bytes - d->bytes;
		bool over = rate * seconds >= left;
		seconds = over ? left / rate : seconds;
		double bytes = over ? left : rate * seconds;
		if (!stalled(d)) {
			d->stage_bytes[d->stage] += bytes;
			d->stage_seconds[d->stage] += seconds;
		}
		d->bytes += bytes;
		d->now += seconds;
		if (over) {
			d->bytes = d->stage_start = r->stage[d->stage].until_bytes;
			d->stage++;
			d->switch_at = d->now;
			/* It must not begin at a rate that nobody could tell from the stage before. */
			bool alike =
				d->stage < r->nstages && r->stage[d->stage].mbps > 0.8 * r->stage[d->stage - 1].mbps;
			d->low = !alike && draw(d->rng, 0, 1) < 0.5;
		}
	}
}

void recipe_run(const struct recipe *r, struct rng *rng, struct labelled *out)
{
	struct drive d = {.recipe = r, .rng = rng};
	double *t = NULL, *bytes = NULL, ar = draw_normal(rng), nominal = 0;
	size_t n = 0, cap_t = 0, cap_b = 0;
	while (d.stage < r->nstages) {
		double before = d.bytes, start = n ? t[n - 1] : 0;
		ar = r->phi * ar + sqrt(1 - r->phi * r->phi) * draw_normal(rng);
		double sigma = r->stage[d.stage].sigma > 0 ? r->stage[d.stage].sigma : r->sigma;
		d.noise = sigma * ar - sigma * sigma / 2;
		if (r->outliers > 0 && draw(rng, 0, 1) < r->outliers)
			d.noise += log(r->outlier_factor);
		int rows = r->gaps > 0 && draw(rng, 0, 1) < 0.005 ? 1 + r->gaps : 1;
		nominal += rows * r->step_s;
		double true_end = nominal + r->jitter * r->step_s * draw(rng, -0.5, 0.5);
		write_on(&d, true_end, r->step_s / SUBSTEPS);
		double end = d.stage < r->nstages ? (r->jitter_hidden ? nominal : true_end) : d.now;
		if (n > 0 && end <= t[n - 1])
			end = t[n - 1] + 1e-4;
		double amount = round(d.bytes) - round(before);
		for (int half = r->odd_rows > 0 && draw(rng, 0, 1) < r->odd_rows ? 0 : 1; half < 2; half++) {
			double share = half == 0 ? 0.97 : 1; /* then a sliver of 3 %, or the whole */
			GROW(t, n, cap_t);
			GROW(bytes, n, cap_b);
			t[n] = start + share * (end - start);
			bytes[n] = half == 0 ? floor(share * amount) : amount;
			amount -= bytes[n++];
		}
	}
	out->series = (struct series){.n = n, .t = t, .bytes = bytes, .reached_end = true};
	out->capacity_bytes = d.bytes;
	out->average_mbps = d.bytes / t[n - 1] / 1e6;
	struct stretch *throttled = xmalloc(MOST_STAGES * sizeof *throttled);
	for (int i = 0; i < r->nslow; i++)
		if (r->slow[i].reported)
			throttled[out->series.nthrottled++] =
				(struct stretch){r->slow[i].start_s, fmin(r->slow[i].end_s, d.now)};
	out->series.throttled = throttled;
	for (int k = 0; k < r->nstages; k++) {
		out->stages[k].from_bytes = k ? r->stage[k - 1].until_bytes : 0;
		out->stages[k].to_bytes = r->stage[k].until_bytes;
		out->stages[k].mbps = d.stage_bytes[k] / d.stage_seconds[k] / 1e6;
	}
	for (int i = 0; i < r->nstalls; i++)
		if (r->stall[i].start_s + r->stall[i].seconds < d.now)
			out->stalls[out->nstalls++] =
				(struct stretch){r->stall[i].start_s, r->stall[i].start_s + r->stall[i].seconds};
}
