// SPDX-License-Identifier: MIT
/* The store's file: what goes in comes out, also after an update of the schema, a resumption and a merge. */
#include "unit.h"

#include "store/schema.h"
#include "store_samples.h"

static char *path;

static int begin(void **state)
{
	begin_in_folder(state);
	path = xasprintf("%s/runs.db", folder);
	return 0;
}

static int end(void **state)
{
	free(path);
	return end_in_folder(state);
}

/* The same text, or both absent. */
static void assert_text(const char *a, const char *b)
{
	if (a && b)
		assert_string_equal(a, b);
	else
		assert_true(a == b);
}

static void assert_real(double a, double b)
{
	if (isnan(a))
		assert_true(isnan(b));
	else
		assert_true(a == b);
}

static void assert_warnings(const struct warning *a, size_t na, const struct warning *b, size_t nb)
{
	assert_int_equal(na, nb);
	for (size_t i = 0; i < na; i++) {
		assert_string_equal(a[i].code, b[i].code);
		assert_text(a[i].text, b[i].text);
	}
}

static void assert_phase(const struct phase_record *a, const struct phase_record *b)
{
	assert_string_equal(a->name, b->name);
	assert_string_equal(a->op, b->op);
	assert_string_equal(a->pattern, b->pattern);
	assert_int_equal(a->block_bytes, b->block_bytes);
	assert_int_equal(a->queue_depth, b->queue_depth);
	assert_real(a->read_share, b->read_share);
	assert_int_equal(a->idle_before, b->idle_before);
	assert_int_equal(a->start, b->start);
	assert_int_equal(a->duration, b->duration);
	assert_int_equal(a->flush, b->flush);
	assert_int_equal(a->start_offset, b->start_offset);
	assert_int_equal(a->span_bytes, b->span_bytes);
	assert_int_equal(a->bytes, b->bytes);
	assert_int_equal(a->ios, b->ios);
	assert_int_equal(a->read_bytes, b->read_bytes);
	assert_real(a->joules, b->joules);
	assert_real(a->idle_joules, b->idle_joules);
	assert_real(a->total_joules, b->total_joules);
	assert_int_equal(a->nand_bytes, b->nand_bytes);
	assert_int_equal(a->idle_nand_bytes, b->idle_nand_bytes);
	assert_real(a->die_busy, b->die_busy);
	assert_real(a->fill_level, b->fill_level);
	assert_int_equal(a->ended_early, b->ended_early);
	assert_text(a->end_reason, b->end_reason);
	assert_int_equal(a->latency != NULL, b->latency != NULL);
	if (a->latency)
		assert_memory_equal(a->latency, b->latency, sizeof *a->latency);
	assert_int_equal(a->nsamples, b->nsamples);
	for (size_t i = 0; i < a->nsamples; i++) {
		const struct sample *x = &a->samples[i], *y = &b->samples[i];
		assert_int_equal(x->start, y->start);
		assert_int_equal(x->length, y->length);
		assert_int_equal(x->bytes, y->bytes);
		assert_int_equal(x->ios, y->ios);
		assert_int_equal(x->read_bytes, y->read_bytes);
		assert_real(x->joules, y->joules);
		assert_real(x->temperature_c, y->temperature_c);
		assert_int_equal(x->nand_bytes, y->nand_bytes);
		assert_int_equal(x->throttled, y->throttled);
	}
	assert_int_equal(a->nevents, b->nevents);
	for (size_t i = 0; i < a->nevents; i++) {
		assert_string_equal(a->events[i].kind, b->events[i].kind);
		assert_int_equal(a->events[i].start, b->events[i].start);
		assert_int_equal(a->events[i].end, b->events[i].end);
		assert_text(a->events[i].text, b->events[i].text);
	}
}

static void assert_run(const struct run_record *a, const struct run_record *b)
{
	assert_string_equal(a->uuid, b->uuid);
	assert_text(a->label, b->label);
	assert_int_equal(a->started_ms, b->started_ms);
	assert_int_equal(a->finished_ms, b->finished_ms);
	assert_int_equal(a->state, b->state);
	assert_text(a->error, b->error);
	assert_text(a->suite, b->suite);
	assert_int_equal(a->quick, b->quick);
	assert_text(a->tool_version, b->tool_version);
	assert_text(a->host, b->host);
	assert_text(a->plan, b->plan);
	assert_text(a->command, b->command);
	assert_text(a->power_source, b->power_source);
	assert_real(a->host_limit_mbps, b->host_limit_mbps);
	const struct target_record *x = &a->target, *y = &b->target;
	assert_string_equal(x->kind, y->kind);
	assert_text(x->path, y->path);
	assert_text(x->model, y->model);
	assert_text(x->serial, y->serial);
	assert_text(x->firmware, y->firmware);
	assert_text(x->engine, y->engine);
	assert_int_equal(x->capacity_bytes, y->capacity_bytes);
	assert_int_equal(x->rated_class_bytes, y->rated_class_bytes);
	assert_int_equal(x->logical_block_bytes, y->logical_block_bytes);
	assert_int_equal(x->bits_per_cell, y->bits_per_cell);
	assert_warnings(a->warnings, a->nwarnings, b->warnings, b->nwarnings);
	assert_int_equal(a->npower, b->npower);
	for (size_t i = 0; i < a->npower; i++) {
		assert_int_equal(a->power[i].at, b->power[i].at);
		assert_int_equal(a->power[i].length, b->power[i].length);
		assert_real(a->power[i].watts, b->power[i].watts);
		assert_int_equal(a->power[i].overrun, b->power[i].overrun);
	}
	assert_int_equal(a->ntests, b->ntests);
	for (size_t i = 0; i < a->ntests; i++) {
		const struct test_record *t = &a->tests[i], *u = &b->tests[i];
		assert_string_equal(t->name, u->name);
		assert_string_equal(t->condition, u->condition);
		assert_string_equal(t->kind, u->kind);
		assert_int_equal(t->status, u->status);
		assert_text(t->reason, u->reason);
		assert_text(t->params, u->params);
		assert_text(t->erase, u->erase);
		assert_int_equal(t->quiet_wait, u->quiet_wait);
		assert_real(t->temperature_min_c, u->temperature_min_c);
		assert_real(t->temperature_max_c, u->temperature_max_c);
		assert_warnings(t->warnings, t->nwarnings, u->warnings, u->nwarnings);
		assert_int_equal(t->nphases, u->nphases);
		for (size_t k = 0; k < t->nphases; k++)
			assert_phase(&t->phases[k], &u->phases[k]);
	}
}

/* A run in which every field has a value of its own in one test, and nothing is known in the other. */
static struct warning run_warnings[] = {
	{"host-limit", "the drive is within 3 x of what this host can feed"}, {"odd", NULL}};
static struct warning test_warnings[] = {{"pcie", "x2 instead of x4; \"reseat\" the drive: it's 50 % slower"}};
static struct sample full_samples[] = {
	{0, 500000000, 3500000000, 3338, 0, 4.25, 51.5, 3600000000, false},
	{500000000, 500000000, 0, 0, 0, 0.0, 51.0, 0, true},
	{1000000000, 123456789, 7, 1, 7, NAN, NAN, -1, false},
};
static struct event full_events[] = {
	{"throttle", 500000000, 1000000000, "by the drive's temperature"},
	{"error", -5, 0, NULL},
};
static struct hist latency;
static struct phase_record full_phases[] = {
	{.name = "fill",
		.op = "mixed",
		.pattern = "random",
		.block_bytes = 1048576,
		.queue_depth = 32,
		.read_share = 0.3,
		.idle_before = 12,
		.start = 34,
		.duration = 1123456789,
		.flush = 56,
		.start_offset = 1ull << 40,
		.span_bytes = INT64_MAX,
		.bytes = 3500000007,
		.ios = 3339,
		.read_bytes = 7,
		.joules = 4.25,
		.idle_joules = 0.5,
		.total_joules = 4.75,
		.nand_bytes = 3600000000,
		.idle_nand_bytes = 89,
		.die_busy = 0.93,
		.fill_level = 0.5,
		.ended_early = true,
		.end_reason = "capacity",
		.latency = &latency,
		.nsamples = ARRAY_SIZE(full_samples),
		.samples = full_samples,
		.nevents = ARRAY_SIZE(full_events),
		.events = full_events},
	{.name = "",
		.op = "idle",
		.pattern = "",
		.flush = -1,
		.read_share = NAN,
		.joules = NAN,
		.idle_joules = NAN,
		.total_joules = NAN,
		.nand_bytes = -1,
		.idle_nand_bytes = -1,
		.die_busy = NAN,
		.fill_level = NAN},
};
static struct test_record full_tests[] = {
	{.name = "seq-read",
		.condition = "fragmented",
		.kind = "sweep",
		.status = TEST_PARTIAL,
		.reason = "interrupted",
		.params = "{\"bs\": 131072}",
		.erase = "discard, 1.2 s, probes read zeros",
		.quiet_wait = 1200000000,
		.temperature_min_c = 30.5,
		.temperature_max_c = -3,
		.nwarnings = 1,
		.warnings = test_warnings,
		.nphases = 2,
		.phases = full_phases},
	{.name = "idle",
		.kind = "idle",
		.status = TEST_NOT_RUN,
		.quiet_wait = -1,
		.temperature_min_c = NAN,
		.temperature_max_c = NAN},
};
static struct power_sample full_power[] = {{500, 100, 5.5, false}, {600, 0, NAN, true}};
static struct run_record full_run(void)
{
	return (struct run_record){.uuid = "01234567-89ab-4cde-8f01-23456789abcd",
		.label = "before \u00b5code",
		.started_ms = 1796035168936,
		.finished_ms = 1796035178936,
		.state = RUN_PARTIAL,
		.error = "interrupted",
		.suite = "review",
		.quick = true,
		.tool_version = "0.1.0",
		.host = "{\"kernel\": \"6.1\"}",
		.plan = "{}",
		.command = "[\"ssdscope\",\"run\",\"sim:x\"]",
		.power_source = "nvme",
		.host_limit_mbps = 21000.5,
		.target = {.kind = "block",
			.path = "/dev/nvme0n1",
			.model = "M",
			.serial = "S",
			.firmware = "F",
			.engine = "io_uring",
			.capacity_bytes = 2048408248320,
			.rated_class_bytes = 2048000000000,
			.logical_block_bytes = 4096,
			.bits_per_cell = 3},
		.npower = 2,
		.power = full_power,
		.nwarnings = 2,
		.warnings = run_warnings,
		.ntests = 2,
		.tests = full_tests};
}

static void every_field_comes_back(void **state)
{
	struct err e = {0};
	hist_add(&latency, 5);
	hist_add(&latency, 123456);
	hist_add(&latency, UINT64_MAX);
	struct run_record full = full_run(), bare = bare_run(), *back;
	bare.state = RUN_DONE;
	struct store *s = opened(path, STORE_WRITE);
	int64_t id, id2;
	assert_int_equal(store_put_run(s, &full, &id, &e), 0);
	assert_int_equal(store_put_run(s, &bare, &id2, &e), 0);
	store_close(s);

	s = opened(path, STORE_READ);
	assert_int_equal(store_load(s, id, &back, &e), 0);
	assert_int_equal(back->id, id);
	assert_run(&full, back);
	run_record_free(back);
	assert_int_equal(store_load(s, id2, &back, &e), 0);
	assert_int_equal(strlen(back->uuid), 36); /* it was given one */
	strcpy(bare.uuid, back->uuid);
	assert_run(&bare, back);
	run_record_free(back);

	struct run_record *runs;
	size_t n;
	assert_int_equal(store_list(s, &runs, &n, &e), 0);
	assert_int_equal(n, 2);
	assert_int_equal(runs[0].id, id2); /* the newest first */
	assert_string_equal(runs[1].label, full.label);
	assert_int_equal(runs[1].ntests, 0);
	for (size_t i = 0; i < n; i++)
		run_record_clear(&runs[i]);
	free(runs);
	store_close(s);
}

/* The same through the writer: heads first, samples as they come, final values at the end. */
static void a_written_run_is_the_same(void **state)
{
	struct err e = {0};
	struct run_record full = full_run(), *back;
	struct store *s = opened(path, STORE_WRITE);
	struct store_run *r;
	int64_t id;
	strcpy(full.uuid, "11234567-89ab-4cde-8f01-23456789abcd");
	assert_int_equal(store_run_begin(&r, s, &full, &id, &e), 0);
	for (size_t i = 0; i < full.nwarnings; i++)
		store_warning(r, -1, &full.warnings[i]);
	for (size_t t = 0; t < full.ntests; t++) {
		struct test_record head = full.tests[t];
		head.status = TEST_RUNNING;
		head.reason = NULL;
		assert_int_equal(store_test_begin(r, &head), t);
		for (size_t i = 0; i < full.tests[t].nwarnings; i++)
			store_warning(r, (int)t, &full.tests[t].warnings[i]);
		for (size_t k = 0; k < full.tests[t].nphases; k++) {
			const struct phase_record *p = &full.tests[t].phases[k];
			struct phase_record start = *p;
			start.bytes = 0;
			start.end_reason = NULL;
			start.latency = NULL;
			assert_int_equal(store_phase_begin(r, (int)t, &start), k);
			for (size_t i = 0; i < p->nsamples; i++)
				store_sample(r, (int)t, (int)k, &p->samples[i]);
			for (size_t i = 0; i < p->nevents; i++)
				store_event(r, (int)t, (int)k, &p->events[i]);
			store_phase_end(r, (int)t, (int)k, p);
		}
		store_test_end(r, (int)t, &full.tests[t]);
	}
	for (size_t i = 0; i < full.npower; i++)
		store_power(r, &full.power[i]);
	assert_int_equal(store_run_failed(r, &e), 0);
	int64_t before = nsec_wall() / NSEC_PER_MSEC;
	assert_int_equal(store_run_finish(r, RUN_PARTIAL, full.error, full.host_limit_mbps, &e), 0);
	assert_int_equal(store_load(s, id, &back, &e), 0);
	assert_true(back->finished_ms >= before);
	full.finished_ms = back->finished_ms;
	assert_run(&full, back);
	run_record_free(back);
	store_close(s);
}

/* A run that was cut short goes on: what was done stays, the rest is done again, nothing collides. */
static void a_resumed_run_goes_on(void **state)
{
	char *file = xasprintf("%s/resume.db", folder);
	struct err e = {0};
	struct run_record head = bare_run(), *back;
	struct store *s = opened(file, STORE_WRITE);
	struct store_run *r;
	int64_t id;
	struct test_record done = bare_test("fill"), half = bare_test("seq-write");
	struct phase_record phase = bare_phase("fill");
	struct sample sample = sample_at(0);
	struct power_sample watts = {10, 10, 3.5, false};
	struct warning odd = {"odd", "something"};
	assert_int_equal(store_run_begin(&r, s, &head, &id, &e), 0);
	for (int t = 0; t < 2; t++) {
		store_test_begin(r, t ? &half : &done);
		store_phase_begin(r, t, &phase);
		store_sample(r, t, 0, &sample);
		store_phase_end(r, t, 0, &phase);
		store_warning(r, t, &odd);
		store_power(r, &watts);
	}
	done.status = TEST_DONE;
	store_test_end(r, 0, &done);
	assert_int_equal(store_run_finish(r, RUN_PARTIAL, "interrupted", NAN, &e), 0);

	assert_int_equal(store_run_resume(&r, s, id + 1, &e), -1);
	assert_int_equal(e.code, EXIT_USAGE);
	assert_int_equal(store_run_resume(&r, s, id, &e), 0);
	store_test_keep(r);
	half.status = TEST_RUNNING;
	assert_int_equal(store_test_begin(r, &half), 1);
	assert_int_equal(store_phase_begin(r, 1, &phase), 0);
	for (int i = 0; i < 3; i++) {
		sample = sample_at(i);
		store_sample(r, 1, 0, &sample);
	}
	store_phase_end(r, 1, 0, &phase);
	store_warning(r, 1, &odd);
	store_power(r, &watts);
	half.status = TEST_DONE;
	store_test_end(r, 1, &half);
	if (store_run_finish(r, RUN_DONE, NULL, NAN, &e) != 0)
		fail_msg("%s", e.text);
	assert_int_equal(store_load(s, id, &back, &e), 0);
	assert_int_equal(back->state, RUN_DONE);
	assert_null(back->error);
	assert_int_equal(back->ntests, 2);
	assert_int_equal(back->tests[0].phases[0].nsamples, 1);
	assert_int_equal(back->tests[1].phases[0].nsamples, 3);
	assert_int_equal(back->tests[1].nwarnings, 1);
	assert_int_equal(back->npower, 3);
	run_record_free(back);
	assert_int_equal(store_run_resume(&r, s, id, &e), -1);
	assert_non_null(strstr(e.text, "nothing to resume"));
	store_close(s);
	free(file);
}

static void an_older_schema_is_brought_up_to_date(void **state)
{
	/* What version 1 of the program would have left behind. */
	char *old = xasprintf("%s/old.db", folder);
	sqlite3 *db;
	assert_int_equal(sqlite3_open(old, &db), SQLITE_OK);
	assert_int_equal(schema_upgrade(db, 1), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db,
				 "INSERT INTO run (uuid, started_ms, state, quick, target_kind, label) VALUES ('u1', "
				 "5, 'done', 0, 'null', 'old one')",
				 NULL, NULL, NULL),
		SQLITE_OK);
	int64_t version = 0, rows = 0;
	assert_int_equal(schema_number(db, "PRAGMA user_version", &version), SQLITE_OK);
	assert_int_equal(version, 1);
	sqlite3_close(db);

	struct store *s = opened(old, STORE_WRITE);
	struct err e = {0};
	int64_t id;
	struct run_record *r;
	assert_int_equal(store_find(s, "old one", &id, &e), 0);
	assert_int_equal(store_load(s, id, &r, &e), 0);
	assert_string_equal(r->uuid, "u1");
	run_record_free(r);
	store_close(s);
	assert_int_equal(sqlite3_open(old, &db), SQLITE_OK);
	assert_int_equal(schema_number(db, "PRAGMA user_version", &version), SQLITE_OK);
	assert_int_equal(version, schema_version());
	assert_int_equal(schema_number(db, "SELECT count(*) FROM run_overview", &rows), SQLITE_OK);
	assert_int_equal(rows, 1);
	sqlite3_close(db);
	free(old);
}

/* The views that docs/store.md shows give what they promise. */
static void the_views_work(void **state)
{
	sqlite3 *db;
	sqlite3_stmt *st;
	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_prepare_v2(db,
				 "SELECT mbps, gb_so_far FROM sample_rate WHERE run = 1 AND test = 0 AND phase = 0", -1,
				 &st, NULL),
		SQLITE_OK);
	assert_int_equal(sqlite3_step(st), SQLITE_ROW);
	assert_true(fabs(sqlite3_column_double(st, 0) - 7000) < 1e-6);
	assert_int_equal(sqlite3_step(st), SQLITE_ROW);
	assert_true(sqlite3_column_double(st, 0) == 0);
	assert_true(fabs(sqlite3_column_double(st, 1) - 3.5) < 1e-9);
	sqlite3_finalize(st);
	assert_int_equal(sqlite3_prepare_v2(db, "SELECT watts, mbps FROM phase_rate WHERE run = 1 ORDER BY phase DESC",
				 -1, &st, NULL),
		SQLITE_OK);
	assert_int_equal(sqlite3_step(st), SQLITE_ROW);
	assert_true(fabs(sqlite3_column_double(st, 0) - 4.25 / 1.123456789) < 1e-6);
	sqlite3_finalize(st);
	sqlite3_close(db);
}

static void a_damaged_store_is_named(void **state)
{
	char *bad = xasprintf("%s/bad.db", folder);
	struct store *s = opened(bad, STORE_WRITE);
	struct run_record full = full_run();
	struct err e = {0};
	int64_t id;
	assert_int_equal(store_put_run(s, &full, &id, &e), 0);
	store_close(s);
	/* All pages but the first are overwritten: the schema is read, the rows are not. */
	FILE *f = fopen(bad, "r+");
	assert_non_null(f);
	fseek(f, 0, SEEK_END);
	long size = ftell(f);
	for (fseek(f, 4096, SEEK_SET); ftell(f) < size;)
		fputc(0xa5, f);
	fclose(f);
	struct run_record *runs;
	size_t n;
	int rc = store_open(&s, bad, STORE_READ, &e);
	if (rc == 0) {
		assert_int_equal(store_list(s, &runs, &n, &e), -1);
		store_close(s);
	}
	assert_non_null(strstr(e.text, "damaged"));
	assert_int_equal(e.code, EXIT_FAILED);
	free(bad);
}

static void merging_twice_adds_once(void **state)
{
	char *a = xasprintf("%s/a.db", folder), *b = xasprintf("%s/b.db", folder);
	struct store *s = opened(b, STORE_WRITE);
	struct run_record full = full_run(), bare = bare_run(), *back;
	struct err e = {0};
	int64_t id;
	size_t n;
	bare.state = RUN_FAILED;
	bare.label = "from b";
	assert_int_equal(store_put_run(s, &full, &id, &e), 0);
	assert_int_equal(store_put_run(s, &bare, &id, &e), 0);
	store_close(s);
	s = opened(a, STORE_WRITE);
	struct run_record mine = bare_run();
	assert_int_equal(store_put_run(s, &mine, &id, &e), 0);
	assert_int_equal(store_merge(s, b, &n, &e), 0);
	assert_int_equal(n, 2);
	assert_int_equal(store_merge(s, b, &n, &e), 0);
	assert_int_equal(n, 0);
	assert_int_equal(store_merge(s, a, &n, &e), 0); /* itself */
	assert_int_equal(n, 0);
	assert_int_equal(store_put_run(s, &full, &id, &e), 0); /* known by its uuid */
	assert_int_equal(id, 2);
	assert_int_equal(store_load(s, 2, &back, &e), 0);
	assert_run(&full, back);
	run_record_free(back);
	assert_int_equal(store_find(s, "from b", &id, &e), 0);
	assert_int_equal(id, 3);
	assert_int_equal(store_merge(s, folder, &n, &e), -1);
	assert_int_equal(e.code, EXIT_USAGE);
	store_close(s);
	free(a);
	free(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_field_comes_back),
		cmocka_unit_test(a_written_run_is_the_same),
		cmocka_unit_test(the_views_work),
		cmocka_unit_test(a_resumed_run_goes_on),
		cmocka_unit_test(an_older_schema_is_brought_up_to_date),
		cmocka_unit_test(a_damaged_store_is_named),
		cmocka_unit_test(merging_twice_adds_once),
	};
	return cmocka_run_group_tests(tests, begin, end);
}
