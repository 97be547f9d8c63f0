/* SPDX-License-Identifier: MIT */
/* The one I/O loop: every workload on every kind of target goes through it. */
#ifndef RUN_LOOP_H
#define RUN_LOOP_H

#include "base/rng.h"
#include "run/recorder.h"
#include "target/target.h"

/* One stream of I/O with its limits. */
struct workload {
	double read_share; /* 1 = reads, 0 = writes, between: each I/O is a read with this probability */
	bool random;	   /* else sequential: from `cursor` on, wrapping in the span unless `once` */
	bool once;	   /* ends at the end of the span; its last I/O is as short as needed */
	bool verify;	   /* reads check the stamps of pass `pass` */
	uint32_t block_bytes, depth, pass;
	uint64_t span_start, span_bytes;
	uint64_t cursor;      /* next sequential offset; loop_run moves it */
	uint64_t limit_bytes; /* 0 = none */
	nsec limit_time;      /* 0 = none */
	struct rng *rng;      /* of random offsets and mixes */
	const bool *stop;     /* set from the recorder's on_slot to end the phase; may be NULL */
};

enum loop_end { LOOP_BYTES, LOOP_TIME, LOOP_SPAN, LOOP_STOPPED, LOOP_INTERRUPTED, LOOP_ERROR };

struct loop_result {
	enum loop_end end;
	int status;	 /* LOOP_ERROR: the negative errno */
	uint64_t offset; /* LOOP_ERROR: where */
	bool on_read;	 /* LOOP_ERROR: which */
	nsec ended;	 /* the target's time when the last I/O had come back, or was given up */
};

/* Runs the workload from now on, booking into `r` (started by the caller at the target's now). All I/Os have come back
 * when it returns, but for a target that does not answer within 10 s after an interruption. */
void loop_run(struct target *, struct workload *, struct recorder *r, struct loop_result *);

/* "bytes", "time", "capacity", "rate", "interrupted", "error": the words of phase_record.end_reason. */
const char *loop_end_name(enum loop_end);

#endif
