// SPDX-License-Identifier: MIT
#include "report/compare_figures.h"

#include "analysis/compare.h"
#include "base/mem.h"
#include "report/sections.h"
#include "report/settings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Rates of ten equal consecutive stretches of samples [from, to) into v->batch, from `at` on. */
static void batches(struct figure_value *v, const struct phase_record *p, size_t from, size_t to)
{
	enum { BATCHES = 10 };
	for (size_t b = 0; b < BATCHES && to - from >= 2 * BATCHES; b++) {
		double bytes = 0, seconds = 0;
		for (size_t i = from + (to - from) * b / BATCHES; i < from + (to - from) * (b + 1) / BATCHES; i++) {
			bytes += (double)p->samples[i].bytes;
			seconds += nsec_to_s(p->samples[i].length);
		}
		v->batch[v->nbatches++] = bytes / 1e6 / seconds;
	}
}

/* The interval of a rate over the stages from `from` to `to`, GB written: theirs, weighted by time. The step between
 * two stages is no uncertainty. */
static void stage_interval(struct figure_value *v, const struct fill_figures *g, double from, double to)
{
	double variance = 0, seconds = 0;
	for (size_t i = 0; i < g->nstages; i++) {
		const struct stage *s = &g->stages[i];
		double middle = (s->start_bytes + s->end_bytes) / 2, time = s->end_s - s->start_s;
		if (middle < from || middle > to)
			continue;
		double half = time * (s->mbps_hi - s->mbps_lo) / 2;
		variance += half * half;
		seconds += time;
	}
	if (seconds > 0) {
		v->lo = v->value - sqrt(variance) / seconds;
		v->hi = v->value + sqrt(variance) / seconds;
	}
}

static void fill_value(struct figure_value *v, enum figure_what what, const struct review_test *t)
{
	const struct review_fill *f = &t->fill;
	const struct cache_figures *c = &f->figures.cache;
	bool no_cache = c->verdict == CACHE_NONE;
	switch (what) {
	case FIGURE_FILL_MEAN:
		v->value = f->figures.mean_mbps;
		stage_interval(v, &f->figures, 0, INFINITY);
		break;
	case FIGURE_CACHE_SIZE:
		v->none = no_cache;
		v->value = c->bytes / 1e9;
		v->lo = c->bytes_lo / 1e9;
		v->hi = c->bytes_hi / 1e9;
		break;
	case FIGURE_CACHE_RATE:
		v->none = no_cache;
		v->value = c->mbps;
		stage_interval(v, &f->figures, 0, c->bytes);
		break;
	case FIGURE_AFTER_RATE:
		v->none = no_cache;
		v->value = c->after_mean_mbps;
		stage_interval(v, &f->figures, c->bytes, INFINITY);
		break;
	default: v->value = f->j_per_gb;
	}
}

/* A score's batches are the means of those of its three queue depths, which are measured one after the other. */
static void score_value(struct figure_value *v, const struct review_test *t)
{
	const struct review_sweep *s = &t->sweep;
	double variance = 0;
	v->value = s->score_mbps;
	for (size_t i = 0; i < s->npoints; i++) {
		if (s->points[i].qd != 1 && s->points[i].qd != 2 && s->points[i].qd != 4)
			continue;
		double half = (s->points[i].mbps_hi - s->points[i].mbps_lo) / 2;
		variance += half * half / 9;
		struct figure_value one = {0};
		batches(&one, &t->record->phases[i], 0, t->record->phases[i].nsamples);
		for (size_t k = 0; k < one.nbatches; k++)
			v->batch[k] += one.batch[k] / 3;
		if (v->nbatches == 0 || one.nbatches < v->nbatches)
			v->nbatches = one.nbatches;
	}
	v->lo = v->value - sqrt(variance);
	v->hi = v->value + sqrt(variance);
}

static void burst_value(struct figure_value *v, const struct review_burst *b)
{
	v->value = b->mbps;
	v->lo = b->mbps_lo;
	v->hi = b->mbps_hi;
	for (size_t i = 0; i < b->nbursts && i < FIGURE_BATCHES; i++)
		v->batch[v->nbatches++] = b->bursts[i];
}

static double recovered(const struct review_recovery *r)
{
	for (size_t i = 0; i < r->npoints; i++)
		if (fabs(r->points[i].idle_seconds - FIGURE_RECOVERY_IDLE) < 0.5)
			return r->points[i].fast_bytes / 1e9;
	return NAN;
}

static double mixed_mean(const struct review_mixed *m)
{
	double sum = 0;
	for (size_t i = 0; i < m->npoints; i++)
		sum += m->points[i].mbps;
	return m->npoints ? sum / (double)m->npoints : NAN;
}

static struct figure_value value_of(const struct review *r, const struct figure *g)
{
	struct figure_value v = {.value = NAN, .lo = NAN, .hi = NAN};
	const struct review_test *t = review_find(r, g->test, g->condition);
	static const enum review_kind kinds[] = {[FIGURE_FILL_MEAN] = REVIEW_FILL,
		[FIGURE_CACHE_SIZE] = REVIEW_FILL,
		[FIGURE_CACHE_RATE] = REVIEW_FILL,
		[FIGURE_AFTER_RATE] = REVIEW_FILL,
		[FIGURE_FILL_ENERGY] = REVIEW_FILL,
		[FIGURE_RECOVERED] = REVIEW_RECOVERY,
		[FIGURE_BURST] = REVIEW_BURST,
		[FIGURE_BURST_EFFICIENCY] = REVIEW_BURST,
		[FIGURE_SCORE] = REVIEW_SWEEP,
		[FIGURE_SCORE_EFFICIENCY] = REVIEW_SWEEP,
		[FIGURE_LOSS] = REVIEW_SWEEP,
		[FIGURE_MIXED] = REVIEW_MIXED,
		[FIGURE_IDLE] = REVIEW_IDLE,
		[FIGURE_LOW_POWER] = REVIEW_IDLE};
	if (!t || t->kind != kinds[g->what])
		return v;
	switch (g->what) {
	case FIGURE_FILL_MEAN:
	case FIGURE_CACHE_SIZE:
	case FIGURE_CACHE_RATE:
	case FIGURE_AFTER_RATE:
	case FIGURE_FILL_ENERGY: fill_value(&v, g->what, t); break;
	case FIGURE_RECOVERED:
		v.value = recovered(&t->recovery);
		v.none = !t->recovery.npoints && t->record->status == TEST_DONE;
		break;
	case FIGURE_BURST: burst_value(&v, &t->burst); break;
	case FIGURE_BURST_EFFICIENCY: v.value = t->burst.power.mbps_per_w; break;
	case FIGURE_SCORE: score_value(&v, t); break;
	case FIGURE_SCORE_EFFICIENCY: v.value = t->sweep.score.mbps_per_w; break;
	case FIGURE_LOSS: v.value = 100 * t->sweep.loss; break;
	case FIGURE_MIXED: v.value = mixed_mean(&t->mixed); break;
	case FIGURE_IDLE: v.value = t->idle.active_w; break;
	case FIGURE_LOW_POWER: v.value = t->idle.low_power_w; break;
	}
	return v;
}

/* Whether b is no worse than a beyond their intervals; without them, as far as three digits show. */
static bool same(const struct figure_value *a, const struct figure_value *b)
{
	if (isfinite(a->lo) && isfinite(a->hi) && isfinite(b->lo) && isfinite(b->hi))
		return a->lo <= b->hi && b->lo <= a->hi;
	return fabs(a->value - b->value) <= 0.0005 * fabs(a->value);
}

/* Ranks by single results where every run has them, else by the intervals of the values. */
static void rank(struct figure *g, size_t n)
{
	struct results *results = xcalloc(n + 1, sizeof *results);
	unsigned *ranks = xcalloc(n + 1, sizeof *ranks);
	bool batched = true;
	for (size_t i = 0; i < n; i++) {
		struct figure_value *v = &g->values[i];
		results[i] = (struct results){v->batch, v->nbatches};
		batched = batched && (!isfinite(v->value) || v->nbatches > 1);
	}
	if (batched)
		compare_rank(results, n, !g->low_is_better, ranks);
	size_t first = n; /* the best of the current rank */
	for (unsigned ranked = 0; !batched; ranked++) {
		size_t next = n;
		for (size_t i = 0; i < n; i++)
			if (!ranks[i] && isfinite(g->values[i].value) &&
				(next == n || (g->values[i].value < g->values[next].value) == g->low_is_better))
				next = i;
		if (next == n)
			break;
		bool tied = first < n && same(&g->values[first], &g->values[next]);
		ranks[next] = tied ? ranks[first] : ranked + 1;
		first = tied ? first : next;
	}
	for (size_t i = 0; i < n; i++) {
		g->values[i].rank = isfinite(g->values[i].value) ? ranks[i] : 0;
		for (size_t k = 0; k < n; k++)
			if (k != i && ranks[k] == ranks[i] && isfinite(g->values[k].value))
				g->values[i].tied = true;
	}
	free(results);
	free(ranks);
}

struct figures {
	struct figure *all;
	size_t n, cap;
};

/* Adds a figure if at least two of the runs have it. */
static void add(struct figures *l, struct review *const *r, size_t n, enum figure_what what,
	const struct test_record *t, const char *title, const char *unit, bool low_is_better)
{
	static const char *const words[] = {"mean", "cache", "in-cache", "after-cache", "energy", "recovered", "speed",
		"efficiency", "score", "efficiency", "loss", "mean", "idle", "low-power"};
	for (size_t i = 0; i < l->n; i++)
		if (l->all[i].what == what && !strcmp(l->all[i].test, t->name) &&
			!strcmp(l->all[i].condition, t->condition))
			return;
	struct figure g = {.what = what,
		.record = t,
		.test = t->name,
		.condition = t->condition,
		.unit = unit,
		.low_is_better = low_is_better};
	g.values = xcalloc(n, sizeof *g.values);
	size_t known = 0;
	for (size_t i = 0; i < n; i++) {
		g.values[i] = value_of(r[i], &g);
		known += isfinite(g.values[i].value);
	}
	if (known < 2) {
		free(g.values);
		return;
	}
	rank(&g, n);
	g.note = settings_differences(r, n, &g);
	g.id = xasprintf("compare-%s%s%s-%s", t->name, *t->condition ? "-" : "", t->condition, words[what]);
	g.title = xstrdup(title);
	GROW(l->all, l->n, l->cap);
	l->all[l->n++] = g;
}

static void add_test(struct figures *l, struct review *const *r, size_t n, const struct review_test *t)
{
	const struct test_record *rec = t->record;
	char *name = test_full_title(rec);
	char *efficiency = xasprintf("%s, efficiency", name);
	switch (t->kind) {
	case REVIEW_FILL:
		add(l, r, n, FIGURE_FILL_MEAN, rec, "Write speed of the whole fill, mean", "MB/s", false);
		add(l, r, n, FIGURE_CACHE_SIZE, rec, "pSLC cache", "GB", false);
		add(l, r, n, FIGURE_CACHE_RATE, rec, "Write speed in the cache", "MB/s", false);
		add(l, r, n, FIGURE_AFTER_RATE, rec, "Write speed after the cache, mean", "MB/s", false);
		add(l, r, n, FIGURE_FILL_ENERGY, rec, "Energy of writing", "J/GB", true);
		break;
	case REVIEW_RECOVERY:
		add(l, r, n, FIGURE_RECOVERED, rec, "Written at full speed after 5 s idle", "GB", false);
		break;
	case REVIEW_BURST:
		add(l, r, n, FIGURE_BURST, rec, name, "MB/s", false);
		add(l, r, n, FIGURE_BURST_EFFICIENCY, rec, efficiency, "MB/s per W", false);
		break;
	case REVIEW_SWEEP:
		add(l, r, n, FIGURE_SCORE, rec, name, "MB/s", false);
		add(l, r, n, FIGURE_SCORE_EFFICIENCY, rec, efficiency, "MB/s per W", false);
		if (isfinite(t->sweep.loss)) {
			char *loss = xasprintf("%s: speed lost against fresh", test_title(rec));
			add(l, r, n, FIGURE_LOSS, rec, loss, "%", true);
			free(loss);
		}
		break;
	case REVIEW_MIXED: add(l, r, n, FIGURE_MIXED, rec, "Mean over all shares of reads", "MB/s", false); break;
	case REVIEW_IDLE:
		add(l, r, n, FIGURE_IDLE, rec, "Power while idle, always on", "W", true);
		add(l, r, n, FIGURE_LOW_POWER, rec, "Power while idle, low-power states allowed", "W", true);
		break;
	case REVIEW_OTHER: break;
	}
	free(name);
	free(efficiency);
}

size_t figures_compare(struct review *const *r, size_t n, struct figure **out)
{
	struct figures l = {0};
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < r[i]->ntests; k++)
			add_test(&l, r, n, &r[i]->tests[k]);
	/* The figures of one section together, in the order in which the sections first came. */
	struct figure *grouped = xcalloc(l.n + 1, sizeof *grouped);
	size_t done = 0;
	for (size_t i = 0; i < l.n; i++) {
		bool before = false;
		for (size_t k = 0; k < i; k++)
			before = before || !strcmp(section_key(l.all[k].record), section_key(l.all[i].record));
		for (size_t k = i; k < l.n && !before; k++)
			if (!strcmp(section_key(l.all[k].record), section_key(l.all[i].record)))
				grouped[done++] = l.all[k];
	}
	free(l.all);
	*out = grouped;
	return done;
}

void figures_free(struct figure *g, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		free(g[i].id);
		free(g[i].title);
		free(g[i].note);
		free(g[i].values);
	}
	free(g);
}
