/* SPDX-License-Identifier: MIT */
/* The schema of the store and its migrations. Internal to the store; described for people in docs/store.md. */
#ifndef STORE_SCHEMA_H
#define STORE_SCHEMA_H

#include <sqlite3.h>
#include <stdint.h>

/* PRAGMA application_id of a store: "SSDs". */
#define SCHEMA_APPLICATION_ID 0x53534473

/* PRAGMA user_version that this program writes. */
int schema_version(void);

/* Brings the database from its version (0 = an empty file) to version `to`, all in one transaction; another process
 * that does the same at the same time is waited for. Returns an SQLite result code. */
int schema_upgrade(sqlite3 *, int to);

/* Reads one number of the database: "PRAGMA user_version" and the like. Returns an SQLite result code. */
int schema_number(sqlite3 *, const char *query, int64_t *value);

#endif
