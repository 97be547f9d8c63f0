// SPDX-License-Identifier: MIT
/* The drive that fails on purpose, around one that does nothing. */
#include "unit.h"

#include "target/target.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static volatile sig_atomic_t interrupted;

static struct target *open_fault(const char *fault)
{
	struct target_options o = {.max_bytes = 4096, .max_qd = 4, .interrupted = &interrupted};
	struct target *t = NULL;
	struct err err = {0};
	char spec[128];
	interrupted = 0;
	snprintf(spec, sizeof spec, "fault:%s:null:size=1m", fault);
	if (target_open(&t, spec, &o, &err))
		fail_msg("%s", err.text);
	return t;
}

static void submit(struct target *t, uint64_t tag)
{
	struct io io = {.bytes = 4096, .tag = tag, .op = IO_WRITE};
	assert_int_equal(t->ops->submit(t, &io), 0);
}

/* One I/O, alone: its status. */
static struct io_done one(struct target *t, uint64_t tag)
{
	struct io_done done;
	submit(t, tag);
	assert_int_equal(t->ops->reap(t, &done, 1, NSEC_NEVER), 1);
	assert_int_equal(done.tag, tag);
	assert_true(done.start <= done.end);
	return done;
}

static void one_error(void **state)
{
	struct target *t = open_fault("eio@3");
	for (uint64_t i = 1; i <= 5; i++) {
		struct io_done d = one(t, i);
		assert_int_equal(d.status, i == 3 ? -EIO : 0);
		assert_int_equal(d.bytes, i == 3 ? 0 : 4096);
	}
	assert_int_equal(target_same(t, NULL), 0);
	target_close(t);
}

static void one_short_completion(void **state)
{
	struct target *t = open_fault("short@1");
	struct io_done d = one(t, 1);
	assert_int_equal(d.status, -EIO);
	assert_int_equal(d.bytes, 2048);
	assert_int_equal(one(t, 2).status, 0);
	target_close(t);
}

static void gone_for_good(void **state)
{
	struct target *t = open_fault("vanish@2");
	struct err err = {0};
	assert_int_equal(one(t, 1).status, 0);
	assert_int_equal(target_same(t, &err), 0);
	for (uint64_t i = 2; i < 5; i++)
		assert_int_equal(one(t, i).status, -ENODEV);
	assert_int_equal(target_same(t, &err), -1);
	assert_string_equal(err.text, "the drive is gone");
	assert_int_equal(t->ops->flush(t), -ENODEV);
	assert_int_equal(t->ops->erase(t, ERASE_DEFAULT), -ENODEV);
	target_close(t);
}

static void a_stall_holds_everything(void **state)
{
	struct target *t = open_fault("stall@2,for=100ms");
	struct io_done done[4];
	nsec begin = t->ops->now(t);
	for (uint64_t i = 1; i <= 4; i++)
		submit(t, i);
	assert_int_equal(t->ops->reap(t, done, 4, NSEC_NEVER), 1);
	assert_int_equal(done[0].tag, 1);
	/* A caller who does not want to wait that long gets nothing, in time. */
	assert_int_equal(t->ops->reap(t, done, 4, begin + 10 * NSEC_PER_MSEC), 0);
	assert_true(t->ops->now(t) < begin + 100 * NSEC_PER_MSEC);
	int n = 0;
	while (n < 3) {
		int got = t->ops->reap(t, done + n, 4 - n, NSEC_NEVER);
		assert_true(got > 0);
		n += got;
	}
	for (int i = 0; i < 3; i++) {
		assert_int_equal(done[i].status, 0);
		assert_true(
			done[i].start < begin + 50 * NSEC_PER_MSEC); /* when it was submitted: the stall is latency */
		assert_true(done[i].end >= begin + 100 * NSEC_PER_MSEC);
	}
	assert_true(one(t, 9).end - begin < 10 * NSEC_PER_SEC);
	target_close(t);
}

static void a_stall_can_be_interrupted(void **state)
{
	struct target *t = open_fault("stall@1,for=1h");
	struct io_done done;
	submit(t, 1);
	interrupted = 1;
	assert_int_equal(t->ops->reap(t, &done, 1, NSEC_NEVER), 0);
	target_close(t);
}

static void nonsense(void **state)
{
	static const char *const specs[] = {"fault:eio:null:size=1m", "fault:eio@0:null:size=1m",
		"fault:eio@1x:null:size=1m", "fault:fire@1:null:size=1m", "fault:stall@1,for=long:null:size=1m",
		"fault:stall@1,to=1s:null:size=1m", "fault:eio@1", "fault:"};
	struct target_options o = {.max_bytes = 4096, .max_qd = 1};
	for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
		struct target *t = NULL;
		struct err err = {0};
		assert_int_equal(target_open(&t, specs[i], &o, &err), -1);
		assert_int_equal(err.code, EXIT_USAGE);
		assert_true(strlen(err.text) > 10);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_error),
		cmocka_unit_test(one_short_completion),
		cmocka_unit_test(gone_for_good),
		cmocka_unit_test(a_stall_holds_everything),
		cmocka_unit_test(a_stall_can_be_interrupted),
		cmocka_unit_test(nonsense),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
