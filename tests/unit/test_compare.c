// SPDX-License-Identifier: MIT
#include "unit.h"

#include "analysis/compare.h"

#include <math.h>

#define RESULTS(...) ((struct results){(const double[]){__VA_ARGS__}, sizeof((double[]){__VA_ARGS__}) / sizeof(double)})

static void a_ratio_is_welchs_t_on_logs(void **state)
{
	/* Logs 1, 2, 3 (mean 2, variance 1) and 0, 0.5, 1 (mean 0.5, variance 0.25): the squared errors are 1/3 and
	 * 1/12, and the degrees of freedom (5/12)^2 / ((1/3)^2 / 2 + (1/12)^2 / 2) = 2.941176. */
	struct estimate e = compare_ratio(RESULTS(exp(1), exp(2), exp(3)), RESULTS(1, exp(0.5), exp(1)));
	double half = stats_t_quantile(0.975, 2.9411764706) * sqrt(5 / 12.0);
	assert_near(e.value, exp(1.5), 1e-9);
	assert_near(log(e.lo), 1.5 - half, 1e-7);
	assert_near(log(e.hi), 1.5 + half, 1e-7);
	assert_near(half, 2.0763, 2e-3); /* t(0.975, 2.94) lies near 3.217, between 4.303 (2) and 3.182 (3) */
	/* Turned round it is the inverse. */
	struct estimate back = compare_ratio(RESULTS(1, exp(0.5), exp(1)), RESULTS(exp(1), exp(2), exp(3)));
	assert_near(back.value * e.value, 1, 1e-12);
	assert_near(back.lo * e.hi, 1, 1e-9);
}

static void a_single_run_has_no_interval(void **state)
{
	struct estimate e = compare_ratio(RESULTS(7000), RESULTS(1750, 1750));
	assert_near(e.value, 4, 1e-12);
	assert_true(isnan(e.lo) && isnan(e.hi));
	assert_true(isnan(compare_ratio(RESULTS(0, 1), RESULTS(1, 1)).value));
	assert_true(isnan(compare_ratio((struct results){NULL, 0}, RESULTS(1, 1)).value));
	e = compare_ratio(RESULTS(4, 4), RESULTS(2, 2)); /* runs that agree to the last digit */
	assert_near(e.lo, 2, 1e-12);
	assert_near(e.hi, 2, 1e-12);
}

static void what_cannot_be_told_apart_is_a_tie(void **state)
{
	const struct results r[] = {
		RESULTS(1000, 1010, 990),
		RESULTS(2000, 2100, 1900),
		RESULTS(2010, 2080, 1890),
		RESULTS(500, 505, 495),
	};
	unsigned rank[4];
	compare_rank(r, 4, true, rank);
	assert_int_equal(rank[0], 3);
	assert_int_equal(rank[1], 1);
	assert_int_equal(rank[2], 1);
	assert_int_equal(rank[3], 4);
	compare_rank(r, 4, false, rank);
	assert_int_equal(rank[0], 2);
	assert_int_equal(rank[1], 3);
	assert_int_equal(rank[2], 3);
	assert_int_equal(rank[3], 1);
}

static void unusable_results_come_last(void **state)
{
	const struct results r[] = {RESULTS(0.0, 1), RESULTS(3), RESULTS(5), RESULTS(3)};
	unsigned rank[4];
	compare_rank(r, 4, true, rank);
	assert_int_equal(rank[2], 1);
	assert_int_equal(rank[1], 2);
	assert_int_equal(rank[3], 2);
	assert_int_equal(rank[0], 4);
	/* Ranks never fall when means do: a noisy drive that could be the first is not ranked above a steady one that
	 * could not, though it has a better mean. */
	static const double steady[] = {100, 100.1, 99.9}, below[] = {98, 98.1, 97.9}, noisy[] = {80, 97, 114};
	const struct results s[] = {{noisy, 3}, {below, 3}, {steady, 3}};
	compare_rank(s, 3, true, rank);
	assert_int_equal(rank[2], 1);
	assert_int_equal(rank[1], 2);
	assert_int_equal(rank[0], 2);
	compare_rank(r, 0, true, rank);
}

static void the_geometric_mean_does_not_depend_on_the_reference(void **state)
{
	assert_near(compare_geometric((const double[]){2, 8}, 2), 4, 1e-12);
	assert_near(compare_geometric((const double[]){0.5, 0.125}, 2), 0.25, 1e-12);
	assert_true(isnan(compare_geometric(NULL, 0)));
	assert_true(isnan(compare_geometric((const double[]){2, 0}, 2)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_ratio_is_welchs_t_on_logs),
		cmocka_unit_test(a_single_run_has_no_interval),
		cmocka_unit_test(what_cannot_be_told_apart_is_a_tie),
		cmocka_unit_test(unusable_results_come_last),
		cmocka_unit_test(the_geometric_mean_does_not_depend_on_the_reference),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
