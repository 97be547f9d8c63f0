// SPDX-License-Identifier: MIT
#include "target/data.h"

#include "base/rng.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

/* The three words of a stamp. `check` depends on the other two alone, so that data_is_ours() needs no seed. */
struct stamp {
	uint64_t place; /* mix(offset, seed) */
	uint64_t pass;	/* mix(pass, k, place) */
	uint64_t check; /* mix(place, pass) */
};
_Static_assert(sizeof(struct stamp) == DATA_STAMP, "a stamp has no padding");

#define OURS 0x7373647363ull /* "ssdsc": any constant that makes `check` a function of this program's own */

static uint64_t mix(uint64_t x)
{
	return splitmix64(&x);
}

/* The inverse of mix(): undoes its xor-shifts and multiplies by the inverses of its factors modulo 2^64. */
static uint64_t unmix(uint64_t z)
{
	z ^= (z >> 31) ^ (z >> 62);
	z *= 0x319642b2d24d8ec3u;
	z ^= (z >> 27) ^ (z >> 54);
	z *= 0x96de1b173f119089u;
	z ^= (z >> 30) ^ (z >> 60);
	return z - 0x9e3779b97f4a7c15u;
}

static struct stamp make_stamp(uint64_t seed, uint64_t offset, uint32_t pass, uint32_t k)
{
	struct stamp s;
	s.place = mix(offset ^ seed);
	s.pass = mix(((uint64_t)pass << 32 | k) ^ s.place);
	s.check = mix(s.place ^ (s.pass << 1) ^ OURS);
	return s;
}

static void make_body(uint64_t seed, uint32_t k, uint8_t *block)
{
	struct rng r;
	rng_seed(&r, seed ^ ((uint64_t)k << 32));
	for (size_t i = 0; i < DATA_BLOCK; i += 8) {
		uint64_t v = rng_next(&r);
		memcpy(block + i, &v, 8);
	}
}

int data_open(struct data *d, unsigned slots, uint32_t max_bytes, uint64_t seed, struct err *err)
{
	size_t stride = ((size_t)max_bytes + DATA_BLOCK - 1) / DATA_BLOCK * DATA_BLOCK;
	*d = (struct data){.stride = stride, .slots = slots, .seed = seed};
	void *p = mmap(NULL, 2 * slots * stride, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		return err_set(err, EXIT_FAILED,
			"cannot get %zu bytes for I/O buffers: %s; use a smaller block size or queue depth",
			2 * slots * stride, strerror(errno));
	/* Fewer and larger pages make cheaper I/O; where the kernel has none to give, nothing is lost. */
	madvise(p, 2 * slots * stride, MADV_HUGEPAGE);
	d->write = p;
	d->read = d->write + slots * stride;
	for (size_t k = 0; k < slots * stride / DATA_BLOCK; k++)
		make_body(seed, (uint32_t)k, d->write + k * DATA_BLOCK);
	return 0;
}

void data_close(struct data *d)
{
	if (d->write)
		munmap(d->write, 2 * d->slots * d->stride);
	d->write = d->read = NULL;
}

void data_stamp(const struct data *d, unsigned slot, uint64_t offset, uint32_t bytes, uint32_t pass)
{
	uint8_t *p = data_to_write(d, slot);
	uint32_t k = (uint32_t)(slot * (d->stride / DATA_BLOCK));
	for (uint32_t at = 0; at < bytes; at += DATA_BLOCK, k++) {
		struct stamp s = make_stamp(d->seed, offset + at, pass, k);
		memcpy(p + at, &s, sizeof s);
	}
}

void data_spoil(const struct data *d, unsigned slot, uint32_t bytes)
{
	for (uint32_t at = 0; at < bytes; at += DATA_BLOCK)
		memset(data_to_read(d, slot) + at, 0, DATA_STAMP);
}

int data_check(const struct data *d, unsigned slot, uint64_t offset, uint32_t bytes, uint32_t pass)
{
	const uint8_t *p = data_to_read(d, slot);
	for (uint32_t at = 0; at < bytes; at += DATA_BLOCK) {
		uint32_t length = bytes - at < DATA_BLOCK ? bytes - at : DATA_BLOCK;
		struct stamp got;
		memcpy(&got, p + at, sizeof got);
		uint32_t k = (uint32_t)(unmix(got.pass) ^ got.place);
		struct stamp want = make_stamp(d->seed, offset + at, pass, k);
		if (memcmp(&got, &want, sizeof got))
			return -EILSEQ;
		/* The writer may have had a larger pool than this one. */
		uint8_t other[DATA_BLOCK];
		const uint8_t *body = d->write + (size_t)k * DATA_BLOCK;
		if (k >= d->slots * d->stride / DATA_BLOCK) {
			make_body(d->seed, k, other);
			body = other;
		}
		if (memcmp(p + at + DATA_STAMP, body + DATA_STAMP, length - DATA_STAMP))
			return -EILSEQ;
	}
	return 0;
}

bool data_is_ours(const void *block)
{
	struct stamp s;
	memcpy(&s, block, sizeof s);
	return s.check == mix(s.place ^ (s.pass << 1) ^ OURS);
}
