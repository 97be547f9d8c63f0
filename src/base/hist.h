/* SPDX-License-Identifier: MIT */
/* A log-linear histogram of latencies: each power of two is cut into 128 equal bins, so a value is known to within
 * 1/256 (0.4 %) of itself; values below 256 ns are exact. Histograms add up; percentiles are never averaged. */
#ifndef BASE_HIST_H
#define BASE_HIST_H

#include <stddef.h>
#include <stdint.h>

#define HIST_SUB_BITS 7
#define HIST_MAX_BIT 47 /* values from 2^48 ns (78 h) on are counted in the last bin; `max` stays exact */
#define HIST_BINS (((HIST_MAX_BIT - HIST_SUB_BITS) + 2) << HIST_SUB_BITS)

/* Zero-initialise it. */
struct hist {
	uint64_t count;
	uint64_t sum; /* ns */
	uint64_t min; /* ns; only meaningful where count > 0 */
	uint64_t max;
	uint64_t bin[HIST_BINS];
};

/* The bin of a value in ns. */
static inline unsigned hist_index(uint64_t ns)
{
	if (ns >> (HIST_MAX_BIT + 1))
		return HIST_BINS - 1;
	int top = 63 - __builtin_clzll(ns | 1);
	int shift = top > HIST_SUB_BITS ? top - HIST_SUB_BITS : 0;
	return ((unsigned)shift << HIST_SUB_BITS) + (unsigned)(ns >> shift);
}

/* Counts one value in ns. */
static inline void hist_add(struct hist *h, uint64_t ns)
{
	h->min = h->count == 0 || ns < h->min ? ns : h->min;
	h->max = ns > h->max ? ns : h->max;
	h->count++;
	h->sum += ns;
	h->bin[hist_index(ns)]++;
}

/* Adds all of `from` to `to`. */
void hist_merge(struct hist *to, const struct hist *from);

/* The value in ns below or at which the fraction `p` (0 to 1) of all values lies: the middle of its bin, clamped to
 * [min, max]. 0 where the histogram is empty: ask `count` first. */
uint64_t hist_quantile(const struct hist *h, double p);

/* Whether the count supports quantile `p`: at least 10 values are expected beyond it (reference: rank interval of a
 * binomial; docs/method.md). p <= 0.5 needs 10 values in all. */
int hist_supports(const struct hist *h, double p);

/* Serialises into a fresh buffer (free() it): count, sum, min, max, then pairs of (bins skipped, count), all LEB128.
 * `*bytes` is its length. */
uint8_t *hist_pack(const struct hist *h, size_t *bytes);

/* The inverse. Returns 0, or -1 if the bytes are not a packed histogram (`h` is then zeroed). */
int hist_unpack(struct hist *h, const uint8_t *data, size_t bytes);

#endif
