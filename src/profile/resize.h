/* SPDX-License-Identifier: MIT */
/* A smaller drive of the same kind. */
#ifndef PROFILE_RESIZE_H
#define PROFILE_RESIZE_H

#include "profile/profile.h"

/* Makes the drive of `params` and `info` (may be NULL) one of `capacity` bytes (rounded down to 4 KiB). Channels, dies
 * and all times of reads and programs stay, so its rates stay; what scales with the capacity are the flash, the pSLC
 * cache and what is kept free. Blocks get shorter (pages_per_block), with the time of an erase in proportion, so that
 * their number and with it every share and threshold in blocks stay the same; only below RESIZE_ROWS rows of cells a
 * block are there fewer of them; a few more than in proportion where the blocks that are kept back would leave too few.
 * Buffers, map cache, idle times and heat stay: a drive that is very small beside them is no longer like its big sister
 * (docs/attach.md). 0, or -1 and *err (EXIT_USAGE), which names the limit, for a capacity that is above the drive's or
 * too small for the number of dies. */
int profile_resize(struct ssdmodel_params *params, struct profile_info *info, uint64_t capacity, struct err *err);

#define RESIZE_ROWS 4	  /* rows of cells (word line x string) that a block keeps */
#define RESIZE_BLOCKS 160 /* blocks per plane that a drive keeps */

#endif
