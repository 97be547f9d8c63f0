/* SPDX-License-Identifier: MIT */
/* The figures of a sweep over queue depths: score, saturation, and whether the host was the limit. */
#ifndef ANALYSIS_SWEEP_H
#define ANALYSIS_SWEEP_H

#include "analysis/stages.h"
#include "analysis/stats.h"

/* One queue depth as measured. NAN where a value was not. */
struct sweep_point {
	unsigned qd;
	struct estimate mbps; /* 10^6 bytes/s, with its interval (sweep_rate) */
	double watts;	      /* mean power over the phase */
};

struct sweep_figures {
	double score_mbps;	 /* mean of the rates at queue depths 1, 2 and 4; NAN unless all three were measured */
	double score_watts;	 /* the same of the power */
	double score_mbps_per_w; /* score_mbps / score_watts */
	unsigned saturation_qd;	 /* the first with at least 95 % of the highest rate; 0 = not measured */
	unsigned saturation_qd_likely; /* the same, with the intervals: see below; 0 = not measured */
	double max_mbps;
};

/* The rate of one phase in MB/s with its 95 % interval, from its samples: by batch means (stats_rate); where the phase
 * has stages, as one that fills a cache on the way, by the batch means of each stage, in proportion to its time: a fall
 * that comes at the same place each time is no scatter. */
struct estimate sweep_rate(const struct series *);

/* The figures of n points in rising order of queue depth. saturation_qd_likely is the smallest depth that the intervals
 * allow to be saturated: its upper end reaches 95 % of the highest rate, and no greater depth has a lower end above its
 * rate / 0.95. The rates need not rise with the depth. */
void sweep_figures(const struct sweep_point *, size_t n, struct sweep_figures *out);

/* Little's law: mean number of I/Os in flight over the queue depth, from the rate (I/Os per second) and the mean
 * latency (seconds). 1 where the host kept the queue full; below 0.97 the host was the limit, not the drive. NAN if
 * unknown. */
double sweep_occupancy(double iops, double mean_latency_s, unsigned qd);

#endif
