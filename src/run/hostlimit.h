/* SPDX-License-Identifier: MIT */
/* How fast this host can feed a drive: the same loop on a target that only makes the data and completes at once. A
 * drive that comes within a factor of three of it may be held back by the host (docs/method.md). */
#ifndef RUN_HOSTLIMIT_H
#define RUN_HOSTLIMIT_H

#include <stdint.h>

#define HOST_LIMIT_FACTOR 3.0

/* Writes for 0.1 s in blocks of `block_bytes` at depth 1, as `seed` makes the data; MB/s, or NAN if it could not. */
double host_limit_mbps(uint32_t block_bytes, uint64_t seed);

#endif
