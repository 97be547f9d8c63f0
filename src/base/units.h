/* SPDX-License-Identifier: MIT */
/* Units: sizes and durations as people type and read them. Rates and capacities are decimal, block sizes binary. */
#ifndef BASE_UNITS_H
#define BASE_UNITS_H

#include "base/error.h"
#include "base/nsec.h"

#include <stddef.h>
#include <stdint.h>

#define KIB ((uint64_t)1024)
#define MIB (1024 * KIB)
#define GIB (1024 * MIB)
#define MB ((uint64_t)1000000)
#define GB ((uint64_t)1000000000)

/* Parses a size. As fio reads it: no unit is bytes; k, m, g, t (either case) and KiB, MiB, GiB, TiB are powers of 1024;
 * kB, MB, GB, TB are powers of 1000. A decimal fraction is allowed ("1.5g"). Returns 0, or -1 if `text` is not a size
 * or is negative, -ERANGE if it does not fit into 63 bits; `*bytes` is then untouched. */
int units_parse_bytes(const char *text, uint64_t *bytes);

/* The same for what a person gave; a size below `least` is refused too. 0, or -1 and *err (EXIT_USAGE), which says what
 * is wrong with `text` and what a size looks like. */
int units_parse_size(const char *text, uint64_t least, uint64_t *bytes, struct err *err);

/* Parses a duration: a number, may be a fraction, and one of ns, us or µs, ms, s, min, h; no unit is seconds. Returns 0
 * or -1. */
int units_parse_duration(const char *text, nsec *ns);

/* Each of these writes into `buf` (`UNITS_BUF` bytes are enough), returns `buf`. */
#define UNITS_BUF 32
char *units_bytes(char *buf, double bytes);	 /* decimal, 3 digits: "617 GB", "2.00 TB", "512 B" */
char *units_block(char *buf, uint64_t bytes);	 /* binary, exact where it can be: "128 KiB", "1 MiB" */
char *units_rate(char *buf, double bytes_per_s); /* decimal: "7.03 GB/s", "512 MB/s" */
char *units_duration(char *buf, nsec ns);	 /* "14 min 02 s", "5.2 s", "120 µs" */

#endif
