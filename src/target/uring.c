// SPDX-License-Identifier: MIT
/* io_uring: one ring, one registered descriptor, two registered regions of memory (to write from, to read into). A
 * whole round of submissions and the wait for a completion is one system call. */
#include "base/mem.h"
#include "target/engine.h"

#include <errno.h>
#include <liburing.h>
#include <linux/nvme_ioctl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

enum { MAX_TIMERS = 4 };
#define TIMER ((uint64_t)1 << 63) /* user data of the first timer's completion; those of I/Os are smaller */

#define NVME_CAPACITY_EXCEEDED 0x81 /* generic command status of the NVM command set */

struct uring {
	struct engine engine;
	struct io_uring ring;
	bool fixed_buffers;
	unsigned *queued, queued_count; /* slots of which the next system call submits something */
	struct timer {
		nsec at; /* 0 = not armed */
		struct __kernel_timespec ts;
	} timer[MAX_TIMERS];
	unsigned *commands; /* passthrough, by slot: commands in flight */
};

/* A free submission entry: the ring has one for whatever can be in flight. */
static struct io_uring_sqe *entry(struct uring *u)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(&u->ring);
	if (!sqe)
		abort();
	return sqe;
}

/* A read or write of what is left of a slot's I/O. */
static void queue_read_write(struct uring *u, unsigned i)
{
	struct slot *s = &u->engine.slot[i];
	struct io_uring_sqe *sqe = entry(u);
	void *memory = engine_memory(&u->engine, i) + s->bytes;
	unsigned bytes = s->io.bytes - s->bytes;
	uint64_t offset = s->io.offset + s->bytes;
	if (s->io.op == IO_WRITE && u->fixed_buffers)
		io_uring_prep_write_fixed(sqe, 0, memory, bytes, offset, 0);
	else if (s->io.op == IO_WRITE)
		io_uring_prep_write(sqe, 0, memory, bytes, offset);
	else if (u->fixed_buffers)
		io_uring_prep_read_fixed(sqe, 0, memory, bytes, offset, 1);
	else
		io_uring_prep_read(sqe, 0, memory, bytes, offset);
	sqe->flags |= IOSQE_FIXED_FILE;
	io_uring_sqe_set_data64(sqe, i);
}

/* Longest NVMe command. */
static uint32_t most(const struct uring *u)
{
	return u->engine.setup.max_command_bytes ? u->engine.setup.max_command_bytes : UINT32_MAX;
}

/* How many commands the largest I/O takes. */
static unsigned pieces(const struct engine_setup *setup)
{
	return setup->nsid && setup->max_command_bytes
		       ? (unsigned)((setup->data->stride + setup->max_command_bytes - 1) / setup->max_command_bytes)
		       : 1;
}

/* The registered buffer of one command. */
static unsigned piece(const struct uring *u, uint8_t op, unsigned slot, unsigned part)
{
	unsigned first = op == IO_WRITE ? 0 : u->engine.setup.max_qd;
	return (first + slot) * pieces(&u->engine.setup) + part;
}

/* NVMe commands for a slot's I/O, all at once: opcode, namespace, first block in dwords 10 and 11, number of blocks
 * less one in dword 12 (NVM command set, read and write). The completion tells no length, so the user data carries it.
 */
static void queue_commands(struct uring *u, unsigned i)
{
	struct slot *s = &u->engine.slot[i];
	for (uint32_t at = 0; at < s->io.bytes;) {
		uint32_t bytes = s->io.bytes - at < most(u) ? s->io.bytes - at : most(u);
		uint64_t block = (s->io.offset + at) / u->engine.setup.block_bytes;
		struct io_uring_sqe *sqe = entry(u);
		memset(sqe, 0, 2 * sizeof *sqe);
		sqe->opcode = IORING_OP_URING_CMD;
		sqe->flags = IOSQE_FIXED_FILE;
		sqe->cmd_op = NVME_URING_CMD_IO;
		if (u->fixed_buffers) {
			sqe->uring_cmd_flags = IORING_URING_CMD_FIXED;
			sqe->buf_index = (uint16_t)piece(u, s->io.op, i, at / most(u));
		}
		struct nvme_uring_cmd *c = (struct nvme_uring_cmd *)sqe->cmd;
		c->opcode = s->io.op == IO_WRITE ? 0x01 : 0x02;
		c->nsid = u->engine.setup.nsid;
		c->addr = (uintptr_t)(engine_memory(&u->engine, i) + at);
		c->data_len = bytes;
		c->cdw10 = (uint32_t)block;
		c->cdw11 = (uint32_t)(block >> 32);
		c->cdw12 = bytes / u->engine.setup.block_bytes - 1;
		io_uring_sqe_set_data64(sqe, (uint64_t)bytes << 32 | i);
		u->commands[i]++;
		at += bytes;
	}
}

static void queue(struct uring *u, unsigned i)
{
	if (u->engine.setup.nsid)
		queue_commands(u, i);
	else
		queue_read_write(u, i);
	u->queued[u->queued_count++] = i;
}

/* Books a passthrough command: `res` is a negative errno, 0, or an NVMe status. True when it was the last of its I/O.
 */
static bool book_command(struct uring *u, unsigned i, uint32_t bytes, int res)
{
	struct slot *s = &u->engine.slot[i];
	if (res == 0)
		s->bytes += bytes;
	else if (res == -EINTR && !s->status)
		s->status = -ETIMEDOUT; /* how the kernel says that it gave a command up, when its time was over */
	else if (!s->status)
		s->status = res < 0 ? res : (res & 0x7ff) == NVME_CAPACITY_EXCEEDED ? -ENOSPC : -EIO;
	return --u->commands[i] == 0;
}

static int uring_submit(struct engine *e, const struct io *io)
{
	int i = engine_take(e, io);
	if (i < 0)
		return i;
	queue((struct uring *)e, (unsigned)i);
	return 0;
}

/* Takes completions off the ring without a system call. */
static int harvest(struct uring *u, struct io_done *done, int max, nsec end)
{
	struct io_uring_cqe *cqe;
	unsigned head, seen = 0;
	int n = 0;
	io_uring_for_each_cqe(&u->ring, head, cqe)
	{
		if (n == max)
			break;
		seen++;
		uint64_t tag = io_uring_cqe_get_data64(cqe);
		if (tag >= TIMER) {
			u->timer[tag - TIMER].at = 0;
			continue;
		}
		unsigned i = (unsigned)tag;
		if (u->engine.setup.nsid) {
			if (!book_command(u, i, (uint32_t)(tag >> 32), cqe->res))
				continue;
		} else if (!engine_book(&u->engine, i, cqe->res)) {
			queue(u, i);
			continue;
		}
		u->engine.slot[i].end = end;
		engine_finish(&u->engine, i, &done[n++]);
	}
	io_uring_cq_advance(&u->ring, seen);
	return n;
}

/* Sees to it that a wait ends at `t`: a timer of the ring, whose expiry is a completion like any other. It stays over
 * many I/Os, which a time-out given with each wait would not: that costs each I/O a timer set and cancelled. False if
 * there are as many timers as the ring has room for. */
static bool arm(struct uring *u, nsec t)
{
	int unused = -1;
	for (int i = 0; i < MAX_TIMERS; i++) {
		if (u->timer[i].at && u->timer[i].at <= t)
			return true;
		unused = u->timer[i].at ? unused : i;
	}
	if (unused < 0)
		return false;
	struct timer *timer = &u->timer[unused];
	timer->at = t;
	timer->ts = (struct __kernel_timespec){.tv_sec = t / NSEC_PER_SEC, .tv_nsec = t % NSEC_PER_SEC};
	struct io_uring_sqe *sqe = entry(u);
	io_uring_prep_timeout(sqe, &timer->ts, 0, IORING_TIMEOUT_ABS);
	io_uring_sqe_set_data64(sqe, TIMER + (unsigned)unused);
	return true;
}

/* Hands the queued slots to the kernel; waits for a completion, at most until `until`, if `wait`. 0 or a negative
 * errno. */
static int enter(struct uring *u, bool wait, nsec until)
{
	nsec now = nsec_now();
	for (unsigned k = 0; k < u->queued_count; k++) {
		struct slot *s = &u->engine.slot[u->queued[k]];
		s->start = s->start ? s->start : now;
	}
	/* What the kernel does not take (it is interrupted or short of memory) goes with the next call; its I/Os have
	 * begun as far as we are concerned. */
	u->queued_count = 0;
	wait = wait && until > now && arm(u, until - now < ENGINE_SLICE ? until : now + ENGINE_SLICE);
	int r = wait ? io_uring_submit_and_wait(&u->ring, 1) : io_uring_submit_and_get_events(&u->ring);
	return r == -EINTR || r == -EAGAIN || r == -EBUSY ? 0 : r < 0 ? r : 0;
}

static int uring_reap(struct engine *e, struct io_done *done, int max, nsec until)
{
	struct uring *u = (struct uring *)e;
	int n = io_uring_sq_ready(&u->ring) ? 0 : harvest(u, done, max, nsec_now());
	while (!n) {
		bool wait = !*e->setup.interrupted;
		int r = enter(u, wait, until);
		if (r < 0)
			return r;
		nsec now = nsec_now();
		n = harvest(u, done, max, now);
		if (!wait || now >= until)
			break;
	}
	return n;
}

static void uring_close(struct engine *e)
{
	struct uring *u = (struct uring *)e;
	/* Memory that is in flight stays pinned by the kernel, so giving up on a stuck drive after a while is safe. */
	const nsec patience = nsec_now() + 5 * NSEC_PER_SEC;
	struct io_done done;
	static const sig_atomic_t never = 0;
	e->setup.interrupted = &never;
	while (e->free_count < e->setup.max_qd && nsec_now() < patience)
		if (uring_reap(e, &done, 1, patience) < 0)
			break;
	/* The ring itself is torn down later, by a kernel thread; the descriptor's claim on a device must end now. */
	io_uring_unregister_files(&u->ring);
	io_uring_queue_exit(&u->ring);
	free(u->queued);
	free(u->commands);
	engine_fini(e);
	free(u);
}

static const struct engine_ops uring_ops = {.submit = uring_submit, .reap = uring_reap, .close = uring_close};

/* Newest set of flags first: DEFER_TASKRUN came with Linux 6.1, COOP_TASKRUN with 5.19. */
static int open_ring(struct io_uring *ring, unsigned entries, unsigned always)
{
	static const unsigned flags[] = {
		IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN, IORING_SETUP_COOP_TASKRUN, 0};
	int r = -EINVAL;
	for (size_t i = 0; i < ARRAY_SIZE(flags) && r == -EINVAL; i++) {
		struct io_uring_params p = {.flags = flags[i] | always};
		r = io_uring_queue_init_params(entries, ring, &p);
		if (!r && !(p.features & IORING_FEAT_EXT_ARG)) { /* no wait with a time-out: a kernel before 5.11 */
			io_uring_queue_exit(ring);
			return -ENOSYS;
		}
	}
	return r;
}

/* Registers the memory: for reads and writes each region as a whole; for passthrough each command's piece, because the
 * kernel counts a registered buffer's pages to its end when it asks whether a command is too large. True if it is
 * registered. */
static bool register_memory(struct uring *u)
{
	const struct engine_setup *setup = &u->engine.setup;
	const struct data *d = setup->data;
	size_t bytes = d->slots * d->stride;
	if (!setup->nsid) {
		struct iovec regions[] = {{d->write, bytes}, {d->read, bytes}};
		return io_uring_register_buffers(&u->ring, regions, ARRAY_SIZE(regions)) == 0;
	}
	unsigned count = 2 * setup->max_qd * pieces(setup);
	if (count > UINT16_MAX)
		return false;
	struct iovec *v = xcalloc(count, sizeof *v);
	for (unsigned slot = 0; slot < setup->max_qd; slot++) {
		for (unsigned part = 0; part < pieces(setup); part++) {
			size_t at = (size_t)part * most(u), left = d->stride - at;
			size_t length = left < most(u) ? left : most(u);
			v[piece(u, IO_WRITE, slot, part)] = (struct iovec){data_to_write(d, slot) + at, length};
			v[piece(u, IO_READ, slot, part)] = (struct iovec){data_to_read(d, slot) + at, length};
		}
	}
	int r = io_uring_register_buffers(&u->ring, v, count);
	free(v);
	return r == 0;
}

int engine_open_uring(struct engine **out, const struct engine_setup *setup)
{
	struct uring *u = xcalloc(1, sizeof *u);
	/* Passthrough takes entries of twice the size. */
	int r = open_ring(&u->ring, setup->max_qd * pieces(setup) + MAX_TIMERS,
		setup->nsid ? IORING_SETUP_SQE128 | IORING_SETUP_CQE32 : 0);
	if (!r) {
		r = io_uring_register_files(&u->ring, &setup->fd, 1);
		if (r)
			io_uring_queue_exit(&u->ring);
	}
	if (r) {
		free(u);
		return r;
	}
	io_uring_register_ring_fd(&u->ring); /* saves a look-up per call where the kernel can; else no loss */
	engine_init(&u->engine, setup);
	u->engine.ops = &uring_ops;
	/* Registered memory counts against RLIMIT_MEMLOCK; without it each I/O costs a little more. */
	u->fixed_buffers = register_memory(u);
	if (setup->nsid)
		u->engine.name = u->fixed_buffers ? "io_uring_cmd" : "io_uring_cmd, plain buffers";
	else
		u->engine.name = u->fixed_buffers ? "io_uring" : "io_uring, plain buffers";
	u->commands = xcalloc(setup->max_qd, sizeof *u->commands);
	u->queued = xcalloc(setup->max_qd, sizeof *u->queued);
	*out = &u->engine;
	return 0;
}
