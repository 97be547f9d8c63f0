// SPDX-License-Identifier: MIT
/* fio's logs become runs with the right bytes at the right times, and what they leave open is said. */
#include "import_samples.h"

/* Three bursts of 32 MiB 3 s apart: 96 MiB in three rows. The time since the last row must not be taken for the time of
 * the row, which would make it six times as much. */
static void stalls_in_an_averaged_log(void **state)
{
	const struct run_record *r = import_sample("stall-thinktime_bw.1.log");
	const struct phase_record *p = fill_of(r);
	near((double)p->bytes, 96 << 20, 0.001);
	assert_int_equal(p->samples[0].bytes, 32 << 20);
	assert_int_equal(p->samples[1].bytes, 0);
	assert_int_equal(p->nevents, 2);
	assert_string_equal(p->events[0].kind, "hole");
	assert_int_equal(p->events[0].start, S(0.5));
	assert_int_equal(p->events[0].end, S(3.001));
	assert_true(warned(r, "holes"));
	assert_true(warned(r, "capacity-unknown"));
	assert_string_equal(p->end_reason, "end of log");
	assert_int_equal(r->state, RUN_DONE);
}

static void json_beside_a_log_tells_the_rest(void **state)
{
	static const char *const names[] = {
		"stall-thinktime_bw.1.log", "stall-thinktime_agg-write_bw.log", "stall-thinktime.json"};
	const struct run_record *r = import_samples(NULL, 3, names);
	assert_int_equal(nruns, 1);
	const struct phase_record *p = fill_of(r);
	assert_string_equal(p->pattern, "sequential");
	assert_int_equal(p->block_bytes, 1 << 20);
	assert_int_equal(p->queue_depth, 1);
	assert_int_equal(p->ios, 96);
	near((double)p->bytes, 96 << 20, 0.001); /* the aggregate is the same I/O once more: not added */
	assert_string_equal(r->target.path, "fx/f");
	assert_int_equal(r->finished_ms, 1796035168936);
	assert_false(warned(r, "bytes-differ"));
	assert_true(warned(r, "latency-from-percentiles"));
	assert_int_equal(p->latency->count, 96);
	assert_int_equal(p->latency->max, 8058191);
	near((double)hist_quantile(p->latency, 0.5), 240640, 0.005);
	near((double)p->latency->sum / 96, 471481.57, 0.001);
	assert_non_null(strstr(r->plan, "fio-3.42"));
	assert_non_null(strstr(r->tests[0].params, "thinktime_blocks"));
}

static void an_aggregate_log_has_rows_of_zero(void **state)
{
	const struct run_record *r = import_sample("stall-thinktime_agg-write_bw.log");
	const struct phase_record *p = fill_of(r);
	assert_int_equal(p->nsamples, 14);
	assert_int_equal(p->nevents, 0);
	assert_int_equal(p->samples[1].bytes, 0);
	near((double)p->bytes, 96 << 20, 0.002);
}

static void eight_columns(void **state)
{
	const struct phase_record *p = fill_of(import_sample("both-offset-prio-issue_bw.1.log"));
	assert_int_equal(p->nsamples, 6);
	near((double)p->samples[0].bytes, 45056 * 1024.0 / 4, 1e-6);
	assert_int_equal(p->samples[3].length, S(0.251));
}

static void every_form_of_columns(void **state)
{
	static const struct {
		const char *name, *text;
	} forms[] = {
		{"c3_bw.log", "500, 2000, 1\n1000, 1000, 1\n"},
		{"c4_bw.1.log", "500, 2000, 1, 0\n1000, 1000, 1, 0\n"},
		{"prio_bw.1.log", "500, 2000, 1, 0, 1\n1000, 1000, 1, 0, 0\n"},
		{"offset_bw.1.log", "500, 2000, 1, 0, 409600\n1000, 1000, 1, 0, 8192\n"},
		{"hexprio_bw.1.log", "500, 2000, 1, 0, 0x4001\n1000, 1000, 1, 0, 0x4001\n"},
		{"c6_bw.1.log", "500, 2000, 1, 0, 4096, 0\n1000, 1000, 1, 0, 0, 0\n"},
		{"both_bw.1.log", "500, 2000, 2500, 1, 0, 0\n1000, 1000, 1300, 1, 0, 0\n"},
		{"c7_bw.1.log", "500, 2000, 2500, 1, 0, 4096, 0\n1000, 1000, 1300, 1, 0, 0, 0\n"},
		{"issue_bw.1.log", "500, 2000, 1, 0, 4096, 0, 123456789\n1000, 1000, 1, 0, 0, 0, 223456789\n"},
		{"crlf_bw.1.log", "500, 2000, 1, 0, 0\r\n1000, 1000, 1, 0, 0\r\n"},
		{"noend_bw.1.log", "500, 2000, 1, 0, 0\n1000, 1000, 1, 0, 0"},
		{"host_bw.1.log.node7", "500, 2000, 1, 0, 0\n1000, 1000, 1, 0, 0\n"},
	};
	for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
		const char *file = file_with(forms[i].name, forms[i].text);
		const struct phase_record *p = fill_of(import(NULL, 1, &file));
		assert_int_equal(p->nsamples, 2);
		assert_int_equal(p->samples[0].bytes, 1000 * 1024);
		assert_int_equal(p->samples[1].bytes, 500 * 1024);
	}
}

static void stamps_since_1970(void **state)
{
	const struct run_record *r = import_sample("unix-epoch_bw.1.log");
	assert_int_equal(fill_of(r)->duration, S(1.5));
	assert_int_equal(r->started_ms, 1796035173962);
	assert_int_equal(r->finished_ms, 1796035175462);
}

static void a_row_per_io(void **state)
{
	char *bw = sample("per-io_bw.1.log");
	refused(bw, NULL, "row per I/O");
	free(bw);
	const struct phase_record *p = fill_of(import_sample("per-io_iops.1.log"));
	assert_int_equal(p->bytes, 8 << 20);
	assert_int_equal(p->ios, 8);
	p = fill_of(import_sample("per-io_clat.1.log"));
	assert_int_equal(p->bytes, 8 << 20);
	assert_int_equal(p->latency->count, 8);
	assert_int_equal(p->latency->min, 170220);
	/* A job's bw log may be there as well: it is not needed. */
	static const char *const names[] = {"per-io_bw.1.log", "per-io_clat.1.log", "per-io_iops.1.log"};
	p = fill_of(import_samples(NULL, 3, names));
	assert_int_equal(p->bytes, 8 << 20);
	assert_int_equal(p->latency->count, 8);
}

static void per_io_rows_come_onto_the_grid(void **state)
{
	const char *file =
		file_with("grid_clat.1.log", "100, 5000, 1, 4096, 0\n500, 5000, 1, 4096, 0\n501, 5000, 1, 8192, 0\n"
					     "2100, 7000, 1, 4096, 0\n");
	const struct phase_record *p = fill_of(import(NULL, 1, &file));
	assert_int_equal(p->nsamples, 5);
	assert_int_equal(p->samples[0].bytes, 8192);
	assert_int_equal(p->samples[1].bytes, 8192);
	assert_int_equal(p->samples[2].bytes, 0);
	assert_int_equal(p->samples[4].bytes, 4096);
	assert_int_equal(p->samples[4].length, S(0.1));
	assert_int_equal(p->samples[0].ios, 2);
}

static void histograms(void **state)
{
	const struct phase_record *p = fill_of(import_sample("hist_clat_hist.1.log"));
	assert_int_equal(p->ios, 62);
	assert_int_equal(p->bytes, 62 << 20);
	assert_int_equal(p->samples[0].length, S(0.525));
	assert_int_equal(p->latency->count, 62);
	uint64_t median = hist_quantile(p->latency, 0.5);
	assert_true(median > 250000 && median < 400000); /* the job's mean is 0.33 ms */
}

static void mean_latencies_alone_are_no_figures(void **state)
{
	char *clat = sample("both-offset-prio-issue_clat.1.log");
	refused(clat, NULL, "mean latencies alone");
	free(clat);
	static const char *const names[] = {"both-offset-prio-issue_bw.1.log", "both-offset-prio-issue_clat.1.log"};
	const struct run_record *r = import_samples(NULL, 2, names);
	assert_null(fill_of(r)->latency);
	assert_true(warned(r, "latency-means-left-out"));
}

static void iops_need_a_block_size(void **state)
{
	const char *log = file_with("i_iops.1.log", "500, 100, 1, 0, 0\n1000, 50, 1, 0, 0\n");
	refused(log, NULL, "block size");
	const char *files[] = {log,
		file_with("i.json",
			"{\"fio version\": \"fio-3.33\", \"jobs\": [{\"jobname\": \"i\", \"job options\": {\"rw\": "
			"\"write\", \"bs\": \"4k\", \"iodepth\": \"8\", \"ioengine\": \"libaio\"}, \"write\": "
			"{\"io_bytes\": 307200, \"io_kbytes\": 300, \"runtime\": 1000, \"total_ios\": 75}}]}")};
	const struct phase_record *p = fill_of(import(NULL, 2, files));
	assert_int_equal(p->bytes, 307200);
	assert_int_equal(p->ios, 75);
	assert_int_equal(p->queue_depth, 8);
}

/* Two clones whose stamps differ by their jitter, one of which ends earlier. */
static void clones_are_summed(void **state)
{
	const char *files[] = {
		file_with("two_bw.1.log", "999, 1000, 1, 0, 0\n2000, 1000, 1, 0, 0\n3001, 1000, 1, 0, 0\n"
					  "4000, 1000, 1, 0, 0\n5000, 1000, 1, 0, 0\n6000, 1000, 1, 0, 0\n"),
		file_with("two_bw.2.log", "1001, 3000, 1, 0, 0\n1999, 3000, 1, 0, 0\n3000, 3000, 1, 0, 0\n")};
	const struct run_record *r = import(NULL, 2, files);
	assert_int_equal(nruns, 1);
	const struct phase_record *p = fill_of(r);
	assert_int_equal(p->nsamples, 6);
	for (int i = 0; i < 6; i++)
		near((double)p->samples[i].bytes, (i < 3 ? 4000 : 1000) * 1024, 0.005);
	near((double)p->bytes, (6000 + 9000) * 1024, 1e-6);
	assert_true(warned(r, "jobs-ended-apart"));
	assert_false(warned(r, "holes"));
	struct err e = {0};
	const char *twice[] = {files[0], files[0]};
	forget();
	assert_int_equal(import_files(twice, 2, &(struct import_options){0}, &runs, &nruns, &e), -1);
	assert_non_null(strstr(e.text, "given twice"));
}

/* Stamps that run away from the nominal interval: no row is lost, no slot doubled. */
static void drifting_clones_make_no_dips(void **state)
{
	char *text[2];
	for (int job = 0; job < 2; job++) {
		size_t size;
		FILE *f = open_memstream(&text[job], &size);
		for (int i = 1; i <= 2000; i++)
			fprintf(f, "%d, 5000, 1, 0, 0\n", i * 1000 + (job ? i * 6 / 10 : 0));
		fclose(f);
	}
	const char *files[] = {file_with("drift_bw.1.log", text[0]), file_with("drift_bw.2.log", text[1])};
	const struct phase_record *p = fill_of(import(NULL, 2, files));
	for (size_t i = 0; i + 2 < p->nsamples; i++)
		near((double)p->samples[i].bytes, 10000 * 1024, 0.002);
	free(text[0]);
	free(text[1]);
}

static void reads_beside_writes(void **state)
{
	const char *file = file_with("mixed_bw.1.log",
		"500, 1000, 0, 0, 0\n500, 3000, 1, 0, 0\n1000, 1000, 0, 0, 0\n1000, 3000, 1, 0, 0\n"
		"1000, 77, 2, 0, 0\n");
	const struct run_record *r = import(NULL, 1, &file);
	const struct phase_record *p = &r->tests[0].phases[0];
	assert_string_equal(r->tests[0].kind, "mixed");
	assert_string_equal(p->op, "mixed");
	assert_int_equal(p->nsamples, 2);
	assert_int_equal(p->samples[1].bytes, 2000 * 1024);
	assert_int_equal(p->samples[1].read_bytes, 500 * 1024);
	near(p->read_share, 0.25, 1e-9);
}

static void broken_lines_are_named(void **state)
{
	const char *file = file_with("broken_bw.1.log", "500, 1000, 1, 0, 0\n1000, 4w50, 1, 0, 0\n1500, 1000, 1, 0, 0\n"
							"2000, 1000, 7, 0, 0\n2500, 1000, 1, 0\n");
	refused(file, NULL, ":2: '4w50' is no number");
	const struct run_record *r = import(&(struct import_options){.lenient = true}, 1, &file);
	const struct phase_record *p = fill_of(r);
	assert_int_equal(p->bytes, 1000 * 1024);
	assert_true(warned(r, "broken-lines"));
	for (size_t i = 0; i < r->nwarnings; i++)
		if (strcmp(r->warnings[i].code, "broken-lines") == 0)
			assert_non_null(strstr(r->warnings[i].text, "3 of 5 lines"));
	refused(file_with("direction_bw.1.log", "500, 1000, 1, 0, 0\n1000, 1000, 7, 0, 0\n"), NULL,
		":2: 7 is no direction");
	refused(file_with("columns_bw.1.log", "500, 1000, 1, 0, 0\n1000, 1000, 1\n"), NULL, ":2: 3 columns");
	refused(file_with("future_bw.1.log", "500, 1000, 1, 0, 0\n9223372036854775807, 1000, 1, 0, 0\n"), NULL,
		":2: the time");
}

/* fio leaves logs empty of what did not happen: they are no reason to refuse the others. */
static void empty_logs_beside_others(void **state)
{
	const char *empty = file_with("empty_slat.1.log", "");
	const char *files[] = {empty, file_with("empty_bw.1.log", "500, 1000, 1, 0, 0\n1000, 1000, 1, 0, 0\n"),
		file_with("agg-read_bw.log", "")};
	assert_int_equal(fill_of(import(NULL, 3, files))->bytes, 1000 * 1024);
	assert_int_equal(nruns, 1);
	refused(empty, NULL, "it is empty");
}

/* The last window of a job is not in its log: that is no difference worth a warning, more is. */
static void bytes_against_the_json(void **state)
{
	static const struct {
		const char *log, *json, *io_bytes;
		bool warned;
	} cases[] = {{"w1_bw.1.log", "w1.json", "1500000", false}, {"w2_bw.1.log", "w2.json", "1700000", true}};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char *text = xasprintf("{\"fio version\": \"fio-3.33\", \"jobs\": [{\"jobname\": \"w\", \"job "
				       "options\": {\"rw\": \"write\", "
				       "\"bs\": \"4k\"}, \"write\": {\"io_bytes\": %s, \"runtime\": 1499}}]}",
			cases[i].io_bytes);
		const char *files[] = {file_with(cases[i].log, "500, 1000, 1, 0, 0\n1000, 1000, 1, 0, 0\n"),
			file_with(cases[i].json, text)};
		free(text);
		assert_int_equal(
			warned(import(NULL, 2, files), "bytes-differ") || warned(import(NULL, 2, files), "log-wrong"),
			cases[i].warned);
	}
}

static void a_log_without_a_name(void **state)
{
	const char *file = file_with("what.log", "500, 1000, 1, 0, 0\n1000, 1000, 1, 0, 0\n");
	refused(file, NULL, "--unit");
	assert_int_equal(fill_of(import(&(struct import_options){.unit = "KiB/s"}, 1, &file))->bytes, 1000 * 1024);
	refused(file, &(struct import_options){.unit = "furlongs"}, "no unit 'furlongs'");
}

static void compression_makes_rates_wrong(void **state)
{
	const char *json = file_with("wrong.json",
		"{\"fio version\": \"fio-3.42\", \"jobs\": [{\"jobname\": \"w\", \"job options\": {\"rw\": \"write\", "
		"\"bs\": \"1M\", \"log_avg_msec\": \"500\", \"log_compression\": \"64k\"}, \"write\": {\"io_bytes\": "
		"65000000, \"io_kbytes\": 63476, \"runtime\": 1575, \"total_ios\": 62}}]}");
	char *log = sample("log-compression-wrong_bw.1.log");
	const char *files[] = {log, json};
	const struct run_record *r = import(NULL, 2, files);
	assert_true(warned(r, "log-wrong"));
	assert_true(warned(r, "log-compression"));
	free(log);
}

/* ---- real logs, where they are at hand */

static char *public_log(const char *name)
{
	const char *logs = getenv("TEST_PUBLIC_LOGS");
	char *path = xasprintf("%s/%s", logs ? logs : "../shared/data/logs/public", name);
	if (access(path, R_OK) == 0)
		return path;
	free(path);
	fprintf(stderr, "SKIPPED: the public logs are not at hand (their licences do not let them be kept here)\n");
	skip();
	return NULL;
}

static void sixteen_clones_over_a_cliff(void **state)
{
	char *files[17];
	files[0] = public_log("samyaple-slc-cliff-qd64-nj16.json");
	for (int i = 1; i <= 16; i++) {
		char name[64];
		snprintf(name, sizeof name, "samyaple-slc-cliff-qd64-nj16_bw.%d.log", i);
		files[i] = public_log(name);
	}
	const struct run_record *r = import(NULL, 17, (const char *const *)files);
	assert_int_equal(nruns, 1);
	const struct phase_record *p = fill_of(r);
	/* 1.2 GiB/s for 14 s, then far less; 0.8 % short of what the JSON counts. */
	for (int i = 0; i < 13; i++)
		assert_true(p->samples[i].bytes > 1200000000 && p->samples[i].bytes < 1350000000);
	for (size_t i = 15; i < p->nsamples; i++)
		assert_true(p->samples[i].bytes < 200000000);
	assert_string_equal(p->pattern, "random");
	assert_int_equal(p->queue_depth, 1024);
	assert_false(warned(r, "bytes-differ"));
	assert_true(warned(r, "jobs-ended-apart"));
	for (int i = 0; i < 17; i++)
		free(files[i]);
}

static void ninety_minutes_with_holes(void **state)
{
	char *file = public_log("stonet-90min-write-gc_bw.1.log");
	const struct run_record *r = import(NULL, 1, (const char *const *)&file);
	const struct phase_record *p = fill_of(r);
	near(nsec_to_s(p->duration), 5400, 0.001);
	near((double)p->bytes, 900.2e9, 0.001);
	assert_int_equal(p->nevents, 3);
	free(file);
}

static void a_public_sweep(void **state)
{
	char *files[] = {public_log("stonet-nvme-a-seqwrite-128k-qd32.json"),
		public_log("stonet-nvme-a-seqwrite-128k-qd1.json"), public_log("stonet-nvme-a-seqwrite-128k-qd4.json")};
	const struct run_record *r = import(NULL, 3, (const char *const *)files);
	assert_int_equal(nruns, 1);
	assert_int_equal(r->tests[0].nphases, 3);
	near((double)r->tests[0].phases[0].bytes * 1e3 / (double)r->tests[0].phases[0].duration, 1250.5, 0.001);
	for (int i = 0; i < 3; i++)
		free(files[i]);
}

static void old_and_broken_logs(void **state)
{
	char *old = public_log("louwrentius-fio3.1-4col-first20rows_bw.1.log");
	const struct run_record *r = import(NULL, 1, (const char *const *)&old);
	assert_string_equal(r->tests[0].phases[0].op, "read");
	assert_int_equal(r->tests[0].phases[0].nsamples, 20);
	free(old);
	char *twice = public_log("louwrentius-fio3.1-readobject-excerpt.json");
	r = import(NULL, 1, (const char *const *)&twice);
	assert_int_equal(r->tests[0].phases[0].bytes, 1852841984);
	assert_int_equal(r->tests[0].phases[0].ios, 452354);
	free(twice);
	char *broken = public_log("meikwimm-broken.log");
	refused(broken, NULL, ":16: '4w50605' is no number");
	r = import(&(struct import_options){.lenient = true}, 1, (const char *const *)&broken);
	assert_int_equal(fill_of(r)->ios, 19);
	assert_true(warned(r, "broken-lines"));
	free(broken);
}

/* 12 s at 100,000 KiB/s in rows of half a second; the JSON beside it says how large the file is. */
static const char *rewritten_log(const char *name)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	for (int ms = 500; ms <= 12000; ms += 500)
		fprintf(f, "%d, 100000, 1, 0, 0\n", ms);
	fclose(f);
	const char *path = file_with(name, text);
	free(text);
	return path;
}

static const char *job_json(const char *name, const char *options)
{
	char *text = xasprintf("{\"fio version\": \"fio-3.33\", \"jobs\": [{\"jobname\": \"w\", \"error\": 0, "
			       "\"job options\": {\"rw\": \"write\", \"bs\": \"1m\", %s}, "
			       "\"write\": {\"io_bytes\": 1228800000, \"io_kbytes\": 1200000, \"total_ios\": 1171, "
			       "\"runtime\": 12000}}]}",
		options);
	const char *path = file_with(name, text);
	free(text);
	return path;
}

static void only_the_first_pass_is_a_fill(void **state)
{
	const char *both[] = {
		rewritten_log("again_bw.1.log"), job_json("again.json", "\"size\": \"300m\", \"loops\": \"4\"")};
	const struct run_record *r = import(NULL, 2, both);
	assert_true(warned(r, "rewritten"));
	const struct test_record *t = &r->tests[0];
	assert_string_equal(t->kind, "fill");
	assert_int_equal(t->nphases, 2);
	/* 300 MiB are 6 rows of 51.2 MB, and a little. */
	assert_int_equal(t->phases[0].bytes, 6 * 51200000);
	assert_int_equal(t->phases[0].duration, S(3));
	assert_string_equal(t->phases[0].end_reason, "span");
	assert_string_equal(t->phases[1].name, "rewrite");
	assert_int_equal(t->phases[1].bytes, 18 * 51200000);
	assert_int_equal(t->phases[1].start, S(3));
	assert_int_equal(t->phases[1].samples[0].start, 0);
	assert_int_equal(t->phases[1].duration, S(9));
	assert_string_equal(t->phases[1].end_reason, "end of log");
}

/* Files of their own that clones write, or a file as large as what was written: one pass. */
static void one_pass_stays_as_it_is(void **state)
{
	const char *both[] = {rewritten_log("once_bw.1.log"), job_json("once.json", "\"size\": \"1200000k\"")};
	assert_false(warned(import(NULL, 2, both), "rewritten"));
	fill_of(&runs[0]);
	both[1] = job_json("once.json", "\"size\": \"300m\", \"numjobs\": \"4\", \"group_reporting\": \"\"");
	assert_false(warned(import(NULL, 2, both), "rewritten"));
	fill_of(&runs[0]);
	both[1] = job_json("once.json",
		"\"size\": \"300m\", \"numjobs\": \"4\", \"group_reporting\": \"\", \"filename\": \"/dev/x\"");
	assert_true(warned(import(NULL, 2, both), "rewritten"));
	both[1] = job_json("once.json", "\"size\": \"100%\"");
	assert_false(warned(import(NULL, 2, both), "rewritten"));
	fill_of(&runs[0]);
}

/* Of a file that is written in less than two seconds nothing can be told: no fill, and no verdict on a cache. */
static void passes_too_short_are_no_fill(void **state)
{
	const char *both[] = {rewritten_log("small_bw.1.log"), job_json("small.json", "\"size\": \"100m\"")};
	const struct run_record *r = import(NULL, 2, both);
	assert_true(warned(r, "rewritten"));
	assert_string_equal(r->tests[0].kind, "sweep");
	assert_string_equal(r->tests[0].name, "seq-write");
	assert_int_equal(r->tests[0].nphases, 1);
	assert_int_equal(r->tests[0].phases[0].nsamples, 24);
}

static void more_than_the_capacity_is_cut_there(void **state)
{
	const struct import_options o = {.capacity_bytes = 512000000};
	const char *file = rewritten_log("beyond_bw.1.log");
	const struct run_record *r = import(&o, 1, &file);
	assert_true(warned(r, "rewritten"));
	assert_int_equal(r->tests[0].phases[0].bytes, 512000000);
	assert_string_equal(r->tests[0].phases[0].end_reason, "capacity");
	assert_int_equal(r->tests[0].phases[1].bytes, 1228800000 - 512000000);
	/* A mean over 4 % of guessed rounding is none. */
	const struct import_options near_enough = {.capacity_bytes = 1190000000};
	assert_false(warned(import(&near_enough, 1, &file), "rewritten"));
}

/* log_offset=1: the offsets go round a file of 64 MiB. Priorities in the same column are none. */
static void offsets_tell_the_passes(void **state)
{
	for (int priority = 0; priority < 2; priority++) {
		char *text = NULL;
		size_t size;
		FILE *f = open_memstream(&text, &size);
		for (int i = 0; i < 256; i++)
			fprintf(f, "%d, 900000, 1, 1048576, %d\n", 1 + i * 50, priority ? 16384 : i % 64 << 20);
		fclose(f);
		const char *file = file_with("offsets_clat.1.log", text);
		free(text);
		const struct run_record *r = import(NULL, 1, &file);
		assert_int_equal(warned(r, "rewritten"), !priority);
		assert_int_equal(r->tests[0].nphases, priority ? 1 : 2);
		assert_int_equal(r->tests[0].phases[0].bytes, priority ? 256 << 20 : 60 << 20);
		assert_true((r->tests[0].phases[0].latency != NULL) == priority);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(stalls_in_an_averaged_log),
		TEST(json_beside_a_log_tells_the_rest),
		TEST(an_aggregate_log_has_rows_of_zero),
		TEST(eight_columns),
		TEST(every_form_of_columns),
		TEST(stamps_since_1970),
		TEST(a_row_per_io),
		TEST(per_io_rows_come_onto_the_grid),
		TEST(histograms),
		TEST(mean_latencies_alone_are_no_figures),
		TEST(iops_need_a_block_size),
		TEST(clones_are_summed),
		TEST(drifting_clones_make_no_dips),
		TEST(reads_beside_writes),
		TEST(broken_lines_are_named),
		TEST(empty_logs_beside_others),
		TEST(bytes_against_the_json),
		TEST(a_log_without_a_name),
		TEST(compression_makes_rates_wrong),
		TEST(sixteen_clones_over_a_cliff),
		TEST(ninety_minutes_with_holes),
		TEST(a_public_sweep),
		TEST(old_and_broken_logs),
		TEST(only_the_first_pass_is_a_fill),
		TEST(one_pass_stays_as_it_is),
		TEST(passes_too_short_are_no_fill),
		TEST(more_than_the_capacity_is_cut_there),
		TEST(offsets_tell_the_passes),
	};
	return cmocka_run_group_tests(tests, begin, end);
}
