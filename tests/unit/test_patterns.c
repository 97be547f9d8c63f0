// SPDX-License-Identifier: MIT
#include "unit.h"

#include "base/mem.h"
#include "facts/patterns.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Loads `text` as a file. */
static int load(struct patterns **p, const char *text, struct err *e)
{
	char path[] = "patterns-XXXXXX";
	int fd = mkstemp(path);
	assert_true(fd >= 0);
	FILE *f = fdopen(fd, "w");
	fputs(text, f);
	fclose(f);
	*e = (struct err){0};
	*p = NULL;
	int code = patterns_load(p, path, e);
	unlink(path);
	return code;
}

/* Whether a figure that a pattern names is published of the drive. */
static bool is_published(const struct published_drive *d, const char *figure)
{
	size_t stage;
	char what[8];
	if (sscanf(figure, "stage %zu %7s", &stage, what) != 2)
		return isfinite(published_value(d, figure));
	const struct published_stage *s = stage && stage <= d->nstages ? &d->stages[stage - 1] : NULL;
	return s && isfinite(strcmp(what, "end") ? s->mbps : s->to_gb);
}

static void the_file_that_comes_with_the_program(void **state)
{
	struct patterns *p;
	struct published *all;
	struct err e = {0};
	assert_int_equal(patterns_load(&p, NULL, &e), 0);
	assert_int_equal(published_load(&all, NULL, &e), 0);
	assert_int_equal(p->n, 10);
	for (size_t i = 0; i < p->n; i++)
		for (size_t k = 0; k < p->patterns[i].ndrives; k++) {
			const struct pattern_drive *d = &p->patterns[i].drives[k];
			const struct published_drive *known = published_find(all, d->drive);
			if (!known)
				fail_msg("nothing is published of '%s'", d->drive);
			for (size_t f = 0; f < d->nfigures; f++)
				if (strcmp(d->figures[f], "no cache") && strcmp(d->figures[f], "fast again") &&
					!is_published(known, d->figures[f]))
					fail_msg("'%s' of '%s' is not published", d->figures[f], d->drive);
		}
	published_free(all);
	patterns_free(p);
}

static void a_figure_is_met_within_its_error(void **state)
{
	const struct comparison c[] = {
		{"x", "cache-size, GB", 100, 109, 0.09},
		{"x", "stage 1 end, GB", 100, 89, -0.11},
		{"x", "stage 1 rate, MB/s", 100, 86, -0.14},
		{"x", "stage 10 rate, MB/s", 100, 120, 0.2},
		{"y", "fill-mean, MB/s", 100, 100, 0},
	};
	struct claim_figures f[2];
	struct pattern_check k[6];
	struct patterns *p;
	struct err e;
	claim_figures_init(&f[0], "x");
	claim_figures_init(&f[1], "y");
	f[1].fill.measured = true;
	f[1].fill.verdict = CACHE_NONE;
	f[1].fill.nstages = 1;
	f[1].fill.fast_again = true;
	assert_int_equal(
		load(&p,
			"patterns:\n"
			"  - pattern: a\n"
			"    drives:\n"
			"      - {drive: x, figures: [cache-size, stage 1 rate]}\n"
			"      - {drive: y, figures: [no cache, fast again]}\n"
			"  - pattern: b\n"
			"    drives:\n"
			"      - {drive: x, figures: [stage 1 end, stage 10 rate, fill-mean, stage, no cache]}\n"
			"      - {drive: z, figures: [cache-size]}\n",
			&e),
		0);
	assert_int_equal(pattern_checks(&p->patterns[0]), 4);
	assert_true(pattern_evaluate(&p->patterns[0], c, ARRAY_SIZE(c), f, 2, k));
	assert_near(k[0].model, 109, 0);
	assert_near(k[0].allowed, PATTERN_SIZE_ERROR, 0);
	assert_string_equal(k[1].unit, "MB/s");
	assert_near(k[1].published, 100, 0);
	assert_near(k[1].allowed, PATTERN_RATE_ERROR, 0);
	assert_true(k[2].met && isnan(k[2].model) && k[3].met);
	f[1].fill.nstages = 2;
	f[1].fill.fast_again = false;
	assert_false(pattern_evaluate(&p->patterns[0], c, ARRAY_SIZE(c), f, 2, k));
	assert_true(k[0].met && k[1].met && !k[2].met && !k[3].met);
	/* Too far off, another drive's, half a name, a cache not measured, a drive that was not run. */
	assert_int_equal(pattern_checks(&p->patterns[1]), 6);
	assert_false(pattern_evaluate(&p->patterns[1], c, ARRAY_SIZE(c), f, 2, k));
	for (int i = 0; i < 6; i++)
		assert_false(k[i].met);
	assert_near(k[0].error, -0.11, 0);
	assert_true(isnan(k[2].model) && isnan(k[3].model) && isnan(k[5].published));
	patterns_free(p);
}

static void bad_files(void **state)
{
	static const struct {
		const char *text, *says;
	} bad[] = {
		{"patterns: []\n", "patterns"},
		{"patterns:\n  - {pattern: a}\n", "drives"},
		{"patterns:\n  - pattern: a\n    drives:\n      - {drive: x, figure: [b]}\n", ":4"},
	};
	struct patterns *p;
	struct err e = {0};
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		assert_int_equal(load(&p, bad[i].text, &e), -1);
		assert_int_equal(e.code, EXIT_USAGE);
		if (!strstr(e.text, bad[i].says))
			fail_msg("'%s' does not say '%s'", e.text, bad[i].says);
		assert_null(p);
	}
	assert_int_equal(patterns_load(&p, "/nonexistent/patterns.yaml", &e), -1);
	assert_non_null(strstr(e.text, "/nonexistent/patterns.yaml"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_file_that_comes_with_the_program),
		cmocka_unit_test(a_figure_is_met_within_its_error),
		cmocka_unit_test(bad_files),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
