// SPDX-License-Identifier: MIT
#include "unit.h"

#include "analysis/burst.h"

#include <math.h>

static void the_result_is_bytes_over_busy_time(void **state)
{
	/* Rates 100, 50 and 200 MB/s: 300 MB in 3.5 s; the mean of the rates is 350 / 3. Idle 4 x busy is a duty of 20
	 * %. */
	const struct burst b[] = {{100e6, 1, 4}, {100e6, 2, 8}, {100e6, 0.5, 2}};
	struct burst_figures f;
	burst_figures(b, 3, &f);
	assert_near(f.mbps, 300 / 3.5, 1e-9);
	assert_near(f.mean_of_bursts_mbps, 350 / 3.0, 1e-9);
	assert_near(f.first_mbps, 100, 1e-9);
	assert_near(f.duty, 0.2, 1e-12);
	assert_near(f.bytes, 300e6, 0);
	assert_near(f.busy_s, 3.5, 0);
	/* sd of 100, 50, 200 is sqrt(5833.33); t(0.975, 2) = 4.302653. */
	assert_near(f.mbps_hi - f.mbps, 4.302653 * sqrt(17500 / 3.0 / 3), 1e-3);
	assert_near(f.mbps_lo, 0, 0); /* a rate is never below zero */
	assert_near(burst_mbps(&b[2]), 200, 1e-9);
}

static void alike_bursts_have_a_narrow_interval(void **state)
{
	struct burst b[8];
	for (int i = 0; i < 8; i++)
		b[i] = (struct burst){128 * 1048576.0, 0.06, 0.24};
	struct burst_figures f;
	burst_figures(b, 8, &f);
	assert_near(f.mbps, 128 * 1.048576 / 0.06, 1e-6);
	assert_near(f.mean_of_bursts_mbps, f.mbps, 1e-6);
	assert_near(f.mbps_hi, f.mbps, 1e-6);
	assert_near(f.mbps_lo, f.mbps, 1e-6);
}

static void what_was_not_measured_is_absent(void **state)
{
	struct burst_figures f;
	burst_figures(NULL, 0, &f);
	assert_true(isnan(f.mbps) && isnan(f.mean_of_bursts_mbps) && isnan(f.first_mbps) && isnan(f.duty));
	burst_figures(&(struct burst){0, 0, 1}, 1, &f);
	assert_true(isnan(f.mbps) && isnan(f.duty));
	burst_figures((struct burst[]){{1e6, 1, 0}, {1e6, 1, 0}}, 2, &f);
	assert_near(f.mbps, 1, 1e-12);
	assert_true(isnan(f.mbps_lo) && isnan(f.mbps_hi));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_result_is_bytes_over_busy_time),
		cmocka_unit_test(alike_bursts_have_a_narrow_interval),
		cmocka_unit_test(what_was_not_measured_is_absent),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
