/* SPDX-License-Identifier: MIT */
/* The statistics that the figures need: quantiles, Student's t, intervals of a rate from batch means. */
#ifndef ANALYSIS_STATS_H
#define ANALYSIS_STATS_H

#include <stddef.h>

/* The p-quantile (0 to 1) of x[0..n), interpolated linearly between the order statistics. Reorders x. NAN for n = 0.
 * Expected time O(n); the values must not be NAN. */
double stats_quantile(double *x, size_t n, double p);

/* The p-quantile (0 < p < 1) of Student's t with `df` > 0 degrees of freedom; df need not be whole. Relative error
 * below 1e-9 (bisection on the regularised incomplete beta function, Abramowitz and Stegun 26.5.8 and 26.7.1). */
double stats_t_quantile(double p, double df);

/* An estimate with its 95 % interval; lo and hi are NAN where there are too few samples for one. */
struct estimate {
	double value, lo, hi;
};

/* The rate of a stretch, sum of bytes over sum of seconds, with the interval by batch means: the samples are cut into K
 * equal consecutive batches (10; 5 for 15 to 39 samples; 3 for 6 to 14; none for fewer), and the half-width is
 * t(0.975, K - 1) * sd(batch rates) / sqrt(K). Holds under dips, bouncing and correlation up to about 0.6 of
 * neighbours; too narrow for few and strongly correlated samples (docs/method.md). bytes[n], seconds[n]; the result is
 * in bytes per second, NAN throughout where no time passed. */
struct estimate stats_rate(const double *bytes, const double *seconds, size_t n);

/* The correlation of neighbours in x[0..n), -1 to 1; 0 where x is constant or n < 3. */
double stats_lag1(const double *x, size_t n);

#endif
