// SPDX-License-Identifier: MIT
/* Any series has sane figures: zeros, repeated, decreasing and infinite times, one sample, ten million of them. */
#include "../unit/unit.h"

#include "base/mem.h"
#include "base/rng.h"
#include "sane.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check(const struct series *s)
{
	struct fill_figures f;
	const char *wrong = analyse_sanely(s, &f);
	fill_figures_free(&f);
	if (wrong)
		fail_msg("%zu samples: %s", s->n, wrong);
}

static const double odd[] = {0, -0.0, 1, -1, 1e-9, 1e-3, 0.5, 1e3, 1e9, 1e12, 1e18, 1e19, 1e300, -1e300, DBL_MIN,
	DBL_TRUE_MIN, DBL_MAX, INFINITY, -INFINITY, NAN};

static void short_series_of_odd_numbers(void **state)
{
	struct rng r;
	rng_seed(&r, 1);
	double t[6], b[6];
	for (int round = 0; round < 200000; round++) {
		size_t n = rng_below(&r, 7);
		for (size_t i = 0; i < n; i++) {
			t[i] = odd[rng_below(&r, ARRAY_SIZE(odd))];
			b[i] = odd[rng_below(&r, ARRAY_SIZE(odd))];
		}
		struct stretch hot = {odd[rng_below(&r, ARRAY_SIZE(odd))], odd[rng_below(&r, ARRAY_SIZE(odd))]};
		check(&(struct series){n, t, b, rng_below(&r, 2), &hot, rng_below(&r, 2)});
	}
}

/* Series that are like real ones for the most part. */
static void long_series_with_odd_parts(void **state)
{
	struct rng r;
	rng_seed(&r, 2);
	enum { MOST = 3000 };
	static double t[MOST], b[MOST];
	for (int round = 0; round < 400; round++) {
		size_t n = 1 + rng_below(&r, MOST);
		double now = 0, rate = exp(30 * rng_unit(&r)), noise = rng_unit(&r), strange = rng_below(&r, 3) * 0.02;
		double step = exp(12 * rng_unit(&r) - 8);
		for (size_t i = 0; i < n; i++) {
			if (rng_below(&r, 100) == 0)
				rate = rng_below(&r, 3) ? exp(30 * rng_unit(&r)) : 0;
			now += step * (rng_below(&r, 10) ? 1 : 3 * rng_unit(&r));
			t[i] = now;
			b[i] = rate * step * (1 + noise * (rng_unit(&r) - 0.5));
			if (rng_unit(&r) < strange)
				t[i] = rng_below(&r, 2) ? odd[rng_below(&r, ARRAY_SIZE(odd))] : now - 5 * step;
			if (rng_unit(&r) < strange)
				b[i] = odd[rng_below(&r, ARRAY_SIZE(odd))];
		}
		check(&(struct series){.n = n, .t = t, .bytes = b, .reached_end = true});
	}
}

static void nothing_but_zeros(void **state)
{
	static double t[2000], b[2000];
	for (size_t n = 0; n <= 2000; n += 1 + n / 3) {
		memset(t, 0, sizeof t);
		check(&(struct series){.n = n, .t = t, .bytes = b});
		for (size_t i = 0; i < n; i++)
			t[i] = 0.5 * (double)(i + 1);
		check(&(struct series){.n = n, .t = t, .bytes = b, .reached_end = true});
	}
}

static void ten_million_samples(void **state)
{
	size_t n = 10000000;
	double *t = xmalloc(n * sizeof *t), *b = xmalloc(n * sizeof *b), cliff = 0, bytes = 0;
	struct rng r;
	rng_seed(&r, 3);
	for (size_t i = 0; i < n; i++) {
		t[i] = 1e-4 * (double)(i + 1);
		b[i] = (i < n / 3 ? 7e5 : 1.7e5) * (0.9 + 0.2 * rng_unit(&r));
		bytes += b[i];
		cliff = i < n / 3 ? bytes : cliff;
	}
	struct series s = {.n = n, .t = t, .bytes = b, .reached_end = true};
	struct fill_figures f;
	assert_null(analyse_sanely(&s, &f));
	assert_int_equal(f.cache.verdict, CACHE_FOUND);
	assert_near(f.cache.bytes, cliff, 1e-4 * cliff);
	assert_near(f.bytes, bytes, 1e-6 * bytes);
	fill_figures_free(&f);
	free(t);
	free(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(short_series_of_odd_numbers),
		cmocka_unit_test(long_series_with_odd_parts),
		cmocka_unit_test(nothing_but_zeros),
		cmocka_unit_test(ten_million_samples),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
