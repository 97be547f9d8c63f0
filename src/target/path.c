// SPDX-License-Identifier: MIT
/* A file or a block device as a target. */
#include "base/mem.h"
#include "base/units.h"
#include "target/drives.h"
#include "target/engine.h"
#include "target/erase.h"
#include "target/file.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/falloc.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

/* The drive is asked for its temperature and counters at most this often: each time is a command to it. */
#define SENSE_PERIOD (2 * NSEC_PER_SEC)

struct path_target {
	struct target target;
	int fd;		     /* for I/O: the claim's, or one for reading, or a file's */
	struct claim *claim; /* of a device that may be written */
	struct nvme nvme;    /* of a whole NVMe drive */
	bool is_nvme, no_media_log, apst_before, apst_changed;
	bool is_device;
	bool made;     /* a file: it was not there before */
	bool has_disk; /* `disk` is the device, or the one below a file's file system */
	struct disk disk;
	uint64_t bytes; /* what I/O may use */
	uint32_t block_bytes;
	struct data data;
	struct engine *engine;
	struct target_options options; /* for the guard on other namespaces */
	struct sense sensed;
	nsec sensed_at;
	char erase_note[512];
	char path[sizeof((struct identity *)0)->path];
};

static struct path_target *of(struct target *t)
{
	return (struct path_target *)t;
}

static int path_identify(struct target *t, struct identity *id, struct err *err)
{
	struct path_target *p = of(t);
	*id = (struct identity){.capacity_bytes = p->bytes, .logical_block_bytes = p->block_bytes};
	snprintf(id->kind, sizeof id->kind, "%s", p->is_device ? "block" : "file");
	snprintf(id->path, sizeof id->path, "%s", p->path);
	snprintf(id->engine, sizeof id->engine, "%s", p->engine->name);
	struct statvfs fs;
	struct stat st;
	if (!p->is_device && !fstatvfs(p->fd, &fs) && !fstat(p->fd, &st)) {
		id->has_room = true;
		id->room_bytes = (uint64_t)fs.f_bavail * fs.f_frsize + (uint64_t)st.st_blocks * 512; /* stat(2) */
	}
	if (p->has_disk)
		id->max_transfer_bytes = p->disk.max_transfer_bytes;
	if (p->is_device) {
		snprintf(id->model, sizeof id->model, "%s", p->disk.model);
		snprintf(id->serial, sizeof id->serial, "%s", p->disk.serial);
		snprintf(id->firmware, sizeof id->firmware, "%s", p->disk.firmware);
	}
	return 0;
}

static int path_submit(struct target *t, const struct io *io)
{
	struct path_target *p = of(t);
	if (!io->bytes || io->bytes > p->data.stride || io->bytes % p->block_bytes || io->offset % p->block_bytes ||
		io->offset > p->bytes || io->bytes > p->bytes - io->offset)
		return -EINVAL;
	return p->engine->ops->submit(p->engine, io);
}

static int path_reap(struct target *t, struct io_done *done, int max, nsec until)
{
	struct path_target *p = of(t);
	return p->engine->ops->reap(p->engine, done, max, until);
}

static int path_idle(struct target *t, nsec until)
{
	for (nsec now; (now = nsec_now()) < until;) {
		if (*t->interrupted)
			return -EINTR;
		nsec to = until - now < ENGINE_SLICE ? until : now + ENGINE_SLICE;
		struct timespec ts = {.tv_sec = to / NSEC_PER_SEC, .tv_nsec = to % NSEC_PER_SEC};
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL);
	}
	return *t->interrupted ? -EINTR : 0;
}

static int path_trim(struct target *t, uint64_t offset, uint64_t bytes)
{
	struct path_target *p = of(t);
	uint64_t range[2] = {offset, bytes};
	int r = p->is_device
			? ioctl(p->fd, BLKDISCARD, range)
			: fallocate(p->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)offset, (off_t)bytes);
	return r ? -errno : 0;
}

static int path_flush(struct target *t)
{
	return fdatasync(of(t)->fd) ? -errno : 0;
}

/* All of a file becomes a hole, also where the test uses only its beginning. */
static int erase_file(struct path_target *p, enum erase_method method)
{
	struct stat st;
	if (method != ERASE_DEFAULT && method != ERASE_DISCARD)
		return -EOPNOTSUPP;
	int r = fstat(p->fd, &st) ? -errno : path_trim(&p->target, 0, (uint64_t)st.st_size);
	r = r ? r : path_flush(&p->target);
	if (!r)
		snprintf(p->erase_note, sizeof p->erase_note, "hole punched");
	return r;
}

static int path_erase(struct target *t, enum erase_method method)
{
	struct path_target *p = of(t);
	p->erase_note[0] = 0;
	if (method == ERASE_NONE)
		return 0;
	if (!p->is_device)
		return erase_file(p, method);
	if (!p->claim)
		return -EBADF;
	struct erase_job job = {.claim = p->claim,
		.nvme = p->is_nvme ? &p->nvme : NULL,
		.options = &p->options,
		.interrupted = t->interrupted};
	return erase_device(&job, method, p->erase_note, sizeof p->erase_note);
}

static void path_facts(struct target *t, target_fact *each, void *arg)
{
	struct path_target *p = of(t);
	/* Of the disk below a file's file system too: it is what answers in the end. */
	if (p->has_disk)
		drive_facts(&p->disk, p->is_nvme ? &p->nvme : NULL, each, arg);
}

static void path_erase_note(struct target *t, char *buf, size_t size)
{
	snprintf(buf, size, "%s", of(t)->erase_note);
}

static int path_same(struct target *t, struct err *err)
{
	struct path_target *p = of(t);
	if (p->claim)
		return guard_same(p->claim, err);
	/* A file cannot be exchanged under its descriptor, but it can be cut. */
	struct stat st;
	if (!p->is_device && (fstat(p->fd, &st) || (uint64_t)st.st_size < p->bytes))
		return err_set(err, EXIT_FAILED, "the file '%s' was cut while it was tested", p->path);
	return 0;
}

static void path_unmake(struct target *t)
{
	struct path_target *p = of(t);
	struct stat ours, there;
	if (p->made && !fstat(p->fd, &ours) && !stat(p->path, &there) && ours.st_dev == there.st_dev &&
		ours.st_ino == there.st_ino)
		unlink(p->path);
}

static int path_low_power(struct target *t, bool allowed)
{
	struct path_target *p = of(t);
	bool before;
	if (!p->is_nvme || !p->claim)
		return -EOPNOTSUPP;
	int r = nvm_set_apst(&p->nvme, allowed, &before);
	if (!r && !p->apst_changed && before != allowed) {
		p->apst_changed = true;
		p->apst_before = before;
	}
	return r;
}

/* What can be told without asking the drive, and what cannot. */
static int path_sense(struct target *t, nsec at, struct sense *s)
{
	struct path_target *p = of(t);
	nsec now = nsec_now();
	struct nvme_smart smart;
	if (!p->sensed_at || now - p->sensed_at >= SENSE_PERIOD) {
		struct sense *c = &p->sensed;
		p->sensed_at = now;
		if (p->is_nvme && nvm_read_smart(&p->nvme, &smart) == 0) {
			c->has_temperature = smart.temperature_c == smart.temperature_c;
			c->temperature_c = smart.temperature_c;
			c->has_throttle = true;
			c->throttle_count = (uint64_t)smart.throttle_light_count + smart.throttle_heavy_count;
			double media = 0;
			p->no_media_log = p->no_media_log || nvm_read_media_bytes(&p->nvme, &media);
			c->has_nand_bytes = !p->no_media_log;
			c->nand_bytes = p->no_media_log ? 0 : (uint64_t)media;
		} else {
			c->has_temperature = p->has_disk && disk_temperature(&p->disk, &c->temperature_c) == 0;
		}
	}
	*s = p->sensed;
	/* Of a file the counter would hold everybody's writes to that disk. */
	s->has_host_bytes = p->is_device && disk_bytes_written(&p->disk, &s->host_bytes) == 0;
	return 0;
}

static nsec path_now(struct target *t)
{
	return nsec_now();
}

static void path_close(struct target *t)
{
	struct path_target *p = of(t);
	if (p->engine)
		p->engine->ops->close(p->engine);
	data_close(&p->data);
	if (p->apst_changed)
		nvm_set_apst(&p->nvme, p->apst_before, NULL);
	if (p->is_nvme)
		nvm_close(&p->nvme);
	if (p->claim)
		guard_close(p->claim);
	else if (p->fd >= 0)
		close(p->fd);
	free(p);
}

static const struct target_ops path_ops = {
	.name = "path",
	.identify = path_identify,
	.submit = path_submit,
	.reap = path_reap,
	.idle = path_idle,
	.trim = path_trim,
	.flush = path_flush,
	.erase = path_erase,
	.low_power = path_low_power,
	.sense = path_sense,
	.now = path_now,
	.facts = path_facts,
	.erase_note = path_erase_note,
	.same = path_same,
	.unmake = path_unmake,
	.close = path_close,
};

/* The device number's drive, opened for reading: no guard is needed, and the descriptor can do no harm. */
static int open_for_reading(struct path_target *p, const struct stat *st, struct err *err)
{
	if (!S_ISBLK(st->st_mode))
		return err_set(err, EXIT_USAGE, "cannot use '%s' for reading alone; give its block device", p->path);
	p->fd = open(p->path, O_RDONLY | O_DIRECT | O_CLOEXEC);
	if (p->fd < 0)
		return err_set(err, exit_code_of_errno(errno), "cannot open '%s': %s", p->path, strerror(errno));
	return disk_read(&p->disk, SYSFS, st->st_rdev, err);
}

static int open_device(struct path_target *p, const struct target_options *o, const struct stat *st, struct err *err)
{
	char have[UNITS_BUF], want[UNITS_BUF];
	if (o->size && o->size < DATA_BLOCK)
		return err_set(err, EXIT_USAGE, "cannot use %llu bytes of '%s': the smallest size is 4 KiB",
			(unsigned long long)o->size, p->path);
	if (o->read_only) {
		if (open_for_reading(p, st, err))
			return -1;
	} else {
		p->claim = guard_open(p->path, o, err);
		if (!p->claim)
			return -1;
		p->fd = p->claim->fd;
		p->disk = p->claim->disk;
	}
	p->is_device = p->has_disk = true;
	p->is_nvme = !p->disk.partition && nvm_open(&p->nvme, p->fd) == 0;
	p->nvme.may_erase = p->claim != NULL;
	p->block_bytes = p->disk.logical_block_bytes;
	if (o->size > p->disk.bytes)
		return err_set(err, EXIT_USAGE, "cannot use %s of '%s': it has %s; choose a smaller --size",
			units_bytes(want, (double)o->size), p->path, units_bytes(have, (double)p->disk.bytes));
	p->bytes = (o->size ? o->size : p->disk.bytes) / p->block_bytes * p->block_bytes;
	return 0;
}

static int open_file(struct path_target *p, const struct target_options *o, struct err *err)
{
	p->fd = file_open(p->path, o, &p->bytes, &p->block_bytes, &p->made, err);
	if (p->fd < 0)
		return -1;
	struct stat st;
	p->has_disk = fstat(p->fd, &st) == 0 && disk_read(&p->disk, SYSFS, st.st_dev, NULL) == 0;
	return 0;
}

static int open_engine(struct path_target *p, const struct target_options *o, struct err *err)
{
	bool passthrough = p->claim && p->claim->passthrough >= 0;
	struct engine_setup setup = {
		.fd = passthrough ? p->claim->passthrough : p->fd,
		.nsid = passthrough ? p->claim->nsid : 0,
		.max_command_bytes = passthrough ? p->disk.max_transfer_bytes : 0,
		.data = &p->data,
		.max_qd = o->max_qd,
		.block_bytes = p->block_bytes,
		.interrupted = p->target.interrupted,
	};
	if (data_open(&p->data, o->max_qd, o->max_bytes, o->seed, err))
		return -1;
	if (passthrough) {
		int r = engine_open_uring(&p->engine, &setup);
		return r ? err_set(err, EXIT_FAILED,
				   "cannot send NVMe commands to '%s' through io_uring: %s; give its block device",
				   p->path, strerror(-r))
			 : 0;
	}
	int r = o->force_pread ? -ENOSYS : engine_open_uring(&p->engine, &setup);
	if (r == -EPERM || r == -EACCES || r == -ENOSYS || r == -EINVAL || r == -ENOMEM)
		r = engine_open_pread(&p->engine, &setup);
	return r ? err_set(err, EXIT_FAILED, "cannot set up I/O on '%s': %s", p->path, strerror(-r)) : 0;
}

int target_open_path(struct target **out, const char *path, const struct target_options *o, struct err *err)
{
	static const volatile sig_atomic_t never = 0;
	struct stat st;
	struct path_target *p = xcalloc(1, sizeof *p);
	p->target = (struct target){.ops = &path_ops, .interrupted = o->interrupted ? o->interrupted : &never};
	p->fd = -1;
	p->options = *o;
	int r;
	if (strlen(path) >= sizeof p->path) {
		r = err_set(err, EXIT_USAGE, "cannot open '%.40s...': the path is too long", path);
	} else {
		snprintf(p->path, sizeof p->path, "%s", path);
		if (stat(path, &st) == 0 && (S_ISBLK(st.st_mode) || S_ISCHR(st.st_mode)))
			r = open_device(p, o, &st, err);
		else
			r = open_file(p, o, err);
		if (!r)
			r = open_engine(p, o, err);
	}
	if (r) {
		path_unmake(&p->target);
		path_close(&p->target);
		return -1;
	}
	*out = &p->target;
	return 0;
}
