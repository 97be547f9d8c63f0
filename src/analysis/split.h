/* SPDX-License-Identifier: MIT */
/* Level 2 of the stage analysis: which boundaries of fine segments separate two stages. Internal to analysis/. */
#ifndef ANALYSIS_SPLIT_H
#define ANALYSIS_SPLIT_H

#include "analysis/curve.h"

/* A curve cut into fine segments, with the prefix sums that make any range's mean and variance a matter of O(1). Rates
 * are in units of the curve's q90. */
struct pieces {
	const struct curve *curve;
	const struct stage_thresholds *th;
	size_t m;		       /* fine segments */
	size_t *first;		       /* m + 1: segment j is the samples [first[j], first[j + 1]) */
	double *time, *bytes, *square; /* m + 1: prefix sums of T, B / q90 and T (B / T / q90)^2 of the segments */
	double *noise2;		       /* n + 1: prefix sum of the squared local noise */
	double *batch[3],
		*batch2[3]; /* prefix sums of the rates of batches of 1, 4 and 16 samples, and of their squares */
};

/* Cuts the curve by level 1 and prepares the sums. Free with pieces_free. */
void pieces_build(struct pieces *, const struct curve *, const struct stage_thresholds *);
void pieces_free(struct pieces *);

/* What a range [from, to) of fine segments is like. */
struct side {
	size_t from, to;      /* fine segments */
	size_t first, end, n; /* samples */
	double time, mean;    /* seconds; bytes per second in units of q90, at least 0.001 */
	double between;	      /* variance between the fine segments, weighted by time */
	double v1, lrv;	      /* variance of single samples; long-run variance per sample, from batches of 1, 4, 16 */
	double noise2;	      /* mean squared local noise of a sample, relative */
};

struct side side_of(const struct pieces *, size_t from, size_t to);

/* The distance of two neighbouring ranges in standard errors; 0 where their ratio is within the drop threshold. */
double side_distance(const struct pieces *, const struct side *left, const struct side *right);

/* Finds the stages: writes the fine segments at which one begins (the first is 0) to bounds[] (room for m + 1, the last
 * is m), returns the number of stages. */
size_t find_stages(const struct pieces *, size_t *bounds);

/* The next-weaker step of pruning: removes bounds[i] (0 < i < stages) and returns the new number of stages. */
size_t drop_bound(size_t *bounds, size_t stages, size_t i);

#endif
