// SPDX-License-Identifier: MIT
/* Several runs: their fill curves over each other, for each figure a ranking, for each sweep its curves side by side
 * and speed over power. The first run is the highlighted one. */
#include "base/mem.h"
#include "report/charts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *charts_run_name(const struct review *r)
{
	if (r->name)
		return r->name;
	return r->run->label && *r->run->label ? r->run->label : review_drive_name(r);
}

static void describe(struct chart *c, char *text)
{
	free(c->desc);
	c->desc = text;
}

static void add_note(struct chart *c, const struct figure *g)
{
	c->alert = g->note != NULL;
	c->note = g->note ? xasprintf("Not measured alike: %s.", g->note) : NULL;
}

/* Appends "HEAD: A, B.": the runs without a bar, of which something was found to be missing (`none`) or nothing is
 * known; those that did not do the test are left out. */
static void add_missing(
	struct chart *c, struct review *const *r, size_t n, const struct figure *g, bool none, const char *head)
{
	char *who = NULL;
	for (size_t i = 0; i < n; i++) {
		if (g->values[i].rank || g->values[i].none != none || !review_find(r[i], g->test, g->condition))
			continue;
		char *longer = xasprintf("%s%s%s", who ? who : "", who ? ", " : "", charts_run_name(r[i]));
		free(who);
		who = longer;
	}
	if (!who)
		return;
	char *note = xasprintf("%s%s%s: %s.", c->note ? c->note : "", c->note ? " " : "", head, who);
	free(who);
	free(c->note);
	c->note = note;
}

/* The name under which a figure is published; NULL = it is not. */
static const char *published_name(const struct figure *g)
{
	if (g->what == FIGURE_BURST && !strcmp(g->test, "burst-seq-read"))
		return "burst-seq-read";
	return g->what == FIGURE_FILL_MEAN ? "fill-mean" : g->what == FIGURE_CACHE_SIZE ? "cache-size" : NULL;
}

/* A published value of a drive that is not among the runs; NAN = none. In the figure's unit. */
static double joined_value(const struct published_drive *d, struct review *const *r, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (r[i]->published == d)
			return NAN;
	for (size_t i = 0; i < d->nfigures; i++) {
		const struct published_figure *p = &d->figures[i];
		if (!strcmp(p->figure, name) && p->bound == BOUND_NONE)
			return published_si(p) / (strcmp(name, "cache-size") ? 1 : 1e9);
	}
	return NAN;
}

/* A bar of a ranking before it has its place. */
struct place {
	const struct figure_value *v; /* NULL = published */
	const char *name;
	double value;
	size_t run;
	bool low_is_better;
};

/* The best first; ranks are of means, which the values may differ from by a little. */
static int by_value(const void *a, const void *b)
{
	const struct place *x = a, *y = b;
	int order = (x->value < y->value) - (x->value > y->value);
	if (x->v && y->v && x->v->rank != y->v->rank)
		return x->v->rank < y->v->rank ? -1 : 1;
	return x->low_is_better ? -order : order;
}

struct chart *charts_ranking(struct review *const *r, size_t n, const struct figure *g, const struct published *join)
{
	const char *published = join ? published_name(g) : NULL;
	struct place *all = xcalloc(n + (join ? join->n : 0) + 1, sizeof *all);
	size_t count = 0;
	for (size_t i = 0; i < n; i++)
		if (g->values[i].rank)
			all[count++] = (struct place){
				&g->values[i], charts_run_name(r[i]), g->values[i].value, i, g->low_is_better};
	qsort(all, count, sizeof *all, by_value);
	for (size_t i = 0; published && i < join->n; i++) {
		double value = joined_value(&join->drives[i], r, n, published);
		if (!isfinite(value))
			continue;
		struct place here = {NULL, join->drives[i].name, value, 0, g->low_is_better};
		size_t k = count++;
		for (; k > 0 && by_value(&here, &all[k - 1]) < 0; k--)
			all[k] = all[k - 1];
		all[k] = here;
	}
	struct chart *c = chart_new(CHART_BARS, g->id, g->title);
	c->y = (struct chart_axis){.name = "", .unit = g->unit, .from_zero = true};
	c->better_low = g->low_is_better;
	c->better_high = !g->low_is_better;
	add_note(c, g);
	add_missing(c, r, n, g, true, "None found");
	add_missing(c, r, n, g, false, "Not measured");
	for (size_t i = 0; i < count; i++) {
		const struct place *k = &all[i];
		struct chart_bar *b = chart_add_bar(c, k->name, k->value);
		b->look = (struct chart_look){
			.colour = k->v && !k->run ? 0 : 7, .faint = !k->v || k->run, .published = !k->v};
		if (!k->v)
			continue;
		b->lo = k->v->lo;
		b->hi = k->v->hi;
		b->rank = (int)k->v->rank;
		b->tied = k->v->tied;
	}
	describe(c, xasprintf("%s: %zu drives, the best first: %s.", g->title, count, c->bars[0].name));
	free(all);
	return c;
}

static struct chart_look look_of(size_t run, size_t n)
{
	/* Not the palette's order: its ochre and its light blue are too near to orange and blue for thin lines. */
	static const unsigned colours[MOST_NAMED] = {0, 1, 2, 3, 7, 4};
	return (struct chart_look){.colour = colours[run % MOST_NAMED],
		.dashed = run == 5,
		.faint = run != 0,
		.context = run != 0 && n > MOST_NAMED};
}

static const struct phase_record *fill_phase(const struct review *r)
{
	const struct review_test *t = review_find(r, "fill", NULL);
	return t && t->kind == REVIEW_FILL && t->record->phases[0].nsamples ? &t->record->phases[0] : NULL;
}

static struct chart *fill_chart(const char *id, const char *title)
{
	struct chart *c = chart_new(CHART_CURVE, id, title);
	c->x = (struct chart_axis){.name = "written", .unit = "GB", .from_zero = true};
	c->y = (struct chart_axis){.name = "", .unit = "MB/s", .from_zero = true};
	return c;
}

/* The fill curves; the highlighted one last, so that it is on top. */
static void fill_overlay(struct chart_list *list, struct review *const *r, size_t n, const struct figure *g)
{
	struct chart *c =
		fill_chart("compare-fill", n > MOST_NAMED ? "Write speed over the data written; the others in grey"
							  : "Write speed over the data written");
	for (size_t i = n; i-- > 0;)
		if (fill_phase(r[i]))
			charts_add_rates(c, charts_run_name(r[i]), fill_phase(r[i]), true)->look = look_of(i, n);
	describe(c, xasprintf("The fill curves of %zu drives over the gigabytes written.", c->nseries));
	add_note(c, g);
	if (c->nseries > 1)
		chart_list_add(list, c);
	else
		chart_free(c);
}

/* Each fill in a small picture of its own, on its own scale, since capacities differ. */
static void small_fills(struct chart_list *list, struct review *const *r, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (!fill_phase(r[i]))
			continue;
		char *id = xasprintf("compare-fill-curve-%zu", i + 1);
		struct chart *c = fill_chart(id, charts_run_name(r[i]));
		free(id);
		c->size = CHART_THIRD;
		c->tell_greatest = true;
		c->context = xstrdup(test_title(review_find(r[i], "fill", NULL)->record));
		charts_add_rates(c, "write speed", fill_phase(r[i]), true)->look.colour = i ? 7 : 0;
		describe(c, xasprintf("The fill curve of %s.", c->title));
		chart_list_add(list, c);
	}
}

/* A mixed test's speeds over the share of reads. */
static void mixed_overlay(struct chart_list *list, struct review *const *r, size_t n, const struct figure *g)
{
	char *id = xasprintf("compare-%s-shares", g->test);
	struct chart *c = chart_new(CHART_LINES, id,
		n > MOST_NAMED ? "Speed over the share of reads; the others in grey" : "Speed over the share of reads");
	c->context = xstrdup(test_title(g->record));
	free(id);
	c->x = (struct chart_axis){.name = "reads", .unit = "%", .hi = 100};
	c->y = (struct chart_axis){.name = "", .unit = "MB/s", .from_zero = true};
	for (size_t i = n; i-- > 0;) {
		const struct review_test *t = review_find(r[i], g->test, g->condition);
		if (!t || t->kind != REVIEW_MIXED)
			continue;
		struct chart_series *s = chart_add_series(c, charts_run_name(r[i]), t->mixed.npoints, false);
		s->look = look_of(i, n);
		for (size_t k = 0; k < s->n; k++) {
			s->x[k] = 100 * t->mixed.points[k].read_share;
			s->y[k] = t->mixed.points[k].mbps;
		}
	}
	describe(c, xasprintf("Speeds of %zu drives over the share of reads.", c->nseries));
	add_note(c, g);
	chart_list_add(list, c);
}

/* Small pictures of the same scale, one per run: what a sweep looks like, fresh and fragmented. Slow drives are low in
 * it, which is the point; their greatest value is in words. */
static void small_multiples(
	struct chart_list *list, struct review *const *r, size_t n, const struct test_record *record)
{
	const char *test = record->name, *title = test_title(record);
	double top = 0;
	size_t first = list->n;
	for (size_t i = 0; i < n; i++) {
		char *id = xasprintf("compare-%s-curve-%zu", test, i + 1);
		struct chart *c = chart_new(CHART_LINES, id, charts_run_name(r[i]));
		free(id);
		c->size = CHART_THIRD;
		c->context = xstrdup(title);
		c->x = (struct chart_axis){.name = "queue depth", .unit = "", .scale = SCALE_LOG2, .at_points = true};
		c->y = (struct chart_axis){.name = "", .unit = "MB/s", .from_zero = true};
		for (size_t k = 0; k < r[i]->ntests; k++) {
			const struct review_test *t = &r[i]->tests[k];
			if (t->kind != REVIEW_SWEEP || strcmp(t->record->name, test))
				continue;
			const char *name = *t->record->condition ? t->record->condition : "speed";
			struct chart_series *s = chart_add_series(c, name, t->sweep.npoints, false);
			s->look.dashed = s->look.colour > 0;
			for (size_t m = 0; m < t->sweep.npoints; m++) {
				s->x[m] = t->sweep.points[m].qd;
				s->y[m] = t->sweep.points[m].mbps;
				top = fmax(top, s->y[m]);
			}
		}
		describe(c, xasprintf("Speed of %s over the queue depth.", c->title));
		if (c->nseries)
			chart_list_add(list, c);
		else
			chart_free(c);
	}
	for (size_t i = first; i < list->n; i++) {
		list->charts[i]->y.hi = top;
		list->charts[i]->tell_greatest = true;
	}
}

/* Speed over power: up and to the left is better. */
static void efficiency_scatter(struct chart_list *list, struct review *const *r, size_t n, const struct figure *g)
{
	char *name = test_full_title(g->record), *title = xasprintf("%s: speed over power", name);
	char *id = xasprintf("%s-scatter", g->id);
	free(name);
	struct chart *c = chart_new(CHART_SCATTER, id, title);
	free(id);
	free(title);
	c->x = (struct chart_axis){.name = "power", .unit = "W"};
	c->y = (struct chart_axis){.name = "speed", .unit = "MB/s"};
	c->better_corner = true;
	for (size_t i = 0; i < n; i++) {
		const struct review_test *t = review_find(r[i], g->test, g->condition);
		if (!t || t->kind != REVIEW_SWEEP || !isfinite(t->sweep.score.power_w) ||
			!isfinite(t->sweep.score_mbps))
			continue;
		struct chart_series *s = chart_add_series(c, charts_run_name(r[i]), 1, false);
		s->x[0] = t->sweep.score.power_w;
		s->y[0] = t->sweep.score_mbps;
		s->look = (struct chart_look){.colour = i ? 7 : 0, .faint = i != 0};
	}
	describe(c, xasprintf("Speed over power of %zu drives; up and to the left is better.", c->nseries));
	add_note(c, g);
	if (c->nseries > 1)
		chart_list_add(list, c);
	else
		chart_free(c);
}

void charts_of_figure(struct chart_list *list, struct review *const *r, size_t n, const struct figure *g,
	const struct published *join, bool first_of_test)
{
	if (g->what == FIGURE_FILL_MEAN)
		fill_overlay(list, r, n, g);
	if (g->what == FIGURE_FILL_MEAN && n > MOST_NAMED)
		small_fills(list, r, n);
	chart_list_add(list, charts_ranking(r, n, g, join));
	if (g->what == FIGURE_MIXED)
		mixed_overlay(list, r, n, g);
	if (g->what == FIGURE_SCORE_EFFICIENCY)
		efficiency_scatter(list, r, n, g);
	if (g->what == FIGURE_SCORE && first_of_test)
		small_multiples(list, r, n, g->record);
}

void charts_of_comparison(struct chart_list *list, struct review *const *r, size_t n, const struct published *join)
{
	struct figure *g;
	size_t count = figures_compare(r, n, &g);
	for (size_t i = 0; i < count; i++)
		charts_of_figure(list, r, n, &g[i], join, i == 0 || strcmp(g[i].test, g[i - 1].test));
	figures_free(g, count);
}
