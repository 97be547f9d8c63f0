/* SPDX-License-Identifier: MIT */
/* How the records of store.h map to the tables of schema.c: one list of columns per table, from which the statements
 * are made and by which records are bound and read, so that what goes in comes out the same way. Internal to the store.
 */
#ifndef STORE_COLUMNS_H
#define STORE_COLUMNS_H

#include "base/error.h"
#include "store/store.h"

#include <sqlite3.h>

enum table_id { TABLE_RUN, TABLE_TEST, TABLE_PHASE, TABLE_SAMPLE, TABLE_EVENT, TABLE_WARNING, TABLE_POWER, TABLES };

/* The most key columns a table has: run, test, phase, number. */
#define MAX_KEYS 4

/* The key of a row, in the order of the table's key columns. -1 is stored as NULL (a warning of the whole run). */
struct row_key {
	int64_t value[MAX_KEYS];
};

/* The prepared statements of one connection. Zero-initialise; close with statements_close before the connection. */
struct statements {
	sqlite3_stmt *insert[TABLES], *finish[TABLES], *select[TABLES];
};

void statements_close(struct statements *);

/* Inserts `record` (struct run_record, test_record, ... as the table wants; lists in it are ignored) under `key`.
 * Returns an SQLite result code, SQLITE_OK when all went well. */
int row_insert(sqlite3 *, struct statements *, enum table_id, const struct row_key *, const void *record);

/* Updates the columns that are only known at the end of a test or a phase, and marks a phase as ended. */
int row_finish(sqlite3 *, struct statements *, enum table_id, const struct row_key *, const void *record);

/* Starts reading all rows of run `run` (or of all runs: -1, TABLE_RUN only) in the order of their keys; step it with
 * sqlite3_step. NULL when it cannot be prepared. It belongs to `s`: sqlite3_reset it when done. */
sqlite3_stmt *rows_of_run(sqlite3 *, struct statements *s, enum table_id, int64_t run);

/* Reads the current row of a statement from rows_of_run into a zeroed record and its key. For TABLE_PHASE `*ended` says
 * whether its final values are there (elsewhere it is not touched). Returns 0, or -1 if a value in it makes no sense.
 */
int row_read(sqlite3_stmt *, enum table_id, struct row_key *, void *record, int *ended);

#endif
