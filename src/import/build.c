// SPDX-License-Identifier: MIT
#include "import/build.h"

#include "base/mem.h"
#include "base/units.h"

#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* More samples than any measurement has: 58 days of half seconds. Protects against times that are nonsense. */
#define MOST_SAMPLES 10000000
/* Times up to here can be added without overflowing: 73 years. */
#define LATEST (INT64_MAX / 4)
/* ... and more slots without I/O than any log has. */
#define MOST_HOLES 1000000
/* Rates that are rounded, and a last window that is only guessed, may make a pass so much longer than it was. */
#define ONE_PASS 1.05
/* A stage has at least so many samples (docs/method.md). */
#define FEWEST_SAMPLES 4

void piece_list_add(struct piece_list *p, struct piece piece)
{
	GROW(p->v, p->n, p->cap);
	p->v[p->n++] = piece;
}

void piece_list_free(struct piece_list *p)
{
	free(p->v);
	*p = (struct piece_list){0};
}

static int compare_nsec(const void *a, const void *b)
{
	nsec x = *(const nsec *)a, y = *(const nsec *)b;
	return (x > y) - (x < y);
}

nsec median_step(const nsec *times, size_t n)
{
	if (n < 2)
		return 0;
	nsec *steps = xmalloc((n - 1) * sizeof *steps);
	for (size_t i = 1; i < n; i++)
		steps[i - 1] = times[i] - times[i - 1];
	qsort(steps, n - 1, sizeof *steps, compare_nsec);
	nsec median = steps[(n - 1) / 2];
	free(steps);
	return median;
}

/* A count that was worked out from rates: whole, and within what the store holds. */
static uint64_t whole(double v)
{
	return v <= 0 ? 0 : v >= 0x1p62 ? (uint64_t)1 << 62 : (uint64_t)(v + 0.5);
}

static struct sample *add_sample(struct phase_record *p, size_t *cap, nsec start, nsec end)
{
	GROW(p->samples, p->nsamples, *cap);
	struct sample *s = &p->samples[p->nsamples++];
	*s = (struct sample){
		.start = start, .length = end - start, .joules = NAN, .temperature_c = NAN, .nand_bytes = -1};
	return s;
}

static void add_hole(struct phase_record *p, size_t *cap, nsec start, nsec end)
{
	if (p->nevents && p->events[p->nevents - 1].end == start) {
		p->events[p->nevents - 1].end = end;
		return;
	}
	GROW(p->events, p->nevents, *cap);
	p->events[p->nevents++] = (struct event){.kind = "hole", .start = start, .end = end};
}

static int absurd(const struct source *s, struct err *e)
{
	return err_set(e, EXIT_USAGE,
		"cannot import '%s': its rows span millions of intervals; the times in it make no sense", s->path);
}

/* Pieces in order, none over another: one sample each. */
static int samples_as_they_are(
	struct phase_record *p, const struct piece_list *pieces, nsec interval, const struct source *src, struct err *e)
{
	size_t cap = 0, event_cap = 0;
	nsec at = 0;
	for (size_t i = 0; i < pieces->n; i++) {
		const struct piece *x = &pieces->v[i];
		if (x->start - at >= interval / 2 && x->start > at) {
			if ((x->start - at) / interval > MOST_HOLES || p->nsamples > MOST_SAMPLES)
				return absurd(src, e);
			add_hole(p, &event_cap, at, x->start);
			/* Slots of the log's own length; a rest shorter than half a slot belongs to the last one. */
			while (x->start - at > 0) {
				nsec end = x->start - at < interval + interval / 2 ? x->start : at + interval;
				add_sample(p, &cap, at, end);
				at = end;
			}
		}
		if (x->end <= at && p->nsamples) {
			/* Two stamps that are the same but for rounding. */
			p->samples[p->nsamples - 1].bytes += whole(x->bytes);
			p->samples[p->nsamples - 1].ios += whole(x->ios);
			p->samples[p->nsamples - 1].read_bytes += x->read ? whole(x->bytes) : 0;
			continue;
		}
		struct sample *s = add_sample(p, &cap, at, x->end);
		s->bytes = whole(x->bytes);
		s->ios = whole(x->ios);
		s->read_bytes = x->read ? s->bytes : 0;
		at = x->end;
	}
	return 0;
}

/* Pieces over one another: summed on a grid. */
static int samples_on_a_grid(struct phase_record *p, const struct piece_list *pieces, nsec interval, nsec end,
	const struct source *src, struct err *e)
{
	if (end / interval >= MOST_SAMPLES || end / interval > MOST_HOLES + (nsec)pieces->n)
		return absurd(src, e);
	size_t n = (size_t)((end + interval - 1) / interval);
	/* A rest that is a matter of jitter is no slot of its own. */
	if (n > 1 && end - (nsec)(n - 1) * interval < interval / 20)
		n--;
	struct sum {
		double bytes, ios, read, covered;
	} *sums = xcalloc(n, sizeof *sums);
	for (size_t i = 0; i < pieces->n; i++) {
		const struct piece *x = &pieces->v[i];
		double length = (double)(x->end - x->start);
		for (size_t k = (size_t)(x->start / interval); k < n; k++) {
			nsec from = (nsec)k * interval, to = k == n - 1 ? end : from + interval;
			if (from >= x->end)
				break;
			double share =
				(double)((x->end < to ? x->end : to) - (x->start > from ? x->start : from)) / length;
			if (share <= 0)
				continue;
			sums[k].bytes += share * x->bytes;
			sums[k].ios += share * x->ios;
			sums[k].read += x->read ? share * x->bytes : 0;
			/* An upper bound where jobs overlap: good enough to tell a hole, which nobody covers. */
			sums[k].covered += share * length;
		}
	}
	size_t cap = 0, event_cap = 0;
	for (size_t k = 0; k < n; k++) {
		nsec from = (nsec)k * interval, to = k == n - 1 ? end : from + interval;
		struct sample *s = add_sample(p, &cap, from, to);
		s->bytes = whole(sums[k].bytes);
		s->ios = whole(sums[k].ios);
		s->read_bytes = whole(sums[k].read);
		if (sums[k].covered < 0.5 * (double)(to - from))
			add_hole(p, &event_cap, from, to);
	}
	free(sums);
	return 0;
}

static int compare_pieces(const void *a, const void *b)
{
	const struct piece *x = a, *y = b;
	return x->start != y->start ? (x->start > y->start) - (x->start < y->start)
				    : (x->end > y->end) - (x->end < y->end);
}

int phase_from_pieces(
	struct phase_record *p, struct piece_list *pieces, nsec interval, const struct source *src, struct err *e)
{
	nsec end = 0;
	double bytes = 0, ios = 0;
	bool overlap = false, reads = false, writes = false;
	/* Most are in order already, and qsort must not be asked to sort 10^7 of those. */
	for (size_t i = 1; i < pieces->n; i++) {
		if (compare_pieces(&pieces->v[i - 1], &pieces->v[i]) > 0) {
			qsort(pieces->v, pieces->n, sizeof *pieces->v, compare_pieces);
			break;
		}
	}
	for (size_t i = 0; i < pieces->n; i++) {
		const struct piece *x = &pieces->v[i];
		/* A millisecond of overlap is the rounding of a stamp. */
		overlap |= x->start < end - NSEC_PER_MSEC;
		end = x->end > end ? x->end : end;
		if (x->start < 0 || x->end <= x->start || x->end > LATEST)
			return absurd(src, e);
		bytes += x->bytes;
		ios += x->ios;
		reads |= x->read && x->bytes > 0;
		writes |= !x->read && x->bytes > 0;
	}
	if (!(bytes < 0x1p62 && ios < 0x1p62))
		return err_set(e, EXIT_USAGE,
			"cannot import '%s': it holds more bytes than there are; the rates in it make no sense",
			src->path);
	if (interval <= 0)
		interval = end > 0 ? end : 1;
	int rc = overlap ? samples_on_a_grid(p, pieces, interval, end, src, e)
			 : samples_as_they_are(p, pieces, interval, src, e);
	if (rc != 0)
		return -1;
	if (p->op[0] == '\0')
		strcpy(p->op, reads && writes ? "mixed" : reads ? "read" : "write");
	p->duration = end;
	p->bytes = p->ios = p->read_bytes = 0;
	for (size_t i = 0; i < p->nsamples; i++) {
		p->bytes += p->samples[i].bytes;
		p->ios += p->samples[i].ios;
		p->read_bytes += p->samples[i].read_bytes;
	}
	if (strcmp(p->op, "mixed") == 0 && isnan(p->read_share) && p->bytes)
		p->read_share = (double)p->read_bytes / (double)p->bytes;
	return 0;
}

void hist_add_many(struct hist *h, uint64_t ns, uint64_t n)
{
	if (!n)
		return;
	h->min = h->count == 0 || ns < h->min ? ns : h->min;
	h->max = ns > h->max ? ns : h->max;
	h->count += n;
	h->sum += ns * n;
	h->bin[hist_index(ns)] += n;
}

void run_start(struct run_record *r, const struct source *s, const char *format, const struct import_options *o)
{
	*r = (struct run_record){
		.started_ms = -1, .finished_ms = s->mtime_ms, .state = RUN_DONE, .host_limit_mbps = NAN};
	strcpy(r->target.kind, "imported");
	r->label = xstrdup(o->label);
	r->suite = xstrdup("import");
	r->tool_version = xstrdup(SSDSCOPE_VERSION);
	r->target.path = xstrdup(s->path);
	r->target.engine = xstrdup(format);
	r->target.capacity_bytes = o->capacity_bytes;
	json_t *plan = json_pack("{s:{s:s}}", "import", "format", format);
	r->plan = plan ? json_dumps(plan, JSON_COMPACT) : NULL;
	json_decref(plan);
}

/* Name and kind of a test, and of its phases, after what its first phase did. */
static void name_test(struct test_record *t, bool sweep)
{
	const struct phase_record *p = &t->phases[0];
	bool mixed = strcmp(p->op, "mixed") == 0, write = strcmp(p->op, "write") == 0;
	/* Of an unknown pattern nothing is claimed. */
	const char *suffix = strcmp(p->pattern, "random") == 0 ? "-rand" : p->pattern[0] ? "-seq" : "";
	const char *prefix = strcmp(p->pattern, "random") == 0 ? "rand-" : p->pattern[0] ? "seq-" : "";
	if (write && p->nsamples && !sweep) {
		strcpy(t->name, "fill");
		strcpy(t->kind, "fill");
	} else if (mixed) {
		snprintf(t->name, sizeof t->name, "mixed%s", suffix);
		strcpy(t->kind, "mixed");
	} else {
		snprintf(t->name, sizeof t->name, "%s%s", prefix, write ? "write" : "read");
		strcpy(t->kind, "sweep");
	}
	for (size_t i = 0; i < t->nphases; i++) {
		struct phase_record *x = &t->phases[i];
		if (strcmp(t->kind, "fill") == 0)
			strcpy(x->name, "fill");
		else if (mixed)
			snprintf(x->name, sizeof x->name, "mix-%.0f", isnan(x->read_share) ? 0 : x->read_share * 100);
		else if (x->queue_depth)
			snprintf(x->name, sizeof x->name, "qd%u", x->queue_depth);
		else
			strcpy(x->name, x->op);
	}
}

struct test_record *run_add_test(struct run_record *r, struct phase_record *phases, size_t n, bool sweep)
{
	r->tests = xrealloc(r->tests, (r->ntests + 1) * sizeof *r->tests);
	struct test_record *t = &r->tests[r->ntests++];
	*t = (struct test_record){
		.status = TEST_DONE, .quiet_wait = -1, .temperature_min_c = NAN, .temperature_max_c = NAN};
	t->phases = phases;
	t->nphases = n;
	name_test(t, sweep);
	return t;
}

/* Moves the samples from number `first` on, and the events that begin there, to a phase of their own. */
static void split_phase(struct test_record *t, size_t first)
{
	t->phases = xrealloc(t->phases, 2 * sizeof *t->phases);
	t->nphases = 2;
	struct phase_record *a = &t->phases[0], *b = &t->phases[1];
	nsec at = a->samples[first].start;
	uint64_t bytes = 0, ios = 0;
	size_t events = 0;
	*b = *a;
	strcpy(b->name, "rewrite");
	b->start = a->start + at;
	b->end_reason = xstrdup(a->end_reason);
	b->nsamples = a->nsamples - first;
	b->samples = xmalloc(b->nsamples * sizeof *b->samples);
	memcpy(b->samples, a->samples + first, b->nsamples * sizeof *b->samples);
	for (size_t i = 0; i < b->nsamples; i++)
		b->samples[i].start -= at;
	b->nevents = 0;
	b->events = xmalloc((a->nevents + 1) * sizeof *b->events);
	for (size_t i = 0; i < a->nevents; i++) {
		struct event ev = a->events[i];
		if (ev.start < at) {
			a->events[events++] = ev;
			continue;
		}
		ev.start -= at;
		ev.end -= at;
		b->events[b->nevents++] = ev;
	}
	a->nevents = events;
	a->nsamples = first;
	for (size_t i = 0; i < first; i++) {
		bytes += a->samples[i].bytes;
		ios += a->samples[i].ios;
	}
	b->bytes = a->bytes - bytes;
	b->ios = a->ios > ios ? a->ios - ios : 0;
	b->duration = a->duration - at;
	a->bytes = bytes;
	a->ios = ios;
	a->duration = at;
	/* One distribution of both: it is neither's. */
	free(a->latency);
	a->latency = b->latency = NULL;
}

void run_split_passes(struct run_record *r, uint64_t pass_bytes, const char *what)
{
	for (size_t i = 0; i < r->ntests; i++) {
		struct test_record *t = &r->tests[i];
		struct phase_record *p = &t->phases[0];
		if (!pass_bytes || strcmp(t->kind, "fill") != 0 || t->nphases != 1 ||
			(double)p->bytes <= ONE_PASS * (double)pass_bytes)
			continue;
		size_t n = 0;
		double sum = 0;
		/* A sample that is in two passes is no part of the first, but for the rounding of rates. */
		while (n < p->nsamples && (sum += (double)p->samples[n].bytes) <= 1.005 * (double)pass_bytes)
			n++;
		bool latency = p->latency != NULL, none = n < FEWEST_SAMPLES;
		run_warn(r, "rewritten", "%.4g GB were written, and %s is %.4g GB: it was written %.3g times. %s%s",
			(double)p->bytes / 1e9, what, (double)pass_bytes / 1e9, (double)p->bytes / (double)pass_bytes,
			none ? "Each time took so few samples that no fill can be told, and no cache"
			     : "Only the first time is taken for a fill; the rest is kept as phase 'rewrite'",
			!none && latency ? ", and the latencies, which are of all together, are left out" : "");
		if (none) {
			name_test(t, true);
			continue;
		}
		split_phase(t, n);
		free(t->phases[0].end_reason);
		t->phases[0].end_reason = xstrdup(
			(double)pass_bytes >= 0.99 * (double)r->target.capacity_bytes && r->target.capacity_bytes
				? "capacity"
				: "span");
	}
}

void run_warn(struct run_record *r, const char *code, const char *fmt, ...)
{
	struct warning w = {0};
	va_list ap;
	snprintf(w.code, sizeof w.code, "%s", code);
	va_start(ap, fmt);
	if (vasprintf(&w.text, fmt, ap) < 0)
		w.text = NULL;
	va_end(ap);
	r->warnings = xrealloc(r->warnings, (r->nwarnings + 1) * sizeof *r->warnings);
	r->warnings[r->nwarnings++] = w;
}

bool run_warned(const struct run_record *r, const char *code)
{
	for (size_t i = 0; i < r->nwarnings; i++)
		if (strcmp(r->warnings[i].code, code) == 0)
			return true;
	return false;
}

/* Marks the samples of a fill that overlap [start, end] and adds the event. */
static void throttle_stretch(struct phase_record *p, nsec start, nsec end)
{
	for (size_t i = 0; i < p->nsamples; i++) {
		struct sample *s = &p->samples[i];
		if (s->start <= end && s->start + s->length >= start)
			s->throttled = true;
	}
	p->events = xrealloc(p->events, (p->nevents + 1) * sizeof *p->events);
	p->events[p->nevents++] = (struct event){.kind = "throttle", .start = start, .end = end};
}

/* The side file: "start_s,end_s" or one moment per line, a header or not. */
static int apply_throttle(struct run_record *r, const struct import_options *o, struct err *e)
{
	struct source s;
	struct line l = {0};
	struct phase_record *fill = NULL;
	for (size_t i = 0; i < r->ntests && !fill; i++)
		if (strcmp(r->tests[i].kind, "fill") == 0)
			fill = &r->tests[i].phases[0];
	if (!fill)
		return err_set(e, EXIT_USAGE, "'%s' tells of throttling, but '%s' holds no write series; leave it out",
			o->throttle_file, r->target.path);
	if (source_read(&s, o->throttle_file, o->lenient, e) != 0)
		return -1;
	int rc = 0;
	while (rc == 0 && source_line(&s, &l)) {
		char *fields[2];
		double from, to;
		size_t n = split_fields(l.text, ',', fields, 2);
		if (n <= 2 && parse_number(fields[0], &from) == 0 &&
			(to = from, n < 2 || parse_number(fields[1], &to) == 0) && from >= 0 && to >= from && to < 1e9)
			throttle_stretch(fill, (nsec)(from * 1e9), (nsec)(to * 1e9));
		else if (s.lines > 1 || parse_number(fields[0], &from) == 0)
			rc = source_broken(&s, l.number, e, "no stretch of time: \"start_s,end_s\" is wanted");
	}
	run_note_broken(r, &s);
	source_free(&s);
	return rc;
}

void run_note_broken(struct run_record *r, const struct source *s)
{
	if (s->broken)
		run_warn(r, "broken-lines",
			"%zu of %zu lines of '%s' could not be read and were left out, the first is line %zu: what "
			"they held is missing from the bytes and the rates",
			s->broken, s->lines, s->path, s->first_broken);
}

int run_complete(struct run_record *r, const struct import_options *o, struct err *e)
{
	nsec duration = 0;
	if (r->ntests == 0)
		return err_set(e, EXIT_USAGE, "cannot import '%s': there is no I/O in it", r->target.path);
	run_split_passes(r, o->capacity_bytes, "the capacity");
	for (size_t i = 0; i < r->ntests; i++) {
		for (size_t k = 0; k < r->tests[i].nphases; k++) {
			struct phase_record *p = &r->tests[i].phases[k];
			duration += p->duration;
			if (strcmp(r->tests[i].kind, "fill") == 0 && !p->end_reason) {
				/* The whole drive, but for the rounding of rates. */
				bool whole_drive =
					o->capacity_bytes && (double)p->bytes >= 0.99 * (double)o->capacity_bytes;
				p->end_reason = xstrdup(whole_drive ? "capacity" : "end of log");
				if (!o->capacity_bytes && !run_warned(r, "capacity-unknown"))
					run_warn(r, "capacity-unknown",
						"the capacity of the drive is not known, so a log without a fall in "
						"speed cannot tell that there is no cache; give it with --capacity");
			} else if (!p->end_reason) {
				p->end_reason = xstrdup("end of log");
			}
		}
	}
	if (o->throttle_file && apply_throttle(r, o, e) != 0)
		return -1;
	/* A log that does not say when it was made was finished when its file was last written. */
	if (r->started_ms < 0)
		r->started_ms = r->finished_ms - duration / NSEC_PER_MSEC;
	else
		r->finished_ms = r->started_ms + duration / NSEC_PER_MSEC;
	return 0;
}
