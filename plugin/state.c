// SPDX-License-Identifier: MIT
/* The file: the drive's time, the model's bytes, and a checksum over both, all of this machine's byte order. */
#include "state.h"

#include "base/mem.h"
#include "base/output.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

int state_load(struct ssdmodel *model, const char *path, nsec *now, struct err *e)
{
	char why[256] = "";
	int failed = 0;
	if (output_allowed(path, e))
		return -1;
	FILE *f = fopen(path, "a+e");
	if (!f)
		return err_set(e, exit_code_of_path(errno), "cannot open state '%s': %s; give another file", path,
			strerror(errno));
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

int state_save(const struct ssdmodel *model, const char *path, nsec now, struct err *e)
{
	char *temporary = xasprintf("%s.new", path);
	struct stream s = {.file = fopen(temporary, "we"), .sum = SUM_START};
	bool done = s.file && !put(&s, &now, sizeof now) && !ssdmodel_save(model, put, &s);
	uint64_t sum = s.sum;
	done = done && !put(&s, &sum, sizeof sum) && !fflush(s.file) && !fsync(fileno(s.file));
	if (s.file && fclose(s.file))
		done = false;
	if (!done || rename(temporary, path)) {
		err_set(e, exit_code_of_errno(errno), "cannot save state '%s': %s", path, strerror(errno));
		unlink(temporary);
		done = false;
	}
	free(temporary);
	return done ? 0 : -1;
}
