/* SPDX-License-Identifier: MIT */
/* Plain rules for the end of a cache, as existing tools and generic change-point methods have them, to compare with. */
#ifndef BENCH_RULES_H
#define BENCH_RULES_H

#include "analysis/stages.h"

struct rule {
	const char *name;
	bool (*find)(const struct series *, double *bytes); /* whether there is a cliff, and at how many bytes */
};

extern const struct rule rules[];
extern const size_t nrules;

#endif
