/* SPDX-License-Identifier: MIT */
/* What holds for the figures of any series, however odd. */
#ifndef TESTS_SANE_H
#define TESTS_SANE_H

#include "analysis/stages.h"

/* Analyses a series and says what is wrong with the figures: NULL if nothing is. `*out` is the caller's to free. */
const char *analyse_sanely(const struct series *, struct fill_figures *out);

#endif
