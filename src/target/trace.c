// SPDX-License-Identifier: MIT
#include "target/trace.h"

#include "base/mem.h"
#include "base/output.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct trace {
	struct target base;
	struct target *inner;
	FILE *out;
	/* The I/Os in a row that are alike: same operation and size, all consecutive or none. */
	struct io last;
	uint64_t count;
	bool consecutive;
	nsec began;
};

static struct trace *of(struct target *t)
{
	return (struct trace *)t;
}

static const char *io_name(const struct io *io)
{
	return io->op == IO_WRITE ? "write" : io->flags & IO_VERIFY ? "verify" : "read";
}

static void end_row(struct trace *t)
{
	if (t->count)
		fprintf(t->out, "%.6f %s %u %s x%llu\n", nsec_to_s(t->began), io_name(&t->last), t->last.bytes,
			t->consecutive ? "sequential" : "random", (unsigned long long)t->count);
	t->count = 0;
}

static void say(struct trace *t, const char *fmt, double value)
{
	char text[64];
	end_row(t);
	snprintf(text, sizeof text, fmt, value);
	fprintf(t->out, "%.6f %s\n", nsec_to_s(t->inner->ops->now(t->inner)), text);
}

static int trace_submit(struct target *tt, const struct io *io)
{
	struct trace *t = of(tt);
	const struct io *last = &t->last;
	bool follows = io->offset == last->offset + last->bytes;
	bool alike = t->count && io->op == last->op && io->bytes == last->bytes && io->flags == last->flags &&
		     (t->count == 1 || follows == t->consecutive);
	if (!alike) {
		end_row(t);
		t->began = t->inner->ops->now(t->inner);
		t->consecutive = true;
	} else {
		t->consecutive = follows;
	}
	t->last = *io;
	t->count++;
	return t->inner->ops->submit(t->inner, io);
}

static int trace_identify(struct target *t, struct identity *id, struct err *e)
{
	return of(t)->inner->ops->identify(of(t)->inner, id, e);
}

static int trace_reap(struct target *t, struct io_done *done, int max, nsec until)
{
	return of(t)->inner->ops->reap(of(t)->inner, done, max, until);
}

static int trace_idle(struct target *t, nsec until)
{
	struct target *inner = of(t)->inner;
	say(of(t), "idle %.6f", nsec_to_s(until - inner->ops->now(inner)));
	return inner->ops->idle(inner, until);
}

static int trace_trim(struct target *t, uint64_t offset, uint64_t bytes)
{
	say(of(t), "trim %.0f", (double)bytes);
	return of(t)->inner->ops->trim(of(t)->inner, offset, bytes);
}

static int trace_flush(struct target *t)
{
	say(of(t), "flush", 0);
	return of(t)->inner->ops->flush(of(t)->inner);
}

static int trace_erase(struct target *t, enum erase_method method)
{
	say(of(t), "erase", 0);
	return of(t)->inner->ops->erase(of(t)->inner, method);
}

static int trace_low_power(struct target *t, bool allowed)
{
	say(of(t), allowed ? "low power allowed" : "low power forbidden", 0);
	return of(t)->inner->ops->low_power(of(t)->inner, allowed);
}

static int trace_sense(struct target *t, nsec at, struct sense *s)
{
	return of(t)->inner->ops->sense(of(t)->inner, at, s);
}

static void trace_facts(struct target *t, target_fact *each, void *arg)
{
	target_facts(of(t)->inner, each, arg);
}

static void trace_erase_note(struct target *t, char *buf, size_t size)
{
	target_erase_note(of(t)->inner, buf, size);
}

/* Asked before every test and after the last: a trace that cannot be written ends the run there. */
static int trace_same(struct target *tt, struct err *e)
{
	struct trace *t = of(tt);
	end_row(t);
	if (fflush(t->out) || ferror(t->out))
		return err_set(
			e, EXIT_FAILED, "cannot write the trace: %s; give another place with --trace", strerror(errno));
	return target_same(t->inner, e);
}

static void trace_unmake(struct target *t)
{
	target_unmake(of(t)->inner);
}

static nsec trace_now(struct target *t)
{
	return of(t)->inner->ops->now(of(t)->inner);
}

static void trace_close(struct target *t)
{
	end_row(of(t));
	fclose(of(t)->out);
	target_close(of(t)->inner);
	free(t);
}

int target_trace(struct target **out, struct target *inner, const char *path, struct err *e)
{
	static const struct target_ops ops = {
		.name = "trace",
		.identify = trace_identify,
		.submit = trace_submit,
		.reap = trace_reap,
		.idle = trace_idle,
		.trim = trace_trim,
		.flush = trace_flush,
		.erase = trace_erase,
		.low_power = trace_low_power,
		.sense = trace_sense,
		.now = trace_now,
		.close = trace_close,
		.facts = trace_facts,
		.erase_note = trace_erase_note,
		.same = trace_same,
		.unmake = trace_unmake,
	};
	FILE *f = output_open(path, "w", e);
	if (!f)
		return -1;
	struct trace *t = xcalloc(1, sizeof *t);
	*t = (struct trace){.base = {.ops = &ops, .interrupted = inner->interrupted}, .inner = inner, .out = f};
	*out = &t->base;
	return 0;
}
