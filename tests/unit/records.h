/* SPDX-License-Identifier: MIT */
/* Runs made up by hand, for tests of everything that shows runs. Rates are given, series and histograms follow from
 * them; the noise is deterministic. Free with run_record_free. */
#ifndef TESTS_RECORDS_H
#define TESTS_RECORDS_H

#include "store/store.h"

/* A run without tests on a modelled 2 TB drive. */
struct run_record *record_run(int64_t id, const char *model);

/* Adds an empty test that is done. Returned pointers are good until the next is added. */
struct test_record *record_test(struct run_record *, const char *name, const char *condition, const char *kind);

/* Adds a phase of `seconds` in samples of half a second at `mbps`, each off by at most the share `noise`; `watts` NAN
 * for none. */
struct phase_record *record_phase(struct test_record *, const char *name, const char *op, const char *pattern,
	double mbps, double seconds, double noise, double watts);

/* Appends samples to a phase. */
void record_samples(struct phase_record *, double mbps, double seconds, double noise, double watts);

/* Gives a phase I/Os of `block` bytes at depth `qd` with latencies that fit its rate. */
void record_ios(struct phase_record *, uint32_t block, uint32_t qd);

/* A fill of three stages, as the drive `model` would do it: `scale` moves all its rates and its cache. */
void record_fill(struct run_record *, double scale);

/* Every test of the review suite. */
struct run_record *record_review(int64_t id, const char *model, double scale);

#endif
