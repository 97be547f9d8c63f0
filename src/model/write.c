// SPDX-License-Identifier: MIT
/* Host writes: link, write buffer, append points, programs. */
#include "model/timeline.h"

#include <assert.h>
#include <string.h>

void stream_reset(struct ssdmodel *d, enum stream_id id)
{
	struct stream *s = &d->stream[id];
	s->off = s->slot = s->in_mpp = s->durable = 0;
	memset(s->ready, 0, d->ndies * sizeof *s->ready);
}

/* Takes finished programs out of the write buffer, oldest first, as a ring buffer would. */
static void retire_one(struct ssdmodel *d)
{
	const struct inflight *f = &d->inflight[d->inflight_head & d->inflight_mask];
	d->buffer_used -= f->bytes;
	struct stream *s = &d->stream[f->stream];
	if (s->block == f->block)
		s->durable = f->durable;
	d->inflight_head++;
	d->ninflight--;
}

void buffer_retire(struct ssdmodel *d, nsec now)
{
	while (d->ninflight && d->inflight[d->inflight_head & d->inflight_mask].release <= now)
		retire_one(d);
}

/* The time from which `bytes` find room in the buffer. */
nsec buffer_room(struct ssdmodel *d, uint32_t bytes, nsec ready)
{
	while (d->buffer_used + bytes > d->p.controller.write_buffer_bytes && d->ninflight) {
		ready = later(ready, d->inflight[d->inflight_head & d->inflight_mask].release);
		retire_one(d);
	}
	d->buffer_used += bytes;
	return ready;
}

void buffer_push(struct ssdmodel *d, nsec release, uint32_t bytes, enum stream_id id, uint32_t block, uint32_t durable)
{
	if (d->ninflight > d->inflight_mask)
		retire_one(d);
	if (d->ninflight) /* first in, first out */
		release = later(release, d->inflight[(d->inflight_head + d->ninflight - 1) & d->inflight_mask].release);
	d->inflight[(d->inflight_head + d->ninflight++) & d->inflight_mask] =
		(struct inflight){release, bytes, block, durable, (uint8_t)id};
}

void stream_feed(struct ssdmodel *d, enum stream_id id, uint32_t units, nsec arrival)
{
	struct stream *s = &d->stream[id];
	const struct layout *l = &d->layout[s->mode];
	while (units) {
		const struct slot *slot = &l->slot[s->slot];
		uint32_t n = least(units, l->mpp_units - s->in_mpp);
		s->ready[slot->die] = later(s->ready[slot->die], arrival);
		s->in_mpp += n;
		s->off += n;
		units -= n;
		if (s->in_mpp < l->mpp_units)
			break;
		s->in_mpp = 0;
		s->slot = s->slot + 1 == l->stripe_mpps ? 0 : s->slot + 1;
		if (!slot->last)
			continue;
		uint32_t durable = l->interleaved && s->slot ? s->off - s->slot * l->mpp_units : s->off;
		nsec ready = s->ready[slot->die];
		s->ready[slot->die] = 0;
		if (s->host) {
			nsec release = die_program(d, s->mode, slot->die, l->prog_units, ready, true);
			buffer_push(d, release, l->prog_units * SSDMODEL_UNIT, id, s->block, durable);
		} else {
			d->reclaim.next[d->reclaim.nnext++] =
				(struct staged){ready, s->block, durable, slot->die, (uint8_t)id};
		}
	}
	if (s->off == l->sb_units)
		block_close(d, id);
}

static bool open_for_writing(const struct ssdmodel *d, enum stream_id id)
{
	const struct stream *s = &d->stream[id];
	return s->block != NO_BLOCK && d->block[s->block].state == BLOCK_OPEN && d->block[s->block].stream == id;
}

/* Whether the next stretch of host data goes to SLC; *len: how long that holds, at most. */
static bool wants_slc(struct ssdmodel *d, uint32_t *len)
{
	if (!d->has_slc)
		return false;
	if (!d->exhausted)
		return true;
	if (d->p.pslc.exhaustion != SSDMODEL_MIXED)
		return d->p.pslc.exhaustion == SSDMODEL_FOLD;
	if (d->mixed_left == 0) {
		/* Stretches longer than the map's segments: these stay runs. */
		uint32_t stripe = d->layout[NATIVE].stripe_units;
		d->mixed_left = (4 * SEGMENT_UNITS + stripe - 1) / stripe * stripe;
		d->mixed_sum += d->p.pslc.mixed_direct_permille;
		d->mixed_direct = d->mixed_sum >= 1000;
		d->mixed_sum -= d->mixed_direct ? 1000 : 0;
	}
	*len = least(*len, d->mixed_left);
	return !d->mixed_direct;
}

/* The append point for the next host data, with a block open. */
static enum stream_id host_target(struct ssdmodel *d, uint32_t *len, nsec now)
{
	if (wants_slc(d, len)) {
		if (open_for_writing(d, HOST_SLC) || block_open(d, HOST_SLC, now))
			return HOST_SLC;
		if (!d->exhausted) {
			d->exhausted = true;
			blocks_account(d);
			return host_target(d, len, now);
		}
		if (reclaim_until_slc(d, now) && block_open(d, HOST_SLC, now))
			return HOST_SLC;
	}
	if (!open_for_writing(d, HOST_NATIVE)) {
		reclaim_until_free(d, now);
		if (!block_open(d, HOST_NATIVE, now))
			assert(!"the capacity leaves no free block: params_check() forbids that");
	}
	return HOST_NATIVE;
}

/* The map's side of a write. */
static void record(struct ssdmodel *d, const struct stream *s, uint32_t lba, uint32_t len)
{
	block_append(d, s->block, lba, len, (uint32_t)(d->units_written + 1));
	uint32_t ppa = s->block << d->shift | (d->block[s->block].written - len);
	if (len == 1) {
		map_replace_later(d, lba, ppa);
	} else {
		map_settle(d);
		map_replace(d, lba, len, ppa);
	}
	d->units_written += len;
}

nsec host_write(struct ssdmodel *d, uint32_t lba, uint32_t len, uint32_t bytes, nsec ready)
{
	uint32_t slack = len * SSDMODEL_UNIT - bytes;
	nsec arrival = ready;
	while (len) {
		uint32_t n = len;
		enum stream_id id = host_target(d, &n, arrival);
		struct stream *s = &d->stream[id];
		const struct layout *l = &d->layout[s->mode];
		n = least(n, l->sb_units - s->off);
		d->mixed_left -= d->mixed_left >= n ? n : d->mixed_left;
		if (d->p.one_by_one)
			for (uint32_t i = 0; i < n; i++)
				record(d, s, lba + i, 1);
		else
			record(d, s, lba, n);
		for (uint32_t left = n; left;) { /* page by page, in order, over the link */
			uint32_t k = least(left, l->mpp_units - s->in_mpp), size = k * SSDMODEL_UNIT;
			uint32_t cut =
				least(slack, size); /* the host brings only a part of the first unit or the last */
			slack -= cut;
			arrival = link_move(d, true, size - cut, buffer_room(d, size, arrival));
			stream_feed(d, id, k, arrival);
			left -= k;
		}
		reclaim_pay(d, s->mode, n, arrival);
		lba += n;
		len -= n;
	}
	return arrival;
}

nsec buffer_flush(struct ssdmodel *d, nsec now)
{
	for (int id = HOST_SLC; id <= HOST_NATIVE; id++) {
		struct stream *s = &d->stream[id];
		if (!open_for_writing(d, (enum stream_id)id))
			continue;
		const struct layout *l = &d->layout[s->mode];
		uint32_t whole = l->interleaved ? l->stripe_units : l->prog_units;
		uint32_t part = s->off % whole;
		if (part == 0)
			continue;
		uint32_t pad = whole - part;
		block_pad(d, s->block, pad);
		d->buffer_used += (uint64_t)pad * SSDMODEL_UNIT;
		stream_feed(d, (enum stream_id)id, pad, now);
	}
	nsec done = now;
	if (d->ninflight)
		done = later(done, d->inflight[(d->inflight_head + d->ninflight - 1) & d->inflight_mask].release);
	return done;
}
