// SPDX-License-Identifier: MIT
/* No profile holds a rate: in each, program time, dies and over-provisioning are moved by a tenth (dies: by one per
 * channel), and the rates must move as arithmetic says, or not at all where something else is the limit. */
#include "../unit/unit.h"

#include "base/error.h"
#include "base/units.h"
#include "model/ssdmodel.h"
#include "profile/profile.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Bytes per second of `bytes` written in sequence, 1 MiB, QD8, after a start-up of as much. */
static double write_rate(const struct ssdmodel_params *p, uint64_t bytes)
{
	struct ssdmodel *d;
	char why[256];
	nsec slot[8] = {0}, now = 0, from = 0;
	if (ssdmodel_create(&d, p, why, sizeof why))
		fail_msg("%s: %s", p->name, why);
	for (uint64_t at = 0; at < 2 * bytes; at += MIB) {
		int first = 0;
		for (int i = 1; i < 8; i++)
			first = slot[i] < slot[first] ? i : first;
		now = slot[first] > now ? slot[first] : now;
		if (at == bytes)
			from = now;
		slot[first] = ssdmodel_io(d, SSDMODEL_WRITE, at, MIB, now);
	}
	ssdmodel_destroy(d);
	return (double)bytes / nsec_to_s(now - from);
}

/* What the flash can take in a mode: every die one unit per program, and the transfer where it holds the die. */
static double flash_rate(const struct ssdmodel_params *p, bool slc)
{
	const struct ssdmodel_cell_mode *m = slc ? &p->nand.slc : &p->nand.native;
	double page = (double)p->nand.planes * p->nand.page_bytes, pages = slc ? 1 : p->nand.bits_per_cell;
	double transfer = pages * (page / (double)p->nand.channel_bytes_per_s * 1e9 + (double)p->nand.channel_overhead);
	double held = (double)m->tprog + (p->nand.cache_register ? 0 : transfer);
	return p->nand.channels * p->nand.dies_per_channel * pages * page / held * 1e9;
}

/* The rate in one mode, and how it moves when the flash gets faster or slower by `change`. */
static void check_move(
	const struct ssdmodel_params *p, const struct ssdmodel_params *changed, bool slc, const char *what)
{
	uint64_t bytes = 2 * GIB;
	double before = write_rate(p, bytes), after = write_rate(changed, bytes);
	double flash = flash_rate(p, slc), expected = flash_rate(changed, slc) / flash;
	/* Bound by the flash, before and after? Else by link, controller or channels, which did not change. */
	bool bound = before >= 0.95 * flash && after >= 0.95 * flash_rate(changed, slc) &&
		     flash_rate(changed, slc) < 0.98 * (double)p->link.bytes_per_s;
	if (bound && fabs(after / before / expected - 1) > 0.04)
		fail_msg("%s, %s, %s: rate x %.3f, not x %.3f", p->name, slc ? "SLC" : "native", what, after / before,
			expected);
	/* No faster than the flash (the buffer's content at start and end is a part in a hundred); and a tenth never
	 * moves a rate by more than a tenth of it (dies: by their share).
	 */
	if (before > 1.01 * flash)
		fail_msg("%s: %.0f MB/s, its flash takes %.0f", p->name, before / 1e6, flash / 1e6);
	/* Dies that share a channel wait for each other: that may help or hurt by a few parts in a hundred, and by
	 * more where the channels are half full. */
	double load = before / ((double)p->nand.channels * (double)p->nand.channel_bytes_per_s);
	double low = fmin(1, expected) * 0.95, high = fmax(1, expected) * 1.05;
	if (load < 0.5 && (after / before < low || after / before > high))
		fail_msg("%s, %s, %s: rate x %.3f, beyond 1 to %.3f", p->name, slc ? "SLC" : "native", what,
			after / before, expected);
}

static void each_profile(void (*check)(const struct ssdmodel_params *))
{
	struct profile_info *all;
	struct err e = {0};
	size_t n;
	if (profile_list(&all, &n, &e))
		fail_msg("%s", e.text);
	assert_true(n >= 15);
	for (size_t i = 0; i < n; i++) {
		struct ssdmodel_params p;
		assert_int_equal(profile_load(all[i].name, &p, NULL, &e), 0);
		p.heat.mc_per_w = 0; /* throttling is another matter */
		check(&p);
	}
	free(all);
}

/* The profile with all data in one mode for the first gigabytes: without pSLC, or with its cache. */
static bool in_mode(struct ssdmodel_params *p, bool slc)
{
	bool has = p->pslc.static_bytes || p->pslc.dynamic_permille;
	if (!slc)
		memset(&p->pslc, 0, sizeof p->pslc);
	p->pslc.busy_fold_permille = 0;
	return !slc || has;
}

static void check_program_time(const struct ssdmodel_params *profile)
{
	for (int slc = 0; slc < 2; slc++) {
		struct ssdmodel_params p = *profile, changed;
		if (p.nand.in_place || !in_mode(&p, slc))
			continue;
		for (int sign = -1; sign <= 1; sign += 2) {
			changed = p;
			*(slc ? &changed.nand.slc.tprog : &changed.nand.native.tprog) +=
				sign * (slc ? p.nand.slc.tprog : p.nand.native.tprog) / 10;
			check_move(&p, &changed, slc, sign < 0 ? "tPROG - 10 %" : "tPROG + 10 %");
		}
	}
}

static void check_dies(const struct ssdmodel_params *profile)
{
	for (int slc = 0; slc < 2; slc++) {
		struct ssdmodel_params p = *profile, changed;
		if (p.nand.in_place || !in_mode(&p, slc))
			continue;
		changed = p;
		changed.nand.dies_per_channel++;
		changed.controller.write_buffer_bytes *= 2; /* the units under construction must fit */
		p.controller.write_buffer_bytes *= 2;
		check_move(&p, &changed, slc, "a die more per channel");
	}
}

/* Super-blocks of data left in SLC when the whole of a drive with `blocks` of them is filled. */
static double left_in_slc(const struct ssdmodel_params *profile, uint32_t blocks, uint64_t capacity, double block)
{
	struct ssdmodel_params p = *profile;
	struct ssdmodel *d;
	struct ssdmodel_sense s;
	char why[256];
	nsec now = 0;
	p.nand.blocks_per_plane = blocks;
	p.capacity_bytes = capacity;
	if (ssdmodel_create(&d, &p, why, sizeof why))
		fail_msg("%s: %s", p.name, why);
	for (uint64_t at = 0; at + MIB <= capacity; at += MIB)
		now = ssdmodel_io(d, SSDMODEL_WRITE, at, MIB, now);
	ssdmodel_sense(d, now, &s);
	ssdmodel_destroy(d);
	return (double)s.mapped_slc_bytes / block;
}

/* Where a drive writes directly once the cache is full, folding is forced only by want of cells: data that stay in SLC
 * take `bits` times theirs, so with R blocks of flash and C of data, (R - C) / (bits - 1) stay there. */
static void check_spare_flash(const struct ssdmodel_params *profile)
{
	struct ssdmodel_params p = *profile;
	double block = (double)p.nand.channels * p.nand.dies_per_channel * p.nand.planes * p.nand.page_bytes *
		       p.nand.pages_per_block;
	if (p.nand.in_place || !in_mode(&p, true) || p.pslc.exhaustion != SSDMODEL_DIRECT || p.pslc.static_bytes)
		return;
	/* A cache that is too large to stay. */
	p.pslc.dynamic_cap_bytes = p.pslc.dynamic_cap_permille = 0;
	p.pslc.dynamic_permille = 1000;
	p.pslc.reuse_bytes = UINT64_MAX / 2;
	/* The spare flash, 60 super-blocks, and a tenth more. */
	uint64_t capacity = (uint64_t)(block * 140) / MIB * MIB;
	double moved = left_in_slc(&p, 206, capacity, block) - left_in_slc(&p, 200, capacity, block);
	double expected = 6.0 / (p.nand.bits_per_cell - 1);
	if (fabs(moved - expected) > 0.5)
		fail_msg("%s: with six super-blocks more, %.2f more stay in SLC, not %.2f", p.name, moved, expected);
}

static void program_time(void **state)
{
	each_profile(check_program_time);
}
static void dies(void **state)
{
	each_profile(check_dies);
}
static void spare_flash(void **state)
{
	each_profile(check_spare_flash);
}

/* At most eight values of a profile's own are assumed, and each profile says what it is. */
static void few_assumptions(void **state)
{
	struct profile_info *all;
	struct err e = {0};
	size_t n;
	assert_int_equal(profile_list(&all, &n, &e), 0);
	for (size_t i = 0; i < n; i++) {
		if (all[i].assumed > 8)
			fail_msg("%s assumes %u values", all[i].name, all[i].assumed);
		if (!all[i].title[0] || !all[i].controller[0] || !all[i].nand[0])
			fail_msg("%s lacks a name: '%s', '%s', '%s'", all[i].name, all[i].title, all[i].controller,
				all[i].nand);
	}
	free(all);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(program_time),
		cmocka_unit_test(dies),
		cmocka_unit_test(spare_flash),
		cmocka_unit_test(few_assumptions),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
