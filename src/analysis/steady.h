/* SPDX-License-Identifier: MIT */
/* Steady state as the SNIA Solid State Storage Performance Test Specification 2.0.x defines it (2.1.24): over a window
 * of five rounds, the range of the results is at most 20 % of their mean, and the least-squares line through them rises
 * or falls by at most 10 % of it. At most 25 rounds are tried. */
#ifndef ANALYSIS_STEADY_H
#define ANALYSIS_STEADY_H

#include "analysis/stages.h"

#define STEADY_WINDOW 5
#define STEADY_MOST_ROUNDS 25
#define STEADY_RANGE 0.20
#define STEADY_SLOPE 0.10

struct steady_figures {
	bool reached;
	size_t rounds;	     /* rounds up to the end of the window; those that were there where it was not reached */
	double mean;	     /* of the window: the result. NAN with fewer than five rounds */
	double range, slope; /* of the window, as shares of the mean: max - min; |slope| times four intervals */
	double line_start, line_end; /* the least-squares line at the window's first and last round */
};

/* Looks for the first steady window in the results of n rounds (any unit); only the first 25 count. Where there is
 * none, the figures are those of the last window and `reached` is false. */
void steady_state(const double *round, size_t n, struct steady_figures *out);

/* Cuts a series into rounds of `seconds` (PTS: 60) and writes their rates in MB/s, bytes over time, to round[] (room
 * for `most`). A sample that spans a border counts to both in proportion to its time; an incomplete last round is left
 * out. Returns their number. Times must rise and be finite: what does not is left out. */
size_t steady_rounds(const struct series *, double seconds, double *round, size_t most);

#endif
