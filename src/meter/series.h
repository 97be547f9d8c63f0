/* SPDX-License-Identifier: MIT */
/* Samples of power over time and the energy of any window of them. Pure: no clock, no I/O. */
#ifndef METER_SERIES_H
#define METER_SERIES_H

#include "meter/meter.h"

struct series {
	struct series_point {
		struct meter_sample sample;
		double joules; /* from the first sample to this one, over covered time */
		nsec covered;  /* how much of the time since the first sample is covered */
	} * point;
	size_t count, room;
	nsec period; /* nominal; 0 = the median distance, once known (series_settle) */
};

/* Adds a sample; times ascend: one that is not later than the last is dropped and false returned. A distance of more
 * than three periods from the sample before is a gap; a reading without its neighbour covers nothing. */
bool series_add(struct series *, const struct meter_sample *);

/* Sets the period to the median distance of the samples and books all of them again. For logs. */
void series_settle(struct series *);

/* Shifts all times by `offset`. */
void series_shift(struct series *, nsec offset);

void series_window(const struct series *, nsec from, nsec to, struct meter_window *out);

/* Finds the shift of the series' clock, within +-`range`, that fits the edges best: for each shift the mean power after
 * minus before (signed) is summed over the edges; the largest sum wins. *offset is to be added to the series' times;
 * *error is half a period plus the change-point's own uncertainty of (sd / step)^2 samples (the rate of localisation of
 * a step in independent noise; Hinkley 1970). False if no step stands out from the noise (less than 3 standard errors).
 */
bool series_align(
	const struct series *, const struct meter_edge *, size_t count, nsec range, nsec *offset, nsec *error);

void series_free(struct series *);

#endif
