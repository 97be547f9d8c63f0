// SPDX-License-Identifier: MIT
#include "report/scatter.h"

#include "base/mem.h"
#include "report/svg.h"

#include <math.h>
#include <stdlib.h>

#define KEY_ROW 17.0
#define KEY_NUMBER 26.0 /* room for a number before its name */

void scatter_add_name(struct scatter_names *s, const struct chart_series *series, double x, double y)
{
	GROW(s->points, s->n, s->cap);
	s->points[s->n++] = (struct point_label){.name = series->name, .look = series->look, .x = x, .y = y};
}

/* From the top down, as the points are met by a reader's eye. */
static int by_height(const void *a, const void *b)
{
	const struct point_label *p = a, *q = b;
	int order = (p->y > q->y) - (p->y < q->y);
	return order ? order : (p->x > q->x) - (p->x < q->x);
}

double scatter_place_names(struct scatter_names *s, const struct box *inside, double width)
{
	if (!s->n || labels_place(s->points, s->n, inside, 4, false) == s->n)
		return 0;
	qsort(s->points, s->n, sizeof *s->points, by_height);
	s->numbers = xcalloc(s->n, sizeof *s->numbers);
	s->key = xcalloc(s->n, sizeof *s->key);
	for (size_t i = 0; i < s->n; i++) {
		struct point_label *p = &s->points[i];
		s->column = fmax(s->column, KEY_NUMBER + 1.1 * text_width(p->name, 12) + 18);
		s->key[i] = p->name;
		p->name = s->numbers[i] = xasprintf("%zu", i + 1);
	}
	labels_place(s->points, s->n, inside, 20, true);
	size_t columns = (size_t)fmax(1, floor(width / s->column));
	s->rows = (s->n + columns - 1) / columns;
	return (double)s->rows * KEY_ROW + 8;
}

void scatter_draw_names(FILE *f, const struct scatter_names *s, double x, double y)
{
	labels_draw_points(f, s->points, s->n);
	for (size_t i = 0; s->numbers && i < s->n; i++) {
		double at_x = x + (double)(i / s->rows) * s->column, at_y = y + (double)(i % s->rows) * KEY_ROW;
		const char *css = s->points[i].look.faint ? "value" : "strong";
		svg_text(f, at_x + KEY_NUMBER - 8, at_y, "end", css, s->numbers[i]);
		svg_text(f, at_x + KEY_NUMBER, at_y, "start", css, s->key[i]);
	}
}

void scatter_names_free(struct scatter_names *s)
{
	for (size_t i = 0; s->numbers && i < s->n; i++)
		free(s->numbers[i]);
	free(s->numbers);
	free(s->key);
	free(s->points);
}
