/* SPDX-License-Identifier: MIT */
/* Generic modelled drives for tests, and a closed loop of host I/O over them. */
#ifndef TESTS_DRIVES_H
#define TESTS_DRIVES_H

#include "base/rng.h"
#include "base/units.h"
#include "model/ssdmodel.h"

/* A drive under test and its clock. */
struct bench {
	struct ssdmodel *d;
	nsec now;
	struct rng rng;
	uint64_t written_at, read_at; /* where the next sequential I/O goes */
};

/* A generic TLC drive, no pSLC: 8 dies on 4 channels, 4 planes x 16 KiB, super-blocks of 96 MiB, 16 GiB of flash and
 * 14 GiB of capacity, PCIe 3.0 x4, the map in DRAM, read-ahead of 512 KiB, no heat. */
struct ssdmodel_params drive_tlc(void);
/* The same with a dynamic pSLC of at most `cache_permille` of all cells, then `policy`. */
struct ssdmodel_params drive_slc(uint32_t cache_permille, enum ssdmodel_exhaustion policy);
/* One die with small super-blocks of 768 pages, for collection: 2 GiB of flash, `op_permille` more than
 * the capacity. */
struct ssdmodel_params drive_small(uint32_t op_permille);
/* Every kind of drive there is, by number from 0; false after the last. */
bool drive_kind(unsigned i, struct ssdmodel_params *);

struct bench bench_make(const struct ssdmodel_params *); /* fails the test if the parameters are refused */
void bench_free(struct bench *);

struct load {
	enum ssdmodel_op op;
	uint32_t block; /* bytes */
	unsigned qd;
	uint64_t bytes, span;
	bool random;
};
struct result {
	double mbps, iops, watts, joules, mean_us, p99_us, max_us;
	double die_busy, waf; /* NAND bytes / bytes of this load */
	uint64_t reads;	      /* array reads of any kind */
	uint64_t map_misses;
};
/* Runs a load from the bench's time on, until the last completion. */
struct result bench_run(struct bench *, struct load);
/* Sequential writes of 1 MiB, QD1, until `bytes` are written or the rate over 30 ms falls below `floor_mbps`. Returns
 * the bytes written. */
uint64_t bench_write_until(struct bench *, uint64_t bytes, double floor_mbps);
void bench_idle(struct bench *, double seconds);
struct ssdmodel_sense bench_sense(struct bench *);
void bench_check(struct bench *); /* ssdmodel_check() */

#endif
