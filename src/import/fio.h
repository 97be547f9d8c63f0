/* SPDX-License-Identifier: MIT */
/* What fio's logs and JSON say, before it is put together (fio.c). The formats by version are described in
 * docs/import.md. Internal to import/. */
#ifndef IMPORT_FIO_H
#define IMPORT_FIO_H

#include "import/build.h"

#include <jansson.h>

/* ---- logs (fio_log.c) */

/* A time above this is one since 1970, not since the job's start (1973; no job runs three years). */
#define SINCE_1970_MS 100000000000

enum fio_log_kind { LOG_UNKNOWN, LOG_BW, LOG_IOPS, LOG_LAT, LOG_CLAT, LOG_SLAT, LOG_HIST };

struct fio_row {
	int64_t ms;    /* since the job's start, or since 1970 */
	int64_t value; /* KiB/s, 1/s or ns where averaged; else of one I/O: 10^3 bytes/s, 1, ns; of a histogram: I/Os */
	uint32_t block_bytes; /* 0 in averaged rows */
	uint8_t direction;    /* 0 read, 1 write, 2 trim */
};

struct fio_log {
	const struct source *source;
	char *prefix; /* the path up to "_bw.1.log" */
	enum fio_log_kind kind;
	bool aggregate; /* fio --bandwidth-log: all jobs, on the display's tick, with rows of 0 */
	bool per_io;	/* a row is one I/O */
	struct fio_row *rows;
	size_t n;
	int columns;
	nsec interval;	       /* of averaged rows; 0 = one row only */
	size_t repeated;       /* rows left out since their time was the one before it */
	uint64_t written_span; /* from the lowest to the highest offset written; 0 = the log has no offsets */
	size_t restarts;       /* how often the time went back: several jobs in one file */
	struct hist *latency;  /* of a histogram log */
};

/* Reads a log; an empty file is one without rows. `unit` (may be NULL) says what its numbers are where its name does
 * not. Returns 0, or -1 with *err. */
int fio_log_read(struct fio_log *, struct source *, const char *unit, struct err *);
void fio_log_free(struct fio_log *);

/* The kind that a file's name tells; LOG_UNKNOWN if none. */
enum fio_log_kind fio_log_kind_of_name(const char *name);

/* Appends pieces for the bytes (and I/Os) that a log holds: an averaged bandwidth log, or any log with a row per I/O,
 * or a histogram log; an averaged IOPS log where the block size is known (else 0). Times are shifted by -zero_ms.
 * `interval` is the distance of the rows, or the grid's for per-I/O rows. Returns false if bytes cannot be told. */
bool fio_log_pieces(const struct fio_log *, uint32_t block_bytes, int64_t zero_ms, nsec interval, struct piece_list *);

/* ---- JSON (fio_json.c) */

struct fio_direction {
	double bytes, ios, runtime_ms;
	struct hist *latency; /* NULL = not told */
};

/* Jobs of one name and group, summed. */
struct fio_job {
	char name[128];
	int64_t group;
	json_t *options;	     /* global and own ones */
	char pattern[12];	     /* as in phase_record; "" = not known */
	uint32_t block_bytes, depth; /* 0 = not known; depth over all clones */
	uint32_t clones;
	uint64_t span_bytes; /* what it, with its clones, goes over once, at most; 0 = not known */
	int64_t error;
	struct fio_direction direction[2]; /* reads, writes */
	bool only_percentiles;		   /* the latencies are made from printed percentiles */
	bool trims;
};

/* How far all jobs of a run were at a moment (--status-interval). */
struct fio_snapshot {
	double runtime_ms, bytes[2], ios[2];
};

/* One fio run. */
struct fio_result {
	const struct source *source;
	char version[48];
	int64_t ended_ms;     /* since 1970; 0 = not known */
	struct fio_job *jobs; /* at least one */
	size_t njobs;
	struct fio_snapshot *snapshots;
	size_t nsnapshots, capsnapshots;
	bool used; /* by fio.c: belongs to logs */
};

/* Reads all results in a file: several objects, text around them. Appends to the array. Returns 0, or -1 with *err. */
int fio_json_read(const struct source *, struct fio_result **results, size_t *n, struct err *);
void fio_result_free(struct fio_result *);

/* ---- putting together (fio.c; fio_group.c, fio_sweep.c) */

struct fio_work {
	const struct import_options *options;
	struct fio_log *logs;
	size_t nlogs;
	struct fio_result *results;
	size_t nresults;
	struct run_record *runs;
	size_t nruns, capruns;
};

/* Makes runs of all logs, with the JSONs that belong to them (their `used` is set); of the JSONs that are left. */
int fio_runs_from_logs(struct fio_work *, struct err *);
int fio_runs_from_json(struct fio_work *, struct err *);

/* Begins a run; valid until the next one is begun. */
struct run_record *fio_new_run(struct fio_work *, const struct source *, const char *format);
/* What a JSON knows of the target, the time and the plan of a run that took so long. */
void fio_describe_run(struct run_record *, const struct fio_result *, int64_t duration_ms);
/* What a job says of a phase of it. */
void fio_describe_phase(struct phase_record *, const struct fio_job *);
/* Marks a test, and the run, whose job ended with an error. */
void fio_note_error(struct run_record *, struct test_record *, const struct fio_job *);
/* Warns of what the results of a job leave open in its phase. */
void fio_note_job(struct run_record *, const struct phase_record *, const struct fio_job *);
/* Takes away latencies that cannot be: by Little's law the mean latency times the rate of I/Os is at most the depth. */
void fio_check_latency(struct run_record *, struct phase_record *);

/* What all jobs of a result go over once; 0 = not known. */
uint64_t fio_span_of(const struct fio_result *);

/* Option `name` of a job as text; NULL = not set. */
const char *fio_option(const struct fio_job *, const char *name);

#endif
