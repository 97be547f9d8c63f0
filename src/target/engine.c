// SPDX-License-Identifier: MIT
#include "target/engine.h"

#include "base/mem.h"

#include <errno.h>
#include <stdlib.h>

void engine_init(struct engine *e, const struct engine_setup *setup)
{
	e->setup = *setup;
	e->slot = xcalloc(setup->max_qd, sizeof *e->slot);
	e->free_slot = xcalloc(setup->max_qd, sizeof *e->free_slot);
	e->free_count = setup->max_qd;
	for (unsigned i = 0; i < setup->max_qd; i++)
		e->free_slot[i] = setup->max_qd - 1 - i;
}

void engine_fini(struct engine *e)
{
	free(e->slot);
	free(e->free_slot);
}

int engine_take(struct engine *e, const struct io *io)
{
	if (!e->free_count)
		return -EBUSY;
	unsigned i = e->free_slot[--e->free_count];
	e->slot[i] = (struct slot){.io = *io};
	if (io->op == IO_WRITE)
		data_stamp(e->setup.data, i, io->offset, io->bytes, io->pass);
	else if (io->flags & IO_VERIFY)
		data_spoil(e->setup.data, i, io->bytes);
	return (int)i;
}

/* The block layer's ways to say that a drive failed an I/O (blk_errors[] of Linux): a bad medium, a failed target, a
 * checksum of the link. EILSEQ is kept for our own verification. */
static int status_of(int64_t result)
{
	return result == -ENODATA || result == -EREMOTEIO || result == -EILSEQ ? -EIO : (int)result;
}

bool engine_book(struct engine *e, unsigned i, int64_t result)
{
	struct slot *s = &e->slot[i];
	if (result == -EINTR || result == -EAGAIN)
		return false;
	if (result > 0)
		s->bytes += (uint32_t)result;
	if (s->bytes == s->io.bytes)
		return true;
	if (result > 0 && s->bytes % e->setup.block_bytes == 0)
		return false;
	s->status = result < 0 ? status_of(result) : -EIO;
	return true;
}

void engine_finish(struct engine *e, unsigned i, struct io_done *done)
{
	struct slot *s = &e->slot[i];
	if (!s->status && s->io.op == IO_READ && s->io.flags & IO_VERIFY)
		s->status = data_check(e->setup.data, i, s->io.offset, s->io.bytes, s->io.pass);
	*done = (struct io_done){
		.tag = s->io.tag, .start = s->start, .end = s->end, .bytes = s->bytes, .status = s->status};
	e->free_slot[e->free_count++] = i;
}
