// SPDX-License-Identifier: MIT
#include "store/internal.h"
#include "store/schema.h"

#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Rows that wait for the writer, at most; who brings more waits. A real drive makes two a second. */
#define QUEUE_MAX 4096
/* The longest time that a row waits before its transaction begins: with the time of an fsync it stays below 1 s. */
#define COMMIT_AFTER (400 * NSEC_PER_MSEC)
/* How long a store that another program holds is tried again before the writer gives up. */
#define BUSY_GIVE_UP (60 * NSEC_PER_SEC)
/* Space set aside beside the store, so that a full disk does not take the end of the run with it: the first part is
 * given up when the disk is full for the first time (some 100,000 samples go on fitting), the second when even that is
 * used: the run is then told to stop, and its last rows still fit. */
#define RESERVE_BYTES (8 << 20)
#define LAST_RESERVE_BYTES (2 << 20)

enum op_kind { OP_INSERT, OP_FINISH, OP_NO_POWER };

/* One row to be written. */
struct op {
	struct op *next;
	enum op_kind kind;
	enum table_id table;
	struct row_key key;
	struct store_run *run; /* the end of a whole run: wake it; NULL else */
	void *record;
};

struct writer {
	char *path;
	sqlite3 *db;
	struct statements statements;
	dev_t device; /* of the file that is written: it may be deleted meanwhile */
	ino_t inode;
	pthread_t thread;
	int live_fd;
	int reserve[2];	    /* descriptors of unnamed files that hold space; -1 = given up or not to be had */
	atomic_bool failed; /* told to the runs: stop */
	bool dead;	    /* nothing can be written any more; what comes is dropped */
	struct err error;   /* set before `failed` */

	pthread_mutex_t lock; /* over the queue and what is below */
	pthread_cond_t work;  /* something came, or the end */
	pthread_cond_t room;  /* the queue was taken, or a run has ended */
	struct op *first, **last;
	size_t waiting;
	nsec oldest; /* when the first one came */
	bool hurry;  /* somebody waits for a run's end */
	bool stop;
};

struct store_run {
	struct writer *writer;
	int64_t id;
	int64_t nwarnings, npower;
	bool ended; /* under writer->lock: its last row has been dealt with */
	int ntests, captests;
	struct test_count {
		int nphases, capphases;
		struct phase_count {
			int64_t nsamples, nevents;
		} * phases;
	} * tests;
};

static void op_free(struct op *op)
{
	switch (op->table) {
	case TABLE_TEST: test_record_clear(op->record); break;
	case TABLE_PHASE: phase_record_clear(op->record); break;
	case TABLE_EVENT: free(((struct event *)op->record)->text); break;
	case TABLE_WARNING: free(((struct warning *)op->record)->text); break;
	case TABLE_RUN: run_record_clear(op->record); break;
	default: break;
	}
	free(op->record);
	free(op);
}

/* ---- the writer's thread */

static int forget_power_source(sqlite3 *db, int64_t run)
{
	char sql[80];
	snprintf(sql, sizeof sql, "UPDATE run SET power_source = NULL WHERE id = %lld", (long long)run);
	return sqlite3_exec(db, sql, NULL, NULL, NULL);
}

static int write_batch(struct writer *w, const struct op *first)
{
	int rc = sqlite3_exec(w->db, "BEGIN IMMEDIATE", NULL, NULL, NULL);
	if (rc != SQLITE_OK)
		return rc;
	for (const struct op *op = first; op && rc == SQLITE_OK; op = op->next)
		rc = op->kind == OP_INSERT   ? row_insert(w->db, &w->statements, op->table, &op->key, op->record)
		     : op->kind == OP_FINISH ? row_finish(w->db, &w->statements, op->table, &op->key, op->record)
					     : forget_power_source(w->db, op->key.value[0]);
	if (rc == SQLITE_OK)
		rc = sqlite3_exec(w->db, "COMMIT", NULL, NULL, NULL);
	return rc;
}

static bool is_full(sqlite3 *db, int rc)
{
	return (rc & 0xff) == SQLITE_FULL || ((rc & 0xff) == SQLITE_IOERR && sqlite3_system_errno(db) == ENOSPC);
}

/* Gives up the next piece of reserved space. False when there is none left. */
static bool release_reserve(struct writer *w, bool *last)
{
	for (int i = 0; i < 2; i++) {
		if (w->reserve[i] < 0)
			continue;
		close(w->reserve[i]);
		w->reserve[i] = -1;
		*last = i == 1;
		/* Moving the log into the file would take the space that the last rows need. */
		if (*last)
			sqlite3_wal_autocheckpoint(w->db, 0);
		return true;
	}
	return false;
}

static void report_failure(struct writer *w, int rc)
{
	if (atomic_load(&w->failed))
		return;
	store_error(w->db, rc, w->path, "write", &w->error);
	atomic_store(&w->failed, true);
}

static void write_or_fail(struct writer *w, const struct op *first)
{
	nsec since = nsec_now();
	while (!w->dead) {
		int rc = write_batch(w, first);
		if (rc == SQLITE_OK)
			return;
		bool last = false, again = false;
		if (is_full(w->db, rc)) {
			again = release_reserve(w, &last);
			if (!again || last)
				report_failure(w, rc);
		} else if ((rc & 0xff) == SQLITE_BUSY) {
			again = nsec_now() - since < BUSY_GIVE_UP;
		}
		if (!again) {
			report_failure(w, rc);
			w->dead = true;
		}
		if (!sqlite3_get_autocommit(w->db))
			sqlite3_exec(w->db, "ROLLBACK", NULL, NULL, NULL);
	}
}

/* Waits until there is a batch to write and takes it; NULL at the end. Called and returns with the lock held. */
static struct op *take_batch(struct writer *w)
{
	while (!w->first && !w->stop)
		pthread_cond_wait(&w->work, &w->lock);
	while (!w->hurry && !w->stop && w->waiting < QUEUE_MAX / 2) {
		nsec at = w->oldest + COMMIT_AFTER;
		struct timespec until = {.tv_sec = at / NSEC_PER_SEC, .tv_nsec = at % NSEC_PER_SEC};
		if (nsec_now() >= at || pthread_cond_timedwait(&w->work, &w->lock, &until) == ETIMEDOUT)
			break;
	}
	struct op *batch = w->first;
	w->first = NULL;
	w->last = &w->first;
	w->waiting = 0;
	w->hurry = false;
	pthread_cond_broadcast(&w->room);
	return batch;
}

static void *writer_main(void *arg)
{
	struct writer *w = arg;
	pthread_mutex_lock(&w->lock);
	for (struct op *batch; (batch = take_batch(w));) {
		pthread_mutex_unlock(&w->lock);
		write_or_fail(w, batch);
		pthread_mutex_lock(&w->lock);
		while (batch) {
			struct op *next = batch->next;
			if (batch->run) {
				live_drop(w->live_fd, batch->run->id);
				batch->run->ended = true;
				pthread_cond_broadcast(&w->room);
			}
			op_free(batch);
			batch = next;
		}
	}
	pthread_mutex_unlock(&w->lock);
	return NULL;
}

/* ---- starting and ending it */

/* Reserves space in the folder of the store, in a file without a name that vanishes with this process. -1 in *fd where
 * the file system cannot do that. Returns 0, or -1 when there is no space. */
static int reserve_space(const char *path, off_t bytes, int *fd)
{
	char *copy = xstrdup(path);
	*fd = open(dirname(copy), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	free(copy);
	if (*fd < 0)
		return errno == ENOSPC || errno == EDQUOT ? -1 : 0;
	if (fallocate(*fd, 0, 0, bytes) == 0)
		return 0;
	int bad = errno;
	close(*fd);
	*fd = -1;
	return bad == ENOSPC || bad == EDQUOT ? -1 : 0;
}

static void writer_free(struct writer *w)
{
	statements_close(&w->statements);
	sqlite3_close(w->db);
	for (int i = 0; i < 2; i++)
		if (w->reserve[i] >= 0)
			close(w->reserve[i]);
	if (w->live_fd >= 0)
		close(w->live_fd);
	free(w->path);
	free(w);
}

static int writer_start(struct store *s, struct err *e)
{
	struct writer *w = xcalloc(1, sizeof *w);
	w->path = xstrdup(s->path);
	w->reserve[0] = w->reserve[1] = -1;
	w->live_fd = live_open(s);
	w->last = &w->first;
	int rc = 0;
	if (w->live_fd < 0)
		rc = err_set(e, exit_code_of_errno(errno),
			"cannot write '%s-live' beside the store: %s; give another store with --store", s->path,
			strerror(errno));
	else if (reserve_space(s->path, LAST_RESERVE_BYTES, &w->reserve[1]) != 0 ||
		 reserve_space(s->path, RESERVE_BYTES, &w->reserve[0]) != 0)
		rc = store_error(NULL, SQLITE_FULL, s->path, "write", e);
	if (rc == 0) {
		int sql = store_connect(&w->db, s->path, SQLITE_OPEN_READWRITE);
		struct stat st = {0};
		if (sql != SQLITE_OK)
			rc = store_error(w->db, sql, s->path, "open", e);
		else if (stat(w->path, &st) == 0)
			w->device = st.st_dev, w->inode = st.st_ino;
	}
	if (rc == 0) {
		pthread_condattr_t monotonic;
		pthread_condattr_init(&monotonic);
		pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
		pthread_cond_init(&w->work, &monotonic);
		pthread_cond_init(&w->room, NULL);
		pthread_condattr_destroy(&monotonic);
		pthread_mutex_init(&w->lock, NULL);
		int bad = pthread_create(&w->thread, NULL, writer_main, w);
		if (bad)
			rc = err_set(e, EXIT_FAILED, "cannot start the writer of the store: %s", strerror(bad));
	}
	if (rc != 0) {
		writer_free(w);
		return -1;
	}
	s->writer = w;
	return 0;
}

void writer_stop(struct writer *w)
{
	if (!w)
		return;
	pthread_mutex_lock(&w->lock);
	w->stop = true;
	pthread_cond_signal(&w->work);
	pthread_mutex_unlock(&w->lock);
	pthread_join(w->thread, NULL);
	pthread_cond_destroy(&w->work);
	pthread_cond_destroy(&w->room);
	pthread_mutex_destroy(&w->lock);
	writer_free(w);
}

/* ---- the calls */

/* Puts a row into the queue; `record` (malloc'd, all in it malloc'd) is the queue's from now on. */
static void enqueue(
	struct store_run *r, enum op_kind kind, enum table_id table, struct row_key key, void *record, bool end_of_run)
{
	struct writer *w = r->writer;
	struct op *op = xmalloc(sizeof *op);
	*op = (struct op){.kind = kind, .table = table, .key = key, .record = record, .run = end_of_run ? r : NULL};
	pthread_mutex_lock(&w->lock);
	while (w->waiting >= QUEUE_MAX)
		pthread_cond_wait(&w->room, &w->lock);
	if (!w->first) {
		w->oldest = nsec_now();
		pthread_cond_signal(&w->work);
	}
	*w->last = op;
	w->last = &op->next;
	w->waiting++;
	w->hurry |= end_of_run;
	if (w->hurry || w->waiting == QUEUE_MAX / 2)
		pthread_cond_signal(&w->work);
	pthread_mutex_unlock(&w->lock);
}

static void *copy_of(const void *record, size_t bytes)
{
	void *copy = xmalloc(bytes);
	memcpy(copy, record, bytes);
	return copy;
}

static struct test_record *copy_test(const struct test_record *t)
{
	struct test_record *c = copy_of(t, sizeof *t);
	c->reason = xstrdup(t->reason);
	c->params = xstrdup(t->params);
	c->erase = xstrdup(t->erase);
	c->nwarnings = c->nphases = 0;
	c->warnings = NULL;
	c->phases = NULL;
	return c;
}

static struct phase_record *copy_phase(const struct phase_record *p, bool with_latency)
{
	struct phase_record *c = copy_of(p, sizeof *p);
	c->end_reason = xstrdup(p->end_reason);
	c->latency = with_latency && p->latency ? copy_of(p->latency, sizeof *p->latency) : NULL;
	c->nsamples = c->nevents = 0;
	c->samples = NULL;
	c->events = NULL;
	return c;
}

/* Inserts the run's row and takes its lock before anybody can see it. */
static int insert_run(struct store *s, struct writer *w, const struct run_record *head, int64_t *id, struct err *e)
{
	struct run_record copy = *head;
	copy.state = RUN_RUNNING;
	copy.finished_ms = -1;
	copy.error = NULL;
	if (!copy.uuid[0])
		uuid_make(copy.uuid);
	int rc = sqlite3_exec(s->db, "BEGIN IMMEDIATE", NULL, NULL, NULL);
	if (rc == SQLITE_OK)
		rc = row_insert(s->db, &s->statements, TABLE_RUN, &(struct row_key){{-1}}, &copy);
	*id = sqlite3_last_insert_rowid(s->db);
	if (rc == SQLITE_OK && live_take(w->live_fd, *id) != 0) {
		int bad = errno;
		sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
		return err_set(e, exit_code_of_errno(bad),
			"cannot lock '%s-live' beside the store: %s; give a store on another file system with --store",
			s->path, strerror(bad));
	}
	if (rc == SQLITE_OK) {
		rc = sqlite3_exec(s->db, "COMMIT", NULL, NULL, NULL);
		if (rc != SQLITE_OK)
			live_drop(w->live_fd, *id);
	}
	if (rc == SQLITE_OK)
		return 0;
	store_error(s->db, rc, s->path, "write", e);
	if (!sqlite3_get_autocommit(s->db))
		sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
	return -1;
}

/* The store's writer, started where it is not yet there, and not failed. Within the caller's lock. */
static int writer_ready(struct store *s, struct err *e)
{
	int rc = s->writer ? 0 : writer_start(s, e);
	if (rc == 0 && atomic_load(&s->writer->failed)) {
		*e = s->writer->error;
		rc = -1;
	}
	return rc;
}

int store_run_begin(struct store_run **out, struct store *s, const struct run_record *head, int64_t *id, struct err *e)
{
	*out = NULL;
	pthread_mutex_lock(&s->lock);
	int rc = writer_ready(s, e);
	if (rc == 0)
		rc = insert_run(s, s->writer, head, id, e);
	pthread_mutex_unlock(&s->lock);
	if (rc != 0)
		return -1;
	struct store_run *r = xcalloc(1, sizeof *r);
	r->writer = s->writer;
	r->id = *id;
	*out = r;
	return 0;
}

/* Whether the run can be gone on with; removes what was not done and takes its lock. `counts` gets how many warnings
 * and instrument readings are there already. Within the caller's lock. */
static int reopen_run(struct store *s, struct writer *w, int64_t id, struct store_run *counts, struct err *e)
{
	char sql[1024];
	int64_t there = 0, done = 0;
	snprintf(sql, sizeof sql, "SELECT count(*) FROM run WHERE id = %lld", (long long)id);
	int rc = schema_number(s->db, sql, &there);
	snprintf(sql, sizeof sql, "SELECT count(*) FROM run WHERE id = %lld AND state = 'done'", (long long)id);
	if (rc == SQLITE_OK)
		rc = schema_number(s->db, sql, &done);
	if (rc == SQLITE_OK && !there)
		return err_set(e, EXIT_USAGE, "no run %lld in the store '%s'", (long long)id, s->path);
	if (rc == SQLITE_OK && done)
		return err_set(e, EXIT_USAGE, "run %lld is done: there is nothing to resume", (long long)id);
	if (rc == SQLITE_OK && live_take(w->live_fd, id) != 0)
		return err_set(e, EXIT_USAGE, "run %lld is in progress: another ssdscope is writing it", (long long)id);
	snprintf(sql, sizeof sql,
		"BEGIN IMMEDIATE; DELETE FROM phase WHERE run = %1$lld AND test IN (SELECT number FROM test WHERE run "
		"= %1$lld AND status <> 'done'); DELETE FROM warning WHERE run = %1$lld AND test IN (SELECT number "
		"FROM test WHERE run = %1$lld AND status <> 'done'); UPDATE test SET status = 'not-run' WHERE run = "
		"%1$lld AND status <> 'done'; UPDATE run SET state = 'running', error = NULL, finished_ms = NULL WHERE "
		"id = %1$lld; COMMIT",
		(long long)id);
	if (rc == SQLITE_OK)
		rc = sqlite3_exec(s->db, sql, NULL, NULL, NULL);
	snprintf(sql, sizeof sql, "SELECT coalesce(max(number) + 1, 0) FROM warning WHERE run = %lld", (long long)id);
	if (rc == SQLITE_OK)
		rc = schema_number(s->db, sql, &counts->nwarnings);
	snprintf(sql, sizeof sql, "SELECT coalesce(max(number) + 1, 0) FROM power WHERE run = %lld", (long long)id);
	if (rc == SQLITE_OK)
		rc = schema_number(s->db, sql, &counts->npower);
	if (rc == SQLITE_OK)
		return 0;
	store_error(s->db, rc, s->path, "write", e);
	live_drop(w->live_fd, id);
	if (!sqlite3_get_autocommit(s->db))
		sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
	return -1;
}

int store_run_resume(struct store_run **out, struct store *s, int64_t id, struct err *e)
{
	struct store_run counts = {.id = id};
	*out = NULL;
	pthread_mutex_lock(&s->lock);
	int rc = writer_ready(s, e);
	if (rc == 0)
		rc = reopen_run(s, s->writer, id, &counts, e);
	pthread_mutex_unlock(&s->lock);
	if (rc != 0)
		return -1;
	struct store_run *r = xcalloc(1, sizeof *r);
	*r = counts;
	r->writer = s->writer;
	*out = r;
	return 0;
}

void store_test_keep(struct store_run *r)
{
	GROW(r->tests, r->ntests, r->captests);
	r->tests[r->ntests++] = (struct test_count){0};
}

int store_test_begin(struct store_run *r, const struct test_record *head)
{
	GROW(r->tests, r->ntests, r->captests);
	r->tests[r->ntests] = (struct test_count){0};
	enqueue(r, OP_INSERT, TABLE_TEST, (struct row_key){{r->id, r->ntests}}, copy_test(head), false);
	return r->ntests++;
}

int store_phase_begin(struct store_run *r, int test, const struct phase_record *head)
{
	struct test_count *t = &r->tests[test];
	GROW(t->phases, t->nphases, t->capphases);
	t->phases[t->nphases] = (struct phase_count){0};
	enqueue(r, OP_INSERT, TABLE_PHASE, (struct row_key){{r->id, test, t->nphases}}, copy_phase(head, false), false);
	return t->nphases++;
}

void store_sample(struct store_run *r, int test, int phase, const struct sample *s)
{
	int64_t number = r->tests[test].phases[phase].nsamples++;
	enqueue(r, OP_INSERT, TABLE_SAMPLE, (struct row_key){{r->id, test, phase, number}}, copy_of(s, sizeof *s),
		false);
}

void store_event(struct store_run *r, int test, int phase, const struct event *event)
{
	int64_t number = r->tests[test].phases[phase].nevents++;
	struct event *c = copy_of(event, sizeof *event);
	c->text = xstrdup(event->text);
	enqueue(r, OP_INSERT, TABLE_EVENT, (struct row_key){{r->id, test, phase, number}}, c, false);
}

void store_phase_end(struct store_run *r, int test, int phase, const struct phase_record *p)
{
	enqueue(r, OP_FINISH, TABLE_PHASE, (struct row_key){{r->id, test, phase}}, copy_phase(p, true), false);
}

void store_test_end(struct store_run *r, int test, const struct test_record *t)
{
	enqueue(r, OP_FINISH, TABLE_TEST, (struct row_key){{r->id, test}}, copy_test(t), false);
}

void store_warning(struct store_run *r, int test, const struct warning *warning)
{
	struct warning *c = copy_of(warning, sizeof *warning);
	c->text = xstrdup(warning->text);
	enqueue(r, OP_INSERT, TABLE_WARNING, (struct row_key){{r->id, test, r->nwarnings++}}, c, false);
}

void store_sample_joules(struct store_run *r, int test, int phase, size_t number, double joules)
{
	const struct sample s = {.joules = joules};
	enqueue(r, OP_FINISH, TABLE_SAMPLE, (struct row_key){{r->id, test, phase, (int64_t)number}},
		copy_of(&s, sizeof s), false);
}

void store_power(struct store_run *r, const struct power_sample *p)
{
	enqueue(r, OP_INSERT, TABLE_POWER, (struct row_key){{r->id, r->npower++}}, copy_of(p, sizeof *p), false);
}

void store_no_power(struct store_run *r)
{
	if (!r->npower)
		enqueue(r, OP_NO_POWER, TABLE_POWER, (struct row_key){{r->id}}, NULL, false);
}

int store_run_failed(struct store_run *r, struct err *e)
{
	if (!atomic_load(&r->writer->failed))
		return 0;
	*e = r->writer->error;
	return -1;
}

/* Whether what was written can still be found: the file may have been deleted, or another put in its place. */
static int check_there(const struct writer *w, struct err *e)
{
	struct stat st;
	if (stat(w->path, &st) == 0 && st.st_dev == w->device && st.st_ino == w->inode)
		return 0;
	return err_set(e, EXIT_FAILED,
		"the store '%s' was deleted or replaced during the run: its results are shown now, but are kept "
		"nowhere; "
		"leave the store alone while a run goes on",
		w->path);
}

int store_run_finish(
	struct store_run *r, enum run_state state, const char *error, double host_limit_mbps, struct err *e)
{
	struct writer *w = r->writer;
	struct run_record *end = xcalloc(1, sizeof *end);
	end->state = state;
	end->error = xstrdup(error);
	end->host_limit_mbps = host_limit_mbps;
	end->finished_ms = nsec_wall() / NSEC_PER_MSEC;
	enqueue(r, OP_FINISH, TABLE_RUN, (struct row_key){{r->id}}, end, true);
	pthread_mutex_lock(&w->lock);
	while (!r->ended)
		pthread_cond_wait(&w->room, &w->lock);
	bool lost = w->dead;
	pthread_mutex_unlock(&w->lock);
	if (lost)
		*e = w->error;
	for (int i = 0; i < r->ntests; i++)
		free(r->tests[i].phases);
	free(r->tests);
	free(r);
	return lost ? -1 : check_there(w, e);
}
