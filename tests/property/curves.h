/* SPDX-License-Identifier: MIT */
/* Labelled fill curves, read from the corpus (corpus.c) or made up (curves.c), and how an answer to one is judged. */
#ifndef TESTS_CURVES_H
#define TESTS_CURVES_H

#include "analysis/stages.h"

#include <stdint.h>

#define MOST_STAGES 8

/* A curve with the truth about it. */
struct labelled {
	char name[64];
	char family[40];
	double capacity_bytes;
	struct series series; /* owns its arrays */
	bool has_cliff;
	double cache_bytes, cache_tol_bytes; /* only with a cliff; an answer within the tolerance is right */
	double soft_lo, soft_hi;	     /* the slide of a soft cliff, bytes; NAN = a plain one */
	double in_cache_mbps, in_cache_tol;  /* NAN = not judged; relative tolerance */
	double average_mbps;		     /* NAN = not judged */
	int nstages;			     /* 0 = not judged */
	struct {
		double from_bytes, to_bytes, mbps;
	} stages[MOST_STAGES];
	double speed_tol; /* of the stages' rates, relative */
	int gradual;	  /* -1 = not judged */
	size_t nstalls;
	struct stretch stalls[MOST_STAGES];
};

enum outcome { RIGHT, WRONG_PLACE, MISSED, FALSE_CLIFF };

/* Whether the cliff was found where it is, or none was found where none is. `found` tells whether the answer names a
 * cliff, `bytes` where. */
enum outcome judge(const struct labelled *, bool found, double bytes);

void labelled_free(struct labelled *);

/* Reads the corpus in `folder` (expected.json, the CSV files, the .throttle files) into a fresh array; NULL and a
 * message on stderr if it is not there or broken. */
struct labelled *corpus_read(const char *folder, size_t *n);
void corpus_free(struct labelled *, size_t n);

#endif
