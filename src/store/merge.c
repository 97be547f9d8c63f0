// SPDX-License-Identifier: MIT
#include "store/internal.h"

#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The id of the run with this uuid; 0 = none. SQLite result code. */
static int find_uuid(sqlite3 *db, const char *uuid, int64_t *id)
{
	sqlite3_stmt *st = NULL;
	*id = 0;
	int rc = sqlite3_prepare_v2(db, "SELECT id FROM run WHERE uuid = ?1", -1, &st, NULL);
	if (rc == SQLITE_OK) {
		sqlite3_bind_text(st, 1, uuid, -1, SQLITE_STATIC);
		rc = sqlite3_step(st);
	}
	if (rc == SQLITE_ROW)
		*id = sqlite3_column_int64(st, 0);
	sqlite3_finalize(st);
	return rc == SQLITE_ROW || rc == SQLITE_DONE ? SQLITE_OK : rc;
}

static int put_phase(struct store *s, struct row_key key, const struct phase_record *p)
{
	int rc = row_insert(s->db, &s->statements, TABLE_PHASE, &key, p);
	if (rc == SQLITE_OK)
		rc = row_finish(s->db, &s->statements, TABLE_PHASE, &key, p);
	for (size_t i = 0; i < p->nsamples && rc == SQLITE_OK; i++) {
		struct row_key row = {{key.value[0], key.value[1], key.value[2], (int64_t)i}};
		rc = row_insert(s->db, &s->statements, TABLE_SAMPLE, &row, &p->samples[i]);
	}
	for (size_t i = 0; i < p->nevents && rc == SQLITE_OK; i++) {
		struct row_key row = {{key.value[0], key.value[1], key.value[2], (int64_t)i}};
		rc = row_insert(s->db, &s->statements, TABLE_EVENT, &row, &p->events[i]);
	}
	return rc;
}

static int put_warnings(struct store *s, int64_t run, int64_t test, const struct warning *w, size_t n, int64_t *number)
{
	int rc = SQLITE_OK;
	for (size_t i = 0; i < n && rc == SQLITE_OK; i++)
		rc = row_insert(
			s->db, &s->statements, TABLE_WARNING, &(struct row_key){{run, test, (*number)++}}, &w[i]);
	return rc;
}

static int put_rows(struct store *s, const struct run_record *run, int64_t *id)
{
	int64_t nwarnings = 0;
	int rc = row_insert(s->db, &s->statements, TABLE_RUN, &(struct row_key){{-1}}, run);
	*id = sqlite3_last_insert_rowid(s->db);
	if (rc == SQLITE_OK)
		rc = put_warnings(s, *id, -1, run->warnings, run->nwarnings, &nwarnings);
	for (size_t t = 0; t < run->ntests && rc == SQLITE_OK; t++) {
		const struct test_record *test = &run->tests[t];
		rc = row_insert(s->db, &s->statements, TABLE_TEST, &(struct row_key){{*id, (int64_t)t}}, test);
		if (rc == SQLITE_OK)
			rc = put_warnings(s, *id, (int64_t)t, test->warnings, test->nwarnings, &nwarnings);
		for (size_t p = 0; p < test->nphases && rc == SQLITE_OK; p++)
			rc = put_phase(s, (struct row_key){{*id, (int64_t)t, (int64_t)p}}, &test->phases[p]);
	}
	for (size_t i = 0; i < run->npower && rc == SQLITE_OK; i++)
		rc = row_insert(
			s->db, &s->statements, TABLE_POWER, &(struct row_key){{*id, (int64_t)i}}, &run->power[i]);
	return rc;
}

/* As store_put_run, with the lock held; `*fresh` says whether it was not there yet. */
static int put_run(struct store *s, const struct run_record *run, int64_t *id, bool *fresh, struct err *e)
{
	struct run_record copy = *run;
	if (!copy.uuid[0])
		uuid_make(copy.uuid);
	*fresh = false;
	int rc = sqlite3_exec(s->db, "BEGIN IMMEDIATE", NULL, NULL, NULL);
	if (rc == SQLITE_OK)
		rc = find_uuid(s->db, copy.uuid, id);
	if (rc == SQLITE_OK && *id == 0) {
		*fresh = true;
		rc = put_rows(s, &copy, id);
	}
	if (rc == SQLITE_OK)
		rc = sqlite3_exec(s->db, "COMMIT", NULL, NULL, NULL);
	if (rc == SQLITE_OK)
		return 0;
	store_error(s->db, rc, s->path, "write", e);
	if (!sqlite3_get_autocommit(s->db))
		sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
	return -1;
}

int store_put_run(struct store *s, const struct run_record *run, int64_t *id, struct err *e)
{
	bool fresh;
	pthread_mutex_lock(&s->lock);
	int rc = put_run(s, run, id, &fresh, e);
	pthread_mutex_unlock(&s->lock);
	return rc;
}

/* Copies one run of `from`. A run that is still being written is left for the next merge. */
static int merge_run(struct store *s, struct store *from, const struct run_record *head, size_t *n, struct err *e)
{
	struct run_record *run;
	int64_t id;
	bool fresh;
	if (head->state == RUN_RUNNING)
		return 0;
	pthread_mutex_lock(&s->lock);
	int rc = find_uuid(s->db, head->uuid, &id);
	if (rc != SQLITE_OK)
		store_error(s->db, rc, s->path, "read", e);
	pthread_mutex_unlock(&s->lock);
	if (rc != SQLITE_OK || id != 0)
		return rc == SQLITE_OK ? 0 : -1;
	if (store_load(from, head->id, &run, e) != 0)
		return -1;
	pthread_mutex_lock(&s->lock);
	rc = put_run(s, run, &id, &fresh, e);
	pthread_mutex_unlock(&s->lock);
	run_record_free(run);
	*n += rc == 0 && fresh;
	return rc;
}

int store_merge(struct store *s, const char *other_path, size_t *n, struct err *e)
{
	struct store *from;
	struct run_record *runs;
	size_t count;
	*n = 0;
	if (store_open(&from, other_path, STORE_READ, e) != 0)
		return -1;
	int rc = store_list(from, &runs, &count, e);
	if (rc == 0) {
		/* The oldest first, so that the newest gets the highest id here too. */
		for (size_t i = count; i-- > 0 && rc == 0;)
			rc = merge_run(s, from, &runs[i], n, e);
		for (size_t i = 0; i < count; i++)
			run_record_clear(&runs[i]);
		free(runs);
	}
	store_close(from);
	return rc;
}
