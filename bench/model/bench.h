/* SPDX-License-Identifier: MIT */
#ifndef BENCH_MODEL_BENCH_H
#define BENCH_MODEL_BENCH_H

#include <stdbool.h>
#include <stdint.h>

/* CPU seconds of this process so far: user and system. */
double bench_cpu(void);

struct limit_result {
	double pages_per_s, waf;
};

/* One pass of random overwrite, after one that settles, over a full drive of `bytes`. */
struct limit_result bench_limit(uint64_t bytes, uint32_t op_permille, bool prefetch);

#endif
