// SPDX-License-Identifier: MIT
#include "model/timeline.h"

#include <stdarg.h>
#include <stdio.h>

static int wrong(char *message, size_t bytes, const char *format, ...) __attribute__((format(printf, 3, 4)));
static int wrong(char *message, size_t bytes, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	if (bytes)
		vsnprintf(message, bytes, format, args);
	va_end(args);
	return -1;
}

static bool is_valid(const struct ssdmodel *d, uint32_t number, uint32_t off)
{
	const struct block *b = &d->block[number];
	if (off >= b->written)
		return false;
	const uint64_t *bits = d->bits + ((size_t)number << d->shift >> 6);
	return !b->holes || (bits[off >> 6] >> (off & 63) & 1);
}

/* From the map to the blocks: every mapped unit is valid where the map says, and known there by its own address. */
static int check_map(const struct ssdmodel *d, char *message, size_t bytes)
{
	uint64_t mapped = 0;
	for (uint32_t lba = 0; lba < d->units;) {
		struct extent e = map_lookup(d, lba, d->units - lba);
		for (uint32_t k = 0; e.ppa != UNMAPPED && !d->in_place && k < e.len;) {
			uint32_t ppa = e.ppa + k, number = ppa >> d->shift, run;
			if (number >= d->nblocks || !is_valid(d, number, ppa & d->offset_mask))
				return wrong(message, bytes, "unit %u is mapped to %u of block %u, which is not valid",
					lba + k, ppa & d->offset_mask, number);
			struct run there = block_run(d, ppa, &run);
			if (there.lba != lba + k)
				return wrong(message, bytes, "unit %u is mapped to %u of block %u, where unit %u is",
					lba + k, ppa & d->offset_mask, number, there.lba);
			/* All of the run is then right if all of it is valid. */
			uint32_t same = least(run, e.len - k), i = 1;
			while (i < same && is_valid(d, number, (ppa & d->offset_mask) + i))
				i++;
			k += i;
		}
		mapped += e.ppa == UNMAPPED ? 0 : e.len;
		lba += e.len;
	}
	if (mapped != d->mapped)
		return wrong(message, bytes, "%llu units are mapped, counted were %llu", (unsigned long long)mapped,
			(unsigned long long)d->mapped);
	return 0;
}

/* The blocks: counts against bits, states against totals. As many units are valid as are mapped, and all mapped ones
 * are valid: so the map and the reverse map are inverse to each other. */
static int check_blocks(const struct ssdmodel *d, char *message, size_t bytes)
{
	uint32_t empty = 0, erased = 0, dirty = 0, slc = 0, native = 0;
	uint64_t valid = 0;
	for (uint32_t i = 0; i < d->nblocks; i++) {
		const struct block *b = &d->block[i];
		uint32_t n = 0;
		for (uint32_t off = 0; off < b->written; off++)
			n += is_valid(d, i, off);
		if (n != b->valid)
			return wrong(message, bytes, "block %u has %u valid units, counted were %u", i, n, b->valid);
		valid += n;
		bool used = b->state == BLOCK_OPEN || b->state == BLOCK_CLOSED;
		erased += b->state == BLOCK_ERASED;
		dirty += b->state == BLOCK_DIRTY;
		slc += used && b->mode == SLC;
		native += used && b->mode == NATIVE;
		if (!used && b->written)
			return wrong(message, bytes, "block %u is free and holds %u units", i, b->written);
		if (used && b->written > d->layout[b->mode].sb_units)
			return wrong(message, bytes, "block %u holds %u units, more than it can", i, b->written);
		if (b->state == BLOCK_OPEN &&
			(d->stream[b->stream].block != i || d->stream[b->stream].off != b->written))
			return wrong(message, bytes, "block %u is open and not where its append point stands", i);
		empty += b->state == BLOCK_CLOSED && b->valid == 0 && i != d->reclaim.victim;
	}
	if (erased != d->nerased || dirty != d->ndirty || slc != d->nslc || native != d->nnative ||
		erased + dirty != d->nfree || d->nfree + slc + native != d->nblocks)
		return wrong(message, bytes,
			"blocks: %u erased, %u dirty, %u SLC, %u native; counted were %u, %u, %u, %u", erased, dirty,
			slc, native, d->nerased, d->ndirty, d->nslc, d->nnative);
	if (d->nlate > dirty)
		return wrong(message, bytes, "%u blocks wait for their opening, %u are dirty", d->nlate, dirty);
	if (empty != d->nempty)
		return wrong(message, bytes, "%u blocks are empty, counted were %u", empty, d->nempty);
	if (valid != (d->in_place ? 0 : d->mapped))
		return wrong(message, bytes, "%llu units are valid, %llu are mapped", (unsigned long long)valid,
			(unsigned long long)d->mapped);
	return 0;
}

static int check_buffer(const struct ssdmodel *d, char *message, size_t bytes)
{
	uint64_t used = 0;
	nsec last = 0;
	for (uint32_t i = 0; i < d->ninflight; i++) {
		const struct inflight *f = &d->inflight[(d->inflight_head + i) & d->inflight_mask];
		used += f->bytes;
		if (f->release < last)
			return wrong(message, bytes, "the write buffer's queue is out of order");
		last = f->release;
	}
	if (used > d->buffer_used)
		return wrong(message, bytes, "the write buffer holds less than its programs");
	for (uint32_t i = 0; i < d->p.nand.channels; i++) {
		const struct lane *l = &d->channel[i];
		nsec end = 0;
		for (uint32_t k = 0; k < l->nholes; k++) {
			const struct hole *h = &l->hole[(l->first + k) % LANE_HOLES];
			if (h->start < end || h->start >= h->end || h->end > l->free)
				return wrong(message, bytes, "channel %u has a hole that is none", i);
			end = h->end;
		}
	}
	return 0;
}

int ssdmodel_check(const struct ssdmodel *d, char *message, size_t message_bytes)
{
	map_settle(d);
	if (check_map(d, message, message_bytes) || check_blocks(d, message, message_bytes))
		return -1;
	return check_buffer(d, message, message_bytes);
}
