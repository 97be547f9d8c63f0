// SPDX-License-Identifier: MIT
#include "unit.h"

#include "analysis/stats.h"
#include "base/rng.h"

#include <math.h>
#include <stdlib.h>

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static void quantiles_equal_those_of_a_sorted_copy(void **state)
{
	struct rng r;
	rng_seed(&r, 1);
	double x[200], sorted[200];
	for (int round = 0; round < 2000; round++) {
		size_t n = 1 + rng_below(&r, 200), kinds = 1 + rng_below(&r, 300);
		for (size_t i = 0; i < n; i++)
			x[i] = sorted[i] = (double)rng_below(&r, kinds); /* many equal values */
		qsort(sorted, n, sizeof *sorted, by_value);
		double p = rng_unit(&r), at = p * (double)(n - 1);
		size_t k = (size_t)at;
		double want = k + 1 < n ? sorted[k] + (at - (double)k) * (sorted[k + 1] - sorted[k]) : sorted[k];
		assert_near(stats_quantile(x, n, p), want, 1e-9);
		assert_near(stats_quantile(x, n, 0), sorted[0], 0);
		assert_near(stats_quantile(x, n, 1), sorted[n - 1], 0);
	}
	assert_true(isnan(stats_quantile(x, 0, 0.5)));
}

/* From printed tables of Student's t (two-sided 95 %), and its closed forms for one and two degrees of freedom. */
static void student_t_equals_the_tables(void **state)
{
	assert_near(stats_t_quantile(0.975, 1), tan(M_PI * 0.475), 1e-7);
	assert_near(stats_t_quantile(0.975, 2), 4.302653, 1e-6);
	assert_near(stats_t_quantile(0.975, 4), 2.776445, 1e-6);
	assert_near(stats_t_quantile(0.975, 9), 2.262157, 1e-6);
	assert_near(stats_t_quantile(0.975, 30), 2.042272, 1e-6);
	assert_near(stats_t_quantile(0.975, 1e6), 1.959966, 1e-5);
	assert_near(stats_t_quantile(0.95, 9), 1.833113, 1e-6);
	assert_near(stats_t_quantile(0.025, 9), -2.262157, 1e-6);
	assert_near(stats_t_quantile(0.5, 3), 0, 0);
	double between = stats_t_quantile(0.975, 2.5);
	assert_true(between < stats_t_quantile(0.975, 2) && between > stats_t_quantile(0.975, 3));
}

static void a_rate_is_bytes_over_seconds_with_batch_means(void **state)
{
	/* Six samples: three batches of two, with the rates 100, 110 and 120: mean 110, sd 10, t(0.975, 2) = 4.302653.
	 */
	const double bytes[] = {50, 50, 55, 55, 60, 60}, seconds[] = {.5, .5, .5, .5, .5, .5};
	struct estimate e = stats_rate(bytes, seconds, 6);
	assert_near(e.value, 110, 1e-12);
	assert_near(e.hi - e.value, 4.302653 * 10 / sqrt(3), 1e-5);
	assert_near(e.value - e.lo, 4.302653 * 10 / sqrt(3), 1e-5);
	e = stats_rate(bytes, seconds, 5);
	assert_near(e.value, 108, 1e-12);
	assert_true(isnan(e.lo) && isnan(e.hi));
	/* Unequal lengths: bytes over seconds, not a mean of rates. */
	e = stats_rate((double[]){100, 300}, (double[]){1, 9}, 2);
	assert_near(e.value, 40, 1e-12);
	assert_true(isnan(stats_rate(bytes, seconds, 0).value));
}

/* Noise with a correlation of neighbours of 0 and of 0.6: the share of 1000 intervals that hold the true rate. */
static void batch_means_cover_correlated_noise(void **state)
{
	struct rng r;
	rng_seed(&r, 7);
	for (int k = 0; k < 2; k++) {
		double phi = k ? 0.6 : 0, bytes[200], seconds[200];
		int covered = 0;
		for (int round = 0; round < 1000; round++) {
			double x = 0;
			for (int i = -20; i < 200; i++) {
				double u = 0;
				for (int j = 0; j < 12; j++)
					u += rng_unit(&r);
				x = phi * x + sqrt(1 - phi * phi) * (u - 6);
				if (i >= 0) {
					bytes[i] = 0.5e9 * (1 + 0.05 * x);
					seconds[i] = 0.5;
				}
			}
			struct estimate e = stats_rate(bytes, seconds, 200);
			covered += e.lo <= 1e9 && e.hi >= 1e9;
		}
		assert_in_range(covered, 920, 980);
	}
}

static void lag1_tells_a_trend_from_alternation(void **state)
{
	double up[50], flip[50];
	for (int i = 0; i < 50; i++) {
		up[i] = i;
		flip[i] = i % 2;
	}
	assert_true(stats_lag1(up, 50) > 0.9);
	assert_true(stats_lag1(flip, 50) < -0.9);
	assert_near(stats_lag1((double[]){3, 3, 3, 3}, 4), 0, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(quantiles_equal_those_of_a_sorted_copy),
		cmocka_unit_test(student_t_equals_the_tables),
		cmocka_unit_test(a_rate_is_bytes_over_seconds_with_batch_means),
		cmocka_unit_test(batch_means_cover_correlated_noise),
		cmocka_unit_test(lag1_tells_a_trend_from_alternation),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
