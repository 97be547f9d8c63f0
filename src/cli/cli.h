/* SPDX-License-Identifier: MIT */
/* The command line: one file per verb. A verb parses its arguments, calls, prints, and returns the exit code. stdout
 * carries data only, stderr the rest. */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include "base/error.h"

#include <argp.h>
#include <signal.h>
#include <stdbool.h>

struct verb {
	const char *name;
	const char *summary; /* one line for --help */
	/* argv[0] is the verb ("ssdscope run" for messages). */
	int (*run)(int argc, char **argv);
	bool prints; /* it does nothing else: `| head` may end it, without a word, as other tools do */
};

int verb_run(int argc, char **argv);
int verb_report(int argc, char **argv);
int verb_show(int argc, char **argv);
int verb_runs(int argc, char **argv);
int verb_drives(int argc, char **argv);
int verb_models(int argc, char **argv);
int verb_tests(int argc, char **argv);
int verb_serve(int argc, char **argv);
int verb_import(int argc, char **argv);
int verb_export(int argc, char **argv);
int verb_validate(int argc, char **argv);

/* Prints "ssdscope: TEXT" to stderr and returns the error's exit code. */
int cli_fail(const struct err *);

/* Formats a line of text for a person, prints it to stderr. Nothing of it is obeyed by a terminal: names of files and
 * labels are in it. */
void cli_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Parses a verb's words with argp_parse(argp, ..., input). `wrong` (NULL = none) is where the parser puts complaints of
 * its own. EXIT_DONE, or EXIT_USAGE once what is wrong has been told: in one line, and with --json as a document. */
int cli_parse(const struct argp *argp, int argc, char **argv, void *input, struct err *wrong);

/* Whether runs can be found by this label later. 0, or -1 with *err (EXIT_USAGE). */
int cli_check_label(const char *label, struct err *);

/* Set by SIGINT, SIGTERM and SIGHUP once cli_catch_signals was called; a second one ends the program at once. */
extern volatile sig_atomic_t cli_interrupted;
void cli_catch_signals(void);

/* What --help says of --store. */
#define CLI_STORE_HELP "The store of runs (default: $SSDSCOPE_STORE, else $XDG_DATA_HOME/ssdscope/runs.db)"

/* The store to use: `given` (--store) or the default; free() it. */
char *cli_store_path(const char *given);

/* Whether both paths (NULL = none) lead to the same existing file. */
bool cli_same_file(const char *a, const char *b);

/* Whether `path` (NULL = none) stands for standard output: "-". A file of that name is "./-". */
bool cli_is_stdout(const char *path);

/* Checks that a file can be written there, before hours of work: creates it if it is missing (*created is then true).
 * -1 and *err (EXIT_USAGE or EXIT_NOT_PERMITTED) if not. Standard output needs no check. */
int cli_check_writable(const char *path, bool *created, struct err *);

#endif
