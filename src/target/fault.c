// SPDX-License-Identifier: MIT
#include "target/fault.h"

#include "base/mem.h"
#include "base/units.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum kind { FAULT_EIO, FAULT_SHORT, FAULT_STALL, FAULT_VANISH, FAULT_KINDS };
static const char *const kind_names[FAULT_KINDS] = {"eio", "short", "stall", "vanish"};

/* An I/O that is kept here instead of, or before, going to the target. */
struct held {
	struct io io;
	nsec start; /* when the caller submitted it */
};

struct fault_target {
	struct target base;
	struct target *inner;
	enum kind kind;
	uint64_t at, count;	   /* the I/O that it happens to, from 1; those seen so far */
	nsec stall, stalled_until; /* 0 = not stalled */
	unsigned in_flight;	   /* in the target */
	bool gone;
	struct held *held; /* stalled: to be submitted later; else: failed, to be reaped */
	unsigned held_count, held_room;
	struct held *late; /* submitted later than the caller asked for; their start is put right */
	unsigned late_count, late_room;
};

static struct fault_target *of(struct target *t)
{
	return (struct fault_target *)t;
}

static struct target *inner(struct target *t)
{
	return of(t)->inner;
}

static int fault_identify(struct target *t, struct identity *id, struct err *err)
{
	return inner(t)->ops->identify(inner(t), id, err);
}

static void hold(struct fault_target *f, const struct io *io, nsec start)
{
	GROW(f->held, f->held_count, f->held_room);
	f->held[f->held_count++] = (struct held){*io, start};
}

static int fault_submit(struct target *t, const struct io *io)
{
	struct fault_target *f = of(t);
	nsec now = inner(t)->ops->now(inner(t));
	bool hit = ++f->count == f->at;
	f->gone |= hit && f->kind == FAULT_VANISH;
	if (hit && f->kind == FAULT_STALL)
		f->stalled_until = now + f->stall;
	if (f->gone || f->stalled_until || hit) {
		hold(f, io, now);
		return 0;
	}
	int r = inner(t)->ops->submit(inner(t), io);
	f->in_flight += r == 0;
	return r;
}

/* Completes what failed. */
static int reap_failed(struct fault_target *f, struct io_done *done, int max)
{
	int n = 0;
	nsec now = f->inner->ops->now(f->inner);
	while (n < max && f->held_count) {
		const struct held *h = &f->held[--f->held_count];
		done[n++] = (struct io_done){.tag = h->io.tag,
			.start = h->start,
			.end = now,
			.bytes = f->kind == FAULT_SHORT ? h->io.bytes / 2 : 0,
			.status = f->gone ? -ENODEV : -EIO};
	}
	return n;
}

/* The stall is over: what waited goes to the target. 0 or a negative errno. */
static int release(struct fault_target *f)
{
	f->stalled_until = 0;
	for (unsigned i = 0; i < f->held_count; i++) {
		int r = f->inner->ops->submit(f->inner, &f->held[i].io);
		if (r)
			return r;
		f->in_flight++;
		GROW(f->late, f->late_count, f->late_room);
		f->late[f->late_count++] = f->held[i];
	}
	f->held_count = 0;
	return 0;
}

static void put_start_right(struct fault_target *f, struct io_done *done)
{
	for (unsigned i = 0; i < f->late_count; i++) {
		if (f->late[i].io.tag != done->tag)
			continue;
		done->start = f->late[i].start;
		f->late[i] = f->late[--f->late_count];
		return;
	}
}

static int fault_reap(struct target *t, struct io_done *done, int max, nsec until)
{
	struct fault_target *f = of(t);
	if (!f->stalled_until && f->held_count)
		return reap_failed(f, done, max);
	if (f->stalled_until && !f->in_flight) {
		int r = inner(t)->ops->idle(inner(t), until < f->stalled_until ? until : f->stalled_until);
		if (r == -EINTR || inner(t)->ops->now(inner(t)) < f->stalled_until)
			return 0;
		r = release(f);
		if (r)
			return r;
	}
	int n = inner(t)->ops->reap(inner(t), done, max, until);
	for (int i = 0; i < n; i++)
		put_start_right(f, &done[i]);
	f->in_flight -= n > 0 ? (unsigned)n : 0;
	return n;
}

static int fault_idle(struct target *t, nsec until)
{
	return inner(t)->ops->idle(inner(t), until);
}

static int fault_trim(struct target *t, uint64_t offset, uint64_t bytes)
{
	return of(t)->gone ? -ENODEV : inner(t)->ops->trim(inner(t), offset, bytes);
}

static int fault_flush(struct target *t)
{
	return of(t)->gone ? -ENODEV : inner(t)->ops->flush(inner(t));
}

static int fault_erase(struct target *t, enum erase_method method)
{
	return of(t)->gone ? -ENODEV : inner(t)->ops->erase(inner(t), method);
}

static int fault_low_power(struct target *t, bool allowed)
{
	return inner(t)->ops->low_power(inner(t), allowed);
}

static int fault_sense(struct target *t, nsec at, struct sense *s)
{
	return of(t)->gone ? -ENODEV : inner(t)->ops->sense(inner(t), at, s);
}

static nsec fault_now(struct target *t)
{
	return inner(t)->ops->now(inner(t));
}

static void fault_facts(struct target *t, target_fact *each, void *arg)
{
	target_facts(inner(t), each, arg);
}

static void fault_erase_note(struct target *t, char *buf, size_t size)
{
	target_erase_note(inner(t), buf, size);
}

static int fault_same(struct target *t, struct err *err)
{
	return of(t)->gone ? err_set(err, EXIT_FAILED, "the drive is gone") : target_same(inner(t), err);
}

static void fault_unmake(struct target *t)
{
	target_unmake(inner(t));
}

static void fault_close(struct target *t)
{
	struct fault_target *f = of(t);
	if (f->inner)
		f->inner->ops->close(f->inner);
	free(f->held);
	free(f->late);
	free(f);
}

static const struct target_ops fault_ops = {.name = "fault",
	.identify = fault_identify,
	.submit = fault_submit,
	.reap = fault_reap,
	.idle = fault_idle,
	.trim = fault_trim,
	.flush = fault_flush,
	.erase = fault_erase,
	.low_power = fault_low_power,
	.sense = fault_sense,
	.now = fault_now,
	.facts = fault_facts,
	.erase_note = fault_erase_note,
	.same = fault_same,
	.unmake = fault_unmake,
	.close = fault_close};

/* "KIND@N[,for=DURATION]": the part before the target's own name. */
static int parse(struct fault_target *f, const char *spec, size_t length, struct err *err)
{
	char text[64];
	snprintf(text, sizeof text, "%.*s", (int)length, spec);
	char *at = strchr(text, '@'), *comma = strchr(text, ','), *end = NULL;
	f->stall = 30 * NSEC_PER_SEC;
	if (comma)
		*comma++ = 0;
	if (at)
		*at++ = 0;
	for (f->kind = 0; f->kind < FAULT_KINDS && strcmp(text, kind_names[f->kind]); f->kind++)
		;
	f->at = at ? strtoull(at, &end, 10) : 0;
	if (f->kind == FAULT_KINDS || !f->at || *end ||
		(comma && (strncmp(comma, "for=", 4) || units_parse_duration(comma + 4, &f->stall))))
		return err_set(err, EXIT_USAGE,
			"'fault:%.*s' is not eio@N, short@N, vanish@N or stall@N[,for=DURATION], and then ':' and "
			"a target",
			(int)length, spec);
	return 0;
}

int target_open_fault(struct target **out, const char *spec, const struct target_options *o, struct err *err)
{
	struct fault_target *f = xcalloc(1, sizeof *f);
	size_t length = strcspn(spec, ":");
	f->base = (struct target){.ops = &fault_ops, .interrupted = o->interrupted};
	if (parse(f, spec, length, err) || target_open(&f->inner, spec + length + (spec[length] == ':'), o, err)) {
		fault_close(&f->base);
		return -1;
	}
	f->base.interrupted = f->inner->interrupted;
	*out = &f->base;
	return 0;
}
