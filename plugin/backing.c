// SPDX-License-Identifier: MIT
/* One way for all: a sparse file. For memory it is one without a name, in the kernel's tmpfs. */
#include "backing.h"

#include "base/filelock.h"
#include "base/mem.h"
#include "base/units.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* How many bytes may be written between two looks at how much memory is in use. */
#define LOOK_EVERY (4 * MIB)

struct backing {
	int fd; /* -1: data are not kept */
	uint64_t capacity;
	uint64_t limit;		      /* of memory, bytes; 0 = none */
	atomic_uint_fast64_t written; /* since the last look */
	atomic_bool full;
};

/* What the machine has to spare, bytes; 0 if it doesn't tell. */
static uint64_t memory_to_spare(void)
{
	char line[128];
	unsigned long long kib = 0;
	FILE *f = fopen("/proc/meminfo", "re");
	while (f && fgets(line, sizeof line, f))
		if (sscanf(line, "MemAvailable: %llu kB", &kib) == 1)
			break;
	if (f)
		fclose(f);
	return kib * KIB;
}

static int open_memory(struct backing *b, struct err *e)
{
	b->fd = memfd_create("ssdscope-backing", MFD_CLOEXEC);
	if (b->fd < 0)
		return err_set(e, EXIT_FAILED, "cannot keep the drive's data in memory: %s; give backing=FILE",
			strerror(errno));
	b->limit = memory_to_spare() / 4 * 3;
	return 0;
}

static int open_file(struct backing *b, const char *path, uint64_t capacity, struct err *e)
{
	struct stat s;
	/* Before it is opened: a drive of this machine is not even opened for writing. */
	if (!stat(path, &s) && !S_ISREG(s.st_mode))
		return err_set(e, EXIT_USAGE, "cannot use backing '%s': not a regular file; give a file", path);
	b->fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	if (b->fd < 0 || fstat(b->fd, &s))
		return err_set(e, exit_code_of_path(errno), "cannot open backing '%s': %s; give another file", path,
			strerror(errno));
	if (!file_lock(b->fd))
		return err_set(e, EXIT_REFUSED,
			"cannot use backing '%s': another server serves it, or a run tests it; wait for its end", path);
	if (s.st_size && (uint64_t)s.st_size != capacity)
		return err_set(e, EXIT_USAGE,
			"backing '%s' has %llu bytes, the drive %llu; give another file, or the capacity= it was made "
			"with",
			path, (unsigned long long)s.st_size, (unsigned long long)capacity);
	return 0;
}

int backing_open(struct backing **out, const char *where, uint64_t capacity, struct err *e)
{
	struct backing *b = xcalloc(1, sizeof *b);
	int failed = 0;
	b->fd = -1;
	b->capacity = capacity;
	if (!where || !strcmp(where, "memory"))
		failed = open_memory(b, e);
	else if (strcmp(where, "none"))
		failed = open_file(b, where, capacity, e);
	if (!failed && b->fd >= 0 && ftruncate(b->fd, (off_t)capacity))
		failed = err_set(e, EXIT_FAILED,
			"cannot make backing '%s' %llu bytes large: %s; give a smaller capacity=",
			where ? where : "memory", (unsigned long long)capacity, strerror(errno));
	if (failed) {
		backing_close(b);
		return -1;
	}
	*out = b;
	return 0;
}

void backing_close(struct backing *b)
{
	if (!b)
		return;
	if (b->fd >= 0)
		close(b->fd);
	free(b);
}

void backing_limit(struct backing *b, uint64_t bytes)
{
	b->limit = bytes;
}

int backing_read(struct backing *b, void *data, size_t bytes, uint64_t offset)
{
	if (b->fd < 0) {
		memset(data, 0, bytes);
		return 0;
	}
	while (bytes) {
		ssize_t n = pread(b->fd, data, bytes, (off_t)offset);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -EIO;
		data = (char *)data + n;
		bytes -= (size_t)n;
		offset += (uint64_t)n;
	}
	return 0;
}

/* Whether memory has reached its limit. The kernel would rather kill the server than refuse it a page. */
static bool is_full(struct backing *b, size_t bytes)
{
	if (b->limit && atomic_fetch_add(&b->written, bytes) + bytes >= LOOK_EVERY) {
		atomic_store(&b->written, 0);
		atomic_store(&b->full, backing_bytes(b) + LOOK_EVERY > b->limit);
	}
	return atomic_load(&b->full);
}

int backing_write(struct backing *b, const void *data, size_t bytes, uint64_t offset)
{
	if (b->fd < 0)
		return 0;
	if (is_full(b, bytes))
		return -ENOSPC;
	while (bytes) {
		ssize_t n = pwrite(b->fd, data, bytes, (off_t)offset);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -EIO;
		data = (const char *)data + n;
		bytes -= (size_t)n;
		offset += (uint64_t)n;
	}
	return 0;
}

int backing_zero(struct backing *b, uint64_t bytes, uint64_t offset)
{
	if (b->fd < 0 || !bytes)
		return 0;
	if (fallocate(b->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)offset, (off_t)bytes))
		return -errno;
	if (b->limit)
		atomic_store(&b->full, backing_bytes(b) + LOOK_EVERY > b->limit);
	return 0;
}

bool backing_has_extents(const struct backing *b)
{
	return b->fd >= 0;
}

int64_t backing_extent(struct backing *b, uint64_t offset, bool *data)
{
	off_t hole = lseek(b->fd, (off_t)offset, SEEK_HOLE), next;
	if (hole < 0)
		return -errno;
	*data = (uint64_t)hole > offset;
	if (*data)
		return hole;
	next = lseek(b->fd, (off_t)offset, SEEK_DATA);
	if (next < 0)
		return errno == ENXIO ? (int64_t)b->capacity : -errno; /* no data from here to the end */
	if ((uint64_t)next == offset) {				       /* another thread has just written there */
		*data = true;
		return (int64_t)(offset + 1);
	}
	return next;
}

uint64_t backing_bytes(struct backing *b)
{
	struct stat s;
	return b->fd >= 0 && !fstat(b->fd, &s) ? (uint64_t)s.st_blocks * 512 : 0;
}
