/* SPDX-License-Identifier: MIT */
/* Modelled drives at work, independently of each other, on all cores. */
#ifndef CLI_POOL_H
#define CLI_POOL_H

#include <stddef.h>

/* Calls work(arg, i) for every i below n, each once, on as many threads as this process has cores, and no more than the
 * memory that is available has room for modelled drives; returns when all are done. */
void pool_run(void (*work)(void *arg, size_t i), void *arg, size_t n);

#endif
