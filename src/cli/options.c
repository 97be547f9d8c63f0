// SPDX-License-Identifier: MIT
/* Options, before argp sees them: its own complaints are two lines, name no way out, and know nothing of --json. */
#include "cli/cli.h"

#include "base/mem.h"
#include "cli/present.h"

#include <stdlib.h>
#include <string.h>

/* What argp adds to each verb's options. */
static const struct argp_option argps_own[] = {
	{"help", '?', NULL, 0, NULL, 0},
	{"usage", 1, NULL, 0, NULL, 0},
	{"program-name", 2, "NAME", 0, NULL, 0},
	{"HANG", 3, "SECS", OPTION_ARG_OPTIONAL, NULL, 0},
	{0},
};

struct found {
	const struct argp_option *option; /* the first that fits */
	bool exact;
	char all[256]; /* all that fit, for a message */
	size_t n;
};

/* Adds the options that the first `n` characters of `name` may stand for. */
static void find_long(struct found *f, const struct argp_option *options, const char *name, size_t n)
{
	for (const struct argp_option *o = options; o && o->name && !f->exact; o++) {
		if (strncmp(o->name, name, n))
			continue;
		f->exact = !o->name[n];
		if (f->exact || !f->n)
			f->option = o;
		snprintf(
			f->all + strlen(f->all), sizeof f->all - strlen(f->all), "%s--%s", f->n++ ? ", " : "", o->name);
	}
}

static const struct argp_option *find_short(const struct argp *argp, char c)
{
	const struct argp_option *both[] = {argp->options, argps_own};
	for (size_t i = 0; i < ARRAY_SIZE(both); i++)
		for (const struct argp_option *o = both[i]; o && o->name; o++)
			if (o->key == c)
				return o;
	return NULL;
}

static int unknown(const char *verb, const char *text, int n, struct err *e)
{
	return err_set(e, EXIT_USAGE, "unknown option '%.*s'; '%s --help' lists them", n, text, verb);
}

static int no_value(const char *verb, const char *text, int n, const struct argp_option *o, struct err *e)
{
	return err_set(
		e, EXIT_USAGE, "option '%.*s' has no value: give %s after it; see '%s --help'", n, text, o->arg, verb);
}

/* Looks at argv[i] and returns how many words it takes, or -1. */
static int check_long(const struct argp *argp, char **argv, int i, int argc, bool *json, struct err *e)
{
	const char *name = argv[i] + 2;
	int n = (int)strcspn(name, "=");
	struct found f = {0};
	find_long(&f, argp->options, name, (size_t)n);
	find_long(&f, argps_own, name, (size_t)n);
	if (!f.n || !n)
		return unknown(argv[0], argv[i], n + 2, e);
	if (f.n > 1 && !f.exact)
		return err_set(e, EXIT_USAGE, "option '--%.*s' may be any of %s: write more of it", n, name, f.all);
	*json |= !strcmp(f.option->name, "json");
	if (name[n] && !f.option->arg)
		return err_set(e, EXIT_USAGE, "option '--%s' takes no value: leave '%s' out", f.option->name, name + n);
	if (name[n] || !f.option->arg || f.option->flags & OPTION_ARG_OPTIONAL)
		return 1;
	return i + 1 < argc ? 2 : no_value(argv[0], argv[i], n + 2, f.option, e);
}

static int check_short(const struct argp *argp, char **argv, int i, int argc, bool *json, struct err *e)
{
	for (const char *c = argv[i] + 1; *c; c++) {
		const struct argp_option *o = find_short(argp, *c);
		const char text[] = {'-', *c, 0};
		if (!o) /* a character of several bytes is named as a whole */
			return unknown(argv[0], *c & 0x80 ? argv[i] : text, *c & 0x80 ? (int)strlen(argv[i]) : 2, e);
		*json |= !strcmp(o->name, "json");
		if (o->arg && c[1])
			return 1;
		if (o->arg)
			return i + 1 < argc ? 2 : no_value(argv[0], text, 2, o, e);
	}
	return 1;
}

static int check_words(const struct argp *argp, int argc, char **argv, bool *json, struct err *e)
{
	int rc = 0;
	for (int i = 1, taken; i < argc && strcmp(argv[i], "--"); i += taken) {
		struct err one = {0};
		taken = 1;
		if (argv[i][0] == '-' && argv[i][1] == '-')
			taken = check_long(argp, argv, i, argc, json, &one);
		else if (argv[i][0] == '-' && argv[i][1])
			taken = check_short(argp, argv, i, argc, json, &one);
		if (taken > 0)
			continue;
		/* The first complaint counts; a --json after it counts too. */
		if (!rc)
			*e = one;
		rc = -1;
		taken = 1;
	}
	return rc;
}

int cli_parse(const struct argp *argp, int argc, char **argv, void *input, struct err *wrong)
{
	bool json = false;
	int rest = argc;
	struct err e = {0};
	if (!check_words(argp, argc, argv, &json, &e)) {
		if (argp_parse(argp, argc, argv, 0, &rest, input))
			err_set(&e, EXIT_USAGE, "the command line is not understood; see '%s --help'", argv[0]);
		else if (wrong && wrong->code)
			e = *wrong;
		else if (rest < argc)
			err_set(&e, EXIT_USAGE, "'%s' is too much: '%s' takes %s", argv[rest], argv[0],
				argp->args_doc ? argp->args_doc : "no argument");
	}
	if (!e.code)
		return EXIT_DONE;
	if (json)
		present_json_error(&e);
	return cli_fail(&e);
}
