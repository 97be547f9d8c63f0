/* SPDX-License-Identifier: MIT */
/* The figures by which runs are compared, one ranking each. */
#ifndef REPORT_COMPARE_FIGURES_H
#define REPORT_COMPARE_FIGURES_H

#include "report/review.h"

#define FIGURE_BATCHES 32

/* One run's value of a figure. */
struct figure_value {
	double value;		      /* NAN = not measured */
	double lo, hi;		      /* 95 % interval; NAN = none */
	double batch[FIGURE_BATCHES]; /* single results behind it, for the comparison; bursts, or stretches of a phase
				       */
	size_t nbatches;
	unsigned rank; /* 1 = best; 0 = not measured */
	bool tied;     /* another run cannot be told from it */
	bool none;     /* no value, since what it would be of was looked for and not found: a drive without a cache */
};

enum figure_what {
	FIGURE_FILL_MEAN,
	FIGURE_CACHE_SIZE,
	FIGURE_CACHE_RATE,
	FIGURE_AFTER_RATE,
	FIGURE_FILL_ENERGY,
	FIGURE_RECOVERED,
	FIGURE_BURST,
	FIGURE_BURST_EFFICIENCY,
	FIGURE_SCORE,
	FIGURE_SCORE_EFFICIENCY,
	FIGURE_LOSS,
	FIGURE_MIXED,
	FIGURE_IDLE,
	FIGURE_LOW_POWER,
};

struct figure {
	enum figure_what what;
	const char *test, *condition;	  /* borrowed from the first run that has the test ... */
	const struct test_record *record; /* ... and that one's record of it */
	char *id, *title;
	char *note; /* the settings that differ between the runs with a value (settings.h); NULL = none */
	const char *unit;
	bool low_is_better;
	struct figure_value *values; /* one per run */
};

/* All figures that at least two of the runs have, ranked; free with figures_free. */
size_t figures_compare(struct review *const *, size_t n, struct figure **);
void figures_free(struct figure *, size_t n);

/* The idle of FIGURE_RECOVERED, seconds: "even of a few seconds". */
#define FIGURE_RECOVERY_IDLE 5

#endif
