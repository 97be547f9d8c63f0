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
};

/* Writes each point's name beside it, where it covers no point and no other name, with a line to it where it is far.
 * A name that finds no room is left out: the table below the picture has it. */
void labels_draw_points(FILE *, const struct point_label *, size_t n, const struct box *inside);

#endif
