// SPDX-License-Identifier: MIT
#include "store/schema.h"

#include "base/mem.h"

#include <stdio.h>

/* Step i takes a store of version i to version i + 1. Steps are never changed once they were released; a new need is a
 * new step. NULL is "not known" everywhere: 0 is a measured zero. */
static const char *const steps[] = {
	/* 1: the tables. Keys are (run, test, phase, number), all counted from 0 but the run, so that a row can be
	 * written, repeated after a rollback and copied into another store without asking the database for ids. */
	"CREATE TABLE run ("
	" id INTEGER PRIMARY KEY AUTOINCREMENT,"
	" uuid TEXT NOT NULL UNIQUE,"
	" label TEXT,"
	" started_ms INTEGER NOT NULL,"
	" finished_ms INTEGER,"
	" state TEXT NOT NULL CHECK (state IN ('running', 'done', 'partial', 'failed')),"
	" error TEXT,"
	" suite TEXT,"
	" quick INTEGER NOT NULL,"
	" tool_version TEXT,"
	" host TEXT,"
	" plan TEXT,"
	" power_source TEXT,"
	" host_limit_mbps REAL,"
	" target_kind TEXT NOT NULL,"
	" target_path TEXT,"
	" target_model TEXT,"
	" target_serial TEXT,"
	" target_firmware TEXT,"
	" target_engine TEXT,"
	" capacity_bytes INTEGER,"
	" rated_class_bytes INTEGER,"
	" logical_block_bytes INTEGER,"
	" bits_per_cell INTEGER"
	") STRICT;"
	"CREATE INDEX run_label ON run (label);"
	"CREATE TABLE test ("
	" run INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE,"
	" number INTEGER NOT NULL,"
	" name TEXT NOT NULL,"
	" condition TEXT NOT NULL,"
	" kind TEXT NOT NULL,"
	" params TEXT,"
	" status TEXT NOT NULL CHECK (status IN ('not-run', 'running', 'done', 'partial', 'failed')),"
	" reason TEXT,"
	" erase TEXT,"
	" quiet_wait_ns INTEGER,"
	" temperature_min_c REAL,"
	" temperature_max_c REAL,"
	" PRIMARY KEY (run, number)"
	") STRICT, WITHOUT ROWID;"
	"CREATE TABLE phase ("
	" run INTEGER NOT NULL,"
	" test INTEGER NOT NULL,"
	" number INTEGER NOT NULL,"
	" name TEXT NOT NULL,"
	" op TEXT NOT NULL,"
	" pattern TEXT NOT NULL,"
	" block_bytes INTEGER NOT NULL,"
	" queue_depth INTEGER NOT NULL,"
	" read_share REAL,"
	" idle_before_ns INTEGER NOT NULL,"
	" start_ns INTEGER NOT NULL,"
	" duration_ns INTEGER NOT NULL,"
	" flush_ns INTEGER,"
	" start_offset INTEGER NOT NULL,"
	" span_bytes INTEGER NOT NULL,"
	" bytes INTEGER NOT NULL,"
	" ios INTEGER NOT NULL,"
	" read_bytes INTEGER NOT NULL,"
	" joules REAL,"
	" idle_joules REAL,"
	" total_joules REAL,"
	" nand_bytes INTEGER,"
	" idle_nand_bytes INTEGER,"
	" die_busy REAL,"
	" fill_level REAL,"
	" ended_early INTEGER NOT NULL,"
	" end_reason TEXT,"
	" latency BLOB,"
	" ended INTEGER NOT NULL DEFAULT 0,"
	" PRIMARY KEY (run, test, number),"
	" FOREIGN KEY (run, test) REFERENCES test (run, number) ON DELETE CASCADE"
	") STRICT, WITHOUT ROWID;"
	"CREATE TABLE sample ("
	" run INTEGER NOT NULL,"
	" test INTEGER NOT NULL,"
	" phase INTEGER NOT NULL,"
	" number INTEGER NOT NULL,"
	" start_ns INTEGER NOT NULL,"
	" length_ns INTEGER NOT NULL,"
	" bytes INTEGER NOT NULL,"
	" ios INTEGER NOT NULL,"
	" read_bytes INTEGER NOT NULL,"
	" joules REAL,"
	" temperature_c REAL,"
	" nand_bytes INTEGER,"
	" throttled INTEGER NOT NULL,"
	" PRIMARY KEY (run, test, phase, number),"
	" FOREIGN KEY (run, test, phase) REFERENCES phase (run, test, number) ON DELETE CASCADE"
	") STRICT, WITHOUT ROWID;"
	"CREATE TABLE event ("
	" run INTEGER NOT NULL,"
	" test INTEGER NOT NULL,"
	" phase INTEGER NOT NULL,"
	" number INTEGER NOT NULL,"
	" kind TEXT NOT NULL,"
	" start_ns INTEGER NOT NULL,"
	" end_ns INTEGER NOT NULL,"
	" text TEXT,"
	" PRIMARY KEY (run, test, phase, number),"
	" FOREIGN KEY (run, test, phase) REFERENCES phase (run, test, number) ON DELETE CASCADE"
	") STRICT, WITHOUT ROWID;"
	/* A warning of the whole run has no test. */
	"CREATE TABLE warning ("
	" run INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE,"
	" test INTEGER,"
	" number INTEGER NOT NULL,"
	" code TEXT NOT NULL,"
	" text TEXT,"
	" UNIQUE (run, number),"
	" FOREIGN KEY (run, test) REFERENCES test (run, number) ON DELETE CASCADE"
	") STRICT;",

	/* 2: views for people who open the store with sqlite3: units they think in, rates worked out. */
	"CREATE VIEW run_overview AS SELECT"
	" r.id, r.label, datetime(r.started_ms / 1000, 'unixepoch') AS started_utc, r.state,"
	" coalesce(r.target_model, r.target_path, r.target_kind) AS target, r.capacity_bytes / 1e9 AS capacity_gb,"
	" (SELECT group_concat(name || CASE condition WHEN '' THEN '' ELSE ' ' || condition END, ', ')"
	"  FROM test WHERE run = r.id) AS tests"
	" FROM run r ORDER BY r.id;"
	"CREATE VIEW phase_rate AS SELECT"
	" p.run, t.name AS test, t.condition, p.name AS phase, p.op, p.pattern, p.block_bytes / 1024.0 AS block_kib,"
	" p.queue_depth, p.bytes / 1e9 AS gb, p.duration_ns / 1e9 AS seconds,"
	" p.bytes * 1e3 / nullif(p.duration_ns, 0) AS mbps, p.joules * 1e9 / nullif(p.duration_ns, 0) AS watts"
	" FROM phase p JOIN test t ON t.run = p.run AND t.number = p.test;"
	"CREATE VIEW sample_rate AS SELECT"
	" s.run, s.test, s.phase, s.number, s.start_ns / 1e9 AS start_s,"
	" sum(s.bytes) OVER (PARTITION BY s.run, s.test, s.phase ORDER BY s.number) / 1e9 AS gb_so_far,"
	" s.bytes * 1e3 / nullif(s.length_ns, 0) AS mbps, s.joules * 1e9 / nullif(s.length_ns, 0) AS watts,"
	" s.temperature_c, s.throttled"
	" FROM sample s;",

	/* 3: what an instrument read. */
	"CREATE TABLE power ("
	" run INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE,"
	" number INTEGER NOT NULL,"
	" at_ns INTEGER NOT NULL,"
	" length_ns INTEGER NOT NULL,"
	" watts REAL,"
	" overrun INTEGER NOT NULL,"
	" PRIMARY KEY (run, number)"
	") STRICT, WITHOUT ROWID;",

	/* 4: what does the run again. */
	"ALTER TABLE run ADD COLUMN command TEXT;",
};

int schema_version(void)
{
	return (int)ARRAY_SIZE(steps);
}

int schema_number(sqlite3 *db, const char *query, int64_t *value)
{
	sqlite3_stmt *st = NULL;
	int rc = sqlite3_prepare_v2(db, query, -1, &st, NULL);
	if (rc == SQLITE_OK)
		rc = sqlite3_step(st);
	if (rc == SQLITE_ROW)
		*value = sqlite3_column_int64(st, 0);
	sqlite3_finalize(st);
	return rc == SQLITE_ROW ? SQLITE_OK : rc;
}

int schema_upgrade(sqlite3 *db, int to)
{
	int64_t from = 0;
	int rc = sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL);
	if (rc != SQLITE_OK)
		return rc;
	/* Asked again inside the transaction: another process may have been faster. */
	rc = schema_number(db, "PRAGMA user_version", &from);
	for (int64_t i = from; i < to && rc == SQLITE_OK; i++)
		rc = sqlite3_exec(db, steps[i], NULL, NULL, NULL);
	if (rc == SQLITE_OK && from < to) {
		char pragmas[96];
		snprintf(pragmas, sizeof pragmas, "PRAGMA application_id = %d; PRAGMA user_version = %d",
			SCHEMA_APPLICATION_ID, to);
		rc = sqlite3_exec(db, pragmas, NULL, NULL, NULL);
	}
	if (rc == SQLITE_OK)
		rc = sqlite3_exec(db, "COMMIT", NULL, NULL, NULL);
	if (rc != SQLITE_OK)
		sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL);
	return rc;
}
