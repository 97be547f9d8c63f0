// SPDX-License-Identifier: MIT
/* The fill: the whole target in one sequential stream, to the last byte. */
#include "run/runner.h"

#include "analysis/online.h"
#include "base/units.h"

#include <math.h>
#include <stdio.h>

/* Below this a fill has too few samples for a short cache to show (docs/method.md: at least 4 in it). */
#define SHORT_FILL (30 * NSEC_PER_SEC)

/* Tells whoever watches when the cache is exhausted; the figures are computed afterwards, from the whole series. */
static void tell_stage(struct runner *x, const struct sample *s)
{
	struct online *o = x->watch_ctx;
	double at;
	char text[48], b[UNITS_BUF];
	bool knew = online_exhausted(o, NULL);
	online_add(o, nsec_to_s(s->length), (double)s->bytes, s->throttled);
	if (knew || !online_exhausted(o, &at))
		return;
	snprintf(text, sizeof text, "cache ended at %s", units_bytes(b, at));
	progress_stage(x->q->board, text);
}

enum verdict run_fill(struct runner *x)
{
	struct online online;
	struct workload w = runner_workload(x);
	w.once = true;
	struct phase_record p = phase_head("fill", &w);
	online_start(&online, NAN);
	x->watch = tell_stage;
	x->watch_ctx = &online;
	enum verdict v = runner_phase(x, &w, &p, true);
	x->watch = NULL;
	x->written = w.cursor;
	if (v == VERDICT_DONE && p.duration < SHORT_FILL)
		runner_warn(x, "short-fill",
			"the whole span took only %.1f s: a cache that lasts less than 2 s (4 samples) cannot be told "
			"from a slow "
			"start; test a larger part of the drive",
			nsec_to_s(p.duration));
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
