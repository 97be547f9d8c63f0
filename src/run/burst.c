// SPDX-License-Identifier: MIT
/* Bursts: short stretches of I/O, each followed by an idle that makes the busy share what the test asks. The pause
 * depends on how long the burst took, and it is never inside the burst's rate. */
#include "run/runner.h"

#include <math.h>

enum verdict run_burst(struct runner *x)
{
	const struct plan_test *t = x->test;
	struct workload w = runner_workload(x);
	/* Reads go through the data from its start; writes go on from a random burst-aligned place in it. */
	if (!w.random && t->io.write)
		w.cursor = rng_below(&x->rng, w.span_bytes / t->burst_bytes) * t->burst_bytes;
	w.limit_bytes = t->burst_bytes;
	enum verdict v = VERDICT_DONE;
	nsec idle = 0;
	for (uint32_t i = 0; i < t->bursts && v == VERDICT_DONE; i++) {
		struct phase_record p = phase_head("burst", &w);
		v = runner_idle(x, idle, &p);
		if (v == VERDICT_DONE)
			v = runner_phase(x, &w, &p, false);
		idle = (nsec)llround((double)p.duration * (1 - t->duty) / t->duty);
	}
	/* The last burst's pause belongs to the duty cycle too; it is kept as a phase of its own that does nothing. */
	if (v == VERDICT_DONE)
		v = runner_still(x, "pause", idle);
	return v;
}
