// SPDX-License-Identifier: MIT
/* Recovery: exhausts the cache, then sees after ever longer idles how much of it is back. */
#include "run/runner.h"

#include "analysis/online.h"
#include "base/units.h"

#include <math.h>
#include <stdio.h>

struct watch {
	struct online online;
	uint64_t written; /* in this phase */
	uint64_t beyond;  /* exhausting: go on for so many bytes after the cache's end */
	uint64_t fallen;  /* stepping: stop when the rate has been down for so many bytes; 0 = exhausting */
	double cache_bytes;
};

static void look(struct runner *x, const struct sample *s)
{
	struct watch *w = x->watch_ctx;
	w->written += s->bytes;
	online_add(&w->online, nsec_to_s(s->length), (double)s->bytes, s->throttled);
	if (w->fallen)
		x->stop |= online_fallen_bytes(&w->online) >= (double)w->fallen;
	else if (online_exhausted(&w->online, &w->cache_bytes))
		x->stop |= (double)w->written >= w->cache_bytes + (double)w->beyond;
}

static enum verdict watched_phase(struct runner *x, struct workload *w, struct phase_record *p)
{
	x->watch = look;
	enum verdict v = runner_phase(x, w, p, false);
	x->watch = NULL;
	if (!w->once && p->bytes >= w->span_bytes)
		x->written = w->span_bytes; /* it has been round */
	else if (w->cursor > x->written)
		x->written = w->cursor;
	return v;
}

enum verdict run_recovery(struct runner *x)
{
	const struct plan_test *t = x->test;
	struct watch watch = {.beyond = t->beyond_bytes};
	struct workload w = runner_workload(x);
	x->watch_ctx = &watch;
	online_start(&watch.online, NAN);
	w.limit_bytes = w.span_bytes / w.block_bytes * w.block_bytes;
	struct phase_record p = phase_head("exhaust", &w);
	enum verdict v = watched_phase(x, &w, &p);
	if (v != VERDICT_DONE)
		return v;
	if (!online_exhausted(&watch.online, &watch.cache_bytes)) {
		runner_warn(x, "no-cache",
			"the whole span was written without an end of a cache, so there was nothing to recover");
		return VERDICT_DONE;
	}
	double in_cache = online_in_cache_mbps(&watch.online);
	for (size_t i = 0; i < t->nidles && v == VERDICT_DONE; i++) {
		char name[32];
		snprintf(name, sizeof name, "idle-%gs", nsec_to_s(t->idles[i]));
		watch = (struct watch){.fallen = t->fallen_bytes, .cache_bytes = watch.cache_bytes};
		online_start(&watch.online, in_cache);
		w.limit_bytes = (uint64_t)watch.cache_bytes + t->step_bytes;
		p = phase_head(name, &w);
		v = runner_idle(x, t->idles[i], &p);
		if (v == VERDICT_DONE)
			v = watched_phase(x, &w, &p);
	}
	return v;
}
