// SPDX-License-Identifier: MIT
/* The limit: a bare flash translation layer of flat arrays, greedy, with no timing, power or checks at all. Uniform
 * random overwrite of a full drive; what a model can hope to come near to. "prefetch" looks ahead, which a real caller,
 * who hands over one I/O at a time, would not allow. */
#include "bench.h"

#include "base/rng.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define PAGES 4096u /* per block */
#define AHEAD 16u

struct ftl {
	uint32_t blocks, open, used, nfree, *map, *back, *valid, *freelist;
	uint64_t programs;
};

static void *array(size_t n)
{
	void *p = mmap(NULL, n * sizeof(uint32_t), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		abort();
	madvise(p, n * sizeof(uint32_t), MADV_HUGEPAGE);
	return p;
}

static void put(struct ftl *f, uint32_t lba)
{
	if (f->used == PAGES) {
		f->open = f->freelist[--f->nfree];
		f->used = 0;
	}
	uint32_t at = f->open * PAGES + f->used++;
	f->map[lba] = at;
	f->back[at] = lba;
	f->valid[f->open]++;
	f->programs++;
}

static void collect(struct ftl *f)
{
	uint32_t best = UINT32_MAX, victim = 0;
	for (uint32_t i = 0; i < f->blocks; i++)
		if (f->valid[i] < best && i != f->open && f->back[i * PAGES] != UINT32_MAX) {
			best = f->valid[i];
			victim = i;
		}
	for (uint32_t i = victim * PAGES; i < (victim + 1) * PAGES; i++) {
		if (i + AHEAD < (victim + 1) * PAGES)
			__builtin_prefetch(&f->map[f->back[i + AHEAD]], 1);
		if (f->map[f->back[i]] == i) {
			f->valid[victim]--;
			put(f, f->back[i]);
		}
	}
	f->back[victim * PAGES] = UINT32_MAX;
	f->freelist[f->nfree++] = victim;
}

static void write_page(struct ftl *f, uint32_t lba)
{
	f->valid[f->map[lba] / PAGES]--;
	put(f, lba);
	while (f->nfree < 4)
		collect(f);
}

struct limit_result bench_limit(uint64_t bytes, uint32_t op_permille, bool prefetch)
{
	uint32_t units = (uint32_t)(bytes / 4096);
	struct ftl f = {.blocks = (uint32_t)((uint64_t)units * (1000 + op_permille) / 1000 / PAGES)};
	f.map = array(units);
	f.back = array((size_t)f.blocks * PAGES);
	f.valid = array(f.blocks);
	f.freelist = array(f.blocks);
	memset(f.back, 0xff, (size_t)f.blocks * PAGES * sizeof *f.back);
	for (f.nfree = 0; f.nfree < f.blocks; f.nfree++)
		f.freelist[f.nfree] = f.nfree;
	f.used = PAGES;
	for (uint32_t i = 0; i < units; i++)
		put(&f, i);
	struct rng r;
	rng_seed(&r, 1);
	struct limit_result result = {0};
	uint32_t ahead[AHEAD] = {0};
	for (uint32_t i = 0; i < AHEAD; i++)
		ahead[i] = (uint32_t)rng_below(&r, units);
	for (int pass = 0; pass < 2; pass++) { /* the second counts */
		uint64_t before = f.programs;
		double begin = bench_cpu();
		for (uint32_t i = 0; i < units; i++) {
			uint32_t next = (uint32_t)rng_below(&r, units), lba = next;
			if (prefetch) {
				lba = ahead[i % AHEAD];
				ahead[i % AHEAD] = next;
				__builtin_prefetch(&f.map[next], 1);
				uint32_t soon = ahead[(i + AHEAD / 2) % AHEAD];
				__builtin_prefetch(&f.valid[f.map[soon] / PAGES], 1);
			}
			write_page(&f, lba);
		}
		result.pages_per_s = units / (bench_cpu() - begin);
		result.waf = (double)(f.programs - before) / units;
	}
	munmap(f.map, units * sizeof(uint32_t));
	munmap(f.back, (size_t)f.blocks * PAGES * sizeof(uint32_t));
	munmap(f.valid, f.blocks * sizeof(uint32_t));
	munmap(f.freelist, f.blocks * sizeof(uint32_t));
	return result;
}
