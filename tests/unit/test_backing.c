// SPDX-License-Identifier: MIT
#include "unit.h"

#include "backing.h"

#include "base/units.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CAPACITY (8 * MIB)

static char folder[] = "/tmp/test-backing-XXXXXX";

static int make_folder(void **state)
{
	return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
	return rmdir(folder);
}

static char *in_folder(const char *name)
{
	static char path[256];
	snprintf(path, sizeof path, "%s/%s", folder, name);
	return path;
}

static struct backing *open_backing(const char *where)
{
	struct backing *b = NULL;
	struct err e = {0};
	if (backing_open(&b, where, CAPACITY, &e))
		fail_msg("%s", e.text);
	return b;
}

static void expect_all(struct backing *b, uint64_t offset, size_t bytes, int value)
{
	unsigned char *data = test_malloc(bytes);
	memset(data, value ^ 0xff, bytes);
	assert_int_equal(backing_read(b, data, bytes, offset), 0);
	for (size_t i = 0; i < bytes; i++)
		if (data[i] != value)
			fail_msg("byte %zu is %u, not %d", (size_t)offset + i, data[i], value);
	test_free(data);
}

static void keeps_what_is_written(struct backing *b)
{
	unsigned char *data = test_malloc(MIB);
	memset(data, 0x5a, MIB);
	expect_all(b, 0, MIB, 0);
	assert_int_equal(backing_bytes(b), 0);
	assert_int_equal(backing_write(b, data, MIB, 3 * MIB), 0);
	expect_all(b, 3 * MIB, MIB, 0x5a);
	expect_all(b, 3 * MIB - 4096, 4096, 0);
	expect_all(b, 4 * MIB, 4096, 0);
	/* Not aligned to anything, and the last byte of all. */
	assert_int_equal(backing_write(b, data, 3, 4097), 0);
	expect_all(b, 4097, 3, 0x5a);
	expect_all(b, 4096, 1, 0);
	assert_int_equal(backing_write(b, data, 1, CAPACITY - 1), 0);
	expect_all(b, CAPACITY - 1, 1, 0x5a);
	/* It is sparse, and gives back what is zeroed. */
	uint64_t before = backing_bytes(b);
	assert_in_range(before, MIB, MIB + 64 * KIB);
	assert_int_equal(backing_zero(b, MIB - 100, 3 * MIB + 50), 0);
	expect_all(b, 3 * MIB, 50, 0x5a);
	expect_all(b, 3 * MIB + 50, MIB - 100, 0);
	expect_all(b, 4 * MIB - 50, 50, 0x5a);
	assert_true(backing_bytes(b) < 128 * KIB);
	test_free(data);
}

static void memory_keeps_what_is_written(void **state)
{
	struct backing *b = open_backing(NULL);
	keeps_what_is_written(b);
	backing_close(b);
}

static void a_file_keeps_what_is_written(void **state)
{
	char *path = in_folder("disk");
	struct backing *b = open_backing(path);
	keeps_what_is_written(b);
	backing_close(b);
	/* And after it was closed. */
	b = open_backing(path);
	expect_all(b, 4097, 3, 0x5a);
	backing_close(b);
	unlink(path);
}

static void nothing_keeps_nothing(void **state)
{
	struct backing *b = open_backing("none");
	char data[512] = "x";
	assert_int_equal(backing_write(b, data, sizeof data, 0), 0);
	expect_all(b, 0, 512, 0);
	assert_int_equal(backing_zero(b, 512, 0), 0);
	assert_int_equal(backing_bytes(b), 0);
	assert_false(backing_has_extents(b));
	backing_close(b);
}

static void extents_tell_data_from_holes(void **state)
{
	struct backing *b = open_backing("memory");
	char data[4096] = "x";
	bool is_data;
	assert_true(backing_has_extents(b));
	assert_int_equal(backing_extent(b, 0, &is_data), CAPACITY);
	assert_false(is_data);
	assert_int_equal(backing_write(b, data, sizeof data, MIB), 0);
	assert_int_equal(backing_extent(b, 0, &is_data), MIB);
	assert_false(is_data);
	assert_int_equal(backing_extent(b, MIB + 17, &is_data), MIB + 4096);
	assert_true(is_data);
	assert_int_equal(backing_extent(b, MIB + 4096, &is_data), CAPACITY);
	assert_false(is_data);
	backing_close(b);
}

static void memory_has_a_limit(void **state)
{
	struct backing *b = open_backing(NULL);
	char *data = test_calloc(1, MIB);
	int code = 0;
	uint64_t at = 0;
	backing_limit(b, 6 * MIB);
	for (; !code && at < CAPACITY; at += MIB)
		code = backing_write(b, data, MIB, at);
	assert_int_equal(code, -ENOSPC);
	assert_in_range(backing_bytes(b), 2 * MIB, 6 * MIB);
	/* What is there can be read, and trimming makes room. */
	expect_all(b, 0, MIB, 0);
	assert_int_equal(backing_zero(b, 4 * MIB, 0), 0);
	assert_int_equal(backing_write(b, data, MIB, 7 * MIB), 0);
	test_free(data);
	backing_close(b);
}

static void refused(const char *where, enum exit_code code, const char *text)
{
	struct backing *b = NULL;
	struct err e = {0};
	assert_int_equal(backing_open(&b, where, CAPACITY, &e), -1);
	assert_null(b);
	assert_int_equal(e.code, code);
	if (!strstr(e.text, text))
		fail_msg("'%s' does not say '%s'", e.text, text);
}

static void wrong_places_are_refused(void **state)
{
	char *path = in_folder("small");
	FILE *f = fopen(path, "w");
	fputs("something else", f);
	fclose(f);
	refused(path, EXIT_USAGE, "has 14 bytes, the drive 8388608");
	unlink(path);
	refused("/dev/null", EXIT_USAGE, "not a regular file");
	refused(folder, EXIT_USAGE, "not a regular file");
	refused("/nonexistent/x", EXIT_USAGE, "No such file");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(memory_keeps_what_is_written),
		cmocka_unit_test(a_file_keeps_what_is_written),
		cmocka_unit_test(nothing_keeps_nothing),
		cmocka_unit_test(extents_tell_data_from_holes),
		cmocka_unit_test(memory_has_a_limit),
		cmocka_unit_test(wrong_places_are_refused),
	};
	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
