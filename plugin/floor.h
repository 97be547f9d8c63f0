/* SPDX-License-Identifier: MIT */
/* The transport's floor: what it costs this host to carry a request to a server and its reply back over a Unix socket,
 * and how late it wakes a thread. Measured once, before the first request; pacing takes it off the modelled latency. */
#ifndef PLUGIN_FLOOR_H
#define PLUGIN_FLOOR_H

#include "base/error.h"
#include "base/nsec.h"

#include <stdint.h>

struct floor {
	nsec trip;    /* a request without payload and its reply: two messages, two threads woken */
	nsec per_mib; /* on top of it for each MiB of payload, in either direction */
	nsec wakeup;  /* how late a sleep with the finest timer slack ends */
};

/* Measures it, with threads and a socket pair of its own: medians, in about 50 ms. 0, or -1
 * and *err where the system gives no threads or sockets; *floor is then zero. */
int floor_measure(struct floor *, struct err *);

/* What the transport of a request with `payload` bytes of data costs, there and back, ns. */
nsec floor_of(const struct floor *, uint32_t payload);

/* Asks for the finest timer slack that the kernel gives, once for each thread that sleeps. */
void floor_fine_timer(void);

#endif
