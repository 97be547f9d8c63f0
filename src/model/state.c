// SPDX-License-Identifier: MIT
/* A drive's state as a stream of bytes: the structure itself without its pointers, then what they lead to. One function
 * walks it for both directions, so that they cannot differ. The bytes are those in memory: a file is for this version
 * of the program on this kind of machine. Maps are stored as far as they are in use. */
#include "model/drive.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* To be raised with every change of what is stored; a change of sizes is noticed without. */
#define FORMAT 2

struct head {
	char magic[16];
	uint32_t format, head_bytes, drive_bytes, block_bytes, readahead_bytes, params_bytes;
};

static struct head head_of(void)
{
	return (struct head){"ssdmodel state", FORMAT, sizeof(struct head), sizeof(struct ssdmodel),
		sizeof(struct block), sizeof(struct readahead), sizeof(struct ssdmodel_params)};
}

struct walk {
	ssdmodel_stream *move;
	void *arg;
	bool loading, failed;
};

static void walk(struct walk *w, void *data, size_t bytes)
{
	if (bytes && !w->failed && w->move(w->arg, data, bytes))
		w->failed = true;
}
#define ARRAY(w, pointer, n) walk(w, pointer, (size_t)(n) * sizeof *(pointer))

/* All pointers of `from` (and what follows from the parameters alone), the rest stays. */
static void take_pointers(struct ssdmodel *to, const struct ssdmodel *from)
{
	memcpy(to->layout, from->layout, sizeof to->layout);
	to->die = from->die;
	to->channel = from->channel;
	to->bucket = from->bucket;
	to->segment = from->segment;
	to->lmap = from->lmap;
	to->rmap = from->rmap;
	to->gens = from->gens;
	to->bits = from->bits;
	to->block = from->block;
	to->erased = from->erased;
	to->dirty = from->dirty;
	to->empty = from->empty;
	for (int i = 0; i < NSTREAMS; i++)
		to->stream[i].ready = from->stream[i].ready;
	to->inflight = from->inflight;
	to->reclaim.staged = from->reclaim.staged;
	to->reclaim.next = from->reclaim.next;
	to->ra = from->ra;
	to->piece = from->piece;
	to->piece_hash = from->piece_hash;
	to->piece_stamp = from->piece_stamp;
	to->map_slot = from->map_slot;
	to->map_line = from->map_line;
}

static void walk_timeline(struct walk *w, struct ssdmodel *d)
{
	for (uint32_t i = 0; i < d->ndies; i++) {
		struct lane *channel = d->die[i].channel;
		struct die plain = d->die[i];
		plain.channel = NULL;
		ARRAY(w, &plain, 1);
		plain.channel = channel;
		if (w->loading)
			d->die[i] = plain;
	}
	ARRAY(w, d->channel, d->p.nand.channels);
	ARRAY(w, d->bucket, BUCKETS);
	for (int i = 0; i < NSTREAMS; i++)
		ARRAY(w, d->stream[i].ready, d->ndies);
	ARRAY(w, d->inflight, d->inflight_mask + 1);
	ARRAY(w, d->reclaim.staged, d->reclaim.nstaged);
	ARRAY(w, d->reclaim.next, d->reclaim.nnext);
	ARRAY(w, d->ra, d->nra);
}

static void walk_maps(struct walk *w, struct ssdmodel *d)
{
	ARRAY(w, d->segment, d->nsegments);
	for (uint32_t i = 0; i < d->nsegments; i++)
		if (d->segment[i].kind == SEG_FLAT)
			ARRAY(w, d->lmap + ((size_t)i << SEGMENT_SHIFT), SEGMENT_UNITS);
	if (!d->map_slots)
		return;
	ARRAY(w, d->map_slot, (d->units >> d->map_segment_shift) + 1);
	ARRAY(w, d->map_line, d->map_used);
}

static void walk_blocks(struct walk *w, struct ssdmodel *d)
{
	ARRAY(w, d->erased, d->nblocks);
	ARRAY(w, d->dirty, d->nblocks);
	ARRAY(w, d->empty, d->nblocks);
	for (uint32_t i = 0; i < d->nblocks; i++) {
		struct block *b = &d->block[i], plain = *b;
		size_t first = (size_t)i << d->shift;
		plain.runs = NULL;
		plain.maxruns = 0;
		ARRAY(w, &plain, 1);
		if (w->loading && !w->failed) {
			*b = plain;
			b->maxruns = b->flat ? 0 : b->nruns;
			w->failed |= b->maxruns && !(b->runs = malloc(b->maxruns * sizeof *b->runs));
		}
		if (w->failed)
			return;
		if (b->flat) {
			ARRAY(w, d->rmap + first, b->written);
			ARRAY(w, d->gens + first, b->written);
		} else {
			ARRAY(w, b->runs, b->nruns);
		}
		if (b->holes)
			walk(w, d->bits + (first >> 6), ((size_t)1 << d->shift) / 8);
	}
}

static void walk_arrays(struct walk *w, struct ssdmodel *d)
{
	walk_timeline(w, d);
	walk_maps(w, d);
	walk_blocks(w, d);
}

int ssdmodel_save(const struct ssdmodel *d, ssdmodel_stream *put, void *arg)
{
	struct walk w = {.move = put, .arg = arg};
	struct head head = head_of();
	struct ssdmodel plain = *d, none = {0};
	take_pointers(&plain, &none);
	walk(&w, &head, sizeof head);
	walk(&w, &plain.p, sizeof plain.p);
	walk(&w, &plain, sizeof plain);
	walk_arrays(&w, (struct ssdmodel *)d); /* saving leaves everything as it is */
	return w.failed ? -1 : 0;
}

static int wrong(char *message, size_t bytes, const char *text)
{
	if (bytes)
		snprintf(message, bytes, "%s", text);
	return -1;
}

int ssdmodel_load(struct ssdmodel *d, ssdmodel_stream *get, void *arg, char *message, size_t bytes)
{
	struct walk w = {.move = get, .arg = arg, .loading = true};
	struct head head = {0}, ours = head_of();
	struct ssdmodel_params params;
	struct ssdmodel saved;
	walk(&w, &head, sizeof head);
	if (w.failed || memcmp(&head, &ours, sizeof head))
		return wrong(message, bytes, "not a state of this version of the program");
	walk(&w, &params, sizeof params);
	if (w.failed || memcmp(&params, &d->p, sizeof params))
		return wrong(message, bytes, "the state of another drive: model, capacity or profile differ");
	walk(&w, &saved, sizeof saved);
	if (w.failed)
		return wrong(message, bytes, "the state is cut short");
	take_pointers(&saved, d);
	*d = saved;
	walk_arrays(&w, d);
	return w.failed ? wrong(message, bytes, "the state is cut short, or there is no memory for it") : 0;
}
