// SPDX-License-Identifier: MIT
/* A chart's values as a table and as CSV. */
#include "base/mem.h"
#include "report/escape.h"
#include "report/svg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_ROWS 200

static void head_cell(FILE *f, const char *name, const char *unit)
{
	fputs("<th scope=\"col\">", f);
	write_xml(f, name);
	if (*name && *unit)
		fputs(", ", f);
	write_xml(f, unit);
	fputs("</th>", f);
}

static void cell(FILE *f, double v)
{
	char buf[NUMBER_BUF];
	fprintf(f, "<td>%s</td>", isfinite(v) ? number_short(buf, v) : "");
}

static void name_cell(FILE *f, const char *name, bool published)
{
	fputs("<th scope=\"row\">", f);
	write_xml(f, name);
	fputs(published ? " (published)</th>" : "</th>", f);
}

static bool has_interval(const struct chart *c)
{
	for (size_t i = 0; i < c->nseries; i++)
		for (size_t k = 0; c->series[i].lo && k < c->series[i].n; k++)
			if (isfinite(c->series[i].lo[k]))
				return true;
	for (size_t i = 0; i < c->nbars; i++)
		if (isfinite(c->bars[i].lo))
			return true;
	return false;
}

static void bars_table(FILE *f, const struct chart *c)
{
	bool interval = has_interval(c), dots = false;
	for (size_t i = 0; i < c->nbars; i++)
		dots = dots || c->bars[i].ndots;
	fputs("<tr>", f);
	head_cell(f, "", "");
	head_cell(f, c->y.name, c->y.unit);
	if (interval)
		head_cell(f, "95 % interval", c->y.unit);
	if (dots)
		head_cell(f, "single results", c->y.unit);
	fputs("</tr>\n", f);
	for (size_t i = 0; i < c->nbars; i++) {
		const struct chart_bar *b = &c->bars[i];
		char lo[NUMBER_BUF], hi[NUMBER_BUF];
		fputs("<tr>", f);
		name_cell(f, b->name, b->look.published);
		cell(f, b->value);
		if (interval && isfinite(b->lo) && isfinite(b->hi))
			fprintf(f, "<td>%s to %s</td>", number_short(lo, b->lo), number_short(hi, b->hi));
		else if (interval)
			fputs("<td></td>", f);
		if (dots) {
			fputs("<td>", f);
			for (size_t k = 0; k < b->ndots; k++)
				fprintf(f, "%s%s", k ? " &middot; " : "", number_short(lo, b->dots[k]));
			fputs("</td>", f);
		}
		fputs("</tr>\n", f);
	}
}

/* One row per point; a scatter's series are single points. */
static void points_table(FILE *f, const struct chart *c)
{
	bool interval = has_interval(c), names = c->nseries > 1 || c->kind == CHART_SCATTER;
	fputs("<tr>", f);
	if (names)
		head_cell(f, "", "");
	head_cell(f, c->x.name, c->x.unit);
	head_cell(f, c->y.name, c->y.unit);
	if (interval)
		head_cell(f, "95 % interval", c->y.unit);
	fputs("</tr>\n", f);
	for (size_t i = 0; i < c->nseries; i++) {
		const struct chart_series *s = &c->series[i];
		for (size_t k = 0; k < s->n; k++) {
			fputs("<tr>", f);
			if (names)
				name_cell(f, s->name, s->look.published);
			cell(f, s->x[k]);
			cell(f, s->y[k]);
			if (interval && s->lo && isfinite(s->lo[k])) {
				char lo[NUMBER_BUF], hi[NUMBER_BUF];
				fprintf(f, "<td>%s to %s</td>", number_short(lo, s->lo[k]), number_short(hi, s->hi[k]));
			} else if (interval) {
				fputs("<td></td>", f);
			}
			fputs("</tr>\n", f);
		}
	}
}

/* Stretches of samples: from, to, least, mean, greatest. */
static void curve_table(FILE *f, const struct chart *c)
{
	size_t rows = MOST_ROWS / (c->nseries ? c->nseries : 1);
	fputs("<tr>", f);
	if (c->nseries > 1)
		head_cell(f, "", "");
	head_cell(f, "from", c->x.unit);
	head_cell(f, "to", c->x.unit);
	head_cell(f, "least", c->y.unit);
	head_cell(f, "mean", c->y.unit);
	head_cell(f, "greatest", c->y.unit);
	fputs("</tr>\n", f);
	for (size_t i = 0; i < c->nseries; i++) {
		const struct chart_series *s = &c->series[i];
		size_t per_row = s->n / (rows ? rows : 1) + 1;
		double from = s->x_start;
		for (size_t k = 0; k < s->n; k += per_row) {
			double least = INFINITY, greatest = -INFINITY, sum = 0, n = 0, to = from;
			for (size_t j = k; j < s->n && j < k + per_row; j++) {
				to = s->x[j];
				if (!isfinite(s->y[j]))
					continue;
				least = fmin(least, s->y[j]);
				greatest = fmax(greatest, s->y[j]);
				sum += s->y[j];
				n++;
			}
			fputs("<tr>", f);
			if (c->nseries > 1)
				name_cell(f, s->name, s->look.published);
			cell(f, from);
			cell(f, to);
			cell(f, least);
			cell(f, n > 0 ? sum / n : NAN);
			cell(f, greatest);
			fputs("</tr>\n", f);
			from = to;
		}
	}
}

void chart_table(FILE *f, const struct chart *c)
{
	fputs("<table class=\"data\">\n", f);
	if (c->kind == CHART_BARS)
		bars_table(f, c);
	else if (c->kind == CHART_CURVE)
		curve_table(f, c);
	else
		points_table(f, c);
	fputs("</table>\n", f);
}

static void csv_number(FILE *f, double v)
{
	if (isfinite(v))
		fprintf(f, ",%.10g", v);
	else
		fputc(',', f);
}

static void csv_column(FILE *f, const char *name, const char *unit)
{
	char *column = xasprintf("%s%s%s", name, *name && *unit ? ", " : "", unit);
	write_csv_field(f, column);
	free(column);
}

static void bars_csv(FILE *f, const struct chart *c)
{
	fputs("name,", f);
	csv_column(f, c->y.name, c->y.unit);
	fputs(",low,high,published,single results\n", f);
	for (size_t i = 0; i < c->nbars; i++) {
		const struct chart_bar *b = &c->bars[i];
		write_csv_field(f, b->name);
		csv_number(f, b->value);
		csv_number(f, b->lo);
		csv_number(f, b->hi);
		fprintf(f, ",%d", b->look.published);
		for (size_t k = 0; k < b->ndots; k++)
			csv_number(f, b->dots[k]);
		if (!b->ndots)
			fputc(',', f);
		fputc('\n', f);
	}
}

void chart_csv(FILE *f, const struct chart *c)
{
	if (c->kind == CHART_BARS) {
		bars_csv(f, c);
		return;
	}
	fputs("series,", f);
	csv_column(f, c->x.name, c->x.unit);
	fputc(',', f);
	csv_column(f, c->y.name, c->y.unit);
	fputs(",low,high,published\n", f);
	for (size_t i = 0; i < c->nseries; i++) {
		const struct chart_series *s = &c->series[i];
		for (size_t k = 0; k < s->n; k++) {
			write_csv_field(f, s->name);
			csv_number(f, s->x[k]);
			csv_number(f, s->y[k]);
			csv_number(f, s->lo ? s->lo[k] : NAN);
			csv_number(f, s->hi ? s->hi[k] : NAN);
			fprintf(f, ",%d\n", s->look.published);
		}
	}
}
