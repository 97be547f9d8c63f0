// SPDX-License-Identifier: MIT
/* csv:FILE[,offset=SECONDS][,time=COLUMN][,power=COLUMN][,unit=W|mW|uW]: a log that another instrument writes beside
 * the run.
 *
 * Separated by commas, semicolons or tabs; `#` begins a comment. The first line may name the columns: then `time`
 * (or a name that begins with time, seconds, elapsed or timestamp) and `power` (power, watts, or a voltage and a
 * current) are found by name, a unit in the name ("power (mW)", "time_ms") counts. Without names the first column is
 * the time in seconds, the second the power in watts. Times are seconds from some zero, or seconds since 1970 (from
 * 10^9 on), or ISO 8601 in UTC. `offset` is added to them; where they do not say when, their zero is taken as the start
 * of the run. */
#include "base/mem.h"
#include "meter/source.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#define MAX_COLUMNS 64
/* How far the clocks may be apart: unknown zero; clocks set by NTP or by hand; an offset that the user found. */
#define RANGE_RELATIVE (60 * NSEC_PER_SEC)
#define RANGE_ABSOLUTE (10 * NSEC_PER_SEC)
#define RANGE_FIXED (5 * NSEC_PER_SEC)

/* Thirty years: what is further away is no time, and sums of what is nearer fit into 63 bits of ns. */
#define MAX_SECONDS 1e9

struct source {
	char *file, *time_name, *power_name;
	double offset; /* seconds */
	bool fixed;
	double power_unit; /* watts per unit of the log; 0 = what its name says */
};

/* Where things are in a row. */
struct columns {
	int time, power, volts, amperes; /* -1 = not there */
	double time_unit, power_unit, volts_unit, amperes_unit;
};

/* Cuts a line at its separators; returns the number of fields, trimmed of space and quotes. */
static int split(char *line, char separator, char **field)
{
	int n = 0;
	while (line && n < MAX_COLUMNS) {
		char *next = strchr(line, separator);
		if (next)
			*next++ = 0;
		while (isspace((unsigned char)*line) || *line == '"')
			line++;
		for (char *end = line + strlen(line);
			end > line && (isspace((unsigned char)end[-1]) || end[-1] == '"');)
			*--end = 0;
		field[n++] = line;
		line = next;
	}
	return n;
}

static bool begins(const char *name, const char *word)
{
	return !strncasecmp(name, word, strlen(word));
}

/* The factor that a unit within a column's name stands for: "power (mW)", "time_ms". */
static double unit_of(const char *name, const char *unit)
{
	static const struct {
		char prefix;
		double factor;
	} prefixes[] = {{'m', 1e-3}, {'u', 1e-6}, {'n', 1e-9}};
	size_t n = strlen(name);
	while (n && !isalnum((unsigned char)name[n - 1]))
		n--;
	size_t u = strlen(unit);
	if (n < u + 2 || strncasecmp(name + n - u, unit, u))
		return 1;
	/* "power_mW": the prefix is a letter of its own, not the end of a word */
	if (isalpha((unsigned char)name[n - u - 2]))
		return 1;
	for (size_t i = 0; i < ARRAY_SIZE(prefixes); i++)
		if (name[n - u - 1] == prefixes[i].prefix)
			return prefixes[i].factor;
	return 1;
}

static void find_columns(const struct source *s, char **field, int n, struct columns *c)
{
	*c = (struct columns){-1, -1, -1, -1, 1, 1, 1, 1};
	for (int i = 0; i < n; i++) {
		const char *f = field[i];
		if (s->time_name ? !strcmp(f, s->time_name)
				 : c->time < 0 && (begins(f, "time") || begins(f, "second") || begins(f, "elapsed"))) {
			c->time = i;
			c->time_unit = unit_of(f, "s");
		} else if (s->power_name ? !strcmp(f, s->power_name)
					 : c->power < 0 && (begins(f, "power") || begins(f, "watt"))) {
			c->power = i;
			c->power_unit = unit_of(f, "W");
		} else if (c->volts < 0 && begins(f, "volt")) {
			c->volts = i;
			c->volts_unit = unit_of(f, "V");
		} else if (c->amperes < 0 && (begins(f, "current") || begins(f, "amp"))) {
			c->amperes = i;
			c->amperes_unit = unit_of(f, "A");
		}
	}
	if (s->power_unit)
		c->power_unit = s->power_unit;
}

/* Seconds, or the wall time of "2026-11-30T12:00:00.25Z". */
static int read_time(const char *text, double *seconds)
{
	char *end;
	*seconds = strtod(text, &end);
	if (end != text && !*end && isfinite(*seconds))
		return 0;
	struct tm tm = {0};
	end = strptime(text, "%Y-%m-%dT%H:%M:%S", &tm);
	if (!end)
		end = strptime(text, "%Y-%m-%d %H:%M:%S", &tm);
	if (!end)
		return -1;
	double fraction = 0;
	if (*end == '.')
		fraction = strtod(end, &end);
	if (strcmp(end, "Z") && *end)
		return -1;
	*seconds = (double)timegm(&tm) + fraction;
	return 0;
}

static int read_number(const char *text, double *value)
{
	char *end;
	*value = strtod(text, &end);
	return end == text || *end || !isfinite(*value) ? -1 : 0;
}

/* One row. 0; 1 if it has no reading (an empty field); -1 with *err. */
static int read_row(const struct source *s, const struct columns *c, char **field, int n, int line, double *t,
	double *w, struct err *err)
{
	int last = c->time > c->power ? c->time : c->power;
	last = c->power < 0 && c->volts > last ? c->volts : last;
	last = c->power < 0 && c->amperes > last ? c->amperes : last;
	if (n <= last)
		return err_set(err, EXIT_USAGE, "%s:%d: %d columns where %d are needed", s->file, line, n, last + 1);
	if (read_time(field[c->time], t))
		return err_set(err, EXIT_USAGE, "%s:%d: '%s' is not a time", s->file, line, field[c->time]);
	if (c->power >= 0) {
		if (!*field[c->power])
			return 1;
		if (read_number(field[c->power], w))
			return err_set(err, EXIT_USAGE, "%s:%d: '%s' is not a power", s->file, line, field[c->power]);
		*w *= c->power_unit;
		return 0;
	}
	double v, a;
	if (read_number(field[c->volts], &v) || read_number(field[c->amperes], &a))
		return err_set(err, EXIT_USAGE, "%s:%d: '%s' and '%s' are not a voltage and a current", s->file, line,
			field[c->volts], field[c->amperes]);
	*w = v * c->volts_unit * a * c->amperes_unit;
	return 0;
}

/* Whether a line of the log holds something. */
static bool has_content(const char *text)
{
	return text[strspn(text, " \t\r\n")] != 0 && text[0] != '#';
}

static char separator_of(const char *text)
{
	return strchr(text, ';') ? ';' : strchr(text, '\t') ? '\t' : ',';
}

/* What the first line with content says of the columns. 1 if it names them, 0 if it is a row already, -1 with *err. */
static int read_columns(const struct source *s, char **field, int n, int line, struct columns *c, struct err *err)
{
	double t;
	*c = (struct columns){0, 1, -1, -1, 1, s->power_unit ? s->power_unit : 1, 1, 1};
	if (!read_time(field[0], &t))
		return 0;
	find_columns(s, field, n, c);
	if (c->time >= 0 && (c->power >= 0 || (c->volts >= 0 && c->amperes >= 0)))
		return 1;
	return err_set(err, EXIT_USAGE, "%s:%d: no column '%s'; say which with time=NAME or power=NAME", s->file, line,
		c->time < 0 ? (s->time_name ? s->time_name : "time") : (s->power_name ? s->power_name : "power"));
}

/* The log's first whole line with content, if it is there already: a log that cannot be read should not cost a run. */
static int check_head(const struct source *s, FILE *f, struct err *err)
{
	struct columns c;
	char *text = NULL, *field[MAX_COLUMNS];
	size_t room = 0;
	double t, w;
	int line = 0, r = 0;
	while (getline(&text, &room, f) >= 0) {
		line++;
		if (!has_content(text))
			continue;
		if (strchr(text, '\n')) {
			int n = split(text, separator_of(text), field);
			r = read_columns(s, field, n, line, &c, err);
			r = r ? r : read_row(s, &c, field, n, line, &t, &w, err);
		}
		break;
	}
	free(text);
	return r < 0 ? -1 : 0;
}

static int load_lines(struct source *s, FILE *f, struct series *out, nsec started, nsec *range, struct err *err)
{
	struct columns c;
	char *text = NULL, *field[MAX_COLUMNS], separator = 0;
	size_t room = 0;
	int line = 0, r = 0;
	double before = -INFINITY;
	/* Wall time to monotonic: as far apart as they are now. */
	double wall = nsec_to_s(nsec_wall() - nsec_now());
	for (bool first = true; !r && getline(&text, &room, f) >= 0;) {
		line++;
		if (!has_content(text))
			continue;
		if (!separator)
			separator = separator_of(text);
		double t, w = NAN;
		int n = split(text, separator, field);
		if (first) {
			first = false;
			r = read_columns(s, field, n, line, &c, err);
			if (r) {
				r = r > 0 ? 0 : r;
				continue;
			}
		}
		r = read_row(s, &c, field, n, line, &t, &w, err);
		if (r) {
			r = r > 0 ? 0 : r;
			continue;
		}
		bool absolute = t >= 1e9;
		t *= absolute ? 1 : c.time_unit;
		if (t <= before) {
			r = err_set(err, EXIT_USAGE, "%s:%d: time goes back, from %.6f to %.6f s", s->file, line,
				before, t);
			continue;
		}
		before = t;
		*range = s->fixed ? RANGE_FIXED : absolute ? RANGE_ABSOLUTE : RANGE_RELATIVE;
		double host = t + s->offset - (absolute ? wall : -nsec_to_s(started));
		if (fabs(host) > MAX_SECONDS) {
			r = err_set(err, EXIT_USAGE, "%s:%d: %.6g s is no time of this run; is it in another unit?",
				s->file, line, t);
			continue;
		}
		series_add(out, &(struct meter_sample){.at = (nsec)llround(host * 1e9), .watts = w});
	}
	free(text);
	if (!r && out->count < 2)
		r = err_set(err, EXIT_USAGE, "%s: %zu readings; a log needs at least two", s->file, out->count);
	return r;
}

static int csv_open(struct source **out, const char *spec, struct meter_info *info, struct err *err)
{
	struct source *s = xcalloc(1, sizeof *s);
	char *copy = xstrdup(spec), *rest = strchr(copy, ','), *name, *value, *end;
	int r;
	if (rest)
		*rest++ = 0;
	s->file = xstrdup(copy);
	while ((r = source_option(&rest, &name, &value, err)) > 0) {
		if (!strcmp(name, "offset")) {
			s->offset = strtod(value, &end);
			s->fixed = true;
			if (!*value || *end || !isfinite(s->offset)) {
				r = err_set(err, EXIT_USAGE, "csv: offset=%s is not a number of seconds", value);
				break;
			}
		} else if (!strcmp(name, "time")) {
			free(s->time_name);
			s->time_name = xstrdup(value);
		} else if (!strcmp(name, "power")) {
			free(s->power_name);
			s->power_name = xstrdup(value);
		} else if (!strcmp(name, "unit")) {
			s->power_unit = !strcmp(value, "W")    ? 1
					: !strcmp(value, "mW") ? 1e-3
					: !strcmp(value, "uW") ? 1e-6
							       : 0;
			if (!s->power_unit) {
				r = err_set(err, EXIT_USAGE, "csv: unit=%s: give W, mW or uW", value);
				break;
			}
		} else {
			r = err_set(
				err, EXIT_USAGE, "csv: no option '%s': there are offset, time, power and unit", name);
			break;
		}
	}
	if (!r && !*s->file)
		r = err_set(err, EXIT_USAGE, "csv: no file: say csv:FILE");
	/* The instrument may not have begun to write, but a misspelt name should not cost a whole run. */
	FILE *f = r ? NULL : fopen(s->file, "r");
	if (!r && !f)
		r = err_set(err, errno == EACCES ? EXIT_NOT_PERMITTED : EXIT_USAGE,
			"csv: cannot open '%s': %s; let the instrument begin its log before the run", s->file,
			strerror(errno));
	if (f) {
		r = check_head(s, f, err);
		fclose(f);
	}
	free(copy);
	if (r) {
		free(s->file), free(s->time_name), free(s->power_name), free(s);
		return -1;
	}
	snprintf(info->instrument, sizeof info->instrument, "log %s", s->file);
	*out = s;
	return 0;
}

static int csv_load(struct source *s, struct series *out, nsec started, nsec *range, bool *fixed, struct err *err)
{
	FILE *f = fopen(s->file, "r");
	if (!f)
		return err_set(err, exit_code_of_errno(errno), "cannot open '%s': %s", s->file, strerror(errno));
	int r = load_lines(s, f, out, started, range, err);
	fclose(f);
	series_settle(out);
	*fixed = s->fixed;
	return r;
}

static void csv_close(struct source *s)
{
	free(s->file);
	free(s->time_name);
	free(s->power_name);
	free(s);
}

const struct source_ops source_csv = {.scheme = "csv:", .open = csv_open, .load = csv_load, .close = csv_close};
