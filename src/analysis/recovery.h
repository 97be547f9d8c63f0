/* SPDX-License-Identifier: MIT */
/* How fast a drive gets its pSLC cache back: for each idle time, the bytes that it then takes at full speed. */
#ifndef ANALYSIS_RECOVERY_H
#define ANALYSIS_RECOVERY_H

#include "analysis/stages.h"

#define RECOVERY_FAST 0.9  /* of the in-cache rate: from there on a rate counts as fast */
#define RECOVERY_FULL 0.95 /* of the cache's size: from there on a point is saturated */

/* One step of the ladder: idle, then writing until the rate has fallen. */
struct recovery_point {
	double idle_s;
	double fast_bytes; /* written at >= 90 % of the in-cache rate before the rate fell */
	double mbps; /* the rate over them; NAN where they took less than one sample, so that it was not measured */
	double mbps_ratio; /* mbps over the in-cache rate */
	bool fell;	   /* the rate has fallen; else fast_bytes is only a lower bound */
};

/* The figures of one step from the series of its writing (t = 0 where the idle ended) and the in-cache rate of the same
 * drive (cache_figures.mbps of the fill, MB/s). The place where the rate fell is where the running sum of scores (+1
 * for a sample at the in-cache rate, -1 for one at the rate afterwards, linear in the log between) is greatest, so that
 * one dip does not end it; the sample that contains the fall is shared in proportion. `idle_s` is copied. */
void recovery_point(const struct series *, double in_cache_mbps, double idle_s, struct recovery_point *out);

/* The reclaim rate: fast_bytes = min(cache size, at_zero + rate * idle), by least squares over the points that fell,
 * took some bytes and are not saturated (>= 95 % of the cache). */
struct reclaim {
	size_t points; /* used by the fit */
	double mbps;   /* 10^6 bytes per second of idle; NAN for fewer than 2 points or none that differ in idle time */
	double at_zero; /* bytes, extrapolated to no idle at all; negative where the drive waits before it starts */
	double full_s;	/* idle until the whole cache is back; NAN where mbps is not positive */
};

/* `cache_bytes`: the size of the cache; NAN = not known: then the largest point stands for it. */
void recovery_reclaim(const struct recovery_point *, size_t n, double cache_bytes, struct reclaim *out);

#endif
