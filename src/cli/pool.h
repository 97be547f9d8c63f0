/* SPDX-License-Identifier: MIT */
/* Independent pieces of work on all cores. */
#ifndef CLI_POOL_H
#define CLI_POOL_H

#include <stddef.h>

/* What a modelled drive of 2 TB holds at most during a whole review, as measured (random writes break its map up). */
#define POOL_MODEL_BYTES 2200000000

/* Calls work(arg, i) for every i below n, each once, on as many threads as this process has cores, and no more than the
 * memory that is available has room for at `bytes_each` (0 = little); returns when all are done. */
void pool_run(void (*work)(void *arg, size_t i), void *arg, size_t n, size_t bytes_each);

#endif
