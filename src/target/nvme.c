// SPDX-License-Identifier: MIT
#include "target/nvme.h"

#include "base/error.h"

#include <endian.h>
#include <errno.h>
#include <libnvme.h>
#include <linux/nvme_ioctl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#define FEATURE_APST 0x0c
#define APST_BYTES 256
#define LOG_OCP_SMART 0xc0
#define LOG_POWER 0x25 /* TP4199; libnvme 1.3 has no name for it */

/* libnvme returns -1 with errno set, or a positive status. */
static int result(int r)
{
	return r < 0 ? -errno : r;
}

static int fd_of(void *ctx)
{
	return ((struct nvme *)ctx)->fd;
}

static int lib_identify(void *ctx, uint8_t cns, uint32_t nsid, void *data)
{
	struct nvme_identify_args args = {.args_size = sizeof args,
		.fd = fd_of(ctx),
		.timeout = NVME_DEFAULT_IOCTL_TIMEOUT,
		.cns = cns,
		.nsid = nsid,
		.cntid = NVME_CNTLID_NONE,
		.csi = NVME_CSI_NVM,
		.data = data};
	return result(nvme_identify(&args));
}

static int lib_get_log(void *ctx, uint8_t page, void *data, uint32_t bytes)
{
	struct nvme_get_log_args args = {.args_size = sizeof args,
		.fd = fd_of(ctx),
		.timeout = NVME_DEFAULT_IOCTL_TIMEOUT,
		.lid = page,
		.nsid = NVME_NSID_ALL,
		.csi = NVME_CSI_NVM,
		.lsi = NVME_LOG_LSI_NONE,
		.lsp = NVME_LOG_LSP_NONE,
		.rae = true, /* reading must not clear an event that somebody else waits for */
		.log = data,
		.len = bytes};
	return result(nvme_get_log(&args));
}

static int lib_get_feature(void *ctx, uint8_t feature, uint32_t *value, void *data, uint32_t bytes)
{
	struct nvme_get_features_args args = {.args_size = sizeof args,
		.fd = fd_of(ctx),
		.timeout = NVME_DEFAULT_IOCTL_TIMEOUT,
		.fid = feature,
		.sel = NVME_GET_FEATURES_SEL_CURRENT,
		.result = value,
		.data = data,
		.data_len = bytes};
	return result(nvme_get_features(&args));
}

static int lib_set_feature(void *ctx, uint8_t feature, uint32_t value, void *data, uint32_t bytes)
{
	struct nvme_set_features_args args = {.args_size = sizeof args,
		.fd = fd_of(ctx),
		.timeout = NVME_DEFAULT_IOCTL_TIMEOUT,
		.fid = feature,
		.cdw11 = value,
		.data = data,
		.data_len = bytes};
	return result(nvme_set_features(&args));
}

static int lib_format(void *ctx, uint32_t nsid, const struct nvme_namespace *as, unsigned timeout_ms)
{
	struct nvme_format_nvm_args args = {.args_size = sizeof args,
		.fd = fd_of(ctx),
		.timeout = timeout_ms,
		.nsid = nsid,
		.mset = as->metadata_inline ? NVME_FORMAT_MSET_EXTENDED : NVME_FORMAT_MSET_SEPARATE,
		.pi = as->protection,
		.pil = as->protection_first ? NVME_FORMAT_PIL_FIRST : NVME_FORMAT_PIL_LAST,
		.ses = NVME_FORMAT_SES_USER_DATA_ERASE,
		.lbaf = (uint8_t)(as->format & 0xf),
		.lbafu = (uint8_t)(as->format >> 4)};
	return result(nvme_format_nvm(&args));
}

static int lib_sanitize(void *ctx, bool block_erase)
{
	struct nvme_sanitize_nvm_args args = {.args_size = sizeof args,
		.fd = fd_of(ctx),
		.timeout = NVME_DEFAULT_IOCTL_TIMEOUT,
		.sanact =
			block_erase ? NVME_SANITIZE_SANACT_START_BLOCK_ERASE : NVME_SANITIZE_SANACT_START_CRYPTO_ERASE};
	return result(nvme_sanitize_nvm(&args));
}

static const struct nvme_ops lib_ops = {.identify = lib_identify,
	.get_log = lib_get_log,
	.get_feature = lib_get_feature,
	.set_feature = lib_set_feature,
	.format = lib_format,
	.sanitize = lib_sanitize};

static void *page(void)
{
	void *p = aligned_alloc(NVME_PAGE, 2 * NVME_PAGE);
	if (!p) {
		fprintf(stderr, "ssdscope: out of memory: %d bytes refused\n", 2 * NVME_PAGE);
		exit(EXIT_FAILED);
	}
	return p;
}

void nvm_open_ops(struct nvme *n, const struct nvme_ops *ops, void *ctx, uint32_t nsid)
{
	*n = (struct nvme){.ops = ops, .ctx = ctx, .fd = -1, .nsid = nsid, .data = page()};
}

int nvm_open(struct nvme *n, int fd)
{
	int id = ioctl(fd, NVME_IOCTL_ID);
	*n = (struct nvme){.ops = &lib_ops, .ctx = n, .fd = fd, .nsid = id > 0 ? (uint32_t)id : 0, .data = page()};
	if (id > 0)
		return 0;
	/* A controller device knows no namespace: it is one if it answers to identify. */
	int r = n->ops->identify(n->ctx, NVME_IDENTIFY_CNS_CTRL, 0, n->data);
	if (!r)
		return 0;
	nvm_close(n);
	return -ENOTTY;
}

void nvm_close(struct nvme *n)
{
	free(n->data);
	n->data = NULL;
}

/* An answer begins as zeros, so that a controller which transfers nothing is not read as the last answer. */
static void *clean(struct nvme *n)
{
	return memset(n->data, 0, NVME_PAGE);
}

int nvm_read_controller(struct nvme *n, struct nvme_controller *c)
{
	int r = n->ops->identify(n->ctx, NVME_IDENTIFY_CNS_CTRL, 0, clean(n));
	if (!r)
		nvme_decode_controller(c, n->data);
	return r;
}

int nvm_read_namespace(struct nvme *n, struct nvme_namespace *ns)
{
	int r = n->ops->identify(n->ctx, NVME_IDENTIFY_CNS_NS, n->nsid, clean(n));
	if (!r)
		nvme_decode_namespace(ns, n->data);
	return r;
}

int nvm_read_smart(struct nvme *n, struct nvme_smart *s)
{
	int r = n->ops->get_log(n->ctx, NVME_LOG_LID_SMART, clean(n), NVME_SMART_BYTES);
	if (!r)
		nvme_decode_smart(s, n->data);
	return r;
}

int nvm_read_power_log(struct nvme *n, struct nvme_power_log *p)
{
	int r = n->ops->get_log(n->ctx, LOG_POWER, clean(n), NVME_POWER_LOG_BYTES);
	if (!r)
		nvme_decode_power_log(p, n->data);
	return r;
}

int nvm_read_media_bytes(struct nvme *n, double *bytes)
{
	int r = n->ops->get_log(n->ctx, LOG_OCP_SMART, clean(n), NVME_OCP_SMART_BYTES);
	if (r)
		return r > 0 ? -EOPNOTSUPP : r;
	*bytes = nvme_decode_ocp_media_bytes(n->data);
	return *bytes == *bytes ? 0 : -EOPNOTSUPP;
}

int nvm_read_sanitize(struct nvme *n, struct nvme_sanitize *s)
{
	int r = n->ops->get_log(n->ctx, NVME_LOG_LID_SANITIZE, clean(n), NVME_SANITIZE_BYTES);
	if (!r)
		nvme_decode_sanitize(s, n->data);
	return r;
}

int nvm_namespaces(struct nvme *n, uint32_t *nsid, int max)
{
	/* Allocated ones need namespace management; a drive without it has only active ones. */
	int r = n->ops->identify(n->ctx, NVME_IDENTIFY_CNS_ALLOCATED_NS_LIST, 0, clean(n));
	if (r)
		r = n->ops->identify(n->ctx, NVME_IDENTIFY_CNS_NS_ACTIVE_LIST, 0, clean(n));
	if (r)
		return r < 0 ? r : -EIO;
	int count = 0;
	for (int i = 0; i < 1024 && count < max; i++) {
		uint32_t id;
		memcpy(&id, (uint8_t *)n->data + 4 * i, 4);
		if (!id)
			break;
		nsid[count++] = le32toh(id);
	}
	return count;
}

int nvm_set_apst(struct nvme *n, bool on, bool *before)
{
	uint32_t value = 0;
	int r = n->ops->get_feature(n->ctx, FEATURE_APST, &value, clean(n), APST_BYTES);
	if (r)
		return r > 0 ? -EOPNOTSUPP : r;
	if (before)
		*before = value & 1;
	if ((value & 1) == on)
		return 0;
	if (on && !nvme_apst_has_transitions(n->data))
		return -EOPNOTSUPP;
	r = n->ops->set_feature(n->ctx, FEATURE_APST, on, n->data, APST_BYTES);
	return r > 0 ? -EIO : r;
}

int nvm_format(struct nvme *n, unsigned timeout_ms)
{
	struct nvme_namespace ns;
	if (!n->may_erase)
		return -EACCES;
	int r = nvm_read_namespace(n, &ns);
	return r ? r : n->ops->format(n->ctx, n->nsid, &ns, timeout_ms);
}

int nvm_start_sanitize(struct nvme *n, bool block_erase)
{
	return n->may_erase ? n->ops->sanitize(n->ctx, block_erase) : -EACCES;
}

const char *nvm_words(int r)
{
	return r < 0 ? strerror(-r) : nvme_status_to_string(r, false);
}
