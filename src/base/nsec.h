/* SPDX-License-Identifier: MIT */
/* Time: nanoseconds as a signed 64-bit count, of a monotonic clock or of a model's virtual one. */
#ifndef BASE_NSEC_H
#define BASE_NSEC_H

#include <stdint.h>

typedef int64_t nsec;

#define NSEC_PER_USEC ((nsec)1000)
#define NSEC_PER_MSEC ((nsec)1000000)
#define NSEC_PER_SEC ((nsec)1000000000)
#define NSEC_NEVER INT64_MAX

/* The host's CLOCK_MONOTONIC, in ns. */
nsec nsec_now(void);

/* Wall time: ns since 1970 (CLOCK_REALTIME), for stamps that people read, never for differences. */
nsec nsec_wall(void);

static inline double nsec_to_s(nsec t)
{
	return (double)t / 1e9;
}

#endif
