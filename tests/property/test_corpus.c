// SPDX-License-Identifier: MIT
/* The labelled corpus in tests/data/curves: every curve must be answered right. Prints each answer that is not. */
#include "../unit/unit.h"

#include "curves.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool within(double got, double want, double relative)
{
	return fabs(got - want) <= relative * want;
}

static void all_86_curves_are_right(void **state)
{
	size_t n, right = 0, counts = 0, counted = 0, speeds = 0, speeds_right = 0, covered = 0, cliffs = 0;
	struct labelled *all = corpus_read(getenv("TEST_CURVES"), &n);
	assert_non_null(all);
	assert_int_equal(n, 86);
	for (size_t i = 0; i < n; i++) {
		const struct labelled *l = &all[i];
		struct fill_figures f;
		analyse_fill(&l->series, NULL, &f);
		bool found = f.cache.verdict == CACHE_FOUND;
		enum outcome o = judge(l, found, f.cache.bytes);
		right += o == RIGHT;
		if (o != RIGHT)
			print_message("%s: %s, at %.2f GB, true %.2f +- %.2f\n", l->name,
				o == MISSED	   ? "missed"
				: o == FALSE_CLIFF ? "false cliff"
						   : "wrong place",
				f.cache.bytes / 1e9, l->cache_bytes / 1e9, l->cache_tol_bytes / 1e9);
		bool ok = within(f.mean_mbps, l->average_mbps, 1e-3) && f.gradual == l->gradual;
		if (o == RIGHT && found) {
			cliffs++;
			bool cover = isnan(l->soft_lo)
					     ? f.cache.bytes_lo <= l->cache_bytes && f.cache.bytes_hi >= l->cache_bytes
					     : f.cache.bytes_lo <= l->soft_hi && f.cache.bytes_hi >= l->soft_lo;
			covered += cover;
			ok = ok && within(f.cache.mbps, l->in_cache_mbps, l->in_cache_tol) && cover;
		}
		if (l->nstages) {
			counted++;
			counts += f.nstages == (size_t)l->nstages;
			ok = ok && f.nstages == (size_t)l->nstages;
			for (size_t k = 0; k < f.nstages && f.nstages == (size_t)l->nstages; k++) {
				speeds++;
				speeds_right += within(f.stages[k].mbps, l->stages[k].mbps, l->speed_tol);
				ok = ok && within(f.stages[k].mbps, l->stages[k].mbps, l->speed_tol);
			}
		}
		for (size_t k = 0; k < l->nstalls; k++) {
			bool seen = false;
			for (size_t j = 0; j < f.nstalls; j++)
				seen |= fabs(f.stalls[j].start_s - l->stalls[k].start_s) < 1.1 &&
					fabs(f.stalls[j].end_s - l->stalls[k].end_s) < 1.1;
			ok = ok && seen;
		}
		ok = ok && f.nstalls == l->nstalls;
		if (!ok) {
			print_message("%s: mean %.1f (%.1f) cache %.2f [%.2f, %.2f] (%.2f) at %.0f (%.0f); gradual %d "
				      "(%d) stalls %zu (%zu);",
				l->name, f.mean_mbps, l->average_mbps, f.cache.bytes / 1e9, f.cache.bytes_lo / 1e9,
				f.cache.bytes_hi / 1e9, l->cache_bytes / 1e9, f.cache.mbps, l->in_cache_mbps, f.gradual,
				l->gradual, f.nstalls, l->nstalls);
			for (size_t k = 0; k < f.nstages; k++)
				print_message(" %.0f GB at %.0f (%.0f)", f.stages[k].end_bytes / 1e9, f.stages[k].mbps,
					k < MOST_STAGES ? l->stages[k].mbps : 0);
			print_message("\n");
		}
		fill_figures_free(&f);
	}
	print_message("%zu of %zu curves right; stage counts %zu of %zu; stage rates %zu of %zu; intervals cover %zu "
		      "of %zu\n",
		right, n, counts, counted, speeds_right, speeds, covered, cliffs);
	assert_int_equal(right, n);
	assert_int_equal(counts, counted);
	assert_true(speeds_right + 1 >= speeds);
	assert_true((double)covered >= 0.92 * (double)cliffs);
	corpus_free(all, n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(all_86_curves_are_right)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
