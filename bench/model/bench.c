// SPDX-License-Identifier: MIT
/* How fast the model is, in CPU time of one core, through its public interface, with power and heat on. Usage:
 * bench-model [PROFILE]; without it sim:tpu-617gb. See README.md. */
#include "bench.h"

#include "base/rng.h"
#include "base/units.h"
#include "profile/profile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

double bench_cpu(void)
{
	struct rusage u;
	getrusage(RUSAGE_SELF, &u);
	return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
	       (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
}

static double wall(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double resident_mib(void)
{
	struct rusage u;
	getrusage(RUSAGE_SELF, &u);
	return (double)u.ru_maxrss / 1024;
}

static struct ssdmodel *make(const struct ssdmodel_params *p)
{
	char message[256];
	struct ssdmodel *d;
	if (ssdmodel_create(&d, p, message, sizeof message)) {
		fprintf(stderr, "bench-model: %s\n", message);
		exit(1);
	}
	return d;
}

/* `n` I/Os with `qd` in flight, from *now on. A ring in submission order is enough here: what is measured is the model.
 */
static void run(struct ssdmodel *d, enum ssdmodel_op op, uint32_t block, unsigned qd, uint64_t span, uint64_t n,
	struct rng *random, nsec *now)
{
	nsec flight[64] = {0};
	uint64_t at = 0;
	for (uint64_t i = 0; i < n; i++) {
		nsec *slot = &flight[i % qd];
		*now = *slot > *now ? *slot : *now;
		if (random)
			at = rng_below(random, span / block) * block;
		*slot = ssdmodel_io(d, op, at, block, *now);
		at = random || at + 2 * (uint64_t)block > span ? 0 : at + block;
	}
	for (unsigned i = 0; i < qd; i++)
		*now = flight[i] > *now ? flight[i] : *now;
}

static void report(const char *what, double pages, double seconds, const char *limit)
{
	printf("%-52s %8.2f M pages/s  %s\n", what, pages / seconds / 1e6, limit);
}

static void measure_fill(const struct ssdmodel_params *p)
{
	struct ssdmodel *d = make(p);
	nsec now = 0;
	double cpu = bench_cpu(), begin = wall();
	uint64_t at = 0;
	for (; at + MIB <= p->capacity_bytes; at += MIB)
		now = ssdmodel_io(d, SSDMODEL_WRITE, at, MIB, now);
	struct ssdmodel_sense s;
	ssdmodel_sense(d, now, &s);
	printf("fill of %.2f TB, 1 MiB, QD1: %.2f s CPU, %.2f s wall, %.0f MiB resident  (at most 1.5 s, 256 MiB)\n",
		(double)at / 1e12, bench_cpu() - cpu, wall() - begin, resident_mib());
	uint64_t ops = 0;
	for (int m = 0; m < 2; m++)
		ops += s.counts.programs[m] + s.counts.reads[m] + s.counts.reads_4k[m] + s.counts.erases[m];
	printf("  %.1f M die operations, %.0f ns each; %.0f MB/s modelled, %.2f W\n", (double)ops / 1e6,
		(bench_cpu() - cpu) / (double)ops * 1e9, (double)at / nsec_to_s(now) / 1e6, s.joules / nsec_to_s(now));
	ssdmodel_destroy(d);
}

/* The profile cut down to 64 GiB without a cache, full, at 12.7 % over-provisioning. */
static void measure_64_gib(struct ssdmodel_params p)
{
	const uint64_t span = 64 * GIB;
	memset(&p.pslc, 0, sizeof p.pslc);
	p.map.cache_bytes = 0;
	p.nand.pages_per_block = 32 * p.nand.bits_per_cell;
	uint64_t block = (uint64_t)p.nand.channels * p.nand.dies_per_channel * p.nand.planes * p.nand.page_bytes *
			 p.nand.pages_per_block;
	p.nand.blocks_per_plane = (uint32_t)(span * 1127 / 1000 / block);
	p.capacity_bytes = span;
	struct ssdmodel *d = make(&p);
	struct rng r;
	rng_seed(&r, 1);
	nsec now = 0;
	double cpu;
	run(d, SSDMODEL_WRITE, MIB, 1, span, span / MIB, NULL, &now);
	now += 60 * NSEC_PER_SEC;
	cpu = bench_cpu();
	run(d, SSDMODEL_READ, 128 * KIB, 1, span, 4 * span / (128 * KIB), NULL, &now);
	report("sequential reads, 128 KiB, QD1, fresh", 4 * (double)span / 4096, bench_cpu() - cpu, "(at least 60)");
	cpu = bench_cpu();
	run(d, SSDMODEL_READ, 128 * KIB, 32, span, 4 * span / (128 * KIB), NULL, &now);
	report("sequential reads, 128 KiB, QD32, fresh", 4 * (double)span / 4096, bench_cpu() - cpu, "(at least 60)");
	struct ssdmodel_sense before, after;
	double model = 0;
	for (int pass = 0; pass < 2; pass++) {
		ssdmodel_sense(d, now, &before);
		cpu = bench_cpu();
		run(d, SSDMODEL_WRITE, 4 * KIB, 32, span, span / (4 * KIB), &r, &now);
		model = (double)span / 4096 / (bench_cpu() - cpu);
		ssdmodel_sense(d, now, &after);
	}
	report("random overwrite, 4 KiB, QD32", model, 1, "(at least 3)");
	printf("  write amplification %.2f\n", (double)(after.nand_bytes - before.nand_bytes) / (double)span);
	for (int prefetch = 0; prefetch < 2; prefetch++) {
		struct limit_result limit = bench_limit(span, 127, prefetch);
		printf("  bare arrays, no timing%s: %.2f M pages/s at %.2f: the model reaches %.0f %% of it\n",
			prefetch ? ", prefetching" : "", limit.pages_per_s / 1e6, limit.waf,
			100 * model / limit.pages_per_s);
	}
	cpu = bench_cpu();
	run(d, SSDMODEL_READ, 128 * KIB, 1, span, span / (128 * KIB), NULL, &now);
	report("sequential reads, 128 KiB, QD1, fragmented", (double)span / 4096, bench_cpu() - cpu, "(at least 4)");
	cpu = bench_cpu();
	run(d, SSDMODEL_READ, 4 * KIB, 32, span, span / (4 * KIB), &r, &now);
	report("random reads, 4 KiB, QD32", (double)span / 4096, bench_cpu() - cpu, "(at least 4)");
	printf("  %.0f MiB resident at most, the limit's arrays included\n", resident_mib());
	ssdmodel_destroy(d);
}

int main(int argc, char **argv)
{
	struct ssdmodel_params p;
	struct err e = {0};
	if (profile_load(argc > 1 ? argv[1] : "tpu-617gb", &p, NULL, &e)) {
		fprintf(stderr, "bench-model: %s\n", e.text);
		return e.code;
	}
	printf("%s\n", p.name);
	measure_fill(&p);
	measure_64_gib(p);
	return 0;
}
