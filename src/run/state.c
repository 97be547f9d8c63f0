// SPDX-License-Identifier: MIT
/* Preparation: the state of the target that a test needs, made where it is not there, and the wait until it is quiet.
 */
#include "run/runner.h"

#include "base/mem.h"
#include "base/units.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void note(struct runner *x, const char *what, nsec took)
{
	char d[UNITS_BUF], *old = x->record->erase;
	x->record->erase = xasprintf("%s%s%s in %s", old ? old : "", old ? "; " : "", what, units_duration(d, took));
	free(old);
}

/* Unmeasured I/O: the same loop, into a recorder whose slots go nowhere but to the progress display. */
static void show_slot(void *ctx, const struct sample *s)
{
	struct runner *x = ctx;
	progress_slot(x->q->board, s->bytes, s->length, s->temperature_c,
		x->recorder.start + s->start + s->length - x->started);
}

static enum verdict unmeasured(struct runner *x, struct workload *w, const char *activity, const char *what)
{
	struct target *t = x->target;
	struct loop_result res;
	w->rng = &x->rng;
	progress_activity(x->q->board, activity, w->once ? w->span_bytes - w->cursor : w->limit_bytes);
	recorder_start(&x->recorder, t, t->ops->now(t), show_slot, x);
	loop_run(t, w, &x->recorder, &res);
	note(x, what, res.ended - x->recorder.start);
	if (res.end == LOOP_INTERRUPTED) {
		err_set(&x->err, EXIT_INTERRUPTED, "interrupted");
		return VERDICT_PARTIAL;
	}
	if (res.end == LOOP_ERROR) {
		runner_io_error(x, &res);
		err_prefix(&x->err, "%s: ", activity);
		x->fatal |= res.status == -ENODEV || res.status == -ENXIO;
		return VERDICT_FAILED;
	}
	return VERDICT_DONE;
}

/* One probe: the median latency of a few small reads, and the watts since the last probe. */
struct probe {
	double latency_ns, watts;
	uint64_t place; /* of the last read */
};

static int compare_nsec(const void *a, const void *b)
{
	nsec x = *(const nsec *)a, y = *(const nsec *)b;
	return (x > y) - (x < y);
}

static int probe(struct runner *x, struct sense *last, nsec *last_at, struct probe *out)
{
	enum { READS = 5 };
	struct target *t = x->target;
	uint32_t bytes = x->q->id->logical_block_bytes > 4096 ? x->q->id->logical_block_bytes : 4096;
	nsec latency[READS];
	for (int i = 0; i < READS; i++) {
		struct io io = {.op = IO_READ, .bytes = bytes};
		struct io_done done;
		out->place = io.offset = rng_below(&x->probe_rng, x->q->id->capacity_bytes / bytes) * bytes;
		int rc = t->ops->submit(t, &io);
		if (rc)
			return rc;
		while ((rc = t->ops->reap(t, &done, 1, NSEC_NEVER)) == 0)
			if (*t->interrupted)
				return -EINTR;
		if (rc < 0 || done.status)
			return rc < 0 ? rc : done.status;
		latency[i] = done.end - done.start;
	}
	qsort(latency, READS, sizeof *latency, compare_nsec);
	out->latency_ns = (double)latency[READS / 2];
	struct sense s = {0};
	nsec at = t->ops->now(t);
	t->ops->sense(t, at, &s);
	out->watts = at > *last_at ? sense_joules(last, &s) / nsec_to_s(at - *last_at) : NAN;
	*last = s;
	*last_at = at;
	return 0;
}

static enum verdict probe_failed(struct runner *x, int rc, uint64_t place)
{
	if (rc == -EINTR || *x->target->interrupted) {
		err_set(&x->err, EXIT_INTERRUPTED, "interrupted");
		return VERDICT_PARTIAL;
	}
	runner_io_error(x, &(struct loop_result){.status = rc, .offset = place, .on_read = true});
	err_prefix(&x->err, "waiting until quiet: ");
	x->fatal |= rc == -ENODEV || rc == -ENXIO;
	return VERDICT_FAILED;
}

enum { PROBES = 5 };

/* Quiet: over the last five probes, 200 ms apart, neither latency (10 % or 20 us) nor watts (5 % or 50 mW, where they
 * are known) has moved, and the watts are down to what the drive drew before the run (10 % or 50 mW above it): a drive
 * that erases its blocks in the background answers evenly and draws evenly, and only the level tells. */
static bool is_quiet(const struct probe *p, double idle_watts)
{
	double lo = INFINITY, hi = 0, wlo = INFINITY, whi = 0;
	for (int i = 0; i < PROBES; i++) {
		lo = fmin(lo, p[i].latency_ns), hi = fmax(hi, p[i].latency_ns);
		wlo = fmin(wlo, p[i].watts), whi = fmax(whi, p[i].watts);
	}
	bool watts_known = isfinite(wlo);
	if (hi - lo > fmax(0.10 * hi, 20e3) || (watts_known && whi - wlo > fmax(0.05 * whi, 0.05)))
		return false;
	return !watts_known || isnan(idle_watts) || whi <= idle_watts + fmax(0.10 * idle_watts, 0.05);
}

enum verdict runner_measure_idle(struct runner *x)
{
	struct target *t = x->target;
	struct sense s = {0};
	nsec at = t->ops->now(t);
	x->idle_watts = NAN;
	t->ops->sense(t, at, &s);
	if (!s.has_joules)
		return VERDICT_DONE;
	t->ops->low_power(t, false);
	double sum = 0;
	for (int i = 0; i < PROBES; i++) {
		struct probe p;
		int rc = t->ops->idle(t, t->ops->now(t) + 200 * NSEC_PER_MSEC);
		if (!rc)
			rc = probe(x, &s, &at, &p);
		if (rc == -EINTR)
			return probe_failed(x, rc, 0);
		if (rc)
			return VERDICT_DONE; /* a bad spot is for the tests to find */
		sum += p.watts;
	}
	x->idle_watts = sum / PROBES;
	return VERDICT_DONE;
}

static enum verdict wait_until_quiet(struct runner *x)
{
	struct target *t = x->target;
	struct probe last[PROBES] = {0};
	struct sense s = {0};
	nsec at = t->ops->now(t), from = at, limit = at + 120 * NSEC_PER_SEC;
	progress_activity(x->q->board, "waiting until quiet", 0);
	t->ops->sense(t, at, &s);
	for (int n = 0;; n++) {
		int rc = t->ops->idle(t, t->ops->now(t) + 200 * NSEC_PER_MSEC);
		memmove(last, last + 1, (PROBES - 1) * sizeof *last);
		if (!rc)
			rc = probe(x, &s, &at, &last[PROBES - 1]);
		if (rc)
			return probe_failed(x, rc, last[PROBES - 1].place);
		nsec now = t->ops->now(t);
		if (n >= PROBES - 1 && is_quiet(last, x->idle_watts))
			break;
		if (now >= limit) {
			runner_warn(x, "not-quiet",
				"the drive was still busy 120 s after its preparation; the first "
				"seconds of the test may be slow");
			break;
		}
	}
	x->record->quiet_wait = (x->record->quiet_wait > 0 ? x->record->quiet_wait : 0) + t->ops->now(t) - from;
	return VERDICT_DONE;
}

static enum verdict erase(struct runner *x)
{
	struct target *t = x->target;
	char how[256], what[300];
	nsec from = t->ops->now(t);
	progress_activity(x->q->board, "erasing", 0);
	int rc = t->ops->erase(t, x->q->erase);
	target_erase_note(t, how, sizeof how);
	if (rc == -EOPNOTSUPP || x->q->erase == ERASE_NONE) {
		runner_warn(x, "not-erased", "'%s' %s, so what it held before may slow it down", x->q->id->path,
			rc ? "cannot be erased that way" : "was not erased, as asked");
	} else if (rc == -EINTR) {
		return probe_failed(x, rc, 0);
	} else if (rc) {
		err_set(&x->err, exit_code_of_errno(-rc), "cannot erase '%s': %s", x->q->id->path,
			*how ? how : strerror(-rc));
		x->fatal |= rc == -ENODEV || rc == -ENXIO;
		return VERDICT_FAILED;
	} else {
		snprintf(what, sizeof what, "erased%s%s%s", *how ? " (" : "", how, *how ? ")" : "");
		note(x, what, t->ops->now(t) - from);
	}
	x->state = (struct plan_state){STATE_ERASED, 0};
	x->written = 0;
	return rc ? VERDICT_DONE : wait_until_quiet(x);
}

enum verdict runner_complete_span(struct runner *x, uint64_t bytes)
{
	if (x->written >= bytes)
		return VERDICT_DONE;
	char what[64], b[UNITS_BUF];
	snprintf(what, sizeof what, "wrote %s sequentially", units_bytes(b, (double)(bytes - x->written)));
	struct workload w = {
		.block_bytes = MIB, .depth = 1, .pass = 1, .span_bytes = bytes, .cursor = x->written, .once = true};
	enum verdict v = unmeasured(x, &w, "preparing: sequential data", what);
	x->written = w.cursor;
	return v;
}

static enum verdict fragment(struct runner *x, uint64_t bytes)
{
	char what[64], b[UNITS_BUF];
	snprintf(what, sizeof what, "wrote %s in random 4 KiB", units_block(b, bytes));
	struct workload w = {.block_bytes = 4 * KIB,
		.depth = 32,
		.pass = 1,
		.random = true,
		.span_bytes = bytes,
		.limit_bytes = bytes};
	enum verdict v = unmeasured(x, &w, "preparing: fragmenting", what);
	x->state = (struct plan_state){STATE_FRAGMENTED, bytes};
	return v;
}

enum verdict runner_prepare(struct runner *x, const struct plan_state *needs)
{
	const struct plan_state *have = &x->state;
	if (needs->state == STATE_ANY || (needs->state == have->state && needs->bytes == have->bytes))
		return VERDICT_DONE;
	enum verdict v = VERDICT_DONE;
	/* Fragmenting may start from the sequential data that is there; everything else starts from an erased drive. */
	bool from_sequential =
		needs->state == STATE_FRAGMENTED && have->state == STATE_SEQUENTIAL && have->bytes == needs->bytes;
	if (!from_sequential && have->state != STATE_ERASED)
		v = erase(x);
	if (v == VERDICT_DONE && needs->state == STATE_FULL)
		v = runner_complete_span(x, x->q->id->capacity_bytes);
	if (v == VERDICT_DONE && needs->bytes && !from_sequential)
		v = runner_complete_span(x, needs->bytes);
	if (v == VERDICT_DONE && needs->state == STATE_FRAGMENTED)
		v = fragment(x, needs->bytes);
	if (v == VERDICT_DONE && needs->state != STATE_ERASED)
		v = wait_until_quiet(x);
	if (v != VERDICT_DONE)
		x->state = (struct plan_state){STATE_ANY, 0};
	else
		x->state = *needs;
	return v;
}
