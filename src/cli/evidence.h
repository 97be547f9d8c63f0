/* SPDX-License-Identifier: MIT */
/* From the runs of a modelled drive to what claims and published figures are compared with. */
#ifndef CLI_EVIDENCE_H
#define CLI_EVIDENCE_H

#include "facts/claims.h"
#include "facts/published.h"
#include "report/review.h"

/* Adds the figures of a run to `f`; `qd8`: its fill is the one at queue depth 8. */
void evidence_add(struct claim_figures *f, const struct review *, bool qd8);

/* Compares all published figures of the drive that the runs show with them; appends to *list (n of cap elements). Where
 * sources disagree the first one listed counts. `f` holds the figures of the same runs. */
void evidence_compare(struct comparison **list, size_t *n, size_t *cap, const struct published_drive *,
	const struct claim_figures *f, struct review *const *runs, size_t nruns);

#endif
