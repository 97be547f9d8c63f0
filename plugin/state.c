// SPDX-License-Identifier: MIT
/* The file: the drive's time, the model's bytes, and a checksum over both, all of this machine's byte order. */
#include "state.h"

#include "base/filelock.h"
#include "base/mem.h"
#include "base/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* FNV-1a, 64 bits. */
static uint64_t sum_add(uint64_t sum, const void *data, size_t bytes)
{
	for (const unsigned char *p = data, *end = p + bytes; p < end; p++)
		sum = (sum ^ *p) * UINT64_C(0x100000001b3);
	return sum;
}
#define SUM_START UINT64_C(0xcbf29ce484222325)

struct stream {
	FILE *file;
	uint64_t sum;
};

static int put(void *arg, void *data, size_t bytes)
{
	struct stream *s = arg;
	s->sum = sum_add(s->sum, data, bytes);
	return fwrite(data, 1, bytes, s->file) == bytes ? 0 : -1;
}

static int get(void *arg, void *data, size_t bytes)
{
	struct stream *s = arg;
	return fread(data, 1, bytes, s->file) == bytes ? 0 : -1;
}

/* Whether the file ends with the checksum of all before it; rewinds. */
static bool is_whole(FILE *f)
{
	char buffer[65536];
	uint64_t sum = SUM_START, stored;
	long left;
	if (fseek(f, 0, SEEK_END) || (left = ftell(f) - (long)sizeof stored) < 0)
		return false;
	rewind(f);
	while (left) {
		size_t n = fread(buffer, 1, left < (long)sizeof buffer ? (size_t)left : sizeof buffer, f);
		if (!n)
			return false;
		sum = sum_add(sum, buffer, n);
		left -= (long)n;
	}
	bool same = fread(&stored, sizeof stored, 1, f) == 1 && stored == sum;
	rewind(f);
	return same;
}

/* Opens `path` as the only one: a lock on the file, which goes with whoever holds it. Another server may put a newer
 * file in its place just before the lock is there: then that one is taken. */
static int open_alone(const char *path, int *fd, struct err *e)
{
	struct stat ours, there;
	for (;;) {
		*fd = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
		if (*fd < 0)
			return err_set(e, exit_code_of_path(errno), "cannot open state '%s': %s; give another file",
				path, strerror(errno));
		if (!file_lock(*fd)) {
			close(*fd);
			*fd = -1;
			return err_set(e, EXIT_REFUSED,
				"cannot use state '%s': another server serves that drive and will save it there; wait "
				"for its end, or give another file",
				path);
		}
		if (!fstat(*fd, &ours) && !stat(path, &there) && ours.st_dev == there.st_dev &&
			ours.st_ino == there.st_ino)
			return 0;
		close(*fd);
	}
}

int state_load(struct ssdmodel *model, const char *path, nsec *now, int *lock, struct err *e)
{
	char why[256] = "";
	int failed = 0;
	if (output_allowed(path, e) || open_alone(path, lock, e))
		return -1;
	/* A descriptor of the same open file: closing it leaves the lock. */
	int fd = dup(*lock);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "a+e");
	if (!f)
		return err_set(e, EXIT_FAILED, "cannot open state '%s': %s", path, strerror(errno));
	if (fseek(f, 0, SEEK_END) == 0 && ftell(f) > 0) {
		struct stream s = {.file = f};
		if (!is_whole(f))
			failed = err_set(e, EXIT_USAGE,
				"cannot load state '%s': damaged, or no state; remove it or give another file", path);
		else if (get(&s, now, sizeof *now) || ssdmodel_load(model, get, &s, why, sizeof why) ||
			 ssdmodel_check(model, why, sizeof why))
			failed = err_set(e, EXIT_USAGE, "cannot load state '%s': %s; remove it or give another file",
				path, *why ? why : "cut short");
	}
	fclose(f);
	return failed;
}

int state_save(const struct ssdmodel *model, const char *path, nsec now, int *lock, struct err *e)
{
	char *temporary = xasprintf("%s.new", path);
	struct stream s = {.file = fopen(temporary, "we"), .sum = SUM_START};
	bool done = s.file && !put(&s, &now, sizeof now) && !ssdmodel_save(model, put, &s);
	uint64_t sum = s.sum;
	done = done && !put(&s, &sum, sizeof sum) && !fflush(s.file) && !fsync(fileno(s.file));
	/* The new file is locked before it has the name. */
	int fd = done ? fcntl(fileno(s.file), F_DUPFD_CLOEXEC, 0) : -1;
	done = done && fd >= 0;
	if (done)
		file_lock(fd);
	if (s.file && fclose(s.file))
		done = false;
	if (!done || rename(temporary, path)) {
		err_set(e, exit_code_of_errno(errno), "cannot save state '%s': %s", path, strerror(errno));
		unlink(temporary);
		done = false;
	}
	int old = done ? *lock : fd;
	if (done)
		*lock = fd;
	if (old >= 0)
		close(old);
	free(temporary);
	return done ? 0 : -1;
}
