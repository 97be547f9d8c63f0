/* SPDX-License-Identifier: MIT */
/* What a stage looks like: steady, alternating between two rates, or a ramp. Internal to analysis/. */
#ifndef ANALYSIS_KIND_H
#define ANALYSIS_KIND_H

#include "analysis/curve.h"

/* The kind of the stage of samples [first, end) (docs/method.md, 2.6). `drop` is the threshold of a change that counts;
 * `scratch` holds end - first elements. */
enum stage_kind stage_kind(const struct curve *, size_t first, size_t end, double drop, double *scratch);

/* Whether x[0..n) (log rates, gets reordered) has two modes: cut where the two halves are best told apart (two-means),
 * the medians of the halves are far enough from each other and a valley lies between them. */
bool two_modes(double *x, size_t n);

#endif
