// SPDX-License-Identifier: MIT
/* Several runs: their fill curves over each other, and for each figure one ranked bar chart. */
#include "base/mem.h"
#include "report/charts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *charts_run_name(const struct review *r)
{
	return r->run->label && *r->run->label ? r->run->label : review_drive_name(r);
}

/* A figure by which drives are ranked. */
struct figure {
	const char *id, *title, *unit;
	bool low_is_better;
	double (*value)(const struct review *, double *lo, double *hi);
};

static const struct review_fill *fill_of(const struct review *r)
{
	const struct review_test *t = review_find(r, "fill", NULL);
	return t && t->kind == REVIEW_FILL ? &t->fill : NULL;
}

static double cache_size(const struct review *r, double *lo, double *hi)
{
	const struct review_fill *f = fill_of(r);
	if (!f)
		return NAN;
	*lo = f->figures.cache.bytes_lo / 1e9;
	*hi = f->figures.cache.bytes_hi / 1e9;
	return f->figures.cache.bytes / 1e9;
}

static double cache_rate(const struct review *r, double *lo, double *hi)
{
	const struct review_fill *f = fill_of(r);
	return f ? f->figures.cache.mbps : NAN;
}

static double after_rate(const struct review *r, double *lo, double *hi)
{
	const struct review_fill *f = fill_of(r);
	return f ? f->figures.cache.after_mean_mbps : NAN;
}

static double mean_rate(const struct review *r, double *lo, double *hi)
{
	const struct review_fill *f = fill_of(r);
	return f ? f->figures.mean_mbps : NAN;
}

static const struct figure figures[] = {
	{"compare-fill-mean", "Whole-drive write, mean", "MB/s", false, mean_rate},
	{"compare-cache-size", "pSLC cache", "GB", false, cache_size},
	{"compare-cache-rate", "Write speed in the cache", "MB/s", false, cache_rate},
	{"compare-after-rate", "Write speed after the cache, mean", "MB/s", false, after_rate},
};

struct ranked {
	size_t run;
	double value, lo, hi;
};

static int by_value(const void *a, const void *b)
{
	double x = ((const struct ranked *)a)->value, y = ((const struct ranked *)b)->value;
	return (x < y) - (x > y);
}

static void ranked_bars(struct chart_list *list, struct review *const *r, size_t n, const struct figure *g)
{
	struct ranked *all = xcalloc(n + 1, sizeof *all);
	size_t known = 0;
	for (size_t i = 0; i < n; i++) {
		struct ranked *k = &all[known];
		*k = (struct ranked){.run = i, .lo = NAN, .hi = NAN};
		k->value = g->value(r[i], &k->lo, &k->hi);
		known += isfinite(k->value);
	}
	if (known > 1) {
		qsort(all, known, sizeof *all, by_value);
		struct chart *c = chart_new(CHART_BARS, g->id, g->title);
		c->y = (struct chart_axis){.name = "", .unit = g->unit, .from_zero = true};
		c->better_low = g->low_is_better;
		c->better_high = !g->low_is_better;
		for (size_t i = 0; i < known; i++) {
			const struct ranked *k = &all[g->low_is_better ? known - 1 - i : i];
			struct chart_bar *b = chart_add_bar(c, charts_run_name(r[k->run]), k->value);
			b->lo = k->lo;
			b->hi = k->hi;
			b->look.colour = k->run ? 7 : 0;
			b->look.faint = k->run != 0;
		}
		free(c->desc);
		c->desc = xasprintf("%s of %zu drives; the best is %s.", g->title, known, c->bars[0].name);
		chart_list_add(list, c);
	}
	free(all);
}

static void fill_overlay(struct chart_list *list, struct review *const *r, size_t n)
{
	struct chart *c = chart_new(CHART_CURVE, "compare-fill", "Write speed over the data written");
	c->x = (struct chart_axis){.name = "written", .unit = "GB", .from_zero = true};
	c->y = (struct chart_axis){.name = "", .unit = "MB/s", .from_zero = true};
	for (size_t i = n; i-- > 0;) { /* the highlighted one on top */
		const struct review_test *t = review_find(r[i], "fill", NULL);
		if (!t || t->kind != REVIEW_FILL || !t->record->phases[0].nsamples)
			continue;
		struct chart_series *s = charts_add_rates(c, charts_run_name(r[i]), &t->record->phases[0], true);
		s->look.colour = (unsigned)i;
		s->look.faint = i != 0;
	}
	if (c->nseries < 2) {
		chart_free(c);
		return;
	}
	free(c->desc);
	c->desc = xasprintf("The fill curves of %zu drives over the gigabytes written.", c->nseries);
	chart_list_add(list, c);
}

void charts_of_comparison(struct chart_list *list, struct review *const *r, size_t n)
{
	fill_overlay(list, r, n);
	for (size_t i = 0; i < ARRAY_SIZE(figures); i++)
		ranked_bars(list, r, n, &figures[i]);
}
