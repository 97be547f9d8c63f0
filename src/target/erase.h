/* SPDX-License-Identifier: MIT */
/* Erasing a claimed block device, with proof. */
#ifndef TARGET_ERASE_H
#define TARGET_ERASE_H

#include "target/guard.h"
#include "target/nvme.h"

/* What to erase and how to wait for it. */
struct erase_job {
	struct claim *claim;
	struct nvme *nvme;		      /* NULL where it is no NVMe drive or only a partition of one */
	const struct target_options *options; /* for the guard on other namespaces */
	const volatile sig_atomic_t *interrupted;
	nsec poll;     /* between looks at a sanitize's progress; 0 = 1 s */
	nsec patience; /* longest wait for a sanitize; 0 = three times the drive's estimate and a minute, or
			  an hour where it gives none */
};

/* Erases all of the claimed device: ERASE_DISCARD by BLKDISCARD, ERASE_FORMAT by an NVMe format with user-data erase,
 * ERASE_SANITIZE by an NVMe sanitize (block erase, else crypto erase), waited for; ERASE_DEFAULT by the strongest of
 * the first two that the drive has and that touches nothing unclaimed. Then reads probes. `note` (of `size` bytes)
 * tells in words what was done and what the probes read, or why it failed. 0; -EOPNOTSUPP (the drive has no such
 * thing); -EACCES (the guard refused another namespace); -EINTR; -ETIMEDOUT (the sanitize goes on in the drive); -EIO.
 */
int erase_device(const struct erase_job *, enum erase_method, char *note, size_t size);

#endif
