// SPDX-License-Identifier: MIT
/* scpi://HOST[:PORT][/CHANNEL][,period=TIME][,power=QUERY][,volts=QUERY][,amperes=QUERY]: a bench supply or power meter
 * that talks SCPI over a raw TCP socket (port 5025 unless said otherwise), one line per command. It is asked who it is
 * (*IDN?), and a table says how such an instrument is asked for the power of a channel; `power` or `volts` and
 * `amperes` say it for one that the table does not know ("%d" in them is the channel). It is only ever asked: nothing
 * is set but the channel that it reports, where there is no other way.
 *
 * A reading is taken for the middle between request and answer. It is asked again as soon as it has answered, but no
 * more often than `period` (10 ms). */
#include "base/mem.h"
#include "base/units.h"
#include "meter/source.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define FASTEST (10 * NSEC_PER_MSEC)
#define ANSWER_PATIENCE (2 * NSEC_PER_SEC)
#define RECONNECT_AFTER (500 * NSEC_PER_MSEC)

/* How an instrument is asked. The commands are those of the libsigrok project's profiles
 * (src/hardware/scpi-pps/profiles.c) and of the makers' own examples: Rigol's and Siglent's long channel argument saves
 * the selection. */
static const struct dialect {
	const char *maker, *model; /* parts of the answer to *IDN?, any case; NULL = whatever */
	const char *select;	   /* once, after connecting */
	const char *power;	   /* or: */
	const char *volts, *amperes;
} dialects[] = {
	{"rigol", "DP8", NULL, ":MEAS:POWE? CH%d", NULL, NULL},
	{"siglent", "SPD", NULL, "MEAS:POWE? CH%d", NULL, NULL},
	{"hameg", "HMP", "INST:NSEL %d", NULL, "MEAS:VOLT?", "MEAS:CURR?"},
	{"rohde", "HMP", "INST:NSEL %d", NULL, "MEAS:VOLT?", "MEAS:CURR?"},
	{"chroma", "61604", NULL, ":FETC:POW:AC?", NULL, NULL},
	{NULL, NULL, NULL, NULL, "MEAS:VOLT?", "MEAS:CURR?"},
};

struct source {
	char *host, *port;
	int channel;		       /* 0 = not said */
	char *power, *volts, *amperes; /* queries, complete */
	char *select;
	nsec period, next, broken_at;
	int fd; /* -1 = not connected */
	/* An exchange that is going on: which of the queries (0 or 1), since when, what has come back. */
	bool asked;
	int query;
	nsec first_asked, last_asked;
	double value[2];
	char line[256];
	size_t length;
};

static void disconnect(struct source *s)
{
	if (s->fd >= 0)
		close(s->fd);
	s->fd = -1;
	s->asked = false;
	s->query = 0;
	s->length = 0;
	s->broken_at = nsec_now();
}

/* 0 or a negative errno; -ENOENT for a name that no host has. */
static int connect_to(struct source *s)
{
	struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *list, *a;
	if (getaddrinfo(s->host, s->port, &hints, &list))
		return -ENOENT;
	int why = ECONNREFUSED;
	for (a = list; a && s->fd < 0; a = a->ai_next) {
		s->fd = socket(a->ai_family, a->ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, a->ai_protocol);
		if (s->fd < 0)
			continue;
		int r = connect(s->fd, a->ai_addr, a->ai_addrlen), error = r ? errno : 0;
		struct pollfd p = {.fd = s->fd, .events = POLLOUT};
		socklen_t size = sizeof error;
		if (r && error == EINPROGRESS && poll(&p, 1, 2000) == 1)
			getsockopt(s->fd, SOL_SOCKET, SO_ERROR, &error, &size);
		if (error) {
			why = error == EINPROGRESS ? ETIMEDOUT : error;
			close(s->fd);
			s->fd = -1;
		}
	}
	freeaddrinfo(list);
	int on = 1;
	if (s->fd >= 0)
		setsockopt(s->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
	return s->fd < 0 ? -why : 0;
}

static int say(struct source *s, const char *text)
{
	char line[256];
	int n = snprintf(line, sizeof line, "%s\n", text);
	return send(s->fd, line, (size_t)n, MSG_NOSIGNAL) == n ? 0 : -EPIPE;
}

/* Collects an answer, at most until `until`. 1 with the line in s->line, 0 if it is not complete yet, or a negative
 * errno. */
static int listen_to(struct source *s, nsec until)
{
	for (;;) {
		nsec left = until - nsec_now();
		struct pollfd p = {.fd = s->fd, .events = POLLIN};
		struct timespec ts = {.tv_sec = left / NSEC_PER_SEC, .tv_nsec = left % NSEC_PER_SEC};
		int r = left > 0 ? ppoll(&p, 1, &ts, NULL) : 0;
		if (r <= 0)
			return r < 0 && errno != EINTR ? -errno : 0;
		ssize_t n = recv(s->fd, s->line + s->length, sizeof s->line - 1 - s->length, 0);
		if (n <= 0)
			return n == 0 ? -ECONNRESET : errno == EAGAIN ? 0 : -errno;
		s->length += (size_t)n;
		s->line[s->length] = 0;
		char *end = strchr(s->line, '\n');
		if (end) {
			*end = 0;
			s->length = 0;
			return 1;
		}
		if (s->length == sizeof s->line - 1)
			return -EMSGSIZE;
	}
}

/* A number, with or without its unit behind it. Overload is told as 9.9E+37 (SCPI-99, 7.2.1.4). */
static int read_value(const char *line, double *value)
{
	char *end;
	*value = strtod(line, &end);
	return end == line || !isfinite(*value) || fabs(*value) > 9e37 ? -EPROTO : 0;
}

static const char *query(const struct source *s)
{
	return s->power ? s->power : s->query ? s->amperes : s->volts;
}

/* One step of an exchange: asks if nothing is asked, then waits for the answer. 1 when all values of a reading are
 * there. */
static int step(struct source *s, nsec until)
{
	if (!s->asked) {
		nsec now = nsec_now();
		s->first_asked = s->query ? s->first_asked : now;
		s->last_asked = now;
		int r = say(s, query(s));
		if (r)
			return r;
		s->asked = true;
	}
	int r = listen_to(s, until);
	if (r == 0 && nsec_now() - s->last_asked > ANSWER_PATIENCE)
		return -ETIMEDOUT;
	if (r <= 0)
		return r;
	s->asked = false;
	r = read_value(s->line, &s->value[s->query]);
	if (r)
		return r;
	s->query = !s->power && !s->query;
	return !s->query;
}

static int scpi_read(struct source *s, struct meter_sample *sample, nsec until)
{
	nsec now = nsec_now();
	if (s->fd < 0 && now - s->broken_at < RECONNECT_AFTER)
		until = until < s->broken_at + RECONNECT_AFTER ? until : s->broken_at + RECONNECT_AFTER;
	nsec begin = s->fd < 0 ? s->broken_at + RECONNECT_AFTER : s->next;
	if (!s->asked && !s->query && now < begin) {
		nsec t = begin < until ? begin : until;
		struct timespec ts = {.tv_sec = t / NSEC_PER_SEC, .tv_nsec = t % NSEC_PER_SEC};
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL);
		if (t < begin)
			return 0;
	}
	int r = s->fd < 0 ? connect_to(s) : 0;
	if (!r && s->select && s->broken_at) {
		r = say(s, s->select);
		s->broken_at = r ? s->broken_at : 0;
	}
	do {
		r = r < 0 ? r : step(s, until);
	} while (r == 0 && !s->asked); /* the first of two queries was answered */
	if (r < 0)
		disconnect(s);
	if (r <= 0)
		return r;
	now = nsec_now();
	s->next = s->first_asked + s->period;
	sample->at = s->first_asked + (now - s->first_asked) / 2;
	sample->watts = s->power ? s->value[0] : s->value[0] * s->value[1];
	return 1;
}

/* Fills the channel's number into a query of the table or of the user. */
static char *complete(const char *pattern, int channel)
{
	const char *where = pattern ? strstr(pattern, "%d") : NULL;
	if (!pattern)
		return NULL;
	if (!where)
		return xstrdup(pattern);
	return xasprintf("%.*s%d%s", (int)(where - pattern), pattern, channel ? channel : 1, where + 2);
}

static void choose_dialect(struct source *s, const char *idn)
{
	const struct dialect *d = dialects;
	while (d->maker && !(strcasestr(idn, d->maker) && strcasestr(idn, d->model)))
		d++;
	if (s->power || s->volts)
		return; /* the user's */
	s->select = complete(d->select ? d->select : d->maker || !s->channel ? NULL : "INST:NSEL %d", s->channel);
	s->power = complete(d->power, s->channel);
	s->volts = complete(d->volts, s->channel);
	s->amperes = complete(d->amperes, s->channel);
}

/* "HOST[:PORT][/CHANNEL]", an IPv6 address in brackets. */
static int parse_address(struct source *s, char *text, struct err *err)
{
	char *slash = strchr(text, '/'), *end, *host = text;
	if (slash) {
		*slash = 0;
		s->channel = (int)strtol(slash + 1, &end, 10);
		if (*end || s->channel < 1 || s->channel > 99)
			return err_set(err, EXIT_USAGE, "scpi: '%s' is not a channel number", slash + 1);
	}
	char *bracket = *text == '[' ? strchr(text, ']') : NULL, *colon = strrchr(bracket ? bracket : text, ':');
	if (colon)
		*colon = 0;
	if (bracket) {
		*bracket = 0;
		host++;
	}
	s->host = xstrdup(host);
	s->port = xstrdup(colon && colon[1] ? colon + 1 : "5025");
	if (!*s->host || strspn(s->port, "0123456789") != strlen(s->port))
		return err_set(err, EXIT_USAGE, "scpi: '%s:%s' is not an address: say scpi://HOST:PORT/CHANNEL",
			s->host, s->port);
	return 0;
}

static int parse_options(struct source *s, char *rest, struct err *err)
{
	char *name, *value;
	int r;
	s->period = FASTEST;
	while ((r = source_option(&rest, &name, &value, err)) > 0) {
		char **query_of = !strcmp(name, "power")     ? &s->power
				  : !strcmp(name, "volts")   ? &s->volts
				  : !strcmp(name, "amperes") ? &s->amperes
							     : NULL;
		if (query_of) {
			free(*query_of);
			*query_of = complete(value, s->channel);
		} else if (strcmp(name, "period")) {
			return err_set(err, EXIT_USAGE,
				"scpi: no option '%s': there are period, power, volts and amperes", name);
		} else if (units_parse_duration(value, &s->period) || s->period < NSEC_PER_MSEC) {
			return err_set(err, EXIT_USAGE, "scpi: period=%s is not a time of 1 ms or more", value);
		}
	}
	if (!r && !s->power && !s->volts != !s->amperes)
		return err_set(err, EXIT_USAGE, "scpi: volts and amperes go together");
	return r;
}

/* Connects, asks who it is and for a few readings, which tell how fast it is. */
static int introduce(struct source *s, struct meter_info *info, struct err *err)
{
	int r = connect_to(s);
	if (r == -ENOENT)
		return err_set(err, EXIT_USAGE, "scpi: no host '%s'", s->host);
	if (r)
		return err_set(
			err, EXIT_FAILED, "scpi: cannot connect to %s port %s: %s", s->host, s->port, strerror(-r));
	r = say(s, "*IDN?");
	r = r ? r : listen_to(s, nsec_now() + ANSWER_PATIENCE);
	if (r <= 0)
		return err_set(err, EXIT_FAILED, "scpi: %s port %s does not say who it is (*IDN?): %s", s->host,
			s->port, r ? strerror(-r) : "no answer within 2 s");
	s->line[strcspn(s->line, "\r")] = 0;
	choose_dialect(s, s->line);
	snprintf(info->instrument, sizeof info->instrument, "%s channel %d", s->line, s->channel ? s->channel : 1);
	if (s->select && say(s, s->select))
		return err_set(err, EXIT_FAILED, "scpi: %s port %s hung up", s->host, s->port);
	struct meter_sample sample;
	nsec begin = nsec_now(), worst = 0;
	for (int i = 0; i < 3; i++) {
		nsec patience = nsec_now() + ANSWER_PATIENCE;
		for (r = 0; r == 0 && nsec_now() < patience;)
			r = scpi_read(s, &sample, patience);
		if (r <= 0)
			return err_set(err, EXIT_FAILED,
				"scpi: '%s' gives no power for '%s': %s; say how to ask it with power=QUERY",
				info->instrument, query(s), r ? strerror(-r) : "no answer within 2 s");
		worst = nsec_now() - s->first_asked > worst ? nsec_now() - s->first_asked : worst;
	}
	nsec each = (nsec_now() - begin) / 3;
	info->period = each > s->period ? each : s->period;
	info->clock_error = worst / 2;
	return 0;
}

static void scpi_close(struct source *s)
{
	if (s->fd >= 0)
		close(s->fd);
	free(s->host), free(s->port), free(s->power), free(s->volts), free(s->amperes), free(s->select);
	free(s);
}

static int scpi_open(struct source **out, const char *spec, struct meter_info *info, struct err *err)
{
	struct source *s = xcalloc(1, sizeof *s);
	char *text = xstrdup(spec), *rest = strchr(text, ',');
	s->fd = -1;
	if (rest)
		*rest++ = 0;
	int r = parse_address(s, text, err);
	r = r ? r : parse_options(s, rest, err);
	r = r ? r : introduce(s, info, err);
	free(text);
	if (r) {
		scpi_close(s);
		return -1;
	}
	*out = s;
	return 0;
}

const struct source_ops source_scpi = {.scheme = "scpi://", .open = scpi_open, .read = scpi_read, .close = scpi_close};
