/* SPDX-License-Identifier: MIT */
/* The machine under the test: what may explain an odd figure. */
#ifndef RUN_HOST_H
#define RUN_HOST_H

/* {"kernel", "machine", "cpu", "cpus", "governor"}, each where known, as a JSON text; free() it. */
char *host_json(void);

#endif
