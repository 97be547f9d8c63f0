/* SPDX-License-Identifier: MIT */
/* Every figure of a run, computed once from what was measured. JSON, terminal and HTML all print from this, so they
 * cannot disagree. A figure that was not measured is NAN (NULL, or an empty list). Rates are 10^6 bytes/s, powers W. */
#ifndef REPORT_REVIEW_H
#define REPORT_REVIEW_H

#include "analysis/stages.h"
#include "base/units.h"
#include "facts/published.h"
#include "store/store.h"

#include <jansson.h>
#include <stdio.h>

/* Latencies in us. A quantile that the number of I/Os does not support (hist_supports) is NAN. */
struct review_latency {
	uint64_t ios; /* 0 = no histogram */
	double p50_us, p90_us, p99_us, p999_us, max_us, mean_us;
};

/* Energy over a stretch and what follows from it. */
struct review_power {
	double power_w;	   /* over the busy time */
	double mbps_per_w; /* = MB per joule */
};

/* The end of a slot, seconds since the phase's start. As doubles: whatever a store holds, nothing overflows. */
static inline double sample_end_s(const struct sample *s)
{
	return nsec_to_s(s->start) + nsec_to_s(s->length);
}

/* Seconds as nsec, for units_duration; what is out of its range becomes its end. */
static inline nsec nsec_of_s(double seconds)
{
	return !(seconds > 0) ? 0 : seconds < 9e9 ? (nsec)(seconds * 1e9) : NSEC_NEVER;
}

struct review_fill {
	struct fill_figures figures; /* zero stages where the phase has no samples */
	double *stage_nand_bytes;    /* per stage: written to flash in it */
	double seconds;
	double flush_s;
	struct review_power power;
	double j_per_gb;
	double nand_bytes, waf; /* over the fill; NAND bytes per host byte */
	double share_of_cells;	/* bits per cell x cache / nominal class: the share of the cells used as SLC first */
	size_t nthrottled;
	struct stretch *throttled;
	/* It got to the end without an edge, but so fast that a cache could not have shown (what the run itself warned
	 * of). The verdict is then CACHE_NOT_REACHED: whether there is a cache is not known. */
	bool too_short;
};

/* A verdict other than CACHE_FOUND in words: "no end found up to the last byte", or why it is not known. */
const char *review_no_cache(const struct review_fill *);

/* "35 to 47 °C", or "38 °C" where both ends are the same degree. Both are numbers. */
char *review_temperature(char buf[UNITS_BUF], double min_c, double max_c);

/* "5 s", "1 min": the length of a pause, as people say it. */
char *review_pause(char buf[UNITS_BUF], double seconds);

struct review_recovery_point {
	double idle_seconds, fill_level;
	double fast_bytes; /* written at full speed after the idle; NAN where no cache's rate is known to compare with
			    */
	double mbps;	   /* the rate meanwhile */
	double mbps_ratio; /* to the rate in the cache before */
	bool fell;	   /* the rate has fallen at the end; else fast_bytes is only a lower bound */
};

struct review_recovery {
	size_t npoints;
	struct review_recovery_point *points;
	double reclaim_mbps; /* cache regained per second of idle */
	double full_seconds; /* idle after which the whole cache is back */
};

struct review_burst {
	double mbps;		 /* bytes over busy time */
	double mbps_lo, mbps_hi; /* 95 % interval, from the spread of the bursts */
	double mean_of_bursts_mbps;
	double iops; /* over busy time */
	double bytes;
	double duty;	     /* busy / (busy + idle between the bursts) */
	double mean_power_w; /* over busy time and the idle between */
	struct review_power power;
	struct review_latency latency; /* of all bursts */
	size_t nbursts;
	double *bursts; /* MB/s of each */
};

struct review_sweep_point {
	double qd;
	double mbps, mbps_lo, mbps_hi, iops;
	struct review_power power;
	double nand_bytes; /* over the phase and the idle before it */
	double bytes;
	double die_busy;
	double occupancy; /* I/Os in flight over the queue depth; below 0.97 the host was the limit */
	struct review_latency latency;
};

struct review_sweep {
	double score_mbps;	   /* mean over QD1, 2 and 4; NAN unless all three are there */
	struct review_power score; /* mean W over the same, and score_mbps / that */
	double saturation_qd;	   /* first at 95 % of the maximum */
	double loss;		   /* 1 - score / score when fresh; NAN for the fresh one */
	size_t npoints;
	struct review_sweep_point *points;
};

/* The point of the greatest rate; NULL where nothing was measured. */
const struct review_sweep_point *review_best(const struct review_sweep *);

/* Whether the deepest queue that was measured is the first at 95 % of the maximum: no saturation was seen. */
bool review_still_rising(const struct review_sweep *);

struct review_mixed_point {
	double read_share, mbps, iops;
	struct review_power power;
	struct review_latency latency;
};

struct review_mixed {
	size_t npoints;
	struct review_mixed_point *points;
};

struct review_idle {
	double active_w, low_power_w;
};

enum review_kind { REVIEW_FILL, REVIEW_RECOVERY, REVIEW_BURST, REVIEW_SWEEP, REVIEW_MIXED, REVIEW_IDLE, REVIEW_OTHER };

struct review_test {
	const struct test_record *record;
	enum review_kind kind;
	union {
		struct review_fill fill;
		struct review_recovery recovery;
		struct review_burst burst;
		struct review_sweep sweep;
		struct review_mixed mixed;
		struct review_idle idle;
	};
};

struct review {
	const struct run_record *run;		 /* borrowed: must outlive the review */
	const struct published_drive *published; /* what is published about the drive; NULL = nothing known. Borrowed */
	char *full_name; /* of a modelled drive: what its profile calls it ("Samsung 960 PRO 2 TB"); NULL = not known */
	char *copy;	 /* "100 GB instead of 2.00 TB": a modelled drive that was made smaller; NULL = it was not */
	char *name;	 /* what the run is called among others (review_name_runs); NULL = it stands alone */
	size_t ntests;
	struct review_test *tests; /* in the order of the run's tests */
};

/* Computes all figures of `run`. Never fails: what cannot be computed is absent. */
struct review *review_build(const struct run_record *run);
void review_free(struct review *);

/* Looks for the drive among those of which figures are published: a model's profile by its name, a real drive by its
 * model, whatever its spaces and capitals. Sets review->published; `published` (may be NULL) must outlive the review.
 */
void review_attach(struct review *, const struct published *published);

/* The test of that name and condition (NULL = any), or NULL. */
const struct review_test *review_find(const struct review *, const char *name, const char *condition);

/* A cache that ends before the fill has enough samples to show it, but did show after a pause: the largest stretch at
 * full speed, which is faster than the fill. NULL where there is none, or where the fill found a cache's end. */
const struct review_recovery_point *review_small_cache(const struct review *);

/* What a fill wrote faster than the rest before its speed settled, where that was too short to be a stage of its own:
 * the bytes of its first samples that are a quarter above the mean, if no later one is. 0 = none, a slow decline,
 * or another test. */
double review_fast_start(const struct review_test *);

/* What to call the drive: its model, else its path, else "unknown drive". Not escaped. */
const char *review_drive_name(const struct review *);
/* The same for a title: a modelled drive's full name, where that is known; else as above. */
const char *review_full_name(const struct review *);

/* Sets the `name` of each of several runs that are shown together: its label, else the drive's name or its full name,
 * whichever is shorter and still its own. Long ones are cut to what every picture has room for, and where two would
 * read the same, all of these get their number: "tpu-617gb (run 3)". */
void review_name_runs(struct review *const *, size_t n);
/* The one sentence for a buyer: "617 GB of pSLC cache at 7.03 GB/s, then 1.71 GB/s; ...". free() it. */
char *review_headline(const struct review *);
/* "done", "partial", "failed", "not-run". A test that is still marked as running was cut short: partial. */
const char *review_status(enum test_status);
/* Whether the run stopped before its plan was done. */
bool review_partial(const struct review *);

/* The `show --json` document, schema 1 of docs/report.md. json_decref() it; dump with REVIEW_JSON_FLAGS. */
json_t *review_json(const struct review *);
#define REVIEW_JSON_FLAGS (JSON_INDENT(2) | JSON_REAL_PRECISION(10))
/* The list that `runs --json` prints. */
json_t *review_runs_json(const struct run_record *runs, size_t n);

/* Writes the raw series as CSV. A fill (the test named `test`, or the run's first fill if NULL) starts with the columns
 * seconds,bytes_written_in_interval, so that `import` reads it again; other tests have a row per sample with the
 * phase's name first. Returns 0, or -1 with *err if there is no such test. */
int report_csv(FILE *, const struct run_record *, const char *test, struct err *);

/* The figures for a terminal of 80 columns, with the fill curve in block characters. Returns 0. */
int report_text(FILE *, const struct run_record *);

struct report_options {
	const struct published *published; /* for markers beside what was measured; NULL = none */
	bool join_published;		   /* in a comparison, also drives that are only published, marked so */
};

/* One self-contained HTML document: a review of one run, a comparison of several (the first is the one highlighted).
 * Returns 0, or -1 with *err where the file cannot be written. */
int report_html(FILE *, struct run_record *const *runs, size_t n, const struct report_options *, struct err *);

/* Writes each chart of that report to a file in `svg_dir` and its data to one in `csv_dir` (either may be NULL); makes
 * the folder where it is missing. Returns 0 or -1 with *err. */
int report_charts(const char *svg_dir, const char *csv_dir, struct run_record *const *runs, size_t n,
	const struct report_options *, struct err *);

#endif
