/* SPDX-License-Identifier: MIT */
/* Runs to fill a store with, for the tests of the store. */
#ifndef TESTS_STORE_SAMPLES_H
#define TESTS_STORE_SAMPLES_H

#include "folder.h"
#include "unit.h"

#include "base/mem.h"
#include "store/store.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where the stores of a test program are: made before its tests, removed after them. */
static char *folder;

static inline int begin_in_folder(void **state)
{
	folder = make_test_folder();
	return 0;
}

static inline int end_in_folder(void **state)
{
	remove_folder(folder);
	return 0;
}

/* The store in that file, which must open. */
static inline struct store *opened(const char *file, enum store_mode mode)
{
	struct store *s;
	struct err e = {0};
	if (store_open(&s, file, mode, &e) != 0)
		fail_msg("%s", e.text);
	return s;
}

/* The head of a run with nothing known that need not be. */
static inline struct run_record bare_run(void)
{
	struct run_record r = {.started_ms = 1796035168936, .finished_ms = -1, .host_limit_mbps = NAN};
	strcpy(r.target.kind, "null");
	return r;
}

static inline struct test_record bare_test(const char *name)
{
	struct test_record t = {
		.status = TEST_RUNNING, .quiet_wait = -1, .temperature_min_c = NAN, .temperature_max_c = NAN};
	snprintf(t.name, sizeof t.name, "%s", name);
	strcpy(t.kind, "fill");
	return t;
}

static inline struct phase_record bare_phase(const char *name)
{
	struct phase_record p = {.flush = -1,
		.nand_bytes = -1,
		.idle_nand_bytes = -1,
		.read_share = NAN,
		.joules = NAN,
		.idle_joules = NAN,
		.total_joules = NAN,
		.die_busy = NAN,
		.fill_level = NAN};
	snprintf(p.name, sizeof p.name, "%s", name);
	strcpy(p.op, "write");
	strcpy(p.pattern, "sequential");
	return p;
}

static inline struct sample sample_at(int i)
{
	return (struct sample){.start = i * NSEC_PER_SEC / 2,
		.length = NSEC_PER_SEC / 2,
		.bytes = 1000 + (uint64_t)i,
		.ios = 3,
		.joules = NAN,
		.temperature_c = NAN,
		.nand_bytes = -1};
}

#endif
