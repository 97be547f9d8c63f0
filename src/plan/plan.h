/* SPDX-License-Identifier: MIT */
/* Suites: which tests, in which order, with which parameters. A suite is a YAML file (suites/); a plan is a suite made
 * to fit a target: sizes cut to its capacity, scaled for --quick, with an estimate of the time and the bytes it will
 * take. */
#ifndef PLAN_PLAN_H
#define PLAN_PLAN_H

#include "base/error.h"
#include "base/nsec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PLAN_MAX_LIST 32
#define PLAN_WHOLE UINT64_MAX /* a span or a size that means "the whole target" */

/* What a target holds, as far as tests care. A test names the state it needs and the one it leaves behind. */
enum fill_state {
	STATE_ANY,	  /* needs nothing; leaves what was there, or, if it writes, nothing that is known */
	STATE_ERASED,	  /* nothing is mapped */
	STATE_SEQUENTIAL, /* the first `bytes` were written sequentially, the rest is erased or unknown */
	STATE_FRAGMENTED, /* the first `bytes` were written sequentially, then at random in 4 KiB */
	STATE_FULL,	  /* the whole target was written sequentially */
};

struct plan_state {
	enum fill_state state;
	uint64_t bytes; /* of STATE_SEQUENTIAL and STATE_FRAGMENTED */
};

enum test_kind { KIND_FILL, KIND_RECOVERY, KIND_BURST, KIND_SWEEP, KIND_MIXED, KIND_IDLE };

/* One stream of I/O. */
struct plan_io {
	bool write;  /* else read; a mixed test has both */
	bool random; /* else sequential */
	uint32_t block_bytes;
	uint32_t depths[PLAN_MAX_LIST]; /* queue depths, in the order they are run; only a sweep has several */
	size_t ndepths;
	uint64_t span_bytes; /* I/O stays within the first span_bytes of the target; PLAN_WHOLE */
};

struct plan_test {
	char name[32];	    /* "seq-read" */
	char condition[16]; /* "fresh", "fragmented" or "" */
	enum test_kind kind;
	char *explain; /* a sentence or two for people */
	struct plan_state needs, leaves;
	bool low_power; /* the drive may enter its low-power states during the test */
	struct plan_io io;

	/* Limits of each phase of a sweep or a mixed test: the first that is reached ends it. 0 = none. */
	nsec limit_time;
	uint64_t limit_bytes;
	/* Idle after each phase: `idle_of_busy` times as long as the phase was busy, at most `idle_at_most`. */
	double idle_of_busy;
	nsec idle_at_most;
	bool restart; /* each phase begins at the start of the span; else where the last one ended */

	/* KIND_BURST */
	uint32_t bursts;
	uint64_t burst_bytes;
	double duty; /* share of burst + idle that is busy */

	/* KIND_RECOVERY */
	nsec idles[PLAN_MAX_LIST];
	size_t nidles;
	uint64_t beyond_bytes; /* write so far beyond the cache's end before the first idle */
	uint64_t fallen_bytes; /* a step ends when the rate has been down for so many bytes */
	uint64_t step_bytes;   /* ... or after the cache size and so many bytes more */

	/* KIND_MIXED */
	double read_shares[PLAN_MAX_LIST];
	size_t nshares;

	/* KIND_IDLE */
	nsec settle, measure;

	/* What planning did to it. */
	char *cut;	 /* in words, where a size was cut to fit the target or scaled for --quick; NULL else */
	nsec estimate;	 /* a guess of its duration, preparation included, from `plan_rates` */
	uint64_t writes; /* bytes it will write at most, preparation included */
};

struct plan {
	char name[64];
	char *title;
	bool quick;
	size_t ntests;
	struct plan_test *tests;
	nsec estimate;
	uint64_t writes;
};

/* Loads a suite: a name ("review": a file of the suites folder) or the path of a YAML file. -1 and *err (EXIT_USAGE)
 * with file, line and field where it is wrong; an unknown name names those that exist. Free with plan_free. */
int plan_load(struct plan **, const char *name_or_file, struct err *);
void plan_free(struct plan *);

/* The names of the suites that come with the program, NULL-terminated; free() each and the array. */
char **plan_suites(void);

/* Keeps only the named tests ("seq-read" keeps both of its conditions, "seq-read:fresh" one), in the suite's order. An
 * unknown name is EXIT_USAGE and names those of the suite. */
int plan_select(struct plan *, const char *const *names, size_t n, struct err *);

/* Rough rates of a target in bytes/s, for estimates only. */
struct plan_rates {
	double write, write_after_cache, read;
};

/* Makes the plan fit a target of `capacity` bytes and `block` bytes a logical block: cuts spans and sizes, scales for
 * `quick`, sets estimates. -1 and *err when the target is too small for any I/O of a test, or a block size does not
 * fit. */
int plan_fit(struct plan *, uint64_t capacity, uint32_t block, bool quick, const struct plan_rates *, struct err *);

/* Whether any test of the plan writes (or needs a state that must be written). */
bool plan_writes(const struct plan *);
/* What a target holds after a test, that held `before` when it began: what the test leaves; unknown (STATE_ANY) if it
 * writes and names nothing. */
struct plan_state plan_state_after(const struct plan_test *, struct plan_state before);
/* Runs every test at this one queue depth. */
void plan_set_depth(struct plan *, uint32_t depth);

/* The deepest queue and the largest block of the plan. */
uint32_t plan_max_depth(const struct plan *);
uint32_t plan_max_block(const struct plan *);

/* The resolved plan, and one test of it, as a JSON text; free() it. plan_from_json is the inverse (resume). */
char *plan_to_json(const struct plan *);
char *plan_test_to_json(const struct plan_test *);
int plan_from_json(struct plan **, const char *json, struct err *);

const char *test_kind_name(enum test_kind);

#endif
