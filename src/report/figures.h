/* SPDX-License-Identifier: MIT */
/* The figures of each kind of test from its phases; private to review.c and figures.c. */
#ifndef REPORT_FIGURES_H
#define REPORT_FIGURES_H

#include "report/review.h"

/* Each fills a zeroed struct from a test with at least one phase. `fill`: the figures of the same run's fill, whose
 * cache stands in where the recovery test does not show its own; may be NULL. */
void build_recovery(struct review_recovery *, const struct test_record *, const struct fill_figures *fill);
void build_burst(struct review_burst *, const struct test_record *);
void build_sweep(struct review_sweep *, const struct test_record *);
void build_mixed(struct review_mixed *, const struct test_record *);
void build_idle(struct review_idle *, const struct test_record *);

/* A phase's samples as a series; free() `t` of it, which holds both arrays. Nothing throttled, the end not reached. */
struct series series_of(const struct phase_record *);
/* Mean power and MB per joule; both NAN unless joules and seconds are positive. */
struct review_power power_of(double joules, double seconds, double bytes);
/* The quantiles that the histogram (NULL = none) supports. */
struct review_latency latency_of(const struct hist *);
/* Energy of a phase's busy time; where the phase was cut short, of its samples. NAN = not measured. */
double joules_of(const struct phase_record *);

#endif
