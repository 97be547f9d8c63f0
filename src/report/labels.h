/* SPDX-License-Identifier: MIT */
/* Placing labels so that none covers another. */
#ifndef REPORT_LABELS_H
#define REPORT_LABELS_H

#include "report/chart.h"

/* A name at the end of a series: where the series ends, and where its label goes. */
struct end_label {
	size_t series;
	double x, y;
	double placed; /* set by labels_spread */
};

/* Sorts by y and sets `placed`: as near to y as a distance of `gap` between neighbours and the bounds allow. */
void labels_spread(struct end_label *, size_t n, double gap, double top, double bottom);

struct box {
	double x0, y0, x1, y1;
};

struct point_label {
	const char *name;
	struct chart_look look;
	double x, y;
	/* Set by labels_place. */
	bool placed, right, leader; /* right: the text begins at `at`, else it ends there */
	double at_x, at_y;
};

/* Finds each point's name a place beside it, where it covers no point, no other name and no line; one that is farther
 * away, by at most `rings` steps of 12 px, gets a line to its point, which crosses no name, and no other point or line
 * unless `over_points` allows it where there is no other way. Returns how many found one. */
size_t labels_place(struct point_label *, size_t n, const struct box *inside, int rings, bool over_points);

/* Writes the names that were placed, and their lines. */
void labels_draw_points(FILE *, const struct point_label *, size_t n);

#endif
