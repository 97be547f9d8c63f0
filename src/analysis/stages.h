/* SPDX-License-Identifier: MIT */
/* From the series of a fill to its figures: stages, the end of the pSLC cache, intervals, stalls, slides. Pure
 * functions. The method and its constants are explained in docs/method.md. */
#ifndef ANALYSIS_STAGES_H
#define ANALYSIS_STAGES_H

#include <stdbool.h>
#include <stddef.h>

/* A stretch of time on the series' clock, seconds since its start. */
struct stretch {
	double start_s, end_s;
};

/* A write series. Sample i covers (t[i-1], t[i]], t[-1] = 0. */
struct series {
	size_t n;
	const double *t;     /* end of each interval, seconds since the start */
	const double *bytes; /* completed in it */
	size_t nthrottled;
	const struct stretch *throttled; /* where the drive reported throttling */
	bool reached_end; /* the workload was done (whole capacity): "no cache" and "not reached" differ by it */
};

/* The thresholds; stages_defaults() gives those of docs/method.md. */
struct stage_thresholds {
	double drop;	    /* a stage is slower than the one before if its rate is at most this share of it (0.80) */
	double z_min;	    /* ... and by at least so many standard errors (3) */
	double beta;	    /* penalty of a fine segment, in log n (4) */
	double k;	    /* bound of the biweight loss, in noise sigmas (3) */
	double noise_floor; /* least relative noise assumed of one sample (0.03) */
};

struct stage_thresholds stages_defaults(void);

enum stage_kind { STAGE_STEADY, STAGE_ALTERNATING, STAGE_RAMP };

/* The rates of stages and of the cache leave stalls out, which are listed on their own; the fill's own mean does not.
 */
struct stage {
	double start_bytes, end_bytes;
	double start_s, end_s;
	double mbps;		 /* bytes over time, 10^6 bytes/s */
	double mbps_lo, mbps_hi; /* 95 % interval; NAN where there are too few samples */
	double median_mbps;
	double p5_mbps, p95_mbps;
	enum stage_kind kind;
	bool interval_optimistic; /* few and strongly correlated samples: the interval is too narrow */
};

enum cache_verdict { CACHE_FOUND, CACHE_NONE, CACHE_NOT_REACHED };

struct cache_figures {
	enum cache_verdict verdict;
	/* The rest only for CACHE_FOUND; NAN else. */
	double bytes, bytes_lo, bytes_hi; /* where it ended, 95 % interval */
	double mbps;			  /* bytes over time before it, without the stretches of reported throttling */
	double after_mbps;		  /* typical: median rate of the samples after it */
	double after_mean_mbps;		  /* bytes over time after it */
};

struct fill_figures {
	double bytes, seconds;
	double mean_mbps, min_mbps, max_mbps; /* bytes over time; min and max over the samples; NAN without samples */
	bool gradual;			      /* a slide, no edge, took a share of the run */
	bool throttle_explains;		      /* an edge was left out since throttling began there */
	size_t nstages;
	struct stage *stages;
	size_t nstalls;
	struct stretch *stalls;
	struct cache_figures cache;
};

/* Analyses a fill. Any input is allowed (empty, zeros, repeated or decreasing times, infinities): what cannot be used
 * is left out. `th` NULL = defaults. Free with fill_figures_free. */
void analyse_fill(const struct series *, const struct stage_thresholds *th, struct fill_figures *out);
void fill_figures_free(struct fill_figures *);

#endif
