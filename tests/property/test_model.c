// SPDX-License-Identifier: MIT
/* What must hold for every modelled drive under any workload: random operations on every kind of drive, seeded. */
#include "drives.h"
#include "unit.h"

#include "base/mem.h"
#include "model/drive.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A drive, what it should hold, and the I/O in flight. */
struct world {
	struct bench b;
	const struct ssdmodel_params *p;
	uint64_t units, writes; /* units written, ever */
	uint64_t *generation;	/* expected, per unit; 0 = unmapped */
	uint64_t digest;
	nsec last_end;
};

static struct world world_make(const struct ssdmodel_params *p, uint64_t seed)
{
	struct world w = {.b = bench_make(p)};
	w.p = ssdmodel_params(w.b.d);
	w.units = p->capacity_bytes / SSDMODEL_UNIT;
	w.generation = xcalloc(w.units, sizeof *w.generation);
	rng_seed(&w.b.rng, seed);
	return w;
}

static void world_free(struct world *w)
{
	bench_free(&w->b);
	free(w->generation);
}

static void mix(struct world *w, uint64_t value)
{
	w->digest = (w->digest ^ value) * UINT64_C(0x100000001b3);
}

static void completes(struct world *w, nsec end)
{
	assert_true(end >= w->b.now);
	w->last_end = end > w->last_end ? end : w->last_end;
	mix(w, (uint64_t)end);
	/* Queue depths from 1 to many: the next starts at once, or after the last completion. */
	if (rng_below(&w->b.rng, 4) == 0)
		w->b.now = w->last_end;
	else
		w->b.now += (nsec)rng_below(&w->b.rng, 20000);
}

static void write_bytes(struct world *w, uint64_t offset, uint32_t bytes)
{
	completes(w, ssdmodel_io(w->b.d, SSDMODEL_WRITE, offset, bytes, w->b.now));
	for (uint64_t u = offset / SSDMODEL_UNIT; u * SSDMODEL_UNIT < offset + bytes; u++)
		w->generation[u] = ++w->writes;
}

/* A place for `bytes`, aligned to `align`. */
static uint64_t place(struct world *w, uint64_t bytes, uint64_t align)
{
	return rng_below(&w->b.rng, (w->p->capacity_bytes - bytes) / align + 1) * align;
}

static void trim(struct world *w, uint64_t offset, uint64_t bytes)
{
	completes(w, ssdmodel_trim(w->b.d, offset, bytes, w->b.now));
	for (uint64_t u = (offset + SSDMODEL_UNIT - 1) / SSDMODEL_UNIT; (u + 1) * SSDMODEL_UNIT <= offset + bytes; u++)
		w->generation[u] = 0;
}

static void erase(struct world *w)
{
	completes(w, ssdmodel_erase(w->b.d, w->b.now));
	memset(w->generation, 0, w->units * sizeof *w->generation);
}

/* One operation of any kind. */
static void step(struct world *w)
{
	struct rng *r = &w->b.rng;
	uint64_t *at = &w->b.written_at, kind = rng_below(r, 1000);
	uint32_t bytes;
	if (kind < 300) { /* sequential, in blocks up to 1 MiB */
		bytes = (uint32_t)(SSDMODEL_UNIT << rng_below(r, 9));
		if (*at + bytes > w->p->capacity_bytes)
			*at = 0;
		write_bytes(w, *at, bytes);
		*at += bytes;
	} else if (kind < 700) {
		write_bytes(w, place(w, SSDMODEL_UNIT, SSDMODEL_UNIT), SSDMODEL_UNIT);
	} else if (kind < 740) { /* odd sectors */
		bytes = (uint32_t)(512 * (1 + rng_below(r, 40)));
		write_bytes(w, place(w, bytes, 512), bytes);
	} else if (kind < 900) {
		bytes = (uint32_t)(512 << rng_below(r, 12));
		completes(w, ssdmodel_io(w->b.d, SSDMODEL_READ, place(w, bytes, 512), bytes, w->b.now));
	} else if (kind < 970) { /* a run of reads */
		bytes = (uint32_t)(SSDMODEL_UNIT << rng_below(r, 6));
		uint64_t from = place(w, 16 * bytes, SSDMODEL_UNIT);
		for (int i = 0; i < 16; i++)
			completes(w, ssdmodel_io(w->b.d, SSDMODEL_READ, from + (uint64_t)i * bytes, bytes, w->b.now));
	} else if (kind < 980) {
		bytes = (uint32_t)(512 + rng_below(r, 4 * MIB));
		trim(w, place(w, bytes, 512), bytes);
	} else if (kind < 988) {
		completes(w, ssdmodel_flush(w->b.d, w->b.now));
	} else if (kind < 996) {
		w->b.now = w->last_end > w->b.now ? w->last_end : w->b.now;
		/* Mostly too short for background work, so that caches do run full. */
		bench_idle(&w->b, rng_below(r, 40) ? 0.05 : 0.001 * (double)rng_below(r, 3000));
	} else if (kind < 999) {
		ssdmodel_low_power(w->b.d, rng_below(r, 2), w->b.now);
	} else if (rng_below(r, 8) == 0) {
		erase(w);
	} else {
		*at = place(w, MIB, MIB);
	}
}

static void every_unit_reads_back(struct world *w)
{
	for (uint64_t u = 0; u < w->units; u++)
		if (ssdmodel_generation(w->b.d, u) != w->generation[u])
			fail_msg("%s: unit %" PRIu64 " holds generation %" PRIu64 ", last written was %" PRIu64,
				w->p->name, u, ssdmodel_generation(w->b.d, u), w->generation[u]);
}

/* Energy, computed from the counts; to within the rounding of one pJ per page read. */
static void energy_adds_up(struct world *w)
{
	w->b.now = w->last_end > w->b.now ? w->last_end : w->b.now;
	bench_idle(&w->b, 20); /* background work is over */
	struct ssdmodel_sense s = bench_sense(&w->b);
	const struct ssdmodel_counts *n = &s.counts;
	int64_t pj = w->b.now * (int64_t)w->p->power.idle_mw + (int64_t)n->active_ns * w->p->power.active_mw +
		     (int64_t)n->core_ns * w->p->power.core_mw + (int64_t)n->channel_ns * w->p->power.channel_mw +
		     (int64_t)n->link_bytes * w->p->power.link_pj_per_byte;
	uint64_t reads = 0, programmed = 0;
	for (int m = 0; m < 2; m++) {
		uint64_t unit =
			(uint64_t)w->p->nand.planes * w->p->nand.page_bytes * (m ? w->p->nand.bits_per_cell : 1);
		pj += (int64_t)n->read_plane_ns[m] * w->p->power.die_read_mw / w->p->nand.planes +
		      (int64_t)n->read_4k_ns[m] * w->p->power.die_read_4k_mw +
		      (int64_t)n->program_ns[m] * w->p->power.die_program_mw +
		      (int64_t)n->erase_ns[m] * w->p->power.die_erase_mw;
		reads += n->reads[m];
		programmed += n->programs[m] * unit;
	}
	if (w->p->power.nstates == 0)
		assert_in_range(pj - s.pj + (int64_t)reads + 2, 0, 2 * reads + 4);
	assert_int_equal(s.nand_bytes, programmed);
	assert_int_equal(s.host_bytes, w->writes * SSDMODEL_UNIT);
	if (w->p->nand.in_place || s.counts.map_programs)
		return;
	/* All that was written is in flash, but for what a partly filled program unit holds back. */
	assert_true(s.nand_bytes + w->p->controller.write_buffer_bytes >= s.host_bytes);
}

static void data_survive_anything(void **state)
{
	struct ssdmodel_params p;
	for (unsigned kind = 0; drive_kind(kind, &p); kind++) {
		struct world w = world_make(&p, kind + 1);
		while (w.writes < 5 * w.units) { /* five times the capacity: what breaks, breaks late */
			for (int i = 0; i < 3000; i++)
				step(&w);
			bench_check(&w.b);
			every_unit_reads_back(&w);
		}
		energy_adds_up(&w);
		bench_check(&w.b);
		every_unit_reads_back(&w);
		world_free(&w);
	}
}

/* The average over any window is the difference of two readings, whenever they are taken. */
static void energy_is_a_function_of_time(void **state)
{
	struct ssdmodel_params p;
	for (unsigned kind = 0; drive_kind(kind, &p); kind++) {
		struct world often = world_make(&p, 99), seldom = world_make(&p, 99);
		double joules = 0, busy = 0;
		for (int i = 0; i < 20000; i++) {
			step(&often);
			step(&seldom);
			if (i % 7)
				continue;
			struct ssdmodel_sense s = bench_sense(&often.b);
			assert_true(s.joules >= joules && s.die_busy_ns >= busy);
			joules = s.joules;
			busy = s.die_busy_ns;
		}
		struct ssdmodel_sense a = bench_sense(&often.b), b = bench_sense(&seldom.b);
		assert_int_equal(a.pj, b.pj);
		assert_int_equal(often.digest, seldom.digest);
		assert_true(a.die_busy_ns <= (double)often.b.now);
		world_free(&often);
		world_free(&seldom);
	}
}

static void stripes_are_booked_as_single_operations_are(void **state)
{
	struct ssdmodel_params p;
	for (unsigned kind = 0; drive_kind(kind, &p); kind++) {
		struct world together = world_make(&p, kind + 7);
		p.one_by_one = true;
		struct world single = world_make(&p, kind + 7);
		for (int i = 0; i < 20000; i++) {
			step(&together);
			step(&single);
			if (together.digest != single.digest)
				fail_msg("%s: operation %d ends at another time when booked one by one", p.name, i);
		}
		bench_idle(&together.b, 5);
		bench_idle(&single.b, 5);
		struct ssdmodel_sense a = bench_sense(&together.b), b = bench_sense(&single.b);
		assert_int_equal(a.pj, b.pj);
		assert_memory_equal(&a.counts, &b.counts, sizeof a.counts);
		world_free(&together);
		world_free(&single);
	}
}

/* The same seed gives the same bytes, whatever the compiler. SSDSCOPE_UPDATE_GOLDEN=1 writes the file anew. */
static void the_same_seed_gives_the_same_times(void **state)
{
	bool update = getenv("SSDSCOPE_UPDATE_GOLDEN") != NULL;
	FILE *f = fopen(GOLDEN_FILE, update ? "w" : "r");
	assert_non_null(f);
	struct ssdmodel_params p;
	for (unsigned kind = 0; drive_kind(kind, &p); kind++) {
		struct world w = world_make(&p, 5);
		for (int i = 0; i < 20000; i++)
			step(&w);
		struct ssdmodel_sense s = bench_sense(&w.b);
		mix(&w, (uint64_t)s.pj);
		mix(&w, s.nand_bytes);
		uint64_t golden = 0;
		if (update)
			fprintf(f, "%016" PRIx64 "\n", w.digest);
		else if (fscanf(f, "%" SCNx64, &golden) != 1 || golden != w.digest)
			fail_msg("kind %u: digest %016" PRIx64 ", golden %016" PRIx64, kind, w.digest, golden);
		world_free(&w);
	}
	fclose(f);
}

/* Every booking of every resource, sorted: none overlaps another. */
struct interval {
	const void *resource;
	nsec start, end;
};
struct trace {
	struct interval *interval;
	size_t n, cap;
};

static void note(void *arg, const void *resource, nsec start, nsec end)
{
	struct trace *t = arg;
	assert_true(end >= start && start >= 0);
	if (end == start)
		return;
	GROW(t->interval, t->n, t->cap);
	t->interval[t->n++] = (struct interval){resource, start, end};
}

static int by_resource_and_time(const void *a, const void *b)
{
	const struct interval *x = a, *y = b;
	if (x->resource != y->resource)
		return x->resource < y->resource ? -1 : 1;
	return (x->start > y->start) - (x->start < y->start);
}

static void nothing_is_busy_twice(void **state)
{
	struct ssdmodel_params p;
	for (unsigned kind = 0; drive_kind(kind, &p); kind++) {
		struct world w = world_make(&p, kind + 3);
		struct trace t = {0};
		w.b.d->trace = note;
		w.b.d->trace_arg = &t;
		for (int i = 0; i < 40000; i++)
			step(&w);
		qsort(t.interval, t.n, sizeof *t.interval, by_resource_and_time);
		for (size_t i = 1; i < t.n; i++)
			if (t.interval[i].resource == t.interval[i - 1].resource &&
				t.interval[i].start < t.interval[i - 1].end)
				fail_msg("%s %u: busy from %" PRId64 " to %" PRId64 " and again from %" PRId64, p.name,
					kind, t.interval[i - 1].start, t.interval[i - 1].end, t.interval[i].start);
		assert_true(t.n > 40000);
		free(t.interval);
		world_free(&w);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(data_survive_anything),
		cmocka_unit_test(energy_is_a_function_of_time),
		cmocka_unit_test(stripes_are_booked_as_single_operations_are),
		cmocka_unit_test(the_same_seed_gives_the_same_times),
		cmocka_unit_test(nothing_is_busy_twice),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
