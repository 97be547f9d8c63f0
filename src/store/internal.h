/* SPDX-License-Identifier: MIT */
/* What the files of the store share. Not for anybody else. */
#ifndef STORE_INTERNAL_H
#define STORE_INTERNAL_H

#include "store/columns.h"

#include <pthread.h>

struct writer;

struct store {
	char *path; /* real path, for messages and for the files beside it */
	enum store_mode mode;
	sqlite3 *db;		      /* the callers' connection; the writer has one of its own */
	struct statements statements; /* of `db` */
	pthread_mutex_t lock;	      /* over `db`, `statements` and `writer` (the pointer) */
	struct writer *writer;	      /* made by the first store_run_begin */
};

/* How long another program may hold the store before we give up, ms. */
#define STORE_BUSY_MS 10000

/* Turns the last failure of `db` into one line, "cannot WHAT in the store 'PATH': CAUSE; WAY OUT". Returns -1. */
int store_error(sqlite3 *db, int rc, const char *path, const char *what, struct err *);

/* Opens a connection to a store that exists and sets it up (timeout, foreign keys, durability). SQLite result code;
 * `*db` is to be closed in any case. */
int store_connect(sqlite3 **db, const char *path, int flags);

/* Liveness. A run in progress holds a lock (an open-file-description lock, so the kernel lets go of it however its
 * process ends) on one byte, its id, of the file PATH-live. */
/* Opens, and makes where missing, the lock file. Returns a descriptor or -1 (errno). */
int live_open(const struct store *);
/* Takes and gives back the lock of a run. take: 0 or -1 (errno). */
int live_take(int fd, int64_t run);
void live_drop(int fd, int64_t run);
/* Whether some process is writing this run now. */
bool live_is_held(const struct store *, int64_t run);

/* Marks the runs whose program is gone as partial, for those who look at the store with other tools. */
void store_close_dead_runs(struct store *);

/* Ends the writer: writes what is queued, joins its thread. NULL is fine. */
void writer_stop(struct writer *);

/* Writes a fresh random UUID (version 4), 36 characters and the end. */
void uuid_make(char uuid[37]);

/* Frees what these point to. */
void test_record_clear(struct test_record *);
void phase_record_clear(struct phase_record *);

#endif
