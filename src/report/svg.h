/* SPDX-License-Identifier: MIT */
/* What all pictures need: round ticks, numbers in words of the axis, the room a text takes. */
#ifndef REPORT_SVG_H
#define REPORT_SVG_H

#include "report/chart.h"

#define NUMBER_BUF 48

#define MOST_TICKS 40

/* Ticks of an axis. */
struct ticks {
	double lo, hi; /* ends of the axis: values, or their logs on a log scale */
	int n;
	double value[MOST_TICKS];
	int decimals; /* of the labels of a linear scale */
	enum chart_scale scale;
};

/* Round ticks (steps of 1, 2, 2.5 or 5 times a power of ten) that cover [lo, hi], about `target` of them. */
struct ticks ticks_linear(double lo, double hi, int target);
/* Ticks at whole powers of 2, or at 1, 2 and 5 times powers of 10 (powers alone where those are many). lo, hi > 0. */
struct ticks ticks_log(double lo, double hi, enum chart_scale);
/* Where a value lies on the axis, 0 to 1. */
double axis_place(const struct ticks *, double value);
/* The label of tick i. Returns buf. */
char *tick_text(char buf[NUMBER_BUF], const struct ticks *, int i);
/* The width in px of the widest label. */
double tick_width(const struct ticks *, double px);

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
