// SPDX-License-Identifier: MIT
/* What one I/O costs: the whole runner on a target, a bare io_uring loop on the same file, and fio, taken in turns.
 * Reads and writes go over the same bytes in the same order, sequentially and wrapping. README.md says how to run it
 * and what came out.
 *
 *   bench_engine FILE [ROUNDS]    FILE: at least 64 MiB on a file system that takes O_DIRECT, or a loop device of
 * yours; "null" compares `null:` with fio's null engine */
#include "base/mem.h"
#include "base/units.h"
#include "run/loop.h"

#include <errno.h>
#include <fcntl.h>
#include <liburing.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define SPAN (64 * MIB)

enum { MAX_ROUNDS = 50 };

struct cost {
	double cpu_ns, wall_ns; /* per I/O */
};

struct job {
	const char *file;
	bool null, write;
	uint32_t block, depth;
	uint64_t ios;
};

static double cpu_of(int who)
{
	struct rusage u;
	getrusage(who, &u);
	return ((double)u.ru_utime.tv_sec + (double)u.ru_stime.tv_sec) * 1e9 +
	       ((double)u.ru_utime.tv_usec + (double)u.ru_stime.tv_usec) * 1e3;
}

static void die(const char *what)
{
	fprintf(stderr, "%s: %s\n", what, strerror(errno));
	exit(EXIT_FAILED);
}

/* The runner: workload, stamps, recorder, histogram, everything but the store. */
static struct cost ours(const struct job *j)
{
	struct rng rng;
	struct err e = {0};
	struct target *t;
	struct loop_result res;
	struct phase_record p = {0};
	struct recorder *r = xmalloc(sizeof *r);
	const struct target_options o = {
		.max_bytes = j->block, .max_qd = j->depth, .destroy = j->file, .overwrite_filesystem = true};
	rng_seed(&rng, 1);
	if (target_open(&t, j->null ? "null:size=64M,stamp" : j->file, &o, &e)) {
		fprintf(stderr, "%s\n", e.text);
		exit(e.code);
	}
	struct workload w = {.read_share = j->write ? 0 : 1,
		.block_bytes = j->block,
		.depth = j->depth,
		.span_bytes = SPAN,
		.limit_bytes = j->ios * j->block,
		.rng = &rng};
	double cpu = cpu_of(RUSAGE_SELF);
	nsec begin = nsec_now();
	recorder_start(r, t, t->ops->now(t), NULL, NULL);
	loop_run(t, &w, r, &res);
	recorder_finish(r, res.ended, &p);
	struct cost c = {(cpu_of(RUSAGE_SELF) - cpu) / (double)j->ios, (double)(nsec_now() - begin) / (double)j->ios};
	if (res.end != LOOP_BYTES) {
		fprintf(stderr, "the runner ended early: %s (%s)\n", loop_end_name(res.end), strerror(-res.status));
		exit(EXIT_FAILED);
	}
	target_close(t);
	free(r);
	return c;
}

/* The least that io_uring can cost: registered file and memory, no stamps, no clocks, no figures. */
static struct cost bare(const struct job *j)
{
	struct io_uring ring;
	struct io_uring_params params = {.flags = IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN};
	int fd = open(j->file, O_RDWR | O_DIRECT);
	size_t bytes = (size_t)j->depth * j->block;
	uint8_t *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	struct iovec v = {memory, bytes};
	if (fd < 0 || memory == MAP_FAILED || io_uring_queue_init_params(j->depth, &ring, &params) ||
		io_uring_register_files(&ring, &fd, 1) || io_uring_register_buffers(&ring, &v, 1))
		die(j->file);
	io_uring_register_ring_fd(&ring);
	madvise(memory, bytes, MADV_HUGEPAGE);
	unsigned *unused = xmalloc(j->depth * sizeof *unused), free_count = j->depth;
	for (unsigned i = 0; i < j->depth; i++)
		unused[i] = i;
	double cpu = cpu_of(RUSAGE_SELF);
	nsec begin = nsec_now();
	for (uint64_t sent = 0, back = 0; back < j->ios;) {
		for (; free_count && sent < j->ios; sent++) {
			unsigned i = unused[--free_count];
			struct io_uring_sqe *sqe = io_uring_get_sqe(&ring);
			uint64_t at = sent * j->block % SPAN;
			if (j->write)
				io_uring_prep_write_fixed(sqe, 0, memory + i * j->block, j->block, at, 0);
			else
				io_uring_prep_read_fixed(sqe, 0, memory + i * j->block, j->block, at, 0);
			sqe->flags |= IOSQE_FIXED_FILE;
			io_uring_sqe_set_data64(sqe, i);
		}
		io_uring_submit_and_wait(&ring, 1);
		struct io_uring_cqe *cqe;
		unsigned head, seen = 0;
		io_uring_for_each_cqe(&ring, head, cqe)
		{
			if (cqe->res != (int)j->block)
				die("bare loop");
			unused[free_count++] = (unsigned)io_uring_cqe_get_data64(cqe);
			seen++;
		}
		io_uring_cq_advance(&ring, seen);
		back += seen;
	}
	struct cost c = {(cpu_of(RUSAGE_SELF) - cpu) / (double)j->ios, (double)(nsec_now() - begin) / (double)j->ios};
	io_uring_queue_exit(&ring);
	munmap(memory, bytes);
	free(unused);
	close(fd);
	return c;
}

/* fio as fast as it goes with the same engine and the same kind of figures: registered file and memory, latency kept.
 * Its start is taken off by the difference between a long and a short run. */
static struct cost fio_run(const struct job *j, uint64_t ios)
{
	char size[64], block[64], depth[64], file[600], io_size[64];
	snprintf(size, sizeof size, "--size=%llu", (unsigned long long)SPAN);
	snprintf(io_size, sizeof io_size, "--io_size=%llu", (unsigned long long)(ios * j->block));
	snprintf(block, sizeof block, "--bs=%u", j->block);
	snprintf(depth, sizeof depth, "--iodepth=%u", j->depth);
	snprintf(file, sizeof file, "--filename=%s", j->null ? "nothing" : j->file);
	char *argv[] = {"fio", "--name=x", "--output=/dev/null", "--thread", "--allow_file_create=0",
		"--allow_mounted_write=0", j->write ? "--rw=write" : "--rw=read",
		j->null ? "--ioengine=null" : "--ioengine=io_uring", "--direct=1", size, io_size, block, depth, file,
		j->null ? NULL : "--fixedbufs=1", "--registerfiles=1", "--nonvectored=1", NULL};
	double cpu = cpu_of(RUSAGE_CHILDREN);
	nsec begin = nsec_now();
	pid_t child = fork();
	if (child == 0) {
		execvp("fio", argv);
		_exit(127);
	}
	int status;
	waitpid(child, &status, 0);
	if (!WIFEXITED(status) || WEXITSTATUS(status)) {
		fprintf(stderr, "fio failed\n");
		exit(EXIT_FAILED);
	}
	return (struct cost){cpu_of(RUSAGE_CHILDREN) - cpu, (double)(nsec_now() - begin)};
}

static struct cost fio(const struct job *j)
{
	uint64_t few = j->ios / 10;
	struct cost all = fio_run(j, j->ios), start = fio_run(j, few);
	double n = (double)(j->ios - few);
	return (struct cost){(all.cpu_ns - start.cpu_ns) / n, (all.wall_ns - start.wall_ns) / n};
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static double median(double *v, int n)
{
	qsort(v, (size_t)n, sizeof *v, ascending);
	return n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

static void compare(struct job *j, int rounds)
{
	double a[MAX_ROUNDS], b[MAX_ROUNDS], f[MAX_ROUNDS], cpu[MAX_ROUNDS], wall[MAX_ROUNDS];
	for (int i = 0; i < rounds; i++) {
		/* In turns, and every other round the other way about. */
		struct cost us = {0}, them = {0}, least = {0};
		for (int k = 0; k < 3; k++) {
			int which = i % 2 ? 2 - k : k;
			if (which == 0)
				us = ours(j);
			else if (which == 1 && !j->null)
				least = bare(j);
			else if (which == 2)
				them = fio(j);
		}
		a[i] = us.cpu_ns, b[i] = least.cpu_ns, f[i] = them.cpu_ns;
		cpu[i] = us.cpu_ns / them.cpu_ns;
		wall[i] = us.wall_ns / them.wall_ns;
	}
	/* These sort, so that the first is the least. */
	double am = median(a, rounds), bm = median(b, rounds), fm = median(f, rounds);
	double cpu_median = median(cpu, rounds), wall_median = median(wall, rounds);
	char block[UNITS_BUF];
	printf("%-8s %-5s QD%-2u %7.0f (%5.0f) %7.0f (%5.0f) ", units_block(block, j->block),
		j->write ? "write" : "read", j->depth, am, a[0], fm, f[0]);
	if (j->null)
		printf("%15s", "");
	else
		printf("%7.0f (%5.0f)", bm, b[0]);
	printf("   %5.2f (%5.2f)   %5.2f", cpu_median, a[0] / f[0], wall_median);
	if (j->null)
		printf("\n");
	else
		printf("   %5.2f (%5.2f)\n", am / bm, a[0] / b[0]);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	int rounds = argc > 2 ? atoi(argv[2]) : 9;
	if (argc < 2 || rounds < 1 || rounds > MAX_ROUNDS) {
		fprintf(stderr, "usage: bench_engine FILE|null [ROUNDS up to %d]\n", MAX_ROUNDS);
		return EXIT_USAGE;
	}
	struct job j = {.file = argv[1], .null = !strcmp(argv[1], "null")};
	printf("%s: user + system ns per I/O, medians (and the least) of %d rounds\n", argv[1], rounds);
	printf("                         ours             fio            bare    ours / fio     time   ours / bare\n");
	static const uint32_t blocks[] = {4096, 131072}, depths[] = {1, 32};
	for (int w = 0; w < 2; w++)
		for (size_t k = 0; k < 2; k++)
			for (size_t d = 0; d < 2; d++) {
				j.write = w;
				j.block = blocks[k];
				j.depth = depths[d];
				j.ios = j.null ? 400000 : j.block == 4096 ? 30000 : 6000;
				compare(&j, rounds);
			}
	return 0;
}
