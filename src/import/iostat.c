// SPDX-License-Identifier: MIT
/* iostat -x -t: blocks of rows, one device a row, each after a line with the time. The first block is the average since
 * the machine was started and is left out. */
#include "import/formats.h"

#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MOST_COLUMNS 64

struct report {
	int64_t wall;					   /* s since 1970 */
	double read_rate, write_rate, read_ios, write_ios; /* per second, bytes */
};

struct device {
	char name[64];
	struct report *v;
	size_t n, cap;
	double written;
};

/* The columns that count, found in a header line; SIZE_MAX = not there. */
struct header {
	size_t read_rate, write_rate, read_ios, write_ios, count;
	double unit; /* bytes */
};

static size_t split_blanks(char *text, char **fields, size_t max)
{
	size_t n = 0;
	char *rest = NULL;
	for (char *f = strtok_r(text, " \t", &rest); f; f = strtok_r(NULL, " \t", &rest), n++)
		if (n < max)
			fields[n] = f;
	return n;
}

static void read_header(char **f, size_t n, struct header *h)
{
	*h = (struct header){SIZE_MAX, SIZE_MAX, SIZE_MAX, SIZE_MAX, n, 1024};
	for (size_t i = 1; i < n && i < MOST_COLUMNS; i++) {
		size_t length = strlen(f[i]);
		/* rkB/s wkB/s; with -m rMB/s wMB/s; sectors of 512 bytes without -k in old versions: rsec/s wsec/s. All
		 * of them powers of 1024. */
		if (length == 5 && strcmp(f[i] + 1, "kB/s") == 0)
			h->unit = 0x1p10;
		else if (length == 5 && strcmp(f[i] + 1, "MB/s") == 0)
			h->unit = 0x1p20;
		else if (length == 6 && strcmp(f[i] + 1, "sec/s") == 0)
			h->unit = 512;
		else if (strcmp(f[i], "r/s") == 0)
			h->read_ios = i;
		else if (strcmp(f[i], "w/s") == 0)
			h->write_ios = i;
		if (length >= 5 && (strcmp(f[i] + 1, "kB/s") == 0 || strcmp(f[i] + 1, "MB/s") == 0 ||
					   strcmp(f[i] + 1, "sec/s") == 0)) {
			if (f[i][0] == 'r')
				h->read_rate = i;
			else if (f[i][0] == 'w')
				h->write_rate = i;
		}
	}
}

/* A line that is a time and nothing else, as -t prints it in the C locale, a 12-hour one and with S_TIME_FORMAT=ISO. */
static bool read_stamp(const char *text, int64_t *wall)
{
	static const char *const formats[] = {"%m/%d/%Y %I:%M:%S %p", "%m/%d/%y %H:%M:%S", "%m/%d/%Y %H:%M:%S",
		"%Y-%m-%dT%H:%M:%S%z", "%d/%m/%y %H:%M:%S"};
	for (size_t i = 0; i < ARRAY_SIZE(formats); i++) {
		struct tm tm = {0};
		const char *end = strptime(text, formats[i], &tm);
		if (!end || end[strspn(end, " \t")])
			continue;
		long zone = tm.tm_gmtoff;
		*wall = (int64_t)timegm(&tm) - zone;
		return true;
	}
	return false;
}

struct reading {
	struct device *devices;
	size_t ndevices, capdevices;
	size_t blocks;
	int64_t wall, first_wall, last_wall;
	bool stamped;
};

static struct device *device_named(struct reading *x, const char *name)
{
	for (size_t i = 0; i < x->ndevices; i++)
		if (strcmp(x->devices[i].name, name) == 0)
			return &x->devices[i];
	GROW(x->devices, x->ndevices, x->capdevices);
	struct device *d = &x->devices[x->ndevices++];
	*d = (struct device){0};
	snprintf(d->name, sizeof d->name, "%s", name);
	return d;
}

static int take_row(struct source *s, const struct line *l, char **f, size_t n, const struct header *h,
	struct reading *x, struct err *e)
{
	struct report r = {.wall = x->wall};
	if (n != h->count)
		return source_broken(s, l->number, e, "%zu columns instead of %zu", n, h->count);
	if (parse_number(f[h->read_rate], &r.read_rate) != 0 || parse_number(f[h->write_rate], &r.write_rate) != 0 ||
		r.read_rate < 0 || r.write_rate < 0)
		return source_broken(
			s, l->number, e, "'%.20s' or '%.20s' is no rate", f[h->read_rate], f[h->write_rate]);
	if (h->read_ios != SIZE_MAX)
		parse_number(f[h->read_ios], &r.read_ios);
	if (h->write_ios != SIZE_MAX)
		parse_number(f[h->write_ios], &r.write_ios);
	r.read_rate *= h->unit;
	r.write_rate *= h->unit;
	struct device *d = device_named(x, f[0]);
	GROW(d->v, d->n, d->cap);
	d->v[d->n++] = r;
	d->written += r.write_rate;
	return 0;
}

static int read_reports(struct source *s, struct reading *x, struct err *e)
{
	struct line l = {0};
	struct header h = {0};
	char *f[MOST_COLUMNS];
	while (source_line(s, &l)) {
		int64_t wall;
		if (read_stamp(l.text, &wall)) {
			x->wall = wall;
			x->stamped = true;
			continue;
		}
		/* The values below "avg-cpu:" have no name in front; the first line names the machine. */
		if (strncmp(l.text, "avg-cpu", 7) == 0 || strncmp(l.text, "Linux ", 6) == 0 || l.text[0] == ' ')
			continue;
		size_t n = split_blanks(l.text, f, MOST_COLUMNS);
		if (n == 0) /* a zero byte ends the line before anything */
			continue;
		if (strncmp(f[0], "Device", 6) == 0) {
			read_header(f, n, &h);
			if (h.read_rate == SIZE_MAX || h.write_rate == SIZE_MAX)
				return err_set(e, EXIT_USAGE,
					"%s:%zu: no columns of read and write rates (rkB/s, wkB/s); record it with "
					"iostat -x -t",
					s->path, l.number);
			x->blocks++;
			x->first_wall = x->blocks == 1 ? x->wall : x->first_wall;
			x->last_wall = x->wall;
			continue;
		}
		if (x->blocks < 2)
			continue;
		if (n > MOST_COLUMNS || take_row(s, &l, f, n, &h, x, e) != 0)
			return n > MOST_COLUMNS ? source_broken(s, l.number, e, "too many columns") : -1;
	}
	return 0;
}

static int make_run(struct source *s, struct reading *x, struct run_record *r, struct err *e)
{
	if (x->blocks < 2)
		return err_set(e, EXIT_USAGE,
			"cannot import '%s': one report only, which is the average since the machine was started; "
			"record it with iostat -x -t 1",
			s->path);
	if (x->last_wall - x->first_wall > 1000000000)
		return err_set(e, EXIT_USAGE, "cannot import '%s': the times of its reports make no sense", s->path);
	if (!x->stamped || x->last_wall <= x->first_wall)
		return err_set(e, EXIT_USAGE,
			"cannot import '%s': the reports have no times, so rates cannot become bytes; record it with "
			"iostat -x -t 1",
			s->path);
	struct device *best = NULL;
	for (size_t i = 0; i < x->ndevices; i++)
		if (!best || x->devices[i].written > best->written)
			best = &x->devices[i];
	if (best && best->n > x->blocks)
		return err_set(e, EXIT_USAGE, "cannot import '%s': device '%s' has more rows than there are reports",
			s->path, best->name);
	if (!best)
		return err_set(e, EXIT_USAGE, "cannot import '%s': there is no device in it", s->path);
	/* Stamps are whole seconds; the interval between reports is better known from all of them. */
	nsec interval = (nsec)((double)(x->last_wall - x->first_wall) * 1e9 / (double)(x->blocks - 1) + 0.5);
	struct piece_list pieces = {0};
	double read = 0, written = 0, seconds = (double)interval / 1e9;
	for (size_t i = 0; i < best->n; i++) {
		read += best->v[i].read_rate;
		written += best->v[i].write_rate;
	}
	/* The odd read of a file system does not make a write test a mixed one, nor is it written. */
	bool reads = read > 0.01 * written, writes = written > 0.01 * read || !reads;
	for (size_t i = 0; i < best->n; i++) {
		const struct report *v = &best->v[i];
		nsec from = (nsec)i * interval, to = from + interval;
		if (writes)
			piece_list_add(&pieces,
				(struct piece){from, to, v->write_rate * seconds, v->write_ios * seconds, false});
		if (reads)
			piece_list_add(
				&pieces, (struct piece){from, to, v->read_rate * seconds, v->read_ios * seconds, true});
	}
	struct phase_record *p = xmalloc(sizeof *p);
	*p = phase_unknown();
	int rc = phase_from_pieces(p, &pieces, interval, s, e);
	piece_list_free(&pieces);
	run_add_test(r, p, 1, false);
	free(r->target.path);
	r->target.path = xasprintf("/dev/%s", best->name);
	r->started_ms = x->first_wall * 1000;
	if (x->ndevices > 1)
		run_warn(r, "one-of-several", "of %zu devices in '%s' the one with the most writes was taken: %s",
			x->ndevices, s->path, best->name);
	run_warn(r, "whole-device",
		"iostat counts whatever uses the device, not one program alone, and stamps whole seconds: the interval "
		"is taken as %.3f s",
		(double)interval / 1e9);
	return rc;
}

int read_iostat(struct source *s, const struct import_options *o, struct run_record *r, struct err *e)
{
	struct reading x = {0};
	run_start(r, s, "iostat", o);
	int rc = read_reports(s, &x, e);
	run_note_broken(r, s);
	if (rc == 0)
		rc = make_run(s, &x, r, e);
	for (size_t i = 0; i < x.ndevices; i++)
		free(x.devices[i].v);
	free(x.devices);
	return rc;
}
