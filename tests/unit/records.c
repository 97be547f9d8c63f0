// SPDX-License-Identifier: MIT
#include "records.h"

#include "base/mem.h"
#include "base/rng.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct run_record *record_run(int64_t id, const char *model)
{
	struct run_record *r = xcalloc(1, sizeof *r);
	r->id = id;
	snprintf(r->uuid, sizeof r->uuid, "00000000-0000-4000-8000-%012lld", (long long)id);
	r->started_ms = 1796040000000; /* 2026-11-30 12:00:00 UTC */
	r->finished_ms = r->started_ms + 3600000;
	r->state = RUN_DONE;
	r->suite = xstrdup("review");
	r->tool_version = xstrdup("0.1.0");
	r->power_source = xstrdup("model");
	r->host = xstrdup("{\"kernel\":\"6.1\",\"cpu\":\"a test's idea of a processor\"}");
	r->host_limit_mbps = NAN;
	strcpy(r->target.kind, "sim");
	r->target.path = xasprintf("sim:%s", model);
	r->target.model = xstrdup(model);
	r->target.serial = xstrdup("TEST0001");
	r->target.firmware = xstrdup("1.0");
	r->target.engine = xstrdup("model");
	r->target.capacity_bytes = 2000398934016;
	r->target.rated_class_bytes = 2048000000000;
	r->target.logical_block_bytes = 512;
	r->target.bits_per_cell = 3;
	return r;
}

struct test_record *record_test(struct run_record *r, const char *name, const char *condition, const char *kind)
{
	r->tests = xrealloc(r->tests, (r->ntests + 1) * sizeof *r->tests);
	struct test_record *t = &r->tests[r->ntests++];
	*t = (struct test_record){
		.status = TEST_DONE, .quiet_wait = -1, .temperature_min_c = NAN, .temperature_max_c = NAN};
	snprintf(t->name, sizeof t->name, "%s", name);
	snprintf(t->condition, sizeof t->condition, "%s", condition);
	snprintf(t->kind, sizeof t->kind, "%s", kind);
	t->params = xasprintf("{\"name\":\"%s\",\"kind\":\"%s\"}", name, kind);
	return t;
}

void record_samples(struct phase_record *p, double mbps, double seconds, double noise, double watts)
{
	struct rng rng;
	rng_seed(&rng, p->nsamples);
	size_t n = (size_t)ceil(seconds * 2 - 1e-9);
	double left = seconds;
	p->samples = xrealloc(p->samples, (p->nsamples + n) * sizeof *p->samples);
	for (size_t i = 0; i < n; i++, left -= 0.5) {
		double length = left < 0.5 ? left : 0.5;
		double rate = mbps * (1 + noise * (2 * rng_unit(&rng) - 1));
		struct sample *s = &p->samples[p->nsamples++];
		*s = (struct sample){.start = p->duration,
			.length = (nsec)llround(length * 1e9),
			.bytes = (uint64_t)llround(rate * length * 1e6),
			.joules = watts * length,
			.temperature_c = NAN,
			.nand_bytes = -1};
		p->duration += s->length;
		p->bytes += s->bytes;
		p->read_bytes += strcmp(p->op, "read") ? 0 : s->bytes;
		p->joules += s->joules;
		p->total_joules += s->joules;
	}
}

struct phase_record *record_phase(struct test_record *t, const char *name, const char *op, const char *pattern,
	double mbps, double seconds, double noise, double watts)
{
	t->phases = xrealloc(t->phases, (t->nphases + 1) * sizeof *t->phases);
	struct phase_record *p = &t->phases[t->nphases++];
	*p = (struct phase_record){.read_share = NAN,
		.flush = -1,
		.nand_bytes = -1,
		.idle_nand_bytes = -1,
		.idle_joules = NAN,
		.die_busy = NAN,
		.fill_level = NAN,
		.block_bytes = 128 * 1024,
		.queue_depth = 1};
	snprintf(p->name, sizeof p->name, "%s", name);
	snprintf(p->op, sizeof p->op, "%s", op);
	snprintf(p->pattern, sizeof p->pattern, "%s", pattern);
	p->end_reason = xstrdup("bytes");
	record_samples(p, mbps, seconds, noise, watts);
	return p;
}

void record_ios(struct phase_record *p, uint32_t block, uint32_t qd)
{
	struct rng rng;
	rng_seed(&rng, block + qd);
	p->block_bytes = block;
	p->queue_depth = qd;
	p->ios = p->bytes / block;
	free(p->latency);
	p->latency = xcalloc(1, sizeof *p->latency);
	uint64_t counted = p->ios < 20000 ? p->ios : 20000;
	double mean_ns = p->ios ? (double)p->duration * qd / (double)p->ios : 0;
	for (uint64_t i = 0; i < counted; i++)
		hist_add(p->latency, (uint64_t)(mean_ns * (0.8 + 0.4 * rng_unit(&rng)) * (i % 97 ? 1 : 5)));
}

void record_fill(struct run_record *r, double scale)
{
	struct test_record *t = record_test(r, "fill", "", "fill");
	t->erase = xstrdup("format, 1.2 s, probes read zeros");
	t->quiet_wait = 3 * NSEC_PER_SEC;
	t->temperature_min_c = 34;
	t->temperature_max_c = 71;
	double cache = 617e3 * scale, fast = 7030 * scale, direct = 2900 * scale, slow = 1690 * scale; /* MB, MB/s */
	struct phase_record *p = record_phase(t, "fill", "write", "sequential", fast, cache / fast, 0.02, 8.1);
	record_samples(p, direct, 350e3 / direct, 0.04, 6.2);
	record_samples(p, slow, (2000e3 - cache - 350e3) / slow, 0.10, 5.4);
	for (size_t i = 0; i < p->nsamples; i++) {
		struct sample *s = &p->samples[i];
		s->temperature_c = 34 + 37 * (1 - exp(-(double)i / 300));
		s->nand_bytes = (int64_t)((double)s->bytes * (i < 180 ? 1.0 : i < 400 ? 1.05 : 1.6));
	}
	free(p->end_reason);
	p->end_reason = xstrdup("capacity");
	p->flush = 240 * NSEC_PER_MSEC;
	p->fill_level = 0;
	record_ios(p, 1024 * 1024, 1);
	r->target.capacity_bytes = p->bytes;
}

static void sweep(struct run_record *r, const char *name, const char *condition, const char *op, const char *pattern,
	const double mbps[6], double watts)
{
	struct test_record *t = record_test(r, name, condition, "sweep");
	uint32_t block = strcmp(pattern, "random") ? 128 * 1024 : 4096;
	for (int i = 0; i < 6; i++) {
		char phase[16];
		snprintf(phase, sizeof phase, "qd%d", 1 << i);
		struct phase_record *p =
			record_phase(t, phase, op, pattern, mbps[i], 10, 0.03, watts * (0.7 + 0.3 * mbps[i] / mbps[5]));
		record_ios(p, block, 1u << i);
		p->idle_before = i ? 10 * NSEC_PER_SEC : 0;
		p->die_busy = 0.1 * i + 0.3;
	}
}

static void burst(struct run_record *r, const char *name, const char *op, const char *pattern, int n, double mbps,
	double bytes, double watts)
{
	struct test_record *t = record_test(r, name, "", "burst");
	double seconds = bytes / mbps;
	for (int i = 0; i < n; i++) {
		struct phase_record *p =
			record_phase(t, "burst", op, pattern, mbps * (1 + 0.02 * ((i * 7) % 5 - 2)), seconds, 0, watts);
		record_ios(p, strcmp(pattern, "random") ? 128 * 1024 : 4096, 1);
		p->idle_before = i ? 4 * t->phases[i - 1].duration : 0;
		p->idle_joules = i ? 0.6 * nsec_to_s(p->idle_before) : NAN;
	}
	struct phase_record *pause = record_phase(t, "pause", "idle", "", 0, 4 * seconds, 0, 0.6);
	pause->bytes = 0;
}

static void recovery(struct run_record *r, double scale)
{
	static const int idles[] = {1, 2, 5, 10, 30, 60, 300};
	struct test_record *t = record_test(r, "recovery", "", "recovery");
	record_samples(record_phase(t, "exhaust", "write", "sequential", 7030 * scale, 87, 0.02, 8), 1700 * scale, 10,
		0.08, 5.4);
	for (int i = 0; i < 7; i++) {
		char name[32];
		snprintf(name, sizeof name, "idle-%ds", idles[i]);
		double fast = fmin(1950 * idles[i], 500e3) * scale; /* MB */
		struct phase_record *p =
			record_phase(t, name, "write", "sequential", 7030 * scale, fast / (7030 * scale), 0.02, 8);
		record_samples(p, 1700 * scale, 4, 0.08, 5.4);
		p->idle_before = idles[i] * NSEC_PER_SEC;
		p->fill_level = fmin(0.32 + 0.05 * i, 1);
	}
}

static void mixed(struct run_record *r, const char *name, const char *pattern, double write, double read)
{
	struct test_record *t = record_test(r, name, "", "mixed");
	for (int share = 0; share <= 100; share += 10) {
		char phase[16];
		snprintf(phase, sizeof phase, "mix-%d", share);
		double x = share / 100.0, mbps = write + (read - write) * x * x - 0.6 * write * x * (1 - x);
		struct phase_record *p = record_phase(t, phase,
			share == 0     ? "write"
			: share == 100 ? "read"
				       : "mixed",
			pattern, mbps, 5, 0.02, 5 - 2 * x);
		p->read_share = share == 0 || share == 100 ? NAN : x;
		record_ios(p, strcmp(pattern, "random") ? 128 * 1024 : 4096, strcmp(pattern, "random") ? 1 : 4);
	}
}

struct run_record *record_review(int64_t id, const char *model, double scale)
{
	struct run_record *r = record_run(id, model);
	static const double shapes[][6] = {
		{1910, 1950, 1950, 3300, 3390, 3400}, /* sequential reads, fresh */
		{1720, 1750, 1760, 2900, 3100, 3150}, /* ... and fragmented */
		{2800, 3050, 2400, 1750, 2300, 1900}, /* sequential writes */
		{58, 114, 221, 418, 760, 1240},	      /* random reads */
		{190, 340, 520, 560, 470, 500},	      /* random writes */
	};
	double scaled[5][6];
	for (int i = 0; i < 5; i++)
		for (int k = 0; k < 6; k++)
			scaled[i][k] = shapes[i][k] * scale;
	/* Drives differ in their appetite too. */
	double w = (0.5 + 0.5 * scale) * (1 + 0.08 * (double)(id * 7 % 5 - 2));
	record_fill(r, scale);
	recovery(r, scale);
	burst(r, "burst-seq-read", "read", "sequential", 8, 1950 * scale, 134, 4.2 * w);
	burst(r, "burst-seq-write", "write", "sequential", 8, 2900 * scale, 134, 5.5 * w);
	burst(r, "burst-rand-read", "read", "random", 32, 58 * scale, 33.5, 1.9 * w);
	burst(r, "burst-rand-write", "write", "random", 32, 190 * scale, 33.5, 2.6 * w);
	sweep(r, "seq-write", "fresh", "write", "sequential", scaled[2], 6 * w);
	sweep(r, "seq-read", "fresh", "read", "sequential", scaled[0], 5 * w);
	sweep(r, "rand-write", "", "write", "random", scaled[4], 5 * w);
	sweep(r, "seq-read", "fragmented", "read", "sequential", scaled[1], 5.4 * w);
	sweep(r, "rand-read", "", "read", "random", scaled[3], 4.5 * w);
	mixed(r, "mixed-rand", "random", 350 * scale, 230 * scale);
	mixed(r, "mixed-seq", "sequential", 1500 * scale, 1950 * scale);
	struct test_record *idle = record_test(r, "idle", "", "idle");
	record_phase(idle, "active", "idle", "", 0, 60, 0, 0.62 * w);
	record_phase(idle, "low-power", "idle", "", 0, 60, 0, 0.005);
	return r;
}
