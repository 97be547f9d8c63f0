// SPDX-License-Identifier: MIT
#include "cli/run_words.h"

#include "base/mem.h"
#include "base/units.h"
#include "cli/cli.h"
#include "target/disk.h"

#include <ctype.h>
#include <errno.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
	KEY_SUITE = 1000,
	KEY_QUICK,
	KEY_SIZE,
	KEY_QD,
	KEY_VERIFY,
	KEY_LABEL,
	KEY_DESTROY,
	KEY_OVERWRITE,
	KEY_STORE,
	KEY_JSON,
	KEY_PREAD,
	KEY_SEED,
	KEY_RESUME,
	KEY_METER,
	KEY_TRACE,
	KEY_ERASE
};

static const struct argp_option options[] = {
	{"test", 't', "TEST", 0,
		"Do only this test of the suite, or with NAME:CONDITION (seq-read:fresh) one of several of its name; "
		"may "
		"be given several times",
		0},
	{"suite", KEY_SUITE, "NAME|FILE", 0, "The suite of tests (default: review)", 0},
	{"output", 'o', "FILE", 0, "Write the report there as HTML; - is standard output, without the summary", 0},
	{"quick", KEY_QUICK, NULL, 0, "Smaller sizes, for a look; every figure is marked as quick", 0},
	{"dry-run", 'n', NULL, 0, "Print the plan and stop; nothing is written", 0},
	{"size", KEY_SIZE, "BYTES", 0,
		"A file that does not exist yet: how large to make it (4k = 4096, 8G, 500GB). A modelled drive: a "
		"smaller one of its kind",
		0},
	{"qd", KEY_QD, "N", 0, "Use this queue depth instead of the suite's", 0},
	{"verify", KEY_VERIFY, NULL, 0, "After a fill, read everything back and check it", 0},
	{"meter", KEY_METER, "SPEC", 0,
		"An instrument that measures the drive's watts: csv:FILE (a log that it writes), hwmon:NAME, "
		"scpi://HOST/CH, sigrok:DRIVER, nvme:/dev/nvme0",
		0},
	{"trace", KEY_TRACE, "FILE", 0, "Write down every operation on the target, with its time", 0},
	{"resume", KEY_RESUME, "RUN", 0, "Go on with a run that was cut short: its finished tests are kept", 0},
	{"label", KEY_LABEL, "TEXT", 0, "A name for the run", 0},
	{"destroy", KEY_DESTROY, "SERIAL", 0,
		"Block devices: yes, erase the drive with this serial number (or this path, where it has none); once "
		"for each "
		"drive",
		1},
	{"overwrite-filesystem", KEY_OVERWRITE, NULL, 0,
		"Block devices: even though a file system, RAID, LVM or partition table is on it", 1},
	{"erase", KEY_ERASE, "METHOD", 0,
		"How to erase: discard, format, sanitize or none (default: the strongest that the drive has, short of "
		"sanitize)",
		1},
	{"pread", KEY_PREAD, NULL, 0, "Use threads with pread and pwrite instead of io_uring", 1},
	{"store", KEY_STORE, "FILE", 0, CLI_STORE_HELP, 2},
	{"json", KEY_JSON, NULL, 0, "Print one JSON document on stdout", 2},
	{"quiet", 'q', NULL, 0, "No progress on stderr", 2},
	{"seed", KEY_SEED, "N", 0, "Seed of random offsets and data (default: 1)", 2},
	{0},
};

/* Keeps the first complaint: it is one line, and with --json one document, like any other error. */
static void wrong(struct run_words *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void wrong(struct run_words *a, const char *fmt, ...)
{
	char text[512];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	if (!a->wrong.code)
		err_set(&a->wrong, EXIT_USAGE, "%s", text);
}

static const struct {
	const char *name;
	enum erase_method method;
} erase_methods[] = {
	{"none", ERASE_NONE}, {"discard", ERASE_DISCARD}, {"format", ERASE_FORMAT}, {"sanitize", ERASE_SANITIZE}};

/* ERASE_DEFAULT where there is none of that name. */
static enum erase_method erase_method_of(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(erase_methods); i++)
		if (!strcmp(name, erase_methods[i].name))
			return erase_methods[i].method;
	return ERASE_DEFAULT;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct run_words *a = state->input;
	char *end;
	unsigned long number;
	struct err e;
	switch (key) {
	case 't':
		if (a->ntests == ARRAY_SIZE(a->tests))
			wrong(a, "too many tests: %zu at most", ARRAY_SIZE(a->tests));
		else
			a->tests[a->ntests++] = arg;
		return 0;
	case 'o': a->output = arg; return 0;
	case 'n': a->dry_run = true; return 0;
	case 'q': a->quiet = true; return 0;
	case KEY_RESUME: a->resume = arg; return 0;
	case KEY_METER: a->meter = arg; return 0;
	case KEY_TRACE: a->trace = arg; return 0;
	case KEY_ERASE:
		a->erase_method = erase_method_of(arg);
		if (a->erase_method == ERASE_DEFAULT)
			wrong(a, "'%s' is no way to erase: give discard, format, sanitize or none", arg);
		return 0;
	case KEY_SUITE: a->suite = arg; return 0;
	case KEY_QUICK: a->quick = true; return 0;
	case KEY_VERIFY: a->verify = true; return 0;
	case KEY_LABEL:
		a->label = arg;
		if (!a->wrong.code)
			cli_check_label(arg, &a->wrong);
		return 0;
	case KEY_DESTROY:
		if (a->ndestroy == ARRAY_SIZE(a->destroy))
			wrong(a, "too many drives to destroy: %zu at most", ARRAY_SIZE(a->destroy));
		else
			a->destroy[a->ndestroy++] = arg;
		return 0;
	case KEY_OVERWRITE: a->overwrite_filesystem = true; return 0;
	case KEY_PREAD: a->force_pread = true; return 0;
	case KEY_STORE: a->store = arg; return 0;
	case KEY_JSON: a->json = true; return 0;
	case KEY_SIZE:
		if (units_parse_size(arg, 1, &a->size, &e))
			wrong(a, "--size: %s", e.text);
		return 0;
	case KEY_QD:
		number = strtoul(arg, &end, 10);
		a->depth = number <= 1024 ? (uint32_t)number : 0;
		if (*end || a->depth < 1)
			wrong(a, "'%s' is not a queue depth: give 1 to 1024", arg);
		return 0;
	case KEY_SEED:
		errno = 0;
		a->seed = strtoull(arg, &end, 10);
		a->seeded = true;
		if (!isdigit((unsigned char)*arg) || *end || errno)
			wrong(a, "'%s' is not a seed: give a whole number", arg);
		return 0;
	case ARGP_KEY_ARG:
		if (a->ntargets == ARRAY_SIZE(a->targets))
			wrong(a, "too many targets: %zu at most", ARRAY_SIZE(a->targets));
		else
			a->targets[a->ntargets++] = arg;
		return 0;
	case ARGP_KEY_NO_ARGS:
		if (!a->resume)
			wrong(a, "no target: give a drive, a file or sim:MODEL; see 'ssdscope run --help'");
		return 0;
	default: return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.args_doc = "TARGET...",
	.doc = "Tests each TARGET and keeps the run in the store.\v"
	       "TARGET is sim:MODEL (a modelled drive, in virtual time; 'ssdscope models' lists them), a file (--size "
	       "makes it), "
	       "a block device, or null:size=8G,latency=100us. A block device is ERASED: it is refused while anything "
	       "uses it, "
	       "and unless --destroy names it.",
};

int run_words_parse(struct run_words *w, int argc, char **argv)
{
	*w = (struct run_words){.seed = 1};
	return cli_parse(&argp, argc, argv, w, &w->wrong);
}

const char *run_words_destroy(const struct run_words *w, const char *spec)
{
	struct stat st;
	struct disk disk;
	struct err none = {0};
	bool block = !stat(spec, &st) && S_ISBLK(st.st_mode) && !disk_read(&disk, SYSFS, st.st_rdev, &none);
	for (size_t i = 0; i < w->ndestroy; i++)
		if (!strcmp(w->destroy[i], block && disk.serial[0] ? disk.serial : spec))
			return w->destroy[i];
	return w->ndestroy ? w->destroy[w->ndestroy - 1] : NULL;
}

struct list {
	json_t *list;
	bool broken; /* one was not UTF-8, as a file's name need not be */
};

static void word(struct list *w, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void word(struct list *w, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	if (json_array_append_new(w->list, json_vsprintf(fmt, ap)))
		w->broken = true;
	va_end(ap);
}

char *run_words_again(const struct run_words *a, const char *spec, const struct identity *id, bool metered)
{
	bool block = !strcmp(id->kind, "block"), file = !strcmp(id->kind, "file");
	struct list w = {.list = json_array()};
	word(&w, "ssdscope");
	word(&w, "run");
	if (a->suite)
		word(&w, "--suite=%s", a->suite);
	for (size_t i = 0; i < a->ntests; i++)
		word(&w, "--test=%s", a->tests[i]);
	if (a->quick)
		word(&w, "--quick");
	if (a->size || file) /* the file may be gone by then */
		word(&w, "--size=%llu", (unsigned long long)(a->size ? a->size : id->capacity_bytes));
	if (a->depth)
		word(&w, "--qd=%u", a->depth);
	if (a->verify)
		word(&w, "--verify");
	if (a->seed != 1)
		word(&w, "--seed=%llu", (unsigned long long)a->seed);
	if (a->force_pread)
		word(&w, "--pread");
	if (metered)
		word(&w, "--meter=%s", a->meter);
	for (size_t i = 0; i < ARRAY_SIZE(erase_methods); i++)
		if (erase_methods[i].method == a->erase_method)
			word(&w, "--erase=%s", erase_methods[i].name);
	const char *named = run_words_destroy(a, spec);
	if (block || named)
		word(&w, "--destroy=%s", !block ? named : *id->serial ? id->serial : id->path);
	if (*spec == '-')
		word(&w, "--");
	word(&w, "%s", spec);
	char *text = w.broken ? NULL : json_dumps(w.list, JSON_COMPACT);
	json_decref(w.list);
	return text;
}

void run_words_resume(struct run_words *w, const char *again)
{
	json_t *list = again ? json_loads(again, 0, NULL) : NULL, *one;
	size_t i;
	json_array_foreach(list, i, one)
	{
		const char *s = json_is_string(one) ? json_string_value(one) : "";
		if (!strncmp(s, "--seed=", 7) && !w->seeded)
			w->seed = strtoull(s + 7, NULL, 10);
		w->verify = w->verify || !strcmp(s, "--verify");
		w->force_pread = w->force_pread || !strcmp(s, "--pread");
		if (!strncmp(s, "--erase=", 8) && w->erase_method == ERASE_DEFAULT)
			w->erase_method = erase_method_of(s + 8);
	}
	json_decref(list);
}
