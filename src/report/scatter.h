/* SPDX-License-Identifier: MIT */
/* The names of a scatter's points: beside them where all have room, else numbers there and the names in a key below. */
#ifndef REPORT_SCATTER_H
#define REPORT_SCATTER_H

#include "report/labels.h"

struct scatter_names {
	size_t n, cap;
	struct point_label *points;
	char **numbers; /* NULL = the names stand beside the points */
	const char **key;
	size_t rows;   /* of the key ... */
	double column; /* ... and the width of one of its columns, px */
};

/* Adds the point of a series, at x, y px. The series must outlive the names. */
void scatter_add_name(struct scatter_names *, const struct chart_series *, double x, double y);

/* Finds all names a place within `inside`. Returns the height that a key below takes, `width` px wide: 0 where none is
 * needed. */
double scatter_place_names(struct scatter_names *, const struct box *inside, double width);

/* Writes the names, and the key with its upper left corner at x, y. */
void scatter_draw_names(FILE *, const struct scatter_names *, double x, double y);
void scatter_names_free(struct scatter_names *);

#endif
