// SPDX-License-Identifier: MIT
/* A modelled drive as a target, in virtual time: the clock is the end of what was last waited for. */
#include "target/target.h"

#include "base/mem.h"
#include "base/units.h"
#include "model/ssdmodel.h"
#include "profile/profile.h"
#include "profile/resize.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An I/O in flight; its completion time is known from the moment it starts. */
struct flying {
	nsec start, end;
	uint64_t tag;
	uint32_t bytes;
};

struct sim_target {
	struct target base;
	struct ssdmodel *drive;
	struct profile_info info;
	char path[sizeof((struct identity *)0)->path]; /* as it was named: of a profile's file, the file */
	uint64_t whole_bytes;			       /* of the profile; the drive may have been made smaller */
	nsec now;
	/* A heap with the earliest end on top. */
	uint32_t capacity, count;
	struct flying heap[];
};

static struct sim_target *of(struct target *t)
{
	return (struct sim_target *)t;
}

static int sim_identify(struct target *t, struct identity *id, struct err *e)
{
	const struct profile_info *p = &of(t)->info;
	*id = (struct identity){
		.capacity_bytes = p->capacity_bytes,
		.rated_class_bytes = p->class_bytes,
		.logical_block_bytes = 512,
		.bits_per_cell = p->bits_per_cell,
		.rated_tbw_bytes = p->rated_tbw_bytes,
		.rated_write_bps = p->rated_write_mbps * 1e6,
		.rated_read_bps = p->rated_read_mbps * 1e6,
		.virtual_clock = true,
		.can_power = true,
	};
	strcpy(id->kind, "sim");
	strcpy(id->engine, "model");
	snprintf(id->model, sizeof id->model, "%s", p->name);
	strcpy(id->path, of(t)->path);
	return 0;
}

static int sim_submit(struct target *t, const struct io *io)
{
	struct sim_target *s = of(t);
	if (s->count == s->capacity)
		return -EAGAIN;
	if (io->offset + io->bytes > s->info.capacity_bytes)
		return -ENOSPC;
	struct flying f = {.start = s->now, .tag = io->tag, .bytes = io->bytes};
	f.end = ssdmodel_io(
		s->drive, io->op == IO_READ ? SSDMODEL_READ : SSDMODEL_WRITE, io->offset, io->bytes, s->now);
	uint32_t i = s->count++;
	while (i && s->heap[(i - 1) / 2].end > f.end) {
		s->heap[i] = s->heap[(i - 1) / 2];
		i = (i - 1) / 2;
	}
	s->heap[i] = f;
	return 0;
}

static struct flying pop(struct sim_target *s)
{
	struct flying top = s->heap[0], last = s->heap[--s->count];
	uint32_t i = 0, child;
	while ((child = 2 * i + 1) < s->count) {
		if (child + 1 < s->count && s->heap[child + 1].end < s->heap[child].end)
			child++;
		if (s->heap[child].end >= last.end)
			break;
		s->heap[i] = s->heap[child];
		i = child;
	}
	s->heap[i] = last;
	return top;
}

static int sim_reap(struct target *t, struct io_done *done, int max, nsec until)
{
	struct sim_target *s = of(t);
	if (!s->count || s->heap[0].end > until) {
		if (until != NSEC_NEVER && until > s->now)
			s->now = until;
		return 0;
	}
	/* Only those of one instant: the caller may answer each with a new I/O that starts then. */
	nsec at = s->heap[0].end;
	int n = 0;
	s->now = at > s->now ? at : s->now;
	while (n < max && s->count && s->heap[0].end == at) {
		struct flying f = pop(s);
		done[n++] = (struct io_done){.tag = f.tag, .start = f.start, .end = f.end, .bytes = f.bytes};
	}
	return n;
}

static int sim_idle(struct target *t, nsec until)
{
	struct sim_target *s = of(t);
	if (*t->interrupted)
		return -EINTR;
	if (until > s->now)
		s->now = until;
	ssdmodel_advance(s->drive, s->now);
	return 0;
}

static int sim_trim(struct target *t, uint64_t offset, uint64_t bytes)
{
	of(t)->now = ssdmodel_trim(of(t)->drive, offset, bytes, of(t)->now);
	return 0;
}

static int sim_flush(struct target *t)
{
	of(t)->now = ssdmodel_flush(of(t)->drive, of(t)->now);
	return 0;
}

static int sim_erase(struct target *t, enum erase_method method)
{
	if (method != ERASE_NONE)
		of(t)->now = ssdmodel_erase(of(t)->drive, of(t)->now);
	return 0;
}

static int sim_low_power(struct target *t, bool allowed)
{
	ssdmodel_low_power(of(t)->drive, allowed, of(t)->now);
	return 0;
}

static int sim_sense(struct target *t, nsec at, struct sense *out)
{
	struct ssdmodel_sense s;
	ssdmodel_sense(of(t)->drive, at, &s);
	*out = (struct sense){
		.has_joules = true,
		.has_temperature = s.has_temperature,
		.has_throttle = s.has_temperature,
		.has_host_bytes = true,
		.has_nand_bytes = true,
		.has_die_busy = true,
		.joules = s.joules,
		.temperature_c = s.temperature_c,
		.throttle_count = s.throttle_count,
		.throttled = s.throttled,
		.host_bytes = s.host_bytes,
		.nand_bytes = s.nand_bytes,
		.die_busy_ns = s.die_busy_ns,
	};
	return 0;
}

static nsec sim_now(struct target *t)
{
	return of(t)->now;
}

static void sim_close(struct target *t)
{
	ssdmodel_destroy(of(t)->drive);
	free(t);
}

/* What the profile calls the drive, and that it was made smaller than that (--size): its name alone would not say so.
 */
static void sim_facts(struct target *t, target_fact *each, void *arg)
{
	const struct sim_target *s = of(t);
	char own[UNITS_BUF], whole[UNITS_BUF], text[2 * UNITS_BUF + 8];
	each(arg, "full name", s->info.title, NULL);
	if (s->info.capacity_bytes == s->whole_bytes)
		return;
	snprintf(text, sizeof text, "%s instead of %s", units_bytes(own, (double)s->info.capacity_bytes),
		units_bytes(whole, (double)s->whole_bytes));
	each(arg, "smaller copy", text, NULL);
}

static const struct target_ops sim_ops = {
	.name = "model",
	.facts = sim_facts,
	.identify = sim_identify,
	.submit = sim_submit,
	.reap = sim_reap,
	.idle = sim_idle,
	.trim = sim_trim,
	.flush = sim_flush,
	.erase = sim_erase,
	.low_power = sim_low_power,
	.sense = sim_sense,
	.now = sim_now,
	.close = sim_close,
};

int target_open_sim(struct target **out, const char *spec, const struct target_options *o, struct err *e)
{
	struct ssdmodel_params params;
	uint32_t capacity = o->max_qd ? o->max_qd : 1;
	struct sim_target *s = xcalloc(1, sizeof *s + capacity * sizeof *s->heap);
	char why[256];
	int rc = profile_load(spec, &params, &s->info, e);
	s->whole_bytes = s->info.capacity_bytes;
	if (rc || (o->size && profile_resize(&params, &s->info, o->size, e))) {
		/* e tells */
	} else if (ssdmodel_create(&s->drive, &params, why, sizeof why)) {
		err_set(e, EXIT_USAGE, "cannot model '%s': %s", spec, why);
	} else {
		s->base = (struct target){.ops = &sim_ops, .interrupted = o->interrupted};
		s->capacity = capacity;
		snprintf(s->path, sizeof s->path, "sim:%s", spec);
		*out = &s->base;
		return 0;
	}
	free(s);
	return -1;
}
