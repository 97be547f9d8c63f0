// SPDX-License-Identifier: MIT
#include "families.h"

#include "base/mem.h"
#include "recipe.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define LEAST_DROP 0.76 /* a cliff is a drop to 80 %; a smaller one than this is hardly one or the other */

/* What a family's function works on. */
struct making {
	struct rng *rng;
	struct recipe r;
	struct labelled l;
	int cliff;	   /* the stage that begins at the cliff; 0 = none */
	double tolerance;  /* times the usual one */
	bool judge_stages; /* their number and rates */
};

static double uniform(struct making *m, double lo, double hi)
{
	return draw(m->rng, lo, hi);
}
static double log_uniform(struct making *m, double lo, double hi)
{
	return draw_log(m->rng, lo, hi);
}
static bool chance(struct making *m, double p)
{
	return draw(m->rng, 0, 1) < p;
}

static double pick(struct making *m, size_t n, const double *x)
{
	return x[rng_below(m->rng, n)];
}
#define PICK(m, ...) pick(m, ARRAY_SIZE(((double[]){__VA_ARGS__})), (double[]){__VA_ARGS__})

/* The rate of a fresh drive in MB/s: SATA, or PCIe of generation 3 to 5. */
static double fresh_rate(struct making *m)
{
	switch (rng_below(m->rng, 4)) {
	case 0: return uniform(m, 400, 550);
	case 1: return uniform(m, 1800, 3500);
	case 2: return uniform(m, 4000, 7200);
	default: return uniform(m, 8000, 13500);
	}
}

/* Appends a stage that takes `seconds` at `mbps`. */
static void stage(struct making *m, double mbps, double seconds)
{
	struct recipe *r = &m->r;
	double from = r->nstages ? r->stage[r->nstages - 1].until_bytes : 0;
	r->stage[r->nstages].mbps = mbps;
	r->stage[r->nstages++].until_bytes = round(from + mbps * 1e6 * seconds);
}

/* Appends a stage at a share [lo, hi) of `mbps`, uniform in the log, that takes [from_s, to_s), the same. (In one call
 * each, since the order in which C evaluates arguments is open, and every compiler is to make the same curves.) */
static void stage_in(struct making *m, double mbps, double lo, double hi, double from_s, double to_s)
{
	double rate = mbps * log_uniform(m, lo, hi);
	stage(m, rate, log_uniform(m, from_s, to_s));
}

/* A fast stage, then one at a share of its rate; the usual lengths. Returns the first rate. */
static double two_stages(struct making *m)
{
	double a = fresh_rate(m);
	stage(m, a, log_uniform(m, 30, 500));
	stage_in(m, a, 0.17, 0.74, 60, 1000);
	m->cliff = 1;
	return a;
}

static void one_stage(struct making *m)
{
	stage_in(m, fresh_rate(m), 1, 1, 150, 600);
}

static void one_or_two_stages(struct making *m)
{
	if (chance(m, 0.5))
		one_stage(m);
	else
		two_stages(m);
}

/* Makes stage k alternate between its rate and a low one. */
static void alternate(struct making *m, int k)
{
	m->r.stage[k].low_mbps = m->r.stage[k].mbps * uniform(m, 0.15, 0.55);
	m->r.stage[k].low_s = uniform(m, 1.5, 8);
	m->r.stage[k].high_s = uniform(m, 1.5, 8);
	m->r.stage[k].regular = chance(m, 0.3);
}

static double seconds_of(const struct making *m, int k)
{
	return (m->r.stage[k].until_bytes - (k ? m->r.stage[k - 1].until_bytes : 0)) / m->r.stage[k].mbps / 1e6;
}

static void clean_two_stage(struct making *m)
{
	two_stages(m);
	m->r.sigma = PICK(m, 0, 0.002, 0.02, 0.05);
}

static void three_stage(struct making *m)
{
	double a = fresh_rate(m), b = a * uniform(m, 0.3, 0.7), c = b * uniform(m, 0.3, 0.7);
	bool folds_first = chance(m, 0.25); /* slower while the cache is folded than afterwards */
	stage(m, a, log_uniform(m, 15, 300));
	stage(m, folds_first ? c : b, log_uniform(m, 20, 400));
	stage(m, folds_first ? b : c, log_uniform(m, 100, 700));
	m->cliff = 1;
	m->r.sigma = PICK(m, 0.01, 0.03, 0.05, 0.08);
}

static void no_cliff(struct making *m)
{
	one_stage(m);
	switch (rng_below(m->rng, 5)) {
	case 0: m->r.sigma = 0.005; break;
	case 1: m->r.sigma = uniform(m, 0.1, 0.16), m->r.phi = 0.5; break;
	case 2:
		m->r.dip_every_s = uniform(m, 8, 25), m->r.dip_s = uniform(m, 1, 4),
		m->r.dip_factor = uniform(m, 0.3, 0.7);
		break;
	case 3: m->r.sigma = 0.08, m->r.outliers = 0.02, m->r.outlier_factor = uniform(m, 0.15, 1.4); break;
	default: stage_in(m, m->r.stage[0].mbps, 0.88, 0.97, 50, 300); m->judge_stages = false;
	}
}

static void bounce_after_cliff(struct making *m)
{
	two_stages(m);
	m->r.stage[1].mbps = m->r.stage[0].mbps * uniform(m, 0.35, 0.97);
	alternate(m, 1);
	m->r.stage[1].low_mbps = fmin(m->r.stage[1].low_mbps, 0.3 * m->r.stage[0].mbps);
	m->r.stage[1].until_bytes = m->r.stage[0].until_bytes + m->r.stage[1].mbps * 1e6 * uniform(m, 120, 500);
}

static void bounce_whole_run(struct making *m)
{
	stage_in(m, 1, 900, 2500, 200, 700);
	alternate(m, 0);
}

static void bounce_then_third(struct making *m)
{
	bounce_after_cliff(m);
	m->r.stage[1].mbps = m->r.stage[0].mbps * uniform(m, 0.35, 0.7);
	alternate(m, 1);
	m->r.stage[1].until_bytes = m->r.stage[0].until_bytes + m->r.stage[1].mbps * 1e6 * uniform(m, 150, 400);
	stage_in(m, m->r.stage[1].low_mbps, 0.25, 0.55, 200, 900);
}

static void gradual_decline(struct making *m)
{
	m->judge_stages = false;
	switch (rng_below(m->rng, 3)) {
	case 0:
		stage_in(m, 1, 2000, 5000, 200, 500);
		m->r.stage[0].slide_to_mbps = m->r.stage[0].mbps * uniform(m, 0.35, 0.65);
		m->l.gradual = 1;
		break;
	case 1:
		two_stages(m);
		m->r.stage[0].slide_to_mbps = m->r.stage[0].mbps * uniform(m, 0.86, 0.95);
		m->r.stage[1].mbps = m->r.stage[0].mbps * uniform(m, 0.2, 0.5);
		m->r.stage[1].until_bytes = m->r.stage[0].until_bytes + m->r.stage[1].mbps * 1e6 * uniform(m, 100, 500);
		break;
	default: two_stages(m); m->r.stage[1].slide_to_mbps = m->r.stage[1].mbps * uniform(m, 0.6, 0.8);
	}
}

static void soft_cliff(struct making *m)
{
	double a = fresh_rate(m), b = a * uniform(m, 0.25, 0.55), first = uniform(m, 60, 300),
	       last = uniform(m, 100, 600);
	stage(m, a, first);
	stage(m, a, 0.02 * (first + last)); /* a slide over about 3 % of the run */
	m->r.stage[1].slide_to_mbps = b;
	stage(m, b, last);
	m->cliff = 1;
	m->judge_stages = false;
	m->l.soft_lo = m->r.stage[0].until_bytes;
	m->l.soft_hi = m->r.stage[1].until_bytes;
}

static void tiny_cache(struct making *m)
{
	double a = uniform(m, 500, 4500);
	stage(m, a, uniform(m, 12e9, 24e9) / a / 1e6);
	stage_in(m, a, 0.25, 0.65, 300, 1500);
	if (chance(m, 0.25)) {
		m->r.stage[1].mbps = a * uniform(m, 0.4, 0.6);
		alternate(m, 1);
	}
	m->cliff = 1;
	m->r.sigma = PICK(m, 0.02, 0.03, 0.06);
}

static void one_sample(struct making *m)
{
	one_or_two_stages(m);
	double n = (seconds_of(m, 0) + (m->cliff ? seconds_of(m, 1) : 0)) / 0.5;
	m->r.outliers = 2 / n;
	m->r.outlier_factor = PICK(m, 0.1, 0.2, 0.35, 1.9);
}

static void late_cliff(struct making *m)
{
	double a = fresh_rate(m);
	stage(m, a, uniform(m, 150, 600));
	stage_in(m, a, 0.25, 0.65, 8, 25);
	m->cliff = 1;
}

static void throttle(struct making *m, int k, bool reported)
{
	double start = k ? seconds_of(m, 0) : 0, length = seconds_of(m, k);
	double from = start + length * uniform(m, 0.2, 0.5), to = from + fmin(uniform(m, 20, 90), 0.3 * length);
	m->r.slow[m->r.nslow].start_s = from;
	m->r.slow[m->r.nslow].end_s = to;
	m->r.slow[m->r.nslow].factor = uniform(m, 0.4, 0.6);
	m->r.slow[m->r.nslow++].reported = reported;
}

static void throttle_recovers(struct making *m)
{
	m->judge_stages = false;
	m->l.in_cache_tol = NAN; /* its own mean has the throttled time in it */
	if (chance(m, 0.5)) {
		one_stage(m);
		throttle(m, 0, false);
		return;
	}
	double a = fresh_rate(m);
	stage(m, a, uniform(m, 90, 400));
	stage_in(m, a, 0.2, 0.6, 120, 800);
	m->cliff = 1;
	throttle(m, (int)rng_below(m->rng, 2), false);
}

static void throttle_permanent_masked(struct making *m)
{
	m->judge_stages = false;
	double a = uniform(m, 2500, 7000);
	stage(m, a, uniform(m, 150, 400));
	if (chance(m, 0.5)) {
		stage_in(m, a, 0.25, 0.6, 200, 900);
		m->cliff = 1;
	}
	m->l.in_cache_mbps = a;
	m->r.slow[0].start_s = uniform(m, 40, 100);
	m->r.slow[0].end_s = 1e6;
	m->r.slow[0].factor = uniform(m, 0.4, 0.6);
	m->r.slow[0].reported = true;
	m->r.nslow = 1;
}

static void stall(struct making *m)
{
	one_or_two_stages(m);
	double total = seconds_of(m, 0) + (m->cliff ? seconds_of(m, 1) : 0);
	m->r.nstalls = 1 + (int)rng_below(m->rng, 2);
	for (int i = 0; i < m->r.nstalls; i++) {
		double at = total * uniform(m, 0.1 + 0.45 * i, 0.45 + 0.45 * i);
		if (m->cliff && i == 0 && chance(m, 0.2))
			at = seconds_of(m, 0) - uniform(m, 0, 2); /* on the cliff */
		m->r.stall[i].start_s = at;
		m->r.stall[i].seconds = uniform(m, 5, 60);
		m->r.stall[i].mbps = chance(m, 0.5) ? 0 : uniform(m, 0, 0.6);
	}
	m->judge_stages = m->r.nstalls == 1;
}

static void sampling(struct making *m)
{
	double a = uniform(m, 2000, 6000);
	stage(m, a, uniform(m, 60, 120));
	stage_in(m, a, 0.15, 0.5, 300, 900);
	m->cliff = 1;
	switch (rng_below(m->rng, 6)) {
	case 0: m->r.jitter = 0.6; break;
	case 1:
		m->r.jitter = 0.5, m->r.jitter_hidden = true;
		m->tolerance = 1.5;
		break;
	case 2: m->r.gaps = 9; break;
	case 3: m->r.step_s = 0.1; break;
	case 4: m->r.step_s = 4; break;
	default: m->r.step_s = 1, m->r.jitter = 0.5, m->r.odd_rows = 0.02;
	}
}

static void few_samples(struct making *m)
{
	double a = uniform(m, 2500, 4500);
	if (chance(m, 0.3)) {
		stage(m, a, uniform(m, 7, 15));
		m->r.sigma = 0.05;
		return;
	}
	stage(m, a, uniform(m, 3.5, 8));
	stage_in(m, a, 0.3, 0.5, 4.5, 9);
	m->cliff = 1;
	m->r.sigma = PICK(m, 0.02, 0.04, 0.08);
}

static void heavy_noise(struct making *m)
{
	double a = uniform(m, 2500, 4200);
	stage(m, a, uniform(m, 60, 120));
	stage_in(m, a, 0.3, 0.5, 300, 700);
	m->cliff = 1;
	m->tolerance = 2;
	m->l.speed_tol = 0.12;
	m->l.in_cache_tol = 0.12;
	switch (rng_below(m->rng, 4)) {
	case 0: m->r.sigma = 0.2, m->r.phi = 0.85; break;
	case 1: m->r.sigma = 0.05, m->r.outliers = 0.1, m->r.outlier_factor = 0.4; break;
	case 2: m->r.sigma = 0.12, m->r.outliers = 0.03, m->r.outlier_factor = 0.2; break;
	default: m->r.sigma = 0.03, m->r.dip_every_s = 16, m->r.dip_s = 1.5, m->r.dip_factor = 0.4;
	}
}

static void startup(struct making *m)
{
	one_or_two_stages(m);
	m->r.startup_s = uniform(m, 0.5, 3);
	m->r.startup_factor = PICK(m, 0.1, 0.3, 0.5, 1.6);
	if (m->r.startup_factor > 1)
		m->r.startup_s = 1;
}

/* From here on: shapes that the corpus does not have. */

static void bursts_after(struct making *m)
{
	double a = two_stages(m);
	m->r.stage[1].mbps = fmin(m->r.stage[1].mbps, 0.4 * a);
	m->r.stage[1].until_bytes = m->r.stage[0].until_bytes + m->r.stage[1].mbps * 1e6 * uniform(m, 120, 500);
	m->r.dip_every_s = uniform(m, 10, 25);
	m->r.dip_s = uniform(m, 1, 3);
	m->r.dip_factor = fmin(uniform(m, 1.6, 2.6), a / m->r.stage[1].mbps);
	m->r.dip_first = 1;
}

static void incache_dips(struct making *m)
{
	two_stages(m);
	m->r.dip_every_s = uniform(m, 8, 20);
	m->r.dip_s = uniform(m, 0.7, 2.5);
	m->r.dip_factor = uniform(m, 0.25, 0.6);
	m->r.dip_last = 0;
	m->r.stage[1].mbps = fmin(m->r.stage[1].mbps, 0.6 * m->r.stage[0].mbps);
}

static void very_noisy_after(struct making *m)
{
	double a = two_stages(m);
	m->r.stage[1].mbps = fmin(m->r.stage[1].mbps, 0.5 * a);
	m->r.stage[1].sigma = uniform(m, 0.15, 0.3);
	m->r.phi = uniform(m, 0.2, 0.6);
	m->l.speed_tol = 0.12;
}

static void staircase5(struct making *m)
{
	double a = fresh_rate(m);
	for (int i = 0; i < 5; i++, a *= uniform(m, 0.5, 0.74))
		stage(m, a, uniform(m, 30, 120));
	m->cliff = 1;
}

static void small_step_first(struct making *m)
{
	double a = fresh_rate(m), b = a * uniform(m, 0.86, 0.94);
	stage(m, a, uniform(m, 40, 200));
	stage(m, b, uniform(m, 40, 200));
	stage_in(m, b, 0.3, 0.6, 100, 600);
	m->cliff = 2;
	m->judge_stages = false;
	m->l.in_cache_tol = 0.08;
}

static void near_zero_stall(struct making *m)
{
	one_or_two_stages(m);
	double total = seconds_of(m, 0);
	m->r.nstalls = 1;
	m->r.stall[0].start_s = total * uniform(m, 0.2, 0.8);
	m->r.stall[0].seconds = uniform(m, 5, 40);
	m->r.stall[0].mbps = m->r.stage[0].mbps * uniform(m, 0.004, 0.016);
	m->judge_stages = false;
	m->l.in_cache_tol = NAN;
}

static void speed_rises(struct making *m)
{
	double a = fresh_rate(m);
	stage_in(m, a, 0.33, 0.7, 40, 150);
	stage(m, a, uniform(m, 60, 300));
	m->l.in_cache_tol = NAN;
	if (!chance(m, 0.5))
		return;
	stage_in(m, a, 0.2, 0.6, 100, 500);
	m->cliff = 2;
}

static void undershoot(struct making *m)
{
	double a = fresh_rate(m), b = a * uniform(m, 0.3, 0.6);
	stage(m, a, uniform(m, 30, 200));
	stage_in(m, b, 0.3, 0.6, 4, 25);
	stage(m, b, uniform(m, 150, 600));
	m->cliff = 1;
	m->judge_stages = false;
}

static void coarse_sampling(struct making *m)
{
	double a = fresh_rate(m);
	m->r.step_s = PICK(m, 2, 5, 10);
	stage(m, a, m->r.step_s * uniform(m, 8, 40));
	stage_in(m, a, 0.2, 0.6, 12 * m->r.step_s, 80 * m->r.step_s);
	m->cliff = 1;
}

static void duty_drift(struct making *m)
{
	stage_in(m, 1, 1000, 3000, 250, 600);
	alternate(m, 0);
	m->r.stage[0].low_s = uniform(m, 1.5, 2.5);
	m->r.stage[0].high_s = uniform(m, 3, 6);
	m->r.stage[0].low_s_end = m->r.stage[0].low_s * uniform(m, 2, 4);
	m->judge_stages = false;
}

static void throttle_saw_incache(struct making *m)
{
	double a = uniform(m, 3000, 12000);
	stage(m, a, uniform(m, 100, 300));
	stage_in(m, a, 0.2, 0.45, 120, 600);
	m->r.saw_s = uniform(m, 8, 30);
	m->r.saw_factor = uniform(m, 0.6, 0.8);
	m->cliff = 1;
}

static void qlc_third_crawl(struct making *m)
{
	double a = uniform(m, 2000, 7000);
	stage(m, a, uniform(m, 30, 150));
	stage_in(m, a, 0.2, 0.5, 60, 300);
	stage_in(m, 1, 70, 160, 200, 900);
	m->cliff = 1;
}

static void reuse_cycles(struct making *m)
{
	double a = two_stages(m);
	m->r.stage[1].mbps = a * uniform(m, 0.9, 1);
	m->r.stage[1].low_mbps = a * uniform(m, 0.15, 0.4);
	m->r.stage[1].low_s = uniform(m, 10, 25);
	m->r.stage[1].high_s = m->r.stage[1].low_s * uniform(m, 0.15, 0.4);
	m->r.stage[1].regular = true;
	m->r.stage[1].until_bytes = m->r.stage[0].until_bytes + a * 1e6 * uniform(m, 200, 400);
	m->judge_stages = false;
}

static void drifting_noise(struct making *m)
{
	one_stage(m);
	m->r.sigma = uniform(m, 0.02, 0.05);
	m->r.phi = 0.98;
}

static void modelled(struct making *m)
{
	double a = fresh_rate(m);
	stage(m, a, uniform(m, 20, 200));
	if (!chance(m, 0.2)) {
		stage_in(m, a, 0.3, 0.6, 60, 300);
		m->cliff = 1;
		if (chance(m, 0.6))
			stage_in(m, m->r.stage[1].mbps, 0.45, 0.72, 100, 500);
	}
	m->r.sigma = 0; /* a model has no noise */
	m->r.phi = 0;
}

typedef void make_fn(struct making *);
#define FAMILY(name, known)                                                                                            \
	{                                                                                                              \
#name, known                                                                                           \
	}
const struct family families[] = {
	FAMILY(clean_two_stage, true),
	FAMILY(three_stage, true),
	FAMILY(no_cliff, true),
	FAMILY(bounce_after_cliff, true),
	FAMILY(bounce_whole_run, true),
	FAMILY(bounce_then_third, true),
	FAMILY(gradual_decline, true),
	FAMILY(soft_cliff, true),
	FAMILY(tiny_cache, true),
	FAMILY(one_sample, true),
	FAMILY(late_cliff, true),
	FAMILY(throttle_recovers, true),
	FAMILY(throttle_permanent_masked, true),
	FAMILY(stall, true),
	FAMILY(sampling, true),
	FAMILY(few_samples, true),
	FAMILY(heavy_noise, true),
	FAMILY(startup, true),
	FAMILY(bursts_after, false),
	FAMILY(incache_dips, false),
	FAMILY(very_noisy_after, false),
	FAMILY(staircase5, false),
	FAMILY(small_step_first, false),
	FAMILY(near_zero_stall, false),
	FAMILY(speed_rises, false),
	FAMILY(undershoot, false),
	FAMILY(coarse_sampling, false),
	FAMILY(duty_drift, false),
	FAMILY(throttle_saw_incache, false),
	FAMILY(qlc_third_crawl, false),
	FAMILY(reuse_cycles, false),
	FAMILY(drifting_noise, false),
	FAMILY(modelled, false),
};
static make_fn *const make[] = {
	clean_two_stage,
	three_stage,
	no_cliff,
	bounce_after_cliff,
	bounce_whole_run,
	bounce_then_third,
	gradual_decline,
	soft_cliff,
	tiny_cache,
	one_sample,
	late_cliff,
	throttle_recovers,
	throttle_permanent_masked,
	stall,
	sampling,
	few_samples,
	heavy_noise,
	startup,
	bursts_after,
	incache_dips,
	very_noisy_after,
	staircase5,
	small_step_first,
	near_zero_stall,
	speed_rises,
	undershoot,
	coarse_sampling,
	duty_drift,
	throttle_saw_incache,
	qlc_third_crawl,
	reuse_cycles,
	drifting_noise,
	modelled,
};
const size_t nfamilies = ARRAY_SIZE(families);
_Static_assert(ARRAY_SIZE(make) == ARRAY_SIZE(families), "each family has its function");

/* Makes one; false if its cliff came out too small to be one. */
static bool make_curve(size_t family, uint64_t seed, uint64_t number, struct labelled *out)
{
	struct rng rng;
	rng_seed(&rng, seed * 1000003 + family * 100019 + number);
	struct making m = {.rng = &rng, .tolerance = 1, .judge_stages = true};
	m.r.step_s = 0.5;
	m.r.sigma = 0.02;
	m.r.phi = PICK(&m, 0, 0.3, 0.6);
	m.r.dip_last = MOST_STAGES;
	m.l = (struct labelled){.soft_lo = NAN, .soft_hi = NAN, .in_cache_tol = 0.05, .speed_tol = 0.08, .gradual = -1};
	make[family](&m);
	snprintf(m.l.name, sizeof m.l.name, "%s_%llu", families[family].name, (unsigned long long)number);
	snprintf(m.l.family, sizeof m.l.family, "%s", families[family].name);
	recipe_run(&m.r, &rng, &m.l);
	m.l.nstages = m.judge_stages ? m.r.nstages : 0;
	m.l.has_cliff = m.cliff > 0;
	m.l.cache_bytes = NAN;
	if (m.cliff) {
		const double sample = m.r.step_s * m.r.stage[m.cliff - 1].mbps * 1e6;
		m.l.cache_bytes = m.r.stage[m.cliff - 1].until_bytes;
		m.l.cache_tol_bytes = m.tolerance * fmax(1.5 * sample, 0.005 * m.l.cache_bytes);
		if (!(m.l.in_cache_mbps > 0))
			m.l.in_cache_mbps = m.l.stages[m.cliff - 1].mbps;
		if (isnan(m.l.in_cache_tol))
			m.l.in_cache_mbps = NAN;
		if (!isnan(m.l.soft_lo)) {
			m.l.cache_bytes = (m.l.soft_lo + m.l.soft_hi) / 2;
			m.l.cache_tol_bytes += (m.l.soft_hi - m.l.soft_lo) / 2;
		}
	}
	*out = m.l;
	return !m.cliff || m.l.stages[m.cliff].mbps <= LEAST_DROP * m.l.stages[m.cliff - 1].mbps;
}

void family_curve(size_t family, uint64_t seed, uint64_t number, struct labelled *out)
{
	for (uint64_t i = 0; !make_curve(family, seed, number + 1000000 * i, out); i++)
		labelled_free(out);
}
