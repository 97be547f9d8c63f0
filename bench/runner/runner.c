// SPDX-License-Identifier: MIT
/* CPU time per I/O of the runner (loop, recorder, histogram) on `null:`, and of the bare target calls it makes: the ratio
 * is what the runner adds. CPU time, not wall time; the best and the median of several rounds. */
#include "base/mem.h"
#include "base/units.h"
#include "run/loop.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ROUNDS = 9, IOS = 1000000 };

static double cpu_ns(void)
{
	struct timespec ts;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (double)ts.tv_sec * 1e9 + (double)ts.tv_nsec;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static double runner_round(struct target *t, struct recorder *r, uint32_t depth)
{
	struct rng rng;
	rng_seed(&rng, 1);
	struct workload w = {.block_bytes = 128 * KIB,
		.depth = depth,
		.span_bytes = 8 * GIB,
		.limit_bytes = (uint64_t)IOS * 128 * KIB,
		.rng = &rng};
	struct loop_result res;
	struct phase_record p = {0};
	double from = cpu_ns();
	recorder_start(r, t, t->ops->now(t), NULL, NULL);
	loop_run(t, &w, r, &res);
	recorder_finish(r, res.ended, &p);
	return (cpu_ns() - from) / IOS;
}

/* The same submits and reaps with nothing around them. */
static double bare_round(struct target *t, uint32_t depth)
{
	struct io_done done[64];
	struct io io = {.op = IO_WRITE, .bytes = 128 * KIB};
	uint32_t flying = 0;
	double from = cpu_ns();
	for (uint64_t sent = 0, back = 0; back < IOS;) {
		for (; flying < depth && sent < IOS; flying++, sent++)
			t->ops->submit(t, &io);
		int n = t->ops->reap(t, done, 64, NSEC_NEVER);
		back += (uint64_t)n;
		flying -= (uint32_t)n;
	}
	return (cpu_ns() - from) / IOS;
}

int main(void)
{
	static const uint32_t depths[] = {1, 32};
	struct recorder *r = xmalloc(sizeof *r);
	struct err e;
	struct target *t;
	const struct target_options o = {.max_bytes = 128 * KIB, .max_qd = 32};
	if (target_open(&t, "null:size=8G", &o, &e)) {
		fprintf(stderr, "%s\n", e.text);
		return e.code;
	}
	printf("128 KiB writes on null:, CPU ns per I/O: median (least) of %d rounds of %d I/Os\n", ROUNDS, IOS);
	for (int k = 0; k < 2; k++) {
		double with[ROUNDS], bare[ROUNDS];
		for (int i = 0; i < ROUNDS; i++) {
			with[i] = runner_round(t, r, depths[k]);
			bare[i] = bare_round(t, depths[k]);
		}
		qsort(with, ROUNDS, sizeof *with, compare);
		qsort(bare, ROUNDS, sizeof *bare, compare);
		printf("QD%-2u  runner %6.1f (%.1f)  bare target calls %6.1f (%.1f)  ratio %.2f\n", depths[k], with[ROUNDS / 2],
			with[0], bare[ROUNDS / 2], bare[0], with[ROUNDS / 2] / bare[ROUNDS / 2]);
	}
	target_close(t);
	free(r);
	return 0;
}
