// SPDX-License-Identifier: MIT
/* `ssdscope serve`: a modelled drive for other programs, through nbdkit and our plugin. */
#include "cli/cli.h"

#include "base/datadir.h"
#include "base/mem.h"
#include "base/units.h"
#include "drive.h"

#include <ctype.h>
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PLUGIN "nbdkit-ssdscope-plugin.so"
/* Requests in flight that nbdkit takes from a client at once: more would wait in the socket, unseen by the model. */
#define THREADS "64"
#define START_LIMIT (60 * NSEC_PER_SEC)

struct arguments {
	struct drive_options drive;
	const char *socket;
	char *parameters[16]; /* for the plugin: "key=value" */
	size_t n;
	struct err error;
};

enum { KEY_SOCKET = 1000, KEY_CAPACITY, KEY_TIMESCALE, KEY_BACKING, KEY_STATE, KEY_STATS, KEY_TRANSPORT };

static const struct argp_option options[] = {
	{"socket", KEY_SOCKET, "PATH", 0, "The Unix socket to serve on (default: $XDG_RUNTIME_DIR/ssdscope-MODEL.sock)",
		0},
	{"capacity", KEY_CAPACITY, "BYTES", 0, "A smaller drive of the same kind (4G, 100GB)", 0},
	{"timescale", KEY_TIMESCALE, "N", 0, "N times slower than the drive, for hosts that can't keep up (default: 1)",
		0},
	{"backing", KEY_BACKING, "memory|FILE|none", 0,
		"Where the data are kept (default: memory); none: nowhere, reads give zeros", 0},
	{"state", KEY_STATE, "FILE", 0, "Go on with the drive that is saved there, and save it there at the end", 0},
	{"stats", KEY_STATS, "FILE", 0, "Write statistics there as JSON when a client goes and at the end", 0},
	{"transport", KEY_TRANSPORT, "auto|TIME", 0,
		"What a round trip costs on this host, taken off each latency (default: measured at the start)", 0},
	{0},
};

/* The plugin's parameter has the option's name. The first thing that is wrong is the one that is told. */
static void take(struct arguments *a, const char *key, const char *value)
{
	if (a->error.code || drive_option(&a->drive, key, value, &a->error))
		return;
	if (a->n < ARRAY_SIZE(a->parameters))
		a->parameters[a->n++] = xasprintf("%s=%s", key, value);
	else
		err_set(&a->error, EXIT_USAGE, "too many options for 'serve'");
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *a = state->input;
	switch (key) {
	case KEY_SOCKET: a->socket = arg; return 0;
	case ARGP_KEY_ARG:
		if (a->drive.model && !a->error.code)
			err_set(&a->error, EXIT_USAGE,
				"'%s' is one model too many: each drive is served by a command of its own", arg);
		take(a, "model", arg);
		return 0;
	case ARGP_KEY_NO_ARGS:
		if (!a->error.code)
			err_set(&a->error, EXIT_USAGE, "no model: give one of those that 'ssdscope models' lists");
		return 0;
	}
	for (const struct argp_option *o = options; o->name; o++) {
		if (o->key == key) {
			take(a, o->name, arg);
			return 0;
		}
	}
	return ARGP_ERR_UNKNOWN;
}

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.args_doc = "MODEL",
	.doc = "Serves a modelled drive over NBD until it is interrupted: other programs use it as a disk, at the "
	       "modelled speed.\v"
	       "The drive's address is printed on stdout, how to use it from other programs on stderr. Needs nbdkit.",
};

/* The plugin: in the build folder, or where it was installed; else only its name, for nbdkit to find. */
static char *find_plugin(void)
{
	char exe[4096];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
	if (n > 0) {
		exe[n] = 0;
		*strrchr(exe, '/') = 0;
		static const char *const beside[] = {"plugin", "../" SSDSCOPE_PLUGIN_DIR};
		for (size_t i = 0; i < ARRAY_SIZE(beside); i++) {
			char *path = xasprintf("%s/%s/" PLUGIN, exe, beside[i]);
			if (!access(path, R_OK))
				return path;
			free(path);
		}
	}
	return xstrdup("ssdscope");
}

static int connect_to(const char *path)
{
	struct sockaddr_un a = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	strcpy(a.sun_path, path); /* its length was checked */
	int code = fd < 0 || connect(fd, (struct sockaddr *)&a, sizeof a) ? errno : 0;
	if (fd >= 0)
		close(fd);
	return code;
}

/* The socket's path; what a server left there that has ended is removed. NULL and *e if it can't be used. */
static char *socket_path(const struct arguments *a, const char *model, struct err *e)
{
	const char *folder = getenv("XDG_RUNTIME_DIR");
	char *path, here[4096];
	struct stat s;
	if (a->socket && *a->socket != '/' && getcwd(here, sizeof here))
		path = xasprintf("%s/%s", here, a->socket);
	else if (a->socket)
		path = xstrdup(a->socket);
	else if (folder && *folder)
		path = xasprintf("%s/ssdscope-%s.sock", folder, model);
	else
		path = xasprintf("/tmp/ssdscope-%d-%s.sock", (int)getuid(), model);
	if (strlen(path) >= sizeof((struct sockaddr_un *)0)->sun_path)
		err_set(e, EXIT_USAGE,
			"cannot serve on '%s': longer than the 107 characters that a socket's path may have", path);
	else if (lstat(path, &s))
		return path;
	else if (!S_ISSOCK(s.st_mode))
		err_set(e, EXIT_USAGE, "cannot serve on '%s': it exists and is no socket; give another --socket", path);
	else if (connect_to(path) != ECONNREFUSED)
		err_set(e, EXIT_USAGE, "cannot serve on '%s': a server is using it; give another --socket", path);
	else if (unlink(path))
		err_set(e, exit_code_of_errno(errno), "cannot remove the old socket '%s': %s", path, strerror(errno));
	else
		return path;
	free(path);
	return NULL;
}

/* As an NBD URI: bytes that mean something in one, in a shell or to QEMU are escaped. */
static char *uri_of(const char *path)
{
	char *uri = xmalloc(3 * strlen(path) + 64), *to = uri + sprintf(uri, "nbd+unix:///?socket=");
	for (; *path; path++)
		to += sprintf(to, isalnum((unsigned char)*path) || strchr("/._-~", *path) ? "%c" : "%%%02X",
			(unsigned char)*path);
	return uri;
}

static void start_nbdkit(const struct arguments *a, const char *path, const char *ready, const char *stats)
{
	const char *v[32];
	size_t n = 0;
	const char *const head[] = {"nbdkit", "--foreground", "--exit-with-parent", "--threads", THREADS, "--pidfile",
		ready, "--unix", path, find_plugin()};
	for (; n < ARRAY_SIZE(head); n++)
		v[n] = head[n];
	for (size_t i = 0; i < a->n; i++)
		v[n++] = a->parameters[i];
	if (!a->drive.stats)
		v[n++] = xasprintf("stats=%s", stats);
	v[n] = NULL;
	char *profiles = datadir_path("profiles");
	if (profiles) {
		*strrchr(profiles, '/') = 0;
		setenv("SSDSCOPE_DATA", profiles, 1);
	}
	signal(SIGPIPE, SIG_DFL);
	execvp(v[0], (char **)v);
	fprintf(stderr, "ssdscope: cannot start nbdkit: %s; install it (Debian: nbdkit)\n", strerror(errno));
	_exit(EXIT_FAILED);
}

static void print_use(const struct drive *d, const char *path, const char *uri)
{
	char c[UNITS_BUF];
	printf("%s\n", uri);
	fflush(stdout);
	fprintf(stderr, "serving %s, %s", d->info.title, units_bytes(c, (double)d->info.capacity_bytes));
	if (d->o.scale != PACE_UNIT)
		fprintf(stderr, ", %g times slower", (double)d->o.scale / PACE_UNIT);
	if (!d->o.backing || !strcmp(d->o.backing, "memory"))
		fprintf(stderr, "; data are kept in memory, and gone at the end");
	else if (!strcmp(d->o.backing, "none"))
		fprintf(stderr, "; data are not kept, reads give zeros");
	fprintf(stderr, "\n\n  fio:         fio --name=x --ioengine=nbd --uri='%s' --rw=write --bs=1M --output=x.txt\n",
		uri);
	fprintf(stderr,
		"  QEMU:        -drive if=none,id=d,file='%s',format=raw,cache=none,discard=unmap\n"
		"               -device nvme,drive=d,serial=%s,mdts=8\n",
		uri, d->info.name);
	fprintf(stderr, "  nbd-client:  nbd-client -unix '%s' /dev/nbd0 -C 4      (as root: a block device)\n", path);
	fprintf(stderr, "  nbdfuse:     touch drive; nbdfuse drive --unix '%s'    (a file)\n", path);
	fprintf(stderr, "\nCtrl-C ends it.\n");
}

/* What the statistics say about the pace, for the person who served. */
static void print_pace(const char *stats)
{
	json_t *root = json_load_file(stats, 0, NULL), *pace = json_object_get(root, "pace");
	json_int_t replies = json_integer_value(json_object_get(pace, "replies"));
	double share = json_number_value(json_object_get(pace, "overdue_share")),
	       busy = json_number_value(json_object_get(pace, "busy_s")),
	       waited = json_number_value(json_object_get(pace, "waited_s"));
	if (replies)
		fprintf(stderr,
			"%lld requests; replies were late by %.1f %% of the modelled time: %s\n"
			"The drive waited for its clients in %.1f %% of the time, pauses of a second or more left "
			"out.\n",
			(long long)replies, 100 * share,
			share < 0.05 ? "the model set the pace" : "this host set the pace; a --timescale would help",
			100 * waited / (busy + waited));
	json_decref(root);
}

/* Waits until nbdkit has written its pid file, which it does once it answers. False if it ended or was interrupted
 * before. */
static bool wait_until_ready(pid_t child, const char *ready, int *status)
{
	nsec limit = nsec_now() + START_LIMIT;
	while (!cli_interrupted && nsec_now() < limit) {
		if (waitpid(child, status, WNOHANG) == child)
			return false;
		if (!access(ready, F_OK))
			return true;
		nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
	}
	kill(child, SIGTERM);
	waitpid(child, status, 0);
	return false;
}

static int serve(const struct arguments *a, const struct drive *d, struct err *e)
{
	char *path = socket_path(a, d->info.name, e), folder[] = "/tmp/ssdscope-serve-XXXXXX";
	int status = 0;
	if (!path)
		return -1;
	if (!mkdtemp(folder)) {
		free(path);
		return err_set(e, EXIT_FAILED, "cannot make a folder in /tmp: %s", strerror(errno));
	}
	char *ready = xasprintf("%s/pid", folder), *own_stats = xasprintf("%s/stats", folder);
	const char *stats = d->o.stats ? d->o.stats : own_stats;
	cli_catch_signals();
	pid_t child = fork();
	if (child == 0)
		start_nbdkit(a, path, ready, stats);
	if (child < 0) {
		err_set(e, EXIT_FAILED, "cannot start nbdkit: %s", strerror(errno));
	} else if (wait_until_ready(child, ready, &status)) {
		char *uri = uri_of(path);
		print_use(d, path, uri);
		free(uri);
		bool told = false;
		while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
			if (cli_interrupted && !told)
				kill(child, SIGTERM);
			told = cli_interrupted;
		}
		print_pace(stats);
	}
	unlink(ready);
	unlink(own_stats);
	rmdir(folder);
	unlink(path);
	free(ready);
	free(own_stats);
	free(path);
	/* Interrupted is how it ends. Otherwise nbdkit and the plugin have said on stderr what was wrong. */
	return child < 0 ? -1 : WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_FAILED;
}

int verb_serve(int argc, char **argv)
{
	struct arguments a = {.drive = DRIVE_DEFAULTS};
	struct err e = {0};
	int code = cli_parse(&argp, argc, argv, &a, &a.error);
	if (!code) {
		/* Made here once, for the sake of our own messages and exit codes, then by the plugin. */
		struct drive *d = xcalloc(1, sizeof *d);
		code = drive_open(d, &a.drive, &e);
		drive_close(d);
		if (!code)
			code = serve(&a, d, &e);
		free(d);
		if (code < 0)
			code = cli_fail(&e);
	}
	for (size_t i = 0; i < a.n; i++)
		free(a.parameters[i]);
	return code;
}
