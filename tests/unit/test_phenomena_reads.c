// SPDX-License-Identifier: MIT
/* Reads, maps, collection, heat: each effect comes and goes with its mechanism, on generic drives. */
#include "drives.h"
#include "unit.h"

#include <math.h>
#include <string.h>

static struct load reads(uint32_t block, unsigned qd, uint64_t bytes, uint64_t span, bool random)
{
	return (struct load){SSDMODEL_READ, block, qd, bytes, span, random};
}

static struct load writes(uint32_t block, unsigned qd, uint64_t bytes, uint64_t span, bool random)
{
	return (struct load){SSDMODEL_WRITE, block, qd, bytes, span, random};
}

/* A drive with 4 GiB of data, written in sequence, then (if asked) overwritten at random in blocks of `scatter`. */
static struct bench prepared(const struct ssdmodel_params *p, uint32_t scatter)
{
	struct bench b = bench_make(p);
	bench_run(&b, writes(MIB, 1, 4 * GIB, 4 * GIB, false));
	if (scatter)
		bench_run(&b, writes(scatter, 8, 8 * GIB, 4 * GIB, true));
	bench_idle(&b, 30);
	return b;
}

/* 6. Fragmentation: slower sequential reads only where pages are read in larger units than they were written; watts
 * fall with the speed, or rise where the controller keeps the speed up with more array reads. */
static void fragmentation(void **state)
{
	struct ssdmodel_params p = drive_tlc();
	struct result fresh, broken, coarse, fresh_coarse;
	struct bench b = prepared(&p, 0);
	fresh = bench_run(&b, reads(128 * KIB, 4, GIB, 4 * GIB, false));
	fresh_coarse = bench_run(&b, reads(192 * KIB, 4, GIB, 4 * GIB, false));
	bench_free(&b);
	b = prepared(&p, 4 * KIB);
	broken = bench_run(&b, reads(128 * KIB, 4, GIB, 4 * GIB, false));
	bench_check(&b);
	bench_free(&b);
	b = prepared(&p, 192 * KIB); /* overwritten at random, but in whole program units */
	coarse = bench_run(&b, reads(192 * KIB, 4, GIB, 4 * GIB, false));
	bench_free(&b);
	assert_true(broken.mbps < 0.75 * fresh.mbps);
	assert_true(broken.reads > 8 * fresh.reads);
	assert_near((double)coarse.reads / (double)fresh_coarse.reads, 1, 0.02);
	assert_true(coarse.mbps > 0.8 * fresh_coarse.mbps); /* what is lost is by requests that meet on a die */
	/* Pages of 4 KiB in one plane: a page is what is written, nothing is lost. */
	p.nand.planes = 1;
	p.nand.page_bytes = 4 * KIB;
	p.nand.blocks_per_plane = 170 * 16;
	p.nand.channels = 8;
	p.nand.dies_per_channel = 8;
	p.nand.blocks_per_plane = 340;
	p.nand.native.tr[0] = p.nand.native.tr[1] = p.nand.native.tr[2] = p.nand.native.tr_4k;
	p.power.die_read_4k_mw = p.power.die_read_mw;
	b = prepared(&p, 0);
	fresh = bench_run(&b, reads(128 * KIB, 16, GIB, 4 * GIB, false));
	bench_free(&b);
	b = prepared(&p, 4 * KIB);
	broken = bench_run(&b, reads(128 * KIB, 16, GIB, 4 * GIB, false));
	bench_free(&b);
	assert_int_equal(broken.reads / 1000, fresh.reads / 1000);
	assert_true(broken.mbps > 0.8 * fresh.mbps);
}

static void fragmentation_and_power(void **state)
{
	struct result r[2][2];
	for (int slow = 0; slow < 2; slow++) {
		struct ssdmodel_params p = drive_tlc();
		p.nand.channels = 8;
		p.nand.dies_per_channel = 4;
		p.nand.blocks_per_plane = 48;
		p.nand.planes = 2;
		p.nand.pages_per_block = 384;
		p.nand.native.tr_4k = slow ? 90000 : 40000;
		p.power.die_read_4k_mw = slow ? 5 : 60; /* a sense of 0.45 uJ, or of 2.4 uJ */
		p.power.channel_mw = 20;
		if (!slow) /* its fresh rate is held down by a short window on few dies */
			p.nand.native.die_bytes = 96 * KIB;
		p.controller.readahead_bytes = slow ? MIB : 384 * KIB;
		for (int k = 0; k < 2; k++) {
			struct bench b = prepared(&p, k ? 4 * KIB : 0);
			r[slow][k] = bench_run(&b, reads(128 * KIB, 1, GIB, 4 * GIB, false));
			bench_free(&b);
		}
	}
	assert_true(r[0][1].mbps > 0.85 * r[0][0].mbps && r[0][1].watts > 1.03 * r[0][0].watts);
	assert_true(r[1][1].mbps < 0.7 * r[1][0].mbps && r[1][1].watts < 0.97 * r[1][0].watts);
}

/* 7. Sequential reads over the queue depth: flat while the read-ahead window bounds what is in flight, then up to the
 * link; a longer window saturates earlier; none at all leaves QD1 alone; time per command caps every depth. */
static void read_ahead(void **state)
{
	struct ssdmodel_params p = drive_tlc();
	p.nand.channels = 8;
	p.nand.dies_per_channel = 4;
	p.nand.blocks_per_plane = 48;
	p.nand.planes = 2;
	p.nand.pages_per_block = 384;
	p.nand.native.die_bytes = 96 * KIB;
	double mbps[3][6];
	static const uint32_t window[] = {0, 512, 2048};
	for (int w = 0; w < 3; w++) {
		p.controller.readahead_streams = window[w] ? 4 : 0;
		p.controller.readahead_bytes = window[w] * KIB;
		struct bench b = prepared(&p, 0);
		for (int q = 0; q < 6; q++)
			mbps[w][q] = bench_run(&b, reads(128 * KIB, 1u << q, GIB, 4 * GIB, false)).mbps;
		bench_free(&b);
	}
	double link = (double)p.link.bytes_per_s / 1e6;
	assert_near(mbps[0][1] / mbps[0][0], 2, 0.4); /* no window: QD does it all */
	assert_true(mbps[0][0] < 0.5 * mbps[1][0]);
	assert_near(mbps[1][1], mbps[1][0], 0.1 * mbps[1][0]);
	assert_near(mbps[1][2], mbps[1][0], 0.15 * mbps[1][0]); /* four requests are the window */
	assert_true(mbps[1][3] > 1.4 * mbps[1][2]);
	assert_near(mbps[1][4], link, 0.02 * link);
	assert_near(mbps[2][1], link, 0.02 * link); /* a longer window: saturated at QD2 */
	p.controller.read_command = 60000;
	p.controller.cores = 1;
	struct bench b = prepared(&p, 0);
	for (unsigned q = 4; q <= 32; q *= 2) {
		double got = bench_run(&b, reads(128 * KIB, q, GIB, 4 * GIB, false)).mbps;
		double want = 128 * KIB / (60e-6 + 31 * 50e-9) / 1e6;
		assert_near(got, want, 0.02 * want);
	}
	bench_free(&b);
}

/* 8. No DRAM: random reads slow down once the span outgrows the map cache; sequential ones don't. */
static void map_cache(void **state)
{
	struct ssdmodel_params p = drive_tlc();
	double iops[2][2], mbps[2];
	for (int k = 0; k < 2; k++) {
		p.map.cache_bytes = k ? 256 * KIB : 0; /* 64 segments: 256 MiB of span */
		p.map.segment_bytes = 4 * MIB;
		struct bench b = prepared(&p, 0);
		bench_run(&b, reads(4 * KIB, 1, 4 * MIB, 128 * MIB, true));
		struct result small = bench_run(&b, reads(4 * KIB, 1, 8 * MIB, 128 * MIB, true));
		struct result large = bench_run(&b, reads(4 * KIB, 1, 8 * MIB, 4 * GIB, true));
		iops[k][0] = small.iops;
		iops[k][1] = large.iops;
		assert_true(k || (small.map_misses == 0 && large.map_misses == 0));
		assert_true(!k || (small.map_misses == 0 && large.map_misses > 1800)); /* 15 of 16 */
		mbps[k] = bench_run(&b, reads(128 * KIB, 4, GIB, 4 * GIB, false)).mbps;
		bench_free(&b);
	}
	assert_near(iops[0][1], iops[0][0], 0.02 * iops[0][0]);
	assert_near(iops[1][0], iops[0][0], 0.02 * iops[0][0]);
	assert_true(iops[1][1] < 0.65 * iops[0][1]); /* one more array read before each */
	assert_near(mbps[1], mbps[0], 0.03 * mbps[0]);
}

/* 10. Latency tails: reads behind programs and erases. */
static void tails(void **state)
{
	struct ssdmodel_params p = drive_tlc();
	struct bench b = prepared(&p, 0);
	struct result quiet = bench_run(&b, reads(4 * KIB, 1, 16 * MIB, 4 * GIB, true));
	assert_true(quiet.max_us < 120); /* core, 45 us, transfer, link, host */
	/* The same reads with writes between them. */
	double worst = 0, sum = 0;
	for (int i = 0; i < 4000; i++) {
		ssdmodel_io(b.d, SSDMODEL_WRITE, rng_below(&b.rng, 16384) * 256 * KIB, 256 * KIB, b.now);
		nsec end = ssdmodel_io(b.d, SSDMODEL_READ, rng_below(&b.rng, 1 << 20) * 4 * KIB, 4 * KIB, b.now);
		double us = (double)(end - b.now) / 1e3;
		worst = us > worst ? us : worst;
		sum += us;
		b.now = end;
	}
	assert_true(worst > (double)p.nand.native.tprog / 1e3); /* a whole program, or an erase and more */
	assert_true(sum / 4000 > 2 * quiet.mean_us);
	bench_free(&b);
}

/* 11. Throttling sets in after a while of writing, holds the temperature, and goes away. */
static void throttling(void **state)
{
	struct ssdmodel_params p = drive_tlc();
	p.heat.mc_per_w = 20000;
	p.heat.time_constant = 10 * NSEC_PER_SEC;
	p.heat.ambient_mc = 30000;
	p.heat.sensor_mc = -3000;
	p.heat.throttle_mc = 55000;
	p.heat.hysteresis_mc = 3000;
	p.heat.throttle_permille = 200;
	struct bench b = bench_make(&p);
	struct load second = writes(MIB, 1, GIB, 8 * GIB, false);
	double cool = bench_run(&b, second).mbps, slowest = cool, hottest = 0;
	assert_false(bench_sense(&b).throttled);
	for (int i = 0; i < 60; i++) {
		double mbps = bench_run(&b, second).mbps;
		slowest = mbps < slowest ? mbps : slowest;
		double t = bench_sense(&b).temperature_c;
		hottest = t > hottest ? t : hottest;
	}
	assert_true(bench_sense(&b).throttle_count >= 2); /* on and off around the threshold */
	assert_true(slowest < 0.6 * cool);
	assert_true(hottest > 55 && hottest < 57);
	bench_idle(&b, 60);
	assert_false(bench_sense(&b).throttled);
	/* An idle drive ends at ambient + c_per_w x watts + sensor offset. */
	assert_near(bench_sense(&b).temperature_c, 30 + 20 * 0.5 - 3, 0.3);
	double again = bench_run(&b, second).mbps;
	assert_near(again, cool, 0.03 * cool);
	bench_free(&b);
	p.heat.throttle_mc = 0;
	p.heat.throttle_permille = 0;
	b = bench_make(&p);
	for (int i = 0; i < 40; i++) {
		double mbps = bench_run(&b, second).mbps;
		assert_near(mbps, cool, 0.12 * cool); /* blocks written once must be erased first */
	}
	assert_true(bench_sense(&b).temperature_c > 58);
	bench_free(&b);
}

/* 13. In-place media: no erase, no collection, no difference between fresh and fragmented, no stage. */
static void in_place(void **state)
{
	struct ssdmodel_params p = drive_tlc();
	p.nand.in_place = true;
	p.nand.bits_per_cell = 1;
	p.nand.channels = 7;
	p.nand.dies_per_channel = 4;
	p.nand.planes = 1;
	p.nand.page_bytes = 4 * KIB;
	p.nand.pages_per_block = 4096;
	p.nand.blocks_per_plane = 40;
	p.nand.native = (struct ssdmodel_cell_mode){.tr = {9000}, .tr_4k = 9000, .tprog = 20000};
	p.controller.readahead_streams = 0;
	struct bench b = bench_make(&p);
	struct result first = bench_run(&b, writes(MIB, 1, 4 * GIB, 4 * GIB, false));
	struct result fresh = bench_run(&b, reads(128 * KIB, 4, GIB, 4 * GIB, false));
	struct result random = bench_run(&b, writes(4 * KIB, 16, 12 * GIB, 4 * GIB, true));
	struct result broken = bench_run(&b, reads(128 * KIB, 4, GIB, 4 * GIB, false));
	struct result last = bench_run(&b, writes(MIB, 1, 4 * GIB, 4 * GIB, false));
	assert_near(broken.mbps, fresh.mbps, 0.001 * fresh.mbps);
	assert_near(last.mbps, first.mbps, 0.001 * first.mbps);
	assert_near(random.waf, 1, 1e-9);
	struct ssdmodel_sense s = bench_sense(&b);
	assert_int_equal(s.counts.erases[0] + s.counts.erases[1] + s.counts.collected_units, 0);
	bench_check(&b);
	bench_free(&b);
}

/* Static wear levelling: cold data move, so that their blocks wear as well. */
static void wear_levelling(void **state)
{
	double most[2];
	for (int k = 0; k < 2; k++) {
		struct ssdmodel_params p = drive_tlc();
		p.nand.pages_per_block = 12; /* super-blocks of 6 MiB, 1 GiB in all */
		p.capacity_bytes = 800 * MIB;
		p.nand.rated_cycles = 1000;
		p.background.wear_spread = k ? 4 : 0;
		struct bench b = bench_make(&p);
		bench_run(&b, writes(MIB, 1, 800 * MIB, 800 * MIB, false));
		for (int i = 0; i < 60; i++) { /* a quarter is hot */
			bench_run(&b, writes(MIB, 1, 200 * MIB, 200 * MIB, false));
			bench_idle(&b, 1);
		}
		struct ssdmodel_sense s = bench_sense(&b);
		most[k] = (double)s.erase_count_max;
		assert_true(s.has_wear);
		assert_near(s.wear, (double)s.erase_count_sum / s.super_blocks / 1000, 1e-12);
		bench_check(&b);
		bench_free(&b);
	}
	assert_true(most[0] > 1.4 * most[1]);
}

/* Low-power states save what they should, and the first command pays for it. */
static void low_power(void **state)
{
	struct ssdmodel_params p = drive_tlc();
	p.power.nstates = 2;
	p.power.states[0] = (struct ssdmodel_power_state){100 * NSEC_PER_MSEC, 2 * NSEC_PER_MSEC, 50, true};
	p.power.states[1] = (struct ssdmodel_power_state){2 * NSEC_PER_SEC, 25 * NSEC_PER_MSEC, 5, false};
	struct bench b = prepared(&p, 0);
	double joules = bench_sense(&b).joules;
	bench_idle(&b, 10);
	assert_near(bench_sense(&b).joules - joules, 10 * 0.5, 1e-6);
	ssdmodel_low_power(b.d, true, b.now);
	joules = bench_sense(&b).joules;
	bench_idle(&b, 10);
	assert_near(bench_sense(&b).joules - joules, 0.1 * 0.5 + 1.9 * 0.05 + 8 * 0.005, 1e-6);
	double waking = bench_run(&b, reads(4 * KIB, 1, 4 * KIB, GIB, true)).mean_us;
	double awake = bench_run(&b, reads(4 * KIB, 1, 4 * KIB, GIB, true)).mean_us;
	assert_near(waking - awake, 25000, 100);
	bench_idle(&b, 0.5);
	waking = bench_run(&b, reads(4 * KIB, 1, 4 * KIB, GIB, true)).mean_us;
	assert_near(waking - awake, 2000, 100);
	ssdmodel_low_power(b.d, false, b.now);
	bench_idle(&b, 5);
	waking = bench_run(&b, reads(4 * KIB, 1, 4 * KIB, GIB, true)).mean_us;
	assert_near(waking, awake, 100);
	bench_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fragmentation),
		cmocka_unit_test(fragmentation_and_power),
		cmocka_unit_test(read_ahead),
		cmocka_unit_test(map_cache),
		cmocka_unit_test(tails),
		cmocka_unit_test(throttling),
		cmocka_unit_test(in_place),
		cmocka_unit_test(wear_levelling),
		cmocka_unit_test(low_power),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
