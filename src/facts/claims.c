// SPDX-License-Identifier: MIT
#include "facts/claims.h"

#include "base/mem.h"
#include "facts/rules.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *const claim_drive_ids[NDRIVES] = {
	[TPU] = "tpu-617gb",
	[MP700] = "corsair-mp700-2tb",
	[E12] = "phison-e12-960gb",
	[PRO2T] = "samsung-960-pro-2tb",
	[PRO512] = "samsung-960-pro-512gb",
	[A1000] = "kingston-a1000-960gb",
	[EX920] = "hp-ex920-1tb",
	[EVO] = "samsung-970-evo-1tb",
	[HELLFIRE] = "patriot-hellfire-480gb",
	[M9PE] = "plextor-m9pegn-1tb",
	[RD400] = "ocz-rd400-1tb",
	[WDBLACK] = "wd-black-3d-1tb",
	[XG5] = "toshiba-xg5-1tb",
	[OPTANE] = "intel-optane-900p-280gb",
	[MX500] = "crucial-mx500-1tb",
};

const char *const claim_short_names[NDRIVES] = {
	[TPU] = "617 GB drive",
	[MP700] = "MP700",
	[E12] = "E12",
	[PRO2T] = "960 PRO 2TB",
	[PRO512] = "960 PRO 512GB",
	[A1000] = "A1000",
	[EX920] = "EX920",
	[EVO] = "970 EVO",
	[HELLFIRE] = "Hellfire",
	[M9PE] = "M9PeGN",
	[RD400] = "RD400",
	[WDBLACK] = "WD Black",
	[XG5] = "XG5",
	[OPTANE] = "Optane 900P",
	[MX500] = "MX500",
};

bool is_tlc(enum drive_place p)
{
	return p == E12 || p == EVO || p == EX920 || p == M9PE || p == WDBLACK || p == XG5 || p == A1000;
}

#define BIT(place) (1u << (place))
#define ALL_B (((1u << NB) - 1) << FIRST_B)
#define EVERY ((1u << NDRIVES) - 1)
#define TLC (BIT(E12) | BIT(EVO) | BIT(EX920) | BIT(M9PE) | BIT(WDBLACK) | BIT(XG5) | BIT(A1000))

enum need { FILL = 1, FILL_QD8 = 2, RECOVERY = 4, BURSTS = 8, SWEEPS = 16 };

/* Thresholds: where a review gives words and no number, the number is ours (docs/model.md names them). */
static const struct claim {
	const char *id, *asked;
	unsigned drives; /* a set of BIT(place) */
	unsigned needs;	 /* a set of enum need */
	claim_rule *rule;
} claims[] = {
	{"A1", "rate in the cache 7.0 GB/s +- 3 %", BIT(TPU), FILL, rule_a1},
	{"A2", "cache 617 GB +- 1 %", BIT(TPU), FILL, rule_a2},
	{"A3", "share of the cells used as SLC first 0.90 +- 0.01", BIT(TPU), FILL, rule_a3},
	{"A4", "typical rate after the cache 1.6 to 1.95 GB/s", BIT(TPU), FILL, rule_a4},
	{"A5", "mean of the whole fill 2417 MB/s +- 2 %", BIT(TPU), FILL, rule_a5},
	{"A6", "5 s of idle past the cache give 2 GB or more at 95 % of the cache's rate; more idle gives more",
		BIT(TPU), FILL | RECOVERY, rule_a6},
	{"A7", "mean of the MP700's fill at least 1.15 x the 617 GB drive's", BIT(TPU) | BIT(MP700), FILL, rule_a7},
	{"A8", "rate in the cache at QD8 at least 1.03 x that at QD1", BIT(TPU), FILL | FILL_QD8, rule_a8},
	{"A9", "NAND bytes above 1.2 x host bytes after the cache", BIT(TPU), FILL, rule_a9},
	{"B1", "E12 burst sequential read 1.90 to 1.999 GB/s", BIT(E12), BURSTS, rule_b1},
	{"B2", "E12 burst sequential read 15 % or more above the median of the other TLC drives", TLC, BURSTS, rule_b2},
	{"B3", "EX920 burst sequential read 2.35 to 2.5 GB/s", BIT(EX920), BURSTS, rule_b3},
	{"B4", "sequential read score of the XG5 above the E12's, at most 1.25 x", BIT(E12) | BIT(XG5), SWEEPS,
		rule_b4},
	{"B5", "fragmentation takes at most 12 % of the E12's read score, at least 25 % of the EX920's",
		BIT(E12) | BIT(EX920), SWEEPS, rule_b5},
	{"B6", "E12 4th to 10th of 13 in MB/s per W of sequential reads", ALL_B, SWEEPS, rule_b6},
	{"B7",
		"reading fragmented data, the E12 and at most 3 others draw more W; 7 or more lose 5 % of speed and "
		"draw "
		"less",
		ALL_B, SWEEPS, rule_b7},
	{"B8", "E12 reads within 15 % of each other at QD1, 2, 4; 95 % of the maximum first at QD8 or 16", BIT(E12),
		SWEEPS, rule_b8},
	{"B9", "3 or more other drives' reads saturate at QD8 or later; EX920 above 3.0 GB/s at QD2", ALL_B, SWEEPS,
		rule_b9},
	{"B10", "burst sequential write: E12 first of 13, 970 EVO second, the third TLC drive at most 85 % of that",
		ALL_B, BURSTS, rule_b10},
	{"B11", "burst random write: E12 first of 13", ALL_B, BURSTS, rule_b11},
	{"B12", "sequential write score: 970 EVO above E12 above every other TLC drive", TLC, SWEEPS, rule_b12},
	{"B13", "MB/s per W of sequential writes: XG5 first of 13, E12 and WD Black next, within 7 % of each other",
		ALL_B, SWEEPS, rule_b13},
	{"B14", "sequential writes: W of E12 over WD Black above 1.0, at most 1.25; MB/s ratio within 7 % of it",
		BIT(E12) | BIT(WDBLACK), SWEEPS, rule_b14},
	{"B15", "E12 writes: QD2 within 5 % of the best; of QD4 to 32 one 15 % or more below another", BIT(E12), SWEEPS,
		rule_b15},
	{"B16", "E12 sequential writes 1.0 GB/s or more at every QD", BIT(E12), SWEEPS, rule_b16},
	{"B17",
		"E12 writes: highest over lowest W at most 1.15; dies 90 % busy or more at every QD; NAND bytes above "
		"1.2 x "
		"host bytes",
		BIT(E12), SWEEPS, rule_b17},
	{"B18", "duty of every burst test of every drive 0.20 +- 0.005", ALL_B, BURSTS, rule_b18},
	{"S1", "MX500 at most 560 MB/s in every test; A1000 reads at most 1500 MB/s", BIT(MX500) | BIT(A1000),
		BURSTS | SWEEPS, rule_s1},
	{"S2", "Optane 900P reads the same fragmented as fresh within 1 %; no stage in its fill", BIT(OPTANE),
		FILL | SWEEPS, rule_s2},
	{"S3", "no cache found on 960 PRO, Hellfire, RD400", BIT(PRO2T) | BIT(PRO512) | BIT(HELLFIRE) | BIT(RD400),
		FILL, rule_s3},
	{"S4", "no figure of any drive above its interface, or 5 % above its rated speed", EVERY, 0, rule_s4},
};

size_t claims_count(void)
{
	return ARRAY_SIZE(claims);
}

void claim_figures_init(struct claim_figures *f, const char *drive)
{
	const struct estimate none = {NAN, NAN, NAN};
	const struct claim_fill fill = {.verdict = CACHE_NOT_REACHED,
		.mean_mbps = NAN,
		.max_mbps = NAN,
		.cache_bytes = NAN,
		.cache_mbps = NAN,
		.after_mbps = NAN,
		.share_of_cells = NAN,
		.after_bytes = NAN,
		.after_nand_bytes = NAN};
	*f = (struct claim_figures){.drive = drive,
		.fill = fill,
		.fill_qd8 = fill,
		.fill_full = fill,
		.max_read_mbps = NAN,
		.max_write_mbps = NAN,
		.rated_read_mbps = NAN,
		.rated_write_mbps = NAN,
		.link_mbps = NAN};
	for (size_t i = 0; i < BURST_TESTS; i++)
		f->burst[i] = (struct claim_burst){.mbps = none, .duty = NAN};
}

void claims_evaluate(size_t i, const struct claim_figures *figures, size_t n, struct claim_result *out)
{
	const struct claim *c = &claims[i];
	struct evidence e = {{NULL}};
	*out = (struct claim_result){.id = c->id, .asked = c->asked};
	for (int p = 0; p < NDRIVES; p++) {
		if (!(c->drives & BIT(p)))
			continue;
		out->drives[out->ndrives++] = claim_drive_ids[p];
		for (size_t k = 0; k < n; k++)
			if (!strcmp(figures[k].drive, claim_drive_ids[p]))
				e.d[p] = &figures[k];
		if (!e.d[p]) {
			claim_absent(out->got, claim_drive_ids[p], "not run");
			return;
		}
	}
	out->met = c->rule(&e, out->got);
}

struct claim_needs claims_needs(const char *drive)
{
	unsigned needs = 0;
	for (size_t i = 0; i < ARRAY_SIZE(claims); i++)
		for (int p = 0; p < NDRIVES; p++)
			if (claims[i].drives & BIT(p) && !strcmp(drive, claim_drive_ids[p]))
				needs |= claims[i].needs;
	return (struct claim_needs){.fill = needs & FILL,
		.fill_qd8 = needs & FILL_QD8,
		.recovery = needs & RECOVERY,
		.bursts = needs & BURSTS,
		.sweeps = needs & SWEEPS};
}

size_t claims_drives(const char **out)
{
	for (size_t i = 0; i < NDRIVES; i++)
		out[i] = claim_drive_ids[i];
	return NDRIVES;
}

bool claim_absent(char *got, const char *drive, const char *what)
{
	snprintf(got, GOT, "%s: %s", drive, what);
	return false;
}

bool claim_above(struct estimate a, struct estimate b)
{
	double lo = isnan(a.lo) ? a.value : a.lo, hi = isnan(b.hi) ? b.value : b.hi;
	return lo > hi;
}
