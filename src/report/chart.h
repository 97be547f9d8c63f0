/* SPDX-License-Identifier: MIT */
/* Charts: a description of data and axes that becomes a vector picture (SVG), an accessible table (HTML) and a file of
 * its values (CSV), so that all three say the same. The picture needs no script and no font of its own; its colours are
 * CSS variables with a light and a dark set (chart.css). */
#ifndef REPORT_CHART_H
#define REPORT_CHART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum chart_kind {
	CHART_CURVE, /* values over intervals of x: a step per sample, an envelope where samples are denser than pixels
		      */
	CHART_LINES, /* points joined by lines */
	CHART_BARS,  /* one horizontal bar per row, from 0 */
	CHART_SCATTER, /* labelled points */
};

enum chart_scale { SCALE_LINEAR, SCALE_LOG2, SCALE_LOG10 };

struct chart_axis {
	const char *name; /* "written"; a literal */
	const char *unit; /* "GB"; a literal, "" where there is none */
	enum chart_scale scale;
	bool at_points; /* ticks at the x of the points, where they have room, instead of round ones */
	bool from_zero; /* a linear axis that must start at 0 */
	double lo, hi;	/* fixed ends; both 0 = from the data */
};

/* How much of a page's width a picture takes. */
enum chart_size { CHART_FULL, CHART_HALF, CHART_THIRD };

/* How a series or bar looks. The palette's colours differ for the colour-blind too (Okabe and Ito, 2008). */
struct chart_look {
	unsigned colour; /* index into the palette, wraps around */
	bool dashed;	 /* a second condition of the same thing */
	bool faint;	 /* context beside the highlighted one */
	bool context;	 /* ... and one of many that are not named */
	bool published;	 /* not measured here but stated by a review: hollow, marked so in words */
};

struct chart_series {
	char *name;
	struct chart_look look;
	size_t n;
	double *x; /* a curve: the end of each interval; it starts at the one before, the first at `x_start` */
	double x_start;
	double *y;	 /* NAN = a gap */
	double *lo, *hi; /* interval of each y; NULL = none */
};

/* A shaded stretch of x with a label. */
struct chart_band {
	double from, to;
	char *label; /* shown where it fits */
	bool accent; /* every other one */
};

/* A moment on x with its uncertainty and a label. */
struct chart_mark {
	double at, lo, hi; /* lo, hi NAN = none */
	char *label;
	char *short_label; /* for narrow pictures */
};

struct chart_bar {
	char *name;
	struct chart_look look;
	double value, lo, hi; /* lo, hi NAN = none */
	int rank;	      /* shown before the name; 0 = none */
	bool tied;	      /* another has the same rank */
	size_t ndots;
	double *dots; /* single results behind the value */
};

struct chart {
	enum chart_kind kind;
	char *id;      /* a file's name and an HTML id: letters, digits, '-' */
	char *title;   /* what it shows */
	char *context; /* of what it shows it, where nothing around it says so: first in the title of a file; NULL =
			  none */
	char *note;    /* what a reader must know of the values, said beside the picture; NULL = nothing */
	bool alert;    /* ... and it speaks against comparing them */
	char *desc;    /* what is to be seen in it, in a sentence, for who cannot see it */
	struct chart_axis x, y; /* bars use y for their values */
	size_t nseries, nbands, nmarks, nbars;
	struct chart_series *series;
	struct chart_band *bands;
	struct chart_mark *marks;
	struct chart_bar *bars;
	bool time_series; /* zoomable in a browser */
	enum chart_size size;
	bool low;	    /* less high than others: it stands below another one with the same x */
	bool better_high;   /* says "higher is better" beside the unit ... */
	bool better_low;    /* ... or "lower is better" */
	bool better_corner; /* ... or "up and to the left is better" */
	bool tell_greatest; /* says the greatest value beside the unit */
};

/* Makes an empty chart; strings are copied. Free with chart_free. */
struct chart *chart_new(enum chart_kind, const char *id, const char *title);
void chart_free(struct chart *);

/* Each adds one element and returns it, valid until the next is added. `name`, `label`: copied, not yet escaped.
 * chart_add_series makes room for `n` values of x and y, all 0 (and of lo and hi if `interval`). */
struct chart_series *chart_add_series(struct chart *, const char *name, size_t n, bool interval);
struct chart_band *chart_add_band(struct chart *, double from, double to, const char *label);
struct chart_mark *chart_add_mark(struct chart *, double at, double lo, double hi, const char *label);
struct chart_bar *chart_add_bar(struct chart *, const char *name, double value);

/* Draws. `width`: in px; the height follows from the kind and the number of rows. A standalone picture carries its
 * style and its title; one inside a document takes the style from it. `suffix` makes the ids of two drawings differ. */
struct chart_drawing {
	int width;
	bool standalone;
	const char *suffix;
};
void chart_svg(FILE *, const struct chart *, const struct chart_drawing *);

/* The values as an HTML table. A series of more than 200 points is thinned out to that many rows and says so. */
void chart_table(FILE *, const struct chart *);
/* All values as CSV. */
void chart_csv(FILE *, const struct chart *);

#endif
