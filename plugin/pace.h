/* SPDX-License-Identifier: MIT */
/* The clock of a served drive, and the moment at which each reply is due.
 *
 * The drive's time runs with the host's, slowed down by the time scale: at scale 10 a latency of 100 us takes 1 ms, so
 * that a host that cannot keep up with the drive still shows its shape. What it costs the host to carry a request and
 * its reply is known (floor.h) and taken off, so that the client sees the modelled latency and not that latency plus
 * the transport. Whatever the host was late is counted, so that one knows when it and not the model set the pace. */
#ifndef PLUGIN_PACE_H
#define PLUGIN_PACE_H

#include "base/hist.h"
#include "base/nsec.h"

#include <pthread.h>
#include <stdint.h>

#define PACE_UNIT 1000 /* a time scale of 1 */
/* A reply that comes later than this is counted as late. */
#define PACE_LATE (50 * NSEC_PER_USEC)

struct pace {
	nsec host0, drive0; /* the same moment on the host's clock and on the drive's */
	uint32_t scale;	    /* host ns per 1000 ns of the drive */
};

/* The drive's time at the host's time `host`. */
nsec pace_drive_time(const struct pace *, nsec host);

/* The host's time at the drive's time `drive`. */
nsec pace_host_time(const struct pace *, nsec drive);

/* How well the host kept the pace. Zero-initialise it, but for the lock. */
struct lag {
	pthread_mutex_t lock;
	uint64_t replies;
	uint64_t late;	 /* replies that went out more than PACE_LATE after they were due */
	uint64_t missed; /* replies that were due before the host was done with the data: no waiting was left to do */
	nsec asked;	 /* sum of the latencies that the model asked for, in host time */
	nsec overdue;	 /* sum of what the replies were late */
	struct hist lateness; /* ns; a reply that went out early counts as 0 */

	/* Whether the drive waited for its client. Pauses of PACE_PAUSE or more are the client's own wish. */
	uint32_t inside; /* requests that have come and not been answered */
	nsec since;	 /* when that became 0 or ceased to be; 0 = no request yet */
	nsec busy;	 /* time with a request inside */
	nsec waited;	 /* time without, in pauses below PACE_PAUSE: the client's and the transport's */
};
#define PACE_PAUSE NSEC_PER_SEC

/* A request has come; it has left, answered or failed. `now` in host time. */
void lag_enter(struct lag *, nsec now);
void lag_leave(struct lag *, nsec now);

/* Counts one reply that was `due` (which may be before the request came, where the transport alone takes longer than
 * the drive), whose data were `ready` and which was `sent` at these times; `asked` is the latency that the model gave
 * it. All in host time. */
void lag_add(struct lag *, nsec asked, nsec due, nsec ready, nsec sent);

/* The share by which latencies were longer than asked for, 0 where nothing was: overdue / asked. NAN before any reply.
 */
double lag_share(const struct lag *);

#endif
