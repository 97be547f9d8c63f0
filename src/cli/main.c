// SPDX-License-Identifier: MIT
#include "cli/cli.h"

#include "base/mem.h"
#include "base/output.h"
#include "cli/present.h"
#include "import/import.h"
#include "report/escape.h"
#include "store/store.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct verb verbs[] = {
	{"run", "test a drive, a file or a modelled drive, and draw the report", verb_run},
	{"report", "draw the report of one run, or compare several", verb_report},
	{"show", "print a run's figures", verb_show, true},
	{"runs", "list the runs in the store", verb_runs, true},
	{"models", "list the modelled drives", verb_models, true},
	{"import", "make runs of other tools' logs", verb_import},
	{"export", "write a run as a fio job file, CSV or JSON", verb_export, true},
	{"drives", "list this machine's drives, and whether each may be erased", verb_drives, true},
	{"tests", "list the tests of a suite and what they do", verb_tests, true},
	{"validate", "check the models against what reviews say of the drives", verb_validate},
	{"serve", "serve a modelled drive to other programs, over NBD", verb_serve},
};

volatile sig_atomic_t cli_interrupted;

static void on_signal(int sig)
{
	if (cli_interrupted)
		_exit(EXIT_INTERRUPTED);
	cli_interrupted = 1;
}

void cli_catch_signals(void)
{
	/* No SA_RESTART: a blocking call must notice. */
	struct sigaction sa = {.sa_handler = on_signal};
	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGTERM, &sa, NULL);
	/* Started with nohup, a run outlives its terminal. */
	struct sigaction hangup;
	if (sigaction(SIGHUP, NULL, &hangup) || hangup.sa_handler != SIG_IGN)
		sigaction(SIGHUP, &sa, NULL);
}

void cli_say(const char *fmt, ...)
{
	char *text, *clean;
	va_list ap;
	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) < 0)
		text = NULL;
	va_end(ap);
	clean = clean_text(text);
	fflush(stdout); /* both may go to one place: in the order in which they were said */
	fprintf(stderr, "%s\n", clean ? clean : fmt);
	free(clean);
	free(text);
}

int cli_fail(const struct err *e)
{
	cli_say("ssdscope: %s", e->text);
	return e->code;
}

int cli_check_label(const char *label, struct err *e)
{
	if (!*label || !strcmp(label, "last") || !label[strspn(label, "0123456789")])
		return err_set(e, EXIT_USAGE,
			"'%s' is no label: a number is a run's id, and 'last' the newest run; give another name",
			label);
	return 0;
}

char *cli_store_path(const char *given)
{
	return given ? xstrdup(given) : store_default_path();
}

bool cli_is_stdout(const char *path)
{
	return path && !strcmp(path, "-");
}

int cli_check_writable(const char *path, bool *created, struct err *e)
{
	*created = false;
	if (cli_is_stdout(path))
		return 0;
	if (output_allowed(path, e))
		return -1;
	if (import_is_store(path))
		return err_set(e, EXIT_USAGE, "cannot write '%s': it is a store of runs; give another file", path);
	*created = access(path, F_OK) != 0;
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
	if (fd < 0) {
		*created = false;
		return err_set(e, exit_code_of_path(errno), "cannot write '%s': %s; give another place", path,
			strerror(errno));
	}
	close(fd);
	return 0;
}

bool cli_same_file(const char *a, const char *b)
{
	struct stat x, y;
	return a && b && !stat(a, &x) && !stat(b, &y) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

static void usage(FILE *f)
{
	fprintf(f, "Usage: ssdscope VERB [OPTION...] ...\n"
		   "An oscilloscope for SSDs: finds the pSLC cache, its end, the speed after it, and draws the "
		   "report.\n\n");
	for (size_t i = 0; i < ARRAY_SIZE(verbs); i++)
		fprintf(f, "  %-9s %s\n", verbs[i].name, verbs[i].summary);
	fprintf(f, "\nFirst try:  ssdscope run -t fill sim:tpu-617gb -o review.html\n"
		   "Each verb has its own --help. Exit codes: 0 done, 1 failed, 2 usage, 3 device refused, 4 not "
		   "permitted,\n"
		   "5 a claim or limit was not met, 130 interrupted.\n");
}

static bool told; /* the verb failed and has said so: one line is enough */

/* At exit, since argp's --help ends the program by itself. */
static void close_output(void)
{
	errno = 0;
	if ((fflush(stdout) || ferror(stdout)) && !told) {
		cli_say("ssdscope: cannot write the output%s%s", errno ? ": " : "", errno ? strerror(errno) : "");
		_exit(EXIT_FAILED);
	}
}

/* Where one of them is closed, the next file that is opened, maybe the drive under test, would take what is printed. */
static void open_standard_files(void)
{
	int fd;
	do
		fd = open("/dev/null", O_RDONLY);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}

int main(int argc, char **argv)
{
	open_standard_files();
	atexit(close_output);
	setlocale(LC_CTYPE, "C.UTF-8");
	signal(SIGPIPE, SIG_IGN);
	if (argc < 2) {
		usage(stderr);
		return EXIT_USAGE;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
		usage(stdout);
		return EXIT_DONE;
	}
	if (!strcmp(argv[1], "--version")) {
		printf("ssdscope %s\n", SSDSCOPE_VERSION);
		return EXIT_DONE;
	}
	for (size_t i = 0; i < ARRAY_SIZE(verbs); i++) {
		if (strcmp(argv[1], verbs[i].name))
			continue;
		if (verbs[i].prints)
			signal(SIGPIPE, SIG_DFL);
		char name[64];
		snprintf(name, sizeof name, "ssdscope %s", verbs[i].name);
		argv[1] = name;
		int code = verbs[i].run(argc - 1, argv + 1);
		told = code != EXIT_DONE && code != EXIT_NOT_MET;
		return code;
	}
	struct err e;
	err_set(&e, EXIT_USAGE, "no verb '%s'; 'ssdscope --help' lists them", argv[1]);
	for (char **word = argv + 1; *word; word++)
		if (!strcmp(*word, "--json")) {
			present_json_error(&e);
			break;
		}
	told = true;
	return cli_fail(&e);
}
