// SPDX-License-Identifier: MIT
/* A sweep of queue depths: one phase each, with an idle after it that depends on how long it was busy. */
#include "run/runner.h"

#include <stdio.h>

static nsec idle_after(const struct plan_test *t, nsec busy)
{
	nsec idle = (nsec)(t->idle_of_busy * (double)busy);
	return t->idle_at_most && idle > t->idle_at_most ? t->idle_at_most : idle;
}

/* One phase of a sweep or a mixed test, after the idle that the one before it earned. */
static enum verdict phase(struct runner *x, struct workload *w, const char *name, nsec *idle)
{
	const struct plan_test *t = x->test;
	struct phase_record p = phase_head(name, w);
	enum verdict v = runner_idle(x, *idle, &p);
	if (v != VERDICT_DONE)
		return v;
	if (t->restart)
		w->cursor = w->span_start;
	/* Writing is only held until the drive says it is safe when the phase is over: flush, timed on its own. */
	v = runner_phase(x, w, &p, w->read_share < 1);
	*idle = idle_after(t, p.duration);
	if (w->read_share == 0 && !w->random && w->cursor > x->written)
		x->written = w->cursor;
	return v;
}

enum verdict run_sweep(struct runner *x)
{
	const struct plan_test *t = x->test;
	struct workload w = runner_workload(x);
	enum verdict v = VERDICT_DONE;
	nsec idle = 0;
	bool wrapped = false;
	for (size_t i = 0; i < t->io.ndepths && v == VERDICT_DONE; i++) {
		char name[16];
		uint64_t before = w.cursor;
		w.depth = t->io.depths[i];
		w.limit_bytes = t->limit_bytes;
		w.limit_time = t->limit_time;
		snprintf(name, sizeof name, "qd%u", w.depth);
		v = phase(x, &w, name, &idle);
		wrapped |= w.cursor < before;
	}
	if (v != VERDICT_DONE || !t->io.write || t->io.random)
		return v;
	/* Whoever reads the span next must find all of it written: a slow drive may not have got round once. */
	uint64_t end = w.span_start + w.span_bytes;
	if (wrapped)
		x->written = end;
	return runner_complete_span(x, end);
}

enum verdict run_mixed(struct runner *x)
{
	const struct plan_test *t = x->test;
	struct workload w = runner_workload(x);
	enum verdict v = VERDICT_DONE;
	nsec idle = 0;
	for (size_t i = 0; i < t->nshares && v == VERDICT_DONE; i++) {
		char name[16];
		w.read_share = t->read_shares[i];
		w.limit_bytes = t->limit_bytes;
		w.limit_time = t->limit_time;
		snprintf(name, sizeof name, "mix-%.0f", 100 * w.read_share);
		v = phase(x, &w, name, &idle);
	}
	return v;
}
