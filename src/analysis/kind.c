// SPDX-License-Identifier: MIT
#include "analysis/kind.h"

#include "analysis/stats.h"

#include <math.h>

#define MODE_DISTANCE 0.3 /* of log rate: two rates that differ by 35 % */
#define MODE_SHARE 0.1
#define VALLEY 0.5   /* between two modes there are fewer than half as many samples as at the lesser one */
#define RAMP_FIT 0.5 /* a straight line explains so much of the variance */

static size_t count_in(const double *x, size_t n, double lo, double hi)
{
	size_t count = 0;
	for (size_t i = 0; i < n; i++)
		count += x[i] >= lo && x[i] <= hi;
	return count;
}

bool two_modes(double *x, size_t n)
{
	double cut = stats_quantile(x, n, 0.05) / 2 + stats_quantile(x, n, 0.95) / 2, low = 0, high = 0;
	size_t below = 0;
	for (int round = 0; round < 20; round++) {
		double sum[2] = {0};
		below = 0;
		for (size_t i = 0; i < n; i++) {
			below += x[i] < cut;
			sum[x[i] >= cut] += x[i];
		}
		if (below == 0 || below == n)
			return false;
		low = sum[0] / (double)below;
		high = sum[1] / (double)(n - below);
		if (cut == (low + high) / 2)
			break;
		cut = (low + high) / 2;
	}
	if ((double)below < MODE_SHARE * (double)n || (double)(n - below) < MODE_SHARE * (double)n)
		return false;
	stats_quantile(x, n, (double)below / (double)n); /* puts the lower ones first */
	low = stats_quantile(x, below, 0.5);
	high = stats_quantile(x + below, n - below, 0.5);
	double d = (high - low) / 6;
	if (high - low < MODE_DISTANCE)
		return false;
	size_t valley = count_in(x, n, low + 2 * d, high - 2 * d);
	size_t at_low = count_in(x, n, low - d, low + d), at_high = count_in(x, n, high - d, high + d);
	return (double)valley < VALLEY * (double)(at_low < at_high ? at_low : at_high);
}

static bool is_ramp(const struct curve *c, size_t first, size_t end, double drop)
{
	double w = 0, wt = 0, wy = 0, tt = 0, ty = 0, yy = 0;
	for (size_t i = first; i < end; i++) {
		w += c->dt[i];
		wt += c->dt[i] * c->start[i];
		wy += c->dt[i] * c->y[i];
	}
	for (size_t i = first; i < end; i++) {
		double t = c->start[i] - wt / w, y = c->y[i] - wy / w;
		tt += c->dt[i] * t * t;
		ty += c->dt[i] * t * y;
		yy += c->dt[i] * y * y;
	}
	if (!(tt > 0) || !(yy > 0))
		return false;
	double length = c->start[end - 1] - c->start[first];
	return fabs(ty / tt) * length >= -log(drop) && ty * ty / (tt * yy) >= RAMP_FIT;
}

enum stage_kind stage_kind(const struct curve *c, size_t first, size_t end, double drop, double *scratch)
{
	size_t n = end - first;
	if (n < 8)
		return STAGE_STEADY;
	for (size_t i = 0; i < n; i++)
		scratch[i] = c->y[first + i];
	if (is_ramp(c, first, end, drop))
		return STAGE_RAMP;
	return two_modes(scratch, n) ? STAGE_ALTERNATING : STAGE_STEADY;
}
