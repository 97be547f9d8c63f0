// SPDX-License-Identifier: MIT
/* fio's JSON of all versions becomes tests and points. */
#include "import_samples.h"

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(json_alone_is_a_point),
		TEST(text_before_the_brace),
		TEST(several_objects_of_one_run),
		TEST(io_bytes_of_old_versions_are_kib),
		TEST(a_sweep_of_depths),
		TEST(odd_json),
	};
	return cmocka_run_group_tests(tests, begin, end);
}
