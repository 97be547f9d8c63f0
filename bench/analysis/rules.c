// SPDX-License-Identifier: MIT
#include "rules.h"

#include "analysis/fine.h"
#include "analysis/stats.h"
#include "base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double *rates(const struct series *s)
{
	double *r = xmalloc((s->n + 1) * sizeof *r);
	for (size_t i = 0; i < s->n; i++)
		r[i] = s->bytes[i] / fmax(s->t[i] - (i ? s->t[i - 1] : 0), 1e-6);
	return r;
}

/* Bytes before sample i. */
static double bytes_before(const struct series *s, size_t i)
{
	double bytes = 0;
	for (size_t k = 0; k < i; k++)
		bytes += s->bytes[k];
	return bytes;
}

/* "The cache is what was written faster than twice the average of the whole" (as nvmetools has it). */
static bool twice_the_average(const struct series *s, double *bytes)
{
	double *r = rates(s), mean = bytes_before(s, s->n) / s->t[s->n - 1];
	*bytes = 0;
	for (size_t i = 0; i < s->n; i++)
		*bytes += r[i] > 2 * mean ? s->bytes[i] : 0;
	free(r);
	return *bytes > 0;
}

/* "Three samples in a row average less than 60 % of the first three." */
static bool first_three(const struct series *s, double *bytes)
{
	double *r = rates(s);
	size_t at = 0;
	for (size_t i = 3; i + 2 < s->n && at == 0; i++)
		if (r[i] + r[i + 1] + r[i + 2] < 0.6 * (r[0] + r[1] + r[2]))
			at = i;
	free(r);
	*bytes = bytes_before(s, at);
	return at > 0;
}

/* "The rolling median of five is below 65 % of the initial one for 15 s." */
static bool rolling_median(const struct series *s, double *bytes)
{
	double *r = rates(s), window[5], first = NAN, since = NAN;
	size_t at = 0, from = 0;
	for (size_t i = 4; i < s->n && at == 0; i++) {
		memcpy(window, r + i - 4, sizeof window);
		double median = stats_quantile(window, 5, 0.5);
		first = isnan(first) ? median : first;
		if (median >= 0.65 * first) {
			since = NAN;
		} else if (isnan(since)) {
			since = s->t[i];
			from = i;
		} else if (s->t[i] - since >= 15) {
			at = from;
		}
	}
	free(r);
	*bytes = bytes_before(s, at);
	return at > 0;
}

/* The first segment of at least 3 samples at no more than 80 % of the mean of everything before it. */
static bool first_drop(const struct series *s, const size_t *starts, size_t m, double *bytes)
{
	for (size_t j = 1; j < m; j++) {
		size_t from = starts[j], to = j + 1 < m ? starts[j + 1] : s->n;
		double before = bytes_before(s, from),
		       rate = (bytes_before(s, to) - before) / (s->t[to - 1] - s->t[from - 1]);
		if (to - from >= 3 && rate <= 0.8 * before / s->t[from - 1]) {
			*bytes = before;
			return true;
		}
	}
	return false;
}

/* Log rates in units of their noise (from the differences of neighbours). */
static double *scaled(const struct series *s)
{
	double *y = rates(s), *d = xmalloc((s->n + 1) * sizeof *d);
	for (size_t i = 0; i < s->n; i++)
		y[i] = log(fmax(y[i], 1e3));
	for (size_t i = 1; i < s->n; i++)
		d[i - 1] = fabs(y[i] - y[i - 1]);
	double sigma = s->n > 1 ? fmax(0.01, 1.4826 / sqrt(2) * stats_quantile(d, s->n - 1, 0.5)) : 1;
	for (size_t i = 0; i < s->n; i++)
		y[i] /= sigma;
	free(d);
	return y;
}

/* PELT (Killick, Fearnhead and Eckley 2012): optimal partitioning under squared error with pruning. */
static size_t pelt(const double *y, size_t n, double penalty, size_t *starts)
{
	double *sum = xcalloc(n + 1, sizeof *sum), *squares = xcalloc(n + 1, sizeof *squares),
	       *cost = xcalloc(n + 1, sizeof *cost);
	size_t *last = xcalloc(n + 1, sizeof *last), *alive = xmalloc((n + 1) * sizeof *alive), nalive = 1;
	for (size_t i = 0; i < n; i++) {
		sum[i + 1] = sum[i] + y[i];
		squares[i + 1] = squares[i] + y[i] * y[i];
	}
	cost[0] = -penalty;
	alive[0] = 0;
	for (size_t t = 1; t <= n; t++) {
		double best = INFINITY;
		for (int pass = 0; pass < 2; pass++) {
			size_t kept = 0;
			for (size_t k = 0; k < nalive; k++) {
				size_t from = alive[k];
				double d = sum[t] - sum[from];
				double c = cost[from] + squares[t] - squares[from] - d * d / (double)(t - from);
				if (pass == 0 && c + penalty < best) {
					best = c + penalty;
					last[t] = from;
				}
				if (pass == 1 && c <= best)
					alive[kept++] = from;
			}
			nalive = pass == 1 ? kept : nalive;
		}
		cost[t] = best;
		alive[nalive++] = t;
	}
	size_t m = 0;
	for (size_t t = n; t > 0; t = last[t])
		starts[m++] = last[t];
	for (size_t i = 0; i < m / 2; i++) {
		size_t swap = starts[i];
		starts[i] = starts[m - 1 - i];
		starts[m - 1 - i] = swap;
	}
	free(sum);
	free(squares);
	free(cost);
	free(last);
	free(alive);
	return m;
}

static bool by_segments(const struct series *s, bool robust, double *bytes)
{
	double *y = scaled(s), *w = xmalloc((s->n + 1) * sizeof *w);
	size_t *starts = xmalloc((s->n + 1) * sizeof *starts);
	for (size_t i = 0; i < s->n; i++)
		w[i] = 1;
	double penalty =
		16 * log((double)s->n + 8); /* about the best of 2 to 128 log n for both (docs/method.md, 4.2) */
	size_t m = robust ? fine_segments(s->n, y, w, penalty, 3, starts) : pelt(y, s->n, penalty, starts);
	bool found = first_drop(s, starts, m, bytes);
	free(y);
	free(w);
	free(starts);
	return found;
}

static bool pelt_rule(const struct series *s, double *bytes)
{
	return by_segments(s, false, bytes);
}

static bool robust_rule(const struct series *s, double *bytes)
{
	return by_segments(s, true, bytes);
}

static bool ours(const struct series *s, double *bytes)
{
	struct fill_figures f;
	analyse_fill(s, NULL, &f);
	*bytes = f.cache.bytes;
	bool found = f.cache.verdict == CACHE_FOUND;
	fill_figures_free(&f);
	return found;
}

const struct rule rules[] = {
	{"faster than 2 x the average", twice_the_average},
	{"3 samples < 0.6 x the first 3", first_three},
	{"rolling median < 0.65 for 15 s", rolling_median},
	{"PELT, first drop", pelt_rule},
	{"robust FPOP, first drop", robust_rule},
	{"ssdscope", ours},
};
const size_t nrules = ARRAY_SIZE(rules);
