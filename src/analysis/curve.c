// SPDX-License-Identifier: MIT
#include "analysis/curve.h"

#include "analysis/stats.h"
#include "base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What lies outside of these is no measurement: an exabyte in one sample, thirty years, a step below a microsecond. */
#define MOST_BYTES 1e18
#define MOST_SECONDS 1e9
#define LEAST_STEP 1e-6
/* A longer series is first joined in groups of neighbours: its resolution stays a millionth of the run. */
#define MOST_SAMPLES ((size_t)1 << 20)

double range_quantile(const double *x, size_t from, size_t to, double p, double *scratch)
{
	if (from >= to)
		return NAN;
	memcpy(scratch, x + from, (to - from) * sizeof *x);
	return stats_quantile(scratch, to - from, p);
}

/* Appends a sample. */
static void append(struct curve *c, double bytes, double seconds)
{
	c->b[c->n] = bytes;
	c->dt[c->n++] = seconds;
}

static void join_last(struct curve *c, double bytes, double seconds)
{
	c->b[c->n - 1] += bytes;
	c->dt[c->n - 1] += seconds;
}

/* Reads the usable samples of the series, in groups of `group`. Bytes whose time does not advance belong to the sample
 * before (to the next one where there is none). */
static void read_samples(struct curve *c, const struct series *s, size_t group)
{
	double last = 0, bytes = 0;
	size_t in_group = 0;
	for (size_t i = 0; i < s->n; i++) {
		double t = s->t[i], b = s->bytes[i];
		if (!(t <= MOST_SECONDS) || !(t >= -MOST_SECONDS) || !(b >= 0) || !(b <= MOST_BYTES))
			continue;
		c->bytes += b;
		bytes += b;
		if (++in_group < group && i + 1 < s->n)
			continue;
		if (t - last >= LEAST_STEP) {
			append(c, bytes, t - last);
			last = t;
			bytes = 0;
			in_group = 0;
		} else if (c->n > 0) {
			join_last(c, bytes, 0);
			bytes = 0;
		}
	}
	if (bytes > 0 && c->n > 0)
		join_last(c, bytes, 0);
	c->seconds = last;
}

/* Joins samples that are much shorter than the rest (a partial last one, repeated times) to the one before. */
static void join_short(struct curve *c, double *scratch)
{
	if (c->n == 0)
		return;
	c->step = range_quantile(c->dt, 0, c->n, 0.5, scratch);
	size_t n = c->n;
	c->n = 0;
	for (size_t i = 0; i < n; i++) {
		bool brief = c->dt[i] < 0.4 * c->step;
		if (c->n > 0 && brief && c->dt[c->n - 1] < 1.4 * c->step)
			join_last(c, c->b[i], c->dt[i]);
		else if (c->n == 1 && c->dt[0] < 0.4 * c->step)
			join_last(c, c->b[i], c->dt[i]);
		else
			append(c, c->b[i], c->dt[i]);
	}
}

/* Whether the slow run [from, to) is a stall: nearly nothing was written in it, or the rates around it are alike and
 * far above it. `at` receives the first sample after the part that is one, *from its first. */
static bool is_stall(const struct curve *c, size_t *from, size_t *to, double *scratch)
{
	double limit = fmax(1e6, 0.002 * c->q90), seconds = 0, most = 0;
	for (size_t i = *from; i < *to; i++) {
		seconds += c->dt[i];
		most = fmax(most, c->r[i]);
	}
	if (*to - *from >= 2 && seconds >= 2 && seconds <= 120) {
		if (most < limit)
			return true;
		double before = range_quantile(c->r, *from > 8 ? *from - 8 : 0, *from, 0.5, scratch);
		double after = range_quantile(c->r, *to, *to + 8 < c->n ? *to + 8 : c->n, 0.5, scratch);
		if (most < 0.02 * fmin(before, after) && before <= 2 * after && after <= 2 * before)
			return true;
	}
	/* A piece of it that stands still. */
	size_t end = *to;
	for (size_t i = *from; i < end;) {
		size_t j = i;
		for (seconds = 0; j < end && c->r[j] < limit; j++)
			seconds += c->dt[j];
		if (j - i >= 2 && seconds >= 2 && seconds <= 120) {
			*from = i;
			*to = j;
			return true;
		}
		i = j + 1;
	}
	return false;
}

/* Marks the samples of stalls in `out` and lists the stalls. */
static void find_stalls(struct curve *c, bool *out, double *scratch)
{
	size_t cap = 0;
	double top = range_quantile(c->r, 0, c->n, 0.995, scratch); /* of a short fast stage too */
	for (size_t i = 0; i < c->n;) {
		size_t to = i;
		while (to < c->n && c->r[to] < 0.02 * top)
			to++;
		if (to == i) {
			i++;
			continue;
		}
		size_t from = i, end = to;
		if (!is_stall(c, &from, &end, scratch)) {
			i = to;
			continue;
		}
		memset(out + from, true, end - from);
		GROW(c->stalls, c->nstalls, cap);
		c->stalls[c->nstalls++] = (struct stretch){c->start[from], c->start[end - 1] + c->dt[end - 1]};
		i = end;
	}
}

/* Removes the stalls' samples. The samples beside a stall were partly stalled: they count as their neighbour does. */
static void remove_stalls(struct curve *c, const bool *out)
{
	size_t n = c->n, k = 0;
	unsigned char *mark = xcalloc(n + 1, 1); /* of kept sample k: 1 = last before a stall, 2 = first after one */
	for (size_t i = 0; i < n; i++) {
		if (out[i])
			continue;
		mark[k] = (unsigned char)((i + 1 < n && out[i + 1] ? 1 : 0) | (i > 0 && out[i - 1] ? 2 : 0));
		c->b[k] = c->b[i];
		c->dt[k] = c->dt[i];
		c->r[k] = c->r[i];
		c->start[k] = c->start[i];
		c->before[k] = c->before[i];
		k++;
	}
	c->before[k] = c->before[n];
	c->n = k;
	for (size_t i = 0; i < k; i++)
		c->y[i] = log(fmax(c->r[i], 0.01 * c->q90));
	for (size_t i = 0; i < k; i++) {
		if ((mark[i] & 1) && i > 0 && !mark[i - 1])
			c->y[i] = fmax(c->y[i], c->y[i - 1]);
		if ((mark[i] & 2) && i + 1 < k && !mark[i + 1])
			c->y[i] = fmax(c->y[i], c->y[i + 1]);
	}
	free(mark);
}

/* Local noise: at nodes every 8 samples the scaled median of the differences of neighbours, linear between the nodes.
 */
static void measure_noise(struct curve *c, double noise_floor)
{
	size_t n = c->n, half = n < 64 ? n / 2 : 32, last = 0;
	double d[2 * 32 + 2], at_last = 0;
	for (size_t node = 0; node < n; node = node + 8 < n || node + 1 == n ? node + 8 : n - 1) {
		size_t from = node > half ? node - half : 0, to = node + half < n ? node + half + 1 : n, k = 0;
		for (size_t j = from + 1; j < to; j++)
			d[k++] = fabs(c->y[j] - c->y[j - 1]);
		double sigma = k ? fmax(noise_floor, 1.4826 / sqrt(2) * stats_quantile(d, k, 0.5)) : noise_floor;
		for (size_t j = last; j <= node; j++) {
			double x = node > last ? (double)(j - last) / (double)(node - last) : 1;
			c->noise[j] = (1 - x) * (node == 0 ? sigma : at_last) + x * sigma;
		}
		last = node;
		at_last = sigma;
	}
}

void curve_build(const struct series *s, double noise_floor, struct curve *c)
{
	memset(c, 0, sizeof *c);
	size_t group = (s->n + MOST_SAMPLES - 1) / MOST_SAMPLES, cap = s->n / (group ? group : 1) + 2;
	c->b = xmalloc(cap * sizeof *c->b);
	c->dt = xmalloc(cap * sizeof *c->dt);
	read_samples(c, s, group);
	double *scratch = xmalloc((c->n + 1) * sizeof *scratch);
	join_short(c, scratch);
	size_t n = c->n;
	c->r = xmalloc((n + 1) * sizeof *c->r);
	c->y = xmalloc((n + 1) * sizeof *c->y);
	c->noise = xmalloc((n + 1) * sizeof *c->noise);
	c->before = xmalloc((n + 1) * sizeof *c->before);
	c->start = xmalloc((n + 1) * sizeof *c->start);
	c->before[0] = 0;
	c->min_rate = c->max_rate = NAN;
	double now = 0;
	for (size_t i = 0; i < n; i++) {
		c->r[i] = c->b[i] / c->dt[i];
		c->start[i] = now;
		now += c->dt[i];
		c->before[i + 1] = c->before[i] + c->b[i];
		c->min_rate = fmin(c->min_rate, c->r[i]);
		c->max_rate = fmax(c->max_rate, c->r[i]);
	}
	if (n)
		c->bytes = c->before[n]; /* added up in the same order: no place may come out behind the end */
	c->q90 = n ? range_quantile(c->r, 0, n, 0.9, scratch) : 0;
	if (!(c->q90 > 0))
		c->q90 = n && c->max_rate > 0 ? c->max_rate : 1;
	bool *out = xcalloc(n + 1, sizeof *out);
	find_stalls(c, out, scratch);
	remove_stalls(c, out);
	measure_noise(c, noise_floor);
	free(out);
	free(scratch);
}

void curve_free(struct curve *c)
{
	free(c->b);
	free(c->dt);
	free(c->r);
	free(c->y);
	free(c->noise);
	free(c->before);
	free(c->start);
	free(c->stalls);
	memset(c, 0, sizeof *c);
}
