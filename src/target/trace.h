/* SPDX-License-Identifier: MIT */
/* A target that passes everything on to another one and writes down what was asked of it, and when. */
#ifndef TARGET_TRACE_H
#define TARGET_TRACE_H

#include "target/target.h"

/* Wraps `inner`, which it closes with itself, and writes to the file `path`: a line per call, equal I/Os in a row as
 * one line with their number. The columns are the target's time in seconds, the call, its arguments: "12.001 write
 * 131072 sequential x1024", "13.200 idle 4.8", "0.000 erase". 0, or -1 with *err where the file cannot be written
 * (`inner` is then still the caller's). */
int target_trace(struct target **out, struct target *inner, const char *path, struct err *);

#endif
