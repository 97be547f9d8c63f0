/* SPDX-License-Identifier: MIT */
/* A regular file as a target: opened if it is there, made if not. */
#ifndef TARGET_FILE_H
#define TARGET_FILE_H

#include "base/error.h"
#include "target/target.h"

#include <stdint.h>

/* Opens the regular file `path` with O_DIRECT. One that does not exist is made with options->size bytes, sparse: its
 * blocks are allocated when they are first written, so that a write is a write and a full disk shows when it happens;
 * whoever reads a place that was never written gets zeros without any I/O. An existing file keeps its size
 * (options->size must not exceed it; a smaller one uses the file's beginning) and, unless it is empty, zero or of our
 * own making, is overwritten only if options->destroy equals `path` or the person confirms. Returns the descriptor,
 * with *bytes (a multiple of *block_bytes) the capacity, *block_bytes the smallest unit of direct I/O and *made whether
 * the file was not there before; or -1 with *err. A file that this call made is removed again on failure; with
 * options->read_only none is made, a nameless one takes its place. Never opens a device. */
int file_open(const char *path, const struct target_options *options, uint64_t *bytes, uint32_t *block_bytes,
	bool *made, struct err *err);

#endif
