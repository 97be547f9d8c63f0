// SPDX-License-Identifier: MIT
#include "unit.h"

#include "analysis/online.h"

#include <math.h>

#define GB 1e9

/* Feeds `seconds` of writing at `rate` GB/s in samples of 0.5 s; returns after how many seconds of it the cache was
 * known to be exhausted, -1 if it was not. */
static double feed(struct online *o, double seconds, double rate)
{
	double known = -1;
	for (double now = 0.5; now <= seconds + 1e-9; now += 0.5) {
		online_add(o, 0.5, 0.5 * rate * GB, false);
		if (known < 0 && online_exhausted(o, NULL))
			known = now;
	}
	return known;
}

static void the_end_of_the_cache_is_known_after_ten_seconds(void **state)
{
	struct online o;
	double bytes = 0;
	online_start(&o, NAN);
	assert_true(isnan(online_in_cache_mbps(&o)));
	assert_true(feed(&o, 88, 7) < 0);
	online_add(&o, 0.5, (0.2 * 7 + 0.3 * 1.7) * GB, false); /* the edge lies within a sample */
	assert_near(feed(&o, 60, 1.7), ONLINE_SLOW_SECONDS - 0.5, 1e-9);
	assert_true(online_exhausted(&o, &bytes));
	assert_near(bytes, 88.2 * 7 * GB, 0.01 * GB);
	assert_near(online_in_cache_mbps(&o), 7000, 1);
	feed(&o, 60, 7); /* it stays so */
	assert_true(online_exhausted(&o, NULL));
}

static void a_stall_is_no_end(void **state)
{
	struct online o;
	online_start(&o, NAN);
	feed(&o, 40, 5);
	assert_true(feed(&o, 30, 0) < 0);
	assert_true(feed(&o, 40, 5) < 0);
	assert_near(online_in_cache_mbps(&o), 5000, 1e-6);
	/* A drive that stands still for longer than any stall has ended. */
	assert_true(feed(&o, 300, 0) > 0);
}

static void dips_and_slow_starts_are_no_end(void **state)
{
	struct online o;
	online_start(&o, NAN);
	feed(&o, 5, 0.5);
	assert_true(feed(&o, 30, 5) < 0);
	for (int i = 0; i < 30; i++) {
		assert_true(feed(&o, 1.5, 2) < 0);
		assert_true(feed(&o, 10, 5) < 0);
	}
	assert_true(feed(&o, 8, 1) < 0);
	assert_true(feed(&o, 60, 5) < 0);
	assert_true(feed(&o, 20, 1) < 0); /* it has dipped for 8 s before: three times that is needed now */
	assert_true(feed(&o, 10, 1) > 0);
}

static void a_burst_in_the_first_sample_is_no_rate(void **state)
{
	struct online o;
	online_start(&o, NAN);
	feed(&o, 0.5, 12);
	assert_true(feed(&o, 100, 3) < 0);
	assert_near(online_in_cache_mbps(&o), 3000, 1e-6);
}

static void a_small_drop_and_a_bounce_are_no_end(void **state)
{
	struct online o;
	online_start(&o, NAN);
	feed(&o, 60, 5);
	assert_true(feed(&o, 600, 4.3) < 0);
	online_start(&o, NAN);
	for (int i = 0; i < 100; i++) {
		assert_true(feed(&o, 4, 0.4) < 0);
		assert_true(feed(&o, 6, 1.8) < 0);
	}
}

static void an_alternating_second_stage_is_seen_later(void **state)
{
	struct online o;
	online_start(&o, NAN);
	feed(&o, 60, 3);
	double known = -1;
	for (int i = 0; i < 60 && known < 0; i++) {
		feed(&o, 3, 2.9);
		if (feed(&o, 3, 0.4) > 0)
			known = 6 * (i + 1);
	}
	assert_true(known > 0 && known <= 90); /* each cycle counts for 3 - 0.75 x 3 s of the 10 */
}

static void reported_throttling_is_no_end(void **state)
{
	struct online o;
	online_start(&o, NAN);
	feed(&o, 60, 5);
	for (int i = 0; i < 200; i++)
		online_add(&o, 0.5, 0.5 * GB, true);
	assert_false(online_exhausted(&o, NULL));
	assert_near(online_in_cache_mbps(&o), 5000, 1e-6);
}

static void fallen_bytes_are_net_of_fast_ones(void **state)
{
	struct online o;
	online_start(&o, 5000);
	feed(&o, 2, 5);
	assert_near(online_fallen_bytes(&o), 0, 0);
	feed(&o, 1.5, 4); /* 6 GB below 90 %, but for less than 3 s */
	assert_near(online_fallen_bytes(&o), 0, 0);
	feed(&o, 10, 4.6); /* 92 % has not fallen */
	assert_near(online_fallen_bytes(&o), 0, 0);
	feed(&o, 4, 4.4); /* 88 % has */
	assert_near(online_fallen_bytes(&o), 17.6 * GB, 1);
	feed(&o, 10, 5);
	feed(&o, 5, 1);
	assert_near(online_fallen_bytes(&o), 5 * GB, 1);
	feed(&o, 0.5, 5);
	assert_near(online_fallen_bytes(&o), 2.5 * GB, 1);
	feed(&o, 40, 0); /* nothing is written in a stall */
	assert_near(online_fallen_bytes(&o), 2.5 * GB, 1);
	/* A drive that has recovered nothing: 4 GiB at 1 GB/s, known in the slot in which they are full. */
	online_start(&o, 5000);
	double seconds = 0;
	for (; online_fallen_bytes(&o) < 4.294967296e9; seconds += 0.5)
		feed(&o, 0.5, 1);
	assert_near(seconds, 4.5, 0);
}

static void unusable_samples_are_left_out(void **state)
{
	struct online o;
	online_start(&o, INFINITY);
	const double odd[] = {NAN, INFINITY, -INFINITY, -1, 0};
	for (int i = 0; i < 5; i++)
		for (int j = 0; j < 5; j++)
			online_add(&o, odd[i], odd[j], false);
	for (int i = 0; i < 4; i++)
		online_add(&o, 1, odd[i], false);
	assert_true(isnan(online_in_cache_mbps(&o)));
	assert_near(o.total_bytes, 0, 0);
	feed(&o, 10, 2);
	assert_near(online_in_cache_mbps(&o), 2000, 1e-9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_end_of_the_cache_is_known_after_ten_seconds),
		cmocka_unit_test(a_stall_is_no_end),
		cmocka_unit_test(dips_and_slow_starts_are_no_end),
		cmocka_unit_test(a_burst_in_the_first_sample_is_no_rate),
		cmocka_unit_test(a_small_drop_and_a_bounce_are_no_end),
		cmocka_unit_test(an_alternating_second_stage_is_seen_later),
		cmocka_unit_test(reported_throttling_is_no_end),
		cmocka_unit_test(fallen_bytes_are_net_of_fast_ones),
		cmocka_unit_test(unusable_samples_are_left_out),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
