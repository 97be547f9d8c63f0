/* SPDX-License-Identifier: MIT */
/* The machine under the test: what may explain an odd figure. */
#ifndef RUN_HOST_H
#define RUN_HOST_H

#include "target/target.h"

/* {"kernel", "machine", "cpu", "cpus", "governor", "drive": {what target_facts tells}}, each where known, as a JSON
 * text; free() it. */
char *host_json(struct target *);

#endif
