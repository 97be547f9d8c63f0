// SPDX-License-Identifier: MIT
#include "target/guard.h"

#include "base/mem.h"
#include "base/units.h"

#include <blkid/blkid.h>
#include <errno.h>
#include <fcntl.h>
#include <libmount/libmount.h>
#include <linux/fs.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/sysfs.h"

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

int guard_open(const char *path, const struct target_options *o, struct disk *disk, struct err *err)
{
	int look = open(path, O_RDONLY | O_CLOEXEC), fd = -1, read_only = 0;
	struct stat st, again;
	if (look < 0)
		return err_set(err, exit_code_of_errno(errno), "cannot open '%s': %s%s", path, strerror(errno),
			exit_code_of_errno(errno) == EXIT_NOT_PERMITTED ? "; run as root" : "");
	if (fstat(look, &st) || !S_ISBLK(st.st_mode)) {
		err_set(err, EXIT_USAGE, "cannot use '%s': not a block device", path);
		goto refuse;
	}
	if (disk_read(disk, SYSFS, st.st_rdev, err))
		goto refuse;
	if (!disk->bytes) {
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
	fd = open(path, O_RDWR | O_EXCL | O_DIRECT | O_CLOEXEC);
	int why = errno;
	struct guard_report report;
	guard_look(&report, disk, look);
	if (fd < 0 && why == EBUSY && !report.in_use[0])
		snprintf(report.in_use, sizeof report.in_use,
			"in use by another program, another container or the kernel (it is open exclusively)");
	if (fd < 0 && why != EBUSY) {
		err_set(err, exit_code_of_errno(why), "cannot open '%s' for writing: %s%s", path, strerror(why),
			exit_code_of_errno(why) == EXIT_NOT_PERMITTED ? "; run as root" : "");
		goto refuse;
	}
	if (judge(path, disk, &report, o, err))
		goto refuse;
	/* The name may lead elsewhere by now. */
	if (fstat(fd, &again) || !S_ISBLK(again.st_mode) || again.st_rdev != st.st_rdev) {
		err_set(err, EXIT_REFUSED, "cannot erase '%s': the name changed its device while it was looked at",
			path);
		goto refuse;
	}
	close(look);
	return fd;
refuse:
	if (fd >= 0)
		close(fd);
	close(look);
	return -1;
}
