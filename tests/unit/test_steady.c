// SPDX-License-Identifier: MIT
#include "unit.h"

#include "analysis/steady.h"

#include <math.h>

static void a_window_of_five_rounds_decides(void **state)
{
	/* A fresh drive that settles: the window of rounds 4 to 8 is the first with a range of at most 20 % of its
	 * mean. */
	const double y[] = {900, 700, 500, 405, 400, 410, 395, 390, 400};
	struct steady_figures f;
	steady_state(y, 9, &f);
	assert_true(f.reached);
	assert_int_equal(f.rounds, 8);
	assert_near(f.mean, 400, 1e-9);
	assert_near(f.range, 20 / 400.0, 1e-12);
	/* Slope: (-2 * 5 - 1 * 0 + 0 + 1 * -5 + 2 * -10) / 10 = -3.5 per round. */
	assert_near(f.slope, 3.5 * 4 / 400, 1e-12);
	assert_near(f.line_start, 407, 1e-9);
	assert_near(f.line_end, 393, 1e-9);
}

static void a_slope_alone_is_enough_to_fail(void **state)
{
	const double y[] = {100, 103, 106, 109, 112}; /* range 12 / 106 = 11 %, line 12 / 106 = 11 % > 10 % */
	struct steady_figures f;
	steady_state(y, 5, &f);
	assert_false(f.reached);
	assert_near(f.range, 12 / 106.0, 1e-12);
	assert_near(f.slope, 12 / 106.0, 1e-12);
	assert_int_equal(f.rounds, 5);
}

static void the_limits_belong_to_it(void **state)
{
	struct steady_figures f;
	steady_state((const double[]){90, 110, 100, 110, 90}, 5, &f); /* exactly 20 %, no slope */
	assert_true(f.reached);
	steady_state((const double[]){89.9, 110, 100.1, 110, 90}, 5, &f);
	assert_false(f.reached);
}

static void only_25_rounds_count(void **state)
{
	double y[40];
	for (int i = 0; i < 40; i++)
		y[i] = i < 25 ? (i % 2 ? 100 : 200) : 150;
	struct steady_figures f;
	steady_state(y, 40, &f);
	assert_false(f.reached);
	assert_int_equal(f.rounds, 25);
	steady_state(y, 3, &f);
	assert_false(f.reached);
	assert_true(isnan(f.mean) && isnan(f.range));
	for (int i = 0; i < 5; i++)
		y[i] = 0; /* a drive that writes nothing has no steady state */
	steady_state(y, 5, &f);
	assert_false(f.reached);
}

static void rounds_share_the_samples_on_their_borders(void **state)
{
	/* 2.5 s at 10 MB/s in one sample, then 2.5 s at 30 MB/s, in rounds of 2 s: 10, then 5 + 45 MB; the last is
	 * incomplete. */
	const double t[] = {2.5, 5}, b[] = {25e6, 75e6};
	double round[4];
	struct series s = {.n = 2, .t = t, .bytes = b};
	assert_int_equal(steady_rounds(&s, 2, round, 4), 2);
	assert_near(round[0], 10, 1e-9);
	assert_near(round[1], 25, 1e-9);
	assert_int_equal(steady_rounds(&s, 2, round, 1), 1);
	assert_int_equal(steady_rounds(&s, 0, round, 4), 0);
	assert_int_equal(steady_rounds(&s, 10, round, 4), 0);
	const double odd[] = {1, NAN, 0.5, 2}, some[] = {1e6, 1e6, 1e6, 3e6};
	s = (struct series){.n = 4, .t = odd, .bytes = some};
	assert_int_equal(steady_rounds(&s, 1, round, 4), 2);
	assert_near(round[0], 1, 1e-9);
	assert_near(round[1], 3, 1e-9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_window_of_five_rounds_decides),
		cmocka_unit_test(a_slope_alone_is_enough_to_fail),
		cmocka_unit_test(the_limits_belong_to_it),
		cmocka_unit_test(only_25_rounds_count),
		cmocka_unit_test(rounds_share_the_samples_on_their_borders),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
