// SPDX-License-Identifier: MIT
/* What runs are called when several stand side by side. */
#include "unit.h"

#include "base/mem.h"
#include "records.h"
#include "report/charts.h"
#include "report/svg.h"

#include <string.h>

#define MOST 4

/* Names `n` runs: each with a label (or NULL), a model and what its profile calls the drive (or NULL). */
static char **names_of(size_t n, const char *const (*words)[3])
{
	struct run_record *runs[MOST];
	struct review *reviews[MOST];
	char **names = xcalloc(n, sizeof *names);
	for (size_t i = 0; i < n; i++) {
		runs[i] = record_run((int64_t)i + 1, words[i][1]);
		runs[i]->label = words[i][0] ? xstrdup(words[i][0]) : NULL;
		free(runs[i]->host);
		runs[i]->host = words[i][2] ? xasprintf("{\"drive\": {\"full name\": \"%s\"}}", words[i][2]) : NULL;
		reviews[i] = review_build(runs[i]);
	}
	review_name_runs(reviews, n);
	review_name_runs(reviews, n); /* again: nothing is added twice */
	for (size_t i = 0; i < n; i++) {
		names[i] = xstrdup(charts_run_name(reviews[i]));
		review_free(reviews[i]);
		run_record_free(runs[i]);
	}
	return names;
}

static void names_free(char **names, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(names[i]);
	free(names);
}

static void assert_names(size_t n, const char *const (*words)[3], const char *const *wanted)
{
	char **names = names_of(n, words);
	for (size_t i = 0; i < n; i++)
		assert_string_equal(names[i], wanted[i]);
	names_free(names, n);
}

static void what_is_unique_stays_as_it_is(void **state)
{
	assert_names(3, (const char *const[][3]){{"new", "m", NULL}, {NULL, "m", NULL}, {"old", "m", NULL}},
		(const char *const[]){"new", "m", "old"});
}

static void all_of_the_same_name_get_their_number(void **state)
{
	assert_names(3, (const char *const[][3]){{"a", "m", NULL}, {"b", "m", NULL}, {"a", "k", NULL}},
		(const char *const[]){"a (run 1)", "b", "a (run 3)"});
	assert_names(2, (const char *const[][3]){{NULL, "m", NULL}, {NULL, "m", NULL}},
		(const char *const[]){"m (run 1)", "m (run 2)"});
	/* A label that is another's model; blanks that nobody sees. */
	assert_names(2, (const char *const[][3]){{"m", "k", NULL}, {NULL, "m", NULL}},
		(const char *const[]){"m (run 1)", "m (run 2)"});
	assert_names(2, (const char *const[][3]){{"a  b ", "k", NULL}, {"a b", "m", NULL}},
		(const char *const[]){"a b (run 1)", "a b (run 2)"});
	/* A label that is what another becomes by its number. */
	assert_names(3, (const char *const[][3]){{"a", "m", NULL}, {"a", "m", NULL}, {"a (run 1)", "m", NULL}},
		(const char *const[]){"a (run 1)", "a (run 2)", "a (run 1) (run 3)"});
}

static void of_two_names_the_shorter_unless_it_is_ambiguous(void **state)
{
	assert_names(3,
		(const char *const[][3]){{NULL, "tpu-617gb", "Unnamed 2 TB drive"},
			{NULL, "a-very-long-short-name", "B 1"}, {"mine", "c", "Drive C"}},
		(const char *const[]){"tpu-617gb", "B 1", "mine"});
	assert_names(2, (const char *const[][3]){{NULL, "x", "Maker X 1 TB"}, {NULL, "x", "Maker X 2 TB"}},
		(const char *const[]){"Maker X 1 TB", "Maker X 2 TB"});
}

static void long_names_fit_and_stay_apart(void **state)
{
	char long1[201], long2[201];
	memset(long1, 'x', 200);
	memset(long2, 'x', 200);
	long1[199] = 'y';
	long1[200] = long2[200] = 0;
	char **names =
		names_of(3, (const char *const[][3]){{long1, "m", NULL}, {long2, "m", NULL}, {"short", "m", NULL}});
	for (size_t i = 0; i < 3; i++)
		assert_true(text_width(names[i], 13.2) <= 281);
	assert_non_null(strstr(names[0], "\xe2\x80\xa6 (run 1)"));
	assert_non_null(strstr(names[1], "\xe2\x80\xa6 (run 2)"));
	assert_string_equal(names[2], "short");
	names_free(names, 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_unique_stays_as_it_is),
		cmocka_unit_test(all_of_the_same_name_get_their_number),
		cmocka_unit_test(of_two_names_the_shorter_unless_it_is_ambiguous),
		cmocka_unit_test(long_names_fit_and_stay_apart),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
