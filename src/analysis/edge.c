// SPDX-License-Identifier: MIT
#include "analysis/edge.h"

#include "analysis/kind.h"
#include "analysis/stats.h"

#include <math.h>
#include <string.h>

#define NEAR 128 /* the edge is looked for so many samples to either side */
#define SIDE 400 /* at most so many samples of a side describe it */
#define BINS 512
#define BIN 0.02	/* of log rate */
#define CLIP 5		/* one sample speaks at most e^5 : 1 for either side */
#define SLOW_NOISE 0.5	/* correlation of neighbours from which on noise is modelled as autoregressive */
#define LIGHT_TAILS 1.3 /* ... if the innovations' standard deviation is at most so many times the scaled median */
#define LIKELIER 6	/* with autoregressive noise, places up to e^6 times less likely are in the interval */
#define KERNEL 0.05	/* standard deviation of the smoothing, of log rate */
#define WALK 2.65	/* the two-sided 99 % constant of the walk bound: 2 exp(-2 x) = 0.01 (docs/method.md) */

/* Both sides as seen from the edge. Rates are of the log scale, mirrored (sign -1) where the rate rises, so that the
 * level before is always the higher one. */
struct view {
	const struct curve *c;
	size_t first, at, end; /* clipped to SIDE */
	double sign;
	double before, after; /* levels of sign * y */
	double noise_before, noise_after;
	double mid_before, mid_after; /* medians of the sides */
	bool slow_noise; /* the noise of both sides is autoregressive: correlation of neighbours, variance of
			    innovations */
	double phi_before, sigma2_before, phi_after, sigma2_after;
	bool likelihood; /* both sides are long enough to know their distributions */
	double log_ratio[BINS], lowest;
};

static double level(const struct view *v, size_t from, size_t to, double p)
{
	double x[SIDE];
	size_t k = 0;
	for (size_t i = from; i < to && k < SIDE; i++)
		x[k++] = v->sign * v->c->y[i];
	return stats_quantile(x, k, p);
}

static double spread(const struct view *v, size_t from, size_t to)
{
	double x[SIDE], mid = level(v, from, to, 0.5);
	size_t k = 0;
	for (size_t i = from; i < to && k < SIDE; i++)
		x[k++] = fabs(v->sign * v->c->y[i] - mid);
	return 1.4826 * stats_quantile(x, k, 0.5);
}

static size_t bin_of(const struct view *v, double y)
{
	double x = (v->sign * y - v->lowest) / BIN;
	return x <= 0 ? 0 : x >= BINS - 1 ? BINS - 1 : (size_t)x;
}

/* The smoothed distribution of log rates in [from, to), mixed with 5 % of a uniform one. */
static void density(const struct view *v, size_t from, size_t to, double *f)
{
	double count[BINS] = {0};
	for (size_t i = from; i < to; i++)
		count[bin_of(v, v->c->y[i])]++;
	int reach = (int)(4 * KERNEL / BIN);
	double kernel[32], sum = 0;
	for (int k = -reach; k <= reach; k++)
		sum += kernel[k + reach] = exp(-0.5 * (k * BIN / KERNEL) * (k * BIN / KERNEL));
	for (int j = 0; j < BINS; j++) {
		double x = 0;
		for (int k = -reach; k <= reach; k++)
			if (j + k >= 0 && j + k < BINS)
				x += count[j + k] * kernel[k + reach] / sum;
		f[j] = 0.95 * x / (double)(to - from) + 0.05 / BINS;
	}
}

/* Fits first-order autoregressive noise around their median to samples [from, to): correlation phi, variance of the
 * innovations. Returns false where it does not fit: two levels, or innovations with heavy tails as of dips. */
static bool fit_noise(const struct view *v, size_t from, size_t to, double *phi, double *sigma2)
{
	double x[SIDE], e[SIDE], mid = level(v, from, to, 0.5), sum2 = 0;
	size_t n = 0, k = 0;
	for (size_t i = from; i < to && n < SIDE; i++)
		x[n++] = v->sign * v->c->y[i] - mid;
	*phi = fmax(0, stats_lag1(x, n));
	for (size_t i = 1; i < n; i++) {
		e[k] = fabs(x[i] - *phi * x[i - 1]);
		sum2 += e[k] * e[k];
		k++;
	}
	*sigma2 = fmax(sum2 / (double)k, 1e-6);
	return sqrt(*sigma2) <= LIGHT_TAILS * 1.4826 * stats_quantile(e, k, 0.5) && !two_modes(x, n);
}

static void look(struct view *v, const struct curve *c, size_t first, size_t at, size_t end)
{
	memset(v, 0, sizeof *v);
	v->c = c;
	v->first = at - first > SIDE ? at - SIDE : first;
	v->end = end - at > SIDE ? at + SIDE : end;
	v->at = at;
	double mean[2] = {0};
	for (size_t i = v->first; i < v->end; i++)
		mean[i >= at] += c->y[i] / (double)(i >= at ? v->end - at : at - v->first);
	v->sign = mean[1] > mean[0] ? -1 : 1;
	/* The last two samples before the edge may belong to it. */
	size_t to = at - v->first >= 5 ? at - 2 : at, from = to - v->first > 64 ? to - 64 : v->first;
	v->before = level(v, from, to, 0.5);
	v->noise_before = fmax(fmin(spread(v, from, to), c->noise[from + (to - from) / 2]), 0.003);
	size_t near = at + 16 < v->end ? at + 16 : v->end, far = at + 64 < v->end ? at + 64 : v->end;
	double sigma = spread(v, at, near), high = level(v, at, near, 0.8), next = NAN;
	if (at + 4 <= v->end)
		next = level(v, at + 1, at + 4, 0.5);
	high = next > high ? next : high;
	v->after = high <= v->before - fmax(0.15, 4 * sigma) ? high : level(v, at, far, 0.5);
	v->noise_after =
		fmax(fmin(spread(v, at, far), c->noise[at + (far - at) / 2]), 0.003); /* also of one that alternates */
	if (at - v->first < 16 || v->end - at < 16)
		return;
	v->likelihood = true;
	v->lowest = fmin(level(v, v->first, at, 0), level(v, at, v->end, 0)) - 4 * KERNEL;
	v->mid_before = level(v, v->first, at - 2, 0.5);
	v->mid_after = level(v, at + 2, v->end, 0.5);
	v->slow_noise = fit_noise(v, v->first, at - 2, &v->phi_before, &v->sigma2_before) &&
			fit_noise(v, at + 2, v->end, &v->phi_after, &v->sigma2_after) &&
			fmax(v->phi_before, v->phi_after) >= SLOW_NOISE;
	double left[BINS], right[BINS];
	density(v, v->first, at - 2, left);
	density(v, at + 2, v->end, right);
	for (size_t j = 0; j < BINS; j++)
		v->log_ratio[j] = fmin(fmax(log(left[j] / right[j]), -CLIP), CLIP);
}

/* Under autoregressive noise: how much likelier the innovations of samples i and i + 1 are if i is the last sample of
 * the earlier stage than if it is the first of the later one. */
static double innovation_score(const struct view *v, size_t i)
{
	const double *y = v->c->y + i;
	if (i == 0 || i + 1 >= v->c->n)
		return 0;
	double a0 = v->sign * y[-1] - v->mid_before, a1 = v->sign * y[0] - v->mid_before;
	double b1 = v->sign * y[0] - v->mid_after, b2 = v->sign * y[1] - v->mid_after;
	double first = pow(b1 - v->phi_after * a0, 2) + pow(b2 - v->phi_after * b1, 2) - pow(b2 - v->phi_after * a1, 2);
	double last = pow(a1 - v->phi_before * a0, 2);
	return first / (2 * v->sigma2_after) - last / (2 * v->sigma2_before) +
	       log(v->sigma2_after / v->sigma2_before) / 2;
}

/* How much sample i speaks for the earlier stage (> 0) or the later one (< 0). */
static double score(const struct view *v, size_t i)
{
	if (v->slow_noise)
		return innovation_score(v, i);
	if (v->likelihood)
		return v->log_ratio[bin_of(v, v->c->y[i])];
	double half = (v->before - v->after) / 2;
	if (!(half > 0))
		return 0;
	return fmin(fmax((v->sign * v->c->y[i] - v->after - half) / half, -1), 1);
}

/* How far the sum of the scores of [from, to) may run against its trend by chance: 2.65 x long-run variance / |mean|.
 */
static double walk_bound(const struct view *v, size_t from, size_t to)
{
	double g[SIDE], mean = 0, lrv = 0;
	size_t n = 0;
	if (v->slow_noise)
		return LIKELIER;
	for (size_t i = from; i < to && n < SIDE; i++)
		mean += g[n++] = score(v, i);
	if (n < 2)
		return 0;
	mean /= (double)n;
	for (size_t q = 1; q <= 16; q *= 4) {
		size_t k = n / q;
		if (k < 4 && q > 1)
			break;
		double sum = 0, sum2 = 0;
		for (size_t j = 0; j < k; j++) {
			double b = 0;
			for (size_t i = 0; i < q; i++)
				b += g[j * q + i] / (double)q;
			sum += b;
			sum2 += b * b;
		}
		double dk = (double)k;
		lrv = fmax(lrv, (double)q * (sum2 - sum * sum / dk) / (dk - 1));
	}
	return fabs(mean) > 0 ? WALK * lrv / fabs(mean) : INFINITY;
}

/* The share of sample i that belongs to the earlier stage, if its rate lies between the levels beyond their noise; else
 * -1. */
static double inside(const struct view *v, size_t i)
{
	double r = v->sign * v->c->y[i];
	if (!(r < v->before - 3 * v->noise_before) || !(r > v->after + 3 * v->noise_after))
		return -1;
	double a = exp(v->sign * v->before), b = exp(v->sign * v->after);
	return fmin(fmax((exp(v->c->y[i]) - b) / (a - b), 0), 1);
}

struct edge edge_place(const struct curve *c, size_t first, size_t at, size_t end)
{
	struct view v;
	look(&v, c, first, at, end);
	/* The edges at the other ends of the two stages do the same: none may pass the middle between them. */
	size_t back = first > 0 ? (at - first - 2) / 2 : at - v.first - 1,
	       ahead = end < c->n ? (end - at - 1) / 2 : v.end - at - 1;
	size_t from = at - (back < NEAR ? back : NEAR), to = at + (ahead < NEAR ? ahead : NEAR);
	double sum = 0, most = -INFINITY;
	size_t best = at;
	for (size_t i = from; i <= to; i++) { /* the sum up to, not including, sample i */
		if (sum > most) {
			most = sum;
			best = i;
		}
		sum += score(&v, i);
	}
	struct edge e = {.sample = best, .bytes = c->before[best], .seconds = c->start[best]};
	double a = exp(v.sign * v.before), b = exp(v.sign * v.after);
	double x = inside(&v, best - 1), y = inside(&v, best);
	size_t left = best, right = best; /* the samples [left, right) contain the edge */
	if (x >= 0 || y >= 0) {
		size_t s = x >= 0 ? best - 1 : best;
		double before =
			fmax(x, 0) * c->dt[best - 1] + fmax(y, 0) * c->dt[best]; /* s of them at the first level */
		left = s;
		right = y >= 0 ? best + 1 : best;
		e.sample = s;
		e.bytes = fmin(c->before[s] + a * before, c->before[right]);
		e.seconds = fmin(c->start[s] + before, c->start[right - 1] + c->dt[right - 1]);
	}
	e.lo = c->before[left];
	e.hi = c->before[right];
	if (a != b) {
		/* What the noise of the neighbours can hide, and how far they have left their level already. */
		double fast = a * (1 + 3 * v.noise_before), step = fabs(a - b);
		if (left > first) {
			double hidden = 3 * v.noise_before * a / step;
			if (v.sign > 0)
				hidden = fmax(hidden, (fast - c->r[left - 1]) / step);
			e.lo -= c->b[left - 1] * fmin(1, hidden);
		}
		if (right < end) {
			double hidden = 3 * v.noise_after * b / step;
			size_t far = at + 64 < v.end ? at + 64 : v.end;
			double low = exp(v.sign * level(&v, at, far, 0.1));
			if (v.sign > 0 && low < b)
				hidden = fmax(hidden, (c->r[right] * (1 + 3 * v.noise_before) - low) / (a - low));
			e.hi += fmin(c->b[right], a * c->dt[right] * fmin(1, hidden));
		}
	}
	double low_walk = walk_bound(&v, at + 2 < v.end ? at + 2 : at, v.end);
	double high_walk = walk_bound(&v, v.first, at > v.first + 2 ? at - 2 : at);
	double down = 0;
	for (size_t i = best; i > v.first; i--) {
		down += score(&v, i - 1);
		if (down <= low_walk && c->before[i - 1] < e.lo)
			e.lo = c->before[i - 1];
	}
	double up = 0;
	for (size_t i = best; i < v.end; i++) {
		up -= score(&v, i);
		if (up <= high_walk && c->before[i + 1] > e.hi)
			e.hi = c->before[i + 1];
	}
	return e;
}
