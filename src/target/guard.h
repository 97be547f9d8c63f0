/* SPDX-License-Identifier: MIT */
/* The guard: may this block device be erased? Nothing in the program writes to a block device through a descriptor that
 * does not come from guard_open(), which is the only place that opens one for writing. docs/architecture.md: the guard.
 */
#ifndef TARGET_GUARD_H
#define TARGET_GUARD_H

#include "target/disk.h"
#include "target/target.h"

/* What was found about a device, in words for people. */
struct guard_report {
	char in_use[512];   /* by what; empty if it is free */
	char contents[512]; /* signatures on the device and its partitions: "ext4 file system 'home' on loop0p1, gpt
			       partition table"; empty if nothing was recognised */
};

/* Looks at a device without opening it for writing and without claiming it: for `ssdscope drives` and for messages.
 * `fd` is a descriptor of it, open for reading without O_DIRECT. */
void guard_look(struct guard_report *, const struct disk *, int fd);

/* A device that may be written: made by guard_open() alone, and what every writing, trimming and erasing function
 * takes. */
struct claim {
	int fd;		 /* the block device, open for writing, O_DIRECT and O_EXCL */
	int passthrough; /* /dev/ngXnY, open for NVMe commands; -1 = not asked for */
	uint32_t nsid;	 /* of an NVMe namespace; 0 = no NVMe drive */
	struct disk disk;
	struct claim *sibling; /* other namespaces of the same drive that were claimed too */
};

/* Opens the block device `path` for writing, O_DIRECT and O_EXCL: while the claim is held nobody can mount it or a
 * partition of it. An NVMe passthrough device (/dev/ngXnY), on which O_EXCL means nothing, is opened with its block
 * device /dev/nvmeXnY, and the guard is about that. Refuses (EXIT_REFUSED), in this order, with nothing written:
 * - a device that is read-only (BLKROGET);
 * - one in use in any way: O_EXCL fails, it or a partition of it is mounted or swap, or sysfs shows a holder (device
 *   mapper, md, bcache). There is no override;
 * - one on which, or on a partition of which, libblkid recognises anything or cannot tell: unless overwrite_filesystem;
 * - one that the user did not name: options->destroy must equal the serial number, or where the drive has none, `path`;
 * if it is NULL, options->confirm must get the same text typed in answer. EXIT_NOT_PERMITTED without the right to open
 * it; EXIT_USAGE if it is no such device. Returns the claim, or NULL with *err. */
struct claim *guard_open(const char *path, const struct target_options *options, struct err *err);

/* Claims all other namespaces of the drive, each as guard_open does (nobody is asked, though: they need
 * options->destroy), for commands that reach beyond one namespace. `nsid` holds the numbers of all that the drive has.
 * Refuses if one of them has no device here to be checked. 0, or -1 with *err and no more claimed than before. */
int guard_open_siblings(
	struct claim *, const uint32_t *nsid, int count, const struct target_options *, struct err *err);

/* Whether the claimed device is still the same drive, there, and as large. 0, or -1 with *err (EXIT_FAILED). */
int guard_same(const struct claim *, struct err *err);

void guard_close(struct claim *);

#endif
