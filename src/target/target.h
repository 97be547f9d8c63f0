/* SPDX-License-Identifier: MIT */
/* What is tested: a block device, a file, a modelled drive or nothing at all (`null:`), behind one interface.
 *
 * The clock belongs to the target: a modelled drive's is virtual, so the same loop that drives a real drive for
 * fourteen minutes drives a model for one second. Nothing above this interface asks which kind it has. One thread uses
 * a target. */
#ifndef TARGET_TARGET_H
#define TARGET_TARGET_H

#include "base/error.h"
#include "base/nsec.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct target;

enum io_op { IO_READ, IO_WRITE };

enum {
	IO_VERIFY = 1, /* a read: check each 4 KiB block's stamp (offset, pass) */
};

/* One host I/O. The target owns the data buffers; a write's data is incompressible and each 4 KiB block of it carries
 * its offset and `pass`, so that no two blocks of a run are equal. */
struct io {
	uint64_t offset; /* bytes, a multiple of the logical block */
	uint64_t tag;	 /* the caller's, comes back in io_done */
	uint32_t bytes;	 /* a multiple of the logical block, at most target_options.max_bytes */
	uint32_t pass;	 /* which writing of this place it is; a verifying read expects it */
	uint8_t op;	 /* enum io_op */
	uint8_t flags;
};

/* A completion. */
struct io_done {
	uint64_t tag;
	nsec start, end; /* when the I/O really started and ended, on the target's clock */
	uint32_t bytes;	 /* transferred; less than asked never comes with status 0 */
	int status;	 /* 0, or a negative errno: -EIO, -ENOSPC, -EILSEQ (verification failed) ... */
};

/* How to erase: see docs/method.md. */
enum erase_method { ERASE_DEFAULT, ERASE_NONE, ERASE_DISCARD, ERASE_FORMAT, ERASE_SANITIZE };

/* Who the target is. Strings are empty where unknown. */
struct identity {
	char kind[16];	 /* sim, block, file, null */
	char path[512];	 /* as given on the command line */
	char model[128]; /* of a sim: the profile's name */
	char serial[64];
	char firmware[32];
	char engine[32]; /* io_uring, io_uring_cmd, pread, model, null */
	uint64_t capacity_bytes;
	uint64_t rated_class_bytes;		/* nominal capacity class (2048e9 for a "2 TB" drive); 0 = unknown */
	uint32_t logical_block_bytes;		/* smallest unit and alignment of an I/O */
	uint32_t max_transfer_bytes;		/* largest command that reaches the drive unsplit; 0 = unknown */
	uint32_t bits_per_cell;			/* 0 = unknown */
	double rated_tbw_bytes;			/* rated endurance in bytes written; 0 = unknown */
	double rated_write_bps, rated_read_bps; /* rated sequential bytes/s, for estimates of time; 0 = unknown */
	bool virtual_clock;			/* instruments make no sense on it */
	bool can_power;				/* sense() knows joules */
	bool always_quiet;			/* does nothing of its own accord: nobody need wait for it */
	bool has_room; /* a file: its file system has room for `room_bytes` of it, what is allocated included */
	uint64_t room_bytes;
};

/* What is known of the drive's inside at a moment; each value counts only where its `has_` is set. */
struct sense {
	bool has_joules, has_temperature, has_throttle, has_host_bytes, has_nand_bytes, has_die_busy;
	double joules; /* energy drawn since the target was opened */
	double temperature_c;
	uint64_t throttle_count; /* times the drive began to throttle */
	bool throttled;		 /* is throttling at this moment */
	uint64_t host_bytes;	 /* written by the host, since the target was opened or ever: use differences */
	uint64_t nand_bytes;	 /* written to flash, background work included */
	double die_busy_ns;	 /* sum over dies of the time each was busy, divided by the number of dies */
};

/* Is given one thing worth knowing about a drive, in words: "link", "PCIe 16.0 GT/s x4". `warning` is NULL, or why it
 * may bend the figures, with advice. */
typedef void target_fact(void *arg, const char *name, const char *value, const char *warning);

struct target_ops {
	const char *name;
	/* Who it is. 0, or -1 with *err set. */
	int (*identify)(struct target *, struct identity *, struct err *);
	/* Queues one I/O; it may start as late as the next reap. 0, or a negative errno if it could not be queued. */
	int (*submit)(struct target *, const struct io *);
	/* Waits for at least one completion, but not beyond `until`, and takes up to `max`. Returns their number, 0
	 * when `until` came or the target was interrupted, or a negative errno when the engine itself failed. */
	int (*reap)(struct target *, struct io_done *, int max, nsec until);
	/* No host I/O until then. 0; or -EINTR when a signal ended it early. Nothing may be in flight. */
	int (*idle)(struct target *, nsec until);
	/* The rest return 0 or a negative errno; -EOPNOTSUPP where the target has no such thing. */
	int (*trim)(struct target *, uint64_t offset, uint64_t bytes);
	int (*flush)(struct target *);
	int (*erase)(struct target *, enum erase_method);
	int (*low_power)(struct target *, bool allowed); /* the drive's autonomous power states */
	/* What the drive was at time `at` (now or earlier than the last completion is fine; never later than now). */
	int (*sense)(struct target *, nsec at, struct sense *);
	nsec (*now)(struct target *);
	void (*close)(struct target *);
	/* May be NULL: use target_facts, target_erase_note, target_same and target_unmake. */
	void (*facts)(struct target *, target_fact *each, void *arg);
	void (*erase_note)(struct target *, char *buf, size_t size);
	int (*same)(struct target *, struct err *);
	void (*unmake)(struct target *);
};

/* The first member of every kind of target. */
struct target {
	const struct target_ops *ops;
	/* Set by a signal handler; blocking calls return early when it is non-zero. Never NULL. */
	const volatile sig_atomic_t *interrupted;
};

/* How to open a target. Zero is a good default for every field but max_bytes and max_qd. */
struct target_options {
	uint32_t max_bytes;	   /* largest I/O that will be submitted */
	uint32_t max_qd;	   /* most I/Os in flight */
	uint64_t size;		   /* a file: how large to make it; a model: capacity to use; 0 = what it has */
	const char *destroy;	   /* block device: the serial number or path that the user named for destruction */
	bool overwrite_filesystem; /* block device: a signature on it is no reason to refuse */
	bool read_only;		   /* nothing will be written, erased or trimmed: no guard needed */
	bool force_pread;	   /* file, block device: threads with pread/pwrite instead of io_uring */
	uint64_t seed;		   /* of the data pattern */
	const volatile sig_atomic_t *interrupted; /* may be NULL */
	/* Asks the person whether this drive may be erased: shows `question`, returns true if the answer typed equals
	 * `expected`. NULL where nobody can be asked. */
	bool (*confirm)(const char *question, const char *expected);
};

/* Opens `spec`: "sim:PROFILE", "null:[size=8G][,latency=100us]", a block device or a file. A block device is opened for
 * writing only after the guard passed (guard.h). On success *out is to be closed with target_close. On failure -1 and
 * *err: EXIT_USAGE (no such model, nonsense), EXIT_REFUSED (the guard), EXIT_NOT_PERMITTED, EXIT_FAILED. */
int target_open(struct target **out, const char *spec, const struct target_options *, struct err *);
void target_close(struct target *);

/* Tells what is known of the drive beyond its identity and may explain a figure: how it is attached, its wear, how the
 * kernel treats it. */
static inline void target_facts(struct target *t, target_fact *each, void *arg)
{
	if (t->ops->facts)
		t->ops->facts(t, each, arg);
}

/* What the last erase did, in words ("discard, all 64 probes read zeros"), or why it failed. Empty where there is
 * nothing to say. */
static inline void target_erase_note(struct target *t, char *buf, size_t size)
{
	buf[0] = 0;
	if (t->ops->erase_note)
		t->ops->erase_note(t, buf, size);
}

/* Whether the drive behind a target is still there and the one that was opened (serial, model, size): to be asked
 * before every test of a run. 0, or -1 with *err. A target that cannot change is always the same. */
static inline int target_same(struct target *t, struct err *err)
{
	return t->ops->same ? t->ops->same(t, err) : 0;
}

/* Removes the file that opening the target made, for a run that is refused after all; it is to be closed then. Does
 * nothing where there was one before. */
static inline void target_unmake(struct target *t)
{
	if (t->ops->unmake)
		t->ops->unmake(t);
}

/* The kinds; each opens one, as target_open does. `spec` comes without the "sim:" or "null:". */
int target_open_sim(struct target **out, const char *spec, const struct target_options *, struct err *);
int target_open_null(struct target **out, const char *spec, const struct target_options *, struct err *);
int target_open_path(struct target **out, const char *path, const struct target_options *, struct err *);

#endif
