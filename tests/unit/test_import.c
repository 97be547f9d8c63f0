// SPDX-License-Identifier: MIT
/* Other tools' files become runs with the right bytes at the right times, and what they leave open is said. */
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

static void forget(void)
{
	for (size_t i = 0; i < nruns; i++)
		run_record_clear(&runs[i]);
	free(runs);
	runs = NULL;
	nruns = 0;
}

static int end_test(void **state)
{
	forget();
	return 0;
}

static char *sample(const char *name)
{
	const char *logs = getenv("TEST_LOGS");
	return xasprintf("%s/%s", logs ? logs : "tests/data/logs", name);
}

/* Writes a file into the scratch folder; its path until the end of the program. */
static const char *file_with(const char *name, const char *text)
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
static const struct run_record *import(const struct import_options *o, size_t count, const char *const *files)
{
	struct err e = {0};
	struct import_options none = {0};
	forget();
	if (import_files(files, count, o ? o : &none, &runs, &nruns, &e) != 0)
		fail_msg("%s", e.text);
	assert_true(nruns > 0);
	return &runs[0];
}

static const struct run_record *import_samples(const struct import_options *o, size_t count, const char *const *names)
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

static const struct run_record *import_sample(const char *name)
{
	return import_samples(NULL, 1, &name);
}

/* The file is refused with exit code 2 and a line that says `words`. */
static void refused(const char *file, const struct import_options *o, const char *words)
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

static bool warned(const struct run_record *r, const char *code)
{
	for (size_t i = 0; i < r->nwarnings; i++)
		if (strcmp(r->warnings[i].code, code) == 0)
			return true;
	return false;
}

static const struct phase_record *fill_of(const struct run_record *r)
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

static void near(double got, double want, double share)
{
	if (!(fabs(got - want) <= share * fabs(want)))
		fail_msg("%g is not %g", got, want);
}

#define S(x) ((nsec)((x)*1e9))

/* ---- fio logs */

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

/* ---- fio JSON */

static void json_alone_is_a_point(void **state)
{
	const struct run_record *r = import_sample("stall-thinktime.json");
	assert_int_equal(r->ntests, 1);
	assert_string_equal(r->tests[0].name, "seq-write");
	assert_string_equal(r->tests[0].kind, "sweep");
	const struct phase_record *p = &r->tests[0].phases[0];
	assert_string_equal(p->name, "qd1");
	assert_int_equal(p->bytes, 100663296);
	assert_int_equal(p->duration, S(9.052));
	assert_int_equal(p->ios, 96);
	assert_int_equal(p->nsamples, 0);
}

static void text_before_the_brace(void **state)
{
	const struct run_record *r = import_sample("jsonplus-note-preamble.json");
	const struct phase_record *p = &r->tests[0].phases[0];
	assert_int_equal(p->bytes, 64 << 20);
	/* psync has one I/O at a time, whatever iodepth says; JSON+ has all latencies. */
	assert_int_equal(p->queue_depth, 1);
	assert_int_equal(p->latency->count, 64);
	assert_false(warned(r, "latency-from-percentiles"));
	r = import_sample("enospc-preamble.json");
	assert_int_equal(r->state, RUN_PARTIAL);
	assert_int_equal(r->tests[0].status, TEST_PARTIAL);
	assert_non_null(strstr(r->tests[0].reason, "No space left"));
	assert_true(r->tests[0].phases[0].ended_early);
}

static void several_objects_of_one_run(void **state)
{
	const struct run_record *r = import_sample("status-interval-concatenated.json");
	assert_int_equal(nruns, 1);
	const struct phase_record *p = &r->tests[0].phases[0];
	assert_string_equal(r->tests[0].name, "fill");
	assert_int_equal(p->bytes, 104857600);
	assert_int_equal(p->nsamples, 3);
	assert_int_equal(p->samples[0].bytes, 35651584);
	assert_int_equal(p->samples[1].length, S(1.0));
	assert_int_equal(p->samples[2].bytes, 104857600 - 77594624);
	assert_int_equal(p->samples[2].ios, 26);
}

#define JOB(version, rw, depth, bytes_key, bytes, extra)                                                               \
	"{\"fio version\": \"" version "\", \"jobs\": [{\"jobname\": \"j\", \"job options\": {\"rw\": \"" rw           \
	"\", \"bs\": \"128k\", \"ioengine\": \"libaio\", \"filename\": \"/dev/x\", \"iodepth\": \"" depth              \
	"\"}, \"" bytes_key "\": {\"io_bytes\": " bytes ", \"runtime\": 2000" extra "}}]}\n"

static void io_bytes_of_old_versions_are_kib(void **state)
{
	static const struct {
		const char *name, *text;
	} versions[] = {
		{"v210.json", JOB("fio-2.1.10", "write", "4", "write", "1000", ", \"iops\": 4")},
		{"v220.json", JOB("fio-2.20-14-g1e5d", "write", "4", "write", "1000", "")},
		{"v221.json", JOB("fio-2.21", "write", "4", "write", "1024000", ", \"io_kbytes\": 1000")},
		{"v33.json", JOB("fio-3.33", "write", "4", "write", "1024000", "")},
		{"none.json", JOB("", "write", "4", "write", "1000", "")},
	};
	for (size_t i = 0; i < ARRAY_SIZE(versions); i++) {
		const char *file = file_with(versions[i].name, versions[i].text);
		assert_int_equal(import(NULL, 1, &file)->tests[0].phases[0].bytes, 1024000);
	}
	const char *first = file_with("v210b.json", versions[0].text);
	assert_int_equal(import(NULL, 1, &first)->tests[0].phases[0].ios, 8); /* iops x runtime */
}

static void a_sweep_of_depths(void **state)
{
	const char *files[] = {
		file_with("q32.json", JOB("fio-3.33", "write", "32", "write", "4096000", "")),
		file_with("q1.json", JOB("fio-3.33", "write", "1", "write", "1024000", "")),
		file_with("q4.json", JOB("fio-3.33", "write", "4", "write", "2048000", "")),
		file_with("r4.json", JOB("fio-3.33", "randread", "4", "read", "2048000", "")),
	};
	const struct run_record *r = import(NULL, 4, files);
	assert_int_equal(nruns, 2);
	assert_int_equal(r->ntests, 1);
	assert_string_equal(r->tests[0].kind, "sweep");
	assert_int_equal(r->tests[0].nphases, 3);
	static const uint32_t depths[] = {1, 4, 32};
	for (int i = 0; i < 3; i++)
		assert_int_equal(r->tests[0].phases[i].queue_depth, depths[i]);
	assert_string_equal(r->tests[0].phases[2].name, "qd32");
	assert_string_equal(runs[1].tests[0].name, "rand-read");
}

static void odd_json(void **state)
{
	const char *nan =
		file_with("nan.json", "fio: note\n{\"fio version\": \"fio-3.0\", \"jobs\": [{\"jobname\": \"j\", "
				      "\"usr_cpu\": -nan, \"write\": {\"io_bytes\": 5, \"x\": inf, \"runtime\": 7, "
				      "\"clat_ns\": {\"percentile\": {\"0.00\": 0, \"0.00\": 0}}}}]}");
	assert_int_equal(import(NULL, 1, &nan)->tests[0].phases[0].bytes, 5);
	refused(file_with("cut.json", "{\n\"fio version\": \"fio-3.0\",\n\"jobs\": [\n"), NULL, "cut.json:");
	refused(file_with("nojobs.json", "{\"fio version\": \"fio-3.0\"}"), NULL, "without the jobs");
	refused(file_with("idle.json", "{\"fio version\": \"fio-3.0\", \"jobs\": [{\"jobname\": \"j\"}]}"), NULL,
		"read and wrote nothing");
	/* A mean of 25 s with one I/O in flight and a thousand done in 2 s cannot be. */
	const char *lat = file_with(
		"little.json", JOB("fio-3.32", "write", "1", "write", "131072000",
				       ", \"total_ios\": 1000, \"clat_ns\": {\"min\": 1, \"max\": 40000000000, "
				       "\"mean\": 25000000000, \"percentile\": {\"50.000000\": 17000000000}}"));
	const struct run_record *r = import(NULL, 1, &lat);
	assert_true(warned(r, "latency-impossible"));
	assert_null(r->tests[0].phases[0].latency);
}

/* ---- others */

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

static int begin(void **state)
{
	const char *tmp = getenv("TMPDIR");
	folder = xasprintf("%s/ssdscope-import-XXXXXX", tmp && *tmp ? tmp : "/tmp");
	return mkdtemp(folder) ? 0 : -1;
}

static int end(void **state)
{
	char *command = xasprintf("rm -rf '%s'", folder);
	int rc = system(command);
	free(command);
	free(folder);
	return rc;
}

#define TEST(f) cmocka_unit_test_teardown(f, end_test)

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
		TEST(json_alone_is_a_point),
		TEST(text_before_the_brace),
		TEST(several_objects_of_one_run),
		TEST(io_bytes_of_old_versions_are_kib),
		TEST(a_sweep_of_depths),
		TEST(odd_json),
		TEST(elbencho),
		TEST(diskspd),
		TEST(iostat),
		TEST(csv),
		TEST(csv_units),
		TEST(csv_that_cannot_be_read),
		TEST(throttling_from_a_side_file),
		TEST(sixteen_clones_over_a_cliff),
		TEST(ninety_minutes_with_holes),
		TEST(a_public_sweep),
		TEST(old_and_broken_logs),
	};
	return cmocka_run_group_tests(tests, begin, end);
}
