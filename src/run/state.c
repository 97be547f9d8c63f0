// SPDX-License-Identifier: MIT
/* Preparation: the state of the target that a test needs, made where it is not there. */
#include "run/runner.h"

#include "base/mem.h"
#include "base/units.h"

#include <errno.h>
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
	x->unquiet = true;
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
		err_set(&x->err, EXIT_INTERRUPTED, "interrupted");
		return VERDICT_PARTIAL;
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
	return rc ? VERDICT_DONE : runner_wait_quiet(x);
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
	if (needs->state == STATE_ANY)
		return VERDICT_DONE;
	if (needs->state == have->state && needs->bytes == have->bytes)
		return x->unquiet ? runner_wait_quiet(x) : VERDICT_DONE;
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
		v = runner_wait_quiet(x);
	if (v != VERDICT_DONE)
		x->state = (struct plan_state){STATE_ANY, 0};
	else
		x->state = *needs;
	return v;
}
