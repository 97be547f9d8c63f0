// SPDX-License-Identifier: MIT
#include "floor.h"

#include "base/mem.h"
#include "base/units.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define TRIPS 100
#define BIG_TRIPS 20
#define SLEEPS 100
/* How long the server holds a request: long enough for the client's processor to have gone idle, as it does in use. */
#define HOLD (100 * NSEC_PER_USEC)
/* What a client does between a reply and its next request, so that the server's processor goes idle too. */
#define THINK (20 * NSEC_PER_USEC)

/* The two messages have the sizes of NBD's (request header 28 bytes, simple reply 16). */
struct request {
	uint32_t payload;
	char rest[24];
};
struct reply {
	nsec held; /* from the request's arrival to its reply */
	char rest[8];
};

static void sleep_until(nsec until)
{
	struct timespec t = {until / NSEC_PER_SEC, until % NSEC_PER_SEC};
	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR)
		;
}

static bool send_all(int fd, const void *data, size_t bytes)
{
	while (bytes) {
		ssize_t n = send(fd, data, bytes, MSG_NOSIGNAL);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		data = (const char *)data + n;
		bytes -= (size_t)n;
	}
	return true;
}

static bool receive_all(int fd, void *data, size_t bytes)
{
	while (bytes) {
		ssize_t n = recv(fd, data, bytes, 0);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		data = (char *)data + n;
		bytes -= (size_t)n;
	}
	return true;
}

static void *serve(void *arg)
{
	int fd = *(int *)arg;
	char *data = malloc(MIB);
	struct request q;
	floor_fine_timer();
	while (data && receive_all(fd, &q, sizeof q) && receive_all(fd, data, q.payload)) {
		nsec arrival = nsec_now();
		sleep_until(arrival + HOLD);
		struct reply r = {.held = nsec_now() - arrival};
		if (!send_all(fd, &r, sizeof r))
			break;
	}
	free(data);
	shutdown(fd, SHUT_RDWR);
	return NULL;
}

static int by_value(const void *a, const void *b)
{
	nsec x = *(const nsec *)a, y = *(const nsec *)b;
	return (x > y) - (x < y);
}

static nsec median(nsec *v, int n)
{
	qsort(v, (size_t)n, sizeof *v, by_value);
	return v[n / 2];
}

/* The median of `n` round trips with so much payload, less the time they were held; -1 if the connection broke. A
 * client waits in poll, as most do. */
static nsec trips(int fd, uint32_t payload, const char *data, int n)
{
	nsec took[TRIPS];
	for (int i = 0; i < n; i++) {
		struct request q = {.payload = payload};
		struct reply r;
		nsec start, ready = nsec_now();
		while ((start = nsec_now()) < ready + THINK)
			;
		struct pollfd p = {.fd = fd, .events = POLLIN};
		if (!send_all(fd, &q, sizeof q) || !send_all(fd, data, payload))
			return -1;
		while (poll(&p, 1, -1) < 0 && errno == EINTR)
			;
		if (!receive_all(fd, &r, sizeof r))
			return -1;
		took[i] = nsec_now() - start - r.held;
	}
	return median(took, n);
}

static nsec sleep_lateness(void)
{
	nsec late[SLEEPS];
	floor_fine_timer();
	for (int i = 0; i < SLEEPS; i++) {
		nsec until = nsec_now() + HOLD;
		sleep_until(until);
		late[i] = nsec_now() - until;
	}
	return median(late, SLEEPS);
}

int floor_measure(struct floor *f, struct err *e)
{
	int pair[2], code;
	pthread_t server;
	char *data = calloc(1, MIB);
	*f = (struct floor){0};
	if (!data || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair)) {
		free(data);
		return err_set(e, EXIT_FAILED, "cannot measure the transport: %s", strerror(errno));
	}
	if ((code = pthread_create(&server, NULL, serve, &pair[1]))) {
		err_set(e, EXIT_FAILED, "cannot measure the transport: %s", strerror(code));
	} else {
		nsec small = trips(pair[0], 0, data, TRIPS), big = trips(pair[0], MIB, data, BIG_TRIPS);
		shutdown(pair[0], SHUT_RDWR);
		pthread_join(server, NULL);
		if (small < 0 || big < 0)
			code = err_set(e, EXIT_FAILED, "cannot measure the transport: the socket broke");
		else
			*f = (struct floor){small, big > small ? big - small : 0, sleep_lateness()};
	}
	close(pair[0]);
	close(pair[1]);
	free(data);
	return code ? -1 : 0;
}

nsec floor_of(const struct floor *f, uint32_t payload)
{
	return f->trip + (nsec)((uint64_t)f->per_mib * payload >> 20);
}

void floor_fine_timer(void)
{
	static _Thread_local bool done;
	if (!done)
		prctl(PR_SET_TIMERSLACK, 1);
	done = true;
}
