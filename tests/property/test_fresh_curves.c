// SPDX-License-Identifier: MIT
/* Made-up curves that the method was not tuned on: right answers per family. CURVES_SEED and CURVES_PER_FAMILY look at
 * other ones; CURVES_SHOW=1 prints each wrong answer. */
#include "../unit/unit.h"

#include "families.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct tally {
	size_t curves, right, wrong_place, missed, false_cliffs, cliffs, covered;
	size_t judged, counts, rates, rates_right, in_cache, in_cache_right;
};

static uint64_t number(const char *name, uint64_t otherwise)
{
	const char *v = getenv(name);
	return v ? strtoull(v, NULL, 10) : otherwise;
}

static bool within(double got, double want, double relative)
{
	return fabs(got - want) <= relative * want;
}

static void show(const struct labelled *l, const struct fill_figures *f, const char *what)
{
	print_message("%s: %s; cache %.2f [%.2f, %.2f] true %.2f +- %.2f GB;", l->name, what, f->cache.bytes / 1e9,
		f->cache.bytes_lo / 1e9, f->cache.bytes_hi / 1e9, l->cache_bytes / 1e9, l->cache_tol_bytes / 1e9);
	for (size_t k = 0; k < f->nstages; k++)
		print_message(" %.1f GB at %.0f", f->stages[k].end_bytes / 1e9, f->stages[k].mbps);
	print_message("; true");
	for (size_t k = 0; k < MOST_STAGES && l->stages[k].to_bytes > 0; k++)
		print_message(" %.1f GB at %.0f", l->stages[k].to_bytes / 1e9, l->stages[k].mbps);
	print_message("; %zu samples, %zu stalls (%zu)\n", l->series.n, f->nstalls, l->nstalls);
}

static void count(struct tally *y, const struct labelled *l, bool loud)
{
	struct fill_figures f;
	analyse_fill(&l->series, NULL, &f);
	enum outcome o = judge(l, f.cache.verdict == CACHE_FOUND, f.cache.bytes);
	static const char *const names[] = {"right", "wrong place", "missed", "false cliff"};
	bool odd = o != RIGHT;
	y->curves++;
	y->right += o == RIGHT;
	y->wrong_place += o == WRONG_PLACE;
	y->missed += o == MISSED;
	y->false_cliffs += o == FALSE_CLIFF;
	assert_true(within(f.mean_mbps, l->average_mbps, 1e-6));
	if (l->has_cliff && f.cache.verdict == CACHE_FOUND) {
		y->cliffs++;
		double lo = isnan(l->soft_lo) ? l->cache_bytes : l->soft_lo,
		       hi = isnan(l->soft_hi) ? l->cache_bytes : l->soft_hi;
		bool covers = f.cache.bytes_lo <= hi && f.cache.bytes_hi >= lo;
		y->covered += covers;
		odd |= !covers;
		if (!isnan(l->in_cache_mbps)) {
			y->in_cache++;
			y->in_cache_right += within(f.cache.mbps, l->in_cache_mbps, l->in_cache_tol);
		}
	}
	if (l->nstages) {
		y->judged++;
		y->counts += f.nstages == (size_t)l->nstages;
		odd |= f.nstages != (size_t)l->nstages;
		for (size_t k = 0; k < f.nstages && f.nstages == (size_t)l->nstages; k++) {
			y->rates++;
			y->rates_right += within(f.stages[k].mbps, l->stages[k].mbps, l->speed_tol);
		}
	}
	if (l->gradual >= 0) {
		y->judged++;
		y->counts += f.gradual == l->gradual;
	}
	if (loud && odd)
		show(l, &f, names[o]);
	fill_figures_free(&f);
}

static void print_row(const char *name, const struct tally *y)
{
	print_message("%-26s %4zu curves, %5.1f %% right (%zu wrong place, %zu missed, %zu false)", name, y->curves,
		100.0 * (double)y->right / (double)y->curves, y->wrong_place, y->missed, y->false_cliffs);
	if (y->cliffs)
		print_message(", intervals cover %5.1f %%", 100.0 * (double)y->covered / (double)y->cliffs);
	if (y->judged)
		print_message(", stages %zu/%zu, rates %zu/%zu", y->counts, y->judged, y->rates_right, y->rates);
	if (y->in_cache)
		print_message(", in-cache %zu/%zu", y->in_cache_right, y->in_cache);
	print_message("\n");
}

static void add(struct tally *to, const struct tally *y)
{
	const size_t *from = (const size_t *)y;
	for (size_t i = 0; i < sizeof *y / sizeof(size_t); i++)
		((size_t *)to)[i] += from[i];
}

static void fresh_curves_meet_the_gate(void **state)
{
	uint64_t seed = number("CURVES_SEED", 20261130), per_family = number("CURVES_PER_FAMILY", 30);
	struct tally known = {0}, other = {0};
	for (size_t k = 0; k < nfamilies; k++) {
		struct tally y = {0};
		for (uint64_t i = 0; i < per_family; i++) {
			struct labelled l;
			family_curve(k, seed, i, &l);
			count(&y, &l, number("CURVES_SHOW", 0));
			labelled_free(&l);
		}
		print_row(families[k].name, &y);
		add(families[k].in_corpus ? &known : &other, &y);
	}
	print_row("families of the corpus", &known);
	print_row("other shapes", &other);
	assert_true((double)known.right >= 0.99 * (double)known.curves);
	assert_true((double)other.right >= 0.94 * (double)other.curves);
	assert_int_equal(known.false_cliffs + other.false_cliffs, 0);
	assert_true((double)(known.covered + other.covered) >= 0.92 * (double)(known.cliffs + other.cliffs));
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(fresh_curves_meet_the_gate)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
