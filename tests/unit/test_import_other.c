// SPDX-License-Identifier: MIT
/* elbencho, diskspd, iostat, CSV; and what is refused with a word about what to give instead. */
#include "import_samples.h"

static void elbencho(void **state)
{
	const struct run_record *r = import_sample("elbencho-live.csv");
	assert_int_equal(r->ntests, 3);
	const struct phase_record *p = &r->tests[0].phases[0];
	assert_string_equal(r->tests[0].name, "fill");
	assert_int_equal(p->bytes, 2684354560);
	assert_int_equal(p->nsamples, 4);
	assert_int_equal(p->samples[2].bytes, 0);
	assert_int_equal(p->samples[2].length, S(0.501));
	assert_string_equal(r->tests[1].phases[0].op, "read");
	assert_string_equal(r->tests[2].kind, "mixed");
	near(r->tests[2].phases[0].read_share, 2.0 / 3, 1e-9);
}

static void diskspd(void **state)
{
	static const char *const names[] = {"diskspd-write.xml", "diskspd-utf16.xml"};
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		const struct run_record *r = import_sample(names[i]);
		const struct phase_record *p = fill_of(r);
		assert_int_equal(p->nsamples, 6);
		assert_int_equal(p->samples[0].bytes, 1000 << 20);
		assert_int_equal(p->samples[4].bytes, 0);
		assert_int_equal(p->block_bytes, 1 << 20);
		assert_int_equal(p->queue_depth, 4);
		near((double)hist_quantile(p->latency, 0.99), 2e6, 0.01);
		near((double)p->latency->sum / (double)p->latency->count, 0.9e6, 0.001);
		assert_string_equal(r->target.path, "#1");
	}
	refused(file_with("cut.xml", "<Results>\n<TimeSpan>\n"), NULL, "cut.xml:3:");
	refused(file_with("other.xml", "<html></html>"), NULL, "not diskspd's");
	refused(file_with("empty.xml", "<Results></Results>"), NULL, "no I/O");
}

static void iostat(void **state)
{
	const struct run_record *r = import_sample("iostat-xt.txt");
	const struct phase_record *p = fill_of(r);
	assert_string_equal(r->target.path, "/dev/nvme0n1");
	assert_int_equal(p->nsamples, 4); /* the first report is the average since the start of the machine */
	assert_int_equal(p->samples[0].bytes, 4ull << 30);
	assert_int_equal(p->samples[0].length, S(2));
	assert_int_equal(p->samples[2].bytes, 0);
	assert_int_equal(p->read_bytes, 0);
	assert_true(warned(r, "one-of-several"));
	assert_int_equal(r->started_ms, 1796043600000); /* 2026-11-30 13:00:00 UTC */
	refused(file_with("untimed.txt", "Linux 6.1.0 (h) \t11/30/26\n\nDevice r/s rkB/s w/s wkB/s\nsda 1 2 3 4\n\n"
					 "Device r/s rkB/s w/s wkB/s\nsda 1 2 3 4\n"),
		NULL, "iostat -x -t");
	refused(file_with("once.txt", "Linux 6.1.0 (h) \t11/30/26\n\nDevice r/s rkB/s w/s wkB/s\nsda 1 2 3 4\n"), NULL,
		"one report only");
}

/* ---- CSV */

static void csv(void **state)
{
	int64_t before = nsec_wall() / NSEC_PER_MSEC - 20; /* file times are those of the last tick */
	const char *file = file_with("fill.csv", "seconds,bytes_written_in_interval\n0.5,1000\n1.0,0\n1.2,300\n");
	const struct run_record *r =
		import(&(struct import_options){.label = "mine", .capacity_bytes = 1301}, 1, &file);
	const struct phase_record *p = fill_of(r);
	assert_int_equal(p->nsamples, 3);
	assert_int_equal(p->samples[1].bytes, 0);
	assert_int_equal(p->samples[2].length, S(1.2) - S(1.0));
	assert_string_equal(p->end_reason, "capacity");
	/* Nothing in it tells when it was made: it was finished when its file was written. */
	assert_true(r->finished_ms >= before && r->finished_ms <= nsec_wall() / NSEC_PER_MSEC);
	assert_int_equal(r->started_ms, r->finished_ms - 1200);
	assert_string_equal(r->label, "mine");
	assert_int_equal(r->target.capacity_bytes, 1301);
	assert_false(warned(r, "capacity-unknown"));
	p = fill_of(import(&(struct import_options){.capacity_bytes = 2000}, 1, &file));
	assert_string_equal(p->end_reason, "end of log");
}

static void csv_units(void **state)
{
	static const struct {
		const char *name, *text;
		struct import_options o;
		uint64_t bytes;
	} cases[] = {
		{"a.csv", "second,write_MiB_s\n1,10\n2,20\n", {0}, 30 << 20},
		{"b.csv", "time_ms;read (MB/s);write (MB/s)\n500;7;10\n1000;7;20\n", {0}, 15000000},
		{"c.csv", "t,x\n1,10\n2,20\n", {.time_column = "t", .rate_column = "x", .unit = "kB/s"}, 30000},
		{"d.csv", "seconds,amount\n1,10\n2,20\n", {.rate_column = "amount", .unit = "KiB"}, 30 << 10},
		{"iso.csv", "timestamp,write MBps\n2026-11-30T10:00:00.5Z,10\n2026-11-30T10:00:01.5Z,20\n", {0},
			30000000},
		{"iso2.csv", "time,x\n2026-11-30 10:00:00,10\n2026-11-30 10:00:01,20\n",
			{.rate_column = "x", .unit = "MBps"}, 30000000},
		{"e.csv", "\xef\xbb\xbfseconds\tbytes\r\n\"1\"\t\"10\"\r\n2\t20\r\n", {0}, 30},
		{"f.csv", "seconds,bytes\n1796035174,10\n1796035175,20\n1796035176,20\n", {0}, 50},
		{"g.csv", "seconds,bytes\n0,10\n1,20\n2,20\n", {0}, 50},
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const char *file = file_with(cases[i].name, cases[i].text);
		const struct phase_record *p = fill_of(import(&cases[i].o, 1, &file));
		assert_int_equal(p->bytes, cases[i].bytes);
		assert_true(p->duration <= S(3.1));
		if (strcmp(cases[i].name, "f.csv") == 0)
			assert_int_equal(runs[0].started_ms, 1796035173000);
	}
}

static void csv_that_cannot_be_read(void **state)
{
	static const struct {
		const char *name, *text;
		struct import_options o;
		const char *words;
	} cases[] = {
		{"n1.csv", "seconds,bytes\n1,x\n", {0}, ":2: 'x' is no amount"},
		{"n2.csv", "seconds,bytes\n1,1\n1,1\n", {0}, ":3: the time 1 is not after"},
		{"n3.csv", "seconds,bytes\n1,nan\n", {0}, "'nan' is no amount"},
		{"n4.csv", "seconds,bytes\n1,-5\n", {0}, "'-5' is no amount"},
		{"n5.csv", "seconds,bytes\n1\n", {0}, "1 columns instead of 2"},
		{"n6.csv", "seconds,bytes\n", {0}, "no row"},
		{"n7.csv", "when,what\n1,1\n", {0}, "--time-column"},
		{"n8.csv", "seconds,what\n1,1\n", {0}, "--rate-column"},
		{"n9.csv", "seconds,what\n1,1\n", {.rate_column = "what"}, "--unit"},
		{"n10.csv", "seconds,what\n1,1\n", {.rate_column = "what", .unit = "Mb"}, "no unit 'Mb'"},
		{"n11.csv", "seconds,what\n1,1\n", {.rate_column = "that", .unit = "MB"}, "'that'"},
		{"n12.csv", "1,2\n", {0}, "--time-column"},
		{"n13.txt", "hello\n", {0}, "format is not known"},
		{"n14.txt", "", {0}, "it is empty"},
		{"n16.csv", "seconds,bytes\n2026-11-30 noon,1\n", {0}, "is no time"},
		{"n15.csv", "seconds,bytes\n1e300,1\n", {0}, "makes no sense"},
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		refused(file_with(cases[i].name, cases[i].text), &cases[i].o, cases[i].words);
	refused("/no/such/file", NULL, "cannot open '/no/such/file'");
	refused("/", NULL, "it is a folder");
	refused("/dev/null", NULL, "neither a regular file nor a pipe");
}

static void throttling_from_a_side_file(void **state)
{
	const char *file = file_with("t.csv", "seconds,bytes\n1,1\n2,1\n3,1\n4,1\n");
	struct import_options o = {.throttle_file = file_with("t.throttle", "start_s,end_s\n1.5,2.5\n")};
	const struct phase_record *p = fill_of(import(&o, 1, &file));
	static const bool want[] = {false, true, true, false};
	for (int i = 0; i < 4; i++)
		assert_int_equal(p->samples[i].throttled, want[i]);
	assert_string_equal(p->events[0].kind, "throttle");
	assert_int_equal(p->events[0].end, S(2.5));
	o.throttle_file = file_with("moment.throttle", "0.5\n");
	p = fill_of(import(&o, 1, &file));
	assert_true(p->samples[0].throttled && !p->samples[1].throttled);
	o.throttle_file = file_with("bad.throttle", "1,2\n5,4\n");
	refused(file, &o, "bad.throttle:2:");
	o.throttle_file = "/no/such/file";
	refused(file, &o, "/no/such/file");
}

/* What is known and not read, and what is no log at all: what it is, and what to give instead. */
static void what_is_not_read(void **state)
{
	static const struct {
		const char *text, *says;
	} cases[] = {
		{"3;fio-3.33;j;0;0;0;0;0;0\n",
			"it is fio's terse output, which is not read: give its JSON (--output-format=json+)"},
		{"5;fio-3.33;j;0;0;0;0;0;0\n", "it is fio's terse output"},
		{"j: (g=0): rw=write, bs=(R) 128KiB-128KiB, (W) 128KiB-128KiB, ioengine=psync\n",
			"it is fio's output for people: give its JSON"},
		{"{\"sysstat\": {\n\t\"hosts\": [{\"nodename\": \"x\", \"statistics\": []}]\n}}\n",
			"it is sysstat's JSON, which is not read: give the text of 'iostat -x -t'"},
		{"[{\"id\": 1}]", "it is JSON, but not fio's"},
		{"{\"schema\": 1, \"runs\": []}", "it is JSON, but not fio's"},
		{"", "it is empty"},
		{"Dear reader,\nthis is a letter.\n", "no column"},
		{"hello\n", "its format is not known; known are fio's JSON"},
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		refused(file_with("unread.txt", cases[i].text), NULL, cases[i].says);
	/* A store through a pipe, or other than as a file of its own, comes this way. */
	char *path = xasprintf("%s/store.db", folder);
	FILE *f = fopen(path, "w");
	assert_non_null(f);
	assert_int_equal(fwrite("SQLite format 3\0{\"jobs\": [] }", 1, 30, f), 30);
	fclose(f);
	assert_true(import_is_store(path));
	refused(path, NULL, "it is a store of runs, or another SQLite database");
	free(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(elbencho),
		TEST(diskspd),
		TEST(iostat),
		TEST(csv),
		TEST(csv_units),
		TEST(csv_that_cannot_be_read),
		TEST(throttling_from_a_side_file),
		TEST(what_is_not_read),
	};
	return cmocka_run_group_tests(tests, begin, end);
}
