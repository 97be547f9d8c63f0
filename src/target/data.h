/* SPDX-License-Identifier: MIT */
/* The data that travels: incompressible blocks made before the clock starts, and the stamp that makes each one unique.
 *
 * Memory is a pool of `slots` buffers to write from and as many to read into (apart, so that a read never leaves a
 * drive's zeros where the next write takes its data). A slot is cut into blocks of 4 KiB. The body of pool block k is a
 * fixed stream of random bytes that follows from the seed and k; the first 24 bytes of each block, the stamp, are
 * rewritten for every I/O. They say which place, which pass and which k, so that a verifying read can compare every
 * single byte with what was written. The stamp costs three multiplications by constants per word, about 10 ns per 4
 * KiB, and is itself as random as the body: its words go through a bijective mixer (the finaliser of splitmix64). */
#ifndef TARGET_DATA_H
#define TARGET_DATA_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DATA_BLOCK 4096u
#define DATA_STAMP 24u

struct data {
	uint8_t *write, *read; /* `slots` buffers of `stride` bytes each, page aligned */
	size_t stride;	       /* bytes of a slot: the largest I/O, rounded up to DATA_BLOCK */
	unsigned slots;
	uint64_t seed;
};

/* Makes a pool for I/Os of at most `max_bytes` bytes. 0, or -1 with *err (EXIT_FAILED: no memory). */
int data_open(struct data *, unsigned slots, uint32_t max_bytes, uint64_t seed, struct err *);
void data_close(struct data *);

static inline uint8_t *data_to_write(const struct data *d, unsigned slot)
{
	return d->write + slot * d->stride;
}
static inline uint8_t *data_to_read(const struct data *d, unsigned slot)
{
	return d->read + slot * d->stride;
}

/* Stamps the blocks of `slot` for a write of `bytes` bytes at byte `offset`, pass `pass`. Blocks count from `offset`;
 * the last may be short. */
void data_stamp(const struct data *, unsigned slot, uint64_t offset, uint32_t bytes, uint32_t pass);

/* Spoils what an earlier read left in `slot`, so that a drive which transfers nothing cannot pass the check. */
void data_spoil(const struct data *, unsigned slot, uint32_t bytes);

/* Compares what was read into `slot` with what data_stamp and the pool would have written at `offset` in pass `pass` by
 * I/Os of at least this size and the same alignment to 4 KiB. 0, or -EILSEQ. */
int data_check(const struct data *, unsigned slot, uint64_t offset, uint32_t bytes, uint32_t pass);

/* Whether a block (its first DATA_STAMP bytes) was written by this program, whatever the seed, place or pass. */
bool data_is_ours(const void *block);

#endif
