// SPDX-License-Identifier: MIT
/* A served drive without its server: data, answers, options, resizing, the file of its state. */
#include "unit.h"

#include "drive.h"

#include "base/units.h"
#include "profile/resize.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[] = "/tmp/test-served-XXXXXX";

static int make_folder(void **state)
{
	return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
	return rmdir(folder);
}

static void option(struct drive_options *o, const char *key, const char *value)
{
	struct err e = {0};
	if (drive_option(o, key, value, &e))
		fail_msg("%s", e.text);
}

/* A served drive of 4 GiB, a tenth as fast as it is; `key` and `value` may be NULL. */
static struct drive *serve(const char *key, const char *value)
{
	struct drive_options o = DRIVE_DEFAULTS;
	struct err e = {0};
	option(&o, "model", "sim:tpu-617gb");
	option(&o, "capacity", "4G");
	option(&o, "timescale", "10");
	option(&o, "transport", "0");
	if (key)
		option(&o, key, value);
	struct drive *d = test_calloc(1, sizeof *d);
	if (drive_open(d, &o, &e))
		fail_msg("%s", e.text);
	drive_start(d);
	return d;
}

static void end(struct drive *d)
{
	drive_close(d);
	free(d->o.backing);
	free(d->o.state);
	free(d->o.stats);
	test_free(d);
}

static void expect(struct drive *d, uint64_t offset, uint32_t bytes, int value)
{
	struct answer a;
	unsigned char *data = test_malloc(bytes);
	memset(data, 1, bytes);
	assert_int_equal(drive_read(d, data, bytes, offset, &a), 0);
	for (uint32_t i = 0; i < bytes; i++)
		assert_int_equal(data[i], value);
	test_free(data);
}

static uint64_t mapped(struct drive *d)
{
	struct ssdmodel_sense s;
	ssdmodel_sense(d->model, d->last, &s);
	return s.mapped_bytes;
}

static void data_and_model_agree(void **state)
{
	struct drive *d = serve(NULL, NULL);
	struct answer a;
	char *data = test_malloc(MIB);
	memset(data, 7, MIB);
	assert_int_equal(d->info.capacity_bytes, 4 * GIB);
	expect(d, 0, 4096, 0);
	assert_int_equal(drive_write(d, data, MIB, 4096, false, &a), 0);
	expect(d, 4096, MIB, 7);
	assert_int_equal(mapped(d), MIB);
	/* One byte more is one unit more. */
	assert_int_equal(drive_write(d, data, 1, 0, false, &a), 0);
	expect(d, 0, 1, 7);
	expect(d, 1, 1, 0);
	assert_int_equal(mapped(d), MIB + 4096);
	/* A trim takes whole units only. */
	assert_int_equal(drive_trim(d, 8192, 4096 + 100, false, &a), 0);
	expect(d, 4096, 4096, 7);
	expect(d, 8192, 4096, 0);
	expect(d, 12288, 4096, 7);
	assert_int_equal(mapped(d), MIB);
	assert_int_equal(drive_trim(d, 100, 12288, false, &a), 0);
	expect(d, 12288, 4096, 7);
	/* Zeroing is exact, whatever the drive does with it. */
	assert_int_equal(drive_zero(d, 8192, 12288 + 100, true, false, &a), 0);
	expect(d, 12288, 100, 7);
	expect(d, 12288 + 100, 8192, 0);
	expect(d, 12288 + 100 + 8192, 100, 7);
	assert_int_equal(mapped(d), MIB - 4096);
	assert_int_equal(drive_zero(d, 65536, 8192, false, true, &a), 0);
	expect(d, 8192, 65536, 0);
	assert_int_equal(mapped(d), MIB + 4096); /* zeros that were written are data: the two trimmed units too */
	test_free(data);
	end(d);
}

static void answers_take_the_modelled_time(void **state)
{
	struct drive *d = serve(NULL, NULL);
	struct answer a, b;
	char *data = test_calloc(1, MIB);
	nsec before = nsec_now();
	assert_int_equal(drive_write(d, data, MIB, 0, false, &a), 0);
	nsec after = nsec_now();
	/* With no transport to take off it is due when the model is done with it, ten times as slowly. */
	assert_true(a.asked > 0);
	assert_true(a.due >= before + a.asked - 10 && a.due <= after + a.asked);
	assert_int_equal(a.asked % 10, 0);
	/* 1 MiB over the link alone takes 1 MiB / bytes_per_s. */
	assert_true((double)a.asked / 10 > 1e9 * MIB / (double)ssdmodel_params(d->model)->link.bytes_per_s);
	/* Forced to flash it takes a program longer. */
	assert_int_equal(drive_write(d, data, 4096, MIB, true, &b), 0);
	assert_true(b.asked >= 10 * ssdmodel_params(d->model)->nand.slc.tprog);
	/* What the transport takes is taken off. */
	d->floor = (struct floor){.trip = 1000, .per_mib = 50000, .wakeup = 300};
	before = nsec_now();
	assert_int_equal(drive_write(d, data, MIB, 2 * MIB, false, &a), 0);
	after = nsec_now();
	assert_true(a.due >= before + a.asked - 51010 && a.due <= after + a.asked - 51000);
	assert_int_equal(drive_wake(d, &a), a.due - 300);
	test_free(data);
	end(d);
}

static void a_large_request_is_several_commands(void **state)
{
	struct drive *d = serve("backing", "none");
	struct answer a;
	char *data = test_calloc(1, 16 * MIB);
	assert_int_equal(drive_write(d, data, 16 * MIB, 512, false, &a), 0);
	struct ssdmodel_sense s;
	ssdmodel_sense(d->model, d->last, &s);
	assert_int_equal(mapped(d), 16 * MIB + 4096);
	assert_int_equal(d->writes, 1);
	assert_int_equal(d->written_bytes, 16 * MIB);
	test_free(data);
	end(d);
}

static void a_small_drive_is_like_its_big_sister(void **state)
{
	struct ssdmodel_params big, p;
	struct profile_info info;
	struct err e = {0};
	static const uint64_t sizes[] = {3 * GIB, 4 * GIB, 10 * GIB, 64 * GIB, 500 * GB};
	assert_int_equal(profile_load("tpu-617gb", &big, NULL, &e), 0);
	double raw = (double)big.nand.blocks_per_plane * big.nand.pages_per_block;
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		assert_int_equal(profile_load("tpu-617gb", &p, &info, &e), 0);
		assert_int_equal(profile_resize(&p, &info, sizes[i], &e), 0);
		assert_int_equal(p.capacity_bytes, sizes[i] / 4096 * 4096);
		assert_int_equal(info.capacity_bytes, p.capacity_bytes);
		double share = (double)sizes[i] / (double)big.capacity_bytes;
		/* Flash in proportion, so over-provisioning stays; erasing a byte takes the same time. */
		assert_near((double)p.nand.blocks_per_plane * p.nand.pages_per_block / raw / share, 1, 0.004);
		assert_near((double)p.nand.native.terase / p.nand.pages_per_block * big.nand.pages_per_block /
				    (double)big.nand.native.terase,
			1, 0.01);
		assert_near((double)p.pslc.reuse_bytes / (double)big.pslc.reuse_bytes / share, 1, 0.01);
		assert_int_equal(p.nand.pages_per_block % p.nand.bits_per_cell, 0);
		/* What sets the rates is as it was. */
		assert_int_equal(
			p.nand.channels * p.nand.dies_per_channel, big.nand.channels * big.nand.dies_per_channel);
		assert_int_equal(p.nand.native.tprog, big.nand.native.tprog);
		struct ssdmodel *d;
		char why[256];
		if (ssdmodel_create(&d, &p, why, sizeof why))
			fail_msg("%s", why);
		ssdmodel_destroy(d);
	}
	static const struct {
		uint64_t size;
		const char *text;
	} bad[] = {{4096, "cannot be made as small"}, {1, "cannot be made as small"}, {3000 * GB, "less than"}};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		assert_int_equal(profile_load("tpu-617gb", &p, NULL, &e), 0);
		assert_int_equal(profile_resize(&p, NULL, bad[i].size, &e), -1);
		assert_int_equal(e.code, EXIT_USAGE);
		assert_non_null(strstr(e.text, bad[i].text));
	}
}

static void the_state_is_saved_and_loaded(void **state)
{
	char path[64];
	struct err e = {0};
	struct answer a;
	snprintf(path, sizeof path, "%s/state", folder);
	struct drive *d = serve("state", path);
	char *data = test_calloc(1, MIB);
	for (uint64_t at = 0; at < 64 * MIB; at += MIB)
		assert_int_equal(drive_write(d, data, MIB, at, false, &a), 0);
	nsec then = d->last;
	uint64_t had = mapped(d);
	assert_int_equal(drive_save(d, &e), 0);
	end(d);
	/* The next one goes on where this one stopped. */
	d = serve("state", path);
	assert_int_equal(d->last, then);
	assert_int_equal(mapped(d), had);
	assert_int_equal(pace_drive_time(&d->pace, d->pace.host0), then);
	assert_int_equal(drive_write(d, data, MIB, 0, false, &a), 0);
	assert_true(d->last >= then);
	end(d);
	/* A flipped bit is noticed; so is another drive. */
	struct drive_options o = DRIVE_DEFAULTS;
	option(&o, "model", "tpu-617gb");
	option(&o, "capacity", "8G");
	option(&o, "state", path);
	d = test_calloc(1, sizeof *d);
	assert_int_equal(drive_open(d, &o, &e), -1);
	assert_int_equal(e.code, EXIT_USAGE);
	assert_non_null(strstr(e.text, "the state of another drive"));
	drive_close(d);
	FILE *f = fopen(path, "r+");
	fseek(f, 5000, SEEK_SET);
	int byte = fgetc(f);
	fseek(f, 5000, SEEK_SET);
	fputc(byte ^ 4, f);
	fclose(f);
	option(&o, "capacity", "4G");
	memset(d, 0, sizeof *d);
	assert_int_equal(drive_open(d, &o, &e), -1);
	assert_non_null(strstr(e.text, "damaged"));
	end(d);
	unlink(path);
	test_free(data);
}

static void the_report_is_written(void **state)
{
	char path[64], text[4096];
	struct err e = {0};
	struct answer a;
	char data[4096] = "";
	snprintf(path, sizeof path, "%s/stats", folder);
	struct drive *d = serve("stats", path);
	assert_int_equal(drive_write(d, data, sizeof data, 0, false, &a), 0);
	assert_int_equal(drive_flush(d, &a), 0);
	drive_done(d, NULL, 0); /* the write's */
	drive_done(d, &a, a.due - 1);
	assert_int_equal(drive_report(d, &e), 0);
	FILE *f = fopen(path, "r");
	text[fread(text, 1, sizeof text - 1, f)] = 0;
	fclose(f);
	assert_non_null(strstr(text, "\"writes\": 1, \"trims\": 0, \"flushes\": 1"));
	assert_non_null(strstr(text, "\"written_bytes\": 4096"));
	assert_non_null(strstr(text, "\"replies\": 1, "));
	assert_non_null(strstr(text, "\"mapped_bytes\": 4096"));
	unlink(path);
	end(d);
}

static void options_are_checked(void **state)
{
	static const struct {
		const char *key, *value, *text;
	} bad[] = {
		{"capacity", "much", "not a size"},
		{"capacity", "0", "too small a size"},
		{"timescale", "0", "not a time scale"},
		{"timescale", "10x", "not a time scale"},
		{"timescale", "nan", "not a time scale"},
		{"timescale", "-3", "not a time scale"},
		{"transport", "soon", "not a time"},
		{"speed", "1", "no parameter 'speed'"},
	};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct drive_options o = DRIVE_DEFAULTS;
		struct err e = {0};
		assert_int_equal(drive_option(&o, bad[i].key, bad[i].value, &e), -1);
		assert_int_equal(e.code, EXIT_USAGE);
		if (!strstr(e.text, bad[i].text))
			fail_msg("'%s' does not say '%s'", e.text, bad[i].text);
	}
	struct drive_options o = DRIVE_DEFAULTS;
	option(&o, "timescale", "0.5");
	assert_int_equal(o.scale, PACE_UNIT / 2);
	option(&o, "transport", "30us");
	assert_int_equal(o.transport, 30000);
	option(&o, "transport", "auto");
	assert_true(o.transport < 0);
	option(&o, "state", "x");
	assert_int_equal(*o.state, '/');
	free(o.state);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(data_and_model_agree),
		cmocka_unit_test(answers_take_the_modelled_time),
		cmocka_unit_test(a_large_request_is_several_commands),
		cmocka_unit_test(a_small_drive_is_like_its_big_sister),
		cmocka_unit_test(the_state_is_saved_and_loaded),
		cmocka_unit_test(the_report_is_written),
		cmocka_unit_test(options_are_checked),
	};
	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
