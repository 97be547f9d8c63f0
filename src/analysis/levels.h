/* SPDX-License-Identifier: MIT */
/* The levels of a fill as a reviewer sees them: its stages, and of a stage that alternates the stretches at either of
 * its levels. A stage is what the drive is in (docs/method.md), a level is what the curve shows. */
#ifndef ANALYSIS_LEVELS_H
#define ANALYSIS_LEVELS_H

#include "analysis/stages.h"

/* So many samples in a row beyond the middle of an alternating stage are a change of level: 4 s of samples at 500 ms,
 * longer than the dips of a single collection. */
#define LEVEL_SAMPLES 8

struct level {
	double start_bytes, end_bytes; /* offsets in the fill */
	double mbps;		       /* bytes over time, 10^6 bytes/s; NAN where no sample lies wholly in it */
};

/* Cuts a fill into levels, in order and without a gap. The middle of an alternating stage is the geometric mean of its
 * 5 % and 95 % rates. Returns an array of *n; free() it. NULL where there is no stage. */
struct level *levels_of(const struct series *, const struct fill_figures *, size_t *n);

/* The mean rate, 10^6 bytes/s, of the samples that lie wholly between two offsets of a series; NAN if none does. */
double mean_between(const struct series *, double from_bytes, double to_bytes);

#endif
