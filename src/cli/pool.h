/* SPDX-License-Identifier: MIT */
/* Independent pieces of work on all cores. */
#ifndef CLI_POOL_H
#define CLI_POOL_H

#include <stddef.h>

/* Calls work(arg, i) for every i below n, each once, on as many threads as there are cores; returns when all are done.
 */
void pool_run(void (*work)(void *arg, size_t i), void *arg, size_t n);

#endif
