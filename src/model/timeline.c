// SPDX-License-Identifier: MIT
#include "model/timeline.h"

/* The hole that ends first gives way: it is the first that time makes useless. */
void lane_add_hole(struct lane *l, nsec start, nsec end)
{
	if (l->nholes < l->maxholes) {
		l->hole[l->nholes++] = (struct hole){start, end};
		return;
	}
	uint32_t first = 0;
	for (uint32_t i = 1; i < l->nholes; i++)
		first = l->hole[i].end < l->hole[first].end ? i : first;
	if (l->hole[first].end < end)
		l->hole[first] = (struct hole){start, end};
}

nsec lane_book_early(struct lane *l, nsec ready, nsec length)
{
	uint32_t best = LANE_HOLES;
	nsec at = l->free;
	for (uint32_t i = 0; i < l->nholes; i++) {
		nsec start = later(l->hole[i].start, ready);
		if (start + length <= l->hole[i].end && start < at) {
			at = start;
			best = i;
		}
	}
	if (best == LANE_HOLES)
		return l->free += length;
	struct hole *h = &l->hole[best], rest = {h->start, at};
	h->start = at + length;
	if (h->end - h->start < l->shortest)
		*h = l->hole[--l->nholes];
	if (rest.end - rest.start >= l->shortest)
		lane_add_hole(l, rest.start, rest.end);
	return at + length;
}
