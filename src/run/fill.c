// SPDX-License-Identifier: MIT
/* The fill: the whole target in one sequential stream, to the last byte. */
#include "run/runner.h"

#include "base/units.h"

enum verdict run_fill(struct runner *x)
{
	struct workload w = runner_workload(x);
	w.once = true;
	struct phase_record p = phase_head("fill", &w);
	enum verdict v = runner_phase(x, &w, &p, true);
	x->written = w.cursor;
	if (v != VERDICT_DONE || !x->q->verify)
		return v;
	struct workload back = w;
	back.read_share = 1;
	back.verify = true;
	back.cursor = 0;
	back.limit_bytes = p.bytes;
	struct phase_record vp = phase_head("verify", &back);
	return runner_phase(x, &back, &vp, false);
}
