// SPDX-License-Identifier: MIT
#include "target/erase.h"

#include "base/mem.h"
#include "base/rng.h"
#include "base/units.h"
#include "target/data.h"

#include <errno.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

/* A discard of everything goes in pieces of this size, so that a signal ends it within one. */
#define DISCARD_PIECE ((uint64_t)16 << 30)
#define PROBES 64
/* A format with user-data erase takes seconds on a consumer drive; some overwrite instead. */
#define FORMAT_PATIENCE_MS (30 * 60 * 1000)

static int discard(const struct erase_job *job, char *note, size_t size)
{
	const struct disk *d = &job->claim->disk;
	if (!d->can_discard) {
		snprintf(note, size, "the device knows no discard");
		return -EOPNOTSUPP;
	}
	for (uint64_t at = 0; at < d->bytes; at += DISCARD_PIECE) {
		uint64_t range[2] = {at, d->bytes - at < DISCARD_PIECE ? d->bytes - at : DISCARD_PIECE};
		if (*job->interrupted)
			return -EINTR;
		if (ioctl(job->claim->fd, BLKDISCARD, range)) {
			int why = errno;
			snprintf(note, size, "discard failed: %s", strerror(why));
			return -why;
		}
	}
	return fsync(job->claim->fd) ? -errno : 0;
}

/* Claims what else a command would erase. */
static int claim_the_rest(const struct erase_job *job, char *note, size_t size)
{
	uint32_t nsid[1024];
	struct err err = {0};
	int n = nvm_namespaces(job->nvme, nsid, ARRAY_SIZE(nsid));
	if (n < 0) {
		snprintf(note, size, "the drive does not tell which namespaces it has: %s", strerror(-n));
		return -EACCES;
	}
	if (guard_open_siblings(job->claim, nsid, n, job->options, &err)) {
		snprintf(note, size, "%s", err.text);
		return -EACCES;
	}
	return 0;
}

static int format(const struct erase_job *job, const struct nvme_controller *c, char *note, size_t size)
{
	if (!c->can_format) {
		snprintf(note, size, "the drive knows no format");
		return -EOPNOTSUPP;
	}
	if (c->format_is_of_all || c->format_erases_all) {
		int r = claim_the_rest(job, note, size);
		if (r)
			return r;
	}
	int r = nvm_format(job->nvme, FORMAT_PATIENCE_MS);
	if (r)
		snprintf(note, size, "format failed: %s", nvm_words(r));
	return r > 0 ? -EIO : r;
}

/* Sleeps for `length`, less if interrupted. */
static void wait_a_bit(const struct erase_job *job, nsec length)
{
	for (nsec end = nsec_now() + length; !*job->interrupted && nsec_now() < end;)
		nanosleep(
			&(struct timespec){.tv_nsec = length < 50 * NSEC_PER_MSEC ? length : 50 * NSEC_PER_MSEC}, NULL);
}

static int sanitize(const struct erase_job *job, const struct nvme_controller *c, char *note, size_t size)
{
	struct nvme_sanitize s;
	if (!c->sanitize_block && !c->sanitize_crypto) {
		snprintf(note, size, "the drive knows no sanitize by block erase or crypto erase");
		return -EOPNOTSUPP;
	}
	int r = claim_the_rest(job, note, size);
	if (r)
		return r;
	r = nvm_start_sanitize(job->nvme, c->sanitize_block);
	if (r) {
		snprintf(note, size, "the drive refused to start a sanitize: %s", nvm_words(r));
		return r > 0 ? -EIO : r;
	}
	nsec patience = job->patience, begin = nsec_now();
	char waited[UNITS_BUF];
	for (;;) {
		wait_a_bit(job, job->poll ? job->poll : NSEC_PER_SEC);
		r = nvm_read_sanitize(job->nvme, &s);
		units_duration(waited, nsec_now() - begin);
		if (r) {
			snprintf(note, size,
				"the sanitize was started, but after %s the drive does not tell how far it is: %s",
				waited, nvm_words(r));
			return r > 0 ? -EIO : r;
		}
		if (s.state == NVME_SANITIZE_DONE || s.state == NVME_SANITIZE_DONE_DEALLOCATED)
			return 0;
		if (s.state != NVME_SANITIZE_RUNNING) {
			snprintf(note, size,
				"the sanitize failed after %s (state %d): the drive may refuse I/O until one succeeds; "
				"try 'nvme sanitize' by hand",
				waited, s.state);
			return -EIO;
		}
		uint32_t estimate = c->sanitize_block ? s.block_seconds : s.crypto_seconds;
		if (!patience)
			patience = estimate ? (3 * (nsec)estimate + 60) * NSEC_PER_SEC : 3600 * NSEC_PER_SEC;
		if (!*job->interrupted && nsec_now() - begin < patience)
			continue;
		snprintf(note, size,
			"the sanitize is at %.0f %% after %s and goes on in the drive, which cannot be used until it "
			"is "
			"done, also after a power cycle; 'nvme sanitize-log' shows how far it is",
			100 * s.progress, waited);
		return *job->interrupted ? -EINTR : -ETIMEDOUT;
	}
}

/* Reads single blocks all over the device, the first and the last among them. Tells in words what they hold; *ours is
 * set where one still holds what this program wrote. */
static int read_probes(const struct erase_job *job, char *note, size_t size, bool *ours)
{
	const struct disk *d = &job->claim->disk;
	uint8_t *block = aligned_alloc(DATA_BLOCK, DATA_BLOCK);
	uint64_t blocks = d->bytes / DATA_BLOCK;
	struct rng r;
	unsigned zeros = 0, ones = 0, unreadable = 0;
	*ours = false;
	if (!block || !blocks) {
		free(block);
		return -ENOMEM;
	}
	rng_seed(&r, (uint64_t)nsec_now());
	for (unsigned i = 0; i < PROBES; i++) {
		uint64_t at = i == 0 ? 0 : i == 1 ? blocks - 1 : rng_below(&r, blocks);
		ssize_t n = pread(job->claim->fd, block, DATA_BLOCK, (off_t)(at * DATA_BLOCK));
		bool same = n == DATA_BLOCK && !memcmp(block, block + 1, DATA_BLOCK - 1);
		zeros += same && block[0] == 0;
		ones += same && block[0] == 0xff;
		unreadable += n != DATA_BLOCK;
		*ours |= n == DATA_BLOCK && data_is_ours(block);
	}
	free(block);
	if (unreadable)
		snprintf(note, size, "%u of %u probes could not be read", unreadable, PROBES);
	else if (zeros == PROBES)
		snprintf(note, size, "all %u probes read zeros", PROBES);
	else
		snprintf(note, size, "of %u probes %u read zeros, %u ones and %u data", PROBES, zeros, ones,
			PROBES - zeros - ones);
	return unreadable == PROBES ? -EIO : 0;
}

/* Tries one method; on success its name is in *how. */
static int try_one(const struct erase_job *job, const struct nvme_controller *c, enum erase_method method,
	const char **how, char *note, size_t size)
{
	switch (method) {
	case ERASE_DISCARD: *how = "discard"; return discard(job, note, size);
	case ERASE_FORMAT: *how = "format with user-data erase"; return format(job, c, note, size);
	case ERASE_SANITIZE:
		*how = c->sanitize_block ? "sanitize by block erase" : "sanitize by crypto erase";
		return sanitize(job, c, note, size);
	default: return -EINVAL;
	}
}

int erase_device(const struct erase_job *job, enum erase_method method, char *note, size_t size)
{
	struct nvme_controller c = {0};
	const char *how = "";
	note[0] = 0;
	if (method == ERASE_NONE) {
		snprintf(note, size, "not erased");
		return 0;
	}
	if (job->nvme && nvm_read_controller(job->nvme, &c))
		c = (struct nvme_controller){0};
	int r;
	if (method != ERASE_DEFAULT) {
		r = try_one(job, &c, method, &how, note, size);
	} else {
		r = try_one(job, &c, ERASE_FORMAT, &how, note, size);
		if (r == -EOPNOTSUPP || r == -EACCES || r == -EIO)
			r = try_one(job, &c, ERASE_DISCARD, &how, note, size);
	}
	if (r == -EINTR && !note[0])
		snprintf(note, size, "interrupted");
	if (r)
		return r;
	char probes[128];
	bool ours;
	r = read_probes(job, probes, sizeof probes, &ours);
	snprintf(note, size, "%s, %s", how, probes);
	/* After a discard a drive may go on to return the old data; after the others it must not. */
	if (!r && ours && strcmp(how, "discard")) {
		snprintf(note, size, "%s reported success, but probes still read what was written before", how);
		return -EIO;
	}
	return r;
}
