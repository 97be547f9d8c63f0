// SPDX-License-Identifier: MIT
/* Reads: from the map to array reads. What one command (or one step of read-ahead) wants of one multi-plane page is
 * read at once, wherever in the command it stands. */
#include "model/timeline.h"

/* Data that wait in a buffer for their program need no read. */
static bool buffered(const struct ssdmodel *d, uint32_t ppa)
{
	const struct block *b = &d->block[ppa >> d->shift];
	return b->state == BLOCK_OPEN && (ppa & d->offset_mask) >= d->stream[b->stream].durable;
}

/* The page index within its block of a physical address, and the mode. */
static uint32_t page_of(const struct ssdmodel *d, uint32_t ppa, int *mode)
{
	*mode = d->block[ppa >> d->shift].mode;
	return divide(d->layout[*mode].by_mpp, ppa & d->offset_mask);
}

/* A run of physical units: page after page. */
static void read_run(
	struct ssdmodel *d, uint32_t lba, uint32_t ppa, uint32_t len, nsec ready, read_sink *sink, void *arg)
{
	int mode;
	uint32_t page = page_of(d, ppa, &mode), off = ppa & d->offset_mask;
	const struct layout *l = &d->layout[mode];
	uint32_t in_page = off - page * l->mpp_units;
	const struct slot *slot = slot_of(l, page), *end = l->slot + l->stripe_mpps;
	while (len) {
		uint32_t n = least(len, l->mpp_units - in_page);
		nsec arrival = ready;
		if (buffered(d, ppa)) {
			d->n.buffer_hit_units += n;
		} else {
			uint32_t planes = divide(l->by_plane, in_page + n - 1) - divide(l->by_plane, in_page) + 1;
			arrival = die_read(d, mode, slot, n, planes, ready, true);
		}
		sink(d, arg, lba, n, arrival);
		lba += n;
		ppa += n;
		len -= n;
		in_page = 0;
		slot = slot + 1 == end ? l->slot : slot + 1;
	}
}

/* Scattered units: gathered by page first. */
static void read_scattered(struct ssdmodel *d, uint32_t lba, uint32_t len, nsec ready, read_sink *sink, void *arg)
{
	uint32_t pieces = 0;
	d->batch++;
	for (uint32_t i = 0; i < len;) {
		struct extent e = map_lookup(d, lba + i, len - i);
		if (e.ppa == UNMAPPED || buffered(d, e.ppa)) {
			d->n.buffer_hit_units += e.ppa == UNMAPPED ? 0 : e.len;
			sink(d, arg, lba + i, e.len, ready);
			i += e.len;
			continue;
		}
		int mode;
		uint32_t page = page_of(d, e.ppa, &mode);
		const struct layout *l = &d->layout[mode];
		uint32_t in_page = (e.ppa & d->offset_mask) - page * l->mpp_units;
		uint32_t n = least(e.len, l->mpp_units - in_page);
		uint32_t first = divide(l->by_plane, in_page), last = divide(l->by_plane, in_page + n - 1);
		uint8_t planes = (uint8_t)(((2u << last) - 1) & ~((1u << first) - 1));
		uint32_t id = e.ppa - in_page; /* of the page: its first unit */
		uint32_t h = (id * 2654435761u) >> (32 - BATCH_HASH_BITS);
		while (d->piece_stamp[h] == d->batch && d->piece[d->piece_hash[h]].page != id)
			h = (h + 1) & (BATCH_HASH - 1);
		if (d->piece_stamp[h] == d->batch) {
			struct piece *p = &d->piece[d->piece_hash[h]];
			p->units += n;
			p->planes |= planes;
		} else {
			d->piece_stamp[h] = d->batch;
			d->piece_hash[h] = (uint16_t)pieces;
			d->piece[pieces++] = (struct piece){id, lba + i, (uint16_t)n, planes};
		}
		i += n;
	}
	for (uint32_t i = 0; i < pieces; i++) {
		const struct piece *p = &d->piece[i];
		int mode;
		uint32_t page = page_of(d, p->page, &mode);
		nsec arrival = die_read(d, mode, slot_of(&d->layout[mode], page), p->units,
			(uint32_t)__builtin_popcount(p->planes), ready, true);
		sink(d, arg, p->lba, p->units, arrival);
	}
}

/* In-place media: the address says where. */
static void read_in_place(struct ssdmodel *d, uint32_t lba, uint32_t len, nsec ready, read_sink *sink, void *arg)
{
	const struct layout *l = &d->layout[NATIVE];
	while (len) {
		uint32_t page = lba / l->mpp_units, in_page = lba % l->mpp_units,
			 n = least(len, l->mpp_units - in_page);
		uint32_t planes = divide(l->by_plane, in_page + n - 1) - divide(l->by_plane, in_page) + 1;
		nsec arrival = die_read(d, NATIVE, &l->slot[page % l->stripe_mpps], n, planes, ready, true);
		sink(d, arg, lba, n, arrival);
		lba += n;
		len -= n;
	}
}

void read_units(struct ssdmodel *d, uint32_t lba, uint32_t len, nsec ready, read_sink *sink, void *arg)
{
	if (d->in_place) {
		read_in_place(d, lba, len, ready, sink, arg);
		return;
	}
	buffer_retire(d, ready);
	while (len) {
		struct extent e = map_lookup(d, lba, len);
		if (e.ppa == UNMAPPED) {
			sink(d, arg, lba, e.len, ready);
		} else if (e.len == len || e.len >= d->layout[NATIVE].mpp_units) {
			if (!d->p.one_by_one)
				read_run(d, lba, e.ppa, e.len, ready, sink, arg);
			else
				for (uint32_t i = 0; i < e.len;) { /* page by page */
					int mode;
					uint32_t page = page_of(d, e.ppa + i, &mode), mpp = d->layout[mode].mpp_units;
					uint32_t n =
						least(e.len - i, (page + 1) * mpp - ((e.ppa + i) & d->offset_mask));
					read_run(d, lba + i, e.ppa + i, n, ready, sink, arg);
					i += n;
				}
		} else {
			e.len = least(len, BATCH_UNITS);
			read_scattered(d, lba, e.len, ready, sink, arg);
		}
		lba += e.len;
		len -= e.len;
	}
}

/* To the host: each piece goes over the link as it comes. */
void send_to_host(struct ssdmodel *d, void *arg, uint32_t lba, uint32_t units, nsec arrival)
{
	struct to_host *t = arg;
	uint32_t bytes = units * SSDMODEL_UNIT, cut = least(t->slack, bytes);
	t->slack -= cut;
	t->done = later(t->done, link_move(d, false, bytes - cut, arrival));
}

nsec host_read(struct ssdmodel *d, uint32_t lba, uint32_t len, uint32_t bytes, nsec ready)
{
	d->n.host_read_units += len;
	uint32_t slack = len * SSDMODEL_UNIT - bytes;
	if (d->nra)
		return readahead_read(d, lba, len, slack, ready);
	struct to_host t = {ready, slack};
	read_units(d, lba, len, ready, send_to_host, &t);
	return t.done;
}

static void keep(struct ssdmodel *d, void *arg, uint32_t lba, uint32_t units, nsec arrival)
{
	nsec *done = arg;
	*done = later(*done, arrival);
}

/* The unit of which a write brings only a part must be read first. Returns when it is there. */
nsec read_partial(struct ssdmodel *d, uint32_t lba, nsec ready)
{
	nsec done = ready;
	read_units(d, lba, 1, ready, keep, &done);
	return done;
}
