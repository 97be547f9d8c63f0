// SPDX-License-Identifier: MIT
#include "run/hostlimit.h"

#include "base/mem.h"
#include "base/units.h"
#include "run/loop.h"

#include <math.h>
#include <stdlib.h>

double host_limit_mbps(uint32_t block_bytes, uint64_t seed)
{
	const struct target_options o = {.max_bytes = block_bytes, .max_qd = 1, .seed = seed};
	struct target *t;
	if (target_open(&t, "null:size=1G,stamp", &o, NULL))
		return NAN;
	struct recorder *r = xcalloc(1, sizeof *r);
	struct phase_record p = {0};
	struct loop_result res;
	struct workload w = {
		.block_bytes = block_bytes, .depth = 1, .pass = 1, .span_bytes = GIB, .limit_time = NSEC_PER_SEC / 10};
	recorder_start(r, t, t->ops->now(t), NULL, NULL);
	loop_run(t, &w, r, &res);
	recorder_finish(r, res.ended, &p);
	double mbps = p.duration > 0 ? (double)p.bytes * 1e3 / (double)p.duration : NAN;
	free(r);
	target_close(t);
	return mbps;
}
