// SPDX-License-Identifier: MIT
/* Making a drive, and its commands. */
#include "model/timeline.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define THROTTLE_PERIOD_SHIFT 23 /* while throttled, commands are served in a share of each 8.4 ms */

static size_t map_bytes(const struct ssdmodel *d)
{
	return (size_t)d->nsegments * SEGMENT_UNITS * sizeof *d->lmap;
}
static size_t rmap_bytes(const struct ssdmodel *d)
{
	return ((size_t)d->nblocks << d->shift) * sizeof *d->rmap + 4096;
}
static size_t bits_bytes(const struct ssdmodel *d)
{
	return ((size_t)d->nblocks << d->shift) / 8 + 4096;
}

void ssdmodel_destroy(struct ssdmodel *d)
{
	if (!d)
		return;
	for (uint32_t i = 0; d->block && i < d->nblocks; i++)
		free(d->block[i].runs);
	for (int i = 0; i < NSTREAMS; i++)
		free(d->stream[i].ready);
	for (int i = 0; i < 2; i++)
		layout_free(&d->layout[i]);
	lazy_free(d->lmap, map_bytes(d));
	lazy_free(d->rmap, rmap_bytes(d));
	lazy_free(d->gens, rmap_bytes(d));
	lazy_free(d->bits, bits_bytes(d));
	void *rest[] = {d->die, d->channel, d->bucket, d->segment, d->block, d->erased, d->dirty, d->empty, d->inflight,
		d->reclaim.staged, d->reclaim.next, d->ra, d->piece, d->piece_hash, d->piece_stamp, d->map_slot,
		d->map_line, d};
	for (size_t i = 0; i < sizeof rest / sizeof *rest; i++)
		free(rest[i]);
}

/* Allocates `n` zeroed elements for a pointer; remembers a failure in `failed`. */
#define MAKE(pointer, n) (pointer = calloc((n) + 1, sizeof *(pointer)), failed |= !(pointer))

static bool make_timeline(struct ssdmodel *d)
{
	const struct ssdmodel_params *p = &d->p;
	bool failed = false;
	d->ncores = p->controller.cores;
	d->ndies = p->nand.channels * p->nand.dies_per_channel;
	d->cache_register = p->nand.cache_register;
	d->link_k = (uint64_t)(1e9 * 1048576 / (double)p->link.bytes_per_s + 0.5);
	d->channel_k = (uint64_t)(1e9 * 1048576 / (double)p->nand.channel_bytes_per_s + 0.5);
	d->pj_link_byte = p->power.link_pj_per_byte;
	MAKE(d->die, d->ndies);
	MAKE(d->channel, p->nand.channels);
	MAKE(d->bucket, BUCKETS);
	if (failed)
		return false;
	for (uint32_t i = 0; i < p->nand.channels; i++)
		d->channel[i].maxholes = 10; /* 8 are too few for the transfers of single pages, 64 no better */
	d->link[0].maxholes = d->link[1].maxholes = LANE_HOLES;
	for (uint32_t i = 0; i < p->nand.channels; i++)
		d->channel[i].shortest = channel_time(d, 1);
	d->link[0].shortest = d->link[1].shortest = later(1, duration(512, d->link_k));
	for (uint32_t i = 0; i < d->ndies; i++)
		d->die[i].channel = &d->channel[i % p->nand.channels];
	d->bucket_base = -BUCKETS_KEPT;
	d->tick = (nsec)1 << TICK_SHIFT;
	d->heat_uc = (int64_t)p->heat.ambient_mc * 1000;
	if (p->heat.mc_per_w)
		d->heat_k = llround(
			(1 - exp(-(double)((nsec)1 << TICK_SHIFT) / (double)p->heat.time_constant)) * 4294967296.0);
	return true;
}

static bool make_blocks(struct ssdmodel *d)
{
	const struct ssdmodel_params *p = &d->p;
	bool failed = false;
	d->has_slc = p->pslc.static_bytes || p->pslc.dynamic_permille;
	if (layout_make(&d->layout[NATIVE], p, NATIVE) || (d->has_slc && layout_make(&d->layout[SLC], p, SLC)))
		return false;
	/* More than the block holds: a run must not go on from the end of one into the next. */
	d->shift = 6;
	while ((1u << d->shift) <= d->layout[NATIVE].sb_units)
		d->shift++;
	d->offset_mask = (1u << d->shift) - 1;
	d->nblocks = d->nfree = d->nerased = p->nand.blocks_per_plane;
	if (p->pslc.static_bytes)
		d->nstatic = (uint32_t)((p->pslc.static_bytes / SSDMODEL_UNIT + d->layout[SLC].sb_units - 1) /
					d->layout[SLC].sb_units);
	MAKE(d->block, d->nblocks);
	MAKE(d->erased, d->nblocks);
	MAKE(d->dirty, d->nblocks);
	MAKE(d->empty, d->nblocks);
	for (uint32_t i = 0; !failed && i < d->nblocks; i++)
		d->erased[i] = i;
	if (!d->in_place) {
		failed |= !(d->rmap = lazy_alloc(rmap_bytes(d)));
		failed |= !(d->gens = lazy_alloc(rmap_bytes(d)));
		failed |= !(d->bits = lazy_alloc(bits_bytes(d)));
	}
	for (int i = 0; i < NSTREAMS; i++) {
		struct stream *s = &d->stream[i];
		s->block = NO_BLOCK;
		s->mode = i == HOST_SLC ? SLC : NATIVE;
		s->host = i == HOST_SLC || i == HOST_NATIVE;
		MAKE(s->ready, d->ndies);
	}
	d->reclaim.victim = NO_BLOCK;
	d->reclaim.per_block = (UINT64_C(1) << 48) / d->layout[NATIVE].sb_units;
	uint32_t staged = 3 * d->layout[NATIVE].stripe_units / d->layout[NATIVE].prog_units + 64;
	MAKE(d->reclaim.staged, staged);
	MAKE(d->reclaim.next, staged);
	return !failed;
}

static bool make_maps(struct ssdmodel *d)
{
	const struct ssdmodel_params *p = &d->p;
	bool failed = false;
	d->units = (uint32_t)(p->capacity_bytes / SSDMODEL_UNIT);
	d->nsegments = (d->units + SEGMENT_UNITS - 1) >> SEGMENT_SHIFT;
	MAKE(d->segment, d->nsegments);
	failed |= !(d->lmap = lazy_alloc(map_bytes(d)));
	if (p->map.cache_bytes && !d->in_place) {
		d->map_segment_shift = (uint32_t)__builtin_ctz(p->map.segment_bytes / SSDMODEL_UNIT);
		uint32_t entry_bytes = p->map.segment_bytes / SSDMODEL_UNIT * 4;
		d->map_slots = (uint32_t)(p->map.cache_bytes / entry_bytes);
		d->map_slots += d->map_slots == 0;
		MAKE(d->map_slot, (d->units >> d->map_segment_shift) + 1);
		MAKE(d->map_line, d->map_slots);
		d->map_oldest = d->map_newest = UNMAPPED;
	}
	return !failed;
}

static bool make_buffers(struct ssdmodel *d)
{
	const struct ssdmodel_params *p = &d->p;
	bool failed = false;
	uint32_t unit = d->has_slc ? d->layout[SLC].prog_units : d->layout[NATIVE].prog_units;
	uint64_t programs = p->controller.write_buffer_bytes / ((uint64_t)unit * SSDMODEL_UNIT) + 2, size = 1;
	while (size < programs)
		size *= 2;
	d->inflight_mask = (uint32_t)size - 1;
	MAKE(d->inflight, size);
	d->nra = p->controller.readahead_streams;
	d->ra_window = (uint32_t)(p->controller.readahead_bytes / SSDMODEL_UNIT);
	d->ra_low = UINT32_MAX;
	MAKE(d->ra, d->nra);
	for (uint32_t i = 0; i < d->nra; i++)
		d->ra_next[i] = UNMAPPED;
	MAKE(d->piece, BATCH_UNITS);
	MAKE(d->piece_hash, BATCH_HASH);
	MAKE(d->piece_stamp, BATCH_HASH);
	return !failed;
}

int ssdmodel_create(struct ssdmodel **out, const struct ssdmodel_params *p, char *message, size_t message_bytes)
{
	*out = NULL;
	if (params_check(p, message, message_bytes))
		return -1;
	struct ssdmodel *d = calloc(1, sizeof *d);
	if (d) {
		d->p = *p;
		d->in_place = p->nand.in_place;
	}
	if (!d || !make_timeline(d) || !make_blocks(d) || !make_maps(d) || !make_buffers(d)) {
		ssdmodel_destroy(d);
		if (message_bytes)
			snprintf(message, message_bytes, "capacity_bytes: not enough memory for a drive of this size");
		return -1;
	}
	blocks_account(d);
	schedule(d);
	*out = d;
	return 0;
}

const struct ssdmodel_params *ssdmodel_params(const struct ssdmodel *d)
{
	return &d->p;
}

/* What every command begins with. Returns when the drive's controller sees it. */
static nsec arrive(struct ssdmodel *d, nsec start)
{
	assert(start >= d->clock);
	if (start >= d->event)
		catch_up(d, start);
	d->clock = start;
	nsec at = start + d->p.host.submit;
	if (d->low_power)
		at += wake(d, start);
	if (d->throttled) {
		nsec period = (nsec)1 << THROTTLE_PERIOD_SHIFT, phase = at & (period - 1);
		if (phase >= period * d->p.heat.throttle_permille / 1000)
			at += period - phase;
	}
	return at;
}

/* ... and ends with. `done` is the drive's time. */
static nsec finish(struct ssdmodel *d, nsec at, nsec done)
{
	active(d, at, done);
	d->busy_until = later(d->busy_until, done);
	schedule(d);
	return done + d->p.host.complete;
}

/* In-place media: the address says which die; generations take the place of the map. */
static nsec write_in_place(struct ssdmodel *d, uint32_t lba, uint32_t len, uint32_t bytes, nsec ready)
{
	const struct layout *l = &d->layout[NATIVE];
	if ((uint32_t)(d->units_written + len) < len || (uint32_t)(d->units_written + len) == UNMAPPED)
		d->units_written += (uint64_t)len + 1; /* never a value that means unmapped */
	map_replace(d, lba, len, (uint32_t)(d->units_written + 1));
	d->units_written += len;
	uint32_t slack = len * SSDMODEL_UNIT - bytes;
	nsec arrival = ready;
	while (len) {
		uint32_t page = lba / l->mpp_units, n = least(len, l->mpp_units - lba % l->mpp_units);
		uint32_t cut = least(slack, n * SSDMODEL_UNIT);
		slack -= cut;
		arrival = link_move(d, true, n * SSDMODEL_UNIT - cut, buffer_room(d, n * SSDMODEL_UNIT, ready));
		nsec release = die_program(d, NATIVE, l->slot[page % l->stripe_mpps].die, n, arrival, true);
		buffer_push(d, release, n * SSDMODEL_UNIT, HOST_NATIVE, NO_BLOCK, 0);
		lba += n;
		len -= n;
	}
	return arrival;
}

nsec ssdmodel_io(struct ssdmodel *d, enum ssdmodel_op op, uint64_t offset, uint32_t length, nsec start)
{
	assert(length && length % 512 == 0 && offset % 512 == 0 && offset + length <= d->p.capacity_bytes);
	const struct ssdmodel_params *p = &d->p;
	uint32_t lba = (uint32_t)(offset / SSDMODEL_UNIT);
	uint32_t len = (uint32_t)((offset + length + SSDMODEL_UNIT - 1) / SSDMODEL_UNIT) - lba;
	__builtin_prefetch(&d->lmap[lba]);
	__builtin_prefetch(&d->segment[lba >> SEGMENT_SHIFT]);
	nsec at = arrive(d, start), done;
	if (op == SSDMODEL_READ) {
		map_settle(d);
		nsec ready = core_take(d, at, p->controller.read_command + (len - 1) * p->controller.read_4k);
		if (d->map_slots)
			ready = mapcache_touch(d, lba, len, false, ready);
		done = host_read(d, lba, len, length, ready) + p->controller.read_latency;
	} else {
		d->work = !d->in_place;
		nsec ready = core_take(d, at, p->controller.write_command + (len - 1) * p->controller.write_4k);
		if (d->map_slots)
			ready = mapcache_touch(d, lba, len, true, ready);
		if (d->nra)
			readahead_drop(d, lba, len);
		if (length % SSDMODEL_UNIT || offset % SSDMODEL_UNIT) {
			map_settle(d);
			if (offset % SSDMODEL_UNIT)
				ready = read_partial(d, lba, ready);
			if ((offset + length) % SSDMODEL_UNIT && (len > 1 || offset % SSDMODEL_UNIT == 0))
				ready = read_partial(d, lba + len - 1, ready);
		}
		done = (d->in_place ? write_in_place : host_write)(d, lba, len, length, ready) +
		       p->controller.write_latency;
	}
	return finish(d, at, done);
}

nsec ssdmodel_flush(struct ssdmodel *d, nsec start)
{
	nsec at = arrive(d, start);
	return finish(d, at, buffer_flush(d, core_take(d, at, d->p.controller.write_command)));
}

nsec ssdmodel_trim(struct ssdmodel *d, uint64_t offset, uint64_t bytes, nsec start)
{
	assert(offset + bytes <= d->p.capacity_bytes);
	nsec at = arrive(d, start);
	uint32_t from = (uint32_t)((offset + SSDMODEL_UNIT - 1) / SSDMODEL_UNIT);
	uint32_t to = (uint32_t)((offset + bytes) / SSDMODEL_UNIT);
	if (to > from) {
		d->work = !d->in_place;
		if (d->nra)
			readahead_drop(d, from, to - from);
		map_settle(d);
		map_replace(d, from, to - from, UNMAPPED);
	}
	return finish(d, at, core_take(d, at, d->p.controller.write_command));
}

nsec ssdmodel_erase(struct ssdmodel *d, nsec start)
{
	nsec at = arrive(d, start), done = at + d->p.background.format_time;
	if (d->nra)
		readahead_drop(d, 0, d->units);
	reclaim_flush(d, at);
	reclaim_flush(d, at);
	d->reclaim.victim = NO_BLOCK;
	d->reclaim.debt = 0;
	block_forget_all(d);
	if (!d->in_place)
		blocks_keep_late(d);
	memset(d->segment, 0, d->nsegments * sizeof *d->segment);
	lazy_clear(d->lmap, map_bytes(d));
	if (!d->in_place) {
		lazy_clear(d->rmap, rmap_bytes(d));
		lazy_clear(d->gens, rmap_bytes(d));
		lazy_clear(d->bits, bits_bytes(d));
	}
	d->mapped = 0;
	for (uint32_t i = 0; i < d->map_used; i++)
		d->map_slot[d->map_line[i].segment] = 0;
	d->map_used = d->map_dirty_evictions = 0;
	d->map_oldest = d->map_newest = UNMAPPED;
	d->buffer_used = 0;
	d->ninflight = 0;
	d->work = !d->in_place;
	d->formatting = d->p.background.format_permille && d->ndirty > d->nlate;
	d->background_next = later(d->background_next, done);
	return finish(d, at, done);
}

void ssdmodel_advance(struct ssdmodel *d, nsec now)
{
	if (now > d->clock)
		catch_up(d, now);
}

uint64_t ssdmodel_generation(const struct ssdmodel *d, uint64_t unit)
{
	map_settle(d);
	struct extent e = map_lookup(d, (uint32_t)unit, 1);
	if (e.ppa == UNMAPPED)
		return 0;
	uint32_t low = e.ppa;
	if (!d->in_place) {
		uint32_t len;
		struct run found = block_run(d, e.ppa, &len);
		if (found.lba != unit)
			return UINT64_MAX; /* the map leads to another unit's data */
		low = found.gen;
	}
	uint64_t gen = (d->units_written & ~(uint64_t)UINT32_MAX) | low;
	return gen > d->units_written ? gen - ((uint64_t)1 << 32) : gen;
}
