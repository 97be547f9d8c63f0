/* SPDX-License-Identifier: MIT */
/* What two reviews say about fifteen drives, as checks: each claim is a pure function from the figures of runs to met
 * or not. A figure that was not measured never meets a claim. A rank counts only where the intervals do not overlap; a
 * figure without an interval counts as exact. The claims, with their thresholds: docs/model.md. */
#ifndef FACTS_CLAIMS_H
#define FACTS_CLAIMS_H

#include "analysis/stages.h"
#include "analysis/stats.h"

#include <stdbool.h>
#include <stddef.h>

#define CLAIM_MAX_POINTS 16
#define CLAIM_MAX_DRIVES 15

/* Doubles that were not measured are NAN; rates are MB/s (10^6 bytes/s), powers W. */
struct claim_fill {
	bool measured;
	enum cache_verdict verdict;
	size_t nstages;
	double mean_mbps, max_mbps;
	double cache_bytes, cache_mbps;
	double after_mbps; /* typical (median) rate after the cache */
	double share_of_cells;
	bool fast_again; /* after a fall from its first level the rate came back to 90 % of that or more */
	double after_bytes, after_nand_bytes; /* by the host, and to flash, in the stages after the cache */
};

struct claim_recovery_point {
	double idle_s, fast_bytes, mbps;
};

struct claim_recovery {
	size_t n;
	struct claim_recovery_point points[CLAIM_MAX_POINTS]; /* in rising order of idle time */
};

enum claim_burst_test { BURST_SEQ_READ, BURST_SEQ_WRITE, BURST_RAND_READ, BURST_RAND_WRITE, BURST_TESTS };

struct claim_burst {
	struct estimate mbps;
	double duty; /* busy time over busy and idle time */
};

struct claim_sweep_point {
	unsigned qd;
	struct estimate mbps;
	double watts;
	double die_busy;	  /* mean share of the dies that were busy, 0 to 1 */
	double bytes, nand_bytes; /* by the host; to flash, the idle before included */
};

struct claim_sweep {
	size_t n;
	struct claim_sweep_point points[CLAIM_MAX_POINTS]; /* in rising order of queue depth */
};

/* The figures of one drive. claim_figures_init() makes them all absent. */
struct claim_figures {
	const char *drive;			     /* the profile's name */
	struct claim_fill fill, fill_qd8, fill_full; /* of the erased drive; at queue depth 8; of the full drive */
	struct claim_recovery recovery;
	struct claim_burst burst[BURST_TESTS];
	struct claim_sweep seq_read, seq_read_fragmented, seq_write;
	double max_read_mbps, max_write_mbps; /* the highest figure of any test */
	double rated_read_mbps, rated_write_mbps, link_mbps;
};

void claim_figures_init(struct claim_figures *, const char *drive);

struct claim_result {
	const char *id;			      /* "A1" */
	const char *asked;		      /* in words, with the figure */
	const char *drives[CLAIM_MAX_DRIVES]; /* whose figures it needs */
	size_t ndrives;
	char got[320];
	bool met;
};

/* The number of claims. */
size_t claims_count(void);
/* Evaluates claim `i` on the figures of n drives, in any order. */
void claims_evaluate(size_t i, const struct claim_figures *, size_t n, struct claim_result *out);

/* What must be run on a drive for all claims that name it. */
struct claim_needs {
	bool fill, fill_qd8, recovery, bursts, sweeps;
};
struct claim_needs claims_needs(const char *drive);
/* Every drive that a claim names. Returns how many; `out` holds CLAIM_MAX_DRIVES. */
size_t claims_drives(const char **out);

#endif
