// SPDX-License-Identifier: MIT
/* Every claim on made-up figures: met, just missed, absent. */
#include "unit.h"

#include "base/mem.h"
#include "facts/claims.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { TPU, MP700, E12, PRO2T, PRO512, A1000, EX920, EVO, HELLFIRE, M9PE, RD400, WDBLACK, XG5, OPTANE, MX500, NDRIVES };

/* Figures that meet every claim. Sequential reads: one rate and power for QD1 to 4, and one for QD8 to 32; what is left
 * of both when fragmented. Writes: one rate and power. */
static const struct {
	const char *id;
	double burst_read, burst_write, burst_random_write;
	double read, read_deep, read_w, kept, kept_w; /* shares that fragmentation leaves of rate and power */
	double write, write_w;
	double rated_read, rated_write, link;
} made_up[NDRIVES] = {
	{"tpu-617gb", .rated_read = NAN, .rated_write = NAN, .link = 14000},
	{"corsair-mp700-2tb", .rated_read = 10000, .rated_write = NAN, .link = 14000},
	{"phison-e12-960gb", 1950, 2900, 300, 1950, 3200, 4.0, 0.90, 1.05, 2500, 5.0, 3200, 3000, 3500},
	{"samsung-960-pro-2tb", 2200, 1900, 200, 2300, 3000, 4.5, 0.90, 0.95, 1900, 5.0, 3500, 2100, 3500},
	{"samsung-960-pro-512gb", 2200, 1900, 200, 2300, 3000, 4.5, 0.90, 0.95, 1900, 5.0, 3500, 2100, 3500},
	{"kingston-a1000-960gb", 1000, 900, 100, 900, 1400, 3.0, 0.90, 0.95, 900, 4.0, 1500, NAN, 1700},
	{"hp-ex920-1tb", 2420, 1700, 200, 3100, 3100, 4.5, 0.60, 0.90, 1500, 4.0, NAN, NAN, 3500},
	{"samsung-970-evo-1tb", 1800, 2500, 250, 2300, 3000, 5.0, 0.90, 0.95, 2600, 6.0, 3400, 2500, 3500},
	{"patriot-hellfire-480gb", 1200, 1200, 150, 1500, 2500, 5.0, 0.90, 0.95, 1200, 5.0, NAN, NAN, 3500},
	{"plextor-m9pegn-1tb", 1500, 1800, 180, 1600, 3000, 5.0, 0.90, 0.95, 1500, 5.0, NAN, NAN, 3500},
	{"ocz-rd400-1tb", 1300, 1300, 160, 1600, 2500, 5.0, 0.98, 1.02, 1300, 5.0, NAN, NAN, 3500},
	{"wd-black-3d-1tb", 1500, 2100, 240, 1700, 3200, 4.0, 0.90, 0.95, 2300, 4.6, 3400, 2800, 3500},
	{"toshiba-xg5-1tb", 1600, 1900, 200, 2100, 3000, 4.0, 0.90, 0.95, 2300, 4.0, 3000, 2900, 3500},
	{"intel-optane-900p-280gb", 2300, 2000, 290, 2500, 2550, 8.0, 1.00, 1.00, 2000, 9.0, NAN, NAN, 3500},
	{"crucial-mx500-1tb", 500, 490, 120, 520, 530, 2.5, 0.93, 0.98, 480, 3.5, 560, 510, 600},
};

static struct claim_figures figures[NDRIVES];

static struct estimate exact(double v)
{
	return (struct estimate){v, v * 0.999, v * 1.001};
}

static void sweep(struct claim_sweep *s, double low, double deep, double watts)
{
	*s = (struct claim_sweep){.n = 6};
	for (unsigned i = 0; i < 6; i++)
		s->points[i] = (struct claim_sweep_point){.qd = 1u << i,
			.mbps = exact(i < 3 ? low : deep),
			.watts = watts,
			.die_busy = 0.95,
			.bytes = 34e9,
			.nand_bytes = 51e9};
}

static void make_all(void)
{
	for (int i = 0; i < NDRIVES; i++) {
		struct claim_figures *f = &figures[i];
		claim_figures_init(f, made_up[i].id);
		f->fill.measured = true;
		f->fill.verdict = CACHE_NONE;
		f->fill.nstages = 1;
		f->link_mbps = made_up[i].link;
		f->rated_read_mbps = made_up[i].rated_read;
		f->rated_write_mbps = made_up[i].rated_write;
		f->max_write_mbps = i < E12 ? 9000 : fmax(made_up[i].burst_write, made_up[i].write);
		if (i < E12)
			continue;
		f->max_read_mbps = fmax(made_up[i].burst_read, made_up[i].read_deep);
		f->burst[BURST_SEQ_READ] = (struct claim_burst){exact(made_up[i].burst_read), 0.2};
		f->burst[BURST_SEQ_WRITE] = (struct claim_burst){exact(made_up[i].burst_write), 0.2};
		f->burst[BURST_RAND_READ] = (struct claim_burst){exact(50), 0.2};
		f->burst[BURST_RAND_WRITE] = (struct claim_burst){exact(made_up[i].burst_random_write), 0.2};
		sweep(&f->seq_read, made_up[i].read, made_up[i].read_deep, made_up[i].read_w);
		sweep(&f->seq_read_fragmented, made_up[i].read * made_up[i].kept,
			made_up[i].read_deep * made_up[i].kept, made_up[i].read_w * made_up[i].kept_w);
		sweep(&f->seq_write, made_up[i].write, made_up[i].write, made_up[i].write_w);
	}
	struct claim_fill *fill = &figures[TPU].fill;
	*fill = (struct claim_fill){.measured = true,
		.verdict = CACHE_FOUND,
		.nstages = 3,
		.mean_mbps = 2417,
		.max_mbps = 7100,
		.cache_bytes = 617e9,
		.cache_mbps = 7000,
		.after_mbps = 1710,
		.share_of_cells = 0.904,
		.after_bytes = 1383e9,
		.after_nand_bytes = 2000e9};
	figures[TPU].fill_qd8 = *fill;
	figures[TPU].fill_qd8.cache_mbps = 7300;
	figures[TPU].recovery =
		(struct claim_recovery){4, {{1, 2e9, NAN}, {2, 4e9, 6900}, {5, 9.7e9, 6950}, {10, 19e9, 7000}}};
	figures[MP700].fill.mean_mbps = 3000;
	/* The E12 bounces: QD2 is the best of all. */
	for (size_t i = 3; i < 6; i++)
		figures[E12].seq_write.points[i].mbps = exact(i == 4 ? 1700 : 2300);
}

static struct claim_result result(const char *id)
{
	struct claim_result r = {0};
	for (size_t i = 0; i < claims_count(); i++) {
		claims_evaluate(i, figures, NDRIVES, &r);
		if (!strcmp(r.id, id))
			return r;
	}
	fail_msg("no claim %s", id);
	return r;
}

static void assert_met(const char *id, bool met, const char *when)
{
	struct claim_result r = result(id);
	if (r.met != met)
		fail_msg("%s is %smet %s: asked %s, got %s", id, r.met ? "" : "not ", when, r.asked, r.got);
}

static void test_all_met(void **state)
{
	make_all();
	for (size_t i = 0; i < claims_count(); i++) {
		struct claim_result r;
		claims_evaluate(i, figures, NDRIVES, &r);
		if (!r.met)
			fail_msg("%s: asked %s, got %s", r.id, r.asked, r.got);
		assert_true(r.got[0] && r.asked[0] && r.ndrives);
	}
	assert_int_equal(claims_count(), 9 + 18 + 4);
}

/* One figure changed: the claim is met with `still`, not with `missed`, not without it. */
struct edge {
	const char *id;
	double *figure;
	double still, missed;
};

static void test_edges(void **state)
{
	struct claim_figures *f = figures;
#define RATE(drive, test, i) &f[drive].test.points[i].mbps.value
	const struct edge edges[] = {
		{"A1", &f[TPU].fill.cache_mbps, 6791, 6789}, {"A1", &f[TPU].fill.cache_mbps, 7209, 7211},
		{"A2", &f[TPU].fill.cache_bytes, 611e9, 610.8e9}, {"A2", &f[TPU].fill.cache_bytes, 623e9, 623.2e9},
		{"A3", &f[TPU].fill.share_of_cells, 0.891, 0.889}, {"A3", &f[TPU].fill.share_of_cells, 0.909, 0.911},
		{"A4", &f[TPU].fill.after_mbps, 1600, 1599}, {"A4", &f[TPU].fill.after_mbps, 1950, 1951},
		{"A5", &f[TPU].fill.mean_mbps, 2369, 2368}, {"A5", &f[TPU].fill.mean_mbps, 2465, 2466},
		{"A6", &f[TPU].recovery.points[2].fast_bytes, 4.1e9, 3.9e9}, /* no more than after 2 s */
		{"A6", &f[TPU].recovery.points[2].mbps, 6650, 6649}, {"A7", &f[MP700].fill.mean_mbps, 2780, 2779},
		{"A8", &f[TPU].fill_qd8.cache_mbps, 7210, 7209}, {"A9", &f[TPU].fill.after_nand_bytes, 1660e9, 1659e9},
		{"B1", &f[E12].burst[BURST_SEQ_READ].mbps.value, 1900, 1899},
		{"B1", &f[E12].burst[BURST_SEQ_READ].mbps.value, 1999, 2000},
		{"B2", &f[E12].burst[BURST_SEQ_READ].mbps.value, 1783, 1782}, /* median of the six: 1550 */
		{"B3", &f[EX920].burst[BURST_SEQ_READ].mbps.value, 2350, 2349},
		{"B3", &f[EX920].burst[BURST_SEQ_READ].mbps.value, 2500, 2501},
		{"B4", RATE(XG5, seq_read, 0), 3100, 3120}, /* the other two at 2100: a score of 2437.5 */
		{"B5", RATE(E12, seq_read_fragmented, 0), 1638, 1637},
		{"B5", RATE(EX920, seq_read_fragmented, 0), 3254, 3256}, {"B8", RATE(E12, seq_read, 2), 2242, 2243},
		{"B8", RATE(E12, seq_read, 0), 1696, 1695}, {"B9", RATE(EX920, seq_read, 1), 3000.5, 3000},
		{"B10", &f[WDBLACK].burst[BURST_SEQ_WRITE].mbps.value, 2125, 2126},
		{"B14", &f[WDBLACK].seq_write.points[0].watts, 5.56, 5.57}, /* W 1.016 x, MB/s 1.087 x */
		{"B15", RATE(E12, seq_write, 1), 2375.5, 2374}, {"B15", RATE(E12, seq_write, 4), 2125, 2126},
		{"B16", RATE(E12, seq_write, 4), 1000, 999}, {"B17", &f[E12].seq_write.points[3].watts, 5.75, 5.76},
		{"B17", &f[E12].seq_write.points[5].die_busy, 0.90, 0.899},
		{"B17", &f[E12].seq_write.points[0].nand_bytes, 51e9 - 61e9, 51e9 - 62e9},
		{"B18", &f[MX500].burst[BURST_RAND_READ].duty, 0.205, 0.206},
		{"B18", &f[PRO2T].burst[BURST_SEQ_WRITE].duty, 0.195, 0.194}, {"S1", &f[MX500].max_read_mbps, 560, 561},
		{"S1", &f[MX500].max_write_mbps, 535, 561}, {"S1", &f[A1000].max_read_mbps, 1500, 1501},
		{"S2", RATE(OPTANE, seq_read_fragmented, 0), 2524, 2526}, {"S4", &f[XG5].max_write_mbps, 3045, 3046},
		{"S4", &f[RD400].max_read_mbps, 3503, 3504}, /* no rated speed: the interface */
	};
	for (size_t i = 0; i < ARRAY_SIZE(edges); i++) {
		make_all();
		*edges[i].figure = edges[i].still;
		assert_met(edges[i].id, true, "where it still should be");
		*edges[i].figure = edges[i].missed;
		assert_met(edges[i].id, false, "where it should be just missed");
		if (edges[i].figure == &f[RD400].max_read_mbps || edges[i].figure == &f[XG5].max_write_mbps)
			continue; /* a drive that was only written is judged by its writes */
		*edges[i].figure = NAN;
		assert_met(edges[i].id, false, "without a figure");
	}
}

static void test_ranks_need_a_margin(void **state)
{
	/* First by value, but the intervals overlap. */
	make_all();
	figures[OPTANE].burst[BURST_RAND_WRITE].mbps = (struct estimate){299, 290, 308};
	assert_met("B11", false, "though the Optane's interval reaches above the E12's");
	figures[OPTANE].burst[BURST_RAND_WRITE].mbps = (struct estimate){299, 298.9, 299.1};
	assert_met("B11", true, "with a margin");
	figures[OPTANE].burst[BURST_RAND_WRITE].mbps = (struct estimate){301, NAN, NAN};
	assert_met("B11", false, "though the Optane is faster");

	make_all();
	figures[EVO].burst[BURST_SEQ_WRITE].mbps = (struct estimate){2899, 2800, 2910};
	assert_met("B10", false, "though first and second overlap");
	make_all();
	figures[PRO2T].burst[BURST_SEQ_WRITE].mbps = exact(2600);
	assert_met("B10", false, "though an MLC drive is second");

	make_all();
	sweep(&figures[XG5].seq_read, 1951, 3000, 4);
	assert_met("B4", false, "though the XG5's score is within the interval of the E12's");
	sweep(&figures[XG5].seq_read, 1960, 3000, 4);
	assert_met("B4", true, "with a margin");

	make_all();
	sweep(&figures[EVO].seq_write, 2501, 2501, 6);
	assert_met("B12", false, "though 970 EVO and E12 overlap");
	make_all();
	sweep(&figures[M9PE].seq_write, 2550, 2550, 6);
	assert_met("B12", false, "though the M9PeGN is ahead of the E12");
	make_all();
	sweep(&figures[PRO2T].seq_write, 2700, 2700, 8);
	assert_met("B12", true, "whatever an MLC drive does");
}

static void test_read_efficiency(void **state)
{
	/* The E12 at 487 MB/s per W; six are better in the made-up figures. */
	make_all();
	assert_met("B6", true, "in the middle");
	sweep(&figures[E12].seq_read, 1950, 3200, 1.9);
	assert_met("B6", false, "as the first");
	sweep(&figures[E12].seq_read, 1950, 3200, 12);
	assert_met("B6", false, "as the last");
	make_all();
	figures[HELLFIRE].seq_read.points[1].watts = NAN;
	assert_met("B6", false, "without a power");
}

static void test_fragmented_power(void **state)
{
	make_all();
	sweep(&figures[E12].seq_read_fragmented, 1800, 3000, 4.0);
	assert_met("B7", false, "where the E12 draws the same");
	make_all();
	for (int i = PRO2T; i <= EX920; i++)
		sweep(&figures[i].seq_read_fragmented, made_up[i].read * 0.9, made_up[i].read_deep,
			made_up[i].read_w * 1.01);
	assert_met("B7", false, "where four and the RD400 draw more");
	make_all();
	for (int i = PRO2T; i <= EX920; i++)
		sweep(&figures[i].seq_read_fragmented, made_up[i].read * 0.96, made_up[i].read_deep,
			made_up[i].read_w * 0.99);
	assert_met("B7", false, "where only six lose 5 %");
	make_all();
	figures[MX500].seq_read_fragmented.n = 0;
	assert_met("B7", false, "without a drive's fragmented reads");
}

static void test_saturation(void **state)
{
	make_all();
	for (size_t i = 1; i < 6; i++)
		figures[E12].seq_read.points[i].mbps = exact(1950);
	assert_met("B8", false, "where the reads are flat throughout");
	make_all();
	figures[E12].seq_read.points[3].mbps = figures[E12].seq_read.points[4].mbps = exact(2500);
	assert_met("B8", false, "where only QD32 saturates");
	make_all();
	for (int i = PRO2T; i < NDRIVES; i++)
		if (i != HELLFIRE && i != RD400)
			sweep(&figures[i].seq_read, 3100, 3100, 5);
	assert_met("B9", false, "where only two others saturate late");
}

static void test_write_efficiency(void **state)
{
	make_all();
	sweep(&figures[WDBLACK].seq_write, 2300, 2300, 4.2);
	assert_met("B13", false, "where E12 and WD Black are 10 % apart");
	make_all();
	sweep(&figures[XG5].seq_write, 2300, 2300, 4.6);
	assert_met("B13", false, "where the XG5 is not first");
	make_all();
	sweep(&figures[MX500].seq_write, 480, 480, 0.9);
	assert_met("B13", false, "where another drive is before the two");
	make_all();
	sweep(&figures[E12].seq_write, 2875, 2875, 5.76);
	assert_met("B14", false, "where the E12 draws more than 1.25 x");
	make_all();
	sweep(&figures[E12].seq_write, 2700, 2700, 5.0);
	assert_met("B14", false, "where the speed does not match the power");
}

static void test_no_cache(void **state)
{
	static const int four[] = {PRO2T, PRO512, HELLFIRE, RD400};
	for (size_t i = 0; i < ARRAY_SIZE(four); i++) {
		make_all();
		figures[four[i]].fill.verdict = CACHE_FOUND;
		assert_met("S3", false, "with a cache");
		figures[four[i]].fill.verdict = CACHE_NOT_REACHED;
		assert_met("S3", false, "without an end");
		figures[four[i]].fill = (struct claim_fill){.verdict = CACHE_NONE};
		assert_met("S3", false, "without a fill");
	}
	make_all();
	figures[OPTANE].fill.nstages = 2;
	assert_met("S2", false, "with a stage in the fill");
}

/* A drive that was not run meets nothing that names it, and all drives are named by something. */
static void test_missing_drives(void **state)
{
	const char *drives[CLAIM_MAX_DRIVES];
	assert_int_equal(claims_drives(drives), NDRIVES);
	make_all();
	for (size_t gone = 0; gone < NDRIVES; gone++) {
		const char *name = figures[gone].drive;
		size_t naming = 0;
		figures[gone].drive = "another";
		for (size_t i = 0; i < claims_count(); i++) {
			struct claim_result r;
			bool names = false;
			claims_evaluate(i, figures, NDRIVES, &r);
			for (size_t k = 0; k < r.ndrives; k++)
				names |= !strcmp(r.drives[k], name);
			assert_int_equal(r.met, !names);
			naming += names;
		}
		assert_true(naming >= 2);
		figures[gone].drive = name;
	}
	struct claim_figures none;
	claim_figures_init(&none, "tpu-617gb");
	for (size_t i = 0; i < 9; i++) {
		struct claim_result r;
		claims_evaluate(i, &none, 1, &r);
		assert_false(r.met);
		assert_non_null(strstr(r.got, ": "));
	}
}

static void test_needs(void **state)
{
	struct claim_needs n = claims_needs("tpu-617gb");
	assert_true(n.fill && n.fill_qd8 && n.recovery && !n.bursts && !n.sweeps);
	n = claims_needs("phison-e12-960gb");
	assert_true(!n.fill && !n.fill_qd8 && !n.recovery && n.bursts && n.sweeps);
	n = claims_needs("ocz-rd400-1tb");
	assert_true(n.fill && n.bursts && n.sweeps);
	n = claims_needs("lexar-nm710-1tb");
	assert_true(!n.fill && !n.fill_qd8 && !n.recovery && !n.bursts && !n.sweeps);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_met),
		cmocka_unit_test(test_edges),
		cmocka_unit_test(test_ranks_need_a_margin),
		cmocka_unit_test(test_read_efficiency),
		cmocka_unit_test(test_fragmented_power),
		cmocka_unit_test(test_saturation),
		cmocka_unit_test(test_write_efficiency),
		cmocka_unit_test(test_no_cache),
		cmocka_unit_test(test_missing_drives),
		cmocka_unit_test(test_needs),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
