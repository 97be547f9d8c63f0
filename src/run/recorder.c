// SPDX-License-Identifier: MIT
#include "run/recorder.h"

#include <math.h>
#include <string.h>

double sense_joules(const struct sense *from, const struct sense *to)
{
	return from->has_joules && to->has_joules ? to->joules - from->joules : NAN;
}

int64_t sense_nand_bytes(const struct sense *from, const struct sense *to)
{
	return from->has_nand_bytes && to->has_nand_bytes ? (int64_t)(to->nand_bytes - from->nand_bytes) : -1;
}

static void sense_at(struct target *t, nsec at, struct sense *s)
{
	memset(s, 0, sizeof *s);
	if (t->ops->sense(t, at, s))
		memset(s, 0, sizeof *s);
}

void recorder_start(
	struct recorder *r, struct target *t, nsec start, void (*on_slot)(void *, const struct sample *), void *ctx)
{
	memset(r, 0, sizeof *r);
	r->target = t;
	r->on_slot = on_slot;
	r->ctx = ctx;
	r->start = r->slot_start = r->last_end = start;
	r->slot_end = start + RECORDER_SLOT;
	sense_at(t, start, &r->first);
	r->slot_first = r->first;
}

static void close_slot(struct recorder *r, nsec end)
{
	struct sense now;
	sense_at(r->target, end, &now);
	struct sample s = {
		.start = r->slot_start - r->start,
		.length = end - r->slot_start,
		.bytes = r->slot_bytes,
		.ios = r->slot_ios,
		.read_bytes = r->slot_read_bytes,
		.joules = sense_joules(&r->slot_first, &now),
		.temperature_c = now.has_temperature ? now.temperature_c : NAN,
		.nand_bytes = sense_nand_bytes(&r->slot_first, &now),
		/* A count that moved, or a drive that says so now: either is throttling somewhere in the slot. */
		.throttled = now.has_throttle && (now.throttled || now.throttle_count != r->slot_first.throttle_count),
	};
	r->bytes += s.bytes;
	r->ios += s.ios;
	r->read_bytes += s.read_bytes;
	if (r->on_slot)
		r->on_slot(r->ctx, &s);
	r->slot_first = now;
	r->slot_start = end;
	r->slot_end = end + RECORDER_SLOT;
	r->slot_bytes = r->slot_ios = r->slot_read_bytes = 0;
}

void recorder_close_slots(struct recorder *r, nsec now)
{
	while (r->slot_end < now)
		close_slot(r, r->slot_end);
}

void recorder_finish(struct recorder *r, nsec end, struct phase_record *phase)
{
	if (end < r->last_end)
		end = r->last_end;
	recorder_close_slots(r, end);
	if (end > r->slot_start)
		close_slot(r, end);
	phase->duration = end - r->start;
	phase->bytes = r->bytes;
	phase->ios = r->ios;
	phase->read_bytes = r->read_bytes;
	phase->joules = sense_joules(&r->first, &r->slot_first);
	phase->nand_bytes = sense_nand_bytes(&r->first, &r->slot_first);
	phase->die_busy = NAN;
	if (r->first.has_die_busy && r->slot_first.has_die_busy && end > r->start)
		phase->die_busy = (r->slot_first.die_busy_ns - r->first.die_busy_ns) / (double)(end - r->start);
	phase->latency = &r->latency;
}
