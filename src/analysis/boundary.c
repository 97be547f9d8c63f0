// SPDX-License-Identifier: MIT
#include "analysis/boundary.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>

/* Shares of the run's time and of its bytes; docs/method.md, 2.4. */
#define WINDOW 0.03	 /* an edge happens within this share of the run ... */
#define WIDE_WINDOW 0.12 /* ... or within this one where the stages alternate */
#define EDGE_SHARE 0.5	 /* ... and this much of the step (in logs) must happen there */
#define DUTY_LOW 0.3	 /* the earlier stage is for so much of its time at the low level of the later one ... */
#define DUTY_DIPS 0.05	 /* ... or it dips for so much of it ... */
#define DUTY_RETURNS 0.1 /* ... and the later one is for so much of its time back at the rate of the earlier */
#define TRANSITION_TIME 0.02
#define TRANSITION_SAMPLES 8
#define TRANSITION_BYTES 0.05

/* The mean rate over the `window` seconds before (or after) sample `at`, within [first, end). */
static double mean_near(const struct curve *c, size_t first, size_t at, size_t end, bool before, double window)
{
	double bytes = 0, seconds = 0;
	if (before)
		for (size_t i = at; i > first && seconds < window; i--) {
			bytes += c->b[i - 1];
			seconds += c->dt[i - 1];
		}
	else
		for (size_t i = at; i < end && seconds < window; i++) {
			bytes += c->b[i];
			seconds += c->dt[i];
		}
	return fmax(bytes / seconds, 1e-3 * c->q90);
}

/* The share of the step between two sides (in logs) that happens close to their boundary. */
static double edge_share(const struct pieces *p, const struct side *l, const struct side *r)
{
	const struct curve *c = p->curve;
	double run = p->time[p->m], window = fmax(fmax(5 * c->step, 3), WINDOW * run);
	const struct side *sides[2] = {l, r};
	for (int i = 0; i < 2; i++) {
		size_t segments = sides[i]->to - sides[i]->from;
		if (segments >= 6)
			window = fmax(window, fmin(WIDE_WINDOW * run, 16 * sides[i]->time / (double)segments));
	}
	double near = log(mean_near(c, l->first, r->first, r->end, false, window) /
			  mean_near(c, l->first, r->first, r->end, true, window));
	return near / log(r->mean / l->mean);
}

/* The share of the side's time that it spends below (or above) a rate. */
static double time_share(const struct curve *c, const struct side *s, bool below, double rate)
{
	double time = 0;
	for (size_t i = s->first; i < s->end; i++)
		if (below ? c->r[i] < rate : c->r[i] > rate)
			time += c->dt[i];
	return time / s->time;
}

/* Whether both sides alternate between the same two levels, so that only the duty changed. For drops only. */
static bool only_duty(const struct pieces *p, const struct side *l, const struct side *r, double *scratch)
{
	const struct curve *c = p->curve;
	if (r->mean >= l->mean)
		return false;
	if (time_share(c, l, true, 1.15 * range_quantile(c->r, r->first, r->end, 0.2, scratch)) >= DUTY_LOW)
		return true;
	double median = range_quantile(c->r, l->first, l->end, 0.5, scratch);
	return time_share(c, l, true, 0.85 * median) >= DUTY_DIPS &&
	       time_share(c, r, false, 0.9 * median) >= DUTY_RETURNS;
}

size_t find_edges(const struct pieces *p, size_t *bounds, size_t stages, struct boundary *edges, bool *gradual)
{
	const struct curve *c = p->curve;
	while (stages > 1) {
		double least = EDGE_SHARE;
		size_t weakest = 0;
		for (size_t i = 1; i < stages; i++) {
			struct side l = side_of(p, bounds[i - 1], bounds[i]), r = side_of(p, bounds[i], bounds[i + 1]);
			double share = edge_share(p, &l, &r);
			if (!(share >= least)) {
				least = share;
				weakest = i;
			}
		}
		if (weakest == 0)
			break;
		*gradual = true;
		stages = drop_bound(bounds, stages, weakest);
	}
	double *scratch = xmalloc((c->n + 1) * sizeof *scratch);
	for (size_t i = 1; i < stages;) {
		struct side l = side_of(p, bounds[i - 1], bounds[i]), r = side_of(p, bounds[i], bounds[i + 1]);
		if (!only_duty(p, &l, &r, scratch)) {
			i++;
			continue;
		}
		stages = drop_bound(bounds, stages, i);
		i = i > 1 ? i - 1 : 1;
	}
	free(scratch);
	size_t n = 0;
	for (size_t i = 1; i < stages; i++) {
		edges[n] = (struct boundary){bounds[i], bounds[i]};
		while (i + 1 < stages) {
			struct side l = side_of(p, bounds[i - 1], bounds[i]), s = side_of(p, bounds[i], bounds[i + 1]);
			struct side r = side_of(p, bounds[i + 1], bounds[i + 2]);
			bool within = (s.mean < l.mean && s.mean > r.mean) || (s.mean > l.mean && s.mean < r.mean);
			bool brief = s.time < TRANSITION_TIME * p->time[p->m] || s.n < TRANSITION_SAMPLES;
			if (!within || !brief || s.mean * s.time >= TRANSITION_BYTES * p->bytes[p->m])
				break;
			edges[n].transition = bounds[i + 1];
			stages = drop_bound(bounds, stages, i + 1);
		}
		n++;
	}
	return n;
}
