// SPDX-License-Identifier: MIT
/* The causal detector on made-up curves: how often it finds the end of a cache, how late, and how often it is wrong.
 * CURVES_SEED and CURVES_PER_FAMILY look at other ones. */
#include "../unit/unit.h"

#include "analysis/online.h"
#include "analysis/stats.h"
#include "base/mem.h"
#include "families.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_CURVES 1000

static uint64_t number(const char *name, uint64_t otherwise)
{
	const char *v = getenv(name);
	return v ? strtoull(v, NULL, 10) : otherwise;
}

struct tally {
	size_t curves, cliffs, found, alarms, near;
	double late_s[MOST_CURVES];
};

static bool throttled_at(const struct series *s, double t)
{
	for (size_t i = 0; i < s->nthrottled; i++)
		if (t > s->throttled[i].start_s && t <= s->throttled[i].end_s)
			return true;
	return false;
}

static void follow(const struct labelled *l, struct tally *y)
{
	struct online o;
	online_start(&o, NAN);
	double last = 0, bytes = 0, cliff_s = NAN, cache = NAN;
	y->curves++;
	y->cliffs += l->has_cliff;
	for (size_t i = 0; i < l->series.n && !online_exhausted(&o, &cache); i++) {
		double t = l->series.t[i];
		online_add(&o, t - last, l->series.bytes[i], throttled_at(&l->series, t));
		last = t;
		bytes += l->series.bytes[i];
		if (l->has_cliff && isnan(cliff_s) && bytes >= l->cache_bytes)
			cliff_s = t;
	}
	if (!online_exhausted(&o, &cache))
		return;
	if (!l->has_cliff || isnan(cliff_s)) {
		y->alarms++; /* there is none, or it has not come yet */
		return;
	}
	y->near += fabs(cache - l->cache_bytes) <= 2 * l->cache_tol_bytes;
	y->late_s[y->found++] = last - cliff_s;
}

/* Where nobody can know at the time: the rate falls, but it is no end of a cache, or it ends too late to be seen. */
static const char *const blind[] = {"bounce_whole_run", "gradual_decline", "throttle_recovers",
	"throttle_permanent_masked", "late_cliff", "few_samples", "heavy_noise", "duty_drift"};

static bool is_blind(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(blind); i++)
		if (!strcmp(name, blind[i]))
			return true;
	return false;
}

static void cache_ends_are_known_in_time_and_seldom_wrongly(void **state)
{
	uint64_t seed = number("CURVES_SEED", 20261130), per_family = number("CURVES_PER_FAMILY", 30);
	static struct tally all, y;
	for (size_t k = 0; k < nfamilies; k++) {
		memset(&y, 0, sizeof y);
		for (uint64_t i = 0; i < per_family && i < MOST_CURVES; i++) {
			struct labelled l;
			family_curve(k, seed, i, &l);
			follow(&l, &y);
			labelled_free(&l);
		}
		print_message("%-26s false alarms %zu of %zu, found %zu of %zu, place right %zu", families[k].name,
			y.alarms, y.curves, y.found, y.cliffs, y.near);
		if (y.found)
			print_message(", late by %.1f s (median), %.1f s (90 %%)",
				stats_quantile(y.late_s, y.found, 0.5), stats_quantile(y.late_s, y.found, 0.9));
		print_message("\n");
		if (is_blind(families[k].name))
			continue;
		all.curves += y.curves;
		all.cliffs += y.cliffs;
		all.found += y.found;
		all.alarms += y.alarms;
		all.near += y.near;
	}
	print_message(
		"all but those where nobody can know: false alarms %zu of %zu, found %zu of %zu, place right %zu\n",
		all.alarms, all.curves, all.found, all.cliffs, all.near);
	assert_true((double)all.alarms <= 0.005 * (double)all.curves);
	assert_true((double)all.found >= 0.98 * (double)all.cliffs);
	assert_true((double)all.near >= 0.95 * (double)all.cliffs);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(cache_ends_are_known_in_time_and_seldom_wrongly)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
