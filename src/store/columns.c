// SPDX-License-Identifier: MIT
#include "store/columns.h"

#include "base/mem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum column_kind {
	COL_INT,       /* int64_t, uint64_t or nsec */
	COL_INT_OR_M1, /* the same; -1 is NULL */
	COL_INT_OR_0,  /* the same; 0 is NULL */
	COL_U32,
	COL_U32_OR_0, /* 0 is NULL */
	COL_BOOL,
	COL_REAL, /* double; NAN is NULL */
	COL_TEXT, /* char *; NULL is NULL */
	COL_CHARS,
	COL_NAME, /* an enum, stored as one of `names` */
	COL_HIST, /* struct hist *, packed */
};

struct column {
	const char *name;
	enum column_kind kind;
	bool final; /* known only at the end: written by row_finish too */
	size_t offset, size;
	const char *const *names;
};

struct table {
	const char *name;
	const char *keys[MAX_KEYS];
	const char *set_at_end; /* appended to the SET list of row_finish */
	const struct column *columns;
	size_t ncolumns;
};

static const char *const state_names[] = {"running", "done", "partial", "failed", NULL};
static const char *const status_names[] = {"not-run", "running", "done", "partial", "failed", NULL};

#define HEAD(type, field, kind, name)                                                                                  \
	{                                                                                                              \
		name, kind, false, offsetof(type, field), sizeof(((type *)0)->field), NULL                             \
	}
#define FINAL(type, field, kind, name)                                                                                 \
	{                                                                                                              \
		name, kind, true, offsetof(type, field), sizeof(((type *)0)->field), NULL                              \
	}
#define ENUM(type, field, final, name, names)                                                                          \
	{                                                                                                              \
		name, COL_NAME, final, offsetof(type, field), sizeof(int), names                                       \
	}

#define R(field, kind, name) HEAD(struct run_record, field, kind, name)
static const struct column run_columns[] = {
	R(uuid, COL_CHARS, "uuid"),
	R(label, COL_TEXT, "label"),
	R(started_ms, COL_INT, "started_ms"),
	FINAL(struct run_record, finished_ms, COL_INT_OR_M1, "finished_ms"),
	ENUM(struct run_record, state, true, "state", state_names),
	FINAL(struct run_record, error, COL_TEXT, "error"),
	R(suite, COL_TEXT, "suite"),
	R(quick, COL_BOOL, "quick"),
	R(tool_version, COL_TEXT, "tool_version"),
	R(host, COL_TEXT, "host"),
	R(plan, COL_TEXT, "plan"),
	R(command, COL_TEXT, "command"),
	R(power_source, COL_TEXT, "power_source"),
	FINAL(struct run_record, host_limit_mbps, COL_REAL, "host_limit_mbps"),
	R(target.kind, COL_CHARS, "target_kind"),
	R(target.path, COL_TEXT, "target_path"),
	R(target.model, COL_TEXT, "target_model"),
	R(target.serial, COL_TEXT, "target_serial"),
	R(target.firmware, COL_TEXT, "target_firmware"),
	R(target.engine, COL_TEXT, "target_engine"),
	R(target.capacity_bytes, COL_INT_OR_0, "capacity_bytes"),
	R(target.rated_class_bytes, COL_INT_OR_0, "rated_class_bytes"),
	R(target.logical_block_bytes, COL_U32_OR_0, "logical_block_bytes"),
	R(target.bits_per_cell, COL_U32_OR_0, "bits_per_cell"),
};

#define T(field, kind, name) FINAL(struct test_record, field, kind, name)
static const struct column test_columns[] = {
	HEAD(struct test_record, name, COL_CHARS, "name"),
	HEAD(struct test_record, condition, COL_CHARS, "condition"),
	HEAD(struct test_record, kind, COL_CHARS, "kind"),
	HEAD(struct test_record, params, COL_TEXT, "params"),
	ENUM(struct test_record, status, true, "status", status_names),
	T(reason, COL_TEXT, "reason"),
	T(erase, COL_TEXT, "erase"),
	T(quiet_wait, COL_INT_OR_M1, "quiet_wait_ns"),
	T(temperature_min_c, COL_REAL, "temperature_min_c"),
	T(temperature_max_c, COL_REAL, "temperature_max_c"),
};

#define P(field, kind, name) FINAL(struct phase_record, field, kind, name)
static const struct column phase_columns[] = {
	HEAD(struct phase_record, name, COL_CHARS, "name"),
	HEAD(struct phase_record, op, COL_CHARS, "op"),
	HEAD(struct phase_record, pattern, COL_CHARS, "pattern"),
	HEAD(struct phase_record, block_bytes, COL_U32, "block_bytes"),
	HEAD(struct phase_record, queue_depth, COL_U32, "queue_depth"),
	P(read_share, COL_REAL, "read_share"),
	P(idle_before, COL_INT, "idle_before_ns"),
	P(start, COL_INT, "start_ns"),
	P(duration, COL_INT, "duration_ns"),
	P(flush, COL_INT_OR_M1, "flush_ns"),
	P(start_offset, COL_INT, "start_offset"),
	P(span_bytes, COL_INT, "span_bytes"),
	P(bytes, COL_INT, "bytes"),
	P(ios, COL_INT, "ios"),
	P(read_bytes, COL_INT, "read_bytes"),
	P(joules, COL_REAL, "joules"),
	P(idle_joules, COL_REAL, "idle_joules"),
	P(total_joules, COL_REAL, "total_joules"),
	P(nand_bytes, COL_INT_OR_M1, "nand_bytes"),
	P(idle_nand_bytes, COL_INT_OR_M1, "idle_nand_bytes"),
	P(die_busy, COL_REAL, "die_busy"),
	P(fill_level, COL_REAL, "fill_level"),
	P(ended_early, COL_BOOL, "ended_early"),
	P(end_reason, COL_TEXT, "end_reason"),
	P(latency, COL_HIST, "latency"),
};

#define S(field, kind, name) HEAD(struct sample, field, kind, name)
static const struct column sample_columns[] = {
	S(start, COL_INT, "start_ns"),
	S(length, COL_INT, "length_ns"),
	S(bytes, COL_INT, "bytes"),
	S(ios, COL_INT, "ios"),
	S(read_bytes, COL_INT, "read_bytes"),
	FINAL(struct sample, joules, COL_REAL, "joules"),
	S(temperature_c, COL_REAL, "temperature_c"),
	S(nand_bytes, COL_INT_OR_M1, "nand_bytes"),
	S(throttled, COL_BOOL, "throttled"),
};

static const struct column event_columns[] = {
	HEAD(struct event, kind, COL_CHARS, "kind"),
	HEAD(struct event, start, COL_INT, "start_ns"),
	HEAD(struct event, end, COL_INT, "end_ns"),
	HEAD(struct event, text, COL_TEXT, "text"),
};

static const struct column warning_columns[] = {
	HEAD(struct warning, code, COL_CHARS, "code"),
	HEAD(struct warning, text, COL_TEXT, "text"),
};

static const struct column power_columns[] = {
	HEAD(struct power_sample, at, COL_INT, "at_ns"),
	HEAD(struct power_sample, length, COL_INT, "length_ns"),
	HEAD(struct power_sample, watts, COL_REAL, "watts"),
	HEAD(struct power_sample, overrun, COL_BOOL, "overrun"),
};

#define TABLE(name, columns, end, ...)                                                                                 \
	{                                                                                                              \
		name, {__VA_ARGS__}, end, columns, ARRAY_SIZE(columns)                                                 \
	}
static const struct table tables[TABLES] = {
	[TABLE_RUN] = TABLE("run", run_columns, "", "id"),
	[TABLE_TEST] = TABLE("test", test_columns, "", "run", "number"),
	[TABLE_PHASE] = TABLE("phase", phase_columns, ", ended = 1", "run", "test", "number"),
	[TABLE_SAMPLE] = TABLE("sample", sample_columns, "", "run", "test", "phase", "number"),
	[TABLE_EVENT] = TABLE("event", event_columns, "", "run", "test", "phase", "number"),
	[TABLE_WARNING] = TABLE("warning", warning_columns, "", "run", "test", "number"),
	[TABLE_POWER] = TABLE("power", power_columns, "", "run", "number"),
};

static int key_count(const struct table *t)
{
	int n = 0;
	while (n < MAX_KEYS && t->keys[n])
		n++;
	return n;
}

void statements_close(struct statements *s)
{
	for (int i = 0; i < TABLES; i++) {
		sqlite3_finalize(s->insert[i]);
		sqlite3_finalize(s->finish[i]);
		sqlite3_finalize(s->select[i]);
	}
	memset(s, 0, sizeof *s);
}

/* Parameter i+1 of every statement is key i; the columns follow in the order of the list. */
static char *insert_sql(const struct table *t)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	int nkeys = key_count(t);
	/* A test of a resumed run takes the place of the one that was cut short. */
	fprintf(f, "INSERT %sINTO %s (", t == &tables[TABLE_TEST] ? "OR REPLACE " : "", t->name);
	for (int i = 0; i < nkeys; i++)
		fprintf(f, "%s%s", i ? ", " : "", t->keys[i]);
	for (size_t i = 0; i < t->ncolumns; i++)
		fprintf(f, ", %s", t->columns[i].name);
	fputs(") VALUES (?1", f);
	for (size_t i = 1; i < (size_t)nkeys + t->ncolumns; i++)
		fprintf(f, ", ?%zu", i + 1);
	fputc(')', f);
	fclose(f);
	return text;
}

static char *finish_sql(const struct table *t)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	int nkeys = key_count(t);
	bool first = true;
	fprintf(f, "UPDATE %s SET ", t->name);
	for (size_t i = 0; i < t->ncolumns; i++) {
		if (!t->columns[i].final)
			continue;
		fprintf(f, "%s%s = ?%zu", first ? "" : ", ", t->columns[i].name, (size_t)nkeys + i + 1);
		first = false;
	}
	fprintf(f, "%s WHERE ", t->set_at_end);
	for (int i = 0; i < nkeys; i++)
		fprintf(f, "%s%s = ?%d", i ? " AND " : "", t->keys[i], i + 1);
	fclose(f);
	return text;
}

static char *select_sql(enum table_id id)
{
	const struct table *t = &tables[id];
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	int nkeys = key_count(t);
	fputs("SELECT ", f);
	for (int i = 0; i < nkeys; i++)
		fprintf(f, "%s%s", i ? ", " : "", t->keys[i]);
	for (size_t i = 0; i < t->ncolumns; i++)
		fprintf(f, ", %s", t->columns[i].name);
	if (id == TABLE_PHASE)
		fputs(", ended", f);
	fprintf(f, " FROM %s WHERE ?1 = -1 OR %s = ?1 ORDER BY ", t->name, t->keys[0]);
	/* Runs: the newest first. */
	for (int i = 0; i < nkeys; i++)
		fprintf(f, "%s%s%s", i ? ", " : "", t->keys[i], id == TABLE_RUN ? " DESC" : "");
	fclose(f);
	return text;
}

/* Prepares *slot from `sql`, which it frees, unless it is there already. */
static int prepare(sqlite3 *db, sqlite3_stmt **slot, char *sql)
{
	int rc = sqlite3_prepare_v3(db, sql, -1, SQLITE_PREPARE_PERSISTENT, slot, NULL);
	free(sql);
	return rc;
}

static void bind_column(sqlite3_stmt *st, int at, const struct column *c, const void *record)
{
	const char *p = (const char *)record + c->offset;
	int64_t i64;
	uint32_t u32;
	double real;
	const char *text;
	const struct hist *h;
	switch (c->kind) {
	case COL_INT:
	case COL_INT_OR_M1:
	case COL_INT_OR_0:
		memcpy(&i64, p, sizeof i64);
		if ((c->kind == COL_INT_OR_M1 && i64 == -1) || (c->kind == COL_INT_OR_0 && i64 == 0))
			sqlite3_bind_null(st, at);
		else
			sqlite3_bind_int64(st, at, i64);
		return;
	case COL_U32:
	case COL_U32_OR_0:
		memcpy(&u32, p, sizeof u32);
		if (c->kind == COL_U32_OR_0 && u32 == 0)
			sqlite3_bind_null(st, at);
		else
			sqlite3_bind_int64(st, at, u32);
		return;
	case COL_BOOL: sqlite3_bind_int(st, at, *(const bool *)p); return;
	case COL_REAL:
		memcpy(&real, p, sizeof real);
		sqlite3_bind_double(st, at, real); /* SQLite makes NULL of a NAN */
		return;
	case COL_TEXT:
		memcpy(&text, p, sizeof text);
		sqlite3_bind_text(st, at, text, -1, SQLITE_STATIC);
		return;
	case COL_CHARS: sqlite3_bind_text(st, at, p, (int)strnlen(p, c->size), SQLITE_STATIC); return;
	case COL_NAME: sqlite3_bind_text(st, at, c->names[*(const int *)p], -1, SQLITE_STATIC); return;
	case COL_HIST:
		memcpy(&h, p, sizeof h);
		if (!h) {
			sqlite3_bind_null(st, at);
			return;
		}
		size_t bytes;
		uint8_t *packed = hist_pack(h, &bytes);
		sqlite3_bind_blob64(st, at, packed, bytes, free);
		return;
	}
}

static void bind_keys(sqlite3_stmt *st, const struct table *t, const struct row_key *key)
{
	for (int i = 0; i < key_count(t); i++) {
		if (key->value[i] < 0)
			sqlite3_bind_null(st, i + 1);
		else
			sqlite3_bind_int64(st, i + 1, key->value[i]);
	}
}

static int run_once(sqlite3_stmt *st)
{
	int rc = sqlite3_step(st);
	sqlite3_reset(st);
	sqlite3_clear_bindings(st);
	return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

int row_insert(sqlite3 *db, struct statements *s, enum table_id id, const struct row_key *key, const void *record)
{
	const struct table *t = &tables[id];
	int rc = s->insert[id] ? SQLITE_OK : prepare(db, &s->insert[id], insert_sql(t));
	if (rc != SQLITE_OK)
		return rc;
	bind_keys(s->insert[id], t, key);
	int at = key_count(t) + 1;
	for (size_t i = 0; i < t->ncolumns; i++)
		bind_column(s->insert[id], at++, &t->columns[i], record);
	return run_once(s->insert[id]);
}

int row_finish(sqlite3 *db, struct statements *s, enum table_id id, const struct row_key *key, const void *record)
{
	const struct table *t = &tables[id];
	int rc = s->finish[id] ? SQLITE_OK : prepare(db, &s->finish[id], finish_sql(t));
	if (rc != SQLITE_OK)
		return rc;
	bind_keys(s->finish[id], t, key);
	int at = key_count(t) + 1;
	for (size_t i = 0; i < t->ncolumns; i++, at++)
		if (t->columns[i].final)
			bind_column(s->finish[id], at, &t->columns[i], record);
	return run_once(s->finish[id]);
}

sqlite3_stmt *rows_of_run(sqlite3 *db, struct statements *s, enum table_id id, int64_t run)
{
	if (!s->select[id] && prepare(db, &s->select[id], select_sql(id)) != SQLITE_OK)
		return NULL;
	sqlite3_bind_int64(s->select[id], 1, run);
	return s->select[id];
}

static int read_column(sqlite3_stmt *st, int at, const struct column *c, void *record)
{
	char *p = (char *)record + c->offset;
	bool null = sqlite3_column_type(st, at) == SQLITE_NULL;
	const char *text;
	int64_t i64;
	uint32_t u32;
	double real;
	switch (c->kind) {
	case COL_INT:
	case COL_INT_OR_0:
	case COL_INT_OR_M1:
		i64 = !null ? sqlite3_column_int64(st, at) : c->kind == COL_INT_OR_M1 ? -1 : 0;
		memcpy(p, &i64, sizeof i64);
		return 0;
	case COL_U32:
	case COL_U32_OR_0:
		u32 = (uint32_t)sqlite3_column_int64(st, at);
		memcpy(p, &u32, sizeof u32);
		return 0;
	case COL_BOOL: *(bool *)p = sqlite3_column_int(st, at) != 0; return 0;
	case COL_REAL:
		real = null ? NAN : sqlite3_column_double(st, at);
		memcpy(p, &real, sizeof real);
		return 0;
	case COL_TEXT:
		text = xstrdup((const char *)sqlite3_column_text(st, at));
		memcpy(p, &text, sizeof text);
		return 0;
	case COL_CHARS:
		text = (const char *)sqlite3_column_text(st, at);
		snprintf(p, c->size, "%s", text ? text : "");
		return 0;
	case COL_NAME:
		text = (const char *)sqlite3_column_text(st, at);
		for (int i = 0; text && c->names[i]; i++) {
			if (strcmp(c->names[i], text) == 0) {
				*(int *)p = i;
				return 0;
			}
		}
		return -1;
	case COL_HIST:
		if (null)
			return 0;
		struct hist *h = xmalloc(sizeof *h);
		memcpy(p, &h, sizeof h);
		return hist_unpack(h, sqlite3_column_blob(st, at), (size_t)sqlite3_column_bytes(st, at));
	}
	return -1;
}

int row_read(sqlite3_stmt *st, enum table_id id, struct row_key *key, void *record, int *ended)
{
	const struct table *t = &tables[id];
	int at = 0, bad = 0;
	for (int n = key_count(t); at < n; at++)
		key->value[at] = sqlite3_column_type(st, at) == SQLITE_NULL ? -1 : sqlite3_column_int64(st, at);
	for (size_t i = 0; i < t->ncolumns; i++)
		bad |= read_column(st, at++, &t->columns[i], record);
	if (id == TABLE_PHASE)
		*ended = sqlite3_column_int(st, at);
	return bad;
}
