// SPDX-License-Identifier: MIT
#include "unit.h"

#include "base/units.h"
#include "base/yamlfile.h"
#include "profile/profile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char good[] = "title: A drive\n"									/* 1 */
			   "capacity_bytes: 14680064000\n"							/* 2 */
			   "class_gb: 14\n"									/* 3 */
			   "rated: {read_mbps: 3000, tbw_tb: 10}\n"						/* 4 */
			   "link: {pcie: {generation: 3, lanes: 4, efficiency_permille: 900}}\n"		/* 5 */
			   "host: {submit_us: 1.5, complete_us: 2.5}\n"						/* 6 */
			   "controller:\n"									/* 7 */
			   "  cores: 2 # assumed: two\n"							/* 8 */
			   "  write_buffer_kib: 4096\n"								/* 9 */
			   "nand:\n"										/* 10 */
			   "  channels: 4\n"									/* 11 */
			   "  dies_per_channel: 2\n"								/* 12 */
			   "  channel_mts: 1200\n"								/* 13 */
			   "  planes: 4\n"									/* 14 */
			   "  page_kib: 16\n"									/* 15 */
			   "  pages_per_block: 192\n"								/* 16 */
			   "  blocks_per_plane: 170\n"								/* 17 */
			   "  bits_per_cell: 3\n"								/* 18 */
			   "  cache_register: true\n"								/* 19 */
			   "  slc: {tr_us: [30], tr_4k_us: 25, tprog_us: 200, terase_us: 5000}\n"		/* 20 */
			   "  native: {tr_us: [50, 60], tr_4k_us: 45, tprog_us: 1200, terase_us: 8000}\n"	/* 21 */
			   "pslc: {dynamic_permille: 500, exhaustion: fold} # assumed: half\n"			/* 22 */
			   "background: {idle_delay_ms: 200, idle_permille: 1000, low_blocks: 6}\n"		/* 23 */
			   "power:\n"										/* 24 */
			   "  idle_mw: 400\n"									/* 25 */
			   "  states: [{after_ms: 100, exit_ms: 1, mw: 60, background: true}]\n"		/* 26 */
			   "heat: {c_per_w: 7.5, time_constant_s: 60, ambient_c: 30, sensor_offset_c: -2.5}\n"; /* 27 */

/* A folder of its own for each test program. */
static char folder[] = "/tmp/ssdscope-profile-XXXXXX";

static char *write_file(const char *name, const char *text)
{
	static char path[256];
	snprintf(path, sizeof path, "%s/%s", folder, name);
	FILE *f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
	return path;
}

/* `good` with one stretch of text replaced. */
static char *changed(const char *from, const char *to)
{
	static char text[8192];
	const char *at = strstr(good, from);
	assert_non_null(at);
	snprintf(text, sizeof text, "%.*s%s%s", (int)(at - good), good, to, at + strlen(from));
	return text;
}

static void a_profile_becomes_parameters(void **state)
{
	struct ssdmodel_params p;
	struct profile_info info;
	struct err e = {0};
	if (profile_load(write_file("drive.yaml", good), &p, &info, &e))
		fail_msg("%s", e.text);
	assert_string_equal(p.name, "drive");
	assert_int_equal(p.capacity_bytes, 14680064000);
	assert_int_equal(p.host.submit, 1500);
	assert_int_equal(p.controller.write_buffer_bytes, 4 * MIB);
	assert_int_equal(p.nand.channel_bytes_per_s, 1200000000);
	assert_int_equal(p.nand.page_bytes, 16384);
	assert_int_equal(p.nand.native.tr[0], 50000);
	assert_int_equal(p.nand.native.tr[1], 60000);
	assert_int_equal(p.nand.native.tr[2], 60000); /* the last holds for the rest */
	assert_int_equal(p.pslc.exhaustion, SSDMODEL_FOLD);
	assert_int_equal(p.background.idle_delay, 200 * NSEC_PER_MSEC);
	assert_int_equal(p.power.nstates, 1);
	assert_true(p.power.states[0].background);
	assert_int_equal(p.heat.mc_per_w, 7500);
	assert_int_equal(p.heat.sensor_mc, -2500);
	assert_true(p.nand.cache_register);
	assert_string_equal(info.title, "A drive");
	assert_int_equal(info.class_bytes, 14 * GB);
	assert_int_equal(info.bits_per_cell, 3);
	assert_int_equal(info.assumed, 2);
	assert_near(info.rated_read_mbps, 3000, 0);
	assert_near(info.rated_write_mbps, 0, 0); /* unknown */
	assert_near(info.rated_tbw_bytes, 10e12, 0);
	assert_non_null(strstr(info.traits, "TLC, 8 dies on 4 channels"));
}

static void every_error_names_file_line_and_field(void **state)
{
	static const struct {
		const char *from, *to;
		int line;
		const char *text;
	} cases[] = {
		{"  cores: 2", "  cors: 2", 8, "controller.cors: there is no such field"},
		{"host:", "hosts:", 6, "hosts: there is no such field"},
		{"  cores: 2", "  cores: two", 8, "controller.cores: must be a number, is two"},
		{"  cores: 2", "  cores: 2 4", 8, "controller.cores: must be a number, is 2 4"},
		{"  cores: 2", "  cores: nan", 8, "controller.cores: must be a number"},
		{"  cores: 2", "  cores: 0", 8, "controller.cores: is 0, must be from 1"},
		{"  cores: 2", "  cores: -1", 8, "controller.cores: is out of range"},
		{"  cores: 2", "  cores: 1e12", 8, "controller.cores: is out of range"},
		{"  cores: 2", "  cores: [2]", 8, "controller.cores: must be a single value"},
		{"submit_us: 1.5", "submit_us: 0.0001", 6, "host.submit_us: is too small"},
		{"  channels: 4", "  channels: 4\n  channels: 5", 12, "nand.channels: is given twice"},
		{"  channels: 4\n", "", 11, "nand.channels: is 0"},
		{"cache_register: true", "cache_register: maybe", 19,
			"nand.cache_register: must be true or false, is maybe"},
		{"exhaustion: fold", "exhaustion: melt", 22, "pslc.exhaustion: must be one of: direct, fold, mixed"},
		{"tr_us: [50, 60]", "tr_us: [50, 60, 70, 80, 90]", 21, "nand.native.tr_us: has too many entries"},
		{"tr_us: [50, 60]", "tr_us: 50", 21, "nand.native.tr_us: must be a list"},
		{"tr_us: [50, 60]", "tr_us: [50, x]", 21, "nand.native.tr_us[1]: must be a number, is x"},
		{"tprog_us: 1200", "tprog_us: 0", 21, "nand.native.tprog_us: is 0"},
		{"tprog_us: 200, ", "", 20, "nand.slc.tprog_us: is 0"},
		{"capacity_bytes: 14680064000", "capacity_bytes: 15e10", 2, "capacity_bytes: "},
		{"capacity_bytes: 14680064000", "capacity_bytes: 14680064001", 2,
			"capacity_bytes: must be a multiple of 4096"},
		{"capacity_bytes: 14680064000\n", "", 1, "lacks the field capacity_bytes"},
		{"title: A drive\n", "", 1, "lacks the field title"},
		{"generation: 3", "generation: 9", 5, "link.pcie: generation is 1 to 5"},
		{"generation: 3, ", "", 5, "link.pcie: lacks the field generation"},
		{"low_blocks: 6", "low_blocks: 1", 23, "background.low_blocks: is 1"},
		{"write_buffer_kib: 4096", "write_buffer_kib: 128", 9, "controller.write_buffer_kib: is 128 KiB"},
		{"mw: 60", "mw: -60", 26, "power.states: a value is out of range"},
		{"host:", "nand_file: nowhere\nhost:", 6, "nand_file: there is no file 'nowhere.yaml'"},
		{"host: {", "host: [", 6, "not YAML"},
		{"read_mbps: 3000", "read_mbps: -1", 4, "rated.read_mbps: is out of range"},
		{"tbw_tb: 10", "tbw_tb: 1e300", 4, "rated.tbw_tb: is out of range"},
		{"class_gb: 14", "class_gb: -14", 3, "class_gb: is out of range"},
		{"title: A drive", "title: \"A\\e[2Jdrive\"", 1, "title: has a control character in it"},
		{"power:\n", "power: 7\nx:\n", 24, "power: must hold fields"},
	};
	setenv("SSDSCOPE_DATA", folder, 1);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct ssdmodel_params p;
		struct err e = {0};
		char *path = write_file("bad.yaml", changed(cases[i].from, cases[i].to)), where[300];
		assert_int_equal(profile_load(path, &p, NULL, &e), -1);
		assert_int_equal(e.code, EXIT_USAGE);
		snprintf(where, sizeof where, "%s:%d: ", path, cases[i].line);
		if (strncmp(e.text, where, strlen(where)) != 0 || !strstr(e.text, cases[i].text))
			fail_msg("case %zu: '%s' is not '%s... %s'", i, e.text, where, cases[i].text);
	}
	struct ssdmodel_params p;
	struct err e = {0};
	assert_int_equal(profile_load(write_file("empty.yaml", ""), &p, NULL, &e), -1);
	assert_non_null(strstr(e.text, "empty"));
	assert_int_equal(profile_load("/nonexistent/x.yaml", &p, NULL, &e), -1);
	assert_non_null(strstr(e.text, "No such file"));
	assert_int_equal(e.code, EXIT_USAGE);
	assert_int_equal(profile_load(folder, &p, NULL, &e), -1);
	assert_int_equal(e.code, EXIT_USAGE);
	unsetenv("SSDSCOPE_DATA");
}

/* Values of shared files: the drive's own file overrides, and errors point to the file that is wrong. */
static void shared_files(void **state)
{
	char path[300];
	setenv("SSDSCOPE_DATA", folder, 1);
	snprintf(path, sizeof path, "%s/profiles", folder);
	mkdir(path, 0755);
	snprintf(path, sizeof path, "%s/profiles/nand", folder);
	mkdir(path, 0755);
	write_file("profiles/nand/fast.yaml", "nand_name: Fast\nnand:\n  native: {tprog_us: 700, tr_4k_us: 20}\n");
	write_file("profiles/one.yaml", changed("tprog_us: 1200, ", ""));
	struct ssdmodel_params p;
	struct profile_info info;
	struct err e = {0};
	assert_int_equal(profile_load("one", &p, NULL, &e), -1);
	char *text = changed("tprog_us: 1200, ", "");
	char with[8192];
	snprintf(with, sizeof with, "nand_file: fast\n%s", text);
	write_file("profiles/one.yaml", with);
	if (profile_load("one", &p, &info, &e))
		fail_msg("%s", e.text);
	assert_int_equal(p.nand.native.tprog, 700000);
	assert_int_equal(p.nand.native.tr_4k, 45000);
	assert_string_equal(info.nand, "Fast");
	char *shared = write_file("profiles/nand/fast.yaml", "nand:\n  native:\n    tprog_us: 0\n");
	assert_int_equal(profile_load("one", &p, &info, &e), -1);
	char where[300];
	snprintf(where, sizeof where, "%s:3: nand.native.tprog_us: is 0", shared);
	assert_memory_equal(e.text, where, strlen(where));
	unsetenv("SSDSCOPE_DATA");
}

static void names(void **state)
{
	struct ssdmodel_params p;
	struct err e = {0};
	assert_int_equal(profile_load("tpu-671gb", &p, NULL, &e), -1);
	assert_int_equal(e.code, EXIT_USAGE);
	assert_non_null(strstr(e.text, "nearest name is 'tpu-617gb'"));
	assert_int_equal(profile_load("", &p, NULL, &e), -1);
	assert_int_equal(e.code, EXIT_USAGE);
	struct profile_info *list;
	size_t n;
	if (profile_list(&list, &n, &e))
		fail_msg("%s", e.text);
	assert_true(n >= 1);
	for (size_t i = 0; i < n; i++) {
		assert_true(list[i].capacity_bytes > 0 && *list[i].title && *list[i].traits);
		if (list[i].assumed > 8)
			fail_msg("%s assumes %u values of its own: 8 are allowed", list[i].name, list[i].assumed);
		assert_true(i == 0 || strcmp(list[i - 1].name, list[i].name) < 0);
	}
	free(list);
	setenv("SSDSCOPE_DATA", "/nonexistent", 1);
	assert_int_equal(profile_list(&list, &n, &e), -1);
	assert_non_null(strstr(e.text, "SSDSCOPE_DATA"));
	unsetenv("SSDSCOPE_DATA");
}

static void lines_of_values(void **state)
{
	char *path = write_file("drive.yaml", good);
	assert_int_equal(yamlfile_line(path, "nand.native.tprog_us"), 21);
	assert_int_equal(yamlfile_line(path, "power.states[0].mw"), 26);
	assert_int_equal(yamlfile_line(path, "title"), 1);
	assert_int_equal(yamlfile_line(path, "power.nothing"), 25); /* its parent */
	assert_int_equal(yamlfile_line("/nonexistent", "a"), 0);
}

static int make_folder(void **state)
{
	return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
	char command[300];
	snprintf(command, sizeof command, "rm -r '%s'", folder);
	return system(command);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_profile_becomes_parameters),
		cmocka_unit_test(every_error_names_file_line_and_field),
		cmocka_unit_test(shared_files),
		cmocka_unit_test(names),
		cmocka_unit_test(lines_of_values),
	};
	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
