/* SPDX-License-Identifier: MIT */
/* The figures of a burst test: short stretches of I/O with idle time after each. */
#ifndef ANALYSIS_BURST_H
#define ANALYSIS_BURST_H

#include <stddef.h>

/* One burst as measured. */
struct burst {
	double bytes;
	double busy_s; /* first submission to last completion */
	double idle_s; /* host idle after it; 0 after the last one, where there was none */
};

struct burst_figures {
	double mbps;		    /* the result: all bytes over all busy time, 10^6 bytes/s */
	double mbps_lo, mbps_hi;    /* 95 % interval from the bursts' rates (Student's t); NAN for fewer than 3 */
	double mean_of_bursts_mbps; /* arithmetic mean of the bursts' rates, as older reviews have it */
	double first_mbps;	    /* of the first burst: the drive may have been asleep, or its cache empty */
	double busy_s;
	double bytes;
	double duty; /* busy time over busy and idle time, up to the end of the last idle */
};

/* The rate of one burst in MB/s; NAN where it took no time. */
double burst_mbps(const struct burst *);

/* The figures of n bursts. What cannot be computed is NAN: with n = 0 or without busy time every rate. The two means
 * differ by about the square of the coefficient of variation of the bursts' rates, the mean over bursts being higher.
 */
void burst_figures(const struct burst *, size_t n, struct burst_figures *out);

#endif
