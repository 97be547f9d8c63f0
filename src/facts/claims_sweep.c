// SPDX-License-Identifier: MIT
/* The claims about bursts and queue-depth sweeps (B). */
#include "facts/rules.h"

#include "base/mem.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- Figures of a sweep. */

static const struct claim_sweep_point *at_depth(const struct claim_sweep *s, unsigned qd)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->points[i].qd == qd)
			return &s->points[i];
	return NULL;
}

/* Mean rate and power over QD1, 2 and 4; NAN where one is missing. The rates' errors are independent, so they add as
 * squares. */
struct score {
	struct estimate mbps;
	double watts;
	struct estimate mbps_per_w;
};

static struct score score_of(const struct claim_sweep *s)
{
	struct score out = {.mbps = {0, 0, 0}, .watts = 0};
	double square = 0;
	for (unsigned qd = 1; qd <= 4; qd *= 2) {
		const struct claim_sweep_point *p = at_depth(s, qd);
		double half = p ? (p->mbps.hi - p->mbps.lo) / 2 : NAN;
		out.mbps.value += p ? p->mbps.value / 3 : NAN;
		out.watts += p ? p->watts / 3 : NAN;
		square += isnan(half) ? 0 : half * half / 9;
	}
	out.mbps.lo = out.mbps.value - sqrt(square);
	out.mbps.hi = out.mbps.value + sqrt(square);
	out.mbps_per_w =
		(struct estimate){out.mbps.value / out.watts, out.mbps.lo / out.watts, out.mbps.hi / out.watts};
	return out;
}

/* The highest and lowest rate over the depths from `from` on; false if one is missing. */
static bool extremes(const struct claim_sweep *s, unsigned from, double *low, double *high)
{
	*low = INFINITY;
	*high = -INFINITY;
	for (size_t i = 0; i < s->n; i++) {
		double v = s->points[i].mbps.value;
		if (isnan(v))
			return false;
		if (s->points[i].qd >= from) {
			*low = fmin(*low, v);
			*high = fmax(*high, v);
		}
	}
	return *high > 0;
}

/* The first depth with 95 % of the highest rate; 0 if it cannot be told. */
static unsigned saturation(const struct claim_sweep *s)
{
	double low, high;
	if (!extremes(s, 1, &low, &high))
		return 0;
	for (size_t i = 0; i < s->n; i++)
		if (s->points[i].mbps.value >= 0.95 * high)
			return s->points[i].qd;
	return 0;
}

static const char *const no_reads = "no sequential reads at QD1, 2 and 4";
static const char *const no_writes = "no sequential writes at QD1, 2 and 4";

/* ---- Bursts. */

static struct estimate burst(const struct evidence *e, enum drive_place p, enum claim_burst_test t)
{
	return e->d[p]->burst[t].mbps;
}

bool rule_b1(const struct evidence *e, char *got)
{
	double r = burst(e, E12, BURST_SEQ_READ).value;
	if (isnan(r))
		return claim_absent(got, claim_drive_ids[E12], "no burst reads");
	snprintf(got, GOT, "%.3f GB/s", r / 1e3);
	return r >= 1900 && r <= 1999;
}

bool rule_b2(const struct evidence *e, char *got)
{
	double others[NB], own = burst(e, E12, BURST_SEQ_READ).value;
	size_t n = 0;
	for (int p = FIRST_B; p < NDRIVES; p++) {
		if (!is_tlc(p))
			continue;
		if (isnan(burst(e, p, BURST_SEQ_READ).value))
			return claim_absent(got, claim_drive_ids[p], "no burst reads");
		if (p != E12)
			others[n++] = burst(e, p, BURST_SEQ_READ).value;
	}
	double median = stats_quantile(others, n, 0.5);
	snprintf(got, GOT, "%.0f MB/s, %.1f %% above the median of %.0f MB/s", own, 100 * (own / median - 1), median);
	return own >= 1.15 * median;
}

bool rule_b3(const struct evidence *e, char *got)
{
	double r = burst(e, EX920, BURST_SEQ_READ).value;
	if (isnan(r))
		return claim_absent(got, claim_drive_ids[EX920], "no burst reads");
	snprintf(got, GOT, "%.3f GB/s", r / 1e3);
	return r >= 2350 && r <= 2500;
}

/* The drive of the highest rate in a burst test, without those of the set `but`; -1 if one has none (it is then named).
 */
static int fastest(const struct evidence *e, enum claim_burst_test t, unsigned but, bool tlc_only, char *got)
{
	int best = -1;
	for (int p = FIRST_B; p < NDRIVES; p++) {
		if (but & 1u << p || (tlc_only && !is_tlc(p)))
			continue;
		if (isnan(burst(e, p, t).value)) {
			claim_absent(got, claim_drive_ids[p], "no burst writes");
			return -1;
		}
		if (best < 0 || burst(e, p, t).value > burst(e, best, t).value)
			best = p;
	}
	return best;
}

bool rule_b10(const struct evidence *e, char *got)
{
	const unsigned two = 1u << E12 | 1u << EVO;
	int first = fastest(e, BURST_SEQ_WRITE, 0, false, got), rest, third;
	if (first < 0)
		return false;
	rest = fastest(e, BURST_SEQ_WRITE, two, false, got);
	third = fastest(e, BURST_SEQ_WRITE, two, true, got);
	struct estimate e12 = burst(e, E12, BURST_SEQ_WRITE), evo = burst(e, EVO, BURST_SEQ_WRITE);
	double share = burst(e, third, BURST_SEQ_WRITE).value / evo.value;
	snprintf(got, GOT,
		"%s first; E12 %.0f, 970 EVO %.0f, %s %.0f MB/s; third TLC drive %s at %.0f %% of the 970 EVO",
		claim_short_names[first], e12.value, evo.value, claim_short_names[rest],
		burst(e, rest, BURST_SEQ_WRITE).value, claim_short_names[third], 100 * share);
	for (int p = FIRST_B; p < NDRIVES; p++)
		if (!(two & 1u << p) && !claim_above(evo, burst(e, p, BURST_SEQ_WRITE)))
			return false;
	return claim_above(e12, evo) && share <= 0.85;
}

bool rule_b11(const struct evidence *e, char *got)
{
	int next = fastest(e, BURST_RAND_WRITE, 1u << E12, false, got);
	struct estimate e12 = burst(e, E12, BURST_RAND_WRITE);
	if (next < 0)
		return false;
	if (isnan(e12.value))
		return claim_absent(got, claim_drive_ids[E12], "no burst writes");
	snprintf(got, GOT, "E12 %.1f MB/s, best other %s %.1f MB/s", e12.value, claim_short_names[next],
		burst(e, next, BURST_RAND_WRITE).value);
	for (int p = FIRST_B; p < NDRIVES; p++)
		if (p != E12 && !claim_above(e12, burst(e, p, BURST_RAND_WRITE)))
			return false;
	return true;
}

bool rule_b18(const struct evidence *e, char *got)
{
	double low = INFINITY, high = -INFINITY;
	for (int p = FIRST_B; p < NDRIVES; p++) {
		for (int t = 0; t < BURST_TESTS; t++) {
			double duty = e->d[p]->burst[t].duty;
			if (isnan(duty))
				return claim_absent(got, claim_drive_ids[p], "a burst test is missing");
			low = fmin(low, duty);
			high = fmax(high, duty);
		}
	}
	snprintf(got, GOT, "%.4f to %.4f", low, high);
	return low >= 0.195 && high <= 0.205;
}

/* ---- Sequential reads. */

bool rule_b4(const struct evidence *e, char *got)
{
	struct estimate a = score_of(&e->d[E12]->seq_read).mbps, b = score_of(&e->d[XG5]->seq_read).mbps;
	if (isnan(a.value) || isnan(b.value))
		return claim_absent(got, claim_drive_ids[isnan(a.value) ? E12 : XG5], no_reads);
	snprintf(got, GOT, "XG5 %.0f, E12 %.0f MB/s: %.2f x", b.value, a.value, b.value / a.value);
	return claim_above(b, a) && b.value <= 1.25 * a.value;
}

/* The share of the read score that fragmentation takes; NAN if not measured. */
static double loss(const struct claim_figures *d)
{
	return 1 - score_of(&d->seq_read_fragmented).mbps.value / score_of(&d->seq_read).mbps.value;
}

bool rule_b5(const struct evidence *e, char *got)
{
	double a = loss(e->d[E12]), b = loss(e->d[EX920]);
	if (isnan(a) || isnan(b))
		return claim_absent(got, claim_drive_ids[isnan(a) ? E12 : EX920], no_reads);
	snprintf(got, GOT, "E12 %.1f %%, EX920 %.1f %%", 100 * a, 100 * b);
	return a <= 0.12 && b >= 0.25;
}

bool rule_b6(const struct evidence *e, char *got)
{
	struct estimate own = score_of(&e->d[E12]->seq_read).mbps_per_w;
	int better = 0, worse = 0, rank = 1;
	for (int p = FIRST_B; p < NDRIVES; p++) {
		struct estimate s = score_of(&e->d[p]->seq_read).mbps_per_w;
		if (isnan(s.value))
			return claim_absent(got, claim_drive_ids[p], no_reads);
		better += claim_above(s, own);
		worse += claim_above(own, s);
		rank += s.value > own.value;
	}
	snprintf(got, GOT, "%d of %d with %.0f MB/s per W; %d surely better, %d surely worse", rank, NB, own.value,
		better, worse);
	return better >= 3 && worse >= NB - 10;
}

bool rule_b7(const struct evidence *e, char *got)
{
	int more = 0, slower_and_less = 0;
	double up = NAN;
	char names[128] = "";
	for (int p = FIRST_B; p < NDRIVES; p++) {
		struct score fresh = score_of(&e->d[p]->seq_read), worn = score_of(&e->d[p]->seq_read_fragmented);
		double change = worn.watts / fresh.watts - 1, lost = loss(e->d[p]);
		if (isnan(change) || isnan(lost))
			return claim_absent(got, claim_drive_ids[p], no_reads);
		if (p == E12)
			up = change;
		else if (change > 0 && ++more)
			snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", *names ? ", " : "",
				claim_short_names[p]);
		slower_and_less += change < 0 && lost >= 0.05;
	}
	snprintf(got, GOT, "E12 %+.1f %% W; %d other%s more (%s); %d lose 5 %% of speed and draw less", 100 * up, more,
		more == 1 ? "" : "s", names, slower_and_less);
	return up > 0 && more <= 3 && slower_and_less >= 7;
}

bool rule_b8(const struct evidence *e, char *got)
{
	const struct claim_sweep *s = &e->d[E12]->seq_read;
	double low = INFINITY, high = -INFINITY;
	unsigned qd = saturation(s);
	for (unsigned q = 1; q <= 4; q *= 2) {
		const struct claim_sweep_point *p = at_depth(s, q);
		if (!p || isnan(p->mbps.value) || !qd)
			return claim_absent(got, claim_drive_ids[E12], no_reads);
		low = fmin(low, p->mbps.value);
		high = fmax(high, p->mbps.value);
	}
	snprintf(got, GOT, "QD1 to 4 within %.1f %% (%.0f to %.0f MB/s); saturated at QD%u", 100 * (high / low - 1),
		low, high, qd);
	return high <= 1.15 * low && (qd == 8 || qd == 16);
}

bool rule_b9(const struct evidence *e, char *got)
{
	const struct claim_sweep_point *two = at_depth(&e->d[EX920]->seq_read, 2);
	int late = 0;
	for (int p = FIRST_B; p < NDRIVES; p++) {
		unsigned qd = saturation(&e->d[p]->seq_read);
		if (!qd)
			return claim_absent(got, claim_drive_ids[p], "no sequential reads");
		late += p != E12 && qd >= 8;
	}
	if (!two || isnan(two->mbps.value))
		return claim_absent(got, claim_drive_ids[EX920], "no sequential reads at QD2");
	snprintf(got, GOT, "%d others at QD8 or later; EX920 %.2f GB/s at QD2", late, two->mbps.value / 1e3);
	return late >= 3 && two->mbps.value > 3000;
}

/* ---- Sequential writes. */

bool rule_b12(const struct evidence *e, char *got)
{
	struct estimate e12 = score_of(&e->d[E12]->seq_write).mbps, evo = score_of(&e->d[EVO]->seq_write).mbps;
	int next = -1;
	struct estimate best = {NAN, NAN, NAN};
	bool ahead = true;
	for (int p = FIRST_B; p < NDRIVES; p++) {
		if (!is_tlc(p))
			continue;
		struct estimate s = score_of(&e->d[p]->seq_write).mbps;
		if (isnan(s.value))
			return claim_absent(got, claim_drive_ids[p], no_writes);
		if (p == E12 || p == EVO)
			continue;
		ahead &= claim_above(e12, s);
		if (next < 0 || s.value > best.value) {
			next = p;
			best = s;
		}
	}
	snprintf(got, GOT, "970 EVO %.0f, E12 %.0f, %s %.0f MB/s", evo.value, e12.value, claim_short_names[next],
		best.value);
	return claim_above(evo, e12) && ahead;
}

bool rule_b13(const struct evidence *e, char *got)
{
	struct estimate s[NDRIVES];
	int next = -1;
	bool ranks = true;
	for (int p = FIRST_B; p < NDRIVES; p++) {
		s[p] = score_of(&e->d[p]->seq_write).mbps_per_w;
		if (isnan(s[p].value))
			return claim_absent(got, claim_drive_ids[p], no_writes);
	}
	for (int p = FIRST_B; p < NDRIVES; p++) {
		ranks &= p == XG5 || claim_above(s[XG5], s[p]);
		if (p == XG5 || p == E12 || p == WDBLACK)
			continue;
		ranks &= claim_above(s[E12], s[p]) && claim_above(s[WDBLACK], s[p]);
		if (next < 0 || s[p].value > s[next].value)
			next = p;
	}
	double tie = fmax(s[E12].value, s[WDBLACK].value) / fmin(s[E12].value, s[WDBLACK].value) - 1;
	snprintf(got, GOT, "XG5 %.0f, E12 %.0f, WD Black %.0f (%.1f %% apart), %s %.0f MB/s per W", s[XG5].value,
		s[E12].value, s[WDBLACK].value, 100 * tie, claim_short_names[next], s[next].value);
	return ranks && tie <= 0.07;
}

bool rule_b14(const struct evidence *e, char *got)
{
	struct score a = score_of(&e->d[E12]->seq_write), b = score_of(&e->d[WDBLACK]->seq_write);
	double watts = a.watts / b.watts, rate = a.mbps.value / b.mbps.value;
	if (isnan(watts) || isnan(rate))
		return claim_absent(got, claim_drive_ids[isnan(a.watts) ? E12 : WDBLACK], no_writes);
	snprintf(got, GOT, "W %.2f x (%.2f and %.2f W), MB/s %.2f x", watts, a.watts, b.watts, rate);
	return watts > 1 && watts <= 1.25 && fabs(rate / watts - 1) <= 0.07;
}

bool rule_b15(const struct evidence *e, char *got)
{
	const struct claim_sweep *s = &e->d[E12]->seq_write;
	const struct claim_sweep_point *two = at_depth(s, 2);
	double low, high, low4, high4;
	if (!two || !at_depth(s, 4) || !at_depth(s, 32) || !extremes(s, 1, &low, &high) ||
		!extremes(s, 4, &low4, &high4))
		return claim_absent(got, claim_drive_ids[E12], "no sequential writes at QD2 to 32");
	snprintf(got, GOT, "QD2 %.0f MB/s, best %.0f; QD4 to 32 from %.0f to %.0f MB/s", two->mbps.value, high, low4,
		high4);
	return two->mbps.value >= 0.95 * high && low4 <= 0.85 * high4;
}

bool rule_b16(const struct evidence *e, char *got)
{
	double low, high;
	if (!extremes(&e->d[E12]->seq_write, 1, &low, &high))
		return claim_absent(got, claim_drive_ids[E12], "no sequential writes");
	snprintf(got, GOT, "lowest %.0f MB/s", low);
	return low >= 1000;
}

bool rule_b17(const struct evidence *e, char *got)
{
	const struct claim_sweep *s = &e->d[E12]->seq_write;
	double low = INFINITY, high = -INFINITY, busy = INFINITY, host = 0, nand = 0;
	for (size_t i = 0; i < s->n; i++) {
		const struct claim_sweep_point *p = &s->points[i];
		if (isnan(p->watts) || isnan(p->die_busy) || isnan(p->nand_bytes) || isnan(p->bytes))
			return claim_absent(got, claim_drive_ids[E12], "no watts, busy dies or NAND bytes of writes");
		low = fmin(low, p->watts);
		high = fmax(high, p->watts);
		busy = fmin(busy, p->die_busy);
		host += p->bytes;
		nand += p->nand_bytes;
	}
	if (!(host > 0))
		return claim_absent(got, claim_drive_ids[E12], "no sequential writes");
	snprintf(got, GOT, "W %.2f x (%.2f to %.2f); dies %.1f %% busy or more; NAND %.2f x", high / low, low, high,
		100 * busy, nand / host);
	return high <= 1.15 * low && busy >= 0.90 && nand > 1.2 * host;
}
