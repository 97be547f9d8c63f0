/* SPDX-License-Identifier: MIT */
/* Instruments: watts over time, measured beside the drive. One thread per meter, never on the I/O path; it stamps each
 * sample with the host's monotonic clock and keeps them all, so that the energy of any window can be asked for
 * afterwards. A log that another instrument wrote (`csv:`) is read when the run is over and put on the host's clock
 * then.
 *
 * Specifications:
 *   hwmon:NAME[/powerN|/N]           a sensor chip of the kernel (INA226, INA3221 ...): src/meter/hwmon.c
 *   scpi://HOST[:PORT][/CHANNEL]     a bench supply or power meter on the network: scpi.c
 *   sigrok:DRIVER[:OPTION=VALUE...][/CHANNEL]   anything that sigrok-cli reads, as a child process: sigrok.c
 *   nvme:/dev/nvme0                  the drive's own power measurement, where it has one: nvme.c
 *   csv:FILE                         a recorded log: csv.c
 * each with options after commas: `csv:log.csv,offset=2.5,unit=mW`. The files name theirs. */
#ifndef METER_METER_H
#define METER_METER_H

#include "base/error.h"
#include "base/nsec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One reading. */
struct meter_sample {
	nsec at;     /* monotonic; of a mean: the end of its interval */
	nsec length; /* the watts are a mean over this long before `at`; 0 = they are of one instant */
	double watts;
	bool overrun; /* the instrument says that it lost readings before this one */
};

struct meter_info {
	char source[16];      /* hwmon, scpi, sigrok, nvme, csv */
	char instrument[128]; /* as it names itself */
	nsec period;	      /* between samples as far as known; 0 = not known yet */
	nsec clock_error;     /* how far a stamp may be off: half the round trip, or what the alignment left */
	bool wakes_drive;     /* reading it is a command to the drive: pause it while the drive should sleep */
	bool after_the_run;   /* there are no samples before meter_stop */
};

/* What the samples say about a window of time. */
enum meter_verdict {
	METER_OK,
	METER_NOT_YET,	/* the window's end is later than the newest sample */
	METER_TOO_SLOW, /* fewer than METER_MIN_SAMPLES in it: its edges would make up too much of it */
	METER_GAPS,	/* more than 5 % of it is not covered */
};
#define METER_MIN_SAMPLES 10

struct meter_window {
	enum meter_verdict verdict; /* the rest counts only with METER_OK */
	double watts;		    /* mean over the covered part */
	double joules;		    /* watts times the whole window */
	double max_watts;	    /* highest single reading; says little without the period */
	double covered;		    /* share of the window that has samples, 0 to 1 */
	uint64_t samples, overruns;
};

/* A moment at which we made the drive's power rise or fall, to check another clock against: nothing else was done for
 * `around` before and after it. */
struct meter_edge {
	nsec at, around;
	bool rises;
};

/* How a log's clock was put on ours. */
struct meter_clock {
	nsec offset;	   /* added to the log's times, beyond the `offset=` of the specification */
	nsec error;	   /* and its uncertainty */
	bool checked;	   /* an edge was found in the log */
	char warning[256]; /* empty, or why the times are doubtful */
};

struct meter;

/* Opens the instrument and asks who it is. 0, or -1 with *err (EXIT_USAGE: no such meter or option; EXIT_FAILED: it
 * does not answer; EXIT_NOT_PERMITTED). */
int meter_open(struct meter **out, const char *spec, struct err *err);
void meter_describe(struct meter *, struct meter_info *);

/* Starts sampling. 0 or -1 with *err. */
int meter_start(struct meter *, struct err *err);

/* No sample is taken while paused; the pause is a gap. */
void meter_pause(struct meter *, bool paused);

/* Ends sampling. `edges` (may be none) serve to align or check a log's clock; *clock (may be NULL) says how that went.
 * 0, or -1 with *err: the meter failed on the way or its log cannot be read; what was sampled stays usable. */
int meter_stop(
	struct meter *, const struct meter_edge *edges, size_t edge_count, struct meter_clock *clock, struct err *err);

/* Waits until a sample is at or later than `until`, at most `patience`. True if so. */
bool meter_wait(struct meter *, nsec until, nsec patience);

/* The power between two moments of the monotonic clock. */
void meter_power(struct meter *, nsec from, nsec to, struct meter_window *out);

/* Copies up to `max` samples from number `first` on (for the store). Returns how many; those of a `csv:` meter, on our
 * clock, exist after meter_stop. */
size_t meter_samples(struct meter *, size_t first, struct meter_sample *out, size_t max);

void meter_close(struct meter *);

/* In words: "12 ms between samples, too slow for a window of 80 ms". For a verdict other than METER_OK. */
void meter_explain(char *buf, size_t size, const struct meter_info *, const struct meter_window *, nsec from, nsec to);

#endif
