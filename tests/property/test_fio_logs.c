// SPDX-License-Identifier: MIT
/* Jobs that are known to the byte, logged the way fio logs (a row per window and direction, at the time at which fio
 * got round to it, the rate over the window's real length, nothing where nothing was done), come back with their bytes
 * at their times, whatever the number of clones, the jitter of the stamps, the columns and the stalls. */
#include "../unit/folder.h"
#include "../unit/unit.h"

#include "base/mem.h"
#include "base/rng.h"
#include "import/import.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define JOBS 300
#define MOST_CLONES 4

/* Bytes per ms of a job: a fast stretch, a slow one, and a stall somewhere. */
struct truth {
	double fast, slow;
	int cliff_ms, stall_from, stall_to, end_ms;
};

static double rate_at(const struct truth *t, int ms)
{
	if (ms >= t->stall_from && ms < t->stall_to)
		return 0;
	return ms < t->cliff_ms ? t->fast : t->slow;
}

static double bytes_between(const struct truth *t, double from, double to)
{
	double sum = 0;
	for (int ms = (int)from; ms < to; ms++) {
		double a = ms < from ? from : ms, b = ms + 1 > to ? to : ms + 1;
		sum += rate_at(t, ms) * (b - a);
	}
	return sum;
}

static int below(struct rng *r, int n)
{
	return (int)rng_below(r, (uint64_t)n);
}

/* Writes the log of one clone. Returns the bytes that are in its rows. */
static double write_log(const char *path, const struct truth *t, int interval, int jitter, int columns, struct rng *r)
{
	static const char *const rest[] = {"", ", 0", ", 0, 0", ", 0, 4096, 0"};
	FILE *f = fopen(path, "w");
	double logged = 0;
	assert_non_null(f);
	int last = 0;
	for (int due = interval; due <= t->end_ms; due += interval) {
		int now = due + below(r, jitter + 1);
		double bytes = bytes_between(t, last, now);
		if (bytes > 0) {
			double kib_s = floor(bytes / 1024 * 1000 / (now - last));
			fprintf(f, "%d, %.0f, 1%s\n", now, kib_s, rest[columns]);
			logged += bytes;
		}
		last = now;
	}
	fclose(f);
	return logged;
}

static void one_job(struct rng *r, const char *folder, int number)
{
	static const int intervals[] = {250, 500, 1000};
	int interval = intervals[below(r, 3)], clones = 1 + below(r, MOST_CLONES), jitter = below(r, 4),
	    columns = below(r, 4);
	struct truth t = {.end_ms = interval * (20 + below(r, 60)) + below(r, interval)};
	t.fast = 1e5 + 1e6 * rng_unit(r);
	t.slow = t.fast * (0.1 + 0.6 * rng_unit(r));
	t.cliff_ms = t.end_ms / 4 + below(r, t.end_ms / 2);
	t.stall_from = t.end_ms / 3 + below(r, t.end_ms / 3);
	t.stall_to = t.stall_from + (below(r, 2) ? interval * (2 + below(r, 6)) : 0);

	char *files[MOST_CLONES];
	double logged = 0;
	for (int i = 0; i < clones; i++) {
		files[i] = xasprintf("%s/j%d_bw.%d.log", folder, number, i + 1);
		logged += write_log(files[i], &t, interval, jitter, columns, r);
	}
	struct run_record *runs;
	size_t n;
	struct err e = {0};
	struct import_options none = {0};
	if (import_files((const char *const *)files, (size_t)clones, &none, &runs, &n, &e) != 0)
		fail_msg("%s", e.text);
	assert_int_equal(n, 1);
	const struct phase_record *p = &runs[0].tests[0].phases[0];
	/* A row loses at most one KiB/s to rounding; of the first one after a stall the window is known but for the
	 * jitter. */
	double rows = (double)(t.end_ms / interval) * clones, lost = rows * 1024 * (interval + jitter) / 1000.0;
	double unsure = t.stall_to > t.stall_from ? clones * t.fast * jitter : 0;
	if (fabs((double)p->bytes - logged) > lost + rows + unsure)
		fail_msg("job %d: %.0f bytes logged, %.0f came back", number, logged, (double)p->bytes);
	/* Every slot holds what was done in it, give or take what the jitter moves over its ends. A window in which the
	 * rate changed is known by its mean alone, so slots beside a change are left out. */
	int near_change = interval + 2 * jitter + 2;
	for (size_t i = 0; i < p->nsamples; i++) {
		double from = (double)p->samples[i].start / 1e6, to = from + (double)p->samples[i].length / 1e6;
		const int changes[] = {t.cliff_ms, t.stall_from, t.stall_to};
		bool beside = false;
		for (size_t k = 0; k < ARRAY_SIZE(changes); k++)
			beside |= changes[k] > from - near_change && changes[k] < to + near_change;
		if (beside || i + 1 == p->nsamples)
			continue;
		double want = clones * bytes_between(&t, from, to);
		double slack = clones * (t.fast * 2 * (jitter + 1) + 1024.0 * (interval + jitter) / 1000 + 2);
		if (fabs((double)p->samples[i].bytes - want) > slack)
			fail_msg("job %d, slot %zu (%g to %g ms): %.0f bytes, not %.0f", number, i, from, to,
				(double)p->samples[i].bytes, want);
	}
	/* A stall of two whole windows or more is a hole, and nothing else is. */
	nsec holes = 0;
	for (size_t i = 0; i < p->nevents; i++)
		holes += p->events[i].end - p->events[i].start;
	double stall = t.stall_to - t.stall_from, hole = (double)holes / 1e6;
	if (stall > 0 ? hole < stall - 2.5 * interval || hole > stall + interval : hole > 0)
		fail_msg("job %d: a stall of %g ms, holes of %g ms", number, stall, hole);
	run_record_clear(&runs[0]);
	free(runs);
	for (int i = 0; i < clones; i++) {
		remove(files[i]);
		free(files[i]);
	}
}

static void bytes_come_back_at_their_times(void **state)
{
	char *folder = make_test_folder();
	struct rng r;
	rng_seed(&r, 1);
	for (int i = 0; i < JOBS; i++)
		one_job(&r, folder, i);
	remove_folder(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(bytes_come_back_at_their_times)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
