// SPDX-License-Identifier: MIT
#include "unit.h"

#include "analysis/levels.h"
#include "analysis/stages.h"

#include <math.h>
#include <stdlib.h>

#define GB 1e9

/* Builds a series of half-second samples from stretches of (GB, GB/s), to the byte. */
struct made {
	size_t n;
	double t[20000], bytes[20000];
};

static struct made *make(size_t n, const double (*stretch)[2])
{
	struct made *m = calloc(1, sizeof *m);
	double left = stretch[0][0];
	for (size_t k = 0; k < n;) {
		double room = 0.5, bytes = 0;
		while (room > 1e-9 && k < n) {
			double take = fmin(left, room * stretch[k][1]);
			bytes += take;
			room -= take / stretch[k][1];
			left -= take;
			if (left <= 1e-9 && ++k < n)
				left = stretch[k][0];
		}
		m->bytes[m->n] = bytes * GB;
		m->t[m->n] = 0.5 * (double)(m->n + 1) - (k == n ? room : 0);
		m->n++;
	}
	return m;
}

static struct fill_figures analyse(const struct made *m, bool reached_end)
{
	struct series s = {.n = m->n, .t = m->t, .bytes = m->bytes, .reached_end = reached_end};
	struct fill_figures f;
	analyse_fill(&s, NULL, &f);
	return f;
}

static void a_clean_cliff_is_found_to_the_megabyte(void **state)
{
	struct made *m = make(2, (const double[][2]){{617, 7.0}, {1383, 1.7}});
	struct fill_figures f = analyse(m, true);
	assert_int_equal(f.cache.verdict, CACHE_FOUND);
	assert_near(f.cache.bytes, 617 * GB, 0.001 * GB);
	assert_true(f.cache.bytes_lo <= 617 * GB && f.cache.bytes_hi >= 617 * GB);
	assert_true(f.cache.bytes_hi - f.cache.bytes_lo <
		    5 * GB); /* the sample that contains it, and its neighbours' noise */
	assert_near(f.cache.mbps, 7000, 0.1);
	assert_near(f.cache.after_mbps, 1700, 0.1);
	assert_near(f.cache.after_mean_mbps, 1700, 0.1);
	assert_near(f.bytes, 2000 * GB, 1);
	assert_near(f.seconds, 617 / 7.0 + 1383 / 1.7, 1e-6);
	assert_near(f.mean_mbps, 2000e3 / f.seconds, 1e-6);
	assert_near(f.max_mbps, 7000, 1e-6);
	assert_near(f.min_mbps, 1700, 1e-6);
	assert_int_equal(f.nstages, 2);
	assert_near(f.stages[0].end_bytes, f.stages[1].start_bytes, 0);
	assert_near(f.stages[1].mbps, 1700, 0.1);
	assert_near(f.stages[1].median_mbps, 1700, 0.1);
	assert_int_equal(f.stages[1].kind, STAGE_STEADY);
	assert_false(f.gradual);
	fill_figures_free(&f);
	free(m);
}

static void three_stages_have_their_rates(void **state)
{
	struct made *m = make(3, (const double[][2]){{200, 5.2}, {1400, 3.5}, {400, 1.5}});
	struct fill_figures f = analyse(m, true);
	assert_int_equal(f.nstages, 3);
	assert_near(f.stages[0].mbps, 5200, 1);
	assert_near(f.stages[1].mbps, 3500, 1);
	assert_near(f.stages[2].mbps, 1500, 1);
	assert_near(f.stages[1].end_bytes, 1600 * GB, 0.01 * GB);
	assert_near(f.cache.bytes, 200 * GB, 0.01 * GB);
	assert_near(f.cache.after_mbps, 3500, 1); /* the median: more time than in the last stage */
	assert_near(f.cache.after_mean_mbps, 1800e3 / (1400 / 3.5 + 400 / 1.5), 1);
	fill_figures_free(&f);
	free(m);
}

static void no_edge_is_none_or_not_reached(void **state)
{
	struct made *m = make(1, (const double[][2]){{400, 2.2}});
	struct fill_figures f = analyse(m, true);
	assert_int_equal(f.cache.verdict, CACHE_NONE);
	assert_true(isnan(f.cache.bytes) && isnan(f.cache.after_mbps));
	assert_int_equal(f.nstages, 1);
	fill_figures_free(&f);
	f = analyse(m, false);
	assert_int_equal(f.cache.verdict, CACHE_NOT_REACHED);
	assert_true(isnan(f.cache.bytes));
	fill_figures_free(&f);
	free(m);
}

static void a_stall_is_listed_and_does_not_slow_its_stage(void **state)
{
	struct made *m = make(2, (const double[][2]){{500, 5}, {500, 1}});
	for (size_t i = 0; i < m->n; i++)
		if (i >= 100)
			m->t[i] += 30; /* nothing for 30 s after 50 s */
	/* As the recorder stores it: a row of 0 for each slot. */
	struct made *with = calloc(1, sizeof *with);
	for (size_t i = 0; i < m->n; i++) {
		for (int k = 0; i == 100 && k < 60; k++)
			with->t[with->n++] = 50 + 0.5 * (k + 1);
		with->t[with->n] = m->t[i];
		with->bytes[with->n++] = m->bytes[i];
	}
	struct fill_figures f = analyse(with, true);
	assert_int_equal(f.nstalls, 1);
	assert_near(f.stalls[0].start_s, 50, 1e-9);
	assert_near(f.stalls[0].end_s, 80, 1e-9);
	assert_near(f.stages[0].mbps, 5000, 1);
	assert_near(f.cache.bytes, 500 * GB, 0.01 * GB);
	assert_near(f.cache.mbps, 5000, 1);
	assert_near(f.mean_mbps, 1000e3 / 630, 0.1);
	assert_near(f.min_mbps, 0, 0);
	fill_figures_free(&f);
	free(with);
	free(m);
}

static void a_reported_throttle_explains_an_edge(void **state)
{
	struct made *m = make(2, (const double[][2]){{500, 5}, {500, 1}});
	struct stretch hot = {100, 600};
	struct series s = {m->n, m->t, m->bytes, 1, &hot, true};
	struct fill_figures f;
	analyse_fill(&s, NULL, &f);
	assert_int_equal(f.cache.verdict, CACHE_NONE);
	assert_true(f.throttle_explains);
	assert_int_equal(f.nstages, 2);
	fill_figures_free(&f);
	hot.start_s = 200; /* long after the edge */
	analyse_fill(&s, NULL, &f);
	assert_int_equal(f.cache.verdict, CACHE_FOUND);
	fill_figures_free(&f);
	free(m);
}

static void alternating_and_ramps_are_one_stage_of_their_kind(void **state)
{
	double bounce[81][2] = {{300, 5}};
	for (int i = 1; i <= 80; i++) {
		bounce[i][0] = i % 2 ? 1.6 : 10.8;
		bounce[i][1] = i % 2 ? 0.4 : 1.8;
	}
	struct made *m = make(81, bounce);
	struct fill_figures f = analyse(m, true);
	assert_int_equal(f.nstages, 2);
	assert_int_equal(f.stages[0].kind, STAGE_STEADY);
	assert_int_equal(f.stages[1].kind, STAGE_ALTERNATING);
	assert_near(f.stages[1].mbps, 12.4e3 / 10, 15);
	fill_figures_free(&f);
	free(m);

	double slide[100][2];
	for (int i = 0; i < 100; i++) {
		slide[i][0] = 5;
		slide[i][1] = 3.0 * exp(-1.2 * i / 100);
	}
	m = make(100, slide);
	f = analyse(m, true);
	assert_int_equal(f.cache.verdict, CACHE_NONE);
	assert_true(f.gradual);
	assert_int_equal(f.nstages, 1);
	assert_int_equal(f.stages[0].kind, STAGE_RAMP);
	fill_figures_free(&f);
	free(m);
}

static void nothing_comes_of_nothing(void **state)
{
	struct fill_figures f;
	analyse_fill(&(struct series){0}, NULL, &f);
	assert_int_equal(f.nstages, 0);
	assert_int_equal(f.cache.verdict, CACHE_NOT_REACHED);
	assert_true(isnan(f.mean_mbps) && isnan(f.min_mbps) && isnan(f.max_mbps));
	fill_figures_free(&f);
	double t = 2, bytes = 4e9;
	analyse_fill(&(struct series){.n = 1, .t = &t, .bytes = &bytes, .reached_end = true}, NULL, &f);
	assert_int_equal(f.nstages, 1);
	assert_near(f.stages[0].mbps, 2000, 1e-9);
	assert_true(isnan(f.stages[0].mbps_lo) && isnan(f.stages[0].mbps_hi));
	assert_near(f.mean_mbps, 2000, 1e-9);
	fill_figures_free(&f);
}

static void unusable_samples_are_left_out(void **state)
{
	const double t[] = {1, NAN, 2, 2, INFINITY, 1.5, 3, 4, 4.1};
	const double b[] = {1e9, 1e9, 1e9, 5e8, 1e9, 5e8, 1e9, -3, 1e8};
	struct fill_figures f;
	analyse_fill(&(struct series){.n = 9, .t = t, .bytes = b, .reached_end = true}, NULL, &f);
	/* Left out: the second, the fifth and the eighth. The bytes at a repeated or an earlier time still count. */
	assert_near(f.bytes, 1e9 + 1e9 + 5e8 + 5e8 + 1e9 + 1e8, 1);
	assert_near(f.seconds, 4.1, 1e-12);
	fill_figures_free(&f);
}

/* A stage that alternates is cut where at least eight samples in a row are at its other level; a shorter dip is none.
 */
static void an_alternating_stage_has_levels(void **state)
{
	struct made *m = make(5, (const double[][2]){{100, 5.0}, {2, 1.0}, {98, 5.0}, {50, 1.0}, {100, 5.0}});
	struct series s = {.n = m->n, .t = m->t, .bytes = m->bytes};
	struct stage stages[] = {{.start_bytes = 0,
		.end_bytes = 350 * GB,
		.kind = STAGE_ALTERNATING,
		.mbps = 2941,
		.p5_mbps = 1000,
		.p95_mbps = 5000}};
	struct fill_figures f = {.nstages = 1, .stages = stages};
	size_t n;
	struct level *l = levels_of(&s, &f, &n);
	assert_int_equal(n, 3);
	assert_near(l[0].start_bytes, 0, 0);
	assert_near(l[0].end_bytes, 200 * GB, 3 * GB);
	assert_near(l[1].start_bytes, l[0].end_bytes, 0);
	assert_near(l[1].end_bytes, 250 * GB, 3 * GB);
	assert_near(l[1].mbps, 1000, 50);
	assert_near(l[2].mbps, 5000, 50);
	assert_near(l[2].end_bytes, 350 * GB, 0);
	free(l);
	/* A steady one is one level, with the stage's own rate. */
	stages[0].kind = STAGE_STEADY;
	l = levels_of(&s, &f, &n);
	assert_int_equal(n, 1);
	assert_near(l[0].mbps, 2941, 0);
	free(l);
	assert_near(mean_between(&s, 10 * GB, 60 * GB), 5000, 1);
	assert_true(isnan(mean_between(&s, 400 * GB, 500 * GB)));
	free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_alternating_stage_has_levels),
		cmocka_unit_test(a_clean_cliff_is_found_to_the_megabyte),
		cmocka_unit_test(three_stages_have_their_rates),
		cmocka_unit_test(no_edge_is_none_or_not_reached),
		cmocka_unit_test(a_stall_is_listed_and_does_not_slow_its_stage),
		cmocka_unit_test(a_reported_throttle_explains_an_edge),
		cmocka_unit_test(alternating_and_ramps_are_one_stage_of_their_kind),
		cmocka_unit_test(nothing_comes_of_nothing),
		cmocka_unit_test(unusable_samples_are_left_out),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
