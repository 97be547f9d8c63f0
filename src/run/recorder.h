/* SPDX-License-Identifier: MIT */
/* The recorder: books the completions of one phase into a fixed 500 ms grid, by completion time and in bytes, and
 * counts their latencies. Every slot has a row: a stall is a row of 0. The last slot keeps its true length. */
#ifndef RUN_RECORDER_H
#define RUN_RECORDER_H

#include "base/hist.h"
#include "base/nsec.h"
#include "store/store.h"
#include "target/target.h"

#define RECORDER_SLOT (500 * NSEC_PER_MSEC)

struct recorder {
	/* Set by recorder_start. */
	struct target *target;
	void (*on_slot)(void *ctx, const struct sample *); /* a closed slot; may be NULL */
	void *ctx;
	nsec start; /* of the phase */
	nsec slot_start, slot_end;
	/* The open slot. */
	uint64_t slot_bytes, slot_ios, slot_read_bytes;
	/* The phase so far. */
	uint64_t bytes, ios, read_bytes;
	nsec last_end; /* the last completion */
	struct hist latency;
	/* The target's inside at the phase's start and at the open slot's start. */
	struct sense first, slot_first;
};

/* Begins a phase at time `start`. */
void recorder_start(
	struct recorder *, struct target *, nsec start, void (*on_slot)(void *, const struct sample *), void *ctx);

/* Closes every slot that ended before `now`. A slot covers (start, end]: a completion on the border is the earlier
 * one's. */
void recorder_close_slots(struct recorder *, nsec now);

/* Books one completion. Completions come in the order of their ends, as far as the target can. */
static inline void recorder_add(struct recorder *r, nsec start, nsec end, uint32_t bytes, bool read)
{
	if (end > r->slot_end)
		recorder_close_slots(r, end);
	r->slot_bytes += bytes;
	r->slot_ios++;
	r->slot_read_bytes += read ? bytes : 0;
	r->last_end = end > r->last_end ? end : r->last_end;
	hist_add(&r->latency, (uint64_t)(end - start));
}

/* Ends the phase at the last completion (or at `end` if that is later: a phase that was cut short while it stalled):
 * closes the last, partial slot and fills the measured fields of `phase`: duration, bytes, ios, read_bytes, joules,
 * nand_bytes, die_busy, latency (which stays the recorder's). */
void recorder_finish(struct recorder *, nsec end, struct phase_record *phase);

/* Differences of two senses as phase_record wants them: NAN or -1 where one side is not known. */
double sense_joules(const struct sense *from, const struct sense *to);
int64_t sense_nand_bytes(const struct sense *from, const struct sense *to);

#endif
