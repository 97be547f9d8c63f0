// SPDX-License-Identifier: MIT
#include "analysis/stats.h"

#include "base/rng.h"

#include <math.h>

static void swap(double *a, double *b)
{
	double t = *a;
	*a = *b;
	*b = t;
}

/* Puts the k-th smallest of x[0..n) at x[k], no greater ones before it, no smaller ones after it. Hoare's partition
 * with random pivots, so that no input is slow. */
static void select_kth(double *x, size_t n, size_t k)
{
	size_t lo = 0, hi = n - 1;
	uint64_t seed = n;
	while (lo < hi) {
		swap(&x[lo], &x[lo + splitmix64(&seed) % (hi - lo + 1)]);
		double pivot = x[lo];
		size_t i = lo, j = hi;
		for (;;) {
			while (x[i] < pivot)
				i++;
			while (x[j] > pivot)
				j--;
			if (i >= j)
				break;
			swap(&x[i++], &x[j--]);
		}
		/* [lo, j] <= pivot <= [j + 1, hi], and j < hi since the pivot came from lo. */
		if (k <= j)
			hi = j;
		else
			lo = j + 1;
	}
}

double stats_quantile(double *x, size_t n, double p)
{
	if (n == 0)
		return NAN;
	double at = p * (double)(n - 1);
	size_t k = at >= (double)(n - 1) ? n - 1 : at > 0 ? (size_t)at : 0;
	select_kth(x, n, k);
	double share = at - (double)k;
	if (k + 1 >= n || share <= 0)
		return x[k];
	double next = x[k + 1];
	for (size_t i = k + 2; i < n; i++)
		next = fmin(next, x[i]);
	return x[k] + share * (next - x[k]);
}

/* The continued fraction of the incomplete beta function, by Lentz's method. */
static double beta_fraction(double a, double b, double x)
{
	const double tiny = 1e-300;
	double c = 1, d = 1 - (a + b) * x / (a + 1);
	d = 1 / (fabs(d) < tiny ? tiny : d);
	double h = d;
	for (int i = 1; i < 1000; i++) {
		double m = i, even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
		double change = 1;
		for (int half = 0; half < 2; half++) {
			double f = half ? odd : even;
			d = 1 + f * d;
			c = 1 + f / c;
			d = 1 / (fabs(d) < tiny ? tiny : d);
			c = fabs(c) < tiny ? tiny : c;
			change = c * d;
			h *= change;
		}
		if (fabs(change - 1) < 1e-15)
			break;
	}
	return h;
}

static double beta_regularised(double a, double b, double x)
{
	if (x <= 0 || x >= 1)
		return x >= 1;
	double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
	if (x < (a + 1) / (a + b + 2))
		return front * beta_fraction(a, b, x) / a;
	return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

double stats_t_quantile(double p, double df)
{
	if (p < 0.5)
		return -stats_t_quantile(1 - p, df);
	/* The upper tail beyond t is I(df / (df + t^2); df / 2, 1 / 2) / 2; bisect on u = ln t. */
	double lo = -40, hi = 300;
	for (int i = 0; i < 200 && hi - lo > 1e-13; i++) {
		double mid = (lo + hi) / 2, t = exp(mid);
		double tail = beta_regularised(df / 2, 0.5, df / (df + t * t)) / 2;
		if (tail > 1 - p)
			lo = mid;
		else
			hi = mid;
	}
	return p == 0.5 ? 0 : exp((lo + hi) / 2);
}

struct estimate stats_rate(const double *bytes, const double *seconds, size_t n)
{
	struct estimate e = {NAN, NAN, NAN};
	double total = 0, time = 0;
	for (size_t i = 0; i < n; i++) {
		total += bytes[i];
		time += seconds[i];
	}
	if (!(time > 0))
		return e;
	e.value = total / time;
	size_t k = n >= 40 ? 10 : n >= 15 ? 5 : n >= 6 ? 3 : 0;
	double sum = 0, squares = 0;
	for (size_t j = 0; j < k; j++) {
		double b = 0, s = 0;
		for (size_t i = j * n / k; i < (j + 1) * n / k; i++) {
			b += bytes[i];
			s += seconds[i];
		}
		if (!(s > 0))
			return e;
		double d = b / s - e.value;
		sum += d;
		squares += d * d;
	}
	if (k == 0)
		return e;
	double dk = (double)k, variance = fmax(0, squares - sum * sum / dk) / (dk - 1);
	double half = stats_t_quantile(0.975, dk - 1) * sqrt(variance / dk);
	e.lo = fmax(0, e.value - half);
	e.hi = e.value + half;
	return e;
}

double stats_lag1(const double *x, size_t n)
{
	if (n < 3)
		return 0;
	double mean = 0, same = 0, next = 0;
	for (size_t i = 0; i < n; i++)
		mean += x[i] / (double)n;
	for (size_t i = 0; i < n; i++) {
		same += (x[i] - mean) * (x[i] - mean);
		next += i + 1 < n ? (x[i] - mean) * (x[i + 1] - mean) : 0;
	}
	return same > 0 ? next / same : 0;
}
