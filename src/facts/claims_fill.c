// SPDX-License-Identifier: MIT
/* The claims about whole-drive writes (A), and the checks of reason (S). */
#include "facts/rules.h"

#include <math.h>
#include <stdio.h>

#define GB_(bytes) ((bytes) / 1e9)

static bool within(double got, double want, double share)
{
	return fabs(got - want) <= share * want;
}

bool rule_a1(const struct evidence *e, char *got)
{
	double r = e->d[TPU]->fill.cache_mbps;
	if (isnan(r))
		return claim_absent(got, claim_drive_ids[TPU], "no cache found");
	snprintf(got, GOT, "%.3f GB/s", r / 1e3);
	return within(r, 7000, 0.03);
}

bool rule_a2(const struct evidence *e, char *got)
{
	double b = e->d[TPU]->fill.cache_bytes;
	if (isnan(b))
		return claim_absent(got, claim_drive_ids[TPU], "no cache found");
	snprintf(got, GOT, "%.1f GB", GB_(b));
	return within(b, 617e9, 0.01);
}

bool rule_a3(const struct evidence *e, char *got)
{
	double s = e->d[TPU]->fill.share_of_cells;
	if (isnan(s))
		return claim_absent(got, claim_drive_ids[TPU], "no cache found");
	snprintf(got, GOT, "%.4f", s);
	return fabs(s - 0.90) <= 0.01;
}

bool rule_a4(const struct evidence *e, char *got)
{
	double r = e->d[TPU]->fill.after_mbps;
	if (isnan(r))
		return claim_absent(got, claim_drive_ids[TPU], "no rate after a cache");
	snprintf(got, GOT, "%.3f GB/s", r / 1e3);
	return r >= 1600 && r <= 1950;
}

bool rule_a5(const struct evidence *e, char *got)
{
	double r = e->d[TPU]->fill.mean_mbps;
	if (isnan(r))
		return claim_absent(got, claim_drive_ids[TPU], "no mean");
	snprintf(got, GOT, "%.0f MB/s", r);
	return within(r, 2417, 0.02);
}

/* More idle never gives less, and more than 5 s gives more than 5 s do, up to the whole cache. (The shortest idles may
 * give nothing: what was written past the cache must be made up for first.) */
static bool grows(const struct claim_recovery *r, const struct claim_recovery_point *five, double cache_bytes)
{
	for (size_t i = 1; i < r->n; i++) {
		double before = r->points[i - 1].fast_bytes, now = r->points[i].fast_bytes;
		if (!(now > before || now >= 0.95 * cache_bytes || (now == before && &r->points[i] < five)))
			return false;
	}
	return five < &r->points[r->n - 1];
}

bool rule_a6(const struct evidence *e, char *got)
{
	const struct claim_recovery *r = &e->d[TPU]->recovery;
	double in_cache = e->d[TPU]->fill.cache_mbps, size = e->d[TPU]->fill.cache_bytes;
	const struct claim_recovery_point *five = NULL, *first = r->points, *last = r->points + r->n - 1;
	for (size_t i = 0; i < r->n; i++)
		if (r->points[i].idle_s > 4.5 && r->points[i].idle_s < 5.5)
			five = &r->points[i];
	if (!five || isnan(in_cache) || isnan(five->fast_bytes) || isnan(five->mbps))
		return claim_absent(got, claim_drive_ids[TPU], "no rate after 5 s of idle");
	snprintf(got, GOT, "%.1f GB at %.1f %% of it after 5 s; %.1f GB after %.0f s, %.1f GB after %.0f s",
		GB_(five->fast_bytes), 100 * five->mbps / in_cache, GB_(first->fast_bytes), first->idle_s,
		GB_(last->fast_bytes), last->idle_s);
	return five->fast_bytes >= 2e9 && five->mbps >= 0.95 * in_cache && grows(r, five, size);
}

bool rule_a7(const struct evidence *e, char *got)
{
	double a = e->d[TPU]->fill.mean_mbps, b = e->d[MP700]->fill.mean_mbps;
	if (isnan(a) || isnan(b))
		return claim_absent(got, claim_drive_ids[isnan(a) ? TPU : MP700], "no mean");
	snprintf(got, GOT, "%.2f x (%.0f and %.0f MB/s)", b / a, b, a);
	return b >= 1.15 * a;
}

bool rule_a8(const struct evidence *e, char *got)
{
	double one = e->d[TPU]->fill.cache_mbps, eight = e->d[TPU]->fill_qd8.cache_mbps;
	if (isnan(one) || isnan(eight))
		return claim_absent(got, claim_drive_ids[TPU], isnan(one) ? "no cache found" : "no cache found at QD8");
	snprintf(got, GOT, "%.3f x (%.2f and %.2f GB/s)", eight / one, eight / 1e3, one / 1e3);
	return eight >= 1.03 * one;
}

bool rule_a9(const struct evidence *e, char *got)
{
	const struct claim_fill *f = &e->d[TPU]->fill;
	if (isnan(f->after_nand_bytes) || !(f->after_bytes > 0))
		return claim_absent(got, claim_drive_ids[TPU], "no NAND bytes after a cache");
	snprintf(got, GOT, "%.2f x", f->after_nand_bytes / f->after_bytes);
	return f->after_nand_bytes > 1.2 * f->after_bytes;
}

bool rule_s1(const struct evidence *e, char *got)
{
	double r = e->d[MX500]->max_read_mbps, w = e->d[MX500]->max_write_mbps, a = e->d[A1000]->max_read_mbps;
	if (isnan(r) || isnan(w) || isnan(a))
		return claim_absent(got, claim_drive_ids[isnan(a) ? A1000 : MX500], "no rate");
	snprintf(got, GOT, "MX500 %.0f and %.0f MB/s (read, write), A1000 %.0f MB/s", r, w, a);
	return r <= 560 && w <= 560 && a <= 1500;
}

bool rule_s2(const struct evidence *e, char *got)
{
	const struct claim_figures *o = e->d[OPTANE];
	const struct claim_sweep *fresh = &o->seq_read, *worn = &o->seq_read_fragmented;
	double worst = 0;
	if (!fresh->n || fresh->n != worn->n || !o->fill.measured)
		return claim_absent(got, claim_drive_ids[OPTANE], "not measured");
	for (size_t i = 0; i < fresh->n; i++) {
		double off = fabs(worn->points[i].mbps.value / fresh->points[i].mbps.value - 1);
		if (isnan(off))
			return claim_absent(got, claim_drive_ids[OPTANE], "a rate is missing");
		worst = fmax(worst, off);
	}
	snprintf(got, GOT, "reads differ by %.2f %% at most; %zu stage%s, cache %s", 100 * worst, o->fill.nstages,
		o->fill.nstages == 1 ? "" : "s", o->fill.verdict == CACHE_NONE ? "none" : "found");
	return worst <= 0.01 && o->fill.nstages <= 1 && o->fill.verdict == CACHE_NONE;
}

bool rule_s3(const struct evidence *e, char *got)
{
	static const enum drive_place places[] = {PRO2T, PRO512, HELLFIRE, RD400};
	for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
		const struct claim_fill *f = &e->d[places[i]]->fill;
		if (!f->measured)
			return claim_absent(got, claim_drive_ids[places[i]], "no fill");
		if (f->verdict != CACHE_NONE) {
			snprintf(got, GOT, "%s: %s", claim_drive_ids[places[i]],
				f->verdict == CACHE_FOUND ? "a cache" : "its end was not reached");
			return false;
		}
	}
	snprintf(got, GOT, "none on all four");
	return true;
}

/* A modelled transfer of 4 KiB ends on a whole ns: up to 0.1 % early on a link of 4 GB/s. */
#define TRANSFER_GRAIN 1.001

bool rule_s4(const struct evidence *e, char *got)
{
	double worst = -INFINITY;
	int at = -1;
	bool reading = false;
	for (int p = 0; p < NDRIVES; p++) {
		const struct claim_figures *d = e->d[p];
		if (isnan(d->max_write_mbps) || isnan(d->link_mbps))
			return claim_absent(got, claim_drive_ids[p], "no rate");
		for (int read = 0; read < 2; read++) {
			double rate = read ? d->max_read_mbps : d->max_write_mbps;
			double rated = read ? d->rated_read_mbps : d->rated_write_mbps;
			/* fmin and fmax leave a NAN out: a drive without a rated speed has its interface only. */
			double limit = fmin(isnan(rated) ? NAN : 1.05 * rated, TRANSFER_GRAIN * d->link_mbps);
			if (rate / limit > worst) {
				worst = rate / limit;
				at = p;
				reading = read;
			}
		}
	}
	snprintf(got, GOT, "nearest to its limit: %s %s at %.1f %% of it", claim_short_names[at],
		reading ? "reads" : "writes", 100 * worst);
	return worst <= 1;
}
