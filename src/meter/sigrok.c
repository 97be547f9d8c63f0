// SPDX-License-Identifier: MIT
/* sigrok:DRIVER[:OPTION=VALUE...][/CHANNEL[+CHANNEL]][,config=KEY=VALUE][,factor=WATTS]: any instrument that the sigrok
 * project's drivers read, through its command-line program (which is under the GPL and therefore a process of its own,
 * not a library of ours). One channel in watts; or two, a voltage and a current, whose product is taken each time both
 * are new; or one of another unit with `factor`, the watts per unit (a current on a known voltage, a shunt). The
 * program's lines ("P1: 3.2500 W") are stamped when they come. */
#include "base/mem.h"
#include "meter/source.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define PROGRAM "sigrok-cli"
#define FIRST_PATIENCE (10 * NSEC_PER_SEC) /* some instruments take their time to start */

struct source {
	char *device, *channel[2], *config;
	double factor; /* 0 = the channel is in watts */
	pid_t child;
	int fd;		 /* its standard output */
	int keys;	 /* its standard input: it ends when this is closed, also by our own end */
	double value[2]; /* NAN = not since the last reading */
	char buffer[1024];
	size_t length;
};

extern char **environ;

static int start(struct source *s)
{
	int pipe_of[2], keys[2];
	char *argv[16], *both = s->channel[1] ? xasprintf("%s,%s", s->channel[0], s->channel[1]) : NULL;
	int n = 0;
	argv[n++] = PROGRAM;
	argv[n++] = "--driver";
	argv[n++] = s->device;
	if (s->channel[0]) {
		argv[n++] = "--channels";
		argv[n++] = both ? both : s->channel[0];
	}
	if (s->config) {
		argv[n++] = "--config";
		argv[n++] = s->config;
	}
	argv[n++] = "--continuous";
	argv[n++] = "--output-format";
	argv[n++] = "analog";
	argv[n] = NULL;
	int r = pipe2(pipe_of, O_CLOEXEC) ? -errno : 0;
	if (!r && pipe2(keys, O_CLOEXEC)) {
		r = -errno;
		close(pipe_of[0]);
		close(pipe_of[1]);
	}
	if (r) {
		free(both);
		return r;
	}
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t none;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, pipe_of[1], STDOUT_FILENO);
	posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, keys[0], STDIN_FILENO);
	posix_spawnattr_init(&attributes);
	/* A group of its own, so that the user's Ctrl-C ends our run in order and not the instrument first. */
	sigemptyset(&none);
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setpgroup(&attributes, 0);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
	r = -posix_spawnp(&s->child, PROGRAM, &actions, &attributes, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attributes);
	free(both);
	close(pipe_of[1]);
	close(keys[0]);
	if (r) {
		close(pipe_of[0]);
		close(keys[1]);
		return r;
	}
	s->fd = pipe_of[0];
	s->keys = keys[1];
	fcntl(s->fd, F_SETFL, O_NONBLOCK);
	return 0;
}

/* "P1: 3.2500 mW DC": name, number, unit with or without an SI prefix. True if it is one of ours; it is then noted. */
static bool take_line(struct source *s, char *line)
{
	static const struct {
		char prefix;
		double factor;
	} prefixes[] = {{'n', 1e-9}, {'u', 1e-6}, {'m', 1e-3}, {'k', 1e3}, {'M', 1e6}};
	char *colon = strchr(line, ':'), *unit;
	if (!colon)
		return false;
	*colon = 0;
	double v = strtod(colon + 1, &unit);
	if (unit == colon + 1 || !isfinite(v))
		return false;
	unit += strspn(unit, " ");
	char *end = unit + strcspn(unit, " \r");
	*end = 0;
	if (end - unit == 2)
		for (size_t i = 0; i < ARRAY_SIZE(prefixes); i++)
			v *= unit[0] == prefixes[i].prefix ? prefixes[i].factor : 1;
	if (!strncmp(unit, "\xc2\xb5", 2)) /* the micro sign */
		v *= 1e-6;
	for (int i = 0; i < 2; i++)
		if (s->channel[i] ? !strcmp(line, s->channel[i]) : i == 0) {
			bool watts = end > unit && end[-1] == 'W';
			/* Without a factor, one channel alone must be in watts. */
			if (!s->channel[1] && !s->factor && !watts)
				return false;
			s->value[i] = v;
			return true;
		}
	return false;
}

/* The reading, if the lines that came make one. */
static bool complete(struct source *s, double *watts)
{
	*watts = s->channel[1] ? s->value[0] * s->value[1] : s->value[0] * (s->factor ? s->factor : 1);
	if (!isfinite(*watts))
		return false;
	s->value[0] = s->value[1] = NAN;
	return true;
}

static int sigrok_read(struct source *s, struct meter_sample *sample, nsec until)
{
	for (;;) {
		char *end = memchr(s->buffer, '\n', s->length);
		if (end) {
			*end = 0;
			bool ours = take_line(s, s->buffer);
			s->length -= (size_t)(end + 1 - s->buffer);
			memmove(s->buffer, end + 1, s->length);
			sample->at = nsec_now();
			if (ours && complete(s, &sample->watts))
				return 1;
			continue;
		}
		if (s->length == sizeof s->buffer)
			s->length = 0; /* no line of an instrument is that long */
		nsec left = until - nsec_now();
		struct pollfd p = {.fd = s->fd, .events = POLLIN};
		struct timespec ts = {.tv_sec = left / NSEC_PER_SEC, .tv_nsec = left % NSEC_PER_SEC};
		int r = left > 0 ? ppoll(&p, 1, &ts, NULL) : 0;
		if (r <= 0)
			return r < 0 && errno != EINTR ? -errno : 0;
		ssize_t n = read(s->fd, s->buffer + s->length, sizeof s->buffer - s->length);
		if (n <= 0)
			return n == 0 ? -ENODEV : errno == EAGAIN ? 0 : -errno;
		s->length += (size_t)n;
	}
}

static void sigrok_close(struct source *s)
{
	if (s->child > 0) {
		close(s->keys);
		/* Two seconds to put the instrument to rest. */
		int gone = 0;
		for (int i = 0; i < 200 && !gone; i++) {
			gone = waitpid(s->child, NULL, WNOHANG) != 0;
			if (!gone)
				usleep(10000);
		}
		if (!gone) {
			kill(s->child, SIGKILL);
			waitpid(s->child, NULL, 0);
		}
		close(s->fd);
	}
	free(s->device), free(s->channel[0]), free(s->channel[1]), free(s->config);
	free(s);
}

static int parse(struct source *s, char *text, char *rest, struct err *err)
{
	char *slash = strchr(text, '/'), *name, *value, *end;
	int r;
	/* A connection string has slashes too ("conn=tcp-raw/host/port"): the channel follows the last one if no '='
	 * does. */
	slash = slash && strchr(text, '=') ? strrchr(text, '/') : slash;
	if (slash && strstr(text, "conn=tcp") && strspn(slash + 1, "0123456789") == strlen(slash + 1))
		slash = NULL; /* that was the port */
	if (slash) {
		*slash = 0;
		char *plus = strchr(slash + 1, '+');
		if (plus) {
			*plus = 0;
			s->channel[1] = xstrdup(plus + 1);
		}
		s->channel[0] = xstrdup(slash + 1);
	}
	s->device = xstrdup(text);
	while ((r = source_option(&rest, &name, &value, err)) > 0) {
		if (!strcmp(name, "config")) {
			free(s->config);
			s->config = xstrdup(value);
		} else if (!strcmp(name, "factor")) {
			s->factor = strtod(value, &end);
			if (*end || !isfinite(s->factor) || s->factor == 0)
				return err_set(
					err, EXIT_USAGE, "sigrok: factor=%s is not a number of watts per unit", value);
		} else {
			return err_set(err, EXIT_USAGE, "sigrok: no option '%s': there are config and factor", name);
		}
	}
	if (!r && !*s->device)
		return err_set(
			err, EXIT_USAGE, "sigrok: no driver: say sigrok:DRIVER/CHANNEL; '" PROGRAM " -L' lists them");
	return r;
}

static int sigrok_open(struct source **out, const char *spec, struct meter_info *info, struct err *err)
{
	struct source *s = xcalloc(1, sizeof *s);
	char *text = xstrdup(spec), *rest = strchr(text, ',');
	if (rest)
		*rest++ = 0;
	s->value[0] = s->value[1] = NAN;
	int r = parse(s, text, rest, err);
	if (!r && (r = start(s)))
		err_set(err, EXIT_FAILED, "cannot start '" PROGRAM "': %s; install the package sigrok-cli",
			strerror(-r));
	struct meter_sample sample;
	if (!r) {
		nsec patience = nsec_now() + FIRST_PATIENCE;
		do
			r = sigrok_read(s, &sample, patience);
		while (!r && nsec_now() < patience);
		if (r <= 0)
			err_set(err, EXIT_FAILED,
				"sigrok: no power from '%s'%s%s: %s; try it by hand: " PROGRAM
				" -d %s --samples 1 -O analog",
				s->device, s->channel[0] ? " channel " : "", s->channel[0] ? s->channel[0] : "",
				r ? "the program ended" : "nothing in watts (or with a factor) within 10 s", s->device);
	}
	snprintf(info->instrument, sizeof info->instrument, "sigrok %s%s%s", s->device,
		s->channel[0] ? " channel " : "", s->channel[0] ? s->channel[0] : "");
	free(text);
	if (r <= 0) {
		sigrok_close(s);
		return -1;
	}
	*out = s;
	return 0;
}

const struct source_ops source_sigrok = {
	.scheme = "sigrok:", .open = sigrok_open, .read = sigrok_read, .close = sigrok_close};
