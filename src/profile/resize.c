// SPDX-License-Identifier: MIT
#include "profile/resize.h"

#include "base/units.h"

/* value x part / whole, rounded to the nearest. */
static uint64_t share(uint64_t value, uint64_t part, uint64_t whole)
{
	return (uint64_t)(((unsigned __int128)value * part + whole / 2) / whole);
}

/* An erase that takes time still does. */
static nsec erase_time(nsec whole, uint32_t rows, uint32_t of)
{
	nsec t = (nsec)share((uint64_t)whole, rows, of);
	return whole && !t ? 1 : t;
}

/* Rows that a block must have for what this cell mode puts on one die at a time. */
static uint32_t rows_at_once(const struct ssdmodel_params *p, const struct ssdmodel_cell_mode *m, uint32_t bits)
{
	uint32_t rows = m->die_bytes / (p->nand.planes * p->nand.page_bytes * bits);
	return rows > 1 ? rows : 1;
}

/* Least rows of a block: the layouts of both modes repeat in it without a rest. */
static uint32_t least_rows(const struct ssdmodel_params *p)
{
	uint32_t native = rows_at_once(p, &p->nand.native, p->nand.bits_per_cell),
		 slc = rows_at_once(p, &p->nand.slc, 1);
	uint32_t a = native, b = slc;
	while (b) {
		uint32_t rest = a % b;
		a = b;
		b = rest;
	}
	uint32_t both = native / a * slc;
	return (RESIZE_ROWS + both - 1) / both * both;
}

/* At most so many blocks per plane more than in proportion, where what is kept back in whole blocks would leave too
 * few. */
#define RESIZE_EXTRA 16

/* Whether these parameters make a drive; `why` says what is in the way. */
static bool makes_a_drive(const struct ssdmodel_params *p, char *why, size_t size)
{
	struct ssdmodel *d;
	if (ssdmodel_create(&d, p, why, size))
		return false;
	ssdmodel_destroy(d);
	return true;
}

int profile_resize(struct ssdmodel_params *p, struct profile_info *info, uint64_t capacity, struct err *e)
{
	uint64_t whole = p->capacity_bytes;
	char c[UNITS_BUF], d[UNITS_BUF];
	if (capacity > whole)
		return err_set(e, EXIT_USAGE, "'%s' has %s, less than the %s asked for; give at most %llu bytes",
			p->name, units_bytes(c, (double)whole), units_bytes(d, (double)capacity),
			(unsigned long long)whole);
	if (capacity == whole)
		return 0;
	capacity -= capacity % SSDMODEL_UNIT;
	uint32_t bits = p->nand.bits_per_cell, step = least_rows(p), rows = p->nand.pages_per_block / bits;
	step = step < rows ? step : rows;
	/* Rows of cells per plane, and as many of them in a block as leaves the number of blocks alone. */
	uint64_t plane = share((uint64_t)rows * p->nand.blocks_per_plane, capacity, whole);
	uint64_t fit = plane / p->nand.blocks_per_plane / step * step;
	uint32_t now = fit > step ? (uint32_t)fit : step;
	uint64_t blocks = (plane + now / 2) / now;
	uint32_t least = RESIZE_BLOCKS < p->nand.blocks_per_plane ? RESIZE_BLOCKS : p->nand.blocks_per_plane;
	if (blocks < least) {
		uint64_t smallest = share((uint64_t)least * step, whole, (uint64_t)rows * p->nand.blocks_per_plane);
		return err_set(e, EXIT_USAGE, "'%s' cannot be made as small as %s with its %u dies; give at least %s",
			p->name, units_bytes(c, (double)capacity), p->nand.channels * p->nand.dies_per_channel,
			units_bytes(d, (double)smallest * 1.01));
	}
	p->capacity_bytes = capacity;
	p->nand.pages_per_block = now * bits;
	p->nand.slc.terase = erase_time(p->nand.slc.terase, now, rows);
	p->nand.native.terase = erase_time(p->nand.native.terase, now, rows);
	p->nand.blocks_per_plane = (uint32_t)blocks;
	p->pslc.static_bytes = share(p->pslc.static_bytes, capacity, whole);
	p->pslc.dynamic_cap_bytes = share(p->pslc.dynamic_cap_bytes, capacity, whole);
	p->pslc.reuse_bytes = share(p->pslc.reuse_bytes, capacity, whole);
	p->background.late_erase_bytes = share(p->background.late_erase_bytes, capacity, whole);
	p->pslc.idle_keep_bytes = share(p->pslc.idle_keep_bytes, capacity, whole);
	char why[256];
	for (uint32_t extra = 0; !makes_a_drive(p, why, sizeof why); extra++) {
		if (extra == RESIZE_EXTRA)
			return err_set(e, EXIT_USAGE, "'%s' cannot be made as small as %s: %s; give more", p->name,
				units_bytes(c, (double)capacity), why);
		p->nand.blocks_per_plane++;
	}
	if (info) {
		info->capacity_bytes = capacity;
		info->class_bytes = share(info->class_bytes, capacity, whole);
		info->rated_tbw_bytes *= (double)capacity / (double)whole;
	}
	return 0;
}
