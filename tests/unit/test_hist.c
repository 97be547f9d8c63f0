// SPDX-License-Identifier: MIT
#include "unit.h"

#include "base/hist.h"
#include "base/rng.h"

#include <stdlib.h>
#include <string.h>

static void every_value_is_known_within_half_a_percent(void **state)
{
	struct hist *h = calloc(1, sizeof *h);
	struct rng r;
	rng_seed(&r, 1);
	for (int i = 0; i < 20000; i++) {
		uint64_t v = rng_next(&r) >> (16 + rng_below(&r, 47));
		memset(h, 0, sizeof *h);
		hist_add(h, v);
		hist_add(h, 0);
		hist_add(h, UINT64_MAX >> 16); /* so that min and max do not clamp */
		uint64_t got = hist_quantile(h, 0.5);
		double error = v ? ((double)got - (double)v) / (double)v : (double)got;
		assert_true(error <= 1.0 / 256 && error >= -1.0 / 256);
	}
	free(h);
}

static void quantiles_merge_and_support(void **state)
{
	struct hist *a = calloc(2, sizeof *a), *b = a + 1;
	for (uint64_t i = 1; i <= 500; i++)
		hist_add(a, i * 1000);
	for (uint64_t i = 501; i <= 1000; i++)
		hist_add(b, i * 1000);
	hist_merge(a, b);
	assert_int_equal(a->count, 1000);
	assert_int_equal(a->min, 1000);
	assert_int_equal(a->max, 1000000);
	assert_int_equal(a->sum, 1000ull * 1000 * 1001 / 2);
	assert_in_range(hist_quantile(a, 0.5), 498000, 502000);
	assert_in_range(hist_quantile(a, 0.99), 985000, 994000);
	assert_int_equal(hist_quantile(a, 1), 1000000);
	assert_true(hist_supports(a, 0.99));
	assert_false(hist_supports(a, 0.999));
	free(a);
}

static void packing_is_lossless_and_checked(void **state)
{
	struct hist *a = calloc(2, sizeof *a), *b = a + 1;
	struct rng r;
	rng_seed(&r, 2);
	for (int i = 0; i < 3000; i++)
		hist_add(a, rng_next(&r) >> rng_below(&r, 64));
	size_t n;
	uint8_t *packed = hist_pack(a, &n);
	assert_int_equal(hist_unpack(b, packed, n), 0);
	assert_memory_equal(a, b, sizeof *a);
	for (size_t cut = 0; cut < n; cut++)
		assert_int_equal(hist_unpack(b, packed, cut), -1);
	assert_int_equal(b->count, 0);
	free(packed);
	free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_value_is_known_within_half_a_percent),
		cmocka_unit_test(quantiles_merge_and_support),
		cmocka_unit_test(packing_is_lossless_and_checked),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
