/* SPDX-License-Identifier: MIT */
/* What all pictures need: round ticks, numbers in words of the axis, the room a text takes. */
#ifndef REPORT_SVG_H
#define REPORT_SVG_H

#include "report/chart.h"

#define NUMBER_BUF 48

/* Ticks of an axis. Log scales have their positions in log units (log2 or log10 of the value). */
struct ticks {
	double lo, hi; /* ends of the axis: linear values, or exponents */
	double step;   /* linear only */
	int n;
	int decimals; /* of the labels */
	enum chart_scale scale;
};

/* Round ticks (steps of 1, 2, 2.5 or 5 times a power of ten) that cover [lo, hi], about `target` of them. */
struct ticks ticks_linear(double lo, double hi, int target);
/* Ticks at whole powers of 2 or 10. Values of lo, hi > 0. */
struct ticks ticks_log(double lo, double hi, enum chart_scale);
/* The value at tick i, and where a value lies on the axis, 0 to 1. */
double tick_value(const struct ticks *, int i);
double axis_place(const struct ticks *, double value);

/* "12,345.6" with so many decimals; never "-0". Returns buf. */
char *number_text(char buf[NUMBER_BUF], double v, int decimals);
/* With the digits that a reader needs: at least 3 significant ones, none after the point from 100 on. */
char *number_short(char buf[NUMBER_BUF], double v);

/* The width in px of a text at a font size, by the wide metrics of DejaVu Sans and Verdana: other fonts need less. */
double text_width(const char *text, double px);

/* Cuts a UTF-8 text so that it fits into `room` px, with an ellipsis. free() it. */
char *text_fit(const char *text, double px, double room);

/* The picture's frame: <svg> with title and description, style if standalone; the caller ends it with svg_end. */
void svg_begin(FILE *, const struct chart *, const struct chart_drawing *, double height);
void svg_end(FILE *);
/* Height that the title of a standalone picture takes. */
double svg_title_height(const struct chart *, const struct chart_drawing *);

/* `anchor`: "start", "middle" or "end". The text is escaped. */
void svg_text(FILE *, double x, double y, const char *anchor, const char *css_class, const char *text);
void svg_line(FILE *, double x1, double y1, double x2, double y2, const char *css_class);

/* The class names of a look: "c3 dashed faint". Returns buf. */
char *look_class(char buf[64], const struct chart_look *);

/* One function per kind, behind chart_svg. */
void draw_plot(FILE *, const struct chart *, const struct chart_drawing *);
void draw_bars(FILE *, const struct chart *, const struct chart_drawing *);

#endif
