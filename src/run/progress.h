/* SPDX-License-Identifier: MIT */
/* What a run is doing right now: written by the runner, read by whoever shows it, on another thread. */
#ifndef RUN_PROGRESS_H
#define RUN_PROGRESS_H

#include "base/nsec.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#define PROGRESS_CURVE 48

struct progress {
	char test[48];	   /* "fill", "seq-read fresh" */
	char stage[48];	   /* of a fill: "in the cache", "cache ended at 617 GB"; empty where it is not known */
	char activity[48]; /* "fill", "qd4", "idle 30 s", "erasing", "waiting until quiet" */
	int test_number, ntests;
	uint64_t bytes, total_bytes; /* of the phase; total 0 = open end */
	double rate;		     /* bytes/s in the last slot; NAN = none yet */
	double temperature_c;	     /* NAN = not known */
	nsec elapsed;		     /* since the run began, on the target's clock */
	nsec estimate;		     /* of the whole run; 0 = unknown */
	bool finished;
	/* The phase's rate in up to PROGRESS_CURVE steps: whenever it is full, neighbours are averaged. */
	double curve[PROGRESS_CURVE];
	int ncurve, per_step, in_step;
};

struct progress_board {
	pthread_mutex_t lock;
	struct progress p;
};

void progress_init(struct progress_board *);
/* A new phase or other activity begins. */
void progress_activity(struct progress_board *, const char *activity, uint64_t total_bytes);
/* What stage of the drive's behaviour the phase is in; a new activity clears it. */
void progress_stage(struct progress_board *, const char *stage);
/* A slot was closed: `bytes` in `length` ns. */
void progress_slot(struct progress_board *, uint64_t bytes, nsec length, double temperature_c, nsec elapsed);
/* A consistent copy. */
struct progress progress_read(struct progress_board *);

#endif
