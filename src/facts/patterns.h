/* SPDX-License-Identifier: MIT */
/* The patterns that the fills of real drives follow (data/patterns.yaml), and whether models show them: for each
 * pattern the drives whose models must, with the published figures that must then be met. */
#ifndef FACTS_PATTERNS_H
#define FACTS_PATTERNS_H

#include "facts/claims.h"
#include "facts/published.h"

/* How far a model's figure may be from the published one, as a share of it: cache sizes and where stages end; rates. */
#define PATTERN_SIZE_ERROR 0.10
#define PATTERN_RATE_ERROR 0.15

struct pattern_drive {
	char *drive; /* the profile's name */
	size_t nfigures;
	char **figures; /* as in struct comparison, without the unit; or "no cache", "fast again" */
};

struct pattern {
	char *name;
	size_t ndrives;
	struct pattern_drive *drives;
};

struct patterns {
	size_t n;
	struct pattern *patterns;
};

/* Loads `file`; NULL = the data folder's. 0, or -1 and *err with file, line and field where it is wrong. */
int patterns_load(struct patterns **, const char *file, struct err *);
void patterns_free(struct patterns *);

/* One figure of one drive, as a pattern asks for it. */
struct pattern_check {
	const char *drive, *figure;
	const char *unit; /* "GB", "MB/s"; "" of what is no number */
	/* NAN: the drive has no such published figure, its model was not measured, or it is no number. */
	double published, model, error;
	double allowed; /* the error, by magnitude */
	bool met;
};

/* The number of checks of a pattern. */
size_t pattern_checks(const struct pattern *);
/* Fills in `out` (pattern_checks() of them) from what was compared and from the figures of the runs, in any order. A
 * figure that is not among them is not met. "no cache": the fill has one stage and the verdict CACHE_NONE; "fast
 * again": the rate falls and comes back. Returns whether all are met. */
bool pattern_evaluate(const struct pattern *, const struct comparison *, size_t ncomparisons,
	const struct claim_figures *, size_t nfigures, struct pattern_check *out);

#endif
