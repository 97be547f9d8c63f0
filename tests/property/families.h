/* SPDX-License-Identifier: MIT */
/* Families of made-up fill curves: those of the corpus in tests/data/curves with other numbers, and shapes that are not
 * in it. */
#ifndef TESTS_FAMILIES_H
#define TESTS_FAMILIES_H

#include "curves.h"

struct family {
	const char *name;
	bool in_corpus;
};

extern const struct family families[];
extern const size_t nfamilies;

/* Makes curve number `number` of a family, for a seed; the same arguments give the same curve. labelled_free it. */
void family_curve(size_t family, uint64_t seed, uint64_t number, struct labelled *);

#endif
