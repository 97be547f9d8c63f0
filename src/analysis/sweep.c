// SPDX-License-Identifier: MIT
#include "analysis/sweep.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>

#define SATURATED 0.95

/* The half-width of the interval of a stage's rate as a share of it. Of too few samples for batches: half of their
 * range, which is wider than the interval of a mean of four or five would be. */
static double share_of_interval(const double *bytes, const double *seconds, size_t n)
{
	struct estimate e = stats_rate(bytes, seconds, n);
	if (isnan(e.lo)) {
		e.lo = INFINITY, e.hi = 0;
		for (size_t i = 0; i < n; i++) {
			e.lo = fmin(e.lo, bytes[i] / seconds[i]);
			e.hi = fmax(e.hi, bytes[i] / seconds[i]);
		}
	}
	return (e.hi - e.lo) / 2 / e.value;
}

/* With stages, the scatter is that within each of them: time is the sum of theirs, and so are its errors, which are
 * independent. */
static struct estimate rate_of_stages(const struct series *s, const double *seconds, const struct fill_figures *f)
{
	double bytes = 0, time = 0, squares = 0;
	size_t from = 0;
	for (size_t k = 0; k < f->nstages; k++) {
		size_t to = from;
		double spent = 0;
		/* A sample belongs to the stage that holds its middle. */
		while (to < s->n && (k + 1 == f->nstages || s->t[to] - seconds[to] / 2 < f->stages[k].end_s)) {
			bytes += s->bytes[to];
			spent += seconds[to++];
		}
		double error = to > from ? spent * share_of_interval(s->bytes + from, seconds + from, to - from) : 0;
		squares += error * error;
		time += spent;
		from = to;
	}
	double rate = bytes / time, half = rate * sqrt(squares) / time;
	return (struct estimate){rate, fmax(0, rate - half), rate + half};
}

struct estimate sweep_rate(const struct series *s)
{
	struct fill_figures f;
	double *seconds = xmalloc((s->n + 1) * sizeof *seconds);
	for (size_t i = 0; i < s->n; i++)
		seconds[i] = s->t[i] - (i ? s->t[i - 1] : 0);
	struct estimate e = stats_rate(s->bytes, seconds, s->n);
	analyse_fill(s, NULL, &f);
	/* A stage in which nothing moved, and a time that stood still, leave no share to tell. */
	struct estimate cut = f.nstages > 1 ? rate_of_stages(s, seconds, &f) : e;
	if (isfinite(cut.lo) && isfinite(cut.hi))
		e = cut;
	fill_figures_free(&f);
	free(seconds);
	return (struct estimate){e.value / 1e6, e.lo / 1e6, e.hi / 1e6};
}

/* Whether the point may be saturated, as far as the intervals tell. */
static bool may_be_saturated(const struct sweep_point *p, size_t n, size_t i, double max)
{
	double hi = fmax(p[i].mbps.value, p[i].mbps.hi); /* a missing interval is the value itself */
	if (hi < SATURATED * max)
		return false;
	for (size_t j = i + 1; j < n; j++)
		if (fmin(p[j].mbps.value, p[j].mbps.lo) > p[i].mbps.value / SATURATED)
			return false;
	return true;
}

void sweep_figures(const struct sweep_point *p, size_t n, struct sweep_figures *out)
{
	*out = (struct sweep_figures){NAN, NAN, NAN, 0, 0, NAN};
	double rates = 0, watts = 0;
	int scored = 0;
	for (size_t i = 0; i < n; i++) {
		out->max_mbps = fmax(out->max_mbps, p[i].mbps.value);
		if (p[i].qd == 1 || p[i].qd == 2 || p[i].qd == 4) {
			rates += p[i].mbps.value;
			watts += p[i].watts;
			scored++;
		}
	}
	if (scored == 3) {
		out->score_mbps = rates / 3;
		out->score_watts = watts / 3;
		out->score_mbps_per_w = out->score_watts > 0 ? out->score_mbps / out->score_watts : NAN;
	}
	for (size_t i = n; i-- > 0;) {
		if (p[i].mbps.value >= SATURATED * out->max_mbps)
			out->saturation_qd = p[i].qd;
		if (may_be_saturated(p, n, i, out->max_mbps))
			out->saturation_qd_likely = p[i].qd;
	}
}

double sweep_occupancy(double iops, double mean_latency_s, unsigned qd)
{
	return iops * mean_latency_s / (double)qd;
}
