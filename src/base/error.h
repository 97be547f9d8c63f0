/* SPDX-License-Identifier: MIT */
/* Errors: one line of text that names the thing, the cause and the way out, and the exit code that goes with it. */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

/* The exit codes of the program; docs and tests rely on them. */
enum exit_code {
	EXIT_DONE = 0,
	EXIT_FAILED = 1,	/* the run failed: I/O error, full disk, a bug */
	EXIT_USAGE = 2,		/* the command line or an input file is wrong */
	EXIT_REFUSED = 3,	/* a device that must not be written */
	EXIT_NOT_PERMITTED = 4, /* the system said no: EACCES, EPERM */
	EXIT_NOT_MET = 5,	/* a claim or limit was not met */
	EXIT_INTERRUPTED = 130, /* SIGINT, SIGTERM or SIGHUP */
};

/* An error to be handed upwards. Zero-initialise it; `text` is empty while nothing is wrong. */
struct err {
	enum exit_code code;
	char text[1024]; /* lower case, no full stop, no newline: "cannot open 'x': no such file" */
};

/* Fills `e` (may be NULL) from a printf format and returns -1, so that callers can write `return err_set(...)`.
 * Overwrites what was there: the innermost caller that knows the whole story speaks last. */
int err_set(struct err *e, enum exit_code code, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* Puts a formatted prefix before the text of `e`, keeps its code, returns -1. */
int err_prefix(struct err *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* The exit code that fits an errno value: EACCES and EPERM are EXIT_NOT_PERMITTED, the rest EXIT_FAILED. */
enum exit_code exit_code_of_errno(int errnum);

/* The same for a path that a person gave and that cannot be opened or made: what is wrong with the path itself (ENOENT,
 * ENOTDIR, EISDIR, ENAMETOOLONG, ELOOP, EINVAL) is EXIT_USAGE, a file system that is mounted read-only
 * EXIT_NOT_PERMITTED. */
enum exit_code exit_code_of_path(int errnum);

#endif
