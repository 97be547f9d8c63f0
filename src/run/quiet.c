// SPDX-License-Identifier: MIT
/* The wait until the target is quiet: folding, collecting and erasing that went on in the background would bend the
 * next test. A drive begins such work only when the host has been silent for a while, so the wait is made of pauses,
 * and what went on in a pause is looked at when it is over.
 *
 * How it shows: of some reads that come together right after the pause, each meets a die in another moment of a program
 * or an erase, or an idle one, so they come back far apart; a moment later, with the host back, the drive has stopped,
 * and they come back together. What it costs to wake the drive, the link or the host delays them all alike. And it
 * shows in the watts of the pause, where they are known. */
#include "run/runner.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LIMIT (120 * NSEC_PER_SEC)
/* Pauses of 1, 2, 2, 4, 4, 8, 8 ... s: the longer, the less of it is lost until the drive sets to work again. */
#define FIRST_PAUSE NSEC_PER_SEC
#define LONGEST_PAUSE (8 * NSEC_PER_SEC)
/* A shorter one says nothing. Assumed to be longer than any drive's delay; no maker publishes one. Reviews saw caches
 * come back after "even a second" (Cardea IOPS, docs/drives.md), the profiles assume 50 to 500 ms. */
#define TELLING_PAUSE (2 * NSEC_PER_SEC)
/* Between the reads after a pause: too short for a drive to set to work again. */
#define MOMENT (20 * NSEC_PER_MSEC)
/* Less than this was host time or chance; a program takes 0.2 to 3 ms (docs/model.md). */
#define TOLERANCE 100e3
/* The same for the threads of the pread engine, each of which wakes on its own. */
#define TOLERANCE_OF_THREADS 1e6

#define READS 5

/* How far apart reads came back right after a pause, and a moment later, ns; and the mean watts of the pause. */
struct probe {
	nsec pause;
	double first, later, watts;
	uint64_t place; /* of the last read */
};

/* How much longer the slowest took than the fastest of READS reads of 4 KiB at once, at random places that hold data
 * (or anywhere, where none is known to): what was never written is answered without a look at the flash. */
static int spread(struct runner *x, struct probe *p, double *out)
{
	struct target *t = x->target;
	uint32_t bytes = x->q->id->logical_block_bytes > 4096 ? x->q->id->logical_block_bytes : 4096;
	uint64_t places = (x->written >= bytes ? x->written : x->q->id->capacity_bytes) / bytes;
	nsec fastest = INT64_MAX, slowest = 0;
	int left = 0, failed = 0;
	for (uint64_t i = 0; i < READS && !failed; i++) {
		struct io io = {.op = IO_READ, .bytes = bytes, .tag = i};
		p->place = io.offset = rng_below(&x->probe_rng, places) * bytes;
		failed = t->ops->submit(t, &io);
		left += !failed;
	}
	while (left > 0) { /* all of them, also after one that failed: nothing may come in the next phase */
		struct io_done done[READS];
		int n = t->ops->reap(t, done, READS, NSEC_NEVER);
		if (n < 0 || (n == 0 && *t->interrupted))
			return n < 0 ? n : -EINTR;
		left -= n;
		for (int i = 0; i < n; i++) {
			failed = failed ? failed : done[i].status;
			nsec took = done[i].end - done[i].start;
			fastest = took < fastest ? took : fastest;
			slowest = took > slowest ? took : slowest;
		}
	}
	*out = (double)(slowest - fastest);
	return failed;
}

/* A pause, and what the target says that it drew meanwhile; NAN = it does not say. */
struct pause {
	nsec from, to;
	double joules;
};

static int pause_for(struct runner *x, nsec length, struct pause *s)
{
	struct target *t = x->target;
	struct sense a = {0}, b = {0};
	s->from = t->ops->now(t);
	t->ops->sense(t, s->from, &a);
	int rc = t->ops->idle(t, s->from + length);
	s->to = t->ops->now(t);
	t->ops->sense(t, s->to, &b);
	s->joules = sense_joules(&a, &b);
	return rc;
}

/* The instrument's watts go before the target's own. It lags: to be asked when the reads after the pause are done. */
static double watts_of(struct runner *x, const struct pause *s)
{
	return x->power ? power_watts(x, s->from, s->to) : s->joules / nsec_to_s(s->to - s->from);
}

static int probe(struct runner *x, nsec pause, struct probe *p)
{
	struct target *t = x->target;
	struct pause s;
	p->pause = pause;
	int rc = pause_for(x, pause, &s);
	if (!rc)
		rc = spread(x, p, &p->first);
	/* More of them: a read that is slow by chance must not count against the first ones only. */
	p->later = 0;
	for (int i = 0; i < 3 && !rc; i++) {
		double apart = 0;
		rc = t->ops->idle(t, t->ops->now(t) + MOMENT);
		if (!rc)
			rc = spread(x, p, &apart);
		p->later = fmax(p->later, apart);
	}
	p->watts = rc ? NAN : watts_of(x, &s);
	return rc;
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

/* After three pauses of which the last was long enough: right after each of the last two, reads came back no further
 * apart than at other moments of all three. And the watts, where they are known, are those of rest. */
static bool is_quiet(const struct probe p[3], double idle_watts, double tolerance)
{
	double first = fmax(p[1].first, p[2].first), later = fmax(fmax(p[0].later, p[1].later), p[2].later);
	bool at_rest =
		isnan(p[2].watts) || isnan(idle_watts) || p[2].watts <= idle_watts + fmax(0.10 * idle_watts, 0.05);
	return p[1].pause && p[2].pause >= TELLING_PAUSE && at_rest && first <= later + fmax(0.10 * later, tolerance);
}

enum verdict runner_measure_idle(struct runner *x)
{
	struct pause s;
	x->idle_watts = NAN;
	x->target->ops->low_power(x->target, false);
	if (!x->q->id->can_power && !x->power)
		return VERDICT_DONE;
	int rc = pause_for(x, TELLING_PAUSE, &s);
	if (rc)
		return probe_failed(x, rc, 0);
	x->idle_watts = watts_of(x, &s);
	return VERDICT_DONE;
}

enum verdict runner_wait_quiet(struct runner *x)
{
	struct target *t = x->target;
	struct probe p[3] = {0};
	nsec from = t->ops->now(t), pause = FIRST_PAUSE;
	double tolerance = strcmp(x->q->id->engine, "pread") ? TOLERANCE : TOLERANCE_OF_THREADS;
	if (x->q->id->always_quiet)
		return VERDICT_DONE;
	progress_activity(x->q->board, "waiting until quiet", 0);
	t->ops->low_power(t, false);
	for (int n = 0;; n++) {
		p[0] = p[1], p[1] = p[2];
		int rc = probe(x, pause, &p[2]);
		if (rc)
			return probe_failed(x, rc, p[2].place);
		if (!isnan(x->idle_watts))
			x->idle_watts = fmin(x->idle_watts, p[2].watts); /* it may have been busy before the run */
		if (is_quiet(p, x->idle_watts, tolerance))
			break;
		nsec left = from + LIMIT - t->ops->now(t);
		if (left <= 0) {
			runner_warn(x, "not-quiet",
				"the drive was still busy 120 s after what was written before the test; the first "
				"seconds of the test may be slow");
			break;
		}
		if (n % 2 == 0 && pause < LONGEST_PAUSE)
			pause *= 2;
		pause = pause < left ? pause : left;
	}
	x->unquiet = false;
	x->record->quiet_wait = (x->record->quiet_wait > 0 ? x->record->quiet_wait : 0) + t->ops->now(t) - from;
	return VERDICT_DONE;
}
