/* SPDX-License-Identifier: MIT */
/* A run: every test of a plan on one target, in order, each on the state that it needs, all of it into the store. */
#ifndef RUN_RUN_H
#define RUN_RUN_H

#include "meter/meter.h"
#include "plan/plan.h"
#include "run/progress.h"
#include "store/store.h"
#include "target/target.h"

struct run_request {
	struct target *target;	      /* opened by the caller, who closes it */
	const struct identity *id;    /* of it */
	const struct plan *plan;      /* fitted to it */
	struct store *store;	      /* opened for writing */
	struct progress_board *board; /* initialised by the caller */
	struct meter *meter;	      /* opened by the caller, who closes it; NULL = none. Not on a virtual clock */
	const char *label;	      /* NULL = none */
	const char *command;	      /* the words that do it again, as a JSON array, for the record; NULL = none */
	enum erase_method erase;      /* how an erased state is made */
	bool verify;		      /* the fill reads everything back */
	uint64_t seed;		      /* of random offsets */
	double host_limit_mbps;	      /* NAN = not measured */
	/* Called once the run has its id, or has failed to get one; NULL = nobody waits for it. */
	void (*begun)(void *arg);
	void *begun_arg;
	const struct run_record *resume; /* go on with this run: its finished tests are kept. NULL = a new run */
};

struct run_outcome {
	int64_t run_id;	     /* 0 if not even the head could be stored */
	enum exit_code code; /* EXIT_DONE, EXIT_FAILED, EXIT_INTERRUPTED ... */
	struct err err;	     /* why not EXIT_DONE */
};

/* Does the run. A test that fails does not lose the others; an interruption, a vanished drive or a store that cannot be
 * written ends the run, with what was measured kept. */
void run_plan(const struct run_request *, struct run_outcome *);

#endif
