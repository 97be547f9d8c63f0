// SPDX-License-Identifier: MIT
#include "model/timeline.h"

/* The holes of a lane: a ring in order of time. */
static struct hole *hole_at(struct lane *l, uint32_t i)
{
	return &l->hole[(l->first + i) % LANE_HOLES];
}

/* A hole behind all others. When the list is full the first gives way: time makes it useless first. */
void lane_add_hole(struct lane *l, nsec start, nsec end)
{
	if (l->nholes == l->maxholes) {
		l->first++;
		l->nholes--;
	}
	*hole_at(l, l->nholes++) = (struct hole){start, end};
}

/* Before hole `i` there shall be another; the first gives way if need be, which may be the new one itself. */
static void insert_hole(struct lane *l, uint32_t i, struct hole h)
{
	if (l->nholes < l->maxholes) {
		l->first += LANE_HOLES - 1;
		l->nholes++;
		i++;
	}
	if (i == 0)
		return;
	for (uint32_t k = 0; k + 1 < i; k++)
		*hole_at(l, k) = *hole_at(l, k + 1);
	*hole_at(l, i - 1) = h;
}

static void remove_hole(struct lane *l, uint32_t i)
{
	for (; i > 0; i--)
		*hole_at(l, i) = *hole_at(l, i - 1);
	l->first++;
	l->nholes--;
}

nsec lane_book_early(struct lane *l, nsec ready, nsec length)
{
	uint32_t i = 0;
	nsec at = 0;
	for (; i < l->nholes; i++) {
		const struct hole *h = hole_at(l, i);
		at = later(h->start, ready);
		if (at + length <= h->end)
			break;
	}
	if (i == l->nholes)
		return l->free += length;
	struct hole *h = hole_at(l, i), before = {h->start, at};
	bool keep_before = before.end - before.start >= l->shortest;
	h->start = at + length;
	if (h->end - h->start >= l->shortest) {
		if (keep_before)
			insert_hole(l, i, before);
	} else if (keep_before) {
		*h = before;
	} else {
		remove_hole(l, i);
	}
	return at + length;
}
