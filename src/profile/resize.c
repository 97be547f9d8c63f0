// SPDX-License-Identifier: MIT
#include "profile/resize.h"

#include "base/mem.h"
#include "base/units.h"

#include <stdio.h>

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

/* profile_resize() for a capacity below the drive's; `why` says what is in the way. */
static int shrink(struct ssdmodel_params *p, struct profile_info *info, uint64_t capacity, char *why, size_t size)
{
	uint64_t whole = p->capacity_bytes;
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
		snprintf(why, size, "its %u dies would have too few blocks",
			p->nand.channels * p->nand.dies_per_channel);
		return -1;
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
	for (uint32_t extra = 0; !makes_a_drive(p, why, size); extra++) {
		if (extra == RESIZE_EXTRA)
			return -1;
		p->nand.blocks_per_plane++;
	}
	if (info) {
		info->capacity_bytes = capacity;
		info->class_bytes = share(info->class_bytes, capacity, whole);
		info->rated_tbw_bytes *= (double)capacity / (double)whole;
	}
	return 0;
}

/* Whether a drive of this kind can be so small. */
static bool can_be(const struct ssdmodel_params *p, uint64_t capacity)
{
	struct ssdmodel_params copy = *p;
	char why[256];
	return !shrink(&copy, NULL, capacity, why, sizeof why);
}

/* A size not below the smallest, of three digits as --size takes them: "14.3GB". What is printed was tried. */
static void print_smallest(char *buf, size_t size, const struct ssdmodel_params *p)
{
	static const struct {
		const char *name;
		uint64_t bytes;
	} units[] = {{"TB", UINT64_C(1000000000000)}, {"GB", 1000000000}, {"MB", 1000000}, {"kB", 1000}};
	uint64_t small = 0, large = p->capacity_bytes;
	while (large - small > SSDMODEL_UNIT) {
		uint64_t middle = small + (large - small) / 2;
		*(can_be(p, middle) ? &large : &small) = middle;
	}
	size_t i = 0;
	while (i + 1 < ARRAY_SIZE(units) && large < units[i].bytes)
		i++;
	uint64_t unit = units[i].bytes;
	int decimals = large < 10 * unit ? 2 : large < 100 * unit ? 1 : 0;
	uint64_t step = decimals == 2 ? unit / 100 : decimals == 1 ? unit / 10 : unit;
	large = (large + step - 1) / step * step;
	while (large < p->capacity_bytes && !can_be(p, large))
		large += step;
	if (large < p->capacity_bytes)
		snprintf(buf, size, "%.*f%s", decimals, (double)large / (double)unit, units[i].name);
	else
		snprintf(buf, size, "%llu", (unsigned long long)p->capacity_bytes);
}

int profile_resize(struct ssdmodel_params *p, struct profile_info *info, uint64_t capacity, struct err *e)
{
	char c[UNITS_BUF], d[UNITS_BUF], why[256];
	struct ssdmodel_params smaller = *p;
	if (capacity > p->capacity_bytes)
		return err_set(e, EXIT_USAGE, "'%s' has %s, less than the %s asked for; give at most %llu bytes",
			p->name, units_bytes(c, (double)p->capacity_bytes), units_bytes(d, (double)capacity),
			(unsigned long long)p->capacity_bytes);
	if (capacity == p->capacity_bytes)
		return 0;
	if (shrink(&smaller, info, capacity, why, sizeof why)) {
		print_smallest(d, sizeof d, p);
		return err_set(e, EXIT_USAGE, "'%s' cannot be made as small as %s: %s; give at least %s", p->name,
			units_bytes(c, (double)capacity), why, d);
	}
	*p = smaller;
	return 0;
}
