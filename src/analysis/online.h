/* SPDX-License-Identifier: MIT */
/* What a running write test must know before it is over: whether the cache is exhausted, and for how many bytes the
 * rate has been below the in-cache rate. Causal, with a state of a few numbers; the verdict that is reported comes from
 * analyse_fill afterwards. Single stalls, dips of garbage collection, slow starts and reported throttling do not count.
 *
 * Latency: an end of the cache is known after ONLINE_SLOW_SECONDS of net slow time (slow seconds less three quarters of
 * the fast ones) and three times the longest dip that the drive has recovered from; where it alternates between two
 * rates afterwards, later (docs/method.md, 2.8). A drop of less than 20 % is no end of a cache, here as there. */
#ifndef ANALYSIS_ONLINE_H
#define ANALYSIS_ONLINE_H

#include <stdbool.h>
#include <stddef.h>

#define ONLINE_SLOW_SECONDS 10.0  /* so much net slow time, at least, makes an end of the cache */
#define ONLINE_DIP_FACTOR 3.0	  /* ... and so many times the longest dip before */
#define ONLINE_FALLEN_SECONDS 3.0 /* a rate that is down for a shorter net time has not fallen, however many bytes */

/* All of it is private to online.c. */
struct online {
	double reference;		     /* bytes/s at which the cache takes data, as given; NAN = learn it */
	double total_bytes;		     /* everything */
	size_t samples;			     /* before the excursion */
	double bytes, seconds;		     /* in the cache so far, the current excursion and stalls left out */
	double stalled;			     /* seconds of the stall that is going on */
	bool slow;			     /* an excursion below the rate so far is going on ... */
	double slow_from;		     /* ... since so many bytes */
	double slow_bytes, slow_seconds;     /* ... of this much ... */
	double balance, peak;		     /* ... and its net slow seconds now, and at most */
	double first_bytes, first_seconds;   /* its first sample, which may hold the edge */
	double longest;			     /* net slow seconds of the longest excursion that ended */
	double fallen_bytes, fallen_seconds; /* net, below 90 % of the reference */
	bool exhausted;
	double cache_bytes;
};

/* Begins a phase. `in_cache_mbps`: the rate at which this drive's cache takes data, MB/s, where it is known from an
 * earlier phase (for online_fallen_bytes); NAN where it is to be learned from this one. */
void online_start(struct online *, double in_cache_mbps);

/* The next sample: its length in seconds, the bytes completed in it, whether the drive reported throttling in it. A
 * sample without length, or with values that are not finite or negative, is left out. */
void online_add(struct online *, double seconds, double bytes, bool throttled);

/* Whether the cache is exhausted; true once, it stays so. `*cache_bytes` (may be NULL) then gets an estimate of where
 * it ended, in bytes since the start: within a sample as a rule. */
bool online_exhausted(const struct online *, double *cache_bytes);

/* The rate so far, MB/s: in the cache, up to its end where it was found; the first sample, stalls and reported throttling left
 * out. NAN before the second sample. */
double online_in_cache_mbps(const struct online *);

/* For how many bytes the rate has been below 90 % of the in-cache rate (the given one, else that so far): bytes written
 * slowly less bytes written fast, never below 0; 0 while that lasted less than ONLINE_FALLEN_SECONDS net. "The rate has
 * fallen for 4 GiB" is online_fallen_bytes() >= 4 GiB. */
double online_fallen_bytes(const struct online *);

#endif
