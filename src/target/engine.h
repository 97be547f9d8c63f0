/* SPDX-License-Identifier: MIT */
/* How I/O reaches a file or a block device: io_uring, or threads with pread and pwrite where that is forbidden. An
 * engine gets a descriptor that is already open; whether it may be written was decided where it was opened (guard.h,
 * file.h). */
#ifndef TARGET_ENGINE_H
#define TARGET_ENGINE_H

#include "target/data.h"
#include "target/target.h"

/* What an engine is made for. `data` has `max_qd` slots and outlives the engine. */
struct engine_setup {
	int fd;
	uint32_t nsid;		    /* NVMe passthrough: the namespace, and `fd` is its /dev/ngXnY; 0 = ordinary I/O */
	uint32_t max_command_bytes; /* passthrough: longer I/Os are cut here, for nobody below does it; 0 = no limit */
	struct data *data;
	unsigned max_qd;
	uint32_t block_bytes; /* smallest unit of an I/O */
	const volatile sig_atomic_t *interrupted;
};

struct engine;

/* submit, reap: as in target_ops. When interrupted, reap still hands over what is complete, but waits for nothing. */
struct engine_ops {
	int (*submit)(struct engine *, const struct io *);
	int (*reap)(struct engine *, struct io_done *, int max, nsec until);
	void (*close)(struct engine *); /* waits (a few seconds at most) for what is in flight */
};

/* One I/O on its way. */
struct slot {
	struct io io;
	nsec start, end;
	uint32_t bytes; /* transferred so far */
	int status;
};

/* The first member of every engine. */
struct engine {
	const struct engine_ops *ops;
	const char *name; /* for identity.engine */
	struct engine_setup setup;
	struct slot *slot; /* max_qd */
	unsigned *free_slot, free_count;
};

/* Both make an engine: 0, or a negative errno. -EPERM, -ENOSYS, -EINVAL, -ENOMEM of io_uring mean that this system has
 * or allows none (a container's seccomp filter, kernel.io_uring_disabled, a kernel before 5.11, no memory that may be
 * locked). */
int engine_open_uring(struct engine **out, const struct engine_setup *);
int engine_open_pread(struct engine **out, const struct engine_setup *);

/* What the engines share. */

void engine_init(struct engine *, const struct engine_setup *);
void engine_fini(struct engine *);

/* Takes a free slot for an I/O and prepares its data. The slot's number, or -EBUSY where max_qd are in flight. */
int engine_take(struct engine *, const struct io *);

/* The memory of a slot's I/O, from its first byte. */
static inline uint8_t *engine_memory(const struct engine *e, unsigned i)
{
	return e->slot[i].io.op == IO_WRITE ? data_to_write(e->setup.data, i) : data_to_read(e->setup.data, i);
}

/* Books what one system call or request did (`result`: bytes, or a negative errno) for slot `i`. True if the slot is
 * finished, its status set; false if the rest is to be asked for again: a full disk or the end of a file shows as a
 * short count first, and only the next call tells why. */
bool engine_book(struct engine *, unsigned i, int64_t result);

/* Turns a finished slot into a completion (verifies what is to be verified) and frees it. */
void engine_finish(struct engine *, unsigned i, struct io_done *);

/* How long a wait may last before the interrupted flag is looked at again: a signal that comes between that look and
 * the system call would otherwise go unnoticed until something completes. */
#define ENGINE_SLICE (100 * NSEC_PER_MSEC)

#endif
