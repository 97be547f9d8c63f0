/* SPDX-License-Identifier: MIT */
/* Admin commands to an NVMe drive: identify, logs, features, format, sanitize. libnvme carries them; nvme_codec.h reads
 * what comes back. Only nvme.c knows libnvme (its API changes in 3.x). */
#ifndef TARGET_NVME_H
#define TARGET_NVME_H

#include "base/error.h"
#include "target/nvme_codec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How commands travel. Each returns 0, a negative errno, or a positive NVMe status. `data` is at least NVME_PAGE bytes,
 * page aligned, on the heap: some controllers write more than they were asked for. Tests put a drive of their own here.
 */
struct nvme_ops {
	int (*identify)(void *ctx, uint8_t cns, uint32_t nsid, void *data);
	int (*get_log)(void *ctx, uint8_t page, void *data, uint32_t bytes);
	int (*get_feature)(void *ctx, uint8_t feature, uint32_t *value, void *data, uint32_t bytes);
	int (*set_feature)(void *ctx, uint8_t feature, uint32_t value, void *data, uint32_t bytes);
	int (*format)(
		void *ctx, uint32_t nsid, const struct nvme_namespace *as, unsigned timeout_ms); /* user-data erase */
	int (*sanitize)(void *ctx, bool block_erase);						 /* else crypto erase */
};

/* A drive that can be asked. */
struct nvme {
	const struct nvme_ops *ops;
	void *ctx;
	int fd;
	uint32_t nsid;	/* of the namespace that was opened; 0 = a controller device */
	bool may_erase; /* set where the guard has passed (erase.c); format and sanitize refuse without it */
	void *data;	/* one page for answers */
};

/* For a descriptor of an NVMe namespace (/dev/nvme0n1, /dev/ng0n1) or controller (/dev/nvme0), which stays the
 * caller's. 0, or -ENOTTY if it is not one. */
int nvm_open(struct nvme *, int fd);
/* The same over other ops. */
void nvm_open_ops(struct nvme *, const struct nvme_ops *, void *ctx, uint32_t nsid);
void nvm_close(struct nvme *);

/* Each: 0; a negative errno; or a positive NVMe status. */
int nvm_read_controller(struct nvme *, struct nvme_controller *);
int nvm_read_namespace(struct nvme *, struct nvme_namespace *);
int nvm_read_smart(struct nvme *, struct nvme_smart *);
int nvm_read_power_log(struct nvme *, struct nvme_power_log *);
/* Bytes written to the flash, where the drive has the OCP log; else -EOPNOTSUPP. */
int nvm_read_media_bytes(struct nvme *, double *bytes);
int nvm_read_sanitize(struct nvme *, struct nvme_sanitize *);

/* The numbers of all namespaces that exist on the drive, attached or not: up to `max` of 1024. Returns how many, or as
 * above negated (a negative errno; -EIO for an NVMe status). */
int nvm_namespaces(struct nvme *, uint32_t *nsid, int max);

/* Whether the drive may change to idle power states by itself (feature 0Ch). The table of transitions stays as it is.
 * `*before` (may be NULL) is what it was. -EOPNOTSUPP where the drive cannot. */
int nvm_set_apst(struct nvme *, bool on, bool *before);

/* Erases user data of this namespace (or, where the drive's FNA says so, all) by a format that keeps block size,
 * metadata and protection as they are. Both need may_erase, else -EACCES. */
int nvm_format(struct nvme *, unsigned timeout_ms);
/* Starts a sanitize of the whole drive: block erase where it can, else crypto erase. */
int nvm_start_sanitize(struct nvme *, bool block_erase);

/* An error of the above in words, for messages. */
const char *nvm_words(int result);

#endif
