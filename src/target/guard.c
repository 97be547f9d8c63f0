// SPDX-License-Identifier: MIT
#include "target/guard.h"

#include "base/mem.h"
#include "base/sysfs.h"
#include "base/units.h"

#include <blkid/blkid.h>
#include <errno.h>
#include <fcntl.h>
#include <libmount/libmount.h>
#include <linux/fs.h>
#include <linux/nvme_ioctl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* The device itself, its partitions, and the drive it is part of. */
struct family {
	struct member {
		dev_t dev;
		char dir[512];
		char name[64];
	} * member;
	unsigned count, room;
};

/* Appends to a list of findings in `buf`. */
static void __attribute__((format(printf, 3, 4))) add(char *buf, size_t size, const char *fmt, ...)
{
	size_t used = strlen(buf);
	if (used && used + 3 < size)
		used += (size_t)snprintf(buf + used, size - used, ", ");
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(buf + used, size - used, fmt, ap);
	va_end(ap);
}

static void join(void *arg, const char *dir)
{
	struct family *f = arg;
	GROW(f->member, f->count, f->room);
	struct member *m = &f->member[f->count++];
	m->dev = disk_number(dir);
	snprintf(m->dir, sizeof m->dir, "%s", dir);
	snprintf(m->name, sizeof m->name, "%s", strrchr(dir, '/') + 1);
}

static const struct member *find(const struct family *f, dev_t dev)
{
	for (unsigned i = 0; i < f->count; i++)
		if (dev && f->member[i].dev == dev)
			return &f->member[i];
	return NULL;
}

/* The member that a path from a table of mounts or swaps leads to. */
static const struct member *find_path(const struct family *f, const char *path)
{
	struct stat st;
	return path && path[0] == '/' && stat(path, &st) == 0 && S_ISBLK(st.st_mode) ? find(f, st.st_rdev) : NULL;
}

static void look_at_mounts(struct guard_report *r, const struct family *f)
{
	struct libmnt_table *mounts = mnt_new_table_from_file("/proc/self/mountinfo"), *swaps = mnt_new_table();
	struct libmnt_iter *iter = mnt_new_iter(MNT_ITER_FORWARD);
	struct libmnt_fs *fs;
	while (mounts && iter && mnt_table_next_fs(mounts, iter, &fs) == 0) {
		/* btrfs has a device number of its own: its source tells */
		const struct member *m = find(f, mnt_fs_get_devno(fs));
		m = m ? m : find_path(f, mnt_fs_get_srcpath(fs));
		if (m)
			add(r->in_use, sizeof r->in_use, "%s is mounted on %s", m->name, mnt_fs_get_target(fs));
	}
	if (swaps && iter && mnt_table_parse_swaps(swaps, NULL) == 0) {
		mnt_reset_iter(iter, MNT_ITER_FORWARD);
		while (mnt_table_next_fs(swaps, iter, &fs) == 0) {
			const struct member *m = find_path(f, mnt_fs_get_source(fs));
			if (m)
				add(r->in_use, sizeof r->in_use, "%s is active swap", m->name);
		}
	}
	mnt_free_iter(iter);
	mnt_unref_table(swaps);
	mnt_unref_table(mounts);
}

static void name_holder(void *arg, const char *path)
{
	struct guard_report *r = arg;
	char volume[128];
	if (sysfs_text(volume, sizeof volume, "%s/dm/name", path) > 0)
		add(r->in_use, sizeof r->in_use, "held by %s (%s)", strrchr(path, '/') + 1, volume);
	else
		add(r->in_use, sizeof r->in_use, "held by %s", strrchr(path, '/') + 1);
}

static const char *value(blkid_probe probe, const char *name)
{
	const char *data;
	return blkid_probe_lookup_value(probe, name, &data, NULL) ? NULL : data;
}

/* Probes `bytes` bytes from `start` on of the open device. Strict on purpose: a superblock with a wrong checksum and a
 * GPT whose protective MBR is gone count too, and so does whatever cannot be read or has more than one meaning. */
static void look_for_signatures(struct guard_report *r, int fd, uint64_t start, uint64_t bytes, const char *name)
{
	blkid_probe probe = blkid_new_probe();
	if (!probe || blkid_probe_set_device(probe, fd, (blkid_loff_t)start, (blkid_loff_t)bytes)) {
		blkid_free_probe(probe);
		add(r->contents, sizeof r->contents, "unknown contents on %s (it cannot be probed)", name);
		return;
	}
	blkid_probe_enable_superblocks(probe, 1);
	blkid_probe_set_superblocks_flags(
		probe, BLKID_SUBLKS_TYPE | BLKID_SUBLKS_LABEL | BLKID_SUBLKS_USAGE | BLKID_SUBLKS_BADCSUM);
	blkid_probe_enable_partitions(probe, 1);
	blkid_probe_set_partitions_flags(probe, BLKID_PARTS_FORCE_GPT);
	int found = blkid_do_safeprobe(probe);
	if (found == -2) {
		add(r->contents, sizeof r->contents, "several contradicting signatures on %s", name);
	} else if (found < 0) {
		add(r->contents, sizeof r->contents, "unknown contents on %s (it cannot be read)", name);
	} else if (found == 0) {
		const char *type = value(probe, "TYPE"), *usage = value(probe, "USAGE"), *label = value(probe, "LABEL");
		const char *table = value(probe, "PTTYPE");
		const char *kind = !usage			  ? ""
				   : !strcmp(usage, "filesystem") ? " file system"
				   : !strcmp(usage, "raid")	  ? " volume or RAID member"
				   : !strcmp(usage, "crypto")	  ? " encrypted volume"
								  : "";
		if (type && label)
			add(r->contents, sizeof r->contents, "%s%s '%s' on %s", type, kind, label, name);
		else if (type)
			add(r->contents, sizeof r->contents, "%s%s on %s", type, kind, name);
		if (table)
			add(r->contents, sizeof r->contents, "%s partition table on %s", table, name);
		if (!type && !table)
			add(r->contents, sizeof r->contents, "an unnamed signature on %s", name);
	}
	blkid_free_probe(probe);
}

void guard_look(struct guard_report *r, const struct disk *disk, int fd)
{
	*r = (struct guard_report){0};
	struct family f = {0};
	join(&f, disk->dir);
	if (disk->partition)
		join(&f, disk->whole_dir);
	else
		disk_each(disk->dir, NULL, join, &f);
	look_at_mounts(r, &f);
	for (unsigned i = 0; i < f.count; i++)
		disk_each(f.member[i].dir, "holders", name_holder, r);
	look_for_signatures(r, fd, 0, disk->bytes, disk->name);
	for (unsigned i = 1; i < f.count && !disk->partition; i++) {
		int64_t start, size;
		if (sysfs_number(&start, "%s/start", f.member[i].dir) ||
			sysfs_number(&size, "%s/size", f.member[i].dir))
			add(r->contents, sizeof r->contents, "partition %s", f.member[i].name);
		else
			look_for_signatures(r, fd, (uint64_t)start * 512, (uint64_t)size * 512, f.member[i].name);
	}
	free(f.member);
}

/* A word as it must be typed at a shell. */
static void shell_word(char *buf, size_t size, const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:@%+=,-";
	snprintf(buf, size, strspn(word, plain) == strlen(word) ? "%s" : "'%s'", word);
}

/* The part of the guard that needs no device: what was found against what the user allowed. 0 or -1 with *err. */
static int judge(const char *path, const struct disk *disk, const struct guard_report *r,
	const struct target_options *o, struct err *err)
{
	char size[UNITS_BUF], who[512], word[600];
	const char *expected = disk->serial[0] ? disk->serial : path;
	snprintf(who, sizeof who, "%s%s%s%s, %s", disk->partition ? "partition of " : "",
		disk->model[0] ? disk->model : "unknown model", disk->serial[0] ? ", serial " : ", no serial number",
		disk->serial, units_bytes(size, (double)disk->bytes));
	shell_word(word, sizeof word, expected);
	bool named = o->destroy && !strcmp(o->destroy, expected);
	if (r->in_use[0])
		return err_set(err, EXIT_REFUSED, "cannot erase '%s' (%s): %s; free it first, there is no override",
			path, who, r->in_use);
	bool spare = o->overwrite_filesystem || !r->contents[0];
	const char *holds = r->contents[0] ? r->contents : "no signature of a file system";
	if (o->destroy && !named)
		return err_set(err, EXIT_REFUSED,
			"cannot erase '%s' (%s; holds %s): --destroy=%s does not name it; if all of it may be lost, "
			"say%s --destroy=%s",
			path, who, holds, o->destroy, spare ? "" : " --overwrite-filesystem", word);
	if (!spare)
		return err_set(err, EXIT_REFUSED,
			"cannot erase '%s' (%s): it holds %s; if all of it may be lost, add "
			"--overwrite-filesystem%s%s",
			path, who, holds, named ? "" : " --destroy=", named ? "" : word);
	if (named)
		return 0;
	if (!o->confirm)
		return err_set(err, EXIT_REFUSED,
			"cannot erase '%s' (%s; holds %s): if all of it may be lost, add --destroy=%s", path, who,
			holds, word);
	char question[1536];
	snprintf(question, sizeof question, "everything on '%s' (%s; holds %s) will be lost; type %s to go on", path,
		who, holds, expected);
	if (!o->confirm(question, expected))
		return err_set(err, EXIT_REFUSED, "cannot erase '%s': not confirmed; nothing was written", path);
	return 0;
}

/* The block device of the namespace that a passthrough device stands for, by the kernel's names: ng0n1 and nvme0n1.
 * Both must tell the same namespace number, and of the same controller. */
static int find_block_device(char *block, size_t size, const char *path, dev_t dev, struct err *err)
{
	char link[128], dir[4096], other[4096], name[64];
	snprintf(link, sizeof link, SYSFS "/dev/char/%u:%u", major(dev), minor(dev));
	if (!realpath(link, dir) || !strstr(dir, "/ng"))
		return err_set(err, EXIT_USAGE,
			"cannot use '%s': neither a file, a block device nor an NVMe passthrough device", path);
	snprintf(name, sizeof name, "nvme%s", strrchr(dir, '/') + 3);
	snprintf(link, sizeof link, SYSFS "/class/block/%s/device", name);
	snprintf(dir + strlen(dir), sizeof dir - strlen(dir), "/device");
	char parent[4096];
	if (!realpath(link, other) || !realpath(dir, parent) || strcmp(parent, other))
		return err_set(err, EXIT_REFUSED,
			"cannot use '%s': its block device '/dev/%s', which tells whether it is in use, is not "
			"there",
			path, name);
	snprintf(block, size, "/dev/%s", name);
	return 0;
}

static int open_passthrough(struct claim *c, const char *path, struct err *err)
{
	c->passthrough = open(path, O_RDWR | O_CLOEXEC);
	if (c->passthrough < 0)
		return err_set(err, exit_code_of_errno(errno), "cannot open '%s': %s", path, strerror(errno));
	int id = ioctl(c->passthrough, NVME_IOCTL_ID);
	if (id <= 0 || (uint32_t)id != c->nsid)
		return err_set(err, EXIT_REFUSED,
			"cannot use '%s': it is not the namespace of its block device (%d against %u)", path, id,
			c->nsid);
	return 0;
}

/* Opens the block device behind `path`, which is what the user typed. Fills *c. 0 or -1 with *err; c->fd is then -1. */
static int open_block(
	struct claim *c, const char *block, const char *path, const struct target_options *o, struct err *err)
{
	int look = open(block, O_RDONLY | O_CLOEXEC), read_only = 0;
	struct stat st, again;
	c->fd = -1;
	if (look < 0)
		return err_set(err, exit_code_of_errno(errno), "cannot open '%s': %s%s", path, strerror(errno),
			exit_code_of_errno(errno) == EXIT_NOT_PERMITTED ? "; run as root" : "");
	if (fstat(look, &st) || !S_ISBLK(st.st_mode)) {
		err_set(err, EXIT_USAGE, "cannot use '%s': not a block device", path);
		goto refuse;
	}
	if (disk_read(&c->disk, SYSFS, st.st_rdev, err))
		goto refuse;
	if (!c->disk.bytes) {
		err_set(err, EXIT_USAGE, "cannot use '%s': it has no medium (its size is 0)", path);
		goto refuse;
	}
	if (ioctl(look, BLKROGET, &read_only) || read_only) {
		err_set(err, EXIT_REFUSED,
			"cannot erase '%s': it is read-only; 'blockdev --setrw' makes it writable where the "
			"drive has no switch",
			path);
		goto refuse;
	}
	/* The claim comes before the look: what is found free stays free. Opening alone writes nothing. */
	c->fd = open(block, O_RDWR | O_EXCL | O_DIRECT | O_CLOEXEC);
	int why = errno;
	struct guard_report report;
	guard_look(&report, &c->disk, look);
	if (c->fd < 0 && why == EBUSY && !report.in_use[0])
		snprintf(report.in_use, sizeof report.in_use,
			"in use by another program, another container or the kernel (it is open exclusively)");
	if (c->fd < 0 && why != EBUSY) {
		err_set(err, exit_code_of_errno(why), "cannot open '%s' for writing: %s%s", path, strerror(why),
			exit_code_of_errno(why) == EXIT_NOT_PERMITTED ? "; run as root" : "");
		goto refuse;
	}
	if (judge(path, &c->disk, &report, o, err))
		goto refuse;
	/* The name may lead elsewhere by now. */
	if (fstat(c->fd, &again) || !S_ISBLK(again.st_mode) || again.st_rdev != st.st_rdev) {
		err_set(err, EXIT_REFUSED, "cannot erase '%s': the name changed its device while it was looked at",
			path);
		goto refuse;
	}
	int id = c->disk.partition ? 0 : ioctl(c->fd, NVME_IOCTL_ID);
	c->nsid = id > 0 ? (uint32_t)id : 0;
	close(look);
	return 0;
refuse:
	if (c->fd >= 0)
		close(c->fd);
	c->fd = -1;
	close(look);
	return -1;
}

struct claim *guard_open(const char *path, const struct target_options *o, struct err *err)
{
	struct stat st;
	char block[sizeof((struct identity *)0)->path];
	struct claim *c = xcalloc(1, sizeof *c);
	c->passthrough = -1;
	bool is_char = stat(path, &st) == 0 && S_ISCHR(st.st_mode);
	snprintf(block, sizeof block, "%s", path);
	int r = is_char ? find_block_device(block, sizeof block, path, st.st_rdev, err) : 0;
	r = r ? r : open_block(c, block, path, o, err);
	if (r) {
		free(c);
		return NULL;
	}
	if (is_char && open_passthrough(c, path, err)) {
		guard_close(c);
		return NULL;
	}
	return c;
}

/* Looks for one of `nsid` among the claims. */
static bool is_claimed(const struct claim *c, uint32_t nsid)
{
	for (; c; c = c->sibling)
		if (c->nsid == nsid)
			return true;
	return false;
}

/* What disk_each carries along: the block devices of the same controller (or subsystem). */
struct siblings {
	char device[4096]; /* where their `device` links lead */
	char name[64][64];
	int count;
};

static void note_sibling(void *arg, const char *path)
{
	struct siblings *s = arg;
	char link[1100], real[4096];
	snprintf(link, sizeof link, "%s/device", path);
	if (realpath(link, real) && !strcmp(real, s->device) && s->count < 64)
		snprintf(s->name[s->count++], sizeof s->name[0], "%s", strrchr(path, '/') + 1);
}

int guard_open_siblings(
	struct claim *c, const uint32_t *nsid, int count, const struct target_options *o, struct err *err)
{
	struct siblings *s = xcalloc(1, sizeof *s);
	struct claim *had = c->sibling;
	struct target_options quiet = *o;
	char link[1100];
	int r = 0;
	quiet.confirm = NULL;
	snprintf(link, sizeof link, "%s/device", c->disk.whole_dir);
	if (realpath(link, s->device))
		disk_each(SYSFS, "block", note_sibling, s);
	for (int i = 0; i < s->count && !r; i++) {
		char path[80];
		if (!strcmp(s->name[i], c->disk.name))
			continue;
		snprintf(path, sizeof path, "/dev/%s", s->name[i]);
		struct claim *other = guard_open(path, &quiet, err);
		if (!other) {
			r = err_prefix(
				err, "the command would also erase '%s', another namespace of the drive: ", path);
		} else {
			other->sibling = c->sibling;
			c->sibling = other;
		}
	}
	for (int i = 0; i < count && !r; i++)
		if (!is_claimed(c, nsid[i]))
			r = err_set(err, EXIT_REFUSED,
				"the command would also erase namespace %u of the drive, which has no device here "
				"to be checked",
				nsid[i]);
	while (r && c->sibling != had) {
		struct claim *other = c->sibling;
		c->sibling = other->sibling;
		other->sibling = NULL;
		guard_close(other);
	}
	free(s);
	return r;
}

int guard_same(const struct claim *c, struct err *err)
{
	struct disk now;
	uint64_t bytes;
	if (disk_read(&now, SYSFS, c->disk.dev, err) || ioctl(c->fd, BLKGETSIZE64, &bytes))
		return err_set(err, EXIT_FAILED, "the drive %s (serial %s) is gone", c->disk.name, c->disk.serial);
	if (strcmp(now.serial, c->disk.serial) || strcmp(now.model, c->disk.model))
		return err_set(err, EXIT_FAILED, "the drive %s changed: it was %s, serial %s, and is %s, serial %s now",
			c->disk.name, c->disk.model, c->disk.serial, now.model, now.serial);
	if (bytes != c->disk.bytes || now.bytes != c->disk.bytes)
		return err_set(err, EXIT_FAILED, "the drive %s changed its size: it had %llu bytes and has %llu now",
			c->disk.name, (unsigned long long)c->disk.bytes, (unsigned long long)bytes);
	return 0;
}

void guard_close(struct claim *c)
{
	while (c) {
		struct claim *next = c->sibling;
		if (c->passthrough >= 0)
			close(c->passthrough);
		close(c->fd);
		free(c);
		c = next;
	}
}
