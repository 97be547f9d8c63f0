// SPDX-License-Identifier: MIT
/* elbencho --livecsv: a row per interval with the bytes done so far; each phase counts from 0. With a mix of reads and
 * writes there are two rows. Rows of single workers (--livecsvex) have their number as Rank and are left alone: the row
 * "Total" holds their sum. */
#include "import/formats.h"

#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_COLUMNS 64

enum { LABEL, PHASE, RUNTIME, RANK, MIX, BYTES, IOPS, COLUMNS };
static const char *const headers[COLUMNS] = {"Label", "Phase", "RuntimeMS", "Rank", "MixType", "DoneBytes", "IOPS"};

/* What was counted up to the last row of a direction. */
struct so_far {
	nsec t;
	int64_t bytes;
};

struct phase_in_work {
	char name[64];
	struct piece_list pieces;
	struct so_far done[2]; /* writes (or the only direction), reads of a mix */
	nsec *times;
	size_t ntimes, captimes;
};

static int end_phase(struct run_record *r, struct phase_in_work *w, const struct source *s, struct err *e)
{
	int rc = 0;
	if (w->pieces.n) {
		struct phase_record *p = xmalloc(sizeof *p);
		*p = phase_unknown();
		rc = phase_from_pieces(p, &w->pieces, median_step(w->times, w->ntimes), s, e);
		run_add_test(r, p, 1, false);
	}
	piece_list_free(&w->pieces);
	free(w->times);
	*w = (struct phase_in_work){0};
	return rc;
}

static int take_row(
	struct source *s, const struct line *l, char **f, const size_t *at, struct phase_in_work *w, struct err *e)
{
	int64_t ms, bytes;
	double iops = 0;
	bool read_row = strcmp(f[at[MIX]], "Read") == 0;
	if (parse_integer(f[at[RUNTIME]], &ms) != 0 || ms < 0 || ms > INT64_MAX / NSEC_PER_MSEC / 2)
		return source_broken(s, l->number, e, "'%.40s' is no RuntimeMS", f[at[RUNTIME]]);
	if (parse_integer(f[at[BYTES]], &bytes) != 0 || bytes < 0)
		return source_broken(s, l->number, e, "'%.40s' is no DoneBytes", f[at[BYTES]]);
	parse_number(f[at[IOPS]], &iops); /* may be empty */
	struct so_far *d = &w->done[read_row];
	nsec t = ms * NSEC_PER_MSEC;
	if (bytes < d->bytes || t < d->t)
		return source_broken(s, l->number, e, "bytes or time go back within a phase");
	if (t > d->t) {
		bool reads = read_row || strcasestr(f[at[PHASE]], "read") != NULL;
		piece_list_add(&w->pieces, (struct piece){d->t, t, (double)(bytes - d->bytes),
						   iops > 0 ? iops * (double)(t - d->t) / 1e9 : 0, reads});
		if (!read_row) {
			GROW(w->times, w->ntimes, w->captimes);
			w->times[w->ntimes++] = t;
		}
		*d = (struct so_far){t, bytes};
	}
	return 0;
}

int read_elbencho(struct source *s, const struct import_options *o, struct run_record *r, struct err *e)
{
	struct line l = {0};
	char *f[MOST_COLUMNS];
	size_t at[COLUMNS], widest = 0;
	struct phase_in_work w = {0};
	run_start(r, s, "elbencho livecsv", o);
	if (!source_line(s, &l))
		return err_set(e, EXIT_USAGE, "cannot import '%s': it is empty", s->path);
	size_t n = split_fields(l.text, ',', f, MOST_COLUMNS);
	for (int c = 0; c < COLUMNS; c++) {
		at[c] = SIZE_MAX;
		for (size_t i = 0; i < n && i < MOST_COLUMNS; i++)
			if (strcmp(f[i], headers[c]) == 0)
				at[c] = i;
		if (at[c] == SIZE_MAX)
			return err_set(e, EXIT_USAGE, "cannot import '%s': elbencho's column '%s' is missing", s->path,
				headers[c]);
		widest = at[c] > widest ? at[c] : widest;
	}
	int rc = 0;
	while (rc == 0 && source_line(s, &l)) {
		size_t fields = split_fields(l.text, ',', f, MOST_COLUMNS);
		if (fields <= widest) {
			rc = source_broken(s, l.number, e, "%zu columns instead of %zu", fields, n);
			continue;
		}
		/* Further runs are appended to the same file, with a header again or without. */
		if (strcmp(f[at[RANK]], "Total") != 0)
			continue;
		char name[sizeof w.name];
		int64_t ms = 0;
		snprintf(name, sizeof name, "%.30s/%.30s", f[at[LABEL]], f[at[PHASE]]);
		bool again = parse_integer(f[at[RUNTIME]], &ms) == 0 && w.ntimes &&
			     ms < w.times[w.ntimes - 1] / NSEC_PER_MSEC && strcmp(f[at[MIX]], "Read") != 0;
		if (strcmp(name, w.name) != 0 || again) {
			rc = end_phase(r, &w, s, e);
			strcpy(w.name, name);
		}
		if (rc == 0)
			rc = take_row(s, &l, f, at, &w, e);
	}
	int last = end_phase(r, &w, s, rc == 0 ? e : NULL);
	run_note_broken(r, s);
	return rc ? rc : last;
}
