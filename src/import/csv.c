// SPDX-License-Identifier: MIT
/* Plain CSV: a time at which an interval ended, and the bytes completed in it or its rate. */
#include "import/formats.h"

#include "base/mem.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MOST_COLUMNS 64
/* A time above this is one since 1970, not since a start: three years. */
#define SINCE_1970 ((nsec)100000000 * NSEC_PER_SEC)

/* Units of a column. Powers of 1000 and of 1024 are told apart by the "i", as IEC 80000-13 writes them; a lower-case
 * "kb" or "mb" is nobody's byte, so it is not guessed. */
static const struct unit {
	const char *name;
	double bytes;
	bool rate; /* per second; else an amount in the interval */
} units[] = {
	{"B/s", 1, true},
	{"kB/s", 1e3, true},
	{"KB/s", 1e3, true},
	{"MB/s", 1e6, true},
	{"GB/s", 1e9, true},
	{"KiB/s", 0x1p10, true},
	{"MiB/s", 0x1p20, true},
	{"GiB/s", 0x1p30, true},
	{"bytes/s", 1, true},
	{"B", 1, false},
	{"bytes", 1, false},
	{"kB", 1e3, false},
	{"KB", 1e3, false},
	{"MB", 1e6, false},
	{"GB", 1e9, false},
	{"KiB", 0x1p10, false},
	{"MiB", 0x1p20, false},
	{"GiB", 0x1p30, false},
};

/* Without brackets and blanks, "ps" and "_s" at the end as "/s": "Write (MB/s)" and "write_MBps" end alike. */
static size_t plain_unit(char *to, size_t size, const char *from)
{
	size_t n = 0;
	for (; *from && n + 2 < size; from++)
		if (!strchr("()[] ", *from))
			to[n++] = *from;
	to[n] = '\0';
	if (n > 2 && (strcmp(to + n - 2, "_s") == 0 || strcmp(to + n - 2, "ps") == 0))
		to[n - 2] = '/', to[n - 1] = 's';
	return n;
}

static const struct unit *unit_named(const char *name)
{
	char text[128];
	plain_unit(text, sizeof text, name);
	for (size_t i = 0; i < ARRAY_SIZE(units); i++)
		if (strcmp(units[i].name, text) == 0)
			return &units[i];
	return NULL;
}

/* The rate unit that a header ends with: "write_MiB_s", "Write (MB/s)", "MBps". NULL = none. */
static const struct unit *unit_in_header(const char *header)
{
	char text[128];
	size_t n = plain_unit(text, sizeof text, header);
	const struct unit *best = NULL;
	for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
		size_t length = strlen(units[i].name);
		if (!units[i].rate || length > n || strcmp(text + n - length, units[i].name) != 0)
			continue;
		/* "B/s" ends "MiB/s" as well: the longest counts. */
		if (!best || length > strlen(best->name))
			best = &units[i];
	}
	return best;
}

static bool same_name(const char *a, const char *b)
{
	return strcasecmp(a, b) == 0;
}

/* Columns that `export --csv` writes beside the bytes. */
enum { EXTRA_IOS, EXTRA_READ_BYTES, EXTRA_JOULES, EXTRA_TEMPERATURE, EXTRA_NAND_BYTES, EXTRA_THROTTLED, EXTRAS };
static const char *const extra_names[EXTRAS] = {
	"ios", "read_bytes", "joules", "temperature_c", "nand_bytes", "throttled"};

struct columns {
	char separator;
	size_t extra[EXTRAS]; /* SIZE_MAX = not there */
	size_t time, value, count;
	double time_unit; /* ns */
	struct unit unit;
	bool reads; /* the column's name says so */
};

/* A time: a number in the column's unit, or a date as ISO 8601 writes it ("2026-11-30T10:00:00.5Z", a blank for the T),
 * which becomes seconds since 1970. */
static int parse_time(const char *text, const struct columns *c, double *t)
{
	struct tm tm = {0};
	double fraction = 0;
	if (parse_number(text, t) == 0) {
		*t *= c->time_unit / 1e9;
		return 0;
	}
	const char *end = strptime(text, "%Y-%m-%d", &tm);
	end = end && (*end == 'T' || *end == ' ') ? strptime(end + 1, "%H:%M:%S", &tm) : NULL;
	if (!end)
		return -1;
	if (*end == '.') {
		char digits[16];
		size_t n = strspn(end + 1, "0123456789");
		snprintf(digits, sizeof digits, ".%.*s", (int)(n < 10 ? n : 10), end + 1);
		fraction = strtod(digits, NULL);
		end += 1 + n;
	}
	/* The zone shifts all rows alike, and their distances are what counts. */
	if (strcmp(end, "Z") != 0 && end[strspn(end, "+-:0123456789")])
		return -1;
	*t = (double)timegm(&tm) + fraction;
	return 0;
}

static bool is_time_header(const char *h)
{
	static const char *const names[] = {"seconds", "second", "sec", "secs", "s", "time", "time_s", "time_sec",
		"elapsed", "elapsed_s", "timestamp", "time_ms", "ms", "msec", "milliseconds", "elapsed_ms"};
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (same_name(h, names[i]))
			return true;
	return false;
}

static bool is_ms(const char *h)
{
	size_t n = strlen(h);
	return same_name(h, "milliseconds") || same_name(h, "msec") || (n >= 2 && same_name(h + n - 2, "ms"));
}

static char separator_of(const char *header)
{
	static const char candidates[] = ",;\t";
	char best = ',';
	size_t most = 0;
	for (const char *c = candidates; *c; c++) {
		size_t n = 0;
		for (const char *p = header; *p; p++)
			n += *p == *c;
		if (n > most) {
			most = n;
			best = *c;
		}
	}
	return best;
}

static int find_columns(
	const struct source *s, char *header, const struct import_options *o, struct columns *c, struct err *e)
{
	char *names[MOST_COLUMNS], list[256] = "";
	c->separator = separator_of(header);
	c->count = split_fields(header, c->separator, names, MOST_COLUMNS);
	if (c->count > MOST_COLUMNS)
		return err_set(e, EXIT_USAGE, "cannot import '%s': more than %d columns", s->path, MOST_COLUMNS);
	c->time = c->value = SIZE_MAX;
	for (int k = 0; k < EXTRAS; k++) {
		c->extra[k] = SIZE_MAX;
		for (size_t i = 0; i < c->count; i++)
			if (strcmp(names[i], extra_names[k]) == 0)
				c->extra[k] = i;
	}
	const struct unit *unit = NULL;
	bool by_name = false; /* a column of writes was found */
	for (size_t i = 0; i < c->count; i++) {
		size_t used = strlen(list);
		snprintf(list + used, sizeof list - used, "%s'%s'", i ? ", " : "", names[i]);
		if (c->time == SIZE_MAX &&
			(o->time_column ? !strcmp(names[i], o->time_column) : is_time_header(names[i]))) {
			c->time = i;
			continue;
		}
		/* Of several columns that would do, the first that says "write", else the first. */
		if (c->value != SIZE_MAX && (o->rate_column || by_name || !strcasestr(names[i], "writ")))
			continue;
		const struct unit *found;
		if (o->rate_column) {
			if (strcmp(names[i], o->rate_column) == 0) {
				c->value = i;
				unit = unit_in_header(names[i]);
			}
		} else if (same_name(names[i], "bytes_written_in_interval") || same_name(names[i], "bytes")) {
			c->value = i;
			unit = unit_named("bytes");
			by_name = true;
		} else if ((found = unit_in_header(names[i]))) {
			c->value = i;
			unit = found;
			by_name = strcasestr(names[i], "writ") != NULL;
		}
	}
	one_line(list);
	if (o->unit && !(unit = unit_named(o->unit)))
		return err_set(e, EXIT_USAGE,
			"no unit '%s' for a column; B/s, kB/s, MB/s, GB/s, KiB/s, MiB/s, GiB/s, or without /s an "
			"amount",
			o->unit);
	if (c->time == SIZE_MAX)
		return err_set(e, EXIT_USAGE,
			"cannot import '%s': no column %s%s%s among %s; name it with --time-column", s->path,
			o->time_column ? "'" : "of times", o->time_column ? o->time_column : "",
			o->time_column ? "'" : "", list);
	if (c->value == SIZE_MAX)
		return err_set(e, EXIT_USAGE,
			"cannot import '%s': no column %s%s%s among %s; name it with --rate-column and its unit with "
			"--unit",
			s->path, o->rate_column ? "'" : "of bytes or rates", o->rate_column ? o->rate_column : "",
			o->rate_column ? "'" : "", list);
	one_line(names[c->value]);
	if (!unit)
		return err_set(e, EXIT_USAGE,
			"cannot import '%s': the unit of column '%s' is not known; give it with --unit", s->path,
			names[c->value]);
	c->unit = *unit;
	c->time_unit = is_ms(names[c->time]) ? 1e6 : 1e9;
	c->reads = strcasestr(names[c->value], "read") != NULL;
	return 0;
}

struct row {
	double t; /* s */
	double value;
	double extra[EXTRAS]; /* NAN = not told */
};

/* Reads the rows; times must grow. */
static int read_rows(
	struct source *s, struct line *l, const struct columns *c, struct row **rows, size_t *n, struct err *e)
{
	size_t cap = 0;
	char *fields[MOST_COLUMNS];
	while (source_line(s, l)) {
		size_t count = split_fields(l->text, c->separator, fields, MOST_COLUMNS);
		struct row r;
		int rc = 1;
		if (count < c->count)
			rc = source_broken(s, l->number, e, "%zu columns instead of %zu", count, c->count);
		else if (parse_time(fields[c->time], c, &r.t) != 0)
			rc = source_broken(s, l->number, e, "'%.40s' is no time", fields[c->time]);
		else if (parse_number(fields[c->value], &r.value) != 0 || r.value < 0)
			rc = source_broken(s, l->number, e, "'%.40s' is no amount of data", fields[c->value]);
		else if (*n && r.t <= (*rows)[*n - 1].t)
			rc = source_broken(
				s, l->number, e, "the time %s is not after the one before it", fields[c->time]);
		else if (r.t < 0 || r.t * 1e9 > 0x1p62)
			rc = source_broken(s, l->number, e, "the time %s makes no sense", fields[c->time]);
		if (rc < 0)
			return -1;
		if (rc == 0)
			continue;
		for (int k = 0; k < EXTRAS; k++)
			if (c->extra[k] == SIZE_MAX || parse_number(fields[c->extra[k]], &r.extra[k]) != 0)
				r.extra[k] = NAN;
		GROW(*rows, *n, cap);
		(*rows)[(*n)++] = r;
	}
	return 0;
}

static void make_pieces(const struct row *rows, size_t n, const struct columns *c, struct run_record *r,
	struct piece_list *pieces, nsec *interval)
{
	nsec *t = xmalloc(n * sizeof *t);
	for (size_t i = 0; i < n; i++)
		t[i] = (nsec)(rows[i].t * 1e9 + 0.5);
	nsec step = median_step(t, n), zero = 0, first_gap = 0;
	size_t gaps = 0;
	*interval = step;
	/* Rows may be stamped by a clock of their own (seconds since 1970, say). */
	if (step > 0 && t[0] / 100 > step)
		zero = t[0] - step;
	if (zero > SINCE_1970)
		r->started_ms = zero / NSEC_PER_MSEC;
	/* A first row at 0 either is the empty one before the start, or rows are stamped with the start of their
	 * interval. */
	bool starts = t[0] == 0 && rows[0].value > 0 && n > 1;
	if (starts)
		run_warn(r, "times-are-starts",
			"the first time is 0 and has data, so times are taken as the starts of their intervals; the "
			"last one is taken to be as long as most");
	for (size_t i = 0; i < n; i++) {
		nsec from = starts ? t[i]
			    : i	   ? t[i - 1]
				   : zero,
		     to = !starts     ? t[i]
			  : i + 1 < n ? t[i + 1]
				      : t[i] + step;
		if (to <= from)
			continue;
		double amount = rows[i].value * c->unit.bytes * (c->unit.rate ? (double)(to - from) / 1e9 : 1);
		piece_list_add(pieces, (struct piece){from - zero, to - zero, amount, 0, c->reads});
		if (step > 0 && c->unit.rate && i && to - from > step + step / 2 && !gaps++)
			first_gap = from - zero;
	}
	if (gaps)
		run_warn(r, "gap",
			"%zu times rows are missing, first after %.6g s: the rate in the row after such a gap is taken "
			"to hold over all of it",
			gaps, (double)first_gap / 1e9);
	free(t);
}

/* What our own export has beside the bytes; rows and samples must be one to one. */
static void take_extras(struct phase_record *p, const struct row *rows, size_t n)
{
	if (p->nsamples != n)
		return;
	p->ios = p->read_bytes = 0;
	double joules = 0, nand = 0;
	for (size_t i = 0; i < n; i++) {
		struct sample *s = &p->samples[i];
		const double *x = rows[i].extra;
		/* A count that is negative or absurd is none. */
		s->ios = x[EXTRA_IOS] >= 0 && x[EXTRA_IOS] < 0x1p53 ? (uint64_t)x[EXTRA_IOS] : s->ios;
		s->read_bytes = x[EXTRA_READ_BYTES] >= 0 && x[EXTRA_READ_BYTES] <= (double)s->bytes
					? (uint64_t)x[EXTRA_READ_BYTES]
					: s->read_bytes;
		s->joules = x[EXTRA_JOULES];
		s->temperature_c = x[EXTRA_TEMPERATURE];
		s->nand_bytes =
			x[EXTRA_NAND_BYTES] >= 0 && x[EXTRA_NAND_BYTES] < 0x1p53 ? (int64_t)x[EXTRA_NAND_BYTES] : -1;
		s->throttled = x[EXTRA_THROTTLED] > 0;
		p->ios += s->ios;
		p->read_bytes += s->read_bytes;
		joules += s->joules;
		nand += s->nand_bytes < 0 ? NAN : (double)s->nand_bytes;
	}
	p->joules = joules;
	p->nand_bytes = nand < 0x1p62 ? (int64_t)nand : -1;
}

int read_csv(struct source *s, const struct import_options *o, struct run_record *r, struct err *e)
{
	struct line l = {0};
	struct columns c = {0};
	run_start(r, s, "CSV", o);
	/* A byte-order mark, as Windows programs write it. */
	if (s->size >= 3 && memcmp(s->data, "\xef\xbb\xbf", 3) == 0)
		l.next = 3;
	if (!source_line(s, &l))
		return err_set(e, EXIT_USAGE, "cannot import '%s': it is empty", s->path);
	if (find_columns(s, l.text, o, &c, e) != 0)
		return -1;
	struct row *rows = NULL;
	size_t n = 0;
	struct piece_list pieces = {0};
	nsec interval = 0;
	int rc = read_rows(s, &l, &c, &rows, &n, e);
	run_note_broken(r, s);
	if (rc == 0 && n == 0)
		rc = err_set(e, EXIT_USAGE, "cannot import '%s': there is no row below the header", s->path);
	if (rc == 0) {
		struct phase_record *p = xmalloc(sizeof *p);
		*p = phase_unknown();
		make_pieces(rows, n, &c, r, &pieces, &interval);
		rc = phase_from_pieces(p, &pieces, interval, s, e);
		take_extras(p, rows, n);
		run_add_test(r, p, 1, false);
	}
	piece_list_free(&pieces);
	free(rows);
	return rc;
}
