// SPDX-License-Identifier: MIT
#include "analysis/compare.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>

/* Mean of the logs, and the squared standard error of that mean (NAN for fewer than two values). */
static struct estimate log_mean(struct results r, double *error2)
{
	struct estimate e = {NAN, NAN, NAN};
	double sum = 0, squares = 0, n = (double)r.n;
	*error2 = NAN;
	if (r.n == 0)
		return e;
	for (size_t i = 0; i < r.n; i++) {
		if (!(r.value[i] > 0) || !isfinite(r.value[i]))
			return e;
		sum += log(r.value[i]);
	}
	e.value = sum / n;
	for (size_t i = 0; i < r.n; i++)
		squares += pow(log(r.value[i]) - e.value, 2);
	if (r.n > 1)
		*error2 = squares / (n - 1) / n;
	return e;
}

struct estimate compare_ratio(struct results a, struct results b)
{
	double va, vb, difference = log_mean(a, &va).value - log_mean(b, &vb).value, v = va + vb;
	struct estimate e = {exp(difference), NAN, NAN};
	if (isnan(difference) || isnan(v))
		return e;
	double half = 0;
	if (v > 0) { /* Welch and Satterthwaite's degrees of freedom */
		double df = v * v / (va * va / (double)(a.n - 1) + vb * vb / (double)(b.n - 1));
		half = stats_t_quantile(0.975, df) * sqrt(v);
	}
	e.lo = exp(difference - half);
	e.hi = exp(difference + half);
	return e;
}

static bool can_be_told(struct results a, struct results b)
{
	struct estimate e = compare_ratio(a, b);
	return isnan(e.lo) ? e.value != 1 : e.lo > 1 || e.hi < 1;
}

void compare_rank(const struct results *r, size_t n, bool higher_is_better, unsigned *rank)
{
	double *mean = xmalloc((n + 1) * sizeof *mean), error2;
	for (size_t i = 0; i < n; i++) {
		double m = log_mean(r[i], &error2).value;
		mean[i] = isnan(m) ? -INFINITY : higher_is_better ? m : -m;
		rank[i] = 0;
	}
	/* From the best down; `first` is the best of the current rank. */
	for (unsigned ranked = 0, first = 0; ranked < n; ranked++) {
		size_t next = n;
		for (size_t i = 0; i < n; i++)
			if (rank[i] == 0 && (next == n || mean[i] > mean[next]))
				next = i;
		bool same = ranked &&
			    (mean[next] == mean[first] || (isfinite(mean[next]) && !can_be_told(r[first], r[next])));
		if (!same)
			first = (unsigned)next;
		rank[next] = same ? rank[first] : ranked + 1;
	}
	free(mean);
}

double compare_geometric(const double *ratio, size_t n)
{
	double error2;
	return exp(log_mean((struct results){ratio, n}, &error2).value);
}
