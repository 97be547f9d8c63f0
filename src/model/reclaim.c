// SPDX-License-Identifier: MIT
/* Reclaiming: folding SLC blocks into native ones and collecting native ones is one job: read what is valid in a
 * victim, program it elsewhere, let the victim go. Done in steps of one native stripe. Forced reclaiming is paced by
 * accounting: when a victim with v valid units frees cells for c, the host may take c - v of them while v are moved. */
#include "model/timeline.h"

#include <assert.h>

/* The closed block with the fewest valid units, the oldest of equals; UNMAPPED if none has at most `most_valid`.
 * Every block is worth the same cells, so valid units are its price, whatever its mode. */
uint32_t reclaim_pick(const struct ssdmodel *d, bool slc_only, uint32_t most_valid)
{
	uint32_t best = NO_BLOCK;
	bool slc = d->nslc > d->nstatic || slc_only;
	for (uint32_t i = 0; i < d->nblocks; i++) {
		const struct block *b = &d->block[i];
		if (b->state != BLOCK_CLOSED || (b->mode == SLC ? !slc : slc_only) || b->valid > most_valid)
			continue;
		if (best == NO_BLOCK || b->valid < d->block[best].valid ||
			(b->valid == d->block[best].valid && (int32_t)(b->age - d->block[best].age) < 0))
			best = i;
	}
	return best;
}

/* The next victim: one that makes room in SLC, if that is wanted and native blocks are left to fold it into; else one
 * that frees native cells, at whatever gain. */
uint32_t reclaim_choose(const struct ssdmodel *d, bool slc)
{
	uint32_t victim = NO_BLOCK;
	if (slc && blocks_native_free(d) > HARD_MIN_BLOCKS)
		victim = reclaim_pick(d, true, d->layout[SLC].sb_units);
	return victim != NO_BLOCK ? victim : reclaim_pick(d, false, d->layout[NATIVE].sb_units - 1);
}

void reclaim_begin(struct ssdmodel *d, uint32_t victim)
{
	map_settle(d);
	d->reclaim.victim = victim;
	d->reclaim.pos = 0;
	d->reclaim.debt = 0;
	struct block *b = &d->block[victim];
	if (!b->holes)
		block_use_bitmap(d, b);
	uint32_t cells = d->layout[NATIVE].sb_units, slc = d->layout[SLC].sb_units;
	d->reclaim.valid_at_first = b->valid;
	d->reclaim.credit = ((uint64_t)cells << 16) / (b->valid ? b->valid : 1);
	d->reclaim.rate = ((uint64_t)b->valid << 16) / (cells > b->valid ? cells - b->valid : 1);
	d->reclaim.rate_slc = 0;
	if (b->mode == SLC) {
		uint64_t shrinks = (uint64_t)b->valid * slc / cells * d->p.pslc.dynamic_permille / 1000;
		d->reclaim.rate_slc = ((uint64_t)b->valid << 16) / (slc > shrinks ? slc - shrinks : 1);
	}
}

static void book_staged(struct ssdmodel *d, const struct staged *p, nsec now)
{
	die_program(d, NATIVE, p->die, d->layout[NATIVE].prog_units, later(p->ready, now), !d->p.nand.on_chip_copy);
	if (d->stream[p->stream].block == p->block)
		d->stream[p->stream].durable = p->durable;
}

/* Books the programs whose data the step before has read, those that are not booked yet. */
void reclaim_flush(struct ssdmodel *d, nsec now)
{
	struct reclaim *r = &d->reclaim;
	for (uint32_t i = r->nbooked; i < r->nstaged; i++)
		book_staged(d, &r->staged[i], now);
	r->nbooked = 0;
	r->nstaged = r->nnext;
	r->nnext = 0;
	struct staged *swap = r->staged;
	r->staged = r->next;
	r->next = swap;
}

/* The valid bits of `n` <= 64 units from `off` on. */
static uint64_t window(const struct ssdmodel *d, uint32_t block, uint32_t off, uint32_t n)
{
	const uint64_t *bits = d->bits + ((size_t)block << d->shift >> 6);
	uint64_t w = bits[off >> 6] >> (off & 63);
	if ((off & 63) + n > 64)
		w |= bits[(off >> 6) + 1] << (64 - (off & 63));
	return n == 64 ? w : w & ((UINT64_C(1) << n) - 1);
}

static uint32_t planes_of(const struct ssdmodel *d, uint64_t w)
{
	uint32_t unit = d->p.nand.page_bytes / SSDMODEL_UNIT, planes = 0;
	uint64_t mask = unit == 64 ? ~UINT64_C(0) : (UINT64_C(1) << unit) - 1;
	for (; w; w = unit == 64 ? 0 : w >> unit)
		planes += (w & mask) != 0;
	return planes;
}

/* Moves a run of valid units to the append point `id`, wherever that leads. */
static void move_run(
	struct ssdmodel *d, enum stream_id id, uint32_t lba, uint32_t len, uint32_t gen, nsec arrival, nsec now)
{
	struct stream *s = &d->stream[id];
	while (len) {
		bool open = s->block != NO_BLOCK && d->block[s->block].state == BLOCK_OPEN &&
			    d->block[s->block].stream == id;
		if (!open && !block_open(d, id, now))
			assert(!"reclaiming has used up its reserve of free blocks");
		uint32_t n = least(len, d->layout[NATIVE].sb_units - s->off);
		block_append(d, s->block, lba, n, gen);
		map_replace(d, lba, n, s->block << d->shift | s->off);
		stream_feed(d, id, n, arrival);
		lba += n;
		gen += n;
		len -= n;
	}
}

/* Single units between flat blocks and flat segments: what random overwrite comes down to. Returns how many it moved,
 * lowest bits of `w` first; the rest needs the general way. */
static uint32_t move_flat(struct ssdmodel *d, enum stream_id id, uint32_t source, uint64_t *w)
{
	struct stream *s = &d->stream[id];
	struct block *to = s->block == NO_BLOCK ? NULL : &d->block[s->block];
	if (!to || to->state != BLOCK_OPEN || to->stream != id || !to->flat)
		return 0;
	uint32_t room = d->layout[NATIVE].sb_units - s->off, target = s->block << d->shift | s->off, n = 0;
	uint64_t left = *w, done = 0;
	while (left && n < room) {
		uint32_t from = source + (uint32_t)__builtin_ctzll(left), lba = d->rmap[from];
		if (d->segment[lba >> SEGMENT_SHIFT].kind != SEG_FLAT)
			break;
		d->lmap[lba] = target + n;
		d->rmap[target + n] = lba;
		d->gens[target + n] = d->gens[from];
		done |= left & -left;
		left &= left - 1;
		n++;
	}
	if (to->holes)
		bits_set(d->bits + ((size_t)s->block << d->shift >> 6), s->off, n, true);
	to->written += n;
	to->valid += n;
	to->nruns += n;
	struct block *b = &d->block[d->reclaim.victim];
	b->valid -= n;
	uint64_t *bits = d->bits + (source >> 6);
	bits[0] &= ~(done << (source & 63));
	if (source & 63)
		bits[1] &= ~(done >> (64 - (source & 63)));
	*w = left;
	return n;
}

static void move_page(struct ssdmodel *d, enum stream_id id, uint32_t source, uint64_t w, nsec arrival, nsec now)
{
	const struct block *b = &d->block[d->reclaim.victim];
	if (b->flat && !d->p.one_by_one) {
		uint32_t n = move_flat(d, id, source, &w);
		if (n)
			stream_feed(d, id, n, arrival);
	}
	while (w) {
		uint32_t first = (uint32_t)__builtin_ctzll(w), run;
		struct run e = block_run(d, source + first, &run);
		uint64_t gaps = ~(w >> first);
		uint32_t ones = gaps ? (uint32_t)__builtin_ctzll(gaps) : 64;
		uint32_t n = d->p.one_by_one ? 1 : least(ones, run);
		move_run(d, id, e.lba, n, e.gen, arrival, now);
		w &= n == 64 ? 0 : ~(((UINT64_C(1) << n) - 1) << first);
	}
}

/* One step of the job: up to a native stripe is read and moved; on each die a program of the step before is booked
 * behind the reads. Die by die, as far as both come in the same order: if all the reads were first, the programs of all
 * dies of a channel would wait for the last of them. *next: when a die is free for more. */
bool reclaim_step(struct ssdmodel *d, nsec now, nsec *next)
{
	struct reclaim *r = &d->reclaim;
	if (r->victim == NO_BLOCK)
		return false;
	map_settle(d);
	uint32_t number = r->victim, moved = 0, pages = 0, last = UINT32_MAX, budget = d->layout[NATIVE].stripe_units;
	struct block *b = &d->block[number];
	int mode = b->mode;
	const struct layout *l = &d->layout[mode];
	enum stream_id id = mode == SLC ? FOLDED : COLLECTED;
	nsec ready = core_take(d, now, (nsec)least(budget, b->valid) * d->p.controller.background_4k);
	while (moved < budget && b->valid && r->pos < b->written) {
		uint32_t page = divide(l->by_mpp, r->pos), n = least(l->mpp_units, b->written - r->pos);
		uint64_t w = window(d, number, r->pos, n);
		uint32_t source = number << d->shift | r->pos;
		r->pos += n;
		if (w == 0)
			continue;
		if (b->flat)
			for (uint32_t i = 0; i < n; i++) /* two pages ahead; beyond the block it does no harm */
				__builtin_prefetch(
					&d->lmap[least(d->rmap[source + 2 * l->mpp_units + i], d->units - 1)], 1);
		uint32_t count = (uint32_t)__builtin_popcountll(w);
		const struct slot *slot = slot_of(l, page);
		if (slot->die != last) {
			while (r->nbooked < r->nstaged && r->staged[r->nbooked].die == last)
				book_staged(d, &r->staged[r->nbooked++], now);
			last = slot->die;
		}
		nsec arrival = die_read(d, mode, slot, count, planes_of(d, w), ready, !d->p.nand.on_chip_copy);
		move_page(d, id, source, w, arrival, now);
		moved += count;
		pages++;
	}
	*(mode == SLC ? &d->n.folded_units : &d->n.collected_units) += moved;
	reclaim_flush(d, now);
	if (b->valid == 0) {
		reclaim_flush(d, now);
		r->victim = NO_BLOCK;
		block_release(d, number);
	}
	if (next) {
		nsec first = NSEC_NEVER;
		for (uint32_t i = 0; i < d->ndies; i++)
			first = d->die[i].free < first ? d->die[i].free : first;
		*next = later(first, now + 1);
	}
	return true;
}

/* Until a free block may be opened for native host data. */
void reclaim_until_free(struct ssdmodel *d, nsec now)
{
	blocks_settle(d);
	while (blocks_native_free(d) <= HARD_MIN_BLOCKS) {
		if (d->reclaim.victim == NO_BLOCK) {
			uint32_t victim = reclaim_choose(d, false);
			if (victim == NO_BLOCK)
				return;
			reclaim_begin(d, victim);
		}
		reclaim_step(d, now, NULL);
	}
}

/* Until an SLC block may be opened; false if no folding helps. */
bool reclaim_until_slc(struct ssdmodel *d, nsec now)
{
	blocks_settle(d);
	while (d->slc_room < d->layout[SLC].sb_units) {
		if (d->reclaim.victim == NO_BLOCK) {
			uint32_t victim = reclaim_choose(d, true);
			if (victim == NO_BLOCK ||
				(d->block[victim].mode == NATIVE && blocks_native_free(d) > HARD_MIN_BLOCKS))
				return false; /* nothing left in SLC to fold */
			reclaim_begin(d, victim);
		}
		reclaim_step(d, now, NULL);
	}
	return true;
}

static uint32_t rest_of(const struct ssdmodel *d, enum stream_id id)
{
	const struct stream *s = &d->stream[id];
	bool open = s->block != NO_BLOCK && d->block[s->block].state == BLOCK_OPEN && d->block[s->block].stream == id;
	return open ? d->layout[NATIVE].sb_units - s->off : 0;
}

/* How far the free cells are below the mark, in super-blocks, 16.16. What is left of open blocks counts, and what is
 * done of the victim: so forced reclaiming sets in and settles smoothly. */
static uint64_t shortage(const struct ssdmodel *d)
{
	uint64_t cells = d->layout[NATIVE].sb_units, mark = d->p.background.low_blocks * cells;
	uint64_t supply = blocks_native_free(d) * cells;
	if (supply >= mark)
		return 0;
	supply += rest_of(d, HOST_NATIVE) + rest_of(d, FOLDED) + rest_of(d, COLLECTED);
	if (d->reclaim.victim != NO_BLOCK)
		supply += ((d->reclaim.valid_at_first - d->block[d->reclaim.victim].valid) * d->reclaim.credit) >> 16;
	return supply >= mark ? 0 : (mark - supply) * d->reclaim.per_block >> 32;
}

/* The host has taken `units` in `mode`: what must be moved for it now. */
void reclaim_pay(struct ssdmodel *d, int mode, uint32_t units, nsec now)
{
	struct reclaim *r = &d->reclaim;
	const struct ssdmodel_params *p = &d->p;
	const uint32_t cells = d->layout[NATIVE].sb_units, slc = d->layout[SLC].sb_units;
	uint64_t lacking = shortage(d);
	bool for_slc = mode == SLC && d->exhausted && p->pslc.exhaustion != SSDMODEL_DIRECT && d->slc_room < slc;
	bool eager =
		p->pslc.busy_fold_permille && d->has_slc &&
		(d->exhausted || (uint64_t)d->nslc * slc * 1000 >= d->slc_limit * p->pslc.busy_fold_start_permille);
	if (!lacking && !for_slc && !eager)
		return;
	if (r->victim == NO_BLOCK) {
		blocks_settle(d);
		uint32_t victim = reclaim_choose(d, for_slc || (eager && !lacking));
		if (victim == NO_BLOCK || (!lacking && d->block[victim].mode == NATIVE))
			return;
		reclaim_begin(d, victim);
	}
	uint64_t rate = 0;
	if (lacking) {
		rate = r->rate * lacking >> 16;
		if (mode == SLC)
			rate = rate * cells / slc;
	}
	if (for_slc && r->rate_slc > rate)
		rate = r->rate_slc;
	if (eager && rate < ((uint64_t)p->pslc.busy_fold_permille << 16) / 1000)
		rate = ((uint64_t)p->pslc.busy_fold_permille << 16) / 1000;
	r->debt += units * rate;
	uint64_t step = (uint64_t)d->layout[NATIVE].stripe_units << 16;
	while (r->debt >= step && r->victim != NO_BLOCK) {
		r->debt -= step;
		reclaim_step(d, now, NULL);
	}
}
