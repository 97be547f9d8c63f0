// SPDX-License-Identifier: MIT
#include "analysis/burst.h"

#include "analysis/stats.h"

#include <math.h>

double burst_mbps(const struct burst *b)
{
	return b->busy_s > 0 ? b->bytes / b->busy_s / 1e6 : NAN;
}

void burst_figures(const struct burst *b, size_t n, struct burst_figures *out)
{
	double idle = 0, sum = 0, squares = 0;
	*out = (struct burst_figures){NAN, NAN, NAN, NAN, n ? burst_mbps(&b[0]) : NAN, 0, 0, NAN};
	for (size_t i = 0; i < n; i++) {
		out->bytes += b[i].bytes;
		out->busy_s += b[i].busy_s;
		idle += b[i].idle_s;
		sum += burst_mbps(&b[i]);
	}
	if (!(out->busy_s > 0))
		return;
	double dn = (double)n;
	out->mbps = out->bytes / out->busy_s / 1e6;
	out->mean_of_bursts_mbps = sum / dn;
	out->duty = out->busy_s / (out->busy_s + idle);
	if (n < 3)
		return;
	for (size_t i = 0; i < n; i++)
		squares += pow(burst_mbps(&b[i]) - sum / dn, 2);
	double half = stats_t_quantile(0.975, dn - 1) * sqrt(squares / (dn - 1) / dn);
	out->mbps_lo = fmax(0, out->mbps - half);
	out->mbps_hi = out->mbps + half;
}
