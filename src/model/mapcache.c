// SPDX-License-Identifier: MIT
/* A map that doesn't fit the controller's memory: a cache of map pages, the least recently used gives way. A miss costs
 * a flash read before the data's; pages that were changed are programmed when they leave, a program unit's worth
 * together. The flash they live in is outside of the block accounting. */
#include "model/timeline.h"

static void unlink_line(struct ssdmodel *d, uint32_t i)
{
	struct map_line *l = &d->map_line[i];
	*(l->newer == UNMAPPED ? &d->map_newest : &d->map_line[l->newer].older) = l->older;
	*(l->older == UNMAPPED ? &d->map_oldest : &d->map_line[l->older].newer) = l->newer;
}

static void link_newest(struct ssdmodel *d, uint32_t i)
{
	d->map_line[i].older = d->map_newest;
	d->map_line[i].newer = UNMAPPED;
	*(d->map_newest == UNMAPPED ? &d->map_oldest : &d->map_line[d->map_newest].newer) = i;
	d->map_newest = i;
}

static bool anything_mapped(const struct ssdmodel *d, uint32_t map_segment)
{
	uint32_t from = map_segment << d->map_segment_shift, to = from + (1u << d->map_segment_shift);
	for (uint32_t lba = from; lba < to && lba < d->units; lba += SEGMENT_UNITS)
		if (d->segment[lba >> SEGMENT_SHIFT].kind != SEG_EMPTY)
			return true;
	return false;
}

static nsec miss(struct ssdmodel *d, uint32_t segment, uint32_t *line, nsec ready)
{
	int mode = d->has_slc ? SLC : NATIVE;
	uint32_t i = d->map_used;
	if (d->map_used < d->map_slots) {
		d->map_used++;
	} else {
		i = d->map_oldest;
		unlink_line(d, i);
		d->map_slot[d->map_line[i].segment] = 0;
		if (d->map_line[i].dirty && ++d->map_dirty_evictions == d->layout[mode].prog_units) {
			d->map_dirty_evictions = 0;
			die_program(d, mode, d->map_rows++ % d->ndies, d->layout[mode].prog_units, ready, true);
			d->n.map_programs++;
		}
	}
	d->map_line[i] = (struct map_line){segment, UNMAPPED, UNMAPPED, false};
	link_newest(d, i);
	d->map_slot[segment] = i + 1;
	*line = i;
	if (!anything_mapped(d, segment))
		return ready; /* there is no map page to read */
	d->n.map_misses++;
	uint64_t hash = segment + d->p.seed;
	hash = (hash ^ (hash >> 15)) * UINT64_C(0x9e3779b97f4a7c15);
	struct slot slot = {(uint16_t)((hash >> 40) % d->ndies), 0, false};
	return die_read(d, mode, &slot, 1, 1, ready, true);
}

nsec mapcache_touch(struct ssdmodel *d, uint32_t lba, uint32_t len, bool dirty, nsec ready)
{
	uint32_t last = (lba + len - 1) >> d->map_segment_shift;
	nsec done = ready;
	for (uint32_t segment = lba >> d->map_segment_shift; segment <= last; segment++) {
		uint32_t line;
		if (d->map_slot[segment]) {
			line = d->map_slot[segment] - 1;
			d->n.map_hits++;
			if (d->map_newest != line) {
				unlink_line(d, line);
				link_newest(d, line);
			}
		} else {
			done = later(done, miss(d, segment, &line, ready));
		}
		d->map_line[line].dirty |= dirty;
	}
	return done;
}
