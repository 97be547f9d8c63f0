/* SPDX-License-Identifier: MIT */
/* A run as a job for somebody else's program. */
#ifndef REPORT_EXPORT_H
#define REPORT_EXPORT_H

#include "base/error.h"
#include "store/store.h"

#include <stdio.h>

/* Writes a job file for fio that repeats the run's tests (or the one named `test`) as near as fio can: a section per
 * phase, in order, idle times between them; what fio cannot do is said in comments. The drive is not named in it but
 * taken from the environment (TARGET), so that a device that has changed its name is not overwritten. Returns 0, or -1
 * with *err: there is no such test, or nothing in it that fio could repeat. */
int export_fio(FILE *, const struct run_record *, const char *test, struct err *);

#endif
