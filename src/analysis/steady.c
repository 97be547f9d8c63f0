// SPDX-License-Identifier: MIT
#include "analysis/steady.h"

#include <math.h>

static void window_figures(const double *y, struct steady_figures *out)
{
	double mean = 0, slope = 0, least = y[0], most = y[0];
	for (size_t i = 0; i < STEADY_WINDOW; i++) {
		mean += y[i] / STEADY_WINDOW;
		least = fmin(least, y[i]);
		most = fmax(most, y[i]);
	}
	/* Rounds are 1 apart: slope = sum (i - 2) (y - mean) / sum (i - 2)^2, and the second sum is 10. */
	for (size_t i = 0; i < STEADY_WINDOW; i++)
		slope += ((double)i - 2) * (y[i] - mean) / 10;
	out->mean = mean;
	out->range = (most - least) / mean;
	out->slope = fabs(slope) * (STEADY_WINDOW - 1) / mean;
	out->line_start = mean - 2 * slope;
	out->line_end = mean + 2 * slope;
}

void steady_state(const double *round, size_t n, struct steady_figures *out)
{
	n = n < STEADY_MOST_ROUNDS ? n : STEADY_MOST_ROUNDS;
	*out = (struct steady_figures){false, n, NAN, NAN, NAN, NAN, NAN};
	for (size_t end = STEADY_WINDOW; end <= n && !out->reached; end++) {
		window_figures(round + end - STEADY_WINDOW, out);
		out->reached = out->range <= STEADY_RANGE && out->slope <= STEADY_SLOPE;
		out->rounds = end;
	}
}

size_t steady_rounds(const struct series *s, double seconds, double *round, size_t most)
{
	size_t n = 0;
	double last = 0, bytes = 0, border = seconds;
	if (!(seconds > 0))
		return 0;
	for (size_t i = 0; i < s->n && n < most; i++) {
		double t = s->t[i], left = s->bytes[i];
		if (!isfinite(t) || !isfinite(left) || !(t > last))
			continue;
		while (t >= border && n < most) {
			double share = left * (border - last) / (t - last);
			round[n++] = (bytes + share) / seconds / 1e6;
			left -= share;
			last = border;
			bytes = 0;
			border = (double)(n + 1) * seconds;
			if (!(t > last))
				break;
		}
		bytes += left;
		last = t;
	}
	return n;
}
