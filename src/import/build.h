/* SPDX-License-Identifier: MIT */
/* From what a parser read to the records of the store: pieces of I/O become a phase's samples, phases become tests and
 * a run. Internal to import/. */
#ifndef IMPORT_BUILD_H
#define IMPORT_BUILD_H

#include "import/source.h"

/* So many bytes and I/Os completed between two times. */
struct piece {
	nsec start, end; /* since the phase's start; end > start */
	double bytes, ios;
	bool read;
};

struct piece_list {
	struct piece *v;
	size_t n, cap;
};

void piece_list_add(struct piece_list *, struct piece);
void piece_list_free(struct piece_list *);

/* Fills the samples, hole events and totals of `p` from pieces. `interval` is the distance of the log's rows. Pieces
 * that follow one another stay as they are; pieces that overlap (several jobs, two directions) are summed on a grid of
 * that interval, each spread over the slots that it covers. Where there is no piece for at least half an interval,
 * samples of 0 bytes are put in and an event "hole". Returns 0, or -1 with *err if the pieces span an absurd time. */
int phase_from_pieces(struct phase_record *p, struct piece_list *, nsec interval, const struct source *, struct err *);

/* The median of the distances between `n` ascending times; 0 where there are fewer than two. */
nsec median_step(const nsec *times, size_t n);

/* Starts a run that was read from `s` (its name and time are taken); `format` goes into the plan. */
void run_start(struct run_record *, const struct source *s, const char *format, const struct import_options *);

/* Appends a test with the phases, whose ownership passes. Name and kind follow from what the first phase did: a write
 * series is a "fill", anything else a "sweep" or "mixed" of one point; `sweep` makes it a sweep of all its phases. */
struct test_record *run_add_test(struct run_record *, struct phase_record *phases, size_t n, bool sweep);

/* Appends a warning to a run. */
void run_warn(struct run_record *, const char *code, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* Where a fill holds more bytes than one pass over what it writes to has (`pass_bytes`, in words `what`; 0 = not
 * known), ends it with the first pass and keeps the rest as a phase "rewrite"; a pass too short for a fill makes it a
 * sweep of one point. With a warning. */
void run_split_passes(struct run_record *, uint64_t pass_bytes, const char *what);

/* Whether the run has a warning of that code. */
bool run_warned(const struct run_record *, const char *code);

/* Says in the run which lines of a source were left out. Once for each source, after it was read. */
void run_note_broken(struct run_record *, const struct source *);

/* What is common to all formats at the end: how far the log went, passes beyond the capacity, throttling, the run's
 * end. */
int run_complete(struct run_record *, const struct import_options *, struct err *);

/* Adds `n` values of `ns` to a histogram. */
void hist_add_many(struct hist *, uint64_t ns, uint64_t n);

#endif
