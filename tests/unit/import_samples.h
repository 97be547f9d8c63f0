/* SPDX-License-Identifier: MIT */
/* What the tests of imports have in common: a scratch folder, sample files, and looks at the runs that came of them. */
#ifndef TESTS_IMPORT_SAMPLES_H
#define TESTS_IMPORT_SAMPLES_H

#include "folder.h"
#include "unit.h"

#include "base/mem.h"
#include "import/import.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char *folder;

/* What an import gave; freed at the end of each test. */
static struct run_record *runs;
static size_t nruns;

static inline void forget(void)
{
	for (size_t i = 0; i < nruns; i++)
		run_record_clear(&runs[i]);
	free(runs);
	runs = NULL;
	nruns = 0;
}

static inline int end_test(void **state)
{
	forget();
	return 0;
}

static inline char *sample(const char *name)
{
	const char *logs = getenv("TEST_LOGS");
	return xasprintf("%s/%s", logs ? logs : "tests/data/logs", name);
}

/* Writes a file into the scratch folder; its path until the end of the program. */
static inline const char *file_with(const char *name, const char *text)
{
	static char *paths[256];
	static size_t n;
	assert_true(n < ARRAY_SIZE(paths));
	char *path = paths[n++] = xasprintf("%s/%s", folder, name);
	FILE *f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
	return path;
}

/* Imports `count` files; the first run, which must be there. */
static inline const struct run_record *import(const struct import_options *o, size_t count, const char *const *files)
{
	struct err e = {0};
	struct import_options none = {0};
	forget();
	if (import_files(files, count, o ? o : &none, &runs, &nruns, &e) != 0)
		fail_msg("%s", e.text);
	assert_true(nruns > 0);
	return &runs[0];
}

static inline const struct run_record *import_samples(
	const struct import_options *o, size_t count, const char *const *names)
{
	char *files[8];
	assert_true(count <= ARRAY_SIZE(files));
	for (size_t i = 0; i < count; i++)
		files[i] = sample(names[i]);
	const struct run_record *r = import(o, count, (const char *const *)files);
	for (size_t i = 0; i < count; i++)
		free(files[i]);
	return r;
}

static inline const struct run_record *import_sample(const char *name)
{
	return import_samples(NULL, 1, &name);
}

/* The file is refused with exit code 2 and a line that says `words`. */
static inline void refused(const char *file, const struct import_options *o, const char *words)
{
	struct err e = {0};
	struct import_options none = {0};
	forget();
	assert_int_equal(import_files(&file, 1, o ? o : &none, &runs, &nruns, &e), -1);
	assert_null(runs);
	if (!strstr(e.text, words))
		fail_msg("'%s' does not say '%s'", e.text, words);
	assert_int_equal(e.code, EXIT_USAGE);
	assert_null(strchr(e.text, '\n'));
}

static inline bool warned(const struct run_record *r, const char *code)
{
	for (size_t i = 0; i < r->nwarnings; i++)
		if (strcmp(r->warnings[i].code, code) == 0)
			return true;
	return false;
}

static inline const struct phase_record *fill_of(const struct run_record *r)
{
	assert_string_equal(r->target.kind, "imported");
	assert_int_equal(r->ntests, 1);
	assert_string_equal(r->tests[0].name, "fill");
	assert_string_equal(r->tests[0].kind, "fill");
	assert_int_equal(r->tests[0].nphases, 1);
	const struct phase_record *p = &r->tests[0].phases[0];
	assert_string_equal(p->op, "write");
	/* Whatever the format: samples follow one another without a gap, and add up to the totals. */
	nsec at = 0;
	uint64_t bytes = 0;
	for (size_t i = 0; i < p->nsamples; i++) {
		assert_int_equal(p->samples[i].start, at);
		assert_true(p->samples[i].length > 0);
		at += p->samples[i].length;
		bytes += p->samples[i].bytes;
	}
	assert_int_equal(at, p->duration);
	assert_int_equal(bytes, p->bytes);
	assert_true(isnan(p->joules) && isnan(p->die_busy) && p->nand_bytes == -1 && p->flush == -1);
	return p;
}

static inline void near(double got, double want, double share)
{
	if (!(fabs(got - want) <= share * fabs(want)))
		fail_msg("%g is not %g", got, want);
}

#define S(x) ((nsec)((x)*1e9))

static inline int begin(void **state)
{
	folder = make_test_folder();
	return 0;
}

static inline int end(void **state)
{
	remove_folder(folder);
	return 0;
}

#define TEST(f) cmocka_unit_test_teardown(f, end_test)

#endif
