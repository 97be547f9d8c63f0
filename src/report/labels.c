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

/* What is there already: the points, names, and lines as small boxes along them. */
enum what { POINT = 1, NAME = 2, LINE = 4 };

struct places {
	struct {
		struct box box;
		enum what what;
	} * taken; /* the points are the first of them, in their order */
	size_t n, cap;
	const struct box *inside;
};

/* Whether nothing is in the box of `count` but the point `own`. */
static bool is_free(const struct places *p, const struct box *b, size_t own, int count)
{
	if (b->x0 < p->inside->x0 || b->x1 > p->inside->x1 || b->y0 < p->inside->y0 || b->y1 > p->inside->y1)
		return false;
	for (size_t i = 0; i < p->n; i++)
		if (i != own && (p->taken[i].what & count) && touch(b, &p->taken[i].box))
			return false;
	return true;
}

static void take(struct places *p, struct box b, enum what what)
{
	GROW(p->taken, p->n, p->cap);
	p->taken[p->n].box = b;
	p->taken[p->n++].what = what;
}

/* Whether a line from a point to its name crosses nothing of `count`; or `take_it`. It may begin among other points and
 * their lines. */
static bool line_is_free(struct places *p, const struct point_label *l, size_t own, int count, bool take_it)
{
	double dx = l->at_x - l->x, dy = l->at_y - l->y, length = hypot(dx, dy);
	for (double at = 8; at < length - 2; at += 3) {
		double x = l->x + dx * at / length, y = l->y + dy * at / length;
		struct box b = {x - 1.5, y - 1.5, x + 1.5, y + 1.5};
		if (take_it)
			take(p, b, LINE);
		else if (!is_free(p, &b, own, at < 20 ? count & NAME : count))
			return false;
	}
	return true;
}

static double label_width(const struct point_label *l)
{
	return text_width(l->name, 12) * (l->look.faint ? 1 : 1.1) + 4;
}

/* Tries the places on a circle around a point: right first, then left, then around. */
static bool place_on_ring(struct places *p, struct point_label *l, size_t own, int ring, int count)
{
	double w = label_width(l), r = 10 + 12.0 * ring;
	int steps = count == NAME ? 64 : 16; /* the last resort looks more closely */
	for (int step = 0; step < steps; step++) {
		double angle =
			(step % 2 ? M_PI : 0) + (double)((step + 1) / 2) * 2 * M_PI / steps * (step % 4 < 2 ? 1 : -1);
		double dx = cos(angle);
		l->at_x = l->x + r * dx;
		l->at_y = l->y + r * sin(angle);
		l->right = dx >= 0;
		l->leader = ring > 0;
		struct box b = {
			l->right ? l->at_x : l->at_x - w, l->at_y - 8, l->right ? l->at_x + w : l->at_x, l->at_y + 8};
		if (!is_free(p, &b, own, POINT | NAME | LINE) || (l->leader && !line_is_free(p, l, own, count, false)))
			continue;
		take(p, b, NAME);
		if (l->leader)
			line_is_free(p, l, own, count, true);
		return l->placed = true;
	}
	return false;
}

size_t labels_place(struct point_label *l, size_t n, const struct box *inside, int rings, bool over_points)
{
	struct places p = {.inside = inside};
	size_t placed = 0;
	for (size_t i = 0; i < n; i++) {
		l[i].placed = false;
		take(&p, (struct box){l[i].x - 8, l[i].y - 8, l[i].x + 8, l[i].y + 8}, POINT);
	}
	/* All names that have room right beside their points first, the highlighted ones among them before the others;
	 * in the end those whose lines find no way around the points. */
	for (int step = 0; step < rings * (over_points ? 2 : 1); step++)
		for (size_t turn = 0; turn < 2 * n; turn++) {
			size_t i = turn % n;
			if (!l[i].placed && l[i].look.faint == (turn >= n))
				placed += place_on_ring(
					&p, &l[i], i, step % rings, step < rings ? POINT | NAME | LINE : NAME);
		}
	free(p.taken);
	return placed;
}

void labels_draw_points(FILE *f, const struct point_label *l, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		char look[64], css[80];
		double dx = l[i].at_x - l[i].x, dy = l[i].at_y - l[i].y, length = hypot(dx, dy);
		if (!l[i].placed)
			continue;
		if (l[i].leader)
			svg_line(f, l[i].x + 6 * dx / length, l[i].y + 6 * dy / length, l[i].at_x, l[i].at_y, "leader");
		snprintf(css, sizeof css, "%s %s", l[i].look.faint ? "label" : "strong",
			look_class(look, &(struct chart_look){.colour = l[i].look.colour}));
		svg_text(f, l[i].right ? l[i].at_x + 2 : l[i].at_x - 2, l[i].at_y + 4, l[i].right ? "start" : "end",
			css, l[i].name);
	}
}
