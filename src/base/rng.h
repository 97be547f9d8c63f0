/* SPDX-License-Identifier: MIT */
/* Random numbers: xoshiro256** (Blackman and Vigna, 2018), seeded through splitmix64. Deterministic, one state per
 * user. */
#ifndef BASE_RNG_H
#define BASE_RNG_H

#include <stdint.h>

struct rng {
	uint64_t s[4];
};

/* One step of splitmix64: advances `*x` and returns a well-mixed 64-bit value. Also used as a hash of a counter. */
static inline uint64_t splitmix64(uint64_t *x)
{
	uint64_t z = (*x += 0x9e3779b97f4a7c15u);
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

/* Any seed is good, 0 included. */
static inline void rng_seed(struct rng *r, uint64_t seed)
{
	for (int i = 0; i < 4; i++)
		r->s[i] = splitmix64(&seed);
}

/* The next 64 random bits. */
static inline uint64_t rng_next(struct rng *r)
{
	uint64_t *s = r->s, x = s[1] * 5, t = s[1] << 17;
	x = ((x << 7) | (x >> 57)) * 9;
	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = (s[3] << 45) | (s[3] >> 19);
	return x;
}

/* Uniform in [0, n), n > 0: the high half of a 64 x 64 product. Its bias is below n / 2^64, far below what a test sees.
 */
static inline uint64_t rng_below(struct rng *r, uint64_t n)
{
	return (uint64_t)(((unsigned __int128)rng_next(r) * n) >> 64);
}

/* Uniform in [0, 1). */
static inline double rng_unit(struct rng *r)
{
	return (double)(rng_next(r) >> 11) * 0x1.0p-53;
}

#endif
