// SPDX-License-Identifier: MIT
/* A target that does nothing: it completes each I/O at once, or a fixed time after it was submitted. It exists to test
 * the runner and to measure its own cost, on the real clock. With `stamp` it makes a write's data as a real target
 * does. */
#include "target/data.h"
#include "target/target.h"

#include "base/mem.h"
#include "base/units.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct waiting {
	nsec start, due;
	uint64_t tag;
	uint32_t bytes;
};

struct null_target {
	struct target base;
	char spec[256];
	uint64_t size;
	nsec latency;
	bool stamp;
	struct data data; /* where `stamp` */
	/* A ring: with one latency for all, I/Os end in the order of their submission. */
	uint32_t capacity, head, count;
	struct waiting ring[];
};

static struct null_target *of(struct target *t)
{
	return (struct null_target *)t;
}

static int null_identify(struct target *t, struct identity *id, struct err *e)
{
	*id = (struct identity){.capacity_bytes = of(t)->size, .logical_block_bytes = 512, .always_quiet = true};
	strcpy(id->kind, "null");
	strcpy(id->engine, "null");
	strcpy(id->model, "null");
	snprintf(id->path, sizeof id->path, "null:%s", of(t)->spec);
	return 0;
}

static int null_submit(struct target *t, const struct io *io)
{
	struct null_target *n = of(t);
	if (n->count == n->capacity)
		return -EAGAIN;
	if (io->offset + io->bytes > n->size)
		return -ENOSPC;
	uint32_t slot = n->head + n->count++;
	if (slot >= n->capacity)
		slot -= n->capacity;
	nsec now = nsec_now();
	if (n->stamp && io->op == IO_WRITE)
		data_stamp(&n->data, slot, io->offset, io->bytes, io->pass);
	n->ring[slot] = (struct waiting){.start = now, .due = now + n->latency, .tag = io->tag, .bytes = io->bytes};
	return 0;
}

/* Until `due`: sleeps while it is far, spins for the last stretch, which the kernel's timer slack would miss. */
static nsec wait_until(struct null_target *n, nsec due)
{
	enum { SPIN = 200 * 1000 };
	nsec now = nsec_now();
	while (now < due && !*n->base.interrupted) {
		if (due - now > SPIN) {
			nsec wake = due - SPIN;
			struct timespec ts = {.tv_sec = wake / NSEC_PER_SEC, .tv_nsec = wake % NSEC_PER_SEC};
			clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL);
		}
		now = nsec_now();
	}
	return now;
}

static int null_reap(struct target *t, struct io_done *done, int max, nsec until)
{
	struct null_target *n = of(t);
	int got = 0;
	if (!n->count)
		return wait_until(n, until), 0;
	nsec due = n->ring[n->head].due;
	nsec now = wait_until(n, due < until ? due : until);
	while (got < max && n->count && n->ring[n->head].due <= now) {
		struct waiting *w = &n->ring[n->head];
		done[got++] = (struct io_done){.tag = w->tag, .start = w->start, .end = now, .bytes = w->bytes};
		n->head = n->head + 1 == n->capacity ? 0 : n->head + 1;
		n->count--;
	}
	return got;
}

static int null_idle(struct target *t, nsec until)
{
	wait_until(of(t), until);
	return *t->interrupted ? -EINTR : 0;
}

static int null_trim(struct target *t, uint64_t offset, uint64_t bytes)
{
	return 0;
}
static int null_flush(struct target *t)
{
	return 0;
}
static int null_erase(struct target *t, enum erase_method method)
{
	return 0;
}
static int null_low_power(struct target *t, bool allowed)
{
	return -EOPNOTSUPP;
}

static int null_sense(struct target *t, nsec at, struct sense *s)
{
	*s = (struct sense){0};
	return 0;
}

static nsec null_now(struct target *t)
{
	return nsec_now();
}

static void null_close(struct target *t)
{
	if (of(t)->stamp)
		data_close(&of(t)->data);
	free(t);
}

static const struct target_ops null_ops = {
	.name = "null",
	.identify = null_identify,
	.submit = null_submit,
	.reap = null_reap,
	.idle = null_idle,
	.trim = null_trim,
	.flush = null_flush,
	.erase = null_erase,
	.low_power = null_low_power,
	.sense = null_sense,
	.now = null_now,
	.close = null_close,
};

int target_open_null(struct target **out, const char *spec, const struct target_options *o, struct err *e)
{
	uint64_t size = o->size ? o->size : 8 * GIB;
	nsec latency = 0;
	bool stamp = false;
	struct err why = {0};
	char *copy = xstrdup(spec), *save = NULL;
	for (char *field = strtok_r(copy, ",", &save); field; field = strtok_r(NULL, ",", &save)) {
		int bad = 0;
		if (!strncmp(field, "size=", 5))
			bad = units_parse_size(field + 5, 512, &size, &why);
		else if (!strncmp(field, "latency=", 8))
			bad = units_parse_duration(field + 8, &latency);
		else if (!strcmp(field, "stamp"))
			stamp = true;
		else
			bad = 1;
		if (bad) {
			if (!why.code)
				err_set(&why, EXIT_USAGE, "'%s' is not understood; give null:size=8G,latency=100us",
					field);
			err_set(e, EXIT_USAGE, "cannot open 'null:%s': %s", spec, why.text);
			free(copy);
			return -1;
		}
	}
	free(copy);
	uint32_t capacity = o->max_qd ? o->max_qd : 1;
	struct null_target *n = xcalloc(1, sizeof *n + capacity * sizeof *n->ring);
	n->base = (struct target){.ops = &null_ops, .interrupted = o->interrupted};
	snprintf(n->spec, sizeof n->spec, "%s", spec);
	n->size = size / 512 * 512;
	n->latency = latency;
	n->stamp = stamp;
	if (stamp && data_open(&n->data, capacity, o->max_bytes, o->seed, e)) {
		free(n);
		return -1;
	}
	n->capacity = capacity;
	*out = &n->base;
	return 0;
}
