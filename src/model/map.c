// SPDX-License-Identifier: MIT
/* The map: logical units to physical ones. A segment written in sequence is one or two runs; one that is broken up is
 * flat, a page of lmap[]. A flat one that has been written in sequence again becomes a run again.
 * In-place media need no map; there the same structure holds generations instead of addresses. */
#include "model/drive.h"

/* The value at `i` of a segment of runs, and how many follow it consecutively. */
static struct extent run_lookup(const struct segment *s, uint32_t i)
{
	if (s->kind == SEG_EMPTY || i >= s->end)
		return (struct extent){UNMAPPED, SEGMENT_UNITS - i};
	if (i < s->start)
		return (struct extent){UNMAPPED, s->start - i};
	if (i < s->split)
		return (struct extent){s->ppa0 + (i - s->start), s->split - i};
	return (struct extent){s->ppa1 + (i - s->split), s->end - i};
}

static struct extent flat_lookup(const uint32_t *map, uint32_t i, uint32_t max)
{
	uint32_t ppa = map[i], n = 1;
	if (ppa == UNMAPPED)
		while (n < max && map[i + n] == UNMAPPED)
			n++;
	else
		while (n < max && map[i + n] == ppa + n)
			n++;
	return (struct extent){ppa, n};
}

struct extent map_lookup(const struct ssdmodel *d, uint32_t lba, uint32_t max)
{
	const struct segment *s = &d->segment[lba >> SEGMENT_SHIFT];
	uint32_t i = lba & (SEGMENT_UNITS - 1);
	max = least(max, SEGMENT_UNITS - i);
	struct extent e;
	if (s->kind == SEG_FLAT)
		return flat_lookup(d->lmap + lba - i, i, max);
	e = run_lookup(s, i);
	e.len = least(e.len, max);
	return e;
}

static void flatten(struct ssdmodel *d, struct segment *s, uint32_t *map)
{
	for (uint32_t i = 0; i < SEGMENT_UNITS;) {
		struct extent e = run_lookup(s, i);
		for (uint32_t k = 0; k < e.len; k++)
			map[i + k] = e.ppa == UNMAPPED ? UNMAPPED : e.ppa + k;
		i += e.len;
	}
	s->kind = SEG_FLAT;
}

/* A flat segment that is one run, after a write up to its end, is stored as such again. */
static void compact(struct segment *s, const uint32_t *map)
{
	if (map[0] == UNMAPPED || map[SEGMENT_UNITS - 1] != map[0] + SEGMENT_UNITS - 1)
		return;
	for (uint32_t i = 1; i < SEGMENT_UNITS; i++)
		if (map[i] != map[0] + i)
			return;
	*s = (struct segment){map[0], 0, 0, SEGMENT_UNITS, SEGMENT_UNITS, SEG_RUNS};
}

static void drop_old(struct ssdmodel *d, uint32_t ppa, uint32_t len)
{
	d->mapped -= len;
	if (!d->in_place)
		block_invalidate(d, ppa, len);
}

/* Puts [a, b) at ppa into a segment of runs, whose old content there is already invalidated. False if it doesn't fit.
 */
static bool run_put(struct segment *s, uint32_t a, uint32_t b, uint32_t ppa)
{
	if (s->kind == SEG_EMPTY || (a <= s->start && b >= s->end)) {
		if (ppa == UNMAPPED)
			*s = (struct segment){0, 0, 0, 0, 0, SEG_EMPTY};
		else
			*s = (struct segment){ppa, 0, (uint16_t)a, (uint16_t)b, (uint16_t)b, SEG_RUNS};
		return true;
	}
	/* The pieces of old content that remain: up to two runs, cut by [a, b). */
	struct part {
		uint32_t a, b, ppa;
	} part[5];
	uint32_t n = 0;
	const struct part old[2] = {{s->start, s->split, s->ppa0}, {s->split, s->end, s->ppa1}};
	bool placed = ppa == UNMAPPED;
	for (int i = 0; i < 2; i++) {
		uint32_t left = least(old[i].b, a), right = old[i].a > b ? old[i].a : b;
		if (left > old[i].a)
			part[n++] = (struct part){old[i].a, left, old[i].ppa};
		if (!placed && old[i].b > a) {
			part[n++] = (struct part){a, b, ppa};
			placed = true;
		}
		if (right < old[i].b)
			part[n++] = (struct part){right, old[i].b, old[i].ppa + (right - old[i].a)};
	}
	if (!placed)
		part[n++] = (struct part){a, b, ppa};
	uint32_t m = 0; /* join what is consecutive */
	for (uint32_t i = 1; i < n; i++) {
		if (part[i].a == part[m].b && part[i].ppa == part[m].ppa + (part[m].b - part[m].a))
			part[m].b = part[i].b;
		else
			part[++m] = part[i];
	}
	n = n ? m + 1 : 0;
	if (n > 2 || (n == 2 && part[1].a != part[0].b))
		return false;
	if (n == 0)
		*s = (struct segment){0, 0, 0, 0, 0, SEG_EMPTY};
	else if (n == 1)
		*s = (struct segment){
			part[0].ppa, 0, (uint16_t)part[0].a, (uint16_t)part[0].b, (uint16_t)part[0].b, SEG_RUNS};
	else
		*s = (struct segment){part[0].ppa, part[1].ppa, (uint16_t)part[0].a, (uint16_t)part[0].b,
			(uint16_t)part[1].b, SEG_RUNS};
	return true;
}

static void replace_in_segment(struct ssdmodel *d, uint32_t number, uint32_t i, uint32_t len, uint32_t ppa)
{
	struct segment *s = &d->segment[number];
	uint32_t *map = d->lmap + ((size_t)number << SEGMENT_SHIFT);
	if (s->kind != SEG_FLAT) {
		for (uint32_t k = 0; s->kind != SEG_EMPTY && k < len;) {
			struct extent e = run_lookup(s, i + k);
			e.len = least(e.len, len - k);
			if (e.ppa != UNMAPPED)
				drop_old(d, e.ppa, e.len);
			k += e.len;
		}
		if (run_put(s, i, i + len, ppa))
			return;
		flatten(d, s, map);
	} else if (len == 1) {
		if (map[i] != UNMAPPED)
			drop_old(d, map[i], 1);
	} else {
		for (uint32_t k = 0; k < len;) {
			struct extent e = flat_lookup(map, i + k, len - k);
			if (e.ppa != UNMAPPED)
				drop_old(d, e.ppa, e.len);
			k += e.len;
		}
	}
	if (ppa == UNMAPPED)
		for (uint32_t k = 0; k < len; k++)
			map[i + k] = UNMAPPED;
	else
		for (uint32_t k = 0; k < len; k++)
			map[i + k] = ppa + k;
	if (i + len == SEGMENT_UNITS)
		compact(s, map);
}

void map_replace(struct ssdmodel *d, uint32_t lba, uint32_t len, uint32_t ppa)
{
	if (ppa != UNMAPPED)
		d->mapped += len;
	while (len) {
		uint32_t i = lba & (SEGMENT_UNITS - 1), n = least(len, SEGMENT_UNITS - i);
		replace_in_segment(d, lba >> SEGMENT_SHIFT, i, n, ppa);
		lba += n;
		len -= n;
		ppa = ppa == UNMAPPED ? UNMAPPED : ppa + n;
	}
}

void map_replace_later(struct ssdmodel *d, uint32_t lba, uint32_t ppa)
{
	if (d->segment[lba >> SEGMENT_SHIFT].kind != SEG_FLAT || (lba & (SEGMENT_UNITS - 1)) == SEGMENT_UNITS - 1) {
		map_settle(d);
		map_replace(d, lba, 1, ppa);
		return;
	}
	d->update[d->nupdates++] = (struct update){lba, ppa, 0};
	if (d->nupdates == UPDATES)
		map_apply(d);
}

void map_apply(struct ssdmodel *d)
{
	for (uint32_t i = 0; i < d->nupdates; i++) {
		struct update *u = &d->update[i];
		u->old = d->lmap[u->lba];
		d->lmap[u->lba] = u->ppa;
		if (u->old != UNMAPPED)
			__builtin_prefetch(&d->bits[u->old >> 6], 1);
	}
	d->mapped += d->nupdates;
	for (uint32_t i = 0; i < d->nupdates; i++)
		if (d->update[i].old != UNMAPPED)
			drop_old(d, d->update[i].old, 1);
	d->nupdates = 0;
}
