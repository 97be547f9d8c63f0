/* SPDX-License-Identifier: MIT */
/* What the files of this folder share: a run in progress. Nobody outside src/run includes it. */
#ifndef RUN_RUNNER_H
#define RUN_RUNNER_H

#include "run/loop.h"
#include "run/run.h"

/* How a test ended. */
enum verdict {
	VERDICT_DONE,
	VERDICT_PARTIAL, /* interrupted, or the medium was full: what was measured stands */
	VERDICT_FAILED,	 /* an I/O error */
};

struct runner {
	const struct run_request *q;
	struct target *target;
	struct store_run *sr;
	struct power *power;	 /* the instrument beside the run (power.c); NULL = none */
	nsec started;		 /* the target's clock when the run began */
	struct plan_state state; /* what the target holds */
	uint64_t written;	 /* bytes from offset 0 on that hold sequential data without a gap */
	double idle_watts;	 /* the least in any pause before a test, while nothing happened; NAN = not measured */
	bool unquiet;		 /* written or erased since it was last seen quiet */
	struct rng rng;		 /* of the measured I/O */
	struct rng probe_rng;	 /* of probes: how many there are must not change the I/O */
	struct err err;		 /* of the test in progress */
	bool fatal;		 /* the whole run must end */

	/* The test and phase in progress. */
	const struct plan_test *test;
	struct test_record *record;
	int test_number, phase_number;
	bool stop; /* ends the phase: wanted by on_slot */
	bool store_failed;
	bool told_facts;		/* what target_facts warns of is said once a run */
	bool warned_host, warned_split; /* each is said once a test */
	unsigned slots, throttled;	/* of the test: all, and those in which the drive throttled */
	struct recorder recorder;
	/* Called for each closed slot, after it was stored; a test may set `stop` from it. May be NULL. */
	void (*watch)(struct runner *, const struct sample *);
	void *watch_ctx;
};

/* One measured stretch of I/O, stored as a phase. `head` brings what describes it (name, block, depth, idle_before
 * ...); the measured fields are filled in. With `flush`, the drive's cache is flushed at the end and timed on its own.
 * head->latency stays valid until the next phase. */
enum verdict runner_phase(struct runner *, struct workload *, struct phase_record *head, bool flush);

/* x->err of a loop that ended with LOOP_ERROR: what could not be done, where on the target, and why. */
void runner_io_error(struct runner *x, const struct loop_result *);

/* A phase_record with nothing measured yet. */
struct phase_record phase_head(const char *name, const struct workload *w);

/* Idle for `length`; fills idle_before, idle_joules and idle_nand_bytes of the phase that follows. */
enum verdict runner_idle(struct runner *, nsec length, struct phase_record *next);

/* An idle of `length` that is a phase of its own: its joules are stored, no I/O is in it. */
enum verdict runner_still(struct runner *, const char *name, nsec length);

/* Writes sequentially what is still missing of the first `bytes` (state.c); noted in the test's record. */
enum verdict runner_complete_span(struct runner *, uint64_t bytes);

/* Measures what the target draws while nothing happens, where it can: the level that "quiet" means (quiet.c). */
enum verdict runner_measure_idle(struct runner *);

/* Waits until the target does nothing of its own any more, at most 120 s; the wait is added to the test's record, and
 * a wait in vain is a warning. The drive's low-power states are forbidden from here on: in them some drives put their
 * work off (quiet.c). */
enum verdict runner_wait_quiet(struct runner *);

/* Brings the target to the state that the test needs (state.c). What was done is noted in the test's record. */
enum verdict runner_prepare(struct runner *, const struct plan_state *needs);

/* Adds a warning to the test in progress, or to the run where there is none. */
void runner_warn(struct runner *, const char *code, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* A workload of the test in progress: its block size, pattern and span, at its first queue depth. */
struct workload runner_workload(struct runner *);

/* The instrument beside the run, where there is one; each does nothing where there is none (power.c). Starting may
 * fail: -1 and *err. */
int power_start(struct runner *, struct err *);
void power_test_begins(struct runner *);
/* Sets the phase's joules, or keeps it in mind until the instrument's log is there. */
void power_phase_ended(struct runner *, struct phase_record *);
/* The mean watts between two moments, as a live instrument sees them; NAN where there is none or it cannot tell. */
double power_watts(struct runner *, nsec from, nsec to);
/* While the drive should sleep: an instrument whose readings are commands to the drive leaves it alone. */
void power_pause(struct runner *, bool paused);
void power_finish(struct runner *);

/* The tests, one file each. */
enum verdict run_fill(struct runner *);
enum verdict run_recovery(struct runner *);
enum verdict run_burst(struct runner *);
enum verdict run_sweep(struct runner *);
enum verdict run_mixed(struct runner *);
enum verdict run_idle_test(struct runner *);

#endif
