// SPDX-License-Identifier: MIT
#include "unit.h"

#include "target/data.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { SLOTS = 4, BYTES = 64 * 1024 };

/* What a drive would do with one write and one read of the same place. */
static void travel(struct data *d, unsigned from, unsigned to, uint32_t bytes)
{
	memcpy(data_to_read(d, to), data_to_write(d, from), bytes);
}

static void what_was_written_passes(void **state)
{
	struct data d;
	assert_int_equal(data_open(&d, SLOTS, BYTES, 7, NULL), 0);
	static const uint32_t sizes[] = {BYTES, 4096, 512, 4096 + 512};
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		data_stamp(&d, 3, 1 << 20, sizes[i], 5);
		travel(&d, 3, 1, sizes[i]);
		assert_int_equal(data_check(&d, 1, 1 << 20, sizes[i], 5), 0);
	}
	/* read in smaller pieces, by a reader whose pool is smaller than the writer's */
	data_stamp(&d, 3, 1 << 20, BYTES, 5);
	struct data small;
	assert_int_equal(data_open(&small, 1, 4096, 7, NULL), 0);
	for (uint32_t at = 0; at < BYTES; at += 4096) {
		memcpy(data_to_read(&small, 0), data_to_write(&d, 3) + at, 4096);
		assert_int_equal(data_check(&small, 0, (1 << 20) + at, 4096, 5), 0);
	}
	data_close(&small);
	data_close(&d);
}

static void every_flipped_bit_is_found(void **state)
{
	struct data d;
	assert_int_equal(data_open(&d, SLOTS, BYTES, 7, NULL), 0);
	data_stamp(&d, 0, 8192, 8192, 1);
	travel(&d, 0, 2, 8192);
	for (size_t bit = 0; bit < 8192 * 8; bit++) {
		uint8_t *p = data_to_read(&d, 2) + bit / 8;
		*p ^= (uint8_t)(1 << bit % 8);
		assert_int_equal(data_check(&d, 2, 8192, 8192, 1), -EILSEQ);
		*p ^= (uint8_t)(1 << bit % 8);
	}
	assert_int_equal(data_check(&d, 2, 8192, 8192, 1), 0);
	data_close(&d);
}

static void wrong_place_pass_or_seed_is_found(void **state)
{
	struct data d, other;
	assert_int_equal(data_open(&d, SLOTS, BYTES, 7, NULL), 0);
	assert_int_equal(data_open(&other, SLOTS, BYTES, 8, NULL), 0);
	data_stamp(&d, 0, 8192, BYTES, 1);
	travel(&d, 0, 0, BYTES);
	assert_int_equal(data_check(&d, 0, 8192, BYTES, 1), 0);
	assert_int_equal(data_check(&d, 0, 8192 + 4096, BYTES, 1), -EILSEQ);
	assert_int_equal(data_check(&d, 0, 8192, BYTES, 0), -EILSEQ);
	assert_int_equal(data_check(&d, 0, 8192, BYTES, 2), -EILSEQ);
	memcpy(data_to_read(&other, 0), data_to_write(&d, 0), BYTES);
	assert_int_equal(data_check(&other, 0, 8192, BYTES, 1), -EILSEQ);
	/* a drive that transfers nothing at all */
	data_spoil(&d, 0, BYTES);
	assert_int_equal(data_check(&d, 0, 8192, BYTES, 1), -EILSEQ);
	memset(data_to_read(&d, 0), 0, BYTES);
	assert_int_equal(data_check(&d, 0, 8192, BYTES, 1), -EILSEQ);
	data_close(&other);
	data_close(&d);
}

static int by_content(const void *a, const void *b)
{
	return memcmp(*(uint8_t *const *)a, *(uint8_t *const *)b, 4096);
}

/* No two blocks of a run are equal, within a slot, across slots, and from one use of a slot to the next. */
static void blocks_are_unique_and_incompressible(void **state)
{
	enum { N = SLOTS * BYTES / 4096 };
	struct data d;
	assert_int_equal(data_open(&d, SLOTS, BYTES, 0, NULL), 0);
	uint8_t *copy = malloc(2 * SLOTS * BYTES), *block[2 * N];
	for (unsigned round = 0; round < 2; round++)
		for (unsigned s = 0; s < SLOTS; s++) {
			data_stamp(&d, s, (uint64_t)s * BYTES, BYTES, round);
			memcpy(copy + (round * SLOTS + s) * BYTES, data_to_write(&d, s), BYTES);
		}
	for (unsigned i = 0; i < 2 * N; i++)
		block[i] = copy + i * 4096u;
	qsort(block, 2 * N, sizeof *block, by_content);
	for (unsigned i = 1; i < 2 * N; i++)
		assert_memory_not_equal(block[i - 1], block[i], 4096);
	/* Entropy of the bytes: 1 MiB of perfectly random bytes has 8 bits per byte less about 255 / (2 ln 2 n) =
	 * 0.0004. */
	unsigned count[256] = {0};
	for (unsigned i = 0; i < SLOTS * BYTES; i++)
		count[copy[i]]++;
	for (unsigned i = 0; i < 256; i++) /* mean 1024, sd 32: six sigma */
		assert_in_range(count[i], 1024 - 192, 1024 + 192);
	free(copy);
	data_close(&d);
}

static void our_own_blocks_are_known(void **state)
{
	struct data d;
	uint8_t block[4096] = {0};
	assert_int_equal(data_open(&d, 1, 4096, 123, NULL), 0);
	assert_false(data_is_ours(block));
	assert_false(data_is_ours(data_to_write(&d, 0))); /* random, but not stamped yet */
	data_stamp(&d, 0, 0, 4096, 0);
	assert_true(data_is_ours(data_to_write(&d, 0)));
	data_to_write(&d, 0)[3] ^= 4;
	assert_false(data_is_ours(data_to_write(&d, 0)));
	data_close(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_written_passes),
		cmocka_unit_test(every_flipped_bit_is_found),
		cmocka_unit_test(wrong_place_pass_or_seed_is_found),
		cmocka_unit_test(blocks_are_unique_and_incompressible),
		cmocka_unit_test(our_own_blocks_are_known),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
