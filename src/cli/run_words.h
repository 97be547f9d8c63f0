/* SPDX-License-Identifier: MIT */
/* The words of `ssdscope run`: read from a command line, and written down so that the run can be done again. */
#ifndef CLI_RUN_WORDS_H
#define CLI_RUN_WORDS_H

#include "base/error.h"
#include "target/target.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct run_words {
	const char *tests[64];
	size_t ntests;
	const char *suite, *output, *store, *label, *resume, *meter, *trace;
	const char *targets[256];
	size_t ntargets;
	const char *destroy[256]; /* every drive that the user named for destruction */
	size_t ndestroy;
	bool quick, dry_run, verify, json, quiet, overwrite_filesystem, force_pread;
	uint64_t size;	/* 0 = not given */
	uint32_t depth; /* 0 = not given */
	bool seeded;
	uint64_t seed; /* 1 where none was given */
	enum erase_method erase_method;
	struct err wrong; /* the first thing that is wrong with them */
};

/* Reads a command line into *w. EXIT_DONE, or EXIT_USAGE once what is wrong has been told. */
int run_words_parse(struct run_words *w, int argc, char **argv);

/* The name given with --destroy that is meant for the target `spec`: its path, or its serial number; else any that was
 * given (for the guard to refuse), NULL where none was. It decides nothing: the guard does. */
const char *run_words_destroy(const struct run_words *w, const char *spec);

/* The words that do the run on `spec`, who is `id`, again, as a JSON array; NULL where JSON cannot say them. `metered`:
 * the meter was used for it. Left out is what has no part in the measurement (label, store, report, trace), and
 * --overwrite-filesystem: what it was said for is gone. free() it. */
char *run_words_again(const struct run_words *w, const char *spec, const struct identity *id, bool metered);

/* A run that is resumed goes on as it began: takes seed, verification, engine and way to erase from the words of its
 * beginning (JSON as above; NULL = not known) where *w says nothing of them. */
void run_words_resume(struct run_words *w, const char *again);

#endif
