// SPDX-License-Identifier: MIT
/* A measured curve that is not part of this repository: a Biwin X570, 1 Hz, MiB/s (github.com/Philoallandatru/storage,
 * Apache-2.0). Skips, and says so, where it is absent. */
#include "../unit/unit.h"

#include "analysis/stages.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define FILE_NAME "ssd_slc_biwin_x570_200g_20260608_231549.csv"

static size_t n;
static double t[1000], bytes[1000];

static void a_biwin_x570_has_three_stages(void **state)
{
	struct series s = {.n = n, .t = t, .bytes = bytes, .reached_end = true};
	struct fill_figures f;
	analyse_fill(&s, NULL, &f);
	print_message(
		"cache %.2f GB [%.2f, %.2f]\n", f.cache.bytes / 1e9, f.cache.bytes_lo / 1e9, f.cache.bytes_hi / 1e9);
	assert_int_equal(f.cache.verdict, CACHE_FOUND);
	assert_near(f.cache.bytes, 79.3e9, 0.5e9);
	assert_true(f.cache.bytes_lo <= 79.3e9 && f.cache.bytes_hi >= 79.3e9);
	assert_int_equal(f.nstages, 3);
	assert_near(f.stages[0].mbps, 5293, 53);
	assert_near(f.stages[1].mbps, 875, 18);
	assert_near(f.stages[2].mbps, 1740, 18);
	fill_figures_free(&f);
}

int main(void)
{
	char path[4096], line[256];
	snprintf(path, sizeof path, "%s/%s", getenv("TEST_PUBLIC_CURVES"), FILE_NAME);
	FILE *f = fopen(path, "r");
	if (!f) {
		fprintf(stderr, "SKIPPED: the measured curve '%s' is not here\n", path);
		return 77;
	}
	double mib;
	while (n < 1000 && fgets(line, sizeof line, f))
		if (sscanf(line, "%lf,%lf", &t[n], &mib) == 2) {
			bytes[n] = mib * 1048576 * (t[n] - (n ? t[n - 1] : 0));
			n++;
		}
	fclose(f);
	const struct CMUnitTest tests[] = {cmocka_unit_test(a_biwin_x570_has_three_stages)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
