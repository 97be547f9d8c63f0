/* SPDX-License-Identifier: MIT */
/* Files that the program writes for people: reports, charts, logs. Never a block device: `-o /dev/sda` must not cost a
 * disk. (Drives under test are opened by src/target/guard.c alone.) */
#ifndef BASE_OUTPUT_H
#define BASE_OUTPUT_H

#include "base/error.h"

#include <stdio.h>

/* Whether `path` may be written as far as its kind goes; a file that does not exist may. 0, or -1 with *err
 * (EXIT_REFUSED). */
int output_allowed(const char *path, struct err *err);

/* fopen(path, mode) of what output_allowed() allows, before and after it is opened. NULL with *err. */
FILE *output_open(const char *path, const char *mode, struct err *err);

#endif
