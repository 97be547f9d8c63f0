// SPDX-License-Identifier: MIT
#include "report/chart.h"

#include "base/mem.h"
#include "report/svg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct chart *chart_new(enum chart_kind kind, const char *id, const char *title)
{
	struct chart *c = xcalloc(1, sizeof *c);
	c->kind = kind;
	c->id = xstrdup(id);
	/* Test names come from suite files; an id must be a plain word. */
	for (char *p = c->id; *p; p++)
		if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-", *p))
			*p = '-';
	c->title = xstrdup(title);
	c->desc = xstrdup("");
	c->x.name = c->x.unit = c->y.name = c->y.unit = "";
	return c;
}

void chart_free(struct chart *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->nseries; i++) {
		free(c->series[i].name);
		free(c->series[i].x); /* one block for all four */
	}
	for (size_t i = 0; i < c->nbands; i++)
		free(c->bands[i].label);
	for (size_t i = 0; i < c->nmarks; i++) {
		free(c->marks[i].label);
		free(c->marks[i].short_label);
	}
	for (size_t i = 0; i < c->nbars; i++) {
		free(c->bars[i].name);
		free(c->bars[i].dots);
	}
	free(c->series);
	free(c->bands);
	free(c->marks);
	free(c->bars);
	free(c->id);
	free(c->title);
	free(c->context);
	free(c->note);
	free(c->desc);
	free(c);
}

struct chart_series *chart_add_series(struct chart *c, const char *name, size_t n, bool interval)
{
	c->series = xrealloc(c->series, (c->nseries + 1) * sizeof *c->series);
	struct chart_series *s = &c->series[c->nseries];
	double *block = xcalloc(4 * n + 1, sizeof *block);
	*s = (struct chart_series){.name = xstrdup(name),
		.look.colour = (unsigned)c->nseries,
		.n = n,
		.x = block,
		.y = block + n,
		.lo = interval ? block + 2 * n : NULL,
		.hi = interval ? block + 3 * n : NULL};
	c->nseries++;
	return s;
}

struct chart_band *chart_add_band(struct chart *c, double from, double to, const char *label)
{
	c->bands = xrealloc(c->bands, (c->nbands + 1) * sizeof *c->bands);
	c->bands[c->nbands] = (struct chart_band){from, to, xstrdup(label), c->nbands % 2 == 0};
	return &c->bands[c->nbands++];
}

struct chart_mark *chart_add_mark(struct chart *c, double at, double lo, double hi, const char *label)
{
	c->marks = xrealloc(c->marks, (c->nmarks + 1) * sizeof *c->marks);
	c->marks[c->nmarks] = (struct chart_mark){at, lo, hi, xstrdup(label), NULL};
	return &c->marks[c->nmarks++];
}

struct chart_bar *chart_add_bar(struct chart *c, const char *name, double value)
{
	c->bars = xrealloc(c->bars, (c->nbars + 1) * sizeof *c->bars);
	c->bars[c->nbars] = (struct chart_bar){.name = xstrdup(name), .value = value, .lo = NAN, .hi = NAN};
	return &c->bars[c->nbars++];
}

void chart_svg(FILE *f, const struct chart *c, const struct chart_drawing *d)
{
	if (c->kind == CHART_BARS)
		draw_bars(f, c, d);
	else
		draw_plot(f, c, d);
}
