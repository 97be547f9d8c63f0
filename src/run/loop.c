// SPDX-License-Identifier: MIT
#include "run/loop.h"

#include <errno.h>
#include <time.h>

const char *loop_end_name(enum loop_end end)
{
	static const char *const names[] = {"bytes", "time", "capacity", "rate", "interrupted", "error"};
	return names[end];
}

/* The tag of an I/O is its offset; offsets are multiples of 512, so bit 0 is free to say "read". */
static struct io next_io(struct workload *w, uint64_t left)
{
	uint64_t end = w->span_start + w->span_bytes;
	struct io io = {.bytes = w->block_bytes, .pass = w->pass};
	bool read = w->read_share >= 1 || (w->read_share > 0 && rng_unit(w->rng) < w->read_share);
	io.op = read ? IO_READ : IO_WRITE;
	io.flags = read && w->verify ? IO_VERIFY : 0;
	if (w->random) {
		io.offset = w->span_start + rng_below(w->rng, w->span_bytes / w->block_bytes) * w->block_bytes;
	} else {
		/* Only a stream that ends at the span's end may have a short last block; one that wraps starts over. */
		if (!w->once && w->cursor + io.bytes > end)
			w->cursor = w->span_start;
		io.offset = w->cursor;
		if (io.offset + io.bytes > end)
			io.bytes = (uint32_t)(end - io.offset);
	}
	if (io.bytes > left)
		io.bytes = (uint32_t)left;
	if (!w->random)
		w->cursor += io.bytes;
	io.tag = io.offset | read;
	return io;
}

static void fail(struct loop_result *res, int status, uint64_t tag)
{
	if (res->end == LOOP_ERROR)
		return; /* the first error is the one to report */
	res->end = LOOP_ERROR;
	res->status = status;
	res->offset = tag & ~(uint64_t)1;
	res->on_read = tag & 1;
}

void loop_run(struct target *t, struct workload *w, struct recorder *r, struct loop_result *res)
{
	enum { BATCH = 64, GIVE_UP_MS = 10000 };
	struct io_done done[BATCH];
	uint64_t submitted = 0, limit = w->limit_bytes ? w->limit_bytes : UINT64_MAX;
	nsec now = r->start, deadline = w->limit_time ? now + w->limit_time : NSEC_NEVER;
	uint32_t flying = 0;
	int waited_ms = 0;
	bool going = true;

	*res = (struct loop_result){.end = LOOP_BYTES};
	while (going || flying) {
		while (going && flying < w->depth) {
			if (*t->interrupted)
				res->end = LOOP_INTERRUPTED, going = false;
			else if (submitted >= limit)
				res->end = LOOP_BYTES, going = false;
			else if (now >= deadline)
				res->end = LOOP_TIME, going = false;
			else if (w->once && w->cursor >= w->span_start + w->span_bytes)
				res->end = LOOP_SPAN, going = false;
			else if (w->stop && *w->stop)
				res->end = LOOP_STOPPED, going = false;
			if (!going)
				break;
			struct io io = next_io(w, limit - submitted);
			int rc = t->ops->submit(t, &io);
			if (rc) {
				fail(res, rc, io.tag);
				going = false;
				break;
			}
			submitted += io.bytes;
			flying++;
		}
		if (!flying)
			break;
		int n = t->ops->reap(t, done, BATCH, r->slot_end + 1); /* just past it: the slot then closes */
		if (n < 0) {
			fail(res, n, 0);
			break; /* the engine is broken: nothing more will come back */
		}
		for (int i = 0; i < n; i++) {
			const struct io_done *d = &done[i];
			flying--;
			now = d->end > now ? d->end : now;
			if (d->status == 0 && d->bytes) {
				recorder_add(r, d->start, d->end, d->bytes, d->tag & 1);
			} else {
				fail(res, d->status ? d->status : -EIO, d->tag);
				going = false;
			}
		}
		if (n)
			continue;
		if (*t->interrupted) {
			/* Nothing more is submitted; what is in flight gets some time to come back. */
			if (going)
				res->end = LOOP_INTERRUPTED;
			going = false;
			nanosleep(&(struct timespec){.tv_nsec = NSEC_PER_MSEC}, NULL);
			if (++waited_ms >= GIVE_UP_MS)
				break;
		}
		now = t->ops->now(t);
		recorder_close_slots(r, now); /* a stall shows while it lasts */
	}
	now = t->ops->now(t);
	res->ended = flying ? now : r->last_end;
}
