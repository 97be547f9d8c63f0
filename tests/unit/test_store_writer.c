// SPDX-License-Identifier: MIT
/* The store's writer: what is left after kill -9, on a full disk, with several runs and several programs at once. */
#include "unit.h"

#include "store_samples.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void sleep_ms(long ms)
{
	nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000}, NULL);
}

/* The child of the next test: writes a sample every 20 ms and tells through the pipe how many it has handed over. */
static void write_until_killed(const char *file, int pipe_fd)
{
	struct store *s;
	struct store_run *r;
	struct err e = {0};
	int64_t id;
	struct run_record head = bare_run();
	struct test_record test = bare_test("fill");
	struct phase_record phase = bare_phase("fill");
	if (store_open(&s, file, STORE_WRITE, &e) != 0 || store_run_begin(&r, s, &head, &id, &e) != 0)
		_exit(1);
	int t = store_test_begin(r, &test), p = store_phase_begin(r, t, &phase);
	for (int i = 0;; i++) {
		struct sample sample = sample_at(i);
		nsec now = nsec_now();
		store_sample(r, t, p, &sample);
		if (write(pipe_fd, &now, sizeof now) != sizeof now)
			_exit(1);
		sleep_ms(20);
	}
}

static void kill_9_costs_at_most_a_second(void **state)
{
	char *file = xasprintf("%s/killed.db", folder);
	struct err e = {0};
	int fds[2];
	assert_int_equal(pipe(fds), 0);
	pid_t child = fork();
	if (child == 0) {
		close(fds[0]);
		write_until_killed(file, fds[1]);
	}
	assert_true(child > 0);
	close(fds[1]);
	/* By the time of sample `want` there are whole seconds to be found. */
	nsec handed[200];
	int n = 0, want = 100;
	while (n < want && read(fds[0], &handed[n], sizeof *handed) == sizeof *handed)
		n++;
	assert_int_equal(n, want);

	/* While its writer lives it is running, also for somebody else. */
	struct store *s = opened(file, STORE_READ);
	struct run_record *r;
	assert_int_equal(store_load(s, 1, &r, &e), 0);
	assert_int_equal(r->state, RUN_RUNNING);
	assert_null(r->error);
	assert_int_equal(r->tests[0].status, TEST_RUNNING);
	run_record_free(r);
	store_close(s);

	nsec killed = nsec_now();
	assert_int_equal(kill(child, SIGKILL), 0);
	assert_int_equal(waitpid(child, NULL, 0), child);
	while (n < (int)ARRAY_SIZE(handed) && read(fds[0], &handed[n], sizeof *handed) == sizeof *handed)
		n++;
	close(fds[0]);
	int older = 0; /* samples that were handed over more than a second before the end */
	while (older < n && handed[older] < killed - NSEC_PER_SEC)
		older++;

	for (int look = 0; look < 3; look++) {
		/* Read only; again after somebody opened it for writing; and then once more. */
		s = opened(file, look == 1 ? STORE_WRITE : STORE_READ);
		assert_int_equal(store_load(s, 1, &r, &e), 0);
		assert_int_equal(r->state, RUN_PARTIAL);
		assert_non_null(strstr(r->error, "ended without closing the run"));
		assert_int_equal(r->tests[0].status, TEST_PARTIAL);
		assert_non_null(r->tests[0].reason);
		const struct phase_record *p = &r->tests[0].phases[0];
		if (p->nsamples < (size_t)older || older < 20)
			fail_msg("%zu samples kept, %d were older than a second", p->nsamples, older);
		/* What the samples tell is in the phase, and no more. */
		uint64_t bytes = 0;
		for (size_t i = 0; i < p->nsamples; i++)
			bytes += p->samples[i].bytes;
		assert_int_equal(p->bytes, bytes);
		assert_int_equal(p->duration, (nsec)p->nsamples * NSEC_PER_SEC / 2);
		assert_true(isnan(p->joules));
		assert_int_equal(p->nand_bytes, -1);
		assert_true(p->ended_early);
		run_record_free(r);
		struct run_record *list;
		size_t count;
		assert_int_equal(store_list(s, &list, &count, &e), 0);
		assert_int_equal(count, 1);
		assert_int_equal(list[0].state, RUN_PARTIAL);
		run_record_clear(&list[0]);
		free(list);
		store_close(s);
	}
	/* And the file is whole. */
	sqlite3 *db;
	sqlite3_stmt *st;
	assert_int_equal(sqlite3_open(file, &db), SQLITE_OK);
	assert_int_equal(sqlite3_prepare_v2(db, "PRAGMA integrity_check", -1, &st, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_step(st), SQLITE_ROW);
	assert_string_equal((const char *)sqlite3_column_text(st, 0), "ok");
	sqlite3_finalize(st);
	sqlite3_close(db);
	free(file);
}

#define THREAD_SAMPLES 3000

struct thread_job {
	struct store *store;
	int number;
	int64_t id;
};

static void *write_a_run(void *arg)
{
	struct thread_job *job = arg;
	struct store_run *r;
	struct err e = {0};
	char label[16];
	snprintf(label, sizeof label, "thread-%d", job->number);
	struct run_record head = bare_run();
	head.label = label;
	if (store_run_begin(&r, job->store, &head, &job->id, &e) != 0)
		return e.text[0] ? xstrdup(e.text) : xstrdup("?");
	for (int t = 0; t < 2; t++) {
		struct test_record test = bare_test(label);
		store_test_begin(r, &test);
		struct phase_record phase = bare_phase("fill");
		store_phase_begin(r, t, &phase);
		for (int i = 0; i < THREAD_SAMPLES; i++) {
			struct sample sample = sample_at(i * 8 + job->number);
			store_sample(r, t, 0, &sample);
		}
		store_phase_end(r, t, 0, &phase);
		test.status = TEST_DONE;
		store_test_end(r, t, &test);
	}
	return store_run_finish(r, RUN_DONE, NULL, NAN, &e) == 0 ? NULL : xstrdup(e.text);
}

static void several_runs_at_once(void **state)
{
	char *file = xasprintf("%s/threads.db", folder);
	struct store *s = opened(file, STORE_WRITE);
	struct err e = {0};
	pthread_t threads[4];
	struct thread_job jobs[4];
	for (int i = 0; i < 4; i++) {
		jobs[i] = (struct thread_job){s, i, 0};
		assert_int_equal(pthread_create(&threads[i], NULL, write_a_run, &jobs[i]), 0);
	}
	for (int i = 0; i < 4; i++) {
		void *bad;
		assert_int_equal(pthread_join(threads[i], &bad), 0);
		if (bad)
			fail_msg("%s", (char *)bad);
	}
	for (int i = 0; i < 4; i++) {
		struct run_record *r;
		assert_int_equal(store_load(s, jobs[i].id, &r, &e), 0);
		assert_int_equal(r->state, RUN_DONE);
		assert_int_equal(r->ntests, 2);
		for (int t = 0; t < 2; t++) {
			assert_string_equal(r->tests[t].name, r->label);
			assert_int_equal(r->tests[t].phases[0].nsamples, THREAD_SAMPLES);
			for (int k = 0; k < THREAD_SAMPLES; k++)
				assert_int_equal(r->tests[t].phases[0].samples[k].bytes, 1000 + k * 8 + i);
		}
		run_record_free(r);
	}
	store_close(s);
	free(file);
}

/* Another program holds the store for a while: the run goes on and nothing is lost. */
static void a_lock_of_another_program_is_waited_for(void **state)
{
	char *file = xasprintf("%s/locked.db", folder);
	struct store *s = opened(file, STORE_WRITE);
	struct store_run *r;
	struct err e = {0};
	int64_t id;
	struct run_record head = bare_run(), *back;
	assert_int_equal(store_run_begin(&r, s, &head, &id, &e), 0);
	sqlite3 *db;
	assert_int_equal(sqlite3_open(file, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
	struct test_record test = bare_test("fill");
	struct phase_record phase = bare_phase("fill");
	store_test_begin(r, &test);
	store_phase_begin(r, 0, &phase);
	for (int i = 0; i < 100; i++) {
		struct sample sample = sample_at(i);
		store_sample(r, 0, 0, &sample);
	}
	sleep_ms(700);
	assert_int_equal(store_run_failed(r, &e), 0);
	assert_int_equal(sqlite3_exec(db, "COMMIT", NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(db);
	assert_int_equal(store_run_finish(r, RUN_DONE, NULL, NAN, &e), 0);
	assert_int_equal(store_load(s, id, &back, &e), 0);
	assert_int_equal(back->tests[0].phases[0].nsamples, 100);
	run_record_free(back);
	store_close(s);
	free(file);
}

/* Fills what is left of a file system. */
static void eat_space(const char *where)
{
	char *file = xasprintf("%s/eaten", where);
	int fd = open(file, O_WRONLY | O_CREAT | O_APPEND, 0600);
	assert_true(fd >= 0);
	static char block[4096];
	while (write(fd, block, sizeof block) > 0)
		;
	close(fd);
	free(file);
}

static char *small_file_system(int mib)
{
	if (geteuid() != 0) {
		fprintf(stderr, "SKIPPED: the tests of a full disk need root, to mount a small file system\n");
		skip();
	}
	char *where = xasprintf("%s/small%d", folder, mib), *options = xasprintf("size=%dm", mib);
	assert_int_equal(mkdir(where, 0700), 0);
	if (mount("tmpfs", where, "tmpfs", 0, options) != 0) {
		fprintf(stderr, "SKIPPED: the tests of a full disk cannot mount a tmpfs: %s\n", strerror(errno));
		free(where);
		free(options);
		skip();
	}
	free(options);
	return where;
}

/* The disk fills up while a run is written (a target on the same file system does that): the run's end still fits. */
static void a_full_disk_leaves_the_end_of_the_run(void **state)
{
	char *where = small_file_system(32);
	char *file = xasprintf("%s/runs.db", where);
	struct store *s = opened(file, STORE_WRITE);
	struct store_run *r;
	struct err e = {0};
	int64_t id;
	struct run_record head = bare_run(), *back;
	assert_int_equal(store_run_begin(&r, s, &head, &id, &e), 0);
	struct test_record test = bare_test("fill");
	struct phase_record phase = bare_phase("fill");
	store_test_begin(r, &test);
	store_phase_begin(r, 0, &phase);
	eat_space(where);
	for (int i = 0; i < 5000; i++) {
		struct sample sample = sample_at(i);
		store_sample(r, 0, 0, &sample);
	}
	assert_int_equal(store_run_finish(r, RUN_PARTIAL, "the target is full", NAN, &e), 0);
	assert_int_equal(store_load(s, id, &back, &e), 0);
	assert_int_equal(back->state, RUN_PARTIAL);
	assert_string_equal(back->error, "the target is full");
	assert_int_equal(back->tests[0].phases[0].nsamples, 5000);
	run_record_free(back);
	store_close(s);
	assert_int_equal(umount2(where, MNT_DETACH), 0);
	free(file);
	free(where);
}

/* A run that goes on and on after that is told to stop, in time for its last words. */
static void a_full_disk_is_reported(void **state)
{
	char *where = small_file_system(24);
	char *file = xasprintf("%s/runs.db", where);
	struct store *s = opened(file, STORE_WRITE);
	struct store_run *r;
	struct err e = {0};
	int64_t id;
	struct run_record head = bare_run(), *back;
	assert_int_equal(store_run_begin(&r, s, &head, &id, &e), 0);
	struct test_record test = bare_test("fill");
	struct phase_record phase = bare_phase("fill");
	store_test_begin(r, &test);
	store_phase_begin(r, 0, &phase);
	eat_space(where);
	size_t n = 0;
	while (store_run_failed(r, &e) == 0 && n < 2000000) {
		struct sample sample = sample_at((int)n++);
		store_sample(r, 0, 0, &sample);
	}
	assert_true(n > 10000 && n < 2000000);
	assert_non_null(strstr(e.text, "no space is left"));
	assert_int_equal(e.code, EXIT_FAILED);
	assert_int_equal(store_run_failed(r, &e), -1); /* for good */
	assert_int_equal(store_run_finish(r, RUN_FAILED, e.text, NAN, &e), 0);
	/* Another one is not begun. */
	struct store_run *second;
	assert_int_equal(store_run_begin(&second, s, &head, &id, &e), -1);
	assert_null(second);
	store_close(s);

	s = opened(file, STORE_READ);
	assert_int_equal(store_load(s, 1, &back, &e), 0);
	assert_int_equal(back->state, RUN_FAILED);
	assert_non_null(strstr(back->error, "no space is left"));
	assert_true(back->tests[0].phases[0].nsamples > 10000);
	run_record_free(back);
	store_close(s);

	/* A disk that is full from the start is said so before anything is measured. */
	s = opened(file, STORE_WRITE);
	assert_int_equal(store_run_begin(&r, s, &head, &id, &e), -1);
	assert_non_null(strstr(e.text, "no space is left"));
	store_close(s);
	assert_int_equal(umount2(where, MNT_DETACH), 0);
	free(file);
	free(where);
}

/* A run of which not even the last words fit ends all the same. */
static void nothing_fits_at_all(void **state)
{
	char *where = small_file_system(25);
	char *file = xasprintf("%s/runs.db", where);
	struct store *s = opened(file, STORE_WRITE);
	struct store_run *r;
	struct err e = {0}, e2 = {0};
	int64_t id;
	struct run_record head = bare_run();
	assert_int_equal(store_run_begin(&r, s, &head, &id, &e), 0);
	struct test_record test = bare_test("fill");
	struct phase_record phase = bare_phase("fill");
	store_test_begin(r, &test);
	store_phase_begin(r, 0, &phase);
	eat_space(where);
	for (int i = 0; i < 600000; i++) {
		struct sample sample = sample_at(i);
		store_sample(r, 0, 0, &sample);
	}
	assert_int_equal(store_run_finish(r, RUN_DONE, NULL, NAN, &e), -1);
	assert_non_null(strstr(e.text, "no space is left"));
	store_close(s);
	s = opened(file, STORE_READ);
	struct run_record *back;
	assert_int_equal(store_load(s, id, &back, &e2), 0);
	assert_int_equal(back->state, RUN_PARTIAL);
	run_record_free(back);
	store_close(s);
	assert_int_equal(umount2(where, MNT_DETACH), 0);
	free(file);
	free(where);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kill_9_costs_at_most_a_second),
		cmocka_unit_test(several_runs_at_once),
		cmocka_unit_test(a_lock_of_another_program_is_waited_for),
		cmocka_unit_test(a_full_disk_leaves_the_end_of_the_run),
		cmocka_unit_test(a_full_disk_is_reported),
		cmocka_unit_test(nothing_fits_at_all),
	};
	return cmocka_run_group_tests(tests, begin_in_folder, end_in_folder);
}
