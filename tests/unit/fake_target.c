// SPDX-License-Identifier: MIT
#include "fake_target.h"

#include <errno.h>
#include <math.h>
#include <string.h>

static struct fake *of(struct target *t)
{
	return (struct fake *)t;
}

void fake_finish_log(struct fake *f)
{
	if (f->log && f->run_length)
		fprintf(f->log, "%s x%llu\n", f->run_text, (unsigned long long)f->run_length);
	f->run_length = 0;
}

static void say(struct fake *f, const char *what)
{
	fake_finish_log(f);
	if (f->log)
		fprintf(f->log, "%9.3f %s\n", nsec_to_s(f->now), what);
}

static void set_now(struct fake *f, nsec now)
{
	if (now > f->now)
		f->now = now;
	if (f->interrupt_at && f->now >= f->interrupt_at)
		f->interrupted = 1;
}

/* Joules up to `at`: busy power while an I/O is served, idle power else. Calls come in order of time. */
static double joules_at(struct fake *f, nsec at)
{
	if (at > f->joules_at) {
		nsec busy_end = at < f->busy_until ? at : f->busy_until;
		double busy = busy_end > f->joules_at ? nsec_to_s(busy_end - f->joules_at) : 0;
		f->joules += busy * f->watts_busy + (nsec_to_s(at - f->joules_at) - busy) * f->watts_idle;
		f->joules_at = at;
	}
	return f->joules;
}

static int identify(struct target *t, struct identity *id, struct err *e)
{
	*id = (struct identity){.capacity_bytes = of(t)->capacity,
		.logical_block_bytes = 512,
		.virtual_clock = true,
		.can_power = !of(t)->no_watts};
	strcpy(id->kind, "sim");
	strcpy(id->path, "fake");
	strcpy(id->model, "fake");
	return 0;
}

static int submit(struct target *t, const struct io *io)
{
	struct fake *f = of(t);
	if (f->count == 64)
		return -EAGAIN;
	joules_at(f, f->now);
	nsec start = f->now > f->busy_until ? f->now : f->busy_until;
	nsec end = start + (nsec)llround((double)io->bytes * f->ns_per_byte);
	end += f->waking;
	f->waking = 0;
	if (f->blocked && f->ios_before_block-- == 0) {
		end += f->blocked;
		f->blocked = 0;
	}
	if (f->stall && start >= f->stall_at) {
		end += f->stall;
		f->stall = 0;
	}
	f->busy_until = end;
	struct io_done d = {.tag = io->tag, .start = f->now, .end = end, .bytes = io->bytes};
	if (++f->ios == f->fail_at) {
		d.status = f->fail_status;
		d.bytes = 0;
	}
	f->queue[(f->head + f->count++) % 64] = d;
	if (io->op == IO_WRITE) {
		f->host_bytes += io->bytes;
		f->work_left = f->work_after_write;
	}
	if (f->log) {
		char text[96];
		snprintf(text, sizeof text, "%s %u",
			io->op == IO_WRITE	? "write"
			: io->flags & IO_VERIFY ? "verify"
						: "read",
			io->bytes);
		const char *old = f->run_length ? strstr(f->run_text, text) : NULL;
		if (old && !old[strlen(text)]) {
			f->run_length++;
		} else {
			fake_finish_log(f);
			snprintf(f->run_text, sizeof f->run_text, "%9.3f %s", nsec_to_s(f->now), text);
			f->run_length = 1;
		}
	}
	return 0;
}

static int reap(struct target *t, struct io_done *done, int max, nsec until)
{
	struct fake *f = of(t);
	if (!f->count || f->queue[f->head].end > until) {
		if (until != NSEC_NEVER)
			set_now(f, until);
		return 0;
	}
	done[0] = f->queue[f->head];
	f->head = (f->head + 1) % 64;
	f->count--;
	set_now(f, done[0].end);
	return 1;
}

static int idle(struct target *t, nsec until)
{
	struct fake *f = of(t);
	char text[64];
	snprintf(text, sizeof text, "idle %.3f", nsec_to_s(until - f->now));
	say(f, text);
	if (f->interrupt_at && f->interrupt_at < until)
		until = f->interrupt_at > f->now ? f->interrupt_at : f->now;
	joules_at(f, f->now);
	nsec length = until - f->now, work = length > f->work_delay ? length - f->work_delay : 0;
	work = work < f->work_left ? work : f->work_left;
	f->work_left -= work;
	f->joules += nsec_to_s(work) * (f->watts_work - f->watts_idle);
	if (work && f->work_left) /* in the middle of something, which takes now longer, now shorter */
		f->blocked = f->work_blocks >> f->pauses++ % 3;
	f->ios_before_block = 2;
	if (length >= 100 * NSEC_PER_MSEC)
		f->waking = f->wakes;
	set_now(f, until);
	return f->interrupted ? -EINTR : 0;
}

static int trim(struct target *t, uint64_t offset, uint64_t bytes)
{
	return say(of(t), "trim"), 0;
}
static int flush(struct target *t)
{
	return say(of(t), "flush"), 0;
}
static int erase(struct target *t, enum erase_method m)
{
	return say(of(t), "erase"), 0;
}

static int low_power(struct target *t, bool allowed)
{
	return say(of(t), allowed ? "low power allowed" : "low power forbidden"), 0;
}

static int sense(struct target *t, nsec at, struct sense *s)
{
	struct fake *f = of(t);
	*s = (struct sense){.has_joules = !of(t)->no_watts, .has_nand_bytes = true, .nand_bytes = 2 * f->host_bytes};
	s->joules = joules_at(f, at);
	return 0;
}

static nsec now(struct target *t)
{
	return of(t)->now;
}
static void close_fake(struct target *t)
{
	(void)t;
}

static const struct target_ops ops = {
	"fake", identify, submit, reap, idle, trim, flush, erase, low_power, sense, now, close_fake};

void fake_init(struct fake *f, uint64_t capacity, double bytes_per_s, FILE *log)
{
	memset(f, 0, sizeof *f);
	f->base = (struct target){.ops = &ops, .interrupted = &f->interrupted};
	f->capacity = capacity;
	f->ns_per_byte = 1e9 / bytes_per_s;
	f->log = log;
	f->watts_idle = 1;
	f->watts_busy = 5;
}
