// SPDX-License-Identifier: MIT
/* Super-blocks: the reverse map, valid counts and bits, the free ones, and the accounting of the pSLC cache. */
#include "model/timeline.h"

#include <stdlib.h>
#include <string.h>

static uint64_t *bits_of(const struct ssdmodel *d, const struct block *b)
{
	return d->bits + ((size_t)(b - d->block) << d->shift >> 6);
}

void bits_set(uint64_t *bits, uint32_t from, uint32_t len, bool on)
{
	while (len) {
		uint32_t bit = from & 63, n = least(len, 64 - bit);
		uint64_t mask = (n == 64 ? ~UINT64_C(0) : (UINT64_C(1) << n) - 1) << bit;
		if (on)
			bits[from >> 6] |= mask;
		else
			bits[from >> 6] &= ~mask;
		from += n;
		len -= n;
	}
}

void block_use_bitmap(struct ssdmodel *d, struct block *b)
{
	uint64_t *bits = bits_of(d, b);
	memset(bits, 0, ((size_t)1 << d->shift) / 8);
	bits_set(bits, 0, b->written, true);
	b->holes = true;
}

static void flatten(struct ssdmodel *d, struct block *b)
{
	uint32_t *rmap = d->rmap + ((size_t)(b - d->block) << d->shift), *gens = d->gens + (rmap - d->rmap);
	for (uint32_t r = 0; r < b->nruns; r++) {
		uint32_t end = r + 1 < b->nruns ? b->runs[r + 1].off : b->written;
		for (uint32_t i = b->runs[r].off; i < end; i++) {
			uint32_t k = i - b->runs[r].off;
			rmap[i] = b->runs[r].lba == UNMAPPED ? UNMAPPED : b->runs[r].lba + k;
			gens[i] = b->runs[r].gen + k;
		}
	}
	free(b->runs);
	b->runs = NULL;
	b->maxruns = 0;
	b->flat = true;
}

/* Adds a run to a block whose reverse map is one of runs; flattens it where runs no longer pay. */
static void add_run(struct ssdmodel *d, struct block *b, uint32_t lba, uint32_t gen)
{
	if (b->nruns == b->maxruns) {
		uint32_t most = b->maxruns ? 2 * b->maxruns : 4;
		struct run *runs =
			b->nruns > d->layout[b->mode].sb_units / 64 + 16 ? NULL : realloc(b->runs, most * sizeof *runs);
		if (!runs) {
			flatten(d, b);
			return;
		}
		b->runs = runs;
		b->maxruns = most;
	}
	b->runs[b->nruns++] = (struct run){b->written, lba, gen};
}

/* Whether the next unit of a block belongs to its last run. */
static bool continues(const struct block *b, uint32_t lba, uint32_t gen)
{
	if (b->nruns == 0)
		return false;
	const struct run *last = &b->runs[b->nruns - 1];
	uint32_t k = b->written - last->off;
	if (lba == UNMAPPED || last->lba == UNMAPPED)
		return lba == last->lba;
	return last->lba + k == lba && last->gen + k == gen;
}

static void note(struct ssdmodel *d, struct block *b, uint32_t lba, uint32_t len, uint32_t gen)
{
	if (!b->flat && !continues(b, lba, gen))
		add_run(d, b, lba, gen);
	if (b->flat) {
		size_t at = ((size_t)(b - d->block) << d->shift) + b->written;
		for (uint32_t k = 0; k < len; k++) {
			d->rmap[at + k] = lba == UNMAPPED ? UNMAPPED : lba + k;
			d->gens[at + k] = gen + k;
		}
		b->nruns++;
	}
}

void block_append(struct ssdmodel *d, uint32_t block, uint32_t lba, uint32_t len, uint32_t gen)
{
	struct block *b = &d->block[block];
	note(d, b, lba, len, gen);
	if (b->holes)
		bits_set(bits_of(d, b), b->written, len, true);
	b->written += len;
	b->valid += len;
}

void block_pad(struct ssdmodel *d, uint32_t block, uint32_t len)
{
	struct block *b = &d->block[block];
	if (!b->holes)
		block_use_bitmap(d, b);
	note(d, b, UNMAPPED, len, 0);
	b->written += len;
}

void block_invalidate(struct ssdmodel *d, uint32_t ppa, uint32_t len)
{
	struct block *b = &d->block[ppa >> d->shift];
	if (!b->holes)
		block_use_bitmap(d, b);
	uint64_t *bits = bits_of(d, b);
	uint32_t off = ppa & d->offset_mask;
	if (len == 1)
		bits[off >> 6] &= ~(UINT64_C(1) << (off & 63));
	else
		bits_set(bits, off, len, false);
	b->valid -= len;
	if (b->valid == 0 && b->state == BLOCK_CLOSED && (ppa >> d->shift) != d->reclaim.victim)
		d->empty[d->nempty++] = ppa >> d->shift;
}

struct run block_run(const struct ssdmodel *d, uint32_t ppa, uint32_t *len)
{
	const struct block *b = &d->block[ppa >> d->shift];
	uint32_t off = ppa & d->offset_mask;
	*len = 1;
	if (b->flat)
		return (struct run){off, d->rmap[ppa], d->gens[ppa]};
	uint32_t low = 0, high = b->nruns;
	while (high - low > 1) {
		uint32_t mid = (low + high) / 2;
		if (b->runs[mid].off <= off)
			low = mid;
		else
			high = mid;
	}
	const struct run *r = &b->runs[low];
	*len = (low + 1 < b->nruns ? r[1].off : b->written) - off;
	return (struct run){off, r->lba == UNMAPPED ? UNMAPPED : r->lba + (off - r->off), r->gen + (off - r->off)};
}

/* Free blocks that native data may take: those that static SLC still has a right to are not among them. */
uint32_t blocks_native_free(const struct ssdmodel *d)
{
	uint32_t kept = d->nstatic > d->nslc ? d->nstatic - d->nslc : 0;
	return d->nfree > kept ? d->nfree - kept : 0;
}

void blocks_account(struct ssdmodel *d)
{
	if (!d->has_slc)
		return;
	uint64_t units = d->layout[SLC].sb_units;
	uint64_t dynamic = (d->nblocks - d->nstatic - d->nnative) * units * d->p.pslc.dynamic_permille / 1000;
	uint64_t cap = d->p.pslc.dynamic_cap_bytes / SSDMODEL_UNIT;
	if (cap && dynamic > cap)
		dynamic = cap;
	uint64_t most = d->nblocks * units * d->p.pslc.dynamic_cap_permille / 1000;
	if (most && dynamic > most)
		dynamic = most;
	d->slc_limit = d->nstatic * units + dynamic;
	uint64_t used = d->nslc * units;
	d->slc_room = d->slc_limit > used ? d->slc_limit - used : 0;
	uint32_t native = blocks_native_free(d), low = d->p.background.low_blocks;
	if (d->exhausted && d->p.pslc.exhaustion != SSDMODEL_DIRECT)
		low = HARD_MIN_BLOCKS + 1;
	uint64_t openable = (d->nstatic > d->nslc ? d->nstatic - d->nslc : 0) + (native > low ? native - low : 0);
	if (d->slc_room > openable * units)
		d->slc_room = openable * units;
	/* Back to SLC. Where host data go through it while it is folded, room for a block or two is no sign of rest. */
	uint64_t reuse = d->p.pslc.reuse_bytes / SSDMODEL_UNIT;
	uint64_t rest = d->p.pslc.exhaustion == SSDMODEL_DIRECT ? units : 3 * units;
	if (rest > d->slc_limit)
		rest = d->slc_limit;
	if (d->exhausted && d->slc_room >= units && d->slc_room >= reuse && d->slc_room >= rest)
		d->exhausted = false;
}

static uint32_t take_dirty(struct ssdmodel *d)
{
	uint32_t number = d->dirty[d->dirty_head];
	d->dirty_head = d->dirty_head + 1 == d->nblocks ? 0 : d->dirty_head + 1;
	d->ndirty--;
	return number;
}

static uint32_t take_erased(struct ssdmodel *d)
{
	uint32_t number = d->erased[d->erased_head];
	d->erased_head = d->erased_head + 1 == d->nblocks ? 0 : d->erased_head + 1;
	d->nerased--;
	return number;
}

static void add_dirty(struct ssdmodel *d, uint32_t number)
{
	uint32_t at = d->dirty_head + d->ndirty++;
	d->dirty[at >= d->nblocks ? at - d->nblocks : at] = number;
	d->block[number].state = BLOCK_DIRTY;
}

bool block_erase_one(struct ssdmodel *d, nsec now)
{
	if (d->ndirty <= d->nlate)
		return false;
	uint32_t number = take_dirty(d);
	struct block *b = &d->block[number];
	for (uint32_t i = 0; i < d->ndies; i++)
		die_erase(d, b->mode, i, 1, now);
	b->erases++;
	b->state = BLOCK_ERASED;
	uint32_t at = d->erased_head + d->nerased;
	d->erased[at >= d->nblocks ? at - d->nblocks : at] = number;
	d->nerased++;
	return true;
}

/* One of the blocks that are erased when they are opened: one die after the other, some planes at a time. */
static uint32_t erase_late(struct ssdmodel *d, nsec now)
{
	uint32_t number = take_dirty(d), at_once = d->p.background.late_erase_planes;
	uint32_t steps = at_once ? (d->p.nand.planes + at_once - 1) / at_once : 1;
	struct block *b = &d->block[number];
	for (uint32_t i = 0; i < d->ndies; i++) {
		nsec end = die_erase(d, b->mode, i, steps, now);
		now = at_once ? end : now;
	}
	b->erases++;
	d->nlate--;
	return number;
}

void blocks_keep_late(struct ssdmodel *d)
{
	int mode = d->has_slc ? SLC : NATIVE;
	uint64_t bytes = (uint64_t)d->layout[mode].sb_units * SSDMODEL_UNIT;
	uint64_t wanted = (d->p.background.late_erase_bytes + bytes - 1) / bytes;
	d->nlate = wanted < d->nfree ? (uint32_t)wanted : d->nfree;
	while (d->ndirty < d->nlate) {
		uint32_t number = take_erased(d);
		d->block[number].mode = (uint8_t)mode;
		add_dirty(d, number);
	}
}

bool block_open(struct ssdmodel *d, enum stream_id id, nsec now)
{
	struct stream *s = &d->stream[id];
	bool slc = s->mode == SLC;
	blocks_settle(d);
	if (slc ? d->slc_room < d->layout[SLC].sb_units : blocks_native_free(d) <= (s->host ? HARD_MIN_BLOCKS : 0))
		return false;
	if (!d->nerased && !d->nlate)
		block_erase_one(d, now);
	uint32_t number = d->nlate ? erase_late(d, now) : take_erased(d);
	d->nfree--;
	*(slc ? &d->nslc : &d->nnative) += 1;
	struct block *b = &d->block[number];
	bool flat = s->block != NO_BLOCK && d->block[s->block].flat &&
		    d->block[s->block].nruns > d->layout[s->mode].sb_units / 64;
	b->state = BLOCK_OPEN;
	b->mode = s->mode;
	b->stream = (uint8_t)id;
	b->flat = flat;
	b->age = ++d->openings;
	s->block = number;
	stream_reset(d, id);
	blocks_account(d);
	return true;
}

void block_close(struct ssdmodel *d, enum stream_id id)
{
	uint32_t number = d->stream[id].block;
	map_settle(d);
	d->block[number].state = BLOCK_CLOSED;
	if (d->block[number].valid == 0)
		d->empty[d->nempty++] = number;
}

static void to_dirty(struct ssdmodel *d, uint32_t number)
{
	struct block *b = &d->block[number];
	add_dirty(d, number);
	d->nfree++;
	*(b->mode == SLC ? &d->nslc : &d->nnative) -= 1;
	free(b->runs);
	b->runs = NULL;
	b->nruns = b->maxruns = 0;
	b->holes = false;
	b->valid = b->written = 0;
}

void block_release(struct ssdmodel *d, uint32_t number)
{
	to_dirty(d, number);
	blocks_account(d);
}

void blocks_settle(struct ssdmodel *d)
{
	map_settle(d);
	if (d->nempty == 0)
		return;
	for (uint32_t i = 0; i < d->nempty; i++)
		to_dirty(d, d->empty[i]);
	d->nempty = 0;
	blocks_account(d);
}

void block_forget_all(struct ssdmodel *d)
{
	for (uint32_t i = 0; i < d->nblocks; i++)
		if (d->block[i].state == BLOCK_OPEN || d->block[i].state == BLOCK_CLOSED)
			to_dirty(d, i);
	for (int i = 0; i < NSTREAMS; i++)
		d->stream[i].block = NO_BLOCK;
	for (uint32_t i = 0; i < d->nblocks; i++)
		d->block[i].flat = false;
	d->nempty = d->nupdates = 0;
	d->exhausted = false;
	blocks_account(d);
}
