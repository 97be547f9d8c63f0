/* SPDX-License-Identifier: MIT */
/* A file to be imported: its text, line by line, and what to do about lines that cannot be read. Internal to import/.
 */
#ifndef IMPORT_SOURCE_H
#define IMPORT_SOURCE_H

#include "import/import.h"

enum format {
	FORMAT_UNKNOWN,
	FORMAT_CSV,
	FORMAT_ELBENCHO,
	FORMAT_DISKSPD,
	FORMAT_IOSTAT,
	FORMAT_FIO_LOG,
	FORMAT_FIO_JSON,
};

/* A file in memory. `data` has a zero byte after its `size` bytes. */
struct source {
	char *path;	  /* as given, for messages */
	const char *name; /* its last part */
	char *data;
	size_t size;
	enum format format; /* as told by its content before it was read line by line */
	int64_t mtime_ms;   /* last change, ms since 1970; what is used as the time of a log that has none */
	bool lenient;
	size_t lines;	     /* read so far that held anything */
	size_t broken;	     /* of them left out */
	size_t first_broken; /* line number, from 1 */
};

/* What a source is, by its content, before it is read line by line (import.c). */
enum format format_of(const struct source *);

/* Reads a file, at most 4 GiB. Returns 0, or -1 with *err. Free with source_free. */
int source_read(struct source *, const char *path, bool lenient, struct err *);

/* Makes a source of bytes in memory, which are copied. */
void source_from_memory(struct source *, const char *path, const void *data, size_t size, bool lenient);
void source_free(struct source *);

/* Iterates over lines. Zero-initialise it. */
struct line {
	char *text; /* without its end, a zero byte after it; the source's memory is changed for that */
	size_t length;
	size_t number; /* from 1 */
	size_t next;   /* where the next one begins */
};

/* The next line that is not blank; false at the end. */
bool source_line(struct source *, struct line *);

/* A line that cannot be read. Strict: *err names file, line and what is wrong ("'%s' is no number"), returns -1.
 * Lenient: the line is counted as left out, returns 0, and the caller goes on. */
int source_broken(struct source *, size_t line_number, struct err *, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* Replaces control characters by '?': what comes from a file must not break the one line of a message. */
void one_line(char *text);

/* Cuts `text` in place at `separator` (outside of double quotes) into at most `max` fields, trims blanks and quotes.
 * Returns how many there are in all, which may be more than max. */
size_t split_fields(char *text, char separator, char **fields, size_t max);

/* Whole decimal integer or 0x.... Returns 0 or -1. */
int parse_integer(const char *text, int64_t *value);

/* Finite decimal number. Returns 0 or -1. */
int parse_number(const char *text, double *value);

#endif
