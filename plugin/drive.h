/* SPDX-License-Identifier: MIT */
/* A modelled drive that is served: the model, its clock, its data. Any number of threads may use it at once; the model
 * itself is asked by one at a time. Every request is answered in two steps: the model and the data at once, and then a
 * time at which the reply is due. */
#ifndef PLUGIN_DRIVE_H
#define PLUGIN_DRIVE_H

#include "backing.h"
#include "base/error.h"
#include "floor.h"
#include "pace.h"
#include "profile/profile.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* What the drive is made from: start from DRIVE_DEFAULTS. */
struct drive_options {
	const char *model; /* a profile's name or file */
	uint64_t capacity; /* bytes; 0 = the profile's */
	uint32_t scale;	   /* time scale x PACE_UNIT */
	nsec transport;	   /* round trip to take off; negative: measure it */
	char *backing;	   /* see backing_open */
	char *state;	   /* file to load the model's state from, if it is there, and to save it to at the end */
	char *stats;	   /* file for statistics */
};
#define DRIVE_DEFAULTS                                                                                                 \
	{                                                                                                              \
		.scale = PACE_UNIT, .transport = -1                                                                    \
	}

/* Takes one parameter as people type it, of those in docs/attach.md; paths become absolute. `value` must stay valid. 0,
 * or -1 and *err (EXIT_USAGE). */
int drive_option(struct drive_options *, const char *key, const char *value, struct err *err);

struct drive {
	struct drive_options o;
	struct profile_info info;
	struct ssdmodel *model;
	struct backing *backing;
	int state_lock; /* holds the state's file (state.h); -1 = none */
	struct pace pace;
	struct floor floor;
	struct lag lag;
	pthread_mutex_t lock; /* of the model and of what follows */
	nsec last;	      /* the last start: starts never decrease */
	uint64_t reads, writes, trims, flushes, read_bytes, written_bytes, trimmed_bytes;
};

/* A request that was answered by the model and not yet by us. */
struct answer {
	nsec asked; /* latency that the model gave it, host time */
	nsec due;   /* when its reply is to be sent, host time */
};

/* Makes the drive: loads the profile, resizes it, loads the state, opens the backing, tries the file for statistics.
 * `d` zeroed. Nothing runs yet. 0, or -1 and *err; drive_close() then frees what there is. */
int drive_open(struct drive *, const struct drive_options *, struct err *);

/* The drive's time begins to run: measures the transport. Threads only from here on. */
void drive_start(struct drive *);

/* Saves the state where one is asked for. 0, or -1 and *err. */
int drive_save(struct drive *, struct err *);
void drive_close(struct drive *);

/* Requests. Offsets and lengths need no alignment: what is touched in part counts as touched. `fua`: done only when it
 * is in flash. Each returns 0 and fills in *answer, or a negative errno (no answer then); either way drive_done() ends
 * it. */
int drive_read(struct drive *, void *data, uint32_t bytes, uint64_t offset, struct answer *);
int drive_write(struct drive *, const void *data, uint32_t bytes, uint64_t offset, bool fua, struct answer *);
int drive_trim(struct drive *, uint32_t bytes, uint64_t offset, bool fua, struct answer *);
/* Reads as zeros from now on. `trim`: the drive may forget the range, else it writes zeros. */
int drive_zero(struct drive *, uint32_t bytes, uint64_t offset, bool trim, bool fua, struct answer *);
int drive_flush(struct drive *, struct answer *);

/* When to wake up for an answer, host time: a little before it is due. */
static inline nsec drive_wake(const struct drive *d, const struct answer *a)
{
	return a->due - d->floor.wakeup;
}

/* A request has been answered at this moment, and was ready to be answered at `ready`; or it failed (`a` is NULL). */
void drive_done(struct drive *, const struct answer *a, nsec ready);

/* Writes statistics to the file asked for (nothing, where none is) as one JSON document: requests, what the host made
 * of the pace, the drive's inside. 0, or -1 and *err. */
int drive_report(struct drive *, struct err *);

#endif
