// SPDX-License-Identifier: MIT
#include "drives.h"

#include "unit.h"

#include <stdlib.h>
#include <string.h>

struct ssdmodel_params drive_tlc(void)
{
	struct ssdmodel_params p = {
		.name = "generic TLC",
		.capacity_bytes = 14 * GIB,
		.link = {.bytes_per_s = ssdmodel_pcie_rate(3, 4, 900)},
		.host = {.submit = 2000, .complete = 3000},
		.controller = {.cores = 2,
			.read_command = 2000,
			.write_command = 2000,
			.read_4k = 50,
			.write_4k = 50,
			.background_4k = 20,
			.write_buffer_bytes = 4 * MIB,
			.readahead_streams = 4,
			.readahead_trigger = 2,
			.readahead_bytes = 512 * KIB},
		.nand = {.channels = 4,
			.dies_per_channel = 2,
			.channel_bytes_per_s = 1200000000,
			.channel_overhead = 500,
			.planes = 4,
			.page_bytes = 16 * KIB,
			.pages_per_block = 192,
			.blocks_per_plane = 170,
			.bits_per_cell = 3,
			.cache_register = true,
			.slc = {.tr = {30000}, .tr_4k = 25000, .tprog = 200000, .terase = 5000000},
			.native = {.tr = {50000, 60000, 70000}, .tr_4k = 45000, .tprog = 1200000, .terase = 8000000}},
		.background = {.idle_delay = 100 * NSEC_PER_MSEC,
			.idle_permille = 1000,
			.low_blocks = 6,
			.high_blocks = 8,
			.format_time = 100 * NSEC_PER_MSEC,
			.format_permille = 1000},
		.power = {.idle_mw = 500,
			.active_mw = 700,
			.core_mw = 100,
			.channel_mw = 80,
			.link_pj_per_byte = 50,
			.die_read_mw = 60,
			.die_read_4k_mw = 40,
			.die_program_mw = 90,
			.die_erase_mw = 60},
	};
	return p;
}

struct ssdmodel_params drive_slc(uint32_t cache_permille, enum ssdmodel_exhaustion policy)
{
	struct ssdmodel_params p = drive_tlc();
	strcpy(p.name, "generic pSLC");
	p.pslc.dynamic_permille = 1000;
	p.pslc.dynamic_cap_permille = cache_permille;
	p.pslc.exhaustion = policy;
	return p;
}

struct ssdmodel_params drive_small(uint32_t op_permille)
{
	struct ssdmodel_params p = drive_tlc();
	strcpy(p.name, "generic small");
	p.nand.channels = p.nand.dies_per_channel = p.nand.planes = 1;
	p.nand.page_bytes = 4 * KIB;
	p.nand.pages_per_block = 768;
	p.nand.blocks_per_plane = 683; /* x 3 MiB = 2 GiB */
	p.controller.write_buffer_bytes = 64 * KIB;
	p.background.low_blocks = 6;
	uint64_t raw = (uint64_t)p.nand.blocks_per_plane * p.nand.pages_per_block * p.nand.page_bytes;
	p.capacity_bytes = raw * 1000 / (1000 + op_permille) / SSDMODEL_UNIT * SSDMODEL_UNIT;
	return p;
}

bool drive_kind(unsigned i, struct ssdmodel_params *p)
{
	struct ssdmodel_params small = drive_tlc(); /* quick to fill: 1 GiB, super-blocks of 6 MiB */
	small.nand.pages_per_block = 12;
	small.capacity_bytes = 800 * MIB;
	*p = small;
	p->pslc.dynamic_permille = 1000;
	switch (i) {
	case 0: /* TLC, no cache */ p->pslc.dynamic_permille = 0; return true;
	case 1: p->pslc.dynamic_cap_permille = 400; return true;
	case 2: p->pslc.exhaustion = SSDMODEL_FOLD; return true;
	case 3:
		p->pslc.exhaustion = SSDMODEL_MIXED;
		p->pslc.mixed_direct_permille = 500;
		p->pslc.static_bytes = 20 * MIB;
		return true;
	case 4: /* QLC, static cache only, folded on the chip while the host writes */
		p->pslc.dynamic_permille = 0;
		p->pslc.static_bytes = 40 * MIB;
		p->capacity_bytes = 720 * MIB;
		p->pslc.busy_fold_permille = 700;
		p->pslc.busy_fold_start_permille = 300;
		p->nand.bits_per_cell = 4;
		p->nand.native.tr[3] = 90000;
		p->nand.native.tprog = 3000000;
		p->nand.on_chip_copy = true;
		return true;
	case 5: /* MLC, pages dealt out one by one, six planes, SATA, three streams of which none is fast */
		p->pslc.dynamic_permille = 0;
		p->nand.bits_per_cell = 2;
		p->nand.planes = 6;
		p->nand.native.die_bytes = 6 * 16 * KIB;
		p->nand.cache_register = false;
		p->link.bytes_per_s = 560000000;
		p->link.half_duplex = true;
		p->controller.write_buffer_bytes = 8 * MIB;
		return true;
	case 6: /* no DRAM, small map cache, long stretches per die */
		p->map.cache_bytes = 32 * KIB;
		p->map.segment_bytes = 4 * MIB;
		p->nand.native.die_bytes = 192 * KIB;
		p->nand.slc.die_bytes = 128 * KIB;
		p->background.wear_spread = 8;
		return true;
	case 7: /* in place, as 3D XPoint */
		p->pslc.dynamic_permille = 0;
		p->nand.in_place = true;
		p->nand.bits_per_cell = 1;
		p->nand.planes = 1;
		p->nand.page_bytes = 4 * KIB;
		p->nand.pages_per_block = 1024;
		p->nand.native = (struct ssdmodel_cell_mode){.tr = {6000}, .tr_4k = 6000, .tprog = 10000};
		return true;
	case 8: /* hot and throttling, low-power states */
		p->heat.mc_per_w = 20000;
		p->heat.time_constant = NSEC_PER_SEC;
		p->heat.ambient_mc = 30000;
		p->heat.throttle_mc = 60000;
		p->heat.hysteresis_mc = 5000;
		p->heat.throttle_permille = 300;
		p->power.nstates = 2;
		p->power.states[0] = (struct ssdmodel_power_state){200 * NSEC_PER_MSEC, NSEC_PER_MSEC, 60, true};
		p->power.states[1] = (struct ssdmodel_power_state){NSEC_PER_SEC, 5 * NSEC_PER_MSEC, 5, false};
		return true;
	case 9: /* after a format, a quarter of the cache is erased as it is opened, in turns of three planes and one */
		p->background.late_erase_bytes = 60 * MIB;
		p->background.late_erase_planes = 3;
		return true;
	default: return false;
	}
}

struct bench bench_make(const struct ssdmodel_params *p)
{
	struct bench b = {0};
	char message[256] = "";
	if (ssdmodel_create(&b.d, p, message, sizeof message))
		fail_msg("%s: %s", p->name, message);
	rng_seed(&b.rng, 1);
	return b;
}

void bench_free(struct bench *b)
{
	ssdmodel_destroy(b->d);
	b->d = NULL;
}

static int by_value(const void *a, const void *b)
{
	nsec x = *(const nsec *)a, y = *(const nsec *)b;
	return (x > y) - (x < y);
}

struct result bench_run(struct bench *b, struct load l)
{
	assert_true(l.qd >= 1 && l.qd <= 256);
	nsec flight[256], begin = b->now;
	uint64_t n = l.bytes / l.block, *at = l.op == SSDMODEL_WRITE ? &b->written_at : &b->read_at;
	unsigned flying = 0;
	nsec *latency = malloc(n * sizeof *latency);
	assert_non_null(latency);
	struct ssdmodel_sense before, after;
	ssdmodel_sense(b->d, b->now, &before);
	for (uint64_t i = 0; i < n; i++) {
		if (flying == l.qd) {
			unsigned first = 0;
			for (unsigned k = 1; k < flying; k++)
				first = flight[k] < flight[first] ? k : first;
			b->now = flight[first] > b->now ? flight[first] : b->now;
			flight[first] = flight[--flying];
		}
		uint64_t offset = l.random ? rng_below(&b->rng, l.span / l.block) * l.block : *at;
		if (!l.random) {
			if (offset + l.block > l.span)
				offset = 0;
			*at = offset + l.block;
		}
		nsec end = ssdmodel_io(b->d, l.op, offset, l.block, b->now);
		assert_true(end >= b->now);
		latency[i] = end - b->now;
		flight[flying++] = end;
	}
	for (unsigned k = 0; k < flying; k++)
		b->now = flight[k] > b->now ? flight[k] : b->now;
	ssdmodel_sense(b->d, b->now, &after);
	double seconds = nsec_to_s(b->now - begin), sum = 0;
	for (uint64_t i = 0; i < n; i++)
		sum += (double)latency[i];
	qsort(latency, n, sizeof *latency, by_value);
	struct result r = {
		.mbps = (double)(n * l.block) / seconds / 1e6,
		.iops = (double)n / seconds,
		.joules = after.joules - before.joules,
		.watts = (after.joules - before.joules) / seconds,
		.mean_us = sum / (double)n / 1e3,
		.p99_us = (double)latency[n * 99 / 100] / 1e3,
		.max_us = (double)latency[n - 1] / 1e3,
		.die_busy = (after.die_busy_ns - before.die_busy_ns) / 1e9 / seconds,
		.waf = (double)(after.nand_bytes - before.nand_bytes) / (double)(n * l.block),
		.map_misses = after.counts.map_misses - before.counts.map_misses,
	};
	for (int m = 0; m < 2; m++)
		r.reads += after.counts.reads[m] + after.counts.reads_4k[m] - before.counts.reads[m] -
			   before.counts.reads_4k[m];
	free(latency);
	return r;
}

uint64_t bench_write_until(struct bench *b, uint64_t bytes, double floor_mbps)
{
	uint64_t capacity = ssdmodel_params(b->d)->capacity_bytes, done = 0, mark = 0;
	nsec slot = b->now;
	while (done < bytes) {
		if (b->written_at + MIB > capacity)
			b->written_at = 0;
		b->now = ssdmodel_io(b->d, SSDMODEL_WRITE, b->written_at, MIB, b->now);
		b->written_at += MIB;
		done += MIB;
		if (b->now - slot < 30 * NSEC_PER_MSEC)
			continue;
		double mbps = (double)(done - mark) / nsec_to_s(b->now - slot) / 1e6;
		if (mbps < floor_mbps)
			return mark;
		mark = done;
		slot = b->now;
	}
	return done;
}

void bench_idle(struct bench *b, double seconds)
{
	b->now += (nsec)(seconds * 1e9);
	ssdmodel_advance(b->d, b->now);
}

struct ssdmodel_sense bench_sense(struct bench *b)
{
	struct ssdmodel_sense s;
	ssdmodel_sense(b->d, b->now, &s);
	return s;
}

void bench_check(struct bench *b)
{
	char message[256];
	if (ssdmodel_check(b->d, message, sizeof message))
		fail_msg("%s: %s", ssdmodel_params(b->d)->name, message);
}
