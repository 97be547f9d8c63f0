// SPDX-License-Identifier: MIT
#include "unit.h"

#include "floor.h"
#include "pace.h"

#include <math.h>

static void the_drive_runs_with_the_host(void **state)
{
	struct pace p = {.host0 = 5 * NSEC_PER_SEC, .drive0 = 0, .scale = PACE_UNIT};
	assert_int_equal(pace_drive_time(&p, 5 * NSEC_PER_SEC), 0);
	assert_int_equal(pace_drive_time(&p, 5 * NSEC_PER_SEC + 123), 123);
	assert_int_equal(pace_host_time(&p, 123), 5 * NSEC_PER_SEC + 123);
}

static void a_time_scale_slows_it_down(void **state)
{
	struct pace p = {.host0 = 1000, .drive0 = 70, .scale = 20 * PACE_UNIT};
	/* 100 us of the drive take 2 ms of the host's. */
	assert_int_equal(pace_host_time(&p, 70 + 100 * NSEC_PER_USEC), 1000 + 2 * NSEC_PER_MSEC);
	assert_int_equal(pace_drive_time(&p, 1000 + 2 * NSEC_PER_MSEC), 70 + 100 * NSEC_PER_USEC);
	p.scale = PACE_UNIT / 2; /* a drive twice as fast */
	assert_int_equal(pace_host_time(&p, 70 + 100), 1050);
}

static void both_ways_agree_for_years(void **state)
{
	static const uint32_t scales[] = {1, 333, PACE_UNIT, 20 * PACE_UNIT, 1000000 * PACE_UNIT};
	for (size_t i = 0; i < sizeof scales / sizeof *scales; i++) {
		struct pace p = {.host0 = 77, .drive0 = 55, .scale = scales[i]};
		nsec most = INT64_MAX / 4 / (scales[i] > PACE_UNIT ? scales[i] / PACE_UNIT : PACE_UNIT);
		for (nsec drive = 55; drive < most; drive = drive * 3 + 1) {
			nsec host = pace_host_time(&p, drive), back = pace_drive_time(&p, host);
			/* Each direction rounds down by less than 1 ns of its own clock. */
			nsec slack = scales[i] < PACE_UNIT ? PACE_UNIT / scales[i] + 1 : 1;
			assert_true(back <= drive && back >= drive - slack);
		}
	}
}

static void lateness_is_counted(void **state)
{
	struct lag *l = test_calloc(1, sizeof *l);
	pthread_mutex_init(&l->lock, NULL);
	assert_true(isnan(lag_share(l)));
	lag_add(l, 1000000, 5000000, 4000000, 4999000); /* went out 1 us early */
	lag_add(l, 1000000, 5000000, 4000000, 5010000); /* 10 us late: not counted as late, but in the sum */
	lag_add(l, 1000000, 5000000, 5000001, 5060000); /* the data came too late, then 60 us late */
	assert_int_equal(l->replies, 3);
	assert_int_equal(l->late, 1);
	assert_int_equal(l->missed, 1);
	assert_int_equal(l->asked, 3000000);
	assert_int_equal(l->overdue, 70000);
	assert_near(lag_share(l), 0.07 / 3, 1e-9);
	assert_int_equal(l->lateness.min, 0);
	assert_int_equal(l->lateness.max, 60000);
	test_free(l);
}

static void waiting_for_the_client_is_counted(void **state)
{
	struct lag *l = test_calloc(1, sizeof *l);
	pthread_mutex_init(&l->lock, NULL);
	lag_enter(l, 100);
	lag_leave(l, 150);
	lag_enter(l, 160); /* waited 10 */
	lag_enter(l, 170);
	lag_leave(l, 180);
	lag_leave(l, 200);
	lag_enter(l, 200 + PACE_PAUSE); /* the client paused */
	lag_leave(l, 205 + PACE_PAUSE);
	assert_int_equal(l->inside, 0);
	assert_int_equal(l->busy, 50 + 40 + 5);
	assert_int_equal(l->waited, 10);
	test_free(l);
}

static void the_floor_of_a_request(void **state)
{
	struct floor f = {.trip = 10000, .per_mib = 80000, .wakeup = 5000};
	assert_int_equal(floor_of(&f, 0), 10000);
	assert_int_equal(floor_of(&f, 1 << 20), 90000);
	assert_int_equal(floor_of(&f, 1 << 19), 50000);
	assert_int_equal(floor_of(&f, 64u << 20), 10000 + 64 * 80000);
}

/* What is measured depends on the machine; that it was measured does not. */
static void the_floor_is_measured(void **state)
{
	struct floor f;
	struct err e = {0};
	assert_int_equal(floor_measure(&f, &e), 0);
	assert_true(f.trip > 0);
	assert_true(f.per_mib >= 0);
	assert_true(f.wakeup >= 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_drive_runs_with_the_host),
		cmocka_unit_test(a_time_scale_slows_it_down),
		cmocka_unit_test(both_ways_agree_for_years),
		cmocka_unit_test(lateness_is_counted),
		cmocka_unit_test(waiting_for_the_client_is_counted),
		cmocka_unit_test(the_floor_of_a_request),
		cmocka_unit_test(the_floor_is_measured),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
