// SPDX-License-Identifier: MIT
#include "report/labels.h"

#include "base/mem.h"
#include "report/svg.h"

#include <math.h>
#include <stdlib.h>

static int by_y(const void *a, const void *b)
{
	const struct end_label *p = a, *q = b;
	return (p->y > q->y) - (p->y < q->y);
}

void labels_spread(struct end_label *e, size_t n, double gap, double top, double bottom)
{
	if (!n)
		return;
	qsort(e, n, sizeof *e, by_y);
	/* Isotonic regression (pool adjacent violators) of y - i * gap: the least movement that keeps the distances. */
	double *mean = xmalloc(n * sizeof *mean);
	size_t *size = xmalloc(n * sizeof *size), blocks = 0;
	for (size_t i = 0; i < n; i++) {
		mean[blocks] = e[i].y - (double)i * gap;
		size[blocks++] = 1;
		while (blocks > 1 && mean[blocks - 1] < mean[blocks - 2]) {
			size_t all = size[blocks - 1] + size[blocks - 2];
			mean[blocks - 2] = (mean[blocks - 1] * (double)size[blocks - 1] +
						   mean[blocks - 2] * (double)size[blocks - 2]) /
					   (double)all;
			size[--blocks - 1] = all;
		}
	}
	double highest = fmax(top, bottom - (double)(n - 1) * gap);
	for (size_t b = 0, i = 0; b < blocks; b++)
		for (size_t k = 0; k < size[b]; k++, i++)
			e[i].placed = fmin(fmax(mean[b], top), highest) + (double)i * gap;
	free(mean);
	free(size);
}

static bool touch(const struct box *a, const struct box *b)
{
	return a->x0 < b->x1 && b->x0 < a->x1 && a->y0 < b->y1 && b->y0 < a->y1;
}

static bool is_free(const struct box *b, const struct box *taken, size_t n, size_t own, const struct box *inside)
{
	if (b->x0 < inside->x0 || b->x1 > inside->x1 || b->y0 < inside->y0 || b->y1 > inside->y1)
		return false;
	for (size_t i = 0; i < n; i++)
		if (i != own && touch(b, &taken[i]))
			return false;
	return true;
}

void labels_draw_points(FILE *f, const struct point_label *p, size_t n, const struct box *inside)
{
	struct box *taken = xmalloc((2 * n + 1) * sizeof *taken);
	size_t ntaken = n;
	for (size_t i = 0; i < n; i++)
		taken[i] = (struct box){p[i].x - 8, p[i].y - 8, p[i].x + 8, p[i].y + 8};
	for (size_t turn = 0; turn < 2 * n; turn++) {
		/* The highlighted ones choose first. */
		size_t i = turn % n;
		if (p[i].look.faint != (turn >= n))
			continue;
		double w = text_width(p[i].name, 12) * (p[i].look.faint ? 1 : 1.1) + 4;
		for (int ring = 0; ring < 6; ring++) {
			bool done = false;
			for (int step = 0; step < 16 && !done; step++) {
				/* Right first, then left, then around. */
				double angle = (step % 2 ? M_PI : 0) +
					       (double)((step + 1) / 2) * M_PI / 8 * (step % 4 < 2 ? 1 : -1);
				double r = 10 + 12.0 * ring, dx = cos(angle), x = p[i].x + r * dx,
				       y = p[i].y + r * sin(angle);
				struct box b = {dx >= 0 ? x : x - w, y - 8, dx >= 0 ? x + w : x, y + 8};
				if (!is_free(&b, taken, ntaken, i, inside))
					continue;
				char look[64], css[80];
				if (ring > 0)
					svg_line(f, p[i].x + 6 * dx, p[i].y + 6 * sin(angle), x, y, "leader");
				snprintf(css, sizeof css, "%s %s", p[i].look.faint ? "label" : "strong",
					look_class(look, &(struct chart_look){.colour = p[i].look.colour}));
				svg_text(f, dx >= 0 ? x + 2 : x - 2, y + 4, dx >= 0 ? "start" : "end", css, p[i].name);
				taken[ntaken++] = b;
				done = true;
			}
			if (done)
				break;
		}
	}
	free(taken);
}
