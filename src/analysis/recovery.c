// SPDX-License-Identifier: MIT
#include "analysis/recovery.h"

#include "analysis/curve.h"
#include "base/mem.h"

#include <math.h>
#include <stdlib.h>

void recovery_point(const struct series *s, double in_cache_mbps, double idle_s, struct recovery_point *out)
{
	*out = (struct recovery_point){.idle_s = idle_s, .fast_bytes = 0, .mbps = NAN, .mbps_ratio = NAN};
	struct curve c;
	curve_build(s, stages_defaults().noise_floor, &c);
	double fast = in_cache_mbps * 1e6, *scratch = xmalloc((c.n + 1) * sizeof *scratch);
	/* The step ends soon after the fall: a long fast part must not hide it. */
	double slow = range_quantile(c.r, c.n > 10 ? c.n - 5 : c.n / 2, c.n, 0.5, scratch);
	free(scratch);
	size_t fall = 0;
	double share = 0; /* of sample `fall` */
	if (!(fast > 0) || !(slow >= 0)) {
		curve_free(&c);
		return;
	}
	out->fell = slow < RECOVERY_FAST * fast;
	if (out->fell) {
		double half = log(fast / fmax(slow, 1e-3 * fast)) / 2, sum = 0, most = 0;
		for (size_t i = 0; i < c.n; i++) {
			double score = 1 - log(fast / fmax(c.r[i], 1e-3 * fast)) / half;
			sum += c.dt[i] * fmin(fmax(score, -1), 1);
			if (sum > most) {
				most = sum;
				fall = i + 1;
			}
		}
		/* The sample that contains the fall may stand on either side of it. */
		if (fall > 0 && c.r[fall - 1] < RECOVERY_FAST * fast)
			fall--;
		if (fall < c.n && c.r[fall] > slow * (1 + 3 * c.noise[fall]))
			share = fmin((c.r[fall] - slow) / (fast - slow), 1);
	} else {
		fall = c.n;
	}
	double seconds = 0;
	for (size_t i = 0; i < fall; i++)
		seconds += c.dt[i];
	if (fall > 0) {
		out->mbps = c.before[fall] / seconds / 1e6;
		out->mbps_ratio = out->mbps / in_cache_mbps;
	}
	if (fall == 0 || out->mbps_ratio >= RECOVERY_FAST)
		out->fast_bytes = c.before[fall] + (fall < c.n ? fast * share * c.dt[fall] : 0);
	curve_free(&c);
}

void recovery_reclaim(const struct recovery_point *p, size_t n, double cache_bytes, struct reclaim *out)
{
	*out = (struct reclaim){0, NAN, NAN, NAN};
	double size = cache_bytes, x = 0, y = 0, xx = 0, xy = 0;
	for (size_t i = 0; i < n && !(cache_bytes > 0); i++)
		size = fmax(size, p[i].fast_bytes);
	for (int pass = 0; pass < 2; pass++) {
		for (size_t i = 0; i < n; i++) {
			if (!p[i].fell || !(p[i].fast_bytes > 0) || p[i].fast_bytes >= RECOVERY_FULL * size)
				continue;
			if (pass == 0) {
				out->points++;
				x += p[i].idle_s;
				y += p[i].fast_bytes;
				continue;
			}
			double d = p[i].idle_s - x / (double)out->points;
			xx += d * d;
			xy += d * (p[i].fast_bytes - y / (double)out->points);
		}
	}
	if (out->points < 2 || !(xx > 0))
		return;
	double k = xy / xx;
	out->mbps = k / 1e6;
	out->at_zero = (y - k * x) / (double)out->points;
	if (k > 0)
		out->full_s = fmax(0, (size - out->at_zero) / k);
}
