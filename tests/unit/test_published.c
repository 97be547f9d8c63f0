// SPDX-License-Identifier: MIT
#include "unit.h"

#include "facts/published.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char path[] = "published-XXXXXX";

static int load(struct published **p, const char *text, struct err *e)
{
	FILE *f;
	strcpy(path, "published-XXXXXX");
	int fd = mkstemp(path);
	assert_true(fd >= 0);
	f = fdopen(fd, "w");
	fputs(text, f);
	fclose(f);
	*e = (struct err){0};
	int code = published_load(p, path, e);
	unlink(path);
	return code;
}

static void test_the_file_that_comes_with_the_program(void **state)
{
	struct published *p;
	struct err e = {0};
	assert_int_equal(published_load(&p, NULL, &e), 0);
	assert_true(p->n >= 45);
	const struct published_drive *d = published_find(p, "tpu-617gb");
	assert_non_null(d);
	assert_near(published_value(d, "cache-size"), 617e9, 1);
	assert_near(published_value(d, "fill-mean"), 2417, 0);
	assert_int_equal(d->nstages, 2);
	assert_near(d->stages[0].mbps, 7000, 0);
	assert_near(d->stages[1].to_gb, 2000, 0);
	d = published_find(p, "lexar-nm800-pro-2tb");
	assert_true(isnan(d->stages[1].to_gb));
	d = published_find(p, "phison-e12-960gb");
	assert_true(isnan(published_value(d, "burst-seq-read"))); /* only a limit */
	assert_true(isnan(published_value(d, "no-such-figure")));
	assert_null(published_find(p, "no-such-drive"));
	for (size_t i = 0; i < p->n; i++)
		for (size_t k = 0; k < p->drives[i].nfigures; k++) {
			assert_true(isfinite(p->drives[i].figures[k].value));
			assert_true(strlen(p->drives[i].figures[k].source) > 8);
		}
	published_free(p);
}

static void test_units(void **state)
{
	struct published *p;
	struct err e;
	assert_int_equal(load(&p,
				 "drives:\n"
				 "  - id: x\n"
				 "    name: X\n"
				 "    figures:\n"
				 "      - {figure: a, value: 2, unit: GiB, kind: published, source: s}\n"
				 "      - {figure: b, value: 3, unit: TB, kind: derived, source: s, note: n}\n"
				 "      - {figure: c, value: 3, unit: furlong, kind: published, source: s}\n"
				 "      - {figure: d, value: 5, unit: W, kind: published, bound: at-most, source: s}\n"
				 "      - {figure: d, value: 4, unit: W, kind: published, source: s}\n",
				 &e),
		0);
	assert_near(published_value(&p->drives[0], "a"), 2147483648.0, 0);
	assert_near(published_value(&p->drives[0], "b"), 3e12, 0);
	assert_true(isnan(published_value(&p->drives[0], "c")));
	assert_near(published_value(&p->drives[0], "d"), 4, 0);
	assert_int_equal(p->drives[0].figures[3].bound, BOUND_AT_MOST);
	assert_true(p->drives[0].figures[1].derived && !p->drives[0].figures[0].derived);
	assert_string_equal(p->drives[0].figures[1].note, "n");
	published_free(p);
}

static void test_bad_files(void **state)
{
	static const struct {
		const char *text, *says;
	} bad[] = {
		{"drives:\n  - {id: x, name: X}\n  - {id: x, name: Y}\n", ":3: drives[1].id: 'x' is there twice"},
		{"drives:\n  - id: x\n    name: X\n    figures:\n      - {figure: a, value: 1, unit: W, kind: guessed, "
		 "source: s}\n",
			":5: drives[0].figures[0].kind: 'guessed' is not 'published' or 'derived'"},
		{"drives:\n  - id: x\n    name: X\n    figures:\n      - {figure: a, value: 1, unit: W, kind: derived, "
		 "bound: near, source: s}\n",
			":5: drives[0].figures[0].bound: 'near' is not 'at-least' or 'at-most'"},
		{"drives:\n  - id: x\n    name: X\n    stages:\n      - {label: a, kind: seen, source: s}\n",
			":5: drives[0].stages[0].kind: 'seen' is not"},
		{"drives:\n  - id: x\n    name: X\n    facts:\n      - {fact: a, text: t, kind: seen, source: s}\n",
			":5: drives[0].facts[0].kind: 'seen' is not"},
		{"drives:\n  - id: x\n    name: X\n    figures:\n      - {figure: a, value: many, unit: W, kind: "
		 "derived, source: s}\n",
			":5"},
		{"drives:\n  - id: x\n    name: X\n    figures:\n      - {figure: a, value: 1, unit: W, kind: "
		 "derived}\n",
			"source"},
	};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct published *p = NULL;
		struct err e;
		assert_int_equal(load(&p, bad[i].text, &e), -1);
		assert_int_equal(e.code, EXIT_USAGE);
		if (!strstr(e.text, bad[i].says))
			fail_msg("'%s' does not say '%s'", e.text, bad[i].says);
		assert_null(p);
	}
	struct published *p;
	struct err e = {0};
	assert_int_equal(published_load(&p, "/nonexistent/published.yaml", &e), -1);
	assert_non_null(strstr(e.text, "/nonexistent/published.yaml"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_file_that_comes_with_the_program),
		cmocka_unit_test(test_units),
		cmocka_unit_test(test_bad_files),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
