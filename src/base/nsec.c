// SPDX-License-Identifier: MIT
#include "base/nsec.h"

#include <time.h>

static nsec read_clock(clockid_t clock)
{
	struct timespec ts;
	clock_gettime(clock, &ts);
	return (nsec)ts.tv_sec * NSEC_PER_SEC + ts.tv_nsec;
}

nsec nsec_now(void)
{
	return read_clock(CLOCK_MONOTONIC);
}

nsec nsec_wall(void)
{
	return read_clock(CLOCK_REALTIME);
}
