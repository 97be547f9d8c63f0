// SPDX-License-Identifier: MIT
#include "run/runner.h"

#include "base/mem.h"
#include "base/units.h"
#include "run/host.h"
#include "run/hostlimit.h"
#include "run/suspend.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Phases */

static void on_slot(void *ctx, const struct sample *s)
{
	struct runner *x = ctx;
	store_sample(x->sr, x->test_number, x->phase_number, s);
	progress_slot(x->q->board, s->bytes, s->length, s->temperature_c,
		x->recorder.start + s->start + s->length - x->started);
	if (!isnan(s->temperature_c)) {
		struct test_record *t = x->record;
		t->temperature_min_c = fmin(s->temperature_c, t->temperature_min_c);
		t->temperature_max_c = fmax(s->temperature_c, t->temperature_max_c);
	}
	x->slots++;
	x->throttled += s->throttled;
	if (x->watch)
		x->watch(x, s);
	if (store_run_failed(x->sr, &x->err)) {
		x->stop = x->fatal = x->store_failed = true;
		x->err.code = EXIT_FAILED;
	}
}

struct phase_record phase_head(const char *name, const struct workload *w)
{
	struct phase_record p = phase_unknown();
	p.block_bytes = w->block_bytes;
	p.queue_depth = w->depth;
	if (w->read_share > 0 && w->read_share < 1)
		p.read_share = w->read_share;
	p.start_offset = w->span_start;
	p.span_bytes = w->span_bytes;
	snprintf(p.name, sizeof p.name, "%s", name);
	strcpy(p.op, w->read_share >= 1 ? "read" : w->read_share > 0 ? "mixed" : "write");
	strcpy(p.pattern, w->random ? "random" : "sequential");
	return p;
}

void runner_io_error(struct runner *x, const struct loop_result *res)
{
	char place[UNITS_BUF], done[UNITS_BUF];
	const struct identity *id = x->q->id;
	units_bytes(done, (double)x->recorder.bytes);
	units_bytes(place, (double)res->offset);
	const char *op = res->on_read ? "read" : "write";
	if (res->status == -ENOSPC)
		err_set(&x->err, EXIT_FAILED,
			"cannot %s '%s' at %s: no space left after %s; what was measured is kept, make room or give a "
			"smaller --size",
			op, id->path, place, done);
	else if (res->status == -EILSEQ)
		err_set(&x->err, EXIT_FAILED,
			"'%s' returned other data than was written, at %s: the drive lies about its capacity or is "
			"broken",
			id->path, place);
	else
		err_set(&x->err, exit_code_of_errno(-res->status), "cannot %s '%s' at %s: %s", op, id->path, place,
			strerror(-res->status));
}

/* What may have bent the figures of the test that has just ended. */
static void warn_of_traps(struct runner *x, const struct phase_record *p)
{
	double limit = x->q->host_limit_mbps, mbps = p->duration > 0 ? (double)p->bytes * 1e3 / (double)p->duration : 0;
	if (!x->warned_host && !isnan(limit) && mbps * HOST_LIMIT_FACTOR > limit) {
		x->warned_host = true;
		runner_warn(x, "host-limit",
			"%s ran at %.0f MB/s, and this host can feed a drive at %.0f MB/s at most: it may have held "
			"the drive back; "
			"use a faster machine, or larger blocks",
			p->name, mbps, limit);
	}
	uint32_t most = x->q->id->max_transfer_bytes;
	if (!x->warned_split && most && p->block_bytes > most) {
		char a[UNITS_BUF], b[UNITS_BUF];
		x->warned_split = true;
		runner_warn(x, "split-requests",
			"the kernel splits each %s request into pieces of at most %s, so the drive sees a deeper queue "
			"of smaller commands",
			units_block(a, p->block_bytes), units_block(b, most));
	}
}

/* What is odd about the drive, once a run. */
static void warn_of_fact(void *runner, const char *name, const char *value, const char *warning)
{
	if (warning)
		runner_warn(runner, "drive", "%s: %s: %s", name, value, warning);
}

/* The suspensions from number `first` on, as events of the phase that has just ended. */
static void note_suspensions(struct runner *x, size_t first, const struct phase_record *p)
{
	nsec start = x->started + p->start;
	for (size_t i = first; i < suspend_count() && !x->q->id->virtual_clock; i++) {
		struct suspension s = suspend_get(i);
		struct event ev = {.kind = "suspended", .start = s.from - start, .end = s.to - start};
		if (ev.end > 0 && ev.start < p->duration)
			store_event(x->sr, x->test_number, x->phase_number, &ev);
	}
}

enum verdict runner_phase(struct runner *x, struct workload *w, struct phase_record *head, bool flush)
{
	struct target *t = x->target;
	x->stop = false;
	w->stop = &x->stop;
	w->rng = &x->rng;
	head->start = t->ops->now(t) - x->started;
	head->fill_level = x->q->id->capacity_bytes ? (double)x->written / (double)x->q->id->capacity_bytes : NAN;
	x->phase_number = store_phase_begin(x->sr, x->test_number, head);
	uint64_t total = w->once ? w->span_start + w->span_bytes - w->cursor : w->limit_bytes;
	progress_activity(x->q->board, head->name, total);

	struct loop_result res;
	size_t suspensions = suspend_count();
	x->unquiet |= w->read_share < 1;
	recorder_start(&x->recorder, t, x->started + head->start, on_slot, x);
	loop_run(t, w, &x->recorder, &res);
	recorder_finish(&x->recorder, res.ended, head);
	note_suspensions(x, suspensions, head);
	if (!isnan(head->joules) && head->idle_before > 0 && !isnan(head->idle_joules))
		head->total_joules = head->joules + head->idle_joules;

	enum verdict verdict = VERDICT_DONE;
	char reason[64];
	bool whole = w->span_start + w->span_bytes == x->q->id->capacity_bytes;
	snprintf(reason, sizeof reason, "%s", res.end == LOOP_SPAN && !whole ? "span" : loop_end_name(res.end));
	if (res.end == LOOP_ERROR) {
		runner_io_error(x, &res);
		snprintf(reason, sizeof reason, "error: %s", strerror(-res.status));
		/* A full disk is an end that a test on a file may well meet; the rest is a fault of the medium. */
		verdict = res.status == -ENOSPC ? VERDICT_PARTIAL : VERDICT_FAILED;
		if (res.status == -ENODEV || res.status == -ENXIO)
			x->fatal = true;
		struct event ev = {
			.kind = "error", .start = head->duration, .end = head->duration, .text = x->err.text};
		store_event(x->sr, x->test_number, x->phase_number, &ev);
	} else if (res.end == LOOP_INTERRUPTED) {
		err_set(&x->err, EXIT_INTERRUPTED, "interrupted");
		verdict = VERDICT_PARTIAL;
	} else if (x->store_failed) {
		verdict = VERDICT_PARTIAL;
	}
	head->ended_early = verdict != VERDICT_DONE;
	head->end_reason = reason;
	if (flush && verdict == VERDICT_DONE) {
		nsec before = t->ops->now(t);
		int rc = t->ops->flush(t);
		if (rc == 0) {
			head->flush = t->ops->now(t) - before;
		} else if (rc != -EOPNOTSUPP) {
			err_set(&x->err, EXIT_FAILED, "cannot flush '%s': %s", x->q->id->path, strerror(-rc));
			verdict = VERDICT_FAILED;
		}
	}
	power_phase_ended(x, head);
	store_phase_end(x->sr, x->test_number, x->phase_number, head);
	warn_of_traps(x, head);
	head->end_reason = NULL; /* it was this function's buffer */
	return verdict;
}

enum verdict runner_idle(struct runner *x, nsec length, struct phase_record *next)
{
	if (length <= 0)
		return VERDICT_DONE;
	struct target *t = x->target;
	struct sense a = {0}, b = {0};
	char text[48], d[UNITS_BUF];
	snprintf(text, sizeof text, "idle %s", units_duration(d, length));
	progress_activity(x->q->board, text, 0);
	nsec from = t->ops->now(t);
	t->ops->sense(t, from, &a);
	int rc = t->ops->idle(t, from + length);
	nsec to = t->ops->now(t);
	t->ops->sense(t, to, &b);
	if (next) {
		next->idle_before = to - from;
		next->idle_joules = sense_joules(&a, &b);
		next->idle_nand_bytes = sense_nand_bytes(&a, &b);
	}
	if (rc || *t->interrupted) {
		err_set(&x->err, EXIT_INTERRUPTED, "interrupted");
		return VERDICT_PARTIAL;
	}
	return VERDICT_DONE;
}

enum verdict runner_still(struct runner *x, const char *name, nsec length)
{
	struct workload none = {0};
	struct phase_record p = phase_head(name, &none), idle = p;
	strcpy(p.op, "idle");
	p.pattern[0] = 0;
	p.start = x->target->ops->now(x->target) - x->started;
	x->phase_number = store_phase_begin(x->sr, x->test_number, &p);
	enum verdict v = runner_idle(x, length, &idle);
	p.duration = idle.idle_before;
	p.joules = p.total_joules = idle.idle_joules;
	p.nand_bytes = idle.idle_nand_bytes;
	p.ended_early = v != VERDICT_DONE;
	power_phase_ended(x, &p);
	store_phase_end(x->sr, x->test_number, x->phase_number, &p);
	return v;
}

struct workload runner_workload(struct runner *x)
{
	const struct plan_io *io = &x->test->io;
	uint64_t capacity = x->q->id->capacity_bytes;
	return (struct workload){
		.read_share = io->write ? 0 : 1,
		.random = io->random,
		.block_bytes = io->block_bytes,
		.depth = io->depths[0],
		.pass = 1,
		.span_bytes = io->span_bytes < capacity ? io->span_bytes : capacity,
	};
}

void runner_warn(struct runner *x, const char *code, const char *fmt, ...)
{
	char text[512];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	struct warning w = {.text = text};
	snprintf(w.code, sizeof w.code, "%s", code);
	store_warning(x->sr, x->record ? x->test_number : -1, &w);
}

/* ---- Tests */

static struct test_record test_head(const struct plan_test *t)
{
	struct test_record r = {
		.status = TEST_RUNNING,
		.params = plan_test_to_json(t),
		.quiet_wait = -1,
		.temperature_min_c = NAN,
		.temperature_max_c = NAN,
	};
	snprintf(r.name, sizeof r.name, "%s", t->name);
	snprintf(r.condition, sizeof r.condition, "%s", t->condition);
	snprintf(r.kind, sizeof r.kind, "%s", test_kind_name(t->kind));
	return r;
}

static enum verdict run_test(struct runner *x)
{
	static enum verdict (*const by_kind[])(struct runner *) = {
		[KIND_FILL] = run_fill,
		[KIND_RECOVERY] = run_recovery,
		[KIND_BURST] = run_burst,
		[KIND_SWEEP] = run_sweep,
		[KIND_MIXED] = run_mixed,
		[KIND_IDLE] = run_idle_test,
	};
	const struct plan_test *t = x->test;
	if (target_same(x->target, &x->err)) {
		x->fatal = true;
		return VERDICT_FAILED;
	}
	if (!x->told_facts)
		target_facts(x->target, warn_of_fact, x);
	x->told_facts = true;
	enum verdict v = runner_prepare(x, &t->needs);
	if (v != VERDICT_DONE)
		return v;
	/* -EOPNOTSUPP: a target without such states has nothing to switch. */
	x->target->ops->low_power(x->target, t->low_power);
	if (t->cut)
		runner_warn(x, "size-cut", "%s", t->cut);
	v = by_kind[t->kind](x);
	if (v != VERDICT_DONE)
		x->state = (struct plan_state){STATE_ANY, 0};
	else
		x->state = plan_state_after(t, x->state);
	return v;
}

static void not_run(struct runner *x, const struct plan_test *t, const char *reason)
{
	struct test_record r = test_head(t);
	r.status = TEST_NOT_RUN;
	r.reason = (char *)(uintptr_t)reason;
	int n = store_test_begin(x->sr, &r);
	store_test_end(x->sr, n, &r);
	free(r.params);
}

/* Whether the test was suspended, from number `first` of all suspensions on. */
static void warn_of_suspensions(struct runner *x, size_t first)
{
	char d[UNITS_BUF];
	nsec length = 0;
	for (size_t i = first; i < suspend_count(); i++)
		length += suspend_get(i).to - suspend_get(i).from;
	if (length && !x->q->id->virtual_clock)
		runner_warn(x, "suspended",
			"the program was suspended for %s (Ctrl-Z) and the drive waited for it: means over time and "
			"idles hold that pause, do this test again",
			units_duration(d, length));
}

static void one_test(struct runner *x, const struct plan_test *t, int number, struct run_outcome *out)
{
	struct test_record r = test_head(t);
	x->test = t;
	x->record = &r;
	x->watch = NULL;
	x->warned_host = x->warned_split = false;
	x->slots = x->throttled = 0;
	x->err = (struct err){0};
	pthread_mutex_lock(&x->q->board->lock);
	snprintf(x->q->board->p.test, sizeof x->q->board->p.test, "%s%s%s", t->name, *t->condition ? " " : "",
		t->condition);
	x->q->board->p.test_number = number;
	pthread_mutex_unlock(&x->q->board->lock);
	x->test_number = store_test_begin(x->sr, &r);
	power_test_begins(x);
	size_t suspensions = suspend_count();
	enum verdict v = run_test(x);
	if (x->throttled)
		runner_warn(x, "throttled",
			"the drive throttled itself for heat in %u of %u half seconds, at up to %.0f °C: it is slower "
			"than a "
			"cool one; give it air, or let it cool before the test",
			x->throttled, x->slots, r.temperature_max_c);
	warn_of_suspensions(x, suspensions);
	r.status = v == VERDICT_DONE ? TEST_DONE : v == VERDICT_PARTIAL ? TEST_PARTIAL : TEST_FAILED;
	r.reason = v == VERDICT_DONE ? NULL : x->err.text;
	store_test_end(x->sr, x->test_number, &r);
	if (v != VERDICT_DONE && out->code == EXIT_DONE) {
		out->code = x->err.code ? x->err.code : EXIT_FAILED;
		out->err = x->err;
	}
	if (v != VERDICT_DONE && x->err.code == EXIT_INTERRUPTED) {
		out->code = EXIT_INTERRUPTED;
		x->fatal = true;
	}
	free(r.params);
	free(r.erase);
	x->record = NULL;
}

/* ---- The run */

/* Who measures the watts; NULL = nobody. */
static const char *power_source(const struct run_request *q, struct meter_info *meter)
{
	if (q->meter) {
		meter_describe(q->meter, meter);
		return meter->source;
	}
	return !q->id->can_power ? NULL : q->id->virtual_clock ? "model" : "nvme";
}

static int begin(struct runner *x, struct run_outcome *out)
{
	struct meter_info meter;
	const struct run_request *q = x->q;
	const struct identity *id = q->id;
	struct run_record head = {
		.label = (char *)(uintptr_t)q->label,
		.started_ms = nsec_wall() / NSEC_PER_MSEC,
		.finished_ms = -1,
		.state = RUN_RUNNING,
		.suite = (char *)(uintptr_t)q->plan->name,
		.quick = q->plan->quick,
		.tool_version = (char *)(uintptr_t)SSDSCOPE_VERSION,
		.host = host_json(x->target),
		.plan = plan_to_json(q->plan),
		.command = (char *)(uintptr_t)q->command,
		.power_source = (char *)(uintptr_t)power_source(q, &meter),
		.host_limit_mbps = q->host_limit_mbps,
		.target =
			{
				.path = (char *)(uintptr_t)id->path,
				.model = (char *)(uintptr_t)(*id->model ? id->model : NULL),
				.serial = (char *)(uintptr_t)(*id->serial ? id->serial : NULL),
				.firmware = (char *)(uintptr_t)(*id->firmware ? id->firmware : NULL),
				.engine = (char *)(uintptr_t)(*id->engine ? id->engine : NULL),
				.capacity_bytes = id->capacity_bytes,
				.rated_class_bytes = id->rated_class_bytes,
				.logical_block_bytes = id->logical_block_bytes,
				.bits_per_cell = id->bits_per_cell,
			},
	};
	snprintf(head.target.kind, sizeof head.target.kind, "%s", id->kind);
	int rc = store_run_begin(&x->sr, q->store, &head, &out->run_id, &out->err);
	free(head.host);
	free(head.plan);
	return rc;
}

static int resume(struct runner *x, struct run_outcome *out)
{
	out->run_id = x->q->resume->id;
	return store_run_resume(&x->sr, x->q->store, x->q->resume->id, &out->err);
}

/* Whether the run that is resumed has this test already. */
static bool is_done(const struct run_record *old, const struct plan_test *t)
{
	for (size_t i = 0; old && i < old->ntests; i++) {
		const struct test_record *r = &old->tests[i];
		if (r->status == TEST_DONE && !strcmp(r->name, t->name) && !strcmp(r->condition, t->condition))
			return true;
	}
	return false;
}

void run_plan(const struct run_request *q, struct run_outcome *out)
{
	struct runner *x = xcalloc(1, sizeof *x); /* large: it holds a histogram */
	*out = (struct run_outcome){.code = EXIT_DONE};
	x->q = q;
	x->target = q->target;
	rng_seed(&x->rng, q->seed);
	rng_seed(&x->probe_rng, q->seed + 1);
	int bad = q->resume ? resume(x, out) : begin(x, out);
	if (q->begun)
		q->begun(q->begun_arg);
	if (bad) {
		out->code = out->err.code;
		free(x);
		return;
	}
	x->started = q->target->ops->now(q->target);
	if (power_start(x, &x->err) || runner_measure_idle(x) != VERDICT_DONE) {
		x->fatal = true;
		out->code = x->err.code;
		out->err = x->err;
	}
	size_t n = 0;
	for (; n < q->plan->ntests && !x->fatal; n++) {
		if (is_done(q->resume, &q->plan->tests[n]))
			store_test_keep(x->sr);
		else
			one_test(x, &q->plan->tests[n], (int)n, out);
	}
	for (; n < q->plan->ntests; n++) {
		if (is_done(q->resume, &q->plan->tests[n]))
			store_test_keep(x->sr);
		else
			not_run(x, &q->plan->tests[n], out->err.text);
	}
	power_finish(x);
	enum run_state state = out->code == EXIT_DONE	       ? RUN_DONE
			       : out->code == EXIT_INTERRUPTED ? RUN_PARTIAL
							       : RUN_FAILED;
	/* A full medium cuts a run short, but it is no fault: partial too. */
	if (state == RUN_FAILED && !x->fatal)
		state = RUN_PARTIAL;
	struct err late = {0};
	if (store_run_finish(x->sr, state, state == RUN_DONE ? NULL : out->err.text, q->host_limit_mbps, &late) &&
		out->code == EXIT_DONE) {
		out->code = late.code;
		out->err = late;
	}
	pthread_mutex_lock(&q->board->lock);
	q->board->p.finished = true;
	pthread_mutex_unlock(&q->board->lock);
	free(x);
}
