/* SPDX-License-Identifier: MIT */
/* The exact place of a boundary between two stages, inside the sample that contains it. Internal to analysis/. */
#ifndef ANALYSIS_EDGE_H
#define ANALYSIS_EDGE_H

#include "analysis/curve.h"

struct edge {
	size_t sample;	       /* the first sample of the later stage (the one that contains the edge counts to it) */
	double bytes, seconds; /* where the edge is */
	double lo, hi;	       /* 95 % interval of `bytes` */
};

/* Places the edge near sample `at`, between a stage of samples [first, at) and one of [at, end), both of at least 3. */
struct edge edge_place(const struct curve *, size_t first, size_t at, size_t end);

#endif
