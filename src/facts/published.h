/* SPDX-License-Identifier: MIT */
/* What reviews and makers have published about drives (data/published.yaml): for markers in charts, and to compare a
 * model or a measured drive with. */
#ifndef FACTS_PUBLISHED_H
#define FACTS_PUBLISHED_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

enum published_bound { BOUND_NONE, BOUND_AT_LEAST, BOUND_AT_MOST };

/* A number. `unit` is as printed: "MB/s" (10^6 bytes/s), "GB" (10^9 bytes), "GiB", "IOPS", "W" ... */
struct published_figure {
	char *figure; /* "rated-seq-read"; the file's head lists those that are compared with models */
	double value;
	char *unit, *source;
	char *note;		    /* NULL = none */
	bool derived;		    /* computed from what a page says, not said by it */
	enum published_bound bound; /* the page gives only a limit */
};

/* A stretch of a fill of the erased drive. NAN: the page does not say. */
struct published_stage {
	double from_gb, to_gb, mbps;
	char *label, *source;
	bool derived;
};

/* What can only be said in words. */
struct published_text {
	char *fact, *text, *source;
	char *note; /* NULL = none */
	bool derived;
};

struct published_drive {
	char *id, *name;
	size_t nfigures, nstages, ntexts;
	struct published_figure *figures;
	struct published_stage *stages;
	struct published_text *texts;
};

struct published {
	size_t n;
	struct published_drive *drives;
};

/* Loads `file`; NULL = the data folder's. 0, or -1 and *err with file, line and field where it is wrong. */
int published_load(struct published **, const char *file, struct err *);
void published_free(struct published *);

/* The drive of that id (the name of its profile, where it has one), or NULL. */
const struct published_drive *published_find(const struct published *, const char *id);
/* Its first figure of that name that is a value and no bound, in MB/s, bytes (of GB, GiB, TB), W, IOPS or s; NAN if
 * none.
 */
double published_value(const struct published_drive *, const char *figure);
/* The same of one figure. */
double published_si(const struct published_figure *);

/* A published figure beside a model's. */
struct comparison {
	const char *drive;
	char figure[64];	 /* with its unit: "cache-size, GB" */
	double published, model; /* model NAN: it was measured, and does not show such a thing */
	double error;		 /* model / published - 1 */
};

#endif
