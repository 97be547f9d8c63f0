/* SPDX-License-Identifier: MIT */
/* A series made ready for stage analysis (docs/method.md, 2.1): unusable samples left out, too short ones joined,
 * stalls taken out, log rates and their local noise. Internal to analysis/. */
#ifndef ANALYSIS_CURVE_H
#define ANALYSIS_CURVE_H

#include "analysis/stages.h"

struct curve {
	size_t n;	/* samples left; the arrays below have n elements */
	double *b, *dt; /* bytes, seconds */
	double *r;	/* bytes per second */
	double *y;	/* ln of the rate, not below ln(q90 / 100); beside a stall, that of the neighbour if higher */
	double *noise;	/* local standard deviation of y, at least the floor */
	double *before; /* n + 1: bytes written before sample i, those in stalls included */
	double *start;	/* when it began, s */
	double step;	/* median sample length, s */
	double q90;	/* 90 % quantile of the rates */
	double bytes, seconds;	   /* of the whole series */
	double min_rate, max_rate; /* over all samples, stalls included; NAN without samples */
	size_t nstalls;
	struct stretch *stalls;
};

/* Builds the curve of a series. n may be 0 afterwards. Free with curve_free. */
void curve_build(const struct series *, double noise_floor, struct curve *);
void curve_free(struct curve *);

/* The p-quantile of x[from..to), which is left alone; NAN if empty. `scratch` holds to - from elements. */
double range_quantile(const double *x, size_t from, size_t to, double p, double *scratch);

#endif
