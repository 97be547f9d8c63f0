/* SPDX-License-Identifier: MIT */
/* How a made-up fill curve comes about: stages by bytes, and what happens to the rate over time. */
#ifndef TESTS_RECIPE_H
#define TESTS_RECIPE_H

#include "base/rng.h"
#include "curves.h"

struct recipe {
	double capacity_bytes;
	int nstages;
	struct {
		double until_bytes, mbps;
		double slide_to_mbps;		/* > 0: the rate slides there over the stage, in its log */
		double low_mbps, low_s, high_s; /* low_s > 0: alternates with low_mbps; mean dwell times, exponential */
		double low_s_end;		/* > 0: the dwell time at low_mbps drifts to this over the stage */
		bool regular;			/* the dwell times are constant */
		double sigma;			/* > 0: its own noise */
	} stage[MOST_STAGES];

	double sigma, phi;		       /* AR(1) noise of the log rate, from sample to sample */
	double outliers, outlier_factor;       /* share of samples that are multiplied by a factor */
	double dip_every_s, dip_s, dip_factor; /* excursions at random times: dips, or bursts for a factor > 1 */
	int dip_first, dip_last;	       /* the stages that have them */
	double saw_s, saw_factor;	       /* throttling in a saw: down to the factor over saw_s, then back */
	int nslow;			       /* throttled for a while */
	struct {
		double start_s, end_s, factor;
		bool reported;
	} slow[MOST_STAGES];
	int nstalls;
	struct {
		double start_s, seconds, mbps; /* seldom exactly 0 */
	} stall[MOST_STAGES];
	double startup_s, startup_factor; /* the rate starts at this factor and gets to 1 by then */

	double step_s;	    /* sampling */
	double jitter;	    /* share of step_s by which a sample's end varies */
	bool jitter_hidden; /* ... but the log says that it does not */
	int gaps;	    /* rows that are missing: the next one covers their time too */
	double odd_rows;    /* share of rows that are cut in two, one of them very short */
};

/* Runs the recipe: fills series, stages' true rates, average and stalls of `out` (zeroed by the caller, who sets the
 * rest of the truth). */
void recipe_run(const struct recipe *, struct rng *, struct labelled *out);

/* Random numbers: uniform in [lo, hi), the same in the log, standard normal, exponential of a mean. */
double draw(struct rng *, double lo, double hi);
double draw_log(struct rng *, double lo, double hi);
double draw_normal(struct rng *);
double draw_exponential(struct rng *, double mean);

#endif
