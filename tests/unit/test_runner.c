// SPDX-License-Identifier: MIT
/* The runner against a target that writes down what it is told: the order of operations, and what ends a run. */
#include "unit.h"

#include "base/units.h"
#include "fake_target.h"
#include "run/run.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A run of `tests` (NULL-terminated) of the review suite on the fake; returns the stored record. */
struct bench {
	struct fake fake;
	struct identity id;
	struct store *store;
	struct plan *plan;
	struct progress_board board;
	struct run_outcome outcome;
	struct run_record *record;
	char *log;
	size_t log_size;
	char folder[32], db[64];
};

static struct bench *setup(uint64_t capacity, double bytes_per_s, const char *const *tests)
{
	struct bench *b = calloc(1, sizeof *b);
	struct err e = {0};
	const struct plan_rates rates = {0};
	size_t n = 0;
	strcpy(b->folder, "/tmp/ssdscope-run-XXXXXX");
	assert_non_null(mkdtemp(b->folder));
	snprintf(b->db, sizeof b->db, "%s/runs.db", b->folder);
	if (store_open(&b->store, b->db, STORE_WRITE, &e) || plan_load(&b->plan, "review", &e))
		fail_msg("%s", e.text);
	while (tests[n])
		n++;
	assert_int_equal(plan_select(b->plan, tests, n, &e), 0);
	fake_init(&b->fake, capacity, bytes_per_s, open_memstream(&b->log, &b->log_size));
	b->fake.base.ops->identify(&b->fake.base, &b->id, &e);
	if (plan_fit(b->plan, capacity, 512, false, &rates, &e))
		fail_msg("%s", e.text);
	progress_init(&b->board);
	return b;
}

static void go(struct bench *b, bool verify)
{
	struct err e = {0};
	const struct run_request q = {.target = &b->fake.base,
		.id = &b->id,
		.plan = b->plan,
		.store = b->store,
		.board = &b->board,
		.label = "a test",
		.verify = verify,
		.seed = 1,
		.host_limit_mbps = NAN};
	run_plan(&q, &b->outcome);
	fake_finish_log(&b->fake);
	fflush(b->fake.log);
	if (store_load(b->store, b->outcome.run_id, &b->record, &e))
		fail_msg("%s", e.text);
}

static void done(struct bench *b)
{
	char path[80];
	run_record_free(b->record);
	store_close(b->store);
	plan_free(b->plan);
	fclose(b->fake.log);
	free(b->log);
	static const char *const suffixes[] = {"", "-wal", "-shm"};
	for (int i = 0; i < 3; i++) {
		snprintf(path, sizeof path, "%s%s", b->db, suffixes[i]);
		unlink(path);
	}
	rmdir(b->folder);
	free(b);
}

/* What it draws at rest, erase, two pauses that were quiet with reads after each, the whole capacity in 1 MiB and a
 * short rest, flush, everything back. The drive may sleep in the test only. */
static void a_fill_in_order(void **state)
{
	struct bench *b = setup(10 * MIB + 512, 1048576e2, (const char *const[]){"fill", NULL});
	go(b, true);
	assert_int_equal(b->outcome.code, EXIT_DONE);
	assert_string_equal(b->log, "    0.000 low power forbidden\n"
				    "    0.000 idle 2.000\n"
				    "    2.000 erase\n"
				    "    2.000 low power forbidden\n"
				    "    2.000 idle 1.000\n"
				    "    3.000 read 4096 x5\n"
				    "    3.000 idle 0.020\n"
				    "    3.020 read 4096 x5\n"
				    "    3.020 idle 0.020\n"
				    "    3.040 read 4096 x5\n"
				    "    3.041 idle 0.020\n"
				    "    3.061 read 4096 x5\n"
				    "    3.061 idle 2.000\n"
				    "    5.061 read 4096 x5\n"
				    "    5.061 idle 0.020\n"
				    "    5.081 read 4096 x5\n"
				    "    5.081 idle 0.020\n"
				    "    5.101 read 4096 x5\n"
				    "    5.101 idle 0.020\n"
				    "    5.121 read 4096 x5\n"
				    "    5.122 low power allowed\n"
				    "    5.122 write 1048576 x10\n"
				    "    5.222 write 512 x1\n"
				    "    5.222 flush\n"
				    "    5.222 verify 1048576 x10\n"
				    "    5.322 verify 512 x1\n");
	const struct run_record *r = b->record;
	assert_int_equal(r->state, RUN_DONE);
	assert_string_equal(r->label, "a test");
	assert_int_equal(r->ntests, 1);
	assert_int_equal(r->tests[0].status, TEST_DONE);
	assert_int_equal(r->tests[0].nphases, 2);
	const struct phase_record *p = &r->tests[0].phases[0];
	assert_string_equal(p->name, "fill");
	assert_string_equal(p->end_reason, "capacity");
	assert_int_equal(p->bytes, 10 * MIB + 512);
	assert_int_equal(p->ios, 11);
	assert_int_equal(p->flush, 0);
	assert_true(fabs(p->joules - 5 * nsec_to_s(p->duration)) < 1e-6);
	assert_int_equal(p->nsamples, 1);
	assert_int_equal(p->samples[0].bytes, p->bytes);
	assert_int_equal(p->latency->count, 11);
	assert_non_null(strstr(r->tests[0].erase, "erased"));
	done(b);
}

/* 8 bursts with pauses of four times their length, the last one included; 64 MiB stand in for the 16 GiB. */
static void bursts_keep_their_duty(void **state)
{
	struct bench *b = setup(64 * MIB, 64 * 1048576.0, (const char *const[]){"burst-seq-write", NULL});
	go(b, false);
	assert_int_equal(b->outcome.code, EXIT_DONE);
	const struct test_record *t = &b->record->tests[0];
	assert_int_equal(t->nphases, 9);
	nsec busy = 0, pause = 0;
	for (int i = 0; i < 8; i++) {
		assert_string_equal(t->phases[i].name, "burst");
		assert_int_equal(t->phases[i].bytes, 32 * MIB);
		/* The pause is not in the burst: 32 MiB at 64 MiB/s are half a second. */
		assert_int_equal(t->phases[i].duration, 500 * NSEC_PER_MSEC);
		assert_int_equal(t->phases[i].idle_before, i ? 2 * NSEC_PER_SEC : 0);
		busy += t->phases[i].duration;
		pause += t->phases[i].idle_before;
	}
	assert_string_equal(t->phases[8].name, "pause");
	assert_int_equal(t->phases[8].duration, 2 * NSEC_PER_SEC);
	pause += t->phases[8].duration;
	assert_true(busy * 5 == busy + pause);
	assert_true(fabs(t->phases[3].joules - 0.5 * 5) < 1e-9);
	assert_true(fabs(t->phases[3].idle_joules - 2 * 1) < 1e-9);
	assert_true(fabs(t->phases[3].total_joules - 4.5) < 1e-9);
	done(b);
}

/* The sweep's phases go on where the last one ended, idle as long as they were busy, at most a minute. */
static void a_sweep_idles_after_each_phase(void **state)
{
	struct bench *b = setup(64 * MIB, 1048576.0, (const char *const[]){"seq-write", "seq-read", NULL});
	go(b, false);
	assert_int_equal(b->outcome.code, EXIT_DONE);
	assert_int_equal(b->record->ntests, 3);
	const struct test_record *t = &b->record->tests[0];
	assert_int_equal(t->nphases, 6);
	for (int i = 0; i < 6; i++) {
		char name[8];
		snprintf(name, sizeof name, "qd%d", 1 << i);
		assert_string_equal(t->phases[i].name, name);
		assert_int_equal(t->phases[i].queue_depth, 1 << i);
		/* 32 MiB at 1 MiB/s: the bytes come first. */
		assert_string_equal(t->phases[i].end_reason, "bytes");
		assert_int_equal(t->phases[i].bytes, 32 * MIB);
		assert_int_equal(t->phases[i].idle_before, i ? 32 * NSEC_PER_SEC : 0);
	}
	assert_string_equal(b->record->tests[1].condition, "fresh");
	assert_string_equal(b->record->tests[2].condition, "fragmented");
	/* Fresh reads find the span as the writes left it; fragmented ones have it fragmented first. */
	assert_null(b->record->tests[1].erase);
	assert_non_null(strstr(b->record->tests[2].erase, "wrote 64 MiB in random 4 KiB"));
	done(b);
}

/* A test that writes and does not say what it leaves, leaves nothing to build on: the drive is erased before the next.
 */
static void what_is_unknown_is_erased(void **state)
{
	struct bench *b = setup(64 * MIB, 64 * 1048576.0, (const char *const[]){"recovery", "burst-seq-read", NULL});
	go(b, false);
	assert_int_equal(b->outcome.code, EXIT_DONE);
	assert_int_equal(b->record->ntests, 2);
	assert_non_null(strstr(b->record->tests[1].erase, "erased"));
	done(b);
}

static void a_failed_test_does_not_lose_the_others(void **state)
{
	struct bench *b = setup(64 * MIB, 1e9, (const char *const[]){"fill", "seq-write", NULL});
	b->fake.fail_at = 40 + 10;
	b->fake.fail_status = -EIO;
	go(b, false);
	assert_int_equal(b->outcome.code, EXIT_FAILED);
	assert_string_equal(b->outcome.err.text, "cannot write 'fake' at 9.44 MB: Input/output error");
	assert_int_equal(b->record->tests[0].status, TEST_FAILED);
	assert_int_equal(b->record->tests[0].phases[0].bytes, 9 * MIB);
	assert_true(b->record->tests[0].phases[0].ended_early);
	assert_int_equal(b->record->tests[1].status, TEST_DONE);
	assert_int_equal(b->record->state, RUN_PARTIAL);
	done(b);
}

static void a_vanished_drive_ends_the_run(void **state)
{
	struct bench *b = setup(64 * MIB, 1e9, (const char *const[]){"fill", "seq-write", NULL});
	b->fake.fail_at = 40 + 10;
	b->fake.fail_status = -ENODEV;
	go(b, false);
	assert_int_equal(b->outcome.code, EXIT_FAILED);
	assert_int_equal(b->record->tests[0].status, TEST_FAILED);
	assert_int_equal(b->record->tests[1].status, TEST_NOT_RUN);
	assert_string_equal(b->record->tests[1].reason, b->outcome.err.text);
	done(b);
}

static void a_full_disk_is_a_partial_result(void **state)
{
	struct bench *b = setup(64 * MIB, 1e9, (const char *const[]){"fill", NULL});
	b->fake.fail_at = 40 + 40;
	b->fake.fail_status = -ENOSPC;
	go(b, false);
	assert_int_equal(b->outcome.code, EXIT_FAILED);
	assert_non_null(strstr(b->outcome.err.text, "no space left after 40.9 MB"));
	assert_int_equal(b->record->tests[0].status, TEST_PARTIAL);
	assert_int_equal(b->record->tests[0].phases[0].bytes, 39 * MIB);
	done(b);
}

/* An idle of a minute in a sweep ends at once, and the rest is kept as not run. */
static void an_interruption_ends_an_idle_at_once(void **state)
{
	struct bench *b = setup(64 * MIB, 1048576.0, (const char *const[]){"seq-write", "rand-read", NULL});
	b->fake.interrupt_at = 50 * NSEC_PER_SEC; /* in the idle after QD1 */
	go(b, false);
	assert_int_equal(b->outcome.code, EXIT_INTERRUPTED);
	assert_int_equal(b->fake.now, 50 * NSEC_PER_SEC);
	assert_int_equal(b->record->state, RUN_PARTIAL);
	assert_int_equal(b->record->tests[0].status, TEST_PARTIAL);
	assert_int_equal(b->record->tests[0].nphases, 1);
	assert_int_equal(b->record->tests[0].phases[0].bytes, 32 * MIB);
	assert_int_equal(b->record->tests[1].status, TEST_NOT_RUN);
	done(b);
}

/* Interrupted in its second test, a run goes on: the first is kept, the second starts again with its preparation. */
static void a_run_can_be_resumed(void **state)
{
	struct bench *b = setup(
		64 * MIB, 64 * 1048576.0, (const char *const[]){"burst-seq-read", "seq-write", "rand-read", NULL});
	struct err e = {0};
	b->fake.interrupt_at = 33 * NSEC_PER_SEC; /* 8 bursts with their pauses are 20 s, what comes before them 9 s */
	go(b, false);
	assert_int_equal(b->outcome.code, EXIT_INTERRUPTED);
	assert_int_equal(b->record->tests[0].status, TEST_DONE);
	assert_int_equal(b->record->tests[1].status, TEST_PARTIAL);
	int64_t id = b->record->id;
	struct run_record *old = b->record;
	rewind(b->fake.log);
	b->fake.interrupted = 0;
	b->fake.interrupt_at = 0;
	const struct run_request q = {.target = &b->fake.base,
		.id = &b->id,
		.plan = b->plan,
		.store = b->store,
		.board = &b->board,
		.seed = 1,
		.host_limit_mbps = NAN,
		.resume = old};
	run_plan(&q, &b->outcome);
	assert_int_equal(b->outcome.code, EXIT_DONE);
	assert_int_equal(b->outcome.run_id, id);
	assert_int_equal(store_load(b->store, id, &b->record, &e), 0);
	assert_int_equal(b->record->state, RUN_DONE);
	assert_null(b->record->error);
	assert_int_equal(b->record->ntests, 3);
	for (int i = 0; i < 3; i++)
		assert_int_equal(b->record->tests[i].status, TEST_DONE);
	assert_string_equal(b->record->label, "a test");
	assert_int_equal(b->record->tests[0].phases[0].start, old->tests[0].phases[0].start);
	assert_int_equal(b->record->tests[1].nphases, 6);
	assert_non_null(strstr(b->record->tests[1].erase, "erased"));
	/* What is done cannot be resumed. */
	struct store_run *sr;
	assert_int_equal(store_run_resume(&sr, b->store, id, &e), -1);
	assert_int_equal(e.code, EXIT_USAGE);
	assert_int_equal(store_run_resume(&sr, b->store, 999, &e), -1);
	run_record_free(old);
	done(b);
}

static void a_stall_is_a_row_of_zeros(void **state)
{
	struct bench *b = setup(64 * MIB, 64 * 1048576.0, (const char *const[]){"fill", NULL});
	b->fake.stall_at = 5300 * NSEC_PER_MSEC;
	b->fake.stall = 3 * NSEC_PER_SEC;
	go(b, false);
	const struct phase_record *p = &b->record->tests[0].phases[0];
	int empty = 0;
	for (size_t i = 0; i < p->nsamples; i++)
		empty += p->samples[i].bytes == 0;
	assert_in_range(empty, 5, 6);
	assert_int_equal(p->nsamples, 8); /* 4 s in all */
	done(b);
}

/* A drive that goes on working for 10 s after a write, but not before the host has been silent for half a second. */
static struct bench *with_work(const char *const *tests)
{
	struct bench *b = setup(64 * MIB, 64 * 1048576.0, tests);
	b->fake.work_after_write = 10 * NSEC_PER_SEC;
	b->fake.work_delay = 500 * NSEC_PER_MSEC;
	return b;
}

static bool has_warning(const struct test_record *t, const char *code)
{
	for (size_t i = 0; i < t->nwarnings; i++)
		if (!strcmp(t->warnings[i].code, code))
			return true;
	return false;
}

static double waited_before(const struct bench *b, int test)
{
	return nsec_to_s(b->record->tests[test].quiet_wait);
}

/* Without watts the work shows in the reads that meet it. 3 s are the wait after the erase. */
static void work_is_seen_in_reads(void **state)
{
	struct bench *b = with_work((const char *const[]){"burst-seq-read", NULL});
	b->fake.no_watts = true;
	b->id.can_power = false;
	b->fake.work_blocks = 3 * NSEC_PER_MSEC;
	go(b, false);
	assert_int_equal(b->outcome.code, EXIT_DONE);
	assert_int_equal(b->fake.work_left, 0);
	assert_in_range((int)waited_before(b, 0), 3 + 10, 3 + 10 + 16);
	assert_false(has_warning(&b->record->tests[0], "not-quiet"));
	done(b);
}

/* Where reads go before whatever the drive does, its watts tell. */
static void work_is_seen_in_watts(void **state)
{
	struct bench *b = with_work((const char *const[]){"burst-seq-read", NULL});
	b->fake.watts_work = b->fake.watts_idle + 0.3;
	go(b, false);
	assert_int_equal(b->fake.work_left, 0);
	assert_in_range((int)waited_before(b, 0), 3 + 10, 3 + 10 + 16);
	assert_false(has_warning(&b->record->tests[0], "not-quiet"));
	done(b);
}

/* Work that does not end is waited for so long and no longer, and said. */
static void work_without_end_is_a_warning(void **state)
{
	struct bench *b = with_work((const char *const[]){"burst-seq-read", NULL});
	b->fake.work_after_write = 3600 * NSEC_PER_SEC;
	b->fake.work_blocks = 3 * NSEC_PER_MSEC;
	b->fake.watts_work = b->fake.watts_idle;
	go(b, false);
	assert_int_equal(b->outcome.code, EXIT_DONE);
	assert_near(waited_before(b, 0), 3 + 120, 1);
	assert_true(has_warning(&b->record->tests[0], "not-quiet"));
	done(b);
}

/* A drive or a host that falls asleep answers late after each pause, but all reads alike: that is quiet. */
static void waking_up_is_no_work(void **state)
{
	struct bench *b = setup(64 * MIB, 64 * 1048576.0, (const char *const[]){"burst-seq-read", NULL});
	b->fake.no_watts = true;
	b->id.can_power = false;
	b->fake.wakes = 2 * NSEC_PER_MSEC;
	go(b, false);
	assert_near(waited_before(b, 0), 3 + 3, 0.5);
	assert_false(has_warning(&b->record->tests[0], "not-quiet"));
	done(b);
}

/* A test that finds the state it needs still waits for the work that the writes of the one before it have left; after
 * reads there is nothing to wait for. */
static void what_a_test_leaves_to_do_is_waited_for(void **state)
{
	struct bench *b = with_work((const char *const[]){
		"burst-seq-read", "burst-seq-write", "burst-rand-read", "burst-rand-write", NULL});
	b->fake.watts_work = b->fake.watts_idle + 0.3;
	go(b, false);
	assert_int_equal(b->outcome.code, EXIT_DONE);
	assert_int_equal(b->record->tests[1].quiet_wait, -1);
	assert_true(waited_before(b, 2) >= 3);
	assert_null(b->record->tests[2].erase);
	assert_int_equal(b->record->tests[3].quiet_wait, -1);
	done(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_fill_in_order),
		cmocka_unit_test(bursts_keep_their_duty),
		cmocka_unit_test(a_sweep_idles_after_each_phase),
		cmocka_unit_test(what_is_unknown_is_erased),
		cmocka_unit_test(a_failed_test_does_not_lose_the_others),
		cmocka_unit_test(a_vanished_drive_ends_the_run),
		cmocka_unit_test(a_full_disk_is_a_partial_result),
		cmocka_unit_test(an_interruption_ends_an_idle_at_once),
		cmocka_unit_test(a_stall_is_a_row_of_zeros),
		cmocka_unit_test(a_run_can_be_resumed),
		cmocka_unit_test(work_is_seen_in_reads),
		cmocka_unit_test(work_is_seen_in_watts),
		cmocka_unit_test(work_without_end_is_a_warning),
		cmocka_unit_test(waking_up_is_no_work),
		cmocka_unit_test(what_a_test_leaves_to_do_is_waited_for),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
