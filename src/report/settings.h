/* SPDX-License-Identifier: MIT */
/* The settings that a test really had, in words: from what the run recorded, not from what its suite usually does. */
#ifndef REPORT_SETTINGS_H
#define REPORT_SETTINGS_H

#include "report/compare_figures.h"

enum setting {
	SETTING_SUITE,
	SETTING_QUICK,
	SETTING_COPY,  /* a modelled drive that was made smaller than it is */
	SETTING_STATE, /* of the drive before the test */
	SETTING_IO,
	SETTING_BLOCK,
	SETTING_SPAN,
	SETTING_DEPTHS,
	SETTING_SHARES, /* of reads, of a mixed test */
	SETTING_TIME_LIMIT,
	SETTING_SIZE_LIMIT,
	SETTING_BURSTS,
	SETTING_BURST_SIZE,
	SETTING_DUTY,
	SETTING_PAUSES,
	SETTING_IDLE_AFTER,
	SETTING_START,
	SETTING_LOW_POWER,
	SETTING_SETTLE,
	SETTING_MEASURE,
	SETTINGS,
};

/* Each in words ("128 KiB", "the whole drive"); NULL = not known, or no such setting in a test of this kind. Free with
 * settings_free. */
struct settings {
	char *words[SETTINGS];
};
struct settings settings_of(const struct review *, const struct test_record *);
void settings_free(struct settings *);

/* What is not the same in the runs that have a value of the figure: "block 128 KiB in A, 1 MiB in B; span ...". Runs
 * are called by their names (review_name_runs). NULL where nothing differs; else free() it. */
char *settings_differences(struct review *const *, size_t n, const struct figure *);

/* What tests of one section did, in a sentence or two, of one run or of several: only what all of them had in common is
 * said. "" where nothing is known. free() it. */
char *settings_explain(const struct review *const *, const struct test_record *const *, size_t n);

#endif
