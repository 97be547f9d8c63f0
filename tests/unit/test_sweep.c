// SPDX-License-Identifier: MIT
#include "unit.h"

#include "analysis/sweep.h"
#include "base/rng.h"

#include <math.h>

static void score_and_saturation(void **state)
{
	const struct sweep_point p[] = {
		{1, {1900, 1880, 1920}, 3.0},
		{2, {2000, 1900, 2100}, 3.5},
		{4, {2100, 2000, 2200}, 4.0},
		{8, {3280, 3200, 3390}, 5.0},
		{16, {3500, 3480, 3520}, 5.5},
		{32, {3490, 3470, 3510}, 5.5},
	};
	struct sweep_figures f;
	sweep_figures(p, 6, &f);
	assert_near(f.score_mbps, 2000, 1e-9);
	assert_near(f.score_watts, 3.5, 1e-9);
	assert_near(f.score_mbps_per_w, 2000 / 3.5, 1e-9);
	assert_near(f.max_mbps, 3500, 0);
	assert_int_equal(f.saturation_qd, 16);	      /* 0.95 x 3500 = 3325 > 3280 */
	assert_int_equal(f.saturation_qd_likely, 16); /* QD8 reaches 3390, but 3480 is above 3280 / 0.95 = 3453 */
	sweep_figures(p, 3, &f);
	assert_int_equal(f.saturation_qd, 2);	     /* 0.95 x 2100 = 1995 */
	assert_int_equal(f.saturation_qd_likely, 2); /* QD1 ends at 1920 */
}

static void rates_that_bounce_saturate_too(void **state)
{
	const struct sweep_point p[] = {{1, {2900, 2600, 3200}, NAN}, {2, {3050, 2900, 3200}, NAN},
		{4, {1700, 1000, 2400}, NAN}, {8, {2400, 2000, 2800}, NAN}};
	struct sweep_figures f;
	sweep_figures(p, 4, &f);
	assert_int_equal(f.saturation_qd, 1); /* 0.95 x 3050 = 2897.5 */
	assert_int_equal(f.saturation_qd_likely, 1);
	assert_true(isnan(f.score_watts) && isnan(f.score_mbps_per_w));
}

static void what_was_not_measured_is_absent(void **state)
{
	const struct sweep_point p[] = {{1, {1900, NAN, NAN}, 3}, {4, {2000, NAN, NAN}, 4}};
	struct sweep_figures f;
	sweep_figures(p, 2, &f);
	assert_true(isnan(f.score_mbps) && isnan(f.score_watts));
	assert_int_equal(f.saturation_qd, 1); /* 1900 is 95 % of 2000 */
	assert_int_equal(f.saturation_qd_likely, 1);
	sweep_figures(p, 0, &f);
	assert_int_equal(f.saturation_qd, 0);
	assert_int_equal(f.saturation_qd_likely, 0);
	assert_true(isnan(f.max_mbps));
}

static void a_phase_has_a_rate_with_an_interval(void **state)
{
	/* 100, 110 and 120 MB/s in pairs: see test_stats. */
	const double t[] = {.5, 1, 1.5, 2, 2.5, 3}, b[] = {50e6, 50e6, 55e6, 55e6, 60e6, 60e6};
	struct estimate e = sweep_rate(&(struct series){.n = 6, .t = t, .bytes = b});
	assert_near(e.value, 110, 1e-9);
	assert_near(e.hi - e.value, 4.302653 * 10 / sqrt(3), 1e-5);
}

/* 5 samples in the cache, 33 after it, each rate with `noise` of itself (about normal). */
static struct estimate through_a_cache(struct rng *rng, double noise)
{
	double t[38], b[38];
	for (int i = 0; i < 38; i++) {
		double z = -6;
		for (int k = 0; k < 12; k++)
			z += rng_unit(rng);
		t[i] = 0.5 * (i + 1);
		b[i] = 0.5e6 * (i < 5 ? 2745 : 1646) * (1 + noise * z);
	}
	return sweep_rate(&(struct series){.n = 38, .t = t, .bytes = b});
}

/* The fall at a cache's end, which comes at the same place each time, is no scatter of the rate; and with scatter the
 * interval holds the true rate about as often as it says. */
static void a_fall_on_the_way_is_no_scatter(void **state)
{
	const double true_rate = (5 * 2745 + 33 * 1646) / 38.0;
	struct rng rng;
	rng_seed(&rng, 5);
	struct estimate e = through_a_cache(&rng, 0);
	assert_near(e.value, true_rate, 1e-6);
	assert_near(e.hi - e.lo, 0, 1e-6);
	int held = 0;
	double width = 0;
	for (int i = 0; i < 2000; i++) {
		e = through_a_cache(&rng, 0.03);
		held += e.lo <= true_rate && true_rate <= e.hi;
		width += (e.hi - e.lo) / 2 / true_rate / 2000;
	}
	assert_true(held >= 1880); /* 94 % */
	assert_true(width < 0.03); /* batches over all: 22 % */
}

static void littles_law(void **state)
{
	assert_near(sweep_occupancy(10000, 400e-6, 4), 1, 1e-12);
	assert_near(sweep_occupancy(10000, 300e-6, 4), 0.75, 1e-12);
	assert_true(isnan(sweep_occupancy(NAN, 1, 4)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(score_and_saturation),
		cmocka_unit_test(rates_that_bounce_saturate_too),
		cmocka_unit_test(what_was_not_measured_is_absent),
		cmocka_unit_test(a_phase_has_a_rate_with_an_interval),
		cmocka_unit_test(a_fall_on_the_way_is_no_scatter),
		cmocka_unit_test(littles_law),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
