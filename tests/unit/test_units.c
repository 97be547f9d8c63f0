// SPDX-License-Identifier: MIT
#include "unit.h"

#include "base/units.h"

static void sizes_are_read_as_fio_reads_them(void **state)
{
	static const struct {
		const char *text;
		uint64_t bytes;
	} good[] = {
		{"0", 0},
		{"4096", 4096},
		{"4k", 4096},
		{"4K", 4096},
		{"4KiB", 4096},
		{"4kib", 4096},
		{"4kB", 4000},
		{"128m", 134217728},
		{"1M", 1048576},
		{"1MB", 1000000},
		{"1.5g", 1610612736},
		{"2TB", 2000000000000},
		{"1t", 1099511627776},
		{"617 GB", 617000000000},
		{"7B", 7},
	};
	for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
		uint64_t got = 1;
		assert_int_equal(units_parse_bytes(good[i].text, &got), 0);
		assert_int_equal(got, good[i].bytes);
	}
	static const char *const bad[] = {"", " ", "-1", "x", "4q", "4kk", "1..2", "0x10", "inf", "nan", "1e9", "."};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		uint64_t got = 77;
		assert_int_equal(units_parse_bytes(bad[i], &got), -1);
		assert_int_equal(got, 77);
	}
	static const struct {
		const char *text, *says;
	} wrong[] = {
		{"much", "'much' is not a size: give a number of bytes, with k, M, G, T (powers of 1024) or kB, MB, "
			 "GB, TB"},
		{"16777216T", "'16777216T' is too large a size: give less than 8 EiB (2^63 bytes)"},
		{"9999999t", "'9999999t' is too large a size: give less than 8 EiB (2^63 bytes)"},
		{"99999999999999999999999999999999999999", "'99999999999999999999999999999999999999' is too large a "
							   "size: give less than 8 EiB (2^63 bytes)"},
		{"0", "'0' is too small a size: give at least 1 byte"},
	};
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		uint64_t got = 77;
		struct err e = {0};
		assert_int_equal(units_parse_size(wrong[i].text, 1, &got, &e), -1);
		assert_string_equal(e.text, wrong[i].says);
		assert_int_equal(e.code, EXIT_USAGE);
		assert_int_equal(got, 77);
	}
}

static void durations(void **state)
{
	nsec ns;
	assert_int_equal(units_parse_duration("1.5 µs", &ns), 0);
	assert_int_equal(ns, 1500);
	assert_int_equal(units_parse_duration("100us", &ns), 0);
	assert_int_equal(ns, 100000);
	assert_int_equal(units_parse_duration("60s", &ns), 0);
	assert_int_equal(ns, 60 * NSEC_PER_SEC);
	assert_int_equal(units_parse_duration("1.5ms", &ns), 0);
	assert_int_equal(ns, 1500000);
	assert_int_equal(units_parse_duration("5", &ns), 0);
	assert_int_equal(ns, 5 * NSEC_PER_SEC);
	assert_int_equal(units_parse_duration("2min", &ns), 0);
	assert_int_equal(ns, 120 * NSEC_PER_SEC);
	assert_int_equal(units_parse_duration("5 parsecs", &ns), -1);
	assert_int_equal(units_parse_duration("99999999999h", &ns), -1);
}

static void people_read_units(void **state)
{
	char b[UNITS_BUF];
	assert_string_equal(units_bytes(b, 617e9), "617 GB");
	assert_string_equal(units_bytes(b, 9.71e9), "9.71 GB");
	assert_string_equal(units_bytes(b, 2e12), "2.00 TB");
	assert_string_equal(units_bytes(b, 512), "512 B");
	assert_string_equal(units_bytes(b, 999.6e6), "1.00 GB");
	assert_string_equal(units_rate(b, 7.031e9), "7.03 GB/s");
	assert_string_equal(units_rate(b, 512e6), "512 MB/s");
	assert_string_equal(units_block(b, 131072), "128 KiB");
	assert_string_equal(units_block(b, 1048576), "1 MiB");
	assert_string_equal(units_block(b, 1000), "1000 B");
	assert_string_equal(units_duration(b, 842 * NSEC_PER_SEC), "14 min 02 s");
	assert_string_equal(units_duration(b, 5200 * NSEC_PER_MSEC), "5.20 s");
	assert_string_equal(units_duration(b, 120000), "120 µs");
	assert_string_equal(units_duration(b, 7), "7 ns");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sizes_are_read_as_fio_reads_them),
		cmocka_unit_test(durations),
		cmocka_unit_test(people_read_units),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
