/* SPDX-License-Identifier: MIT */
/* What a run is going to do, before it does it. */
#ifndef CLI_PREVIEW_H
#define CLI_PREVIEW_H

#include "plan/plan.h"
#include "target/target.h"

#include <jansson.h>

/* One line on stderr: the target (`spec`: as it was named), how many tests, how long, how much they write at most. The
 * plan is fitted to the target. */
void preview_say(const char *spec, const struct plan *, const struct identity *);

/* The tests on stdout, a line each. */
void preview_print(const struct plan *);

/* The plan for `run --dry-run --json`; names stay, as docs/report.md says. */
json_t *preview_json(const char *spec, const struct plan *, const struct identity *);

#endif
