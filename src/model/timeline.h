/* SPDX-License-Identifier: MIT */
/* Booking of the drive's resources. Every function returns the time when the thing asked for is done. Inline: these are
 * the innermost steps of everything. */
#ifndef MODEL_TIMELINE_H
#define MODEL_TIMELINE_H

#include "model/drive.h"

#ifdef SSDMODEL_TRACE
#define TRACE(d, resource, start, end)                                                                                 \
	do {                                                                                                           \
		if ((d)->trace)                                                                                        \
			(d)->trace((d)->trace_arg, (resource), (start), (end));                                        \
	} while (0)
#else
#define TRACE(d, resource, start, end) ((void)0)
#endif

/* timeline.c: a transfer that is ready before the lane's end of bookings: into a hole, if one is long enough. */
nsec lane_book_early(struct lane *, nsec ready, nsec length);
void lane_add_hole(struct lane *, nsec start, nsec end);

static inline nsec lane_book(struct ssdmodel *d, struct lane *l, nsec ready, nsec length)
{
	nsec end;
	if (ready >= l->free) {
		if (ready - l->free >= l->shortest)
			lane_add_hole(l, l->free, ready);
		end = l->free = ready + length;
	} else {
		end = lane_book_early(l, ready, length);
	}
	TRACE(d, l, end - length, end);
	return end;
}

/* Energy and array time of an operation that ends at `end`. */
static inline void spend(struct ssdmodel *d, nsec end, int64_t pj, nsec busy)
{
	nsec slot = end >> BUCKET_SHIFT, most = d->bucket_base + BUCKETS - 1;
	struct bucket *b = &d->bucket[(slot < most ? slot : most) & (BUCKETS - 1)];
	b->pj += pj;
	b->busy += busy;
}

/* The drive is active from `from` (which never decreases) to `to`. */
static inline void active(struct ssdmodel *d, nsec from, nsec to)
{
	if (to <= d->active_until)
		return;
	if (from > d->active_until) {
		d->active_before += (uint64_t)(d->active_until - d->active_start);
		d->active_start = from;
	}
	d->active_until = to;
}

static inline nsec duration(uint64_t bytes, uint64_t k)
{
	return (nsec)((bytes * k) >> 20);
}

static inline nsec channel_time(const struct ssdmodel *d, uint32_t units)
{
	return duration((uint64_t)units * SSDMODEL_UNIT, d->channel_k) + d->p.nand.channel_overhead;
}

/* Transfer over the link: `in` from the host. */
static inline nsec link_move(struct ssdmodel *d, bool in, uint64_t bytes, nsec ready)
{
	nsec end = lane_book(d, &d->link[in || d->p.link.half_duplex ? 0 : 1], ready, duration(bytes, d->link_k));
	d->n.link_bytes += bytes;
	spend(d, end, (int64_t)bytes * d->pj_link_byte, 0);
	return end;
}

/* Time on the core that is free first. */
static inline nsec core_take(struct ssdmodel *d, nsec ready, nsec length)
{
	if (length == 0)
		return ready;
	uint32_t best = 0;
	for (uint32_t i = 1; i < d->ncores; i++)
		best = d->core[i] < d->core[best] ? i : best;
	nsec start = later(ready, d->core[best]), end = start + length;
	d->core[best] = end;
	d->n.core_ns += (uint64_t)length;
	spend(d, end, length * d->p.power.core_mw, 0);
	TRACE(d, &d->core[best], start, end);
	return end;
}

/* A read of `units` of one multi-plane page, in `planes` planes, to the controller (or only into the die's register).
 */
static inline nsec die_read(struct ssdmodel *d, int mode, const struct slot *slot, uint32_t units, uint32_t planes,
	nsec ready, bool transfer)
{
	const struct layout *l = &d->layout[mode];
	struct die *die = &d->die[slot->die];
	nsec start = later(die->free, ready), tr, held;
	int64_t pj;
	if (units == 1) {
		tr = l->tr_4k;
		pj = tr * d->p.power.die_read_4k_mw;
		d->n.reads_4k[mode]++;
		d->n.read_4k_ns[mode] += (uint64_t)tr;
	} else {
		tr = l->tr[slot->page];
		uint64_t plane_ns = (uint64_t)tr * planes;
		pj = (int64_t)(plane_ns * d->p.power.die_read_mw / d->p.nand.planes);
		d->n.reads[mode]++;
		d->n.read_plane_ns[mode] += plane_ns;
	}
	nsec end = start + tr;
	held = tr;
	if (transfer) {
		nsec length = channel_time(d, units);
		nsec sensed = d->cache_register ? later(end, die->reg) : end;
		end = lane_book(d, die->channel, sensed, length);
		die->free = d->cache_register ? sensed : end;
		die->reg = end;
		held += d->cache_register ? 0 : length;
		pj += length * d->p.power.channel_mw;
		d->n.channel_ns += (uint64_t)length;
	} else {
		die->free = end;
	}
	spend(d, end, pj, held);
	TRACE(d, die, start, start + tr);
	return end;
}

/* A program of one unit of a die, whose data are ready in the controller (or the die's register). */
static inline nsec die_program(struct ssdmodel *d, int mode, uint32_t index, uint32_t units, nsec ready, bool transfer)
{
	const struct layout *l = &d->layout[mode];
	struct die *die = &d->die[index];
	nsec start = later(die->free, ready), held = l->tprog;
	int64_t pj = l->tprog * d->p.power.die_program_mw;
	if (transfer) {
		nsec length = 0, in = d->cache_register ? later(ready, die->reg) : start;
		for (uint32_t left = units; left;) {
			uint32_t n = left < l->mpp_units ? left : l->mpp_units;
			nsec one = channel_time(d, n);
			in = lane_book(d, die->channel, in, one);
			length += one;
			left -= n;
		}
		start = later(in, die->free);
		die->reg = start;
		held += d->cache_register ? 0 : length;
		pj += length * d->p.power.channel_mw;
		d->n.channel_ns += (uint64_t)length;
	}
	die->free = start + l->tprog;
	d->n.programs[mode]++;
	d->n.program_ns[mode] += (uint64_t)l->tprog;
	d->nand_units += l->prog_units;
	spend(d, die->free, pj, held);
	TRACE(d, die, start, die->free);
	return die->free;
}

/* An erase of all planes of a die, in `steps` turns: a plane costs its share of the power, whenever it is erased. */
static inline nsec die_erase(struct ssdmodel *d, int mode, uint32_t index, uint32_t steps, nsec ready)
{
	const struct layout *l = &d->layout[mode];
	struct die *die = &d->die[index];
	nsec start = later(die->free, ready);
	die->free = start + l->terase * steps;
	d->n.erases[mode]++;
	d->n.erase_ns[mode] += (uint64_t)l->terase;
	spend(d, die->free, l->terase * d->p.power.die_erase_mw, l->terase * steps);
	TRACE(d, die, start, die->free);
	return die->free;
}

/* Page index within its block, and its slot, of a unit offset. */
static inline const struct slot *slot_of(const struct layout *l, uint32_t page)
{
	return &l->slot[page - divide(l->by_stripe, page) * l->stripe_mpps];
}

#endif
