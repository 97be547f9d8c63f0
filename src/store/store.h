/* SPDX-License-Identifier: MIT */
/* The store: one SQLite file that holds every run. The schema is in schema.c and docs/store.md.
 *
 * A run consists of tests, a test of phases, a phase of samples on a fixed grid. A phase is one measured stretch of I/O
 * (a whole fill; one burst; one queue depth of a sweep). Only what was measured is stored; figures are computed from it
 * (analysis/, report/review.h), so an old run gains from a better analysis. Absent is absent: doubles that were not
 * measured are NAN (SQL NULL), integers -1 where noted. */
#ifndef STORE_STORE_H
#define STORE_STORE_H

#include "base/error.h"
#include "base/hist.h"
#include "base/nsec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct store;

/* One slot of the grid. Every slot has one, a stall is a row of 0 bytes. Times in ns since the phase's start. */
struct sample {
	nsec start, length;   /* the last slot keeps its true length */
	uint64_t bytes, ios;  /* completed in it */
	uint64_t read_bytes;  /* of them, read */
	double joules;	      /* drawn in it; NAN = not measured */
	double temperature_c; /* at its end; NAN = not measured */
	int64_t nand_bytes;   /* written to flash in it; -1 = not known */
	bool throttled;	      /* the drive said so, somewhere in it */
};

/* Something that happened at a moment or over a stretch of a phase. */
struct event {
	char kind[24];	 /* "throttle", "hole" (imported logs), "error" */
	nsec start, end; /* since the phase's start */
	char *text;	 /* may be NULL */
};

struct phase_record {
	char name[32];	  /* "fill", "burst", "qd4", "idle-5s", "mix-30" */
	char op[8];	  /* "read", "write", "mixed" or "idle" */
	char pattern[12]; /* "sequential", "random", "" */
	uint32_t block_bytes, queue_depth;
	double read_share;		   /* 0 to 1, of a mixed phase; NAN else */
	nsec idle_before;		   /* host idle just before it, as measured; 0 = none */
	nsec start;			   /* since the run's start, on the target's clock */
	nsec duration;			   /* from the first submission to the last completion; flush not included */
	nsec flush;			   /* the flush at the end; -1 = none done */
	uint64_t start_offset, span_bytes; /* where on the target */
	uint64_t bytes, ios;		   /* completed */
	uint64_t read_bytes;
	double joules;		 /* over `duration` */
	double idle_joules;	 /* over idle_before */
	double total_joules;	 /* over idle_before + duration */
	int64_t nand_bytes;	 /* written to flash over `duration`; -1 = not known */
	int64_t idle_nand_bytes; /* over idle_before; -1 */
	double die_busy;	 /* mean share of the dies that were busy, 0 to 1 */
	double fill_level;	 /* share of the capacity that held data at the phase's start; NAN = not known */
	bool ended_early;	 /* interrupted or failed */
	char *end_reason; /* "bytes", "time", "capacity" (to the target's last byte), "span" (to the span's), "rate",
			   * "interrupted", "error: ..."; may be NULL */
	struct hist *latency; /* all I/Os of the phase; NULL = none */
	size_t nsamples;
	struct sample *samples;
	size_t nevents;
	struct event *events;
};

/* A phase of which nothing is known yet: every value that may be absent is. */
struct phase_record phase_unknown(void);

struct warning {
	char code[32]; /* stable, for machines: "host-limit", "short-stage", ... */
	char *text;    /* a sentence with advice */
};

enum test_status { TEST_NOT_RUN, TEST_RUNNING, TEST_DONE, TEST_PARTIAL, TEST_FAILED };

struct test_record {
	char name[32];	    /* "fill", "seq-read" */
	char condition[16]; /* "fresh", "fragmented" or "" */
	char kind[16];	    /* how to read its phases: "fill", "recovery", "burst", "sweep", "mixed", "idle" */
	enum test_status status;
	char *reason;	 /* why it is not done; NULL where it is */
	char *params;	 /* the resolved test as JSON, as far as known: it can be repeated from this */
	char *erase;	 /* what was done before it, in words: "discard, 1.2 s, probes read zeros"; NULL = nothing */
	nsec quiet_wait; /* waited until the drive was quiet; -1 = did not */
	double temperature_min_c, temperature_max_c; /* NAN = not measured */
	size_t nwarnings;
	struct warning *warnings;
	size_t nphases;
	struct phase_record *phases;
};

/* One reading of an instrument. */
struct power_sample {
	nsec at;     /* since the run's start; of a mean: the end of its interval */
	nsec length; /* mean over this long before `at`; 0 = of one instant */
	double watts;
	bool overrun; /* the instrument lost readings before this one */
};

struct target_record {
	char kind[16];					 /* sim, block, file, null, imported */
	char *path, *model, *serial, *firmware, *engine; /* NULL = not known */
	uint64_t capacity_bytes;			 /* 0 = not known */
	uint64_t rated_class_bytes;			 /* nominal class for share_of_cells; 0 = not known */
	uint32_t logical_block_bytes;			 /* 0 = not known */
	uint32_t bits_per_cell;				 /* 0 = not known */
};

enum run_state { RUN_RUNNING, RUN_DONE, RUN_PARTIAL, RUN_FAILED };

struct run_record {
	int64_t id;
	char uuid[37];
	char *label;	      /* NULL = none */
	int64_t started_ms;   /* wall clock, ms since 1970 */
	int64_t finished_ms;  /* -1 = not */
	enum run_state state; /* a run whose writer died shows as RUN_PARTIAL */
	char *error;	      /* why it is partial or failed; NULL else */
	char *suite;
	bool quick;
	char *tool_version;
	char *host;    /* JSON: kernel, CPU, governor, ... ; NULL = not known */
	char *plan;    /* the resolved plan as JSON: a run is resumed and exported from it */
	char *command; /* the words that do this run again, as a JSON array; NULL = not by this program, or not kept */
	char *power_source;	/* model, nvme, hwmon, scpi, sigrok, csv; NULL = none */
	double host_limit_mbps; /* how fast this host can feed a drive; NAN = not measured */
	struct target_record target;
	size_t nwarnings; /* of the whole run */
	struct warning *warnings;
	size_t ntests;
	struct test_record *tests;
	size_t npower; /* what an instrument read; a modelled drive's joules are in the samples */
	struct power_sample *power;
};

/* Where the store is if nobody says: $SSDSCOPE_STORE, else $XDG_DATA_HOME/ssdscope/runs.db, else
 * ~/.local/share/ssdscope/runs.db. free() it. */
char *store_default_path(void);

enum store_mode { STORE_READ, STORE_WRITE };

/* Opens the store; STORE_WRITE makes it where missing, and brings an older schema up to date; of the default
 * path the folder too, any other folder must be there. Refuses,
 * with *err: a file that is no store, a store of a newer version, one that cannot be written, a missing one
 * (STORE_READ). Returns 0 or -1. */
int store_open(struct store **, const char *path, enum store_mode, struct err *);
void store_close(struct store *);

/* ---- Writing: a run in progress. All calls but begin and finish only queue; one writer thread commits at least once a
 * second with synchronous=FULL, so a kill -9 costs at most the last second. Any thread may call, one at a time. */
struct store_run;

/* Starts a run from its head (tests, phases and warnings in it are ignored); `*id` gets its id. */
int store_run_begin(struct store_run **, struct store *, const struct run_record *head, int64_t *id, struct err *);
/* Goes on with run `id`, which was cut short: it is running again, its tests that were done stay, the others are
 * removed. The caller goes through the plan in order, with store_test_keep for each test that stays. -1 and *err if the
 * run is not there, is being written by somebody, or is done. */
int store_run_resume(struct store_run **, struct store *, int64_t id, struct err *);
/* The next test of the resumed run is there already. */
void store_test_keep(struct store_run *);
/* Starts the next test of the run from its head (phases and warnings in it are ignored). Returns its number, from 0. */
int store_test_begin(struct store_run *, const struct test_record *head);
/* Starts the next phase of test `test` (samples, events, latency in it are ignored). Returns its number, from 0. */
int store_phase_begin(struct store_run *, int test, const struct phase_record *head);
void store_sample(struct store_run *, int test, int phase, const struct sample *);
/* Sets the joules of sample `number` of a phase, where they became known after it was stored. */
void store_sample_joules(struct store_run *, int test, int phase, size_t number, double joules);
void store_power(struct store_run *, const struct power_sample *);
/* The instrument that the head named has read nothing: where the run has no readings, nothing has measured its power. */
void store_no_power(struct store_run *);
void store_event(struct store_run *, int test, int phase, const struct event *);
/* Writes the phase's final values, its histogram included (samples and events in it are ignored). May be called again
 * when more has become known. */
void store_phase_end(struct store_run *, int test, int phase, const struct phase_record *);
/* Writes the test's final values: status, reason, erase, quiet_wait, temperatures. */
void store_test_end(struct store_run *, int test, const struct test_record *);
/* A warning of test `test`, or of the whole run for -1. */
void store_warning(struct store_run *, int test, const struct warning *);
/* Whether the writer has failed (a full disk ...): -1 and *err, once and for all; 0 while all is well. Cheap. */
int store_run_failed(struct store_run *, struct err *);
/* Ends the run: commits all, records the state and the reason (NULL for RUN_DONE), joins the writer, frees. -1 and *err
 * where the store could not be written, or its file is not at its path any more; store_load still finds the run then.
 */
int store_run_finish(struct store_run *, enum run_state, const char *error, double host_limit_mbps, struct err *);

/* Writes a complete run in one transaction: imports, merges. run->id is ignored, `*id` gets the new one. A run whose
 * uuid is there already is left alone: `*id` gets the one that is there. */
int store_put_run(struct store *, const struct run_record *, int64_t *id, struct err *);

/* ---- Reading. */
/* Finds a run by id ("12"), label or "last". EXIT_USAGE in *err if there is none, naming some that are. */
int store_find(struct store *, const char *name, int64_t *id, struct err *);
/* Loads a run with its tests, phases, samples and histograms. Free with run_record_free. */
int store_load(struct store *, int64_t id, struct run_record **, struct err *);
/* Both in one: the run of that name. */
int store_load_named(struct store *, const char *name, struct run_record **, struct err *);
/* Lists all runs, newest first, without tests; free() the array after run_record_clear on each. */
int store_list(struct store *, struct run_record **runs, size_t *n, struct err *);
/* Copies every run of another store that is not here yet (by uuid). `*n` gets how many. */
int store_merge(struct store *, const char *other_path, size_t *n, struct err *);

/* Frees what a record points to; run_record_free the record too. NULL is fine. */
void run_record_clear(struct run_record *);
void run_record_free(struct run_record *);

#endif
