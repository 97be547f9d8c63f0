/* SPDX-License-Identifier: MIT */
/* Which charts there are: from figures to descriptions of charts. */
#ifndef REPORT_CHARTS_H
#define REPORT_CHARTS_H

#include "report/chart.h"
#include "report/compare_figures.h"
#include "report/review.h"
#include "report/sections.h"

/* With more runs than this, the others are context in grey and have small pictures of their own. */
#define MOST_NAMED 6

/* A growing list of charts. */
struct chart_list {
	size_t n, cap;
	struct chart **charts;
};

void chart_list_add(struct chart_list *, struct chart *);
void chart_list_free(struct chart_list *);

/* All charts of a section of a run's review, in the order in which a report shows them. */
void charts_of_section(struct chart_list *, const struct review *, const struct section *);

/* What a run is called among others (review_name_runs); alone its label, else its drive. */
const char *charts_run_name(const struct review *);

/* The ranking of runs by one figure. `join`: drives of which that figure is published and that are not among the runs
 * stand between them, without a rank; NULL = none. */
struct chart *charts_ranking(struct review *const *, size_t n, const struct figure *, const struct published *join);

/* What belongs to a figure: the ranking, and before or after it what shows the same in more detail. `first_of_test`: no
 * figure of the same test came before. */
void charts_of_figure(struct chart_list *, struct review *const *, size_t n, const struct figure *,
	const struct published *join, bool first_of_test);

/* The charts of several runs side by side, the first highlighted. */
void charts_of_comparison(struct chart_list *, struct review *const *, size_t n, const struct published *join);

/* The samples' rates of a phase as a series: over seconds, or over GB since the phase's start. */
struct chart_series *charts_add_rates(struct chart *, const char *name, const struct phase_record *, bool over_bytes);

/* The unit and its length in seconds in which a time axis of `seconds` is read best: s, min or h. */
double charts_time_unit(double seconds, const char **unit);

/* charts_fill.c. */
void charts_of_fill(struct chart_list *, const struct review *, const struct review_test *);

#endif
