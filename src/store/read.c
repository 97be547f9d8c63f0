// SPDX-License-Identifier: MIT
#include "store/internal.h"
#include "store/schema.h"

#include "base/mem.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DIED                                                                                                           \
	"its program ended without closing the run (killed, or the machine went down); "                               \
	"all but its last second is here"

static int damaged(const struct store *s, int64_t run, struct err *e)
{
	return err_set(e, EXIT_FAILED,
		"cannot read run %" PRId64 " in the store '%s': its rows make no sense; go back to a copy of the store",
		run, s->path);
}

/* Reads the rows of runs into an array. `id` -1 = all. */
static int read_runs(struct store *s, int64_t id, struct run_record **runs, size_t *n, struct err *e)
{
	size_t cap = 0;
	*runs = NULL;
	*n = 0;
	sqlite3_stmt *st = rows_of_run(s->db, &s->statements, TABLE_RUN, id);
	if (!st)
		return store_error(s->db, sqlite3_errcode(s->db), s->path, "read", e);
	int rc, bad = 0;
	while (!bad && (rc = sqlite3_step(st)) == SQLITE_ROW) {
		GROW(*runs, *n, cap);
		struct run_record *r = &(*runs)[(*n)++];
		struct row_key key;
		memset(r, 0, sizeof *r);
		bad = row_read(st, TABLE_RUN, &key, r, NULL);
		r->id = key.value[0];
	}
	sqlite3_reset(st);
	if (bad)
		return damaged(s, (*runs)[*n - 1].id, e);
	return rc == SQLITE_DONE ? 0 : store_error(s->db, rc, s->path, "read", e);
}

/* A run that is marked as running, but whose writer is gone, is a partial one. The lock is let go of only after the
 * last commit, so a row that still says "running" when it is read after the lock was seen free was left by the dead. */
static int resolve_state(struct store *s, struct run_record *r, struct err *e)
{
	if (r->state != RUN_RUNNING || live_is_held(s, r->id))
		return 0;
	struct run_record *again;
	size_t n;
	int rc = read_runs(s, r->id, &again, &n, e);
	if (rc == 0 && n == 1) {
		run_record_clear(r);
		*r = again[0];
		n = 0;
	}
	for (size_t i = 0; i < n; i++)
		run_record_clear(&again[i]);
	free(again);
	if (rc == 0 && r->state == RUN_RUNNING) {
		r->state = RUN_PARTIAL;
		if (!r->error)
			r->error = xstrdup(DIED);
	}
	return rc;
}

int store_list(struct store *s, struct run_record **runs, size_t *n, struct err *e)
{
	pthread_mutex_lock(&s->lock);
	int rc = read_runs(s, -1, runs, n, e);
	for (size_t i = 0; i < *n && rc == 0; i++)
		rc = resolve_state(s, &(*runs)[i], e);
	pthread_mutex_unlock(&s->lock);
	if (rc != 0) {
		for (size_t i = 0; i < *n; i++)
			run_record_clear(&(*runs)[i]);
		free(*runs);
		*runs = NULL;
		*n = 0;
	}
	return rc;
}

/* The place in `r` for the next row of the kind under the key, zeroed; NULL if its parent is not there. `*cap` is the
 * room of the list it goes into; rows come in the order of their keys, so a list is complete before the next begins. */
static void *next_row(struct run_record *r, enum table_id table, const struct row_key *key, size_t *cap)
{
	size_t test = (size_t)key->value[1], phase = (size_t)key->value[2];
	if (table == TABLE_TEST) {
		GROW(r->tests, r->ntests, *cap);
		return memset(&r->tests[r->ntests++], 0, sizeof *r->tests);
	}
	if (table == TABLE_POWER) {
		GROW(r->power, r->npower, *cap);
		return memset(&r->power[r->npower++], 0, sizeof *r->power);
	}
	if (table == TABLE_WARNING && key->value[1] < 0) {
		GROW(r->warnings, r->nwarnings, *cap);
		return memset(&r->warnings[r->nwarnings++], 0, sizeof *r->warnings);
	}
	if (test >= r->ntests)
		return NULL;
	struct test_record *t = &r->tests[test];
	if (table == TABLE_WARNING) {
		GROW(t->warnings, t->nwarnings, *cap);
		return memset(&t->warnings[t->nwarnings++], 0, sizeof *t->warnings);
	}
	if (table == TABLE_PHASE) {
		GROW(t->phases, t->nphases, *cap);
		return memset(&t->phases[t->nphases++], 0, sizeof *t->phases);
	}
	if (phase >= t->nphases)
		return NULL;
	struct phase_record *p = &t->phases[phase];
	if (table == TABLE_SAMPLE) {
		GROW(p->samples, p->nsamples, *cap);
		return memset(&p->samples[p->nsamples++], 0, sizeof *p->samples);
	}
	GROW(p->events, p->nevents, *cap);
	return memset(&p->events[p->nevents++], 0, sizeof *p->events);
}

/* How many key columns name the parent of a row, the list it goes into: run; run, test; run, test, phase. */
static const int parent_keys[TABLES] = {[TABLE_TEST] = 1,
	[TABLE_PHASE] = 2,
	[TABLE_SAMPLE] = 3,
	[TABLE_EVENT] = 3,
	[TABLE_WARNING] = 2,
	[TABLE_POWER] = 1};

/* A phase that has no final values yet (it is being written, or its writer died) gets those that its samples tell. */
static void complete_from_samples(struct phase_record *p)
{
	double joules = 0;
	int64_t nand = 0;
	p->bytes = p->ios = p->read_bytes = 0;
	p->duration = 0;
	for (size_t i = 0; i < p->nsamples; i++) {
		const struct sample *s = &p->samples[i];
		p->bytes += s->bytes;
		p->ios += s->ios;
		p->read_bytes += s->read_bytes;
		joules += s->joules;
		nand = nand < 0 || s->nand_bytes < 0 ? -1 : nand + s->nand_bytes;
		p->duration = s->start + s->length;
	}
	p->joules = p->nsamples ? joules : NAN;
	p->total_joules = NAN;
	p->nand_bytes = p->nsamples ? nand : -1;
}

static int read_rows(struct store *s, struct run_record *r, enum table_id table, struct err *e)
{
	sqlite3_stmt *st = rows_of_run(s->db, &s->statements, table, r->id);
	if (!st)
		return store_error(s->db, sqlite3_errcode(s->db), s->path, "read", e);
	struct row_key last = {{-2, -2, -2, -2}};
	size_t cap = 0;
	int rc, bad = 0;
	while (!bad && (rc = sqlite3_step(st)) == SQLITE_ROW) {
		struct row_key key = {{0}};
		/* The keys are the first columns; they say where the record goes. */
		for (int i = 0; i <= parent_keys[table]; i++)
			key.value[i] = sqlite3_column_type(st, i) == SQLITE_NULL ? -1 : sqlite3_column_int64(st, i);
		if (memcmp(key.value, last.value, sizeof *key.value * (size_t)parent_keys[table]) != 0)
			cap = 0;
		last = key;
		void *record = next_row(r, table, &key, &cap);
		int ended = 1;
		bad = record ? row_read(st, table, &key, record, &ended) : -1;
		if (table == TABLE_PHASE && record && !ended)
			((struct phase_record *)record)->duration = -1;
	}
	sqlite3_reset(st);
	if (bad)
		return damaged(s, r->id, e);
	return rc == SQLITE_DONE ? 0 : store_error(s->db, rc, s->path, "read", e);
}

static int read_children(struct store *s, struct run_record *r, struct err *e)
{
	for (enum table_id table = TABLE_TEST; table < TABLES; table++)
		if (read_rows(s, r, table, e) != 0)
			return -1;
	for (struct test_record *t = r->tests; t && t < r->tests + r->ntests; t++) {
		if (t->status == TEST_RUNNING && r->state != RUN_RUNNING) {
			t->status = TEST_PARTIAL;
			if (!t->reason)
				t->reason = xstrdup(r->error);
		}
		for (struct phase_record *p = t->phases; p && p < t->phases + t->nphases; p++) {
			if (p->duration >= 0)
				continue;
			complete_from_samples(p);
			if (r->state != RUN_RUNNING) {
				p->ended_early = true;
				if (!p->end_reason)
					p->end_reason = xstrdup("the program ended");
			}
		}
	}
	return 0;
}

static int load(struct store *s, int64_t id, struct run_record **out, struct err *e)
{
	size_t n;
	if (read_runs(s, id, out, &n, e) != 0)
		return -1;
	if (n == 0)
		return err_set(e, EXIT_USAGE, "there is no run %" PRId64 " in the store '%s'; see 'ssdscope runs'", id,
			s->path);
	if (resolve_state(s, *out, e) != 0)
		return -1;
	int rc = sqlite3_exec(s->db, "BEGIN", NULL, NULL, NULL);
	if (rc != SQLITE_OK)
		return store_error(s->db, rc, s->path, "read", e);
	int bad = read_children(s, *out, e);
	sqlite3_exec(s->db, "COMMIT", NULL, NULL, NULL);
	return bad;
}

int store_load(struct store *s, int64_t id, struct run_record **out, struct err *e)
{
	pthread_mutex_lock(&s->lock);
	int rc = load(s, id, out, e);
	pthread_mutex_unlock(&s->lock);
	if (rc != 0) {
		run_record_free(*out);
		*out = NULL;
	}
	return rc;
}

/* The newest run that `query` finds for `name`; 0 = none, -1 = error. */
static int64_t query_id(struct store *s, const char *query, const char *name, struct err *e)
{
	sqlite3_stmt *st = NULL;
	int64_t id = 0;
	int rc = sqlite3_prepare_v2(s->db, query, -1, &st, NULL);
	if (rc == SQLITE_OK && sqlite3_bind_parameter_count(st) > 0)
		sqlite3_bind_text(st, 1, name, -1, SQLITE_STATIC);
	if (rc == SQLITE_OK)
		rc = sqlite3_step(st);
	if (rc == SQLITE_ROW)
		id = sqlite3_column_int64(st, 0);
	sqlite3_finalize(st);
	return rc == SQLITE_ROW || rc == SQLITE_DONE ? id : store_error(s->db, rc, s->path, "read", e);
}

/* Names the newest few runs, for somebody who asked for one that is not there. */
static int not_found(struct store *s, const char *name, struct err *e)
{
	char names[256] = "";
	size_t used = 0;
	sqlite3_stmt *st = NULL;
	sqlite3_prepare_v2(s->db, "SELECT id, label FROM run ORDER BY id DESC LIMIT 6", -1, &st, NULL);
	for (int i = 0; st && sqlite3_step(st) == SQLITE_ROW && used < sizeof names; i++) {
		const char *label = (const char *)sqlite3_column_text(st, 1);
		char *one = label ? xasprintf("%lld (%.30s)", sqlite3_column_int64(st, 0), label)
				  : xasprintf("%lld", sqlite3_column_int64(st, 0));
		used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", i ? ", " : "", i < 5 ? one : "...");
		free(one);
	}
	sqlite3_finalize(st);
	if (!names[0])
		return err_set(e, EXIT_USAGE,
			"there is no run '%s': the store '%s' has none yet; make one with 'ssdscope run' or 'ssdscope "
			"import'",
			name, s->path);
	return err_set(e, EXIT_USAGE, "there is no run '%s' in the store '%s'; there are: %s", name, s->path, names);
}

int store_find(struct store *s, const char *name, int64_t *id, struct err *e)
{
	size_t digits = strspn(name, "0123456789");
	bool number = digits > 0 && digits < 19 && name[digits] == '\0';
	int64_t found = 0;
	pthread_mutex_lock(&s->lock);
	if (strcmp(name, "last") == 0)
		found = query_id(s, "SELECT max(id) FROM run", name, e);
	if (found == 0 && number)
		found = query_id(s, "SELECT id FROM run WHERE id = CAST(?1 AS INTEGER)", name, e);
	if (found == 0)
		found = query_id(s, "SELECT max(id) FROM run WHERE label = ?1", name, e);
	int rc = found > 0 ? 0 : found < 0 ? -1 : not_found(s, name, e);
	pthread_mutex_unlock(&s->lock);
	if (rc == 0)
		*id = found;
	return rc;
}

void store_close_dead_runs(struct store *s)
{
	int64_t *ids = NULL;
	size_t n = 0, cap = 0;
	sqlite3_stmt *st = NULL;
	sqlite3_prepare_v2(s->db, "SELECT id FROM run WHERE state = 'running'", -1, &st, NULL);
	while (st && sqlite3_step(st) == SQLITE_ROW) {
		GROW(ids, n, cap);
		ids[n++] = sqlite3_column_int64(st, 0);
	}
	sqlite3_finalize(st);
	for (size_t i = 0; i < n; i++) {
		if (live_is_held(s, ids[i]))
			continue;
		char *sql = sqlite3_mprintf("UPDATE run SET state = 'partial', error = coalesce(error, %Q) WHERE id = "
					    "%lld AND state = 'running'",
			DIED, (long long)ids[i]);
		sqlite3_exec(s->db, sql, NULL, NULL, NULL);
		sqlite3_free(sql);
	}
	free(ids);
}

static void warnings_clear(struct warning *w, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(w[i].text);
	free(w);
}

void phase_record_clear(struct phase_record *p)
{
	free(p->end_reason);
	free(p->latency);
	free(p->samples);
	for (size_t i = 0; i < p->nevents; i++)
		free(p->events[i].text);
	free(p->events);
}

void test_record_clear(struct test_record *t)
{
	free(t->reason);
	free(t->params);
	free(t->erase);
	warnings_clear(t->warnings, t->nwarnings);
	for (size_t i = 0; i < t->nphases; i++)
		phase_record_clear(&t->phases[i]);
	free(t->phases);
}

void run_record_clear(struct run_record *r)
{
	if (!r)
		return;
	free(r->power);
	free(r->label);
	free(r->error);
	free(r->suite);
	free(r->tool_version);
	free(r->host);
	free(r->plan);
	free(r->command);
	free(r->power_source);
	free(r->target.path);
	free(r->target.model);
	free(r->target.serial);
	free(r->target.firmware);
	free(r->target.engine);
	warnings_clear(r->warnings, r->nwarnings);
	for (size_t i = 0; i < r->ntests; i++)
		test_record_clear(&r->tests[i]);
	free(r->tests);
	memset(r, 0, sizeof *r);
}

void run_record_free(struct run_record *r)
{
	run_record_clear(r);
	free(r);
}

int store_load_named(struct store *s, const char *name, struct run_record **out, struct err *e)
{
	int64_t id;
	return store_find(s, name, &id, e) || store_load(s, id, out, e) ? -1 : 0;
}
