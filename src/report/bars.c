// SPDX-License-Identifier: MIT
/* Horizontal bars from zero, with single results as dots. */
#include "base/mem.h"
#include "report/escape.h"
#include "report/svg.h"

#include <math.h>
#include <stdlib.h>

#define FONT 12.0
#define BOLD 1.1 /* bold letters are wider */

/* "7,030 MB/s", or what is missing. */
static char *value_text(const struct chart *c, const struct chart_bar *b)
{
	char buf[NUMBER_BUF];
	if (!isfinite(b->value))
		return xstrdup("not measured");
	return xasprintf("%s %s%s", number_short(buf, b->value), c->y.unit, b->look.published ? " (published)" : "");
}

/* The size that a bar's name is measured with. */
static double size_of(const struct chart_bar *b)
{
	return b->look.faint ? FONT : BOLD * FONT;
}

static char *name_text(const struct chart_bar *b)
{
	return b->rank ? xasprintf("%d%s %s", b->rank, b->tied ? "=" : ".", b->name) : xstrdup(b->name);
}

/* The least and the greatest of a bar's value, interval and single results; 0 is among them. */
static void reach_of(const struct chart_bar *b, double *least, double *most)
{
	const double ends[] = {b->value, b->lo, b->hi};
	*least = *most = 0;
	for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
		*least = isfinite(ends[i]) ? fmin(*least, ends[i]) : *least;
		*most = isfinite(ends[i]) ? fmax(*most, ends[i]) : *most;
	}
	for (size_t i = 0; i < b->ndots; i++) {
		*least = isfinite(b->dots[i]) ? fmin(*least, b->dots[i]) : *least;
		*most = isfinite(b->dots[i]) ? fmax(*most, b->dots[i]) : *most;
	}
}

static bool has_whisker(const struct chart_bar *b, double scale)
{
	return isfinite(b->lo) && isfinite(b->hi) && (b->hi - b->lo) * scale > 3;
}

/* `zero`: where 0 is; a negative bar reaches to the left of it. */
static void draw_bar(FILE *f, const struct chart_bar *b, double zero, double y, double scale)
{
	char look[64];
	double w = isfinite(b->value) ? b->value * scale : 0;
	fprintf(f, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"16\" rx=\"1.5\" class=\"bar %s\"/>\n",
		fmin(zero, zero + w), y, fabs(w), look_class(look, &b->look));
	if (has_whisker(b, scale)) {
		double lo = zero + b->lo * scale, hi = zero + b->hi * scale;
		svg_line(f, lo, y + 8, hi, y + 8, "spread");
		svg_line(f, lo, y + 4, lo, y + 12, "spread");
		svg_line(f, hi, y + 4, hi, y + 12, "spread");
	}
	for (size_t i = 0; i < b->ndots; i++)
		if (isfinite(b->dots[i]))
			fprintf(f, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3.5\" class=\"single\"/>\n",
				zero + b->dots[i] * scale, y + 8);
}

void draw_bars(FILE *f, const struct chart *c, const struct chart_drawing *d)
{
	double pad = d->standalone ? 12 : 0;
	double names = 0, values = 0, least = 0, most = 0;
	for (size_t i = 0; i < c->nbars; i++) {
		const struct chart_bar *b = &c->bars[i];
		char *name = name_text(b), *value = value_text(c, b);
		double lo, hi;
		names = fmax(names, text_width(name, size_of(b)));
		values = fmax(values, BOLD * text_width(value, FONT));
		free(name);
		free(value);
		reach_of(b, &lo, &hi);
		least = fmin(least, lo);
		most = fmax(most, hi);
	}
	/* Long names stand above their bars where there is little room. */
	bool narrow = d->width < 560 && names > d->width * 0.3;
	names = narrow ? 0 : fmin(names, d->width * 0.38);
	double left = narrow ? pad + 1 : pad + names + 10;
	double room = d->width - left - values - 14 - pad;
	double scale = most > least ? room / (most - least) : 0;
	double zero = left - least * scale;
	double row = narrow ? 42 : 25, top = svg_title_height(c, d) + 26;

	svg_begin(f, c, d, top + (double)c->nbars * row + 8);
	char *unit = xasprintf("%s%s%s", c->y.name, *c->y.name && *c->y.unit ? ", " : "", c->y.unit);
	bool dots = false, whiskers = false;
	for (size_t i = 0; i < c->nbars; i++) {
		dots = dots || c->bars[i].ndots > 1;
		whiskers = whiskers || has_whisker(&c->bars[i], scale);
	}
	char *head = xasprintf("%s%s%s%s", unit,
		c->better_high	? ", higher is better"
		: c->better_low ? ", lower is better"
				: "",
		dots ? "; dots: single results" : "", whiskers ? "; whiskers: 95 % interval" : "");
	svg_text(f, pad, top - 10, "start", "tick", head);
	free(unit);
	free(head);
	for (size_t i = 0; i < c->nbars; i++) {
		const struct chart_bar *b = &c->bars[i];
		double y = top + (double)i * row + (narrow ? 19 : 4), lo, hi;
		char *full = name_text(b), *name = text_fit(full, size_of(b), narrow ? d->width - 2 * pad : names + 1);
		char *value = value_text(c, b);
		const char *weight = b->look.faint ? "value" : "strong";
		svg_line(f, zero, y - (narrow ? 0 : 3), zero, y + (narrow ? 19 : row - 3), "axis");
		if (narrow)
			svg_text(f, pad, y - 5, "start", weight, name);
		else
			svg_text(f, left - 10, y + 12, "end", weight, name);
		draw_bar(f, b, zero, y, scale);
		reach_of(b, &lo, &hi);
		svg_text(f, zero + hi * scale + 8, y + 12, "start", weight, value);
		free(full);
		free(name);
		free(value);
	}
	svg_end(f);
}
