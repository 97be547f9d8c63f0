// SPDX-License-Identifier: MIT
#include "report/review.h"

#include "base/mem.h"
#include "base/units.h"
#include "report/figures.h"
#include "report/sections.h"
#include "report/svg.h"

#include <math.h>
#include <string.h>

const char *review_status(enum test_status s)
{
	switch (s) {
	case TEST_DONE: return "done";
	case TEST_FAILED: return "failed";
	case TEST_NOT_RUN: return "not-run";
	case TEST_RUNNING:
	case TEST_PARTIAL: break;
	}
	return "partial";
}

bool review_partial(const struct review *r)
{
	return r->run->state != RUN_DONE;
}

/* What the run says of a modelled drive beyond its identity. */
static void read_facts(struct review *r)
{
	json_t *host = r->run->host ? json_loads(r->run->host, 0, NULL) : NULL;
	json_t *drive = json_object_get(host, "drive");
	const char *name = json_string_value(json_object_get(drive, "full name")),
		   *copy = json_string_value(json_object_get(drive, "smaller copy"));
	bool modelled = !strcmp(r->run->target.kind, "sim");
	r->full_name = modelled && name && *name ? xstrdup(name) : NULL;
	r->copy = modelled && copy && *copy ? xstrdup(copy) : NULL;
	json_decref(host);
}

const char *review_drive_name(const struct review *r)
{
	const struct target_record *t = &r->run->target;
	if (t->model && *t->model)
		return t->model;
	return t->path && *t->path ? t->path : "unknown drive";
}

static enum review_kind kind_of(const char *kind)
{
	static const char *const names[] = {"fill", "recovery", "burst", "sweep", "mixed", "idle"};
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(kind, names[i]))
			return (enum review_kind)i;
	return REVIEW_OTHER;
}

struct review_power power_of(double joules, double seconds, double bytes)
{
	struct review_power p = {NAN, NAN};
	if (joules > 0 && seconds > 0) {
		p.power_w = joules / seconds;
		p.mbps_per_w = bytes / 1e6 / joules;
	}
	return p;
}

struct review_latency latency_of(const struct hist *h)
{
	struct review_latency l = {0, NAN, NAN, NAN, NAN, NAN, NAN};
	if (!h || !h->count)
		return l;
	const struct {
		double p, *to;
	} quantiles[] = {{0.5, &l.p50_us}, {0.9, &l.p90_us}, {0.99, &l.p99_us}, {0.999, &l.p999_us}};
	for (size_t i = 0; i < ARRAY_SIZE(quantiles); i++)
		if (hist_supports(h, quantiles[i].p))
			*quantiles[i].to = (double)hist_quantile(h, quantiles[i].p) / 1e3;
	l.ios = h->count;
	l.max_us = (double)h->max / 1e3;
	l.mean_us = (double)h->sum / (double)h->count / 1e3;
	return l;
}

double joules_of(const struct phase_record *p)
{
	if (!isnan(p->joules) || !p->nsamples)
		return p->joules;
	double sum = 0;
	for (size_t i = 0; i < p->nsamples; i++)
		sum += p->samples[i].joules; /* NAN spreads: a hole in the power is no sum */
	return sum;
}

static double nand_of(const struct phase_record *p)
{
	if (p->nand_bytes >= 0 || !p->nsamples)
		return p->nand_bytes >= 0 ? (double)p->nand_bytes : NAN;
	double sum = 0;
	for (size_t i = 0; i < p->nsamples; i++)
		sum += p->samples[i].nand_bytes < 0 ? NAN : (double)p->samples[i].nand_bytes;
	return sum;
}

static int by_start(const void *a, const void *b)
{
	const struct stretch *x = a, *y = b;
	return (x->start_s > y->start_s) - (x->start_s < y->start_s);
}

/* Where the drive said that it throttled: its events and the marked samples, joined where they touch. */
static struct stretch *throttled_of(const struct phase_record *p, size_t *n)
{
	struct stretch *all = NULL;
	size_t count = 0, cap = 0;
	for (size_t i = 0; i < p->nevents; i++) {
		if (strcmp(p->events[i].kind, "throttle"))
			continue;
		GROW(all, count, cap);
		all[count++] = (struct stretch){nsec_to_s(p->events[i].start), nsec_to_s(p->events[i].end)};
	}
	for (size_t i = 0; i < p->nsamples; i++) {
		const struct sample *s = &p->samples[i];
		if (!s->throttled)
			continue;
		GROW(all, count, cap);
		all[count++] = (struct stretch){nsec_to_s(s->start), sample_end_s(s)};
	}
	if (count)
		qsort(all, count, sizeof *all, by_start);
	size_t kept = 0;
	for (size_t i = 0; i < count; i++) {
		if (kept && all[i].start_s <= all[kept - 1].end_s + 1e-6)
			all[kept - 1].end_s = fmax(all[kept - 1].end_s, all[i].end_s);
		else
			all[kept++] = all[i];
	}
	*n = kept;
	return all;
}

/* Whether the fill got to the end of the target. An import may lack the last bytes of a drive to rounding: 1 %. */
static bool reached_end(const struct target_record *t, const struct phase_record *p, double bytes)
{
	if (p->ended_early)
		return false;
	if (p->end_reason && !strcmp(p->end_reason, "capacity"))
		return true;
	return t->capacity_bytes && bytes >= 0.99 * (double)t->capacity_bytes;
}

/* A stall while the program itself was suspended is none of the drive's. */
static void leave_suspensions_out(struct fill_figures *f, const struct phase_record *p)
{
	size_t kept = 0;
	for (size_t i = 0; i < f->nstalls; i++) {
		bool ours = false;
		for (size_t k = 0; k < p->nevents; k++)
			ours |= !strcmp(p->events[k].kind, "suspended") &&
				nsec_to_s(p->events[k].start) < f->stalls[i].end_s &&
				nsec_to_s(p->events[k].end) > f->stalls[i].start_s;
		if (!ours)
			f->stalls[kept++] = f->stalls[i];
	}
	f->nstalls = kept;
}

/* What the run itself warned of. */
static bool warned_short(const struct test_record *t)
{
	for (size_t i = 0; i < t->nwarnings; i++)
		if (!strcmp(t->warnings[i].code, "short-fill"))
			return true;
	return false;
}

static void build_fill(struct review_fill *f, const struct run_record *run, const struct test_record *t)
{
	const struct phase_record *p = &t->phases[0];
	size_t n = p->nsamples;
	double total = 0;
	for (size_t i = 0; i < n; i++)
		total += (double)p->samples[i].bytes;
	f->throttled = throttled_of(p, &f->nthrottled);
	struct series series = series_of(p);
	series.nthrottled = f->nthrottled;
	series.throttled = f->throttled;
	series.reached_end = reached_end(&run->target, p, total);
	analyse_fill(&series, NULL, &f->figures);
	leave_suspensions_out(&f->figures, p);
	free((void *)series.t);
	f->too_short = f->figures.cache.verdict == CACHE_NONE && warned_short(t);
	if (f->too_short)
		f->figures.cache.verdict = CACHE_NOT_REACHED;

	f->seconds = f->figures.seconds;
	f->flush_s = p->flush >= 0 ? nsec_to_s(p->flush) : NAN;
	double joules = joules_of(p);
	f->power = power_of(joules, f->seconds, total);
	f->j_per_gb = joules > 0 && total > 0 ? joules / (total / 1e9) : NAN;
	f->nand_bytes = nand_of(p);
	f->waf = total > 0 ? f->nand_bytes / total : NAN;
	f->share_of_cells = NAN;
	const struct target_record *target = &run->target;
	if (f->figures.cache.verdict == CACHE_FOUND && target->rated_class_bytes && target->bits_per_cell)
		f->share_of_cells = f->figures.cache.bytes * target->bits_per_cell / (double)target->rated_class_bytes;

	f->stage_nand_bytes = xcalloc(f->figures.nstages + 1, sizeof *f->stage_nand_bytes);
	size_t i = 0;
	for (size_t k = 0; k < f->figures.nstages; k++) {
		bool last = k + 1 == f->figures.nstages;
		for (; i < n; i++) {
			const struct sample *s = &p->samples[i];
			/* A sample belongs to the stage that holds its middle. */
			if (!last && nsec_to_s(s->start) + nsec_to_s(s->length) / 2 >= f->figures.stages[k].end_s)
				break;
			f->stage_nand_bytes[k] += s->nand_bytes < 0 ? NAN : (double)s->nand_bytes;
		}
	}
}

struct review *review_build(const struct run_record *run)
{
	struct review *r = xcalloc(1, sizeof *r);
	const struct fill_figures *fill = NULL;
	r->run = run;
	read_facts(r);
	r->ntests = run->ntests;
	r->tests = xcalloc(run->ntests + 1, sizeof *r->tests);
	for (size_t i = 0; i < run->ntests; i++) {
		struct review_test *t = &r->tests[i];
		t->record = &run->tests[i];
		t->kind = kind_of(t->record->kind);
		if (!t->record->nphases) {
			t->kind = REVIEW_OTHER; /* nothing was measured: only its status is left to tell */
			continue;
		}
		switch (t->kind) {
		case REVIEW_FILL:
			build_fill(&t->fill, run, t->record);
			fill = &t->fill.figures;
			break;
		case REVIEW_RECOVERY: build_recovery(&t->recovery, t->record, fill); break;
		case REVIEW_BURST: build_burst(&t->burst, t->record); break;
		case REVIEW_SWEEP: build_sweep(&t->sweep, t->record); break;
		case REVIEW_MIXED: build_mixed(&t->mixed, t->record); break;
		case REVIEW_IDLE: build_idle(&t->idle, t->record); break;
		case REVIEW_OTHER: break;
		}
	}
	/* The loss needs both sweeps of a test. */
	for (size_t i = 0; i < r->ntests; i++) {
		struct review_test *t = &r->tests[i];
		if (t->kind != REVIEW_SWEEP || !strcmp(t->record->condition, "fresh"))
			continue;
		const struct review_test *fresh = review_find(r, t->record->name, "fresh");
		if (fresh && fresh->kind == REVIEW_SWEEP && fresh->sweep.score_mbps > 0)
			t->sweep.loss = 1 - t->sweep.score_mbps / fresh->sweep.score_mbps;
	}
	return r;
}

void review_free(struct review *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < r->ntests; i++) {
		struct review_test *t = &r->tests[i];
		switch (t->kind) {
		case REVIEW_FILL:
			fill_figures_free(&t->fill.figures);
			free(t->fill.stage_nand_bytes);
			free(t->fill.throttled);
			break;
		case REVIEW_RECOVERY: free(t->recovery.points); break;
		case REVIEW_BURST: free(t->burst.bursts); break;
		case REVIEW_SWEEP: free(t->sweep.points); break;
		case REVIEW_MIXED: free(t->mixed.points); break;
		case REVIEW_IDLE:
		case REVIEW_OTHER: break;
		}
	}
	free(r->full_name);
	free(r->copy);
	free(r->name);
	free(r->tests);
	free(r);
}

const struct review_test *review_find(const struct review *r, const char *name, const char *condition)
{
	for (size_t i = 0; i < r->ntests; i++) {
		const struct test_record *t = r->tests[i].record;
		if (!strcmp(t->name, name) && (!condition || !strcmp(t->condition, condition)))
			return &r->tests[i];
	}
	return NULL;
}

const struct review_sweep_point *review_best(const struct review_sweep *s)
{
	const struct review_sweep_point *best = NULL;
	for (size_t i = 0; i < s->npoints; i++)
		if (s->points[i].mbps > 0 && (!best || s->points[i].mbps > best->mbps))
			best = &s->points[i];
	return best;
}

bool review_still_rising(const struct review_sweep *s)
{
	double deepest = 0;
	for (size_t i = 0; i < s->npoints; i++)
		deepest = fmax(deepest, s->points[i].qd);
	return s->npoints > 1 && s->saturation_qd == deepest;
}

const char *review_no_cache(const struct review_fill *f)
{
	return f->figures.cache.verdict == CACHE_NONE ? "no end found up to the last byte"
	       : f->too_short			      ? "not known: the fill was too short to tell"
						      : "not known: its end was not reached";
}

char *review_temperature(char buf[UNITS_BUF], double min_c, double max_c)
{
	if (round(min_c) == round(max_c))
		snprintf(buf, UNITS_BUF,
			"%.0f \xc2\xb0"
			"C",
			min_c);
	else
		snprintf(buf, UNITS_BUF,
			"%.0f to %.0f \xc2\xb0"
			"C",
			min_c, max_c);
	return buf;
}

char *review_pause(char buf[UNITS_BUF], double seconds)
{
	bool minutes = seconds >= 60 && seconds == 60 * round(seconds / 60);
	snprintf(buf, UNITS_BUF, "%g %s", minutes ? seconds / 60 : seconds, minutes ? "min" : "s");
	return buf;
}

double review_fast_start(const struct review_test *t)
{
	double bytes = 0;
	bool settled = false;
	if (t->kind != REVIEW_FILL || t->fill.figures.gradual)
		return 0;
	const struct phase_record *p = &t->record->phases[0];
	for (size_t i = 0; i < p->nsamples; i++) {
		const struct sample *s = &p->samples[i];
		bool fast = (double)s->bytes / 1e6 > 1.25 * t->fill.figures.mean_mbps * nsec_to_s(s->length);
		if (fast && settled)
			return 0;
		settled = settled || !fast;
		bytes += fast ? (double)s->bytes : 0;
	}
	return settled ? bytes : 0;
}

const struct review_recovery_point *review_small_cache(const struct review *r)
{
	const struct review_test *fill = review_find(r, "fill", NULL), *t = review_find(r, "recovery", NULL);
	const struct review_recovery_point *most = NULL;
	if (!fill || fill->kind != REVIEW_FILL || fill->fill.figures.cache.verdict != CACHE_NONE || !t ||
		t->kind != REVIEW_RECOVERY)
		return NULL;
	for (size_t i = 0; i < t->recovery.npoints; i++) {
		const struct review_recovery_point *p = &t->recovery.points[i];
		/* An edge is a change of a tenth at least, here as in the fill. */
		if (p->fell && p->fast_bytes > 0 && p->mbps > 1.1 * fill->fill.figures.mean_mbps &&
			(!most || p->fast_bytes > most->fast_bytes))
			most = p;
	}
	return most;
}

/* "; back to full speed after 5 s idle", from the shortest idle after which at least 2 GB were written at full speed;
 * what is asked of a pause is a burst like that, not the whole cache. */
static char *recovery_phrase(const struct review_test *t)
{
	if (!t || t->kind != REVIEW_RECOVERY)
		return xstrdup("");
	char size[UNITS_BUF], pause[UNITS_BUF];
	for (size_t i = 0; i < t->recovery.npoints; i++) {
		const struct review_recovery_point *p = &t->recovery.points[i];
		if (p->mbps_ratio >= 0.9 && p->fast_bytes >= 2e9)
			return xasprintf("; after %s idle the next %s are at full speed again",
				review_pause(pause, p->idle_seconds), units_bytes(size, p->fast_bytes));
	}
	if (!t->recovery.npoints || isnan(t->recovery.points[0].fast_bytes))
		return xstrdup("");
	return xasprintf("; no full speed after up to %s idle",
		review_pause(pause, t->recovery.points[t->recovery.npoints - 1].idle_seconds));
}

/* ", then 4.00 GB/s up to 466 GB": where the cache is followed by a stage that is far faster than what is typical after
 * it, the one must not hide behind the other. Most of the time after a cache can be in its slowest part. */
static char *between_phrase(const struct fill_figures *g)
{
	char rate[UNITS_BUF], to[UNITS_BUF];
	for (size_t i = 0; i < g->nstages; i++) {
		const struct stage *s = &g->stages[i];
		if ((s->start_bytes + s->end_bytes) / 2 < g->cache.bytes)
			continue;
		if (s->mbps > 2 * g->cache.after_mbps && s->end_bytes - s->start_bytes > 0.05 * g->bytes)
			return xasprintf(
				", then %s up to %s", units_rate(rate, s->mbps * 1e6), units_bytes(to, s->end_bytes));
		break;
	}
	return xstrdup("");
}

static char *fill_headline(const struct review *r, const struct review_test *t)
{
	const struct review_fill *f = &t->fill;
	const struct cache_figures *c = &f->figures.cache;
	const struct review_recovery_point *small = review_small_cache(r);
	double start = review_fast_start(t);
	char time[UNITS_BUF], size[UNITS_BUF], fast[UNITS_BUF], slow[UNITS_BUF], all[UNITS_BUF];
	units_rate(all, f->figures.mean_mbps * 1e6);
	units_bytes(size, f->figures.bytes);
	if (!(f->figures.bytes > 0))
		return xstrdup("Nothing was written");
	switch (c->verdict) {
	case CACHE_FOUND: {
		char *recovery = recovery_phrase(review_find(r, "recovery", NULL));
		char *between = between_phrase(&f->figures);
		char *s = xasprintf("%s of pSLC cache at %s%s, then %s%s", units_bytes(size, c->bytes),
			units_rate(fast, c->mbps * 1e6), between, units_rate(slow, c->after_mbps * 1e6), recovery);
		free(between);
		free(recovery);
		return s;
	}
	case CACHE_NONE:
		if (small)
			return xasprintf("%s written at %s; a small cache shows only after a pause: %s at %s", size,
				all, units_bytes(time, small->fast_bytes), units_rate(fast, small->mbps * 1e6));
		if (start > 0)
			return xasprintf("No end of a cache found: the whole %s were written at %s, only the first %s "
					 "faster",
				size, all, units_bytes(time, start));
		return xasprintf("No end of a cache: the whole %s were written at %s%s", size, all,
			f->figures.gradual ? ", with a slow decline" : "");
	case CACHE_NOT_REACHED: break;
	}
	if (f->too_short)
		return xasprintf("%s written at %s in %s: too short a time to tell whether there is a cache", size, all,
			units_duration(time, nsec_of_s(f->seconds)));
	return xasprintf(
		"%s written at %s without reaching the end of a cache: whether there is one is not known", size, all);
}

/* The test in a sentence; NULL where it has no figure. */
static char *other_headline(const struct review_test *t)
{
	const char *title = test_title(t->record);
	char rate[UNITS_BUF], most[UNITS_BUF], number[NUMBER_BUF];
	if (t->kind == REVIEW_BURST && t->burst.mbps > 0)
		return xasprintf("%s: %s", title, units_rate(rate, t->burst.mbps * 1e6));
	if (t->kind == REVIEW_SWEEP && t->sweep.score_mbps > 0)
		return xasprintf("%s: %s, the mean of queue depths 1, 2 and 4", title,
			units_rate(rate, t->sweep.score_mbps * 1e6));
	if (t->kind == REVIEW_SWEEP) {
		const struct review_sweep_point *best = review_best(&t->sweep);
		if (!best)
			return NULL;
		units_rate(rate, best->mbps * 1e6);
		return best->qd > 0 ? xasprintf("%s: %s at queue depth %.0f", title, rate, best->qd)
				    : xasprintf("%s: %s", title, rate);
	}
	if (t->kind == REVIEW_MIXED) {
		double lo = INFINITY, hi = 0;
		for (size_t i = 0; i < t->mixed.npoints; i++) {
			lo = fmin(lo, t->mixed.points[i].mbps);
			hi = fmax(hi, t->mixed.points[i].mbps);
		}
		if (hi > 0)
			return xasprintf("%s: %s to %s", title, units_rate(rate, lo * 1e6), units_rate(most, hi * 1e6));
	}
	if (t->kind == REVIEW_IDLE && t->idle.active_w > 0)
		return xasprintf("%s: %s W", title, number_short(number, t->idle.active_w));
	if (t->kind == REVIEW_RECOVERY && t->recovery.npoints) {
		char *phrase = recovery_phrase(t), *text = *phrase ? xasprintf("%s: %s", title, phrase + 2) : NULL;
		free(phrase);
		return text;
	}
	return NULL;
}

char *review_headline(const struct review *r)
{
	const struct review_test *t = review_find(r, "fill", NULL);
	if (t && t->kind == REVIEW_FILL)
		return fill_headline(r, t);
	for (size_t i = 0; i < r->ntests; i++) {
		t = &r->tests[i];
		char *text = t->kind != REVIEW_FILL	 ? other_headline(t)
			     : t->fill.figures.bytes > 0 ? fill_headline(r, t)
							 : NULL;
		if (text)
			return text;
	}
	return xstrdup("Nothing was measured");
}
