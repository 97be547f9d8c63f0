/* SPDX-License-Identifier: MIT */
/* A target in virtual time that serves one I/O after the other at a fixed speed and writes down every call with its
 * time: the runner's order of operations can be read from the log. */
#ifndef TESTS_FAKE_TARGET_H
#define TESTS_FAKE_TARGET_H

#include "target/target.h"

#include <stdio.h>

struct fake {
	struct target base;
	FILE *log; /* NULL = none */
	nsec now, busy_until;
	uint64_t capacity;
	double ns_per_byte;
	double watts_idle, watts_busy;
	double joules; /* up to joules_at */
	nsec joules_at;
	uint64_t host_bytes;
	uint64_t fail_at; /* the I/O of this number (from 1) fails with fail_status; 0 = none */
	int fail_status;
	nsec stall_at, stall; /* the first I/O that starts at or after stall_at takes `stall` longer; stall 0 = none */
	uint64_t ios;
	bool no_watts; /* sense() knows none */
	/* Work of its own: so much of it follows each write; it goes on in an idle, from `work_delay` after its begin.
	 * The third read after an idle in which it was not done waits for up to `work_blocks`: its die is the busy one.
	 */
	nsec work_after_write, work_left, work_delay, work_blocks;
	double watts_work;
	nsec wakes;	      /* the first I/O after an idle of 100 ms or more takes so much longer */
	nsec waking, blocked; /* the next I/O, and that after `ios_before_block` others, take so much longer */
	unsigned ios_before_block, pauses;
	volatile sig_atomic_t interrupted;
	nsec interrupt_at; /* sets `interrupted` when time gets there; 0 = never */
	/* In flight, in order of completion: one I/O is served after the other. */
	struct io_done queue[64];
	unsigned head, count;
	uint64_t run_length; /* consecutive equal I/Os are logged as one line: how many so far */
	char run_text[96];
};

void fake_init(struct fake *, uint64_t capacity, double bytes_per_s, FILE *log);
/* Ends the last line of the log. */
void fake_finish_log(struct fake *);

#endif
