/* SPDX-License-Identifier: MIT */
/* Where a served drive's data are really kept: sparse, in memory or in a file; or nowhere, for drives larger than the
 * machine. Any number of threads may use a backing at once. */
#ifndef PLUGIN_BACKING_H
#define PLUGIN_BACKING_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct backing;

/* Opens the backing of a drive of `capacity` bytes. `where`: NULL or "memory" for memory, "none" for nothing (reads
 * give zeros), else a path. A file that does not exist is made; one that exists must be empty or have just that size.
 * Memory grows up to three quarters of what the machine has to spare now. On failure -1 and *err (EXIT_USAGE,
 * EXIT_NOT_PERMITTED or EXIT_FAILED). */
int backing_open(struct backing **, const char *where, uint64_t capacity, struct err *);
void backing_close(struct backing *);

/* Lets memory grow only to about so many bytes (tests do not fill the machine). */
void backing_limit(struct backing *, uint64_t bytes);

/* 0, or a negative errno: -ENOSPC when memory or the file system is full. */
int backing_read(struct backing *, void *data, size_t bytes, uint64_t offset);
int backing_write(struct backing *, const void *data, size_t bytes, uint64_t offset);
/* The range reads as zeros from now on, and its memory is given back. */
int backing_zero(struct backing *, uint64_t bytes, uint64_t offset);

/* Whether it knows what holds data, and the end of the stretch at `offset` (below the capacity) that is of one kind:
 * *data tells whether it holds data or is a hole. Returns the end, or a negative errno. */
bool backing_has_extents(const struct backing *);
int64_t backing_extent(struct backing *, uint64_t offset, bool *data);

/* Bytes of memory or of the file system that the data take now. */
uint64_t backing_bytes(struct backing *);

#endif
