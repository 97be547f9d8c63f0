// SPDX-License-Identifier: MIT
#include "analysis/online.h"

#include <math.h>
#include <string.h>

#define DROP 0.80   /* as stage_thresholds.drop */
#define SLOW 0.85   /* of the rate so far: near DROP, so that a small step before the end is none */
#define FALLEN 0.90 /* of the in-cache rate: below it the rate has fallen (recovery.h, RECOVERY_FAST) */
#define FAST_COUNTS                                                                                                    \
	0.75		/* fast time makes up for so much slow time: alternating after the end is seen, dips are not   \
			 */
#define LEAST_SAMPLES 5 /* so many make a rate to compare with; the first of them is left out */
#define STALL 0.02	/* of the rate so far, or 1 MB/s: it stands still */
#define LONGEST_STALL 120

void online_start(struct online *o, double in_cache_mbps)
{
	memset(o, 0, sizeof *o);
	o->reference = in_cache_mbps > 0 && isfinite(in_cache_mbps) ? in_cache_mbps * 1e6 : NAN;
}

/* Takes the excursion into what counts as in-cache: the drive has recovered from it. */
static void end_excursion(struct online *o)
{
	o->bytes += o->slow_bytes;
	o->seconds += o->slow_seconds;
	o->longest = fmax(o->longest, o->peak);
	o->slow = false;
}

static void watch_cache(struct online *o, double seconds, double bytes)
{
	double level = o->bytes / o->seconds, rate = bytes / seconds;
	if (o->exhausted)
		return;
	if (o->samples == 0) { /* the first one may be a burst into the drive's DRAM, or the host's start */
		o->samples++;
		return;
	}
	if (!o->slow && (o->samples < LEAST_SAMPLES || rate >= SLOW * level)) {
		o->samples++;
		o->bytes += bytes;
		o->seconds += seconds;
		return;
	}
	if (!o->slow) {
		o->slow = true;
		o->slow_from = o->total_bytes;
		o->slow_bytes = o->slow_seconds = o->balance = o->peak = 0;
		o->first_bytes = bytes;
		o->first_seconds = seconds;
	}
	o->slow_bytes += bytes;
	o->slow_seconds += seconds;
	o->balance += rate < SLOW * level ? seconds : -FAST_COUNTS * seconds;
	o->peak = fmax(o->peak, o->balance);
	if (o->balance <= 0) {
		end_excursion(o);
		return;
	}
	double mean = o->slow_bytes / o->slow_seconds;
	double needed = fmax(fmax(ONLINE_SLOW_SECONDS, LEAST_SAMPLES * seconds), ONLINE_DIP_FACTOR * o->longest);
	if (o->balance < needed || mean > DROP * level)
		return;
	o->exhausted = true;
	/* The first slow sample may hold the edge: a share of it at the rate before, the rest at the rate since. */
	double later = (o->slow_bytes - o->first_bytes) / (o->slow_seconds - o->first_seconds);
	double share = (o->first_bytes / o->first_seconds - later) / (level - later);
	o->cache_bytes = o->slow_from + fmin(fmax(share, 0), 1) * level * o->first_seconds;
}

static void watch_fall(struct online *o, double seconds, double bytes)
{
	double level = isnan(o->reference) ? o->bytes / o->seconds : o->reference;
	bool slow = bytes / seconds < FALLEN * level;
	o->fallen_bytes = fmax(0, o->fallen_bytes + (slow ? bytes : -bytes));
	o->fallen_seconds = fmax(0, o->fallen_seconds + (slow ? seconds : -seconds));
}

void online_add(struct online *o, double seconds, double bytes, bool throttled)
{
	if (!(seconds > 0) || !(bytes >= 0) || !isfinite(seconds) || !isfinite(bytes))
		return;
	double level = o->seconds > 0 ? o->bytes / o->seconds : isnan(o->reference) ? 0 : o->reference;
	o->stalled = bytes / seconds < fmax(1e6, STALL * level) ? o->stalled + seconds : 0;
	bool stalls = o->stalled > 0 && o->stalled <= LONGEST_STALL;
	if (!stalls && !throttled) {
		watch_cache(o, seconds, bytes);
		watch_fall(o, seconds, bytes);
	}
	o->total_bytes += bytes;
}

bool online_exhausted(const struct online *o, double *cache_bytes)
{
	if (o->exhausted && cache_bytes)
		*cache_bytes = o->cache_bytes;
	return o->exhausted;
}

double online_in_cache_mbps(const struct online *o)
{
	return o->seconds > 0 ? o->bytes / o->seconds / 1e6 : NAN;
}

double online_fallen_bytes(const struct online *o)
{
	return o->fallen_seconds >= ONLINE_FALLEN_SECONDS ? o->fallen_bytes : 0;
}
