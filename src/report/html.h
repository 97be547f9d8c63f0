/* SPDX-License-Identifier: MIT */
/* Pieces of the HTML report that a review and a comparison share. Everything from outside goes through write_xml. */
#ifndef REPORT_HTML_H
#define REPORT_HTML_H

#include "report/charts.h"

/* The document's head up to <main>, and its end. `live`: whether a chart of it can be zoomed: dygraphs is embedded
 * then. */
void html_begin(FILE *, const char *title, const char *eyebrow, const char *heading, const char *headline);
void html_end(FILE *, const struct run_record *newest, bool live);

/* A chart as a figure: wide and narrow picture, its data as a table, and as JSON for the script if it can be zoomed. */
void html_chart(FILE *, const struct chart *);
/* All charts of a list; small ones side by side. Whether one of them can be zoomed. */
bool html_charts(FILE *, const struct chart_list *);

/* A row of a table of facts: name, value, and (may be NULL) what it means. Left out where `value` is NULL or empty. */
void html_fact(FILE *, const char *name, const char *value, const char *why);
/* The same with a printf format for the value. */
void html_factf(FILE *, const char *name, const char *why, const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* The figures of a section as tables. */
void html_figures(FILE *, const struct section *);

/* The review of a single run. */
void html_review(FILE *, const struct review *);
/* Several runs, the first highlighted. */
void html_comparison(FILE *, struct review *const *, size_t n, const struct published *join);
/* Whether anything is published about the drive that html_published would show. */
bool html_has_published(const struct review *);
/* What is published about the drive beside what was measured; nothing where nothing is known. */
void html_published(FILE *, const struct review *);
/* How each test was done and how to do it again. */
void html_method(FILE *, const struct review *);
/* Who the drive is, the conditions, the warnings. */
void html_identity(FILE *, const struct review *);
void html_warnings(FILE *, const struct review *);

#endif
