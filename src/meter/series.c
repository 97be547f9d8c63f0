// SPDX-License-Identifier: MIT
#include "meter/series.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define GAP_PERIODS 3
#define MIN_COVERED 0.95

/* Whether the time between two neighbours is covered, and from where on the second sample's mean covers it. */
static bool is_gap(const struct series *s, const struct meter_sample *a, const struct meter_sample *b)
{
	nsec from = b->length && b->at - b->length > a->at ? b->at - b->length : a->at;
	return s->period && (b->length ? from - a->at : b->at - a->at) > GAP_PERIODS * s->period;
}

/* Energy and covered time from the sample before `i` to time `t` within (that sample, sample i]. */
static void segment(const struct series *s, size_t i, nsec t, double *joules, nsec *covered)
{
	const struct meter_sample *a = &s->point[i - 1].sample, *b = &s->point[i].sample;
	*joules = 0;
	*covered = 0;
	if (is_gap(s, a, b)) {
		/* Of a mean, its own interval is still known. */
		nsec from = b->at - b->length;
		if (b->length && t > from) {
			*covered = t - from;
			*joules = b->watts * nsec_to_s(*covered);
		}
		return;
	}
	*covered = t - a->at;
	double share = (double)(t - a->at) / (double)(b->at - a->at);
	double at_t = b->length ? b->watts : a->watts + share * (b->watts - a->watts);
	double at_a = b->length ? b->watts : a->watts;
	*joules = (at_a + at_t) / 2 * nsec_to_s(*covered);
}

static void book(struct series *s, size_t i)
{
	struct series_point *p = &s->point[i];
	double joules;
	nsec covered;
	p->joules = 0;
	p->covered = 0;
	if (!i)
		return;
	segment(s, i, p->sample.at, &joules, &covered);
	p->joules = p[-1].joules + joules;
	p->covered = p[-1].covered + covered;
}

bool series_add(struct series *s, const struct meter_sample *sample)
{
	if (s->count && sample->at <= s->point[s->count - 1].sample.at)
		return false;
	GROW(s->point, s->count, s->room);
	s->point[s->count++] = (struct series_point){.sample = *sample};
	book(s, s->count - 1);
	return true;
}

static int by_size(const void *a, const void *b)
{
	nsec x = *(const nsec *)a, y = *(const nsec *)b;
	return (x > y) - (x < y);
}

void series_settle(struct series *s)
{
	if (s->count < 2)
		return;
	nsec *distance = xmalloc((s->count - 1) * sizeof *distance);
	for (size_t i = 1; i < s->count; i++)
		distance[i - 1] = s->point[i].sample.at - s->point[i - 1].sample.at;
	qsort(distance, s->count - 1, sizeof *distance, by_size);
	s->period = distance[(s->count - 1) / 2];
	free(distance);
	for (size_t i = 0; i < s->count; i++)
		book(s, i);
}

void series_shift(struct series *s, nsec offset)
{
	for (size_t i = 0; i < s->count; i++)
		s->point[i].sample.at += offset;
}

/* The first sample that is later than `t`. */
static size_t after(const struct series *s, nsec t)
{
	size_t lo = 0, hi = s->count;
	while (lo < hi) {
		size_t mid = (lo + hi) / 2;
		if (s->point[mid].sample.at > t)
			hi = mid;
		else
			lo = mid + 1;
	}
	return lo;
}

/* Energy and covered time from the first sample to `t`. */
static void until(const struct series *s, nsec t, double *joules, nsec *covered)
{
	size_t i = after(s, t);
	*joules = 0;
	*covered = 0;
	if (i == 0)
		return;
	double j = 0;
	nsec c = 0;
	if (i < s->count)
		segment(s, i, t, &j, &c);
	*joules = s->point[i - 1].joules + j;
	*covered = s->point[i - 1].covered + c;
}

void series_window(const struct series *s, nsec from, nsec to, struct meter_window *out)
{
	*out = (struct meter_window){.verdict = METER_NOT_YET, .watts = NAN, .joules = NAN, .max_watts = NAN};
	if (!s->count || to > s->point[s->count - 1].sample.at || to <= from)
		return;
	double j0, j1;
	nsec c0, c1;
	until(s, from, &j0, &c0);
	until(s, to, &j1, &c1);
	out->covered = (double)(c1 - c0) / (double)(to - from);
	out->max_watts = -INFINITY;
	for (size_t i = after(s, from); i < s->count && s->point[i].sample.at <= to; i++) {
		const struct meter_sample *p = &s->point[i].sample;
		out->samples++;
		out->overruns += p->overrun;
		out->max_watts = p->watts > out->max_watts ? p->watts : out->max_watts;
	}
	if (out->covered < MIN_COVERED)
		out->verdict = METER_GAPS;
	else if (out->samples < METER_MIN_SAMPLES)
		out->verdict = METER_TOO_SLOW;
	else
		out->verdict = METER_OK;
	if (out->verdict != METER_OK)
		return;
	out->watts = (j1 - j0) / nsec_to_s(c1 - c0);
	out->joules = out->watts * nsec_to_s(to - from);
}

/* Mean power between two moments, NAN where nothing covers them. */
static double mean(const struct series *s, nsec from, nsec to)
{
	double j0, j1;
	nsec c0, c1;
	until(s, from, &j0, &c0);
	until(s, to, &j1, &c1);
	return c1 - c0 > (to - from) / 2 ? (j1 - j0) / nsec_to_s(c1 - c0) : NAN;
}

/* Sum over the edges of the step that the series shows when its clock is shifted by `lag`. */
static double steps(const struct series *s, const struct meter_edge *edge, size_t count, nsec lag)
{
	double sum = 0;
	for (size_t i = 0; i < count; i++) {
		nsec t = edge[i].at - lag;
		double step = mean(s, t, t + edge[i].around) - mean(s, t - edge[i].around, t);
		sum += edge[i].rises ? step : -step;
	}
	return isfinite(sum) ? sum : -INFINITY;
}

/* Pooled standard deviation of the samples around the edges, each side about its own mean; *n is their number per side.
 */
static double spread(const struct series *s, const struct meter_edge *edge, size_t count, nsec lag, double *n)
{
	double squares = 0;
	size_t total = 0, sides = 0;
	for (size_t i = 0; i < 2 * count; i++) {
		nsec t = edge[i / 2].at - lag, around = edge[i / 2].around;
		nsec from = i % 2 ? t : t - around, to = from + around;
		double m = mean(s, from, to);
		sides++;
		/* The sample next to the edge straddles it. */
		for (size_t k = after(s, from + s->period); k < s->count && s->point[k].sample.at < to - s->period;
			k++) {
			squares += (s->point[k].sample.watts - m) * (s->point[k].sample.watts - m);
			total++;
		}
	}
	*n = sides ? (double)total / (double)sides : 0;
	return total > 1 ? sqrt(squares / (double)(total - 1)) : NAN;
}

bool series_align(
	const struct series *s, const struct meter_edge *edge, size_t count, nsec range, nsec *offset, nsec *error)
{
	if (!count || !s->period)
		return false;
	nsec best = 0, step = s->period / 4 > 0 ? s->period / 4 : 1;
	double top = -INFINITY;
	for (nsec lag = -range; lag <= range; lag += step) {
		double score = steps(s, edge, count, lag);
		if (score > top) {
			top = score;
			best = lag;
		}
	}
	if (!isfinite(top))
		return false;
	double n, sd = spread(s, edge, count, best, &n), size = top / (double)count;
	if (!(n >= 2) || !(size > 3 * sd * sqrt(2 / (n * (double)count))) || size <= 0)
		return false;
	*offset = best;
	*error = (nsec)((double)s->period * (0.5 + (sd / size) * (sd / size)));
	return true;
}

void series_free(struct series *s)
{
	free(s->point);
	*s = (struct series){0};
}
