// SPDX-License-Identifier: MIT
/* An instrument's watts beside the run: after each phase its energy is asked for over the very window of the rate. A
 * log that another instrument writes is only there when the run is over: then all phases get their energy together. */
#include "run/runner.h"

#include "base/mem.h"
#include "base/units.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How long a live meter may lag behind. */
#define PATIENCE (3 * NSEC_PER_SEC)
/* An idle before a phase that makes its begin an edge to check a clock against. */
#define EDGE_MIN NSEC_PER_SEC

struct window {
	int test, phase;
	struct phase_record record; /* with a copy of its histogram */
	struct hist latency;
};

struct power {
	struct meter *meter;
	struct meter_info info;
	bool warned;
	/* For a log: the phases that wait for it. */
	struct window *windows;
	size_t nwindows, capwindows;
	struct meter_edge *edges;
	size_t nedges, capedges;
};

static void add_edge(struct power *p, nsec at, nsec around, bool rises)
{
	GROW(p->edges, p->nedges, p->capedges);
	p->edges[p->nedges++] = (struct meter_edge){.at = at, .around = around, .rises = rises};
}

/* Reads with all its might between two stretches of nothing: an edge that can be found in any log. */
static void cause_edge(struct runner *x)
{
	struct target *t = x->target;
	struct workload w = {
		.read_share = 1, .block_bytes = MIB, .depth = 32, .limit_time = 2 * NSEC_PER_SEC, .rng = &x->probe_rng};
	w.span_bytes = x->q->id->capacity_bytes;
	if (w.span_bytes < MIB)
		return;
	struct loop_result res;
	t->ops->idle(t, t->ops->now(t) + 2 * NSEC_PER_SEC);
	nsec from = t->ops->now(t);
	recorder_start(&x->recorder, t, from, NULL, NULL);
	loop_run(t, &w, &x->recorder, &res);
	nsec to = t->ops->now(t);
	t->ops->idle(t, to + 2 * NSEC_PER_SEC);
	if (res.end != LOOP_TIME)
		return; /* interrupted, or an error that the tests will meet */
	add_edge(x->power, from, 2 * NSEC_PER_SEC, true);
	add_edge(x->power, to, 2 * NSEC_PER_SEC, false);
}

int power_start(struct runner *x, struct err *e)
{
	if (!x->q->meter)
		return 0;
	if (meter_start(x->q->meter, e))
		return -1;
	x->power = xcalloc(1, sizeof *x->power);
	x->power->meter = x->q->meter;
	meter_describe(x->q->meter, &x->power->info);
	if (x->power->info.after_the_run)
		cause_edge(x);
	return 0;
}

/* The energy between two moments; NAN, and one warning a test, where the meter cannot tell. */
static double energy(struct runner *x, nsec from, nsec to, const char *what)
{
	struct power *p = x->power;
	struct meter_window w;
	char why[256];
	if (to <= from)
		return NAN;
	meter_power(p->meter, from, to, &w);
	if (w.verdict == METER_OK)
		return w.joules;
	if (!p->warned) {
		p->warned = true;
		meter_explain(why, sizeof why, &p->info, &w, from, to);
		runner_warn(x, "power-not-measured", "%s of %s was not measured: %s", what,
			x->record ? x->record->name : "a test", why);
	}
	return NAN;
}

/* Sets the joules of the phase and of its samples. */
static void fill_in(struct runner *x, int test, int phase, struct phase_record *r)
{
	nsec start = x->started + r->start, end = start + r->duration;
	r->joules = energy(x, start, end, "the power");
	if (r->idle_before > 0) {
		r->idle_joules = energy(x, start - r->idle_before, start, "the power while idle");
		r->total_joules = r->joules + r->idle_joules;
	}
	if (!strcmp(r->op, "idle")) {
		r->total_joules = r->joules;
		return;
	}
	/* Per slot, where the instrument is fast enough; that some are too slow for half a second is no warning. */
	for (nsec from = start; from < end; from += RECORDER_SLOT) {
		struct meter_window w;
		meter_power(x->power->meter, from, from + RECORDER_SLOT < end ? from + RECORDER_SLOT : end, &w);
		if (w.verdict == METER_OK)
			store_sample_joules(x->sr, test, phase, (size_t)((from - start) / RECORDER_SLOT), w.joules);
	}
}

void power_test_begins(struct runner *x)
{
	if (x->power)
		x->power->warned = false;
}

double power_watts(struct runner *x, nsec from, nsec to)
{
	struct meter_window w;
	if (!x->power || x->power->info.after_the_run || to <= from)
		return NAN;
	meter_wait(x->power->meter, to, PATIENCE);
	meter_power(x->power->meter, from, to, &w);
	return w.verdict == METER_OK ? w.watts : NAN;
}

void power_phase_ended(struct runner *x, struct phase_record *r)
{
	struct power *p = x->power;
	if (!p)
		return;
	nsec start = x->started + r->start, end = start + r->duration;
	if (!p->info.after_the_run) {
		meter_wait(p->meter, end, PATIENCE);
		fill_in(x, x->test_number, x->phase_number, r);
		return;
	}
	if (r->idle_before >= EDGE_MIN && r->duration >= EDGE_MIN)
		add_edge(p, start, r->idle_before < r->duration ? r->idle_before : r->duration, true);
	GROW(p->windows, p->nwindows, p->capwindows);
	struct window *w = &p->windows[p->nwindows++];
	*w = (struct window){.test = x->test_number, .phase = x->phase_number, .record = *r};
	w->record.end_reason = xstrdup(r->end_reason);
	if (r->latency)
		w->latency = *r->latency;
}

/* What the instrument read during the run, in the run's time. A log may begin long before it and go on after it. */
static void store_readings(struct runner *x)
{
	enum { BATCH = 1024 };
	struct meter_sample *s = xmalloc(BATCH * sizeof *s);
	nsec end = x->target->ops->now(x->target);
	size_t n, first = 0;
	while ((n = meter_samples(x->power->meter, first, s, BATCH))) {
		for (size_t i = 0; i < n; i++) {
			if (s[i].at < x->started || s[i].at > end)
				continue;
			struct power_sample p = {.at = s[i].at - x->started,
				.length = s[i].length,
				.watts = s[i].watts,
				.overrun = s[i].overrun};
			store_power(x->sr, &p);
		}
		first += n;
	}
	free(s);
}

void power_pause(struct runner *x, bool paused)
{
	if (x->power && x->power->info.wakes_drive)
		meter_pause(x->power->meter, paused);
}

void power_finish(struct runner *x)
{
	struct power *p = x->power;
	struct meter_clock clock = {0};
	struct err e = {0};
	if (!p)
		return;
	x->record = NULL; /* warnings are the run's from here on */
	if (meter_stop(p->meter, p->edges, p->nedges, &clock, &e))
		runner_warn(x, "meter", "%s", e.text);
	if (*clock.warning)
		runner_warn(x, "meter-clock", "%s", clock.warning);
	p->warned = false;
	for (size_t i = 0; i < p->nwindows; i++) {
		struct window *w = &p->windows[i];
		w->record.latency = w->latency.count ? &w->latency : NULL;
		fill_in(x, w->test, w->phase, &w->record);
		store_phase_end(x->sr, w->test, w->phase, &w->record);
		free(w->record.end_reason);
	}
	store_readings(x);
	store_no_power(x->sr);
	free(p->windows);
	free(p->edges);
	free(p);
	x->power = NULL;
}
