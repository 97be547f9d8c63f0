// SPDX-License-Identifier: MIT
/* What reviewers see of write caches, each as an effect that comes and goes with its mechanism, on generic drives. */
#include "drives.h"
#include "unit.h"

#include <stdio.h>

/* Bytes until the rate falls for good, from an erased drive that was filled to `before` first and left to settle. */
static double cache_of(const struct ssdmodel_params *p, uint64_t before)
{
	struct bench b = bench_make(p);
	bench_write_until(&b, before, 0);
	bench_idle(&b, 60);
	double bytes = (double)bench_write_until(&b, p->capacity_bytes - before, 1500);
	bench_free(&b);
	return bytes;
}

static double raw_bytes(const struct ssdmodel_params *p)
{
	return (double)p->nand.channels * p->nand.dies_per_channel * p->nand.planes * p->nand.page_bytes *
	       p->nand.pages_per_block * p->nand.blocks_per_plane;
}

/* 1. The cache ends at static + dynamic share, and is smaller on a fuller drive. */
static void cache_size(void **state)
{
	struct ssdmodel_params p = drive_slc(0, SSDMODEL_DIRECT);
	double raw = raw_bytes(&p), block = raw / p.nand.blocks_per_plane;
	p.pslc.dynamic_permille = 300;
	assert_near(cache_of(&p, 0), 0.3 * raw / 3, block);
	p.pslc.dynamic_permille = 600;
	assert_near(cache_of(&p, 0), 0.6 * raw / 3, block);
	double half = (double)(7 * GIB);
	assert_near(cache_of(&p, 7 * GIB), 0.6 * (raw - half) / 3, 2 * block);
	p.capacity_bytes = 12 * GIB;
	p.pslc.static_bytes = 512 * MIB; /* 16 super-blocks, which nothing else may use */
	double fixed = (double)p.pslc.static_bytes;
	assert_near(cache_of(&p, 0), fixed + 0.6 * (raw - 3 * fixed) / 3, block);
	p.pslc.dynamic_permille = 0;
	assert_near(cache_of(&p, 0), fixed, block);
	assert_near(cache_of(&p, 7 * GIB), fixed, block); /* the static part doesn't shrink */
}

struct stages {
	double first, second, last, mean; /* MB/s: the first 2 GiB, just after the cache, the last 2 GiB, all */
};

static struct stages fill_stages(const struct ssdmodel_params *p)
{
	struct bench b = bench_make(p);
	struct load l = {SSDMODEL_WRITE, MIB, 1, 2 * GIB, p->capacity_bytes, false};
	struct stages s;
	nsec begin = b.now;
	s.first = bench_run(&b, l).mbps;
	bench_write_until(&b, p->capacity_bytes, 1500);
	bench_write_until(&b, 128 * MIB, 0);
	l.bytes = 512 * MIB;
	s.second = bench_run(&b, l).mbps;
	l.bytes = p->capacity_bytes - b.written_at - GIB;
	bench_run(&b, l);
	l.bytes = GIB;
	s.last = bench_run(&b, l).mbps;
	s.mean = (double)p->capacity_bytes / nsec_to_s(b.now - begin) / 1e6;
	bench_check(&b);
	bench_free(&b);
	return s;
}

/* 2. Three stages where data go direct until erased blocks run out, two where they are folded at once. */
static void stages(void **state)
{
	struct ssdmodel_params p = drive_slc(600, SSDMODEL_DIRECT);
	struct stages direct = fill_stages(&p);
	double dies = 8, direct_mbps = dies * 3 * 64 * KIB / (double)p.nand.native.tprog * 1e3;
	assert_true(direct.first > 2000); /* 8 dies x 64 KiB / 200 us */
	assert_near(direct.second, direct_mbps, 0.06 * direct_mbps);
	/* Then each byte needs half a byte folded: two thirds of the programs, and the reads, are for that. */
	assert_true(direct.last < 0.68 * direct_mbps && direct.last > 0.45 * direct_mbps);
	p.pslc.exhaustion = SSDMODEL_FOLD;
	struct stages fold = fill_stages(&p);
	assert_near(fold.first, direct.first, 20);
	assert_true(
		fold.second < 0.8 * direct.second); /* SLC program, read and native program for each byte, at once */
	assert_true(fold.second > 0.9 * fold.last);
	assert_true(fold.mean < direct.mean);
	p.pslc.exhaustion = SSDMODEL_MIXED;
	p.pslc.mixed_direct_permille = 500;
	struct stages mixed = fill_stages(&p);
	assert_true(mixed.second < direct.second && mixed.second > fold.second);
	/* A cache over all cells leaves no erased blocks: no direct stage. */
	p = drive_slc(1000, SSDMODEL_DIRECT);
	struct stages all = fill_stages(&p);
	assert_true(all.second < 0.7 * direct_mbps);
}

/* Bytes at full speed after the cache was used up, 1 GiB more was written, and an idle time. */
static double regained(const struct ssdmodel_params *p, double seconds, bool low_power)
{
	struct bench b = bench_make(p);
	ssdmodel_low_power(b.d, low_power, b.now);
	bench_write_until(&b, p->capacity_bytes, 1500);
	bench_write_until(&b, GIB, 0);
	bench_idle(&b, seconds);
	double bytes = (double)bench_write_until(&b, p->capacity_bytes - b.written_at, 1500);
	bench_free(&b);
	return bytes;
}

/* 3. Recovery grows with idle time up to the cache's size; none if background work stops in low-power states. */
static void recovery(void **state)
{
	struct ssdmodel_params p = drive_slc(300, SSDMODEL_DIRECT);
	double cache = cache_of(&p, 0), none = regained(&p, 0, false);
	double some = regained(&p, 0.5, false), more = regained(&p, 1, false), all = regained(&p, 60, false);
	assert_true(none < 64 * MIB);
	assert_true(some > 200 * MIB && more > 1.5 * some && more < 0.95 * cache);
	assert_near(all, cache, 0.03 * cache);
	/* It is folding that does it: at the rate the dies can read SLC and program. */
	double slope = (more - some) / 0.5, programs = 8.0 * 192 * KIB / ((double)p.nand.native.tprog / 1e9);
	assert_true(slope < programs && slope > 0.5 * programs);
	/* Longer until it starts: less. */
	p.background.idle_delay = 600 * NSEC_PER_MSEC;
	assert_true(regained(&p, 0.5, false) < 64 * MIB);
	p.background.idle_delay = 100 * NSEC_PER_MSEC;
	p.power.nstates = 1;
	p.power.states[0] = (struct ssdmodel_power_state){50 * NSEC_PER_MSEC, NSEC_PER_MSEC, 20, false};
	assert_near(regained(&p, 60, false), all, 64 * MIB); /* states not allowed: as before */
	assert_true(regained(&p, 60, true) < 64 * MIB);
	p.power.states[0].background = true;
	assert_near(regained(&p, 60, true), all, 64 * MIB);
}

/* What can be written at full speed after half an hour of idle, on a drive that is four fifths full. */
static double after_long_pause(uint32_t high_blocks, uint64_t random_bytes)
{
	struct ssdmodel_params p = drive_slc(600, SSDMODEL_DIRECT);
	p.background.high_blocks = high_blocks;
	struct bench b = bench_make(&p);
	struct load l = {SSDMODEL_WRITE, 4 * KIB, 32, random_bytes, 11 * GIB, true};
	bench_write_until(&b, l.span, 0);
	if (random_bytes)
		bench_run(&b, l);
	bench_idle(&b, 1800);
	b.written_at = 0;
	double bytes = (double)bench_write_until(&b, 4 * GIB, 1500);
	bench_check(&b);
	bench_free(&b);
	return bytes;
}

/* 3b. After heavy random writes even a long pause brings little back: what is left of the drive is spread over all
 * blocks, and idle collection stops at its reserve. Not so on a drive that was written in sequence, or with a large
 * reserve. */
static void long_pause_after_random_writes(void **state)
{
	double ordered = after_long_pause(8, 0), random = after_long_pause(8, 8 * GIB);
	assert_true(ordered > 1.4 * GIB);
	assert_true(random < 0.2 * ordered);
	assert_true(after_long_pause(45, 8 * GIB) > 0.6 * ordered);
}

/* 4. Cyclic fills: cache used again as soon as a little of it is free, if it is folded while the host writes. */
static void cycles(void **state)
{
	uint32_t fold_permille[] = {0, 1000};
	unsigned rises[2] = {0};
	for (int k = 0; k < 2; k++) {
		struct ssdmodel_params p = drive_slc(300, SSDMODEL_DIRECT);
		p.pslc.reuse_bytes = 256 * MIB;
		p.pslc.busy_fold_permille = fold_permille[k];
		p.pslc.busy_fold_start_permille = 1000;
		struct bench b = bench_make(&p);
		struct load l = {SSDMODEL_WRITE, MIB, 1, 64 * MIB, p.capacity_bytes, false};
		for (double last = 0; b.written_at < 12 * GIB;) {
			double mbps = bench_run(&b, l).mbps;
			rises[k] += last > 0 && mbps > 1.5 * last;
			last = mbps;
		}
		bench_check(&b);
		bench_free(&b);
	}
	assert_int_equal(rises[0], 0);
	assert_true(rises[1] >= 3);
}

/* 5. A sweep of writes over one span, with an idle time after each step, bounces while folding in the idle times cannot
 * keep up, and draws about the same power all along. */
static void sweep(void **state)
{
	double spread[2], watts[2][2] = {{1e9, 0}, {1e9, 0}};
	for (int k = 0; k < 2; k++) {
		struct ssdmodel_params p = drive_slc(200, SSDMODEL_DIRECT); /* 1 GiB of cache */
		struct bench b = bench_make(&p);
		double least = 1e9, most = 0;
		for (unsigned qd = 1; qd <= 32; qd *= 2) {
			struct load l = {SSDMODEL_WRITE, 128 * KIB, qd, (uint64_t)(1.3 * GIB), 4 * GIB, false};
			struct result r = bench_run(&b, l);
			bench_idle(&b, k ? 30 : 0.3);
			if (qd == 1)
				continue;
			least = r.mbps < least ? r.mbps : least;
			most = r.mbps > most ? r.mbps : most;
			watts[k][0] = r.watts < watts[k][0] ? r.watts : watts[k][0];
			watts[k][1] = r.watts > watts[k][1] ? r.watts : watts[k][1];
			assert_true(r.die_busy > 0.85);
		}
		spread[k] = most / least;
		bench_free(&b);
	}
	assert_true(spread[0] > 1.15);
	assert_true(spread[1] < 1.05); /* enough idle time: no bounce */
	assert_true(watts[0][1] / watts[0][0] < 1.2);
}

/* 12. The first gigabytes after a format are slow while blocks are still being erased; later ones, and those of a drive
 * that was left in peace, are not. */
static void slow_start_after_erase(void **state)
{
	struct ssdmodel_params p = drive_slc(600, SSDMODEL_DIRECT);
	p.background.format_permille = 600;
	struct load l = {SSDMODEL_WRITE, MIB, 1, 512 * MIB, 14 * GIB, false};
	double first[2], later[2];
	for (int k = 0; k < 2; k++) {
		struct bench b = bench_make(&p);
		bench_write_until(&b, 14 * GIB, 0);
		b.now = ssdmodel_erase(b.d, b.now);
		assert_int_equal(ssdmodel_generation(b.d, 0), 0);
		assert_true(bench_sense(&b).dirty_blocks > 100);
		bench_idle(&b, k ? 10 : 0);
		first[k] = bench_run(&b, l).mbps;
		bench_idle(&b, 10);
		later[k] = bench_run(&b, l).mbps;
		bench_free(&b);
	}
	assert_true(first[0] < 0.7 * first[1]);
	assert_near(later[0], first[1], 0.02 * first[1]);
	assert_near(later[1], first[1], 0.02 * first[1]);
}

/* 13. Where the first blocks after a format are erased only when they are opened, plane by plane, the first gigabytes
 * are slow however long the drive was left in peace, and no longer than those blocks last; so on a new drive too. */
static void slow_first_blocks(void **state)
{
	struct ssdmodel_params p = drive_slc(600, SSDMODEL_DIRECT);
	struct load l = {SSDMODEL_WRITE, MIB, 1, 512 * MIB, 14 * GIB, false};
	const double sb = 8.0 * 4 * 16 * KIB * 64; /* an SLC super-block: 32 MiB */
	double fast = 0;
	for (int k = 0; k < 4; k++) {
		bool used = k == 3;
		p.background.late_erase_bytes = k ? 512 * MIB : 0;
		p.background.late_erase_planes = k == 1 ? 0 : 1;
		struct bench b = bench_make(&p);
		if (used)
			bench_write_until(&b, 14 * GIB, 0);
		b.now = ssdmodel_erase(b.d, b.now);
		bench_idle(&b, 60);
		b.written_at = 0;
		struct ssdmodel_sense before = bench_sense(&b);
		assert_int_equal(before.dirty_blocks, k ? 16 : 0);
		struct result first = bench_run(&b, l), second = bench_run(&b, l);
		struct ssdmodel_sense after = bench_sense(&b);
		bench_check(&b);
		bench_free(&b);
		assert_int_equal(after.dirty_blocks, 0);
		assert_int_equal(after.erase_count_sum - before.erase_count_sum, k ? 16 : 0);
		assert_int_equal(after.counts.erases[0] + after.counts.erases[1] - before.counts.erases[0] -
					 before.counts.erases[1],
			k ? 16 * 8 : 0); /* of each die once, whether in one turn or in four */
		if (k == 0)
			fast = first.mbps;
		assert_near(second.mbps, fast, 0.02 * fast);
		/* Time of a block: its writes, and its erase: all dies at once, or die by die in four turns. */
		double erase = nsec_to_s((used ? p.nand.native.terase : p.nand.slc.terase) * (k > 1 ? 32 : 1));
		if (k)
			assert_near(first.mbps, sb / (sb / fast + erase * 1e6), 0.05 * first.mbps);
	}
}

/* 14. Drives without a cache: one flat stage, that grows with the dies until the link ends it. */
static void no_cache(void **state)
{
	double mbps[4];
	for (unsigned k = 0; k < 4; k++) {
		struct ssdmodel_params p = drive_tlc();
		p.nand.bits_per_cell = 2;
		p.nand.native.tprog = 900000;
		p.nand.dies_per_channel = 2u << k;
		p.nand.channels = 8;
		p.nand.blocks_per_plane = 170u >> k;
		p.capacity_bytes = 12 * GIB;
		p.controller.write_buffer_bytes = 16 * MIB;
		struct bench b = bench_make(&p);
		struct load l = {SSDMODEL_WRITE, MIB, 4, 2 * GIB, p.capacity_bytes, false};
		mbps[k] = bench_run(&b, l).mbps;
		for (int i = 0; i < 4; i++) {
			double again = bench_run(&b, l).mbps;
			assert_near(again, mbps[k], 0.03 * mbps[k]);
		}
		double flash = 8.0 * p.nand.dies_per_channel * 128 * KIB / (double)p.nand.native.tprog * 1e3;
		double link = (double)p.link.bytes_per_s / 1e6;
		assert_near(mbps[k], flash < link ? flash : link, 0.06 * mbps[k]);
		bench_free(&b);
	}
	assert_near(mbps[1] / mbps[0], 1.53, 0.1); /* 2.3 GB/s of 16 dies; then the link's 3.5 */
	assert_near(mbps[3] / mbps[2], 1, 0.01);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cache_size),
		cmocka_unit_test(stages),
		cmocka_unit_test(recovery),
		cmocka_unit_test(long_pause_after_random_writes),
		cmocka_unit_test(cycles),
		cmocka_unit_test(sweep),
		cmocka_unit_test(slow_start_after_erase),
		cmocka_unit_test(slow_first_blocks),
		cmocka_unit_test(no_cache),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
