/* SPDX-License-Identifier: MIT */
/* Which of the boundaries between levels are edges: slides, mere changes of duty and transitions are told apart from
 * them. Internal to analysis/. */
#ifndef ANALYSIS_BOUNDARY_H
#define ANALYSIS_BOUNDARY_H

#include "analysis/split.h"

/* A boundary that stood all tests. */
struct boundary {
	size_t at;	   /* the fine segment that begins there */
	size_t transition; /* a soft edge: the fine segment with which the transition ends; = at for a plain one */
};

/* Takes out of bounds[] (from find_stages) what is no edge. Writes the remaining ones to edges[] (room for the number
 * of stages), returns how many there are; bounds[] then holds one stage more than that. *gradual is set if a slide was
 * among those taken out. */
size_t find_edges(const struct pieces *, size_t *bounds, size_t stages, struct boundary *edges, bool *gradual);

#endif
