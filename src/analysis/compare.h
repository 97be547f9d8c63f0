/* SPDX-License-Identifier: MIT */
/* Comparing drives: how much faster one is, with an interval, and rankings in which what cannot be told apart is a tie.
 */
#ifndef ANALYSIS_COMPARE_H
#define ANALYSIS_COMPARE_H

#include "analysis/stats.h"

#include <stdbool.h>

/* The results of one drive in one test, all > 0: one value per run. Where there is only one run, its batch means (ten
 * equal consecutive pieces) can stand for it; the statement is then about that run, not about the drive. */
struct results {
	const double *value;
	size_t n;
};

/* How many times a's result is b's: the ratio of the geometric means with its 95 % interval, by Welch's t on the logs.
 * lo and hi are NAN where either has fewer than 2 values; all NAN where a value is not positive and finite, or none is
 * there. */
struct estimate compare_ratio(struct results a, struct results b);

/* Ranks n drives from the best down: rank[i] = 1 for the best and those after it up to the first that can be told from
 * it (the interval of their ratio does not contain 1); that one begins the next rank (1 + the number of drives above),
 * and so on. So no drive has a better rank than one with a better mean. Drives without an interval are tied with
 * nothing but equal values. Drives with unusable results come last. */
void compare_rank(const struct results *, size_t n, bool higher_is_better, unsigned *rank);

/* The geometric mean of n ratios to one reference drive, each of another test: the only mean of ratios whose order does
 * not depend on the reference. NAN if n = 0 or a ratio is not positive. */
double compare_geometric(const double *ratio, size_t n);

#endif
