/* SPDX-License-Identifier: MIT */
/* Attribute files of sysfs (and files like them): one short value each. Absence is common and no error, so these tell
 * "not there" and leave the reaction to the caller. */
#ifndef BASE_SYSFS_H
#define BASE_SYSFS_H

#include <stddef.h>
#include <stdint.h>

/* Reads the file whose path is made from the printf format into `buf` of `size` bytes, without leading and trailing
 * white space, always terminated. Returns the length, or -1 (buf is then empty) when it cannot be read. */
int sysfs_text(char *buf, size_t size, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* Reads a file that holds one decimal number. Returns 0, or -1 (`*value` is then untouched). */
int sysfs_number(int64_t *value, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
