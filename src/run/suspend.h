/* SPDX-License-Identifier: MIT */
/* Ctrl-Z while a drive is tested: the drive waits for the host then, which is no stall of its own. */
#ifndef RUN_SUSPEND_H
#define RUN_SUSPEND_H

#include "base/nsec.h"

#include <stddef.h>

struct suspension {
	nsec from, to; /* monotonic: stopped, and went on */
};

/* From now on SIGTSTP stops the program as ever, and how long is noted. A SIGTSTP that is ignored stays so. What stops
 * it unasked (SIGSTOP) is not seen. */
void suspend_watch(void);

/* How many suspensions there have been. Any thread may ask. */
size_t suspend_count(void);

/* Number `i` of them, from 0. Only the newest are kept; an older one has no length. */
struct suspension suspend_get(size_t i);

#endif
