// SPDX-License-Identifier: MIT
/* The model against arithmetic: latencies are the sums of their parts, saturated rates the bottleneck's capacity, the
 * write amplification of greedy collection what theory says. And against impossible parameters. */
#include "drives.h"
#include "unit.h"

#include <math.h>
#include <string.h>

static double transfer_us(double bytes, double bytes_per_s)
{
	return bytes / bytes_per_s * 1e6;
}

static void qd1_latency_is_the_sum_of_its_parts(void **state)
{
	struct ssdmodel_params p = drive_tlc();
	p.controller.readahead_streams = 0;
	p.controller.read_latency = 7000;
	p.controller.write_latency = 1500;
	struct bench b = bench_make(&p);
	struct result w = bench_run(&b, (struct load){SSDMODEL_WRITE, 4 * KIB, 1, 16 * KIB, GIB, false});
	double link = (double)p.link.bytes_per_s, channel = (double)p.nand.channel_bytes_per_s;
	assert_near(w.mean_us, 2 + 3 + 2 + transfer_us(4096, link) + 1.5, 0.01);
	bench_run(&b, (struct load){SSDMODEL_WRITE, MIB, 1, GIB, GIB, false});
	bench_idle(&b, 1);
	/* A 4 KiB read: host, core, partial-page read, channel, link. */
	struct result r = bench_run(&b, (struct load){SSDMODEL_READ, 4 * KIB, 1, 4 * MIB, 512 * MIB, true});
	double want = 2 + 3 + 2 + 45 + 0.5 + transfer_us(4096, channel) + transfer_us(4096, link) + 7;
	assert_near(r.mean_us, want, 0.2); /* the last few units written are still in the buffer */
	assert_near(r.max_us, want, 0.02);
	/* 64 KiB: one page of all planes; its type is one of three. */
	r = bench_run(&b, (struct load){SSDMODEL_READ, 64 * KIB, 1, 192 * MIB, 512 * MIB, false});
	want = 2 + 3 + 2 + 15 * 0.05 + 60 + 0.5 + transfer_us(65536, channel) + transfer_us(65536, link) + 7;
	assert_near(r.mean_us, want, 0.1);
	/* Unmapped: no flash at all. */
	b.read_at = 4 * GIB;
	r = bench_run(&b, (struct load){SSDMODEL_READ, 4 * KIB, 1, MIB, 8 * GIB, false});
	assert_near(r.mean_us, 2 + 3 + 2 + transfer_us(4096, link) + 7, 0.01);
	assert_int_equal(r.reads, 0);
	bench_free(&b);
}

/* The rate of a saturated resource, each in turn the bottleneck. */
static void saturated_rates_are_the_bottlenecks(void **state)
{
	for (int k = 0; k < 5; k++) {
		struct ssdmodel_params p = drive_tlc();
		double want = 0;
		struct load l = {SSDMODEL_READ, 128 * KIB, 64, GIB, 4 * GIB, false};
		p.nand.native.tr[0] = p.nand.native.tr[1] = p.nand.native.tr[2] = 60000;
		switch (k) {
		case 0:
			p.link.bytes_per_s = 500000000;
			want = 500;
			break;
		case 1:
			p.nand.channel_bytes_per_s = 200000000;
			want = 4 * 64 * KIB / (64 * KIB / 200e6 + 0.5e-6) / 1e6;
			break;
		case 2: /* die reads: tR of all planes */
			p.nand.native.tr[0] = p.nand.native.tr[1] = p.nand.native.tr[2] = 500000;
			want = 8 * 64 * KIB / 500e-6 / 1e6;
			break;
		case 3: /* cores */
			p.controller.read_command = 200000;
			want = 2 * 128 * KIB / (200e-6 + 31 * 0.05e-6) / 1e6;
			break;
		case 4: /* programs */
			l = (struct load){SSDMODEL_WRITE, 128 * KIB, 64, GIB, 4 * GIB, false};
			want = 8 * 192 * KIB / 1200e-6 / 1e6;
			break;
		}
		struct bench b = bench_make(&p);
		bench_run(&b, (struct load){SSDMODEL_WRITE, MIB, 8, 4 * GIB, 4 * GIB, false});
		if (k < 4)
			bench_idle(&b, 1);
		double got = bench_run(&b, l).mbps;
		assert_true(got <= want * 1.002);
		assert_true(got >= want * 0.97);
		bench_free(&b);
	}
}

/* Random reads of 4 KiB at N in flight over D dies, each held for S: a closed network with one station of D servers
 * chosen at random. Throughput of the balanced network is D/S x N / (N + D - 1) for exponential service; with constant
 * service it lies between that and min(N, D) / S. */
static void random_reads_follow_queueing(void **state)
{
	struct ssdmodel_params p = drive_tlc();
	p.controller.readahead_streams = 0;
	p.controller.read_command = p.controller.read_4k = 0;
	p.host.submit = p.host.complete = 0;
	p.nand.channel_bytes_per_s = 20000000000u;
	p.nand.channel_overhead = 0;
	p.link.bytes_per_s = 50000000000u;
	struct bench b = bench_make(&p);
	bench_run(&b, (struct load){SSDMODEL_WRITE, MIB, 8, 4 * GIB, 4 * GIB, false});
	bench_idle(&b, 1);
	for (unsigned n = 1; n <= 128; n *= 4) {
		double got = bench_run(&b, (struct load){SSDMODEL_READ, 4 * KIB, n, 400 * MIB, 4 * GIB, true}).iops;
		double service = (double)p.nand.native.tr_4k * 1e-9, low = 8 / service * n / (n + 7.0);
		double high = (n < 8 ? n : 8) / service;
		assert_true(got >= 0.985 * low && got <= 1.005 * high);
	}
	bench_free(&b);
}

/* Lambert's W on its principal branch, by Newton's method. */
static double lambert_w(double x)
{
	double w = -0.5;
	for (int i = 0; i < 60; i++)
		w -= (w * exp(w) - x) / (exp(w) * (w + 1));
	return w;
}

/* 9. Desnoyers, "Analytic modeling of SSD write performance", SYSTOR 2012: with a = physical / logical pages, the
 * write amplification of uniform random overwrite with large blocks is a / (a + W(-a exp(-a))). Blocks that are kept
 * free or stand half filled don't count as physical space. */
static void greedy_collection_matches_theory(void **state)
{
	static const uint32_t op_permille[] = {70, 127, 280};
	for (int k = 0; k < 3; k++) {
		struct ssdmodel_params p = drive_small(op_permille[k]);
		struct bench b = bench_make(&p);
		struct load l = {SSDMODEL_WRITE, 4 * KIB, 8, p.capacity_bytes, p.capacity_bytes, false};
		bench_run(&b, l);
		l.random = true;
		for (int i = 0; i < 4; i++)
			bench_run(&b, l);
		struct ssdmodel_sense s = bench_sense(&b);
		double got = bench_run(&b, l).waf;
		double blocks = p.nand.blocks_per_plane - s.free_blocks - 1; /* two open ones, half full */
		double a = blocks * 768 * 4096 / (double)p.capacity_bytes;
		double want = a / (a + lambert_w(-a * exp(-a)));
		assert_near(got, want, 0.03 * want);
		bench_check(&b);
		/* Sequential overwrite needs none. */
		l.random = false;
		l.block = MIB;
		bench_run(&b, l);
		bench_run(&b, l);
		assert_near(bench_run(&b, l).waf, 1, 0.01);
		bench_free(&b);
	}
}

/* Ten per cent more of a quantity moves the rates that it governs by ten per cent, and leaves the others. */
static void rates_move_as_arithmetic_predicts(void **state)
{
	double write[4], cache[4], waf[4];
	for (int k = 0; k < 4; k++) {
		struct ssdmodel_params p = drive_tlc();
		p.nand.channels = 5;
		p.nand.dies_per_channel = 2;
		p.nand.blocks_per_plane = 140;
		p.pslc.dynamic_permille = 600;
		p.controller.write_buffer_bytes = 16 * MIB;
		if (k == 1)
			p.nand.native.tprog = p.nand.native.tprog * 11 / 10;
		if (k == 2)
			p.nand.channels = 11, p.nand.dies_per_channel = 1; /* 11 dies for 10 */
		if (k == 3)
			p.capacity_bytes = p.capacity_bytes / 11 / MIB * 10 * MIB;
		struct bench b = bench_make(&p);
		cache[k] = (double)bench_write_until(&b, p.capacity_bytes, 2400);
		bench_write_until(&b, 256 * MIB, 0);
		write[k] = bench_run(&b, (struct load){SSDMODEL_WRITE, MIB, 1, GIB, p.capacity_bytes, false}).mbps;
		for (int i = 0; i < 3; i++)
			waf[k] = bench_run(
				&b, (struct load){SSDMODEL_WRITE, 4 * KIB, 8, 8 * GIB, p.capacity_bytes, true})
					 .waf;
		bench_free(&b);
	}
	assert_near(write[0] / write[1], 1.1, 0.02);
	assert_near(write[2] / write[0], 1.1, 0.02);
	assert_near(write[3], write[0], 0.01 * write[0]);
	assert_near(cache[1], cache[0], 0.04 * cache[0]);
	assert_near(cache[2] / cache[0], 1.1, 0.05);
	assert_near(cache[3], cache[0], 0.04 * cache[0]);
	assert_near(waf[1], waf[0], 0.02 * waf[0]);
	assert_true(waf[3] < 0.9 * waf[0]); /* more over-provisioning */
}

static void impossible_parameters(void **state)
{
	static const struct {
		const char *field;
		size_t offset;
		uint64_t value;
		int bytes;
	} bad[] = {
#define BAD(name, member, value)                                                                                       \
	{name, offsetof(struct ssdmodel_params, member), value, (int)sizeof(((struct ssdmodel_params *)0)->member)}
		BAD("capacity_bytes", capacity_bytes, 0),
		BAD("capacity_bytes", capacity_bytes, 5000),
		BAD("capacity_bytes", capacity_bytes, 17 * GIB),
		BAD("link.bytes_per_s", link.bytes_per_s, 0),
		BAD("controller.cores", controller.cores, 0),
		BAD("controller.write_buffer_kib", controller.write_buffer_bytes, 64 * KIB),
		BAD("controller.readahead_trigger", controller.readahead_trigger, 0),
		BAD("nand.channels", nand.channels, 0),
		BAD("nand.dies_per_channel", nand.dies_per_channel, 65),
		BAD("nand.planes", nand.planes, 9),
		BAD("nand.page_kib", nand.page_bytes, 5000),
		BAD("nand.bits_per_cell", nand.bits_per_cell, 5),
		BAD("nand.pages_per_block", nand.pages_per_block, 193),
		BAD("nand.native.tprog_us", nand.native.tprog, 0),
		BAD("nand.native.tr_us", nand.native.tr[1], 0),
		BAD("nand.native.terase_us", nand.native.terase, 0),
		BAD("nand.native.die_kib", nand.native.die_bytes, 100 * KIB),
		BAD("nand.slc.tprog_us", nand.slc.tprog, 0),
		BAD("pslc.dynamic_permille", pslc.dynamic_permille, 1001),
		BAD("background.low_blocks", background.low_blocks, 0),
		BAD("background.idle_permille", background.idle_permille, 0),
		BAD("power.states", power.nstates, 5),
#undef BAD
	};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct ssdmodel_params p = drive_slc(300, SSDMODEL_DIRECT);
		memcpy((char *)&p + bad[i].offset, &bad[i].value, (size_t)bad[i].bytes);
		char message[256] = "";
		struct ssdmodel *d;
		assert_int_equal(ssdmodel_create(&d, &p, message, sizeof message), -1);
		assert_null(d);
		if (strncmp(message, bad[i].field, strlen(bad[i].field)) != 0)
			fail_msg("'%s' does not begin with '%s'", message, bad[i].field);
	}
	assert_int_equal(ssdmodel_pcie_rate(3, 4, 1000) / 1000000, 3938); /* 8 GT/s x 4 x 128/130 / 8 */
	assert_int_equal(ssdmodel_pcie_rate(2, 2, 1000) / 1000000, 1000);
	assert_int_equal(ssdmodel_pcie_rate(6, 4, 900), 0);
	assert_int_equal(ssdmodel_pcie_rate(3, 0, 900), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(qd1_latency_is_the_sum_of_its_parts),
		cmocka_unit_test(saturated_rates_are_the_bottlenecks),
		cmocka_unit_test(random_reads_follow_queueing),
		cmocka_unit_test(greedy_collection_matches_theory),
		cmocka_unit_test(rates_move_as_arithmetic_predicts),
		cmocka_unit_test(impossible_parameters),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
