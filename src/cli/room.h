/* SPDX-License-Identifier: MIT */
/* Whether a file system has room for what a run will write to a file on it. */
#ifndef CLI_ROOM_H
#define CLI_ROOM_H

#include "base/error.h"
#include "plan/plan.h"
#include "target/target.h"

/* Compares a plan (fitted) with the room of its target, `spec` as it was named. A file is sparse: it takes only what is
 * written to it, so the size alone says nothing. What the tests write for certain (a fill, what a test needs to be
 * there) must fit: else -1 with *err (EXIT_USAGE) and the size that would. What they may write at most, depending on
 * the drive's speed, is worth a warning on stderr: 0. */
int room_check(const char *spec, const struct plan *, const struct identity *, struct err *);

#endif
