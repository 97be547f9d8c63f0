/* SPDX-License-Identifier: MIT */
/* Level 1 of the stage analysis: a robust over-segmentation in near-linear time. Internal to analysis/. */
#ifndef ANALYSIS_FINE_H
#define ANALYSIS_FINE_H

#include <stddef.h>

/* Cuts y[0..n) into segments of constant level so that
 *     sum over segments of ( sum over their samples of min(w_i (y_i - level)^2, k^2) + penalty )
 * is least: change-point detection with the biweight loss by functional pruning (R-FPOP: Fearnhead and Rigaill, Journal
 * of the American Statistical Association 114, 2019). Samples further than k sigmas (w = 1 / sigma^2) from their level
 * cost all the same, so a dip is no reason for a segment unless it is worth the penalty. Writes the index of each
 * segment's first sample to starts[] (room for n), returns their number: 0 for n = 0, else starts[0] = 0. */
size_t fine_segments(size_t n, const double *y, const double *w, double penalty, double k, size_t *starts);

#endif
