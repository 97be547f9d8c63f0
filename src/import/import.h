/* SPDX-License-Identifier: MIT */
/* Other tools' logs become runs. Formats are known by their content; fio's logs also by their names, since nothing in
 * them says what their numbers are. docs/import.md lists what is read and what becomes of it. */
#ifndef IMPORT_IMPORT_H
#define IMPORT_IMPORT_H

#include "base/error.h"
#include "store/store.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How to read files that do not say everything themselves. Zero: nothing is known. */
struct import_options {
	bool lenient;		   /* leave out lines that cannot be read instead of refusing the file */
	uint64_t capacity_bytes;   /* of the drive: tells whether a fill reached its end; 0 = not known */
	const char *throttle_file; /* "start_s,end_s" lines: when the drive reported throttling; NULL = none */
	const char
		*time_column; /* CSV: the header of the column with the time at which an interval ended; NULL = guess */
	const char *rate_column; /* CSV: the header of the column with the rate or the amount; NULL = guess */
	const char *unit;	 /* of that column: "MB/s", "MiB/s", "MB" ...; of a fio log: "KiB/s", "iops", "ns";
				    NULL = as the file says */
	const char *label;	 /* of the runs; NULL = none */
};

/* Reads `n` files and makes runs of them: fio logs of one job (or of its clones) and their JSON become one run, fio
 * JSONs of a queue-depth sweep become one run, every other file its own. *out is an array of *nout runs, target kind
 * "imported", ready for store_put_run; free each with run_record_clear, then free() the array. On failure -1 and *err:
 * EXIT_USAGE for what cannot be read, with file and line; EXIT_NOT_PERMITTED, EXIT_FAILED from the system. */
int import_files(const char *const *files, size_t n, const struct import_options *, struct run_record **out,
	size_t *nout, struct err *);

/* Whether the file begins like an SQLite database: another store, to be merged instead. */
bool import_is_store(const char *file);

#endif
