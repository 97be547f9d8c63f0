// SPDX-License-Identifier: MIT
#include "target/file.h"

#include "base/filelock.h"
#include "base/mem.h"
#include "base/sysfs.h"
#include "base/units.h"
#include "target/data.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

/* How much of an existing file is read to see that it is all zero. */
#define LOOK_BYTES GIB

static bool is_zero(const uint8_t *p, size_t n)
{
	return n == 0 || (p[0] == 0 && !memcmp(p, p + 1, n - 1));
}

/* Whether the file holds what somebody may want to keep: data that is neither zero nor our own. */
static bool holds_data(const char *path, off_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return true;
	static const size_t chunk = 1 << 20;
	uint8_t *buf = xmalloc(chunk);
	bool holds = false;
	off_t at = lseek(fd, 0, SEEK_DATA);
	for (uint64_t seen = 0; at >= 0 && at < size && seen < LOOK_BYTES && !holds;) {
		ssize_t n = pread(fd, buf, chunk, at);
		if (n <= 0) {
			holds = n < 0;
			break;
		}
		if (n >= (ssize_t)DATA_STAMP && data_is_ours(buf))
			break;
		holds = !is_zero(buf, (size_t)n);
		seen += (uint64_t)n;
		at = lseek(fd, at + n, SEEK_DATA);
	}
	free(buf);
	close(fd);
	return holds;
}

/* Alignment that direct I/O wants: statx tells since Linux 6.1; before that 4 KiB is right on every usual drive. */
static uint32_t direct_block(int fd)
{
	struct statx st;
	if (statx(fd, "", AT_EMPTY_PATH, STATX_DIOALIGN, &st) == 0 && st.stx_mask & STATX_DIOALIGN &&
		st.stx_dio_offset_align)
		return st.stx_dio_offset_align;
	return 4096;
}

/* A mistyped device name must not become a file in /dev, which is memory. */
static bool is_in_dev(const char *path)
{
	char copy[PATH_MAX], parent[PATH_MAX];
	snprintf(copy, sizeof copy, "%s", path);
	if (!realpath(dirname(copy), parent))
		return false;
	return !strcmp(parent, "/dev") ||
	       (!strncmp(parent, "/dev/", 5) && strcmp(parent, "/dev/shm") && strncmp(parent, "/dev/shm/", 9));
}

static int explain(struct err *err, const char *path, int errnum)
{
	enum exit_code code = exit_code_of_errno(errnum);
	const char *way_out = "";
	if (errnum == EINVAL)
		return err_set(err, EXIT_USAGE,
			"cannot open '%s' without the page cache: its file system refuses direct I/O "
			"(O_DIRECT), as tmpfs does before Linux 6.6; choose a file on another file system",
			path);
	if (errnum == ENOENT || errnum == ENOTDIR)
		return err_set(err, EXIT_USAGE, "cannot open '%s': %s; give a path in a directory that exists", path,
			strerror(errnum));
	if (errnum == EROFS)
		way_out = "; choose a file system that can be written";
	else if (errnum == ETXTBSY)
		way_out = "; it is a program that runs or active swap";
	else if (code == EXIT_NOT_PERMITTED)
		way_out = "; choose a place where you may write";
	return err_set(err, code, "cannot open '%s': %s%s", path, strerror(errnum), way_out);
}

static int make(const char *path, const struct target_options *o, struct err *err)
{
	if (is_in_dev(path))
		return err_set(err, EXIT_USAGE,
			"cannot open '%s': no such device; 'ssdscope drives' lists what there is", path);
	if (!o->size)
		return err_set(err, EXIT_USAGE,
			"cannot open '%s': no such file or device; to make a file there, say how large with "
			"--size=BYTES",
			path);
	if (o->size < DATA_BLOCK)
		return err_set(err, EXIT_USAGE, "cannot make '%s' with %llu bytes: the smallest size is 4 KiB", path,
			(unsigned long long)o->size);
	/* For reading alone, as a dry run does, a file without a name stands for it and leaves nothing behind. */
	char copy[PATH_MAX];
	snprintf(copy, sizeof copy, "%s", path);
	int fd = o->read_only ? open(dirname(copy), O_RDWR | O_TMPFILE | O_CLOEXEC, 0600)
			      : open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	if (fd < 0)
		return explain(err, path, errno);
	if (ftruncate(fd, (off_t)o->size)) {
		int why = errno;
		char size[UNITS_BUF], room[UNITS_BUF] = "an unknown size";
		struct statvfs fs;
		if (!fstatvfs(fd, &fs))
			units_bytes(room, (double)fs.f_bavail * (double)fs.f_frsize);
		close(fd);
		if (!o->read_only)
			unlink(path);
		return err_set(err, why == EFBIG || why == EINVAL ? EXIT_USAGE : exit_code_of_errno(why),
			"cannot make '%s' %s large: %s; its file system has room for %s: choose a smaller --size or "
			"another file system",
			path, units_bytes(size, (double)o->size), strerror(why), room);
	}
	return fd;
}

/* What a person meant who named a modelled drive's profile, or a suite, as the target. */
static bool is_yaml(const char *path)
{
	size_t n = strlen(path);
	return n > 5 && !strcmp(path + n - 5, ".yaml");
}

static int may_overwrite(const char *path, const struct stat *st, const struct target_options *o, struct err *err)
{
	if (o->read_only || (o->destroy && !strcmp(o->destroy, path)) || !holds_data(path, st->st_size))
		return 0;
	if (o->destroy)
		return err_set(err, EXIT_REFUSED,
			"cannot overwrite '%s': it holds data, and --destroy=%s does not name it; give a "
			"new file, or say --destroy='%s'",
			path, o->destroy, path);
	if (!o->confirm)
		return err_set(err, EXIT_REFUSED,
			"cannot overwrite '%s': it holds data that is not of this program; give a new "
			"file, or add --destroy='%s'",
			path, path);
	char question[PATH_MAX + 128], size[UNITS_BUF];
	snprintf(question, sizeof question, "the file '%s' (%s of data) will be overwritten; type its name to go on",
		path, units_bytes(size, (double)st->st_size));
	if (!o->confirm(question, path))
		return err_set(err, EXIT_REFUSED, "cannot overwrite '%s': not confirmed; nothing was written", path);
	return 0;
}

/* A file may be the medium of a loop device, which somebody may have mounted: no path of the guard leads there. */
static int behind_loop(const char *path, const struct stat *st, struct err *err)
{
	glob_t found;
	int code = 0;
	if (glob("/sys/block/loop*/loop/backing_file", 0, NULL, &found))
		return 0;
	for (size_t i = 0; i < found.gl_pathc && !code; i++) {
		char name[PATH_MAX];
		struct stat medium;
		if (sysfs_text(name, sizeof name, "%s", found.gl_pathv[i]) <= 0 || stat(name, &medium) ||
			medium.st_dev != st->st_dev || medium.st_ino != st->st_ino)
			continue;
		const char *loop = found.gl_pathv[i] + strlen("/sys/block/");
		code = err_set(err, EXIT_REFUSED,
			"cannot use '%s': it is the medium of /dev/%.*s; detach that first (losetup -d), there is no "
			"override",
			path, (int)strcspn(loop, "/"), loop);
	}
	globfree(&found);
	return code;
}

static int check_existing(const char *path, const struct stat *st, const struct target_options *o, struct err *err)
{
	char have[UNITS_BUF], want[UNITS_BUF];
	if (S_ISDIR(st->st_mode))
		return err_set(err, EXIT_USAGE, "cannot open '%s': a directory; give a file in it, with --size", path);
	if (!S_ISREG(st->st_mode))
		return err_set(err, EXIT_USAGE, "cannot open '%s': neither a file nor a block device", path);
	if (is_yaml(path) && !(o->destroy && !strcmp(o->destroy, path)) && holds_data(path, st->st_size))
		return err_set(err, EXIT_USAGE,
			"'%1$s' is a text, not a drive: say sim:%1$s to test the drive that it models, --suite=%1$s to "
			"do the tests that it lists",
			path);
	if (!o->read_only && !(st->st_mode & (S_IWUSR | S_IWGRP | S_IWOTH)))
		return err_set(err, EXIT_NOT_PERMITTED,
			"cannot write '%s': the file is read-only; 'chmod u+w' it or give another", path);
	if (st->st_size < (off_t)DATA_BLOCK)
		return err_set(err, EXIT_USAGE,
			"cannot use '%s': %lld bytes are less than one block of 4 KiB; delete it and give "
			"--size",
			path, (long long)st->st_size);
	if (o->size && o->size < DATA_BLOCK)
		return err_set(err, EXIT_USAGE, "cannot use %llu bytes of '%s': the smallest size is 4 KiB",
			(unsigned long long)o->size, path);
	if (o->size > (uint64_t)st->st_size)
		return err_set(err, EXIT_USAGE,
			"cannot use %s of '%s': the file has %s and keeps its size; delete it or leave "
			"--size out",
			units_bytes(want, (double)o->size), path, units_bytes(have, (double)st->st_size));
	if (!o->read_only && behind_loop(path, st, err))
		return -1;
	return may_overwrite(path, st, o, err);
}

int file_open(const char *path, const struct target_options *o, uint64_t *bytes, uint32_t *block_bytes, bool *made,
	struct err *err)
{
	struct stat st, opened;
	char nameless[32] = "";
	int buffered = -1, fd = -1;
	*made = false;
	if (stat(path, &st)) {
		if (errno != ENOENT)
			return explain(err, path, errno);
		buffered = make(path, o, err);
		if (buffered < 0)
			return -1;
		*made = !o->read_only;
		fstat(buffered, &st);
		snprintf(nameless, sizeof nameless, "/proc/self/fd/%d", buffered);
	} else if (check_existing(path, &st, o, err)) {
		return -1;
	}
	/* O_NONBLOCK: should the name lead to a FIFO by now, the open returns and the check below sees it. */
	fd = open(buffered >= 0 && o->read_only ? nameless : path,
		(o->read_only ? O_RDONLY : O_RDWR) | O_DIRECT | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0) {
		explain(err, path, errno);
		goto fail;
	}
	if (fstat(fd, &opened) || !S_ISREG(opened.st_mode) || opened.st_ino != st.st_ino ||
		opened.st_dev != st.st_dev) {
		err_set(err, EXIT_REFUSED, "cannot use '%s': the name changed its file while it was looked at", path);
		goto fail;
	}
	/* As O_EXCL does for a drive: two runs on one file would overwrite each other's data and spoil both rates. */
	if (!o->read_only && !file_lock(fd)) {
		err_set(err, EXIT_REFUSED,
			"cannot use '%s': another run tests it, or a server serves it; wait for its end", path);
		*made = false; /* by the other, then, between the look and the lock */
		goto fail;
	}
	if (buffered >= 0)
		close(buffered);
	*block_bytes = direct_block(fd);
	*bytes = (o->size ? o->size : (uint64_t)opened.st_size) / *block_bytes * *block_bytes;
	return fd;
fail:
	if (fd >= 0)
		close(fd);
	if (buffered >= 0)
		close(buffered);
	if (*made)
		unlink(path);
	return -1;
}
