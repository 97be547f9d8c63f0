// SPDX-License-Identifier: MIT
#include "import/fio.h"

#include "base/mem.h"
#include "base/units.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- reading values; what is missing is absent, never 0 */

static double number_of(const json_t *object, const char *key)
{
	const json_t *v = json_object_get(object, key);
	return json_is_number(v) ? json_number_value(v) : NAN;
}

const char *fio_option(const struct fio_job *j, const char *name)
{
	return json_string_value(json_object_get(j->options, name));
}

/* A size option: "128k", "4096"; of "4k,8k" (reads, writes) the first; a range has no size. 0 = not known. */
static uint64_t size_option(const struct fio_job *j, const char *name)
{
	const char *text = fio_option(j, name);
	char one[32];
	uint64_t bytes;
	if (!text)
		return 0;
	snprintf(one, sizeof one, "%.*s", (int)strcspn(text, ","), text);
	return units_parse_bytes(one, &bytes) == 0 ? bytes : 0;
}

/* "fio-3.42", "fio-2.1.11-5-g1e5d" -> major * 1000 + minor; 0 = not known. */
static int version_number(const char *version)
{
	int major, minor;
	return sscanf(version, "fio-%d.%d", &major, &minor) == 2 && major < 1000 && minor < 1000 && major >= 0 &&
			       minor >= 0
		       ? major * 1000 + minor
		       : 0;
}

/* ---- latencies */

static void scale_end(struct hist *h, const json_t *lat, double unit)
{
	double mean = number_of(lat, "mean") * unit, min = number_of(lat, "min") * unit,
	       max = number_of(lat, "max") * unit;
	if (mean >= 0 && mean * (double)h->count < 0x1p63)
		h->sum = (uint64_t)(mean * (double)h->count);
	if (min >= 0 && min < 0x1p62)
		h->min = (uint64_t)min;
	if (max >= (double)h->min && max < 0x1p62)
		h->max = (uint64_t)max;
}

/* JSON+: counts by duration. Before 2.20 keyed by bin number, with FIO_IO_U_PLAT_* beside them: not read. */
static struct hist *hist_of_bins(const json_t *lat, double unit)
{
	json_t *bins = json_object_get(lat, "bins");
	const char *key;
	json_t *value;
	if (!bins || json_object_get(bins, "FIO_IO_U_PLAT_BITS"))
		return NULL;
	struct hist *h = xcalloc(1, sizeof *h);
	json_object_foreach(bins, key, value)
	{
		double v;
		json_int_t n = json_integer_value(value);
		if (parse_number(key, &v) == 0 && v >= 0 && v * unit < 0x1p62 && n > 0 && n < (json_int_t)1 << 48)
			hist_add_many(h, (uint64_t)(v * unit), (uint64_t)n);
	}
	if (h->count) {
		scale_end(h, lat, unit);
		return h;
	}
	free(h);
	return NULL;
}

struct point {
	double share, ns;
};

static int compare_points(const void *a, const void *b)
{
	double x = ((const struct point *)a)->share, y = ((const struct point *)b)->share;
	return (x > y) - (x < y);
}

/* A histogram with just the percentiles that fio printed: all I/Os between two of them are given the larger one. */
static struct hist *hist_of_percentiles(const json_t *lat, double ios, double unit)
{
	json_t *table = json_object_get(lat, "percentile");
	struct point points[64];
	size_t n = 0;
	const char *key;
	json_t *value;
	json_object_foreach(table, key, value)
	{
		double share;
		/* Unused slots are "0.00", several times over (fio before 3.4). */
		if (n < ARRAY_SIZE(points) && parse_number(key, &share) == 0 && share > 0 && share <= 100 &&
			json_is_number(value) && json_number_value(value) >= 0 &&
			json_number_value(value) * unit < 0x1p62)
			points[n++] = (struct point){share / 100, json_number_value(value) * unit};
	}
	if (!n || !(ios >= 1) || ios > 0x1p48)
		return NULL;
	qsort(points, n, sizeof *points, compare_points);
	struct hist *h = xcalloc(1, sizeof *h);
	for (size_t i = 0; i < n; i++) {
		double upto = ceil(points[i].share * ios);
		if (upto > (double)h->count)
			hist_add_many(h, (uint64_t)points[i].ns, (uint64_t)upto - h->count);
	}
	double max = number_of(lat, "max") * unit;
	if (max >= 0 && max < 0x1p62 && (double)h->count < ios)
		hist_add_many(h, (uint64_t)max, (uint64_t)ios - h->count);
	if (h->count) {
		scale_end(h, lat, unit);
		return h;
	}
	free(h);
	return NULL;
}

/* The latency of whole I/Os where fio kept its distribution, else that of their completion. */
static struct hist *read_latency(const json_t *direction, double ios, bool *only_percentiles)
{
	static const struct {
		const char *key;
		double unit;
	} kinds[] = {{"lat_ns", 1}, {"clat_ns", 1}, {"lat", 1e3}, {"clat", 1e3}};
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		struct hist *h = hist_of_bins(json_object_get(direction, kinds[i].key), kinds[i].unit);
		if (h)
			return h;
	}
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		struct hist *h = hist_of_percentiles(json_object_get(direction, kinds[i].key), ios, kinds[i].unit);
		if (h) {
			*only_percentiles = true;
			return h;
		}
	}
	return NULL;
}

/* ---- jobs */

static void read_direction(const json_t *job, const char *key, int version, struct fio_job *j, struct fio_direction *d)
{
	const json_t *o = json_object_get(job, key);
	double bytes = number_of(o, "io_bytes"), runtime = number_of(o, "runtime"), ios = number_of(o, "total_ios");
	/* io_bytes was KiB until 2.20; 2.21 made it bytes and put io_kbytes beside it. */
	if (version ? version < 2021 : !json_object_get(o, "io_kbytes"))
		bytes *= 1024;
	if (isnan(ios)) /* told since 2.1.14 */
		ios = round(number_of(o, "iops") * runtime / 1000);
	d->bytes = bytes >= 0 && bytes < 0x1p62 ? bytes : 0;
	d->ios = ios >= 0 && ios < 0x1p62 ? ios : 0;
	d->runtime_ms = runtime >= 0 && runtime < 0x1p40 ? runtime : 0;
	if (d->bytes > 0)
		d->latency = read_latency(o, d->ios, &j->only_percentiles);
}

static void read_options(struct fio_job *j, json_t *global, json_t *own)
{
	j->options = json_object();
	if (json_is_object(global))
		json_object_update(j->options, global);
	if (json_is_object(own))
		json_object_update(j->options, own);
	const char *rw = fio_option(j, "rw");
	if (!rw)
		rw = fio_option(j, "readwrite");
	if (rw)
		strcpy(j->pattern, strncmp(rw, "rand", 4) == 0 ? "random" : "sequential");
	uint64_t block = size_option(j, "bs");
	if (!block)
		block = size_option(j, "blocksize");
	if (!block && !fio_option(j, "bsrange") && !fio_option(j, "bssplit") && !fio_option(j, "bs") &&
		json_object_size(j->options))
		block = 4096; /* fio's default */
	j->block_bytes = block <= UINT32_MAX ? (uint32_t)block : 0;
	int64_t depth = 1, clones = 1;
	const char *text = fio_option(j, "iodepth");
	if (text && (parse_integer(text, &depth) != 0 || depth < 1 || depth > 1 << 20))
		depth = 0;
	/* An engine that has one I/O at a time ignores iodepth. fio's default engine is psync. */
	const char *engine = fio_option(j, "ioengine");
	bool one = engine ? !strcmp(engine, "psync") || !strcmp(engine, "sync") || !strcmp(engine, "pvsync") ||
				    !strcmp(engine, "pvsync2") || !strcmp(engine, "vsync") || !strcmp(engine, "mmap")
			  : json_object_size(j->options) > 0;
	if (one)
		depth = 1;
	text = fio_option(j, "numjobs");
	/* With group_reporting one object stands for all clones; else each has its own. */
	if (text && fio_option(j, "group_reporting") &&
		(parse_integer(text, &clones) != 0 || clones < 1 || clones > 1 << 16))
		clones = 1;
	/* "100%" is of a file or drive whose size the JSON does not know. */
	j->span_bytes = size_option(j, "size");
	bool known = json_object_size(j->options) > 0;
	j->clones = (uint32_t)clones;
	j->depth = known ? (uint32_t)(depth * clones) : 0;
}

/* Clones go over the same span, unless they are told apart: by files that fio names itself, or by their offset. */
uint64_t fio_span_of(const struct fio_result *r)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < r->njobs; i++) {
		const struct fio_job *j = &r->jobs[i];
		bool shared = fio_option(j, "filename") && !fio_option(j, "offset_increment");
		uint64_t span =
			j->span_bytes <= UINT64_MAX / 4 / j->clones ? j->span_bytes * (shared ? 1 : j->clones) : 0;
		if (!span || sum > UINT64_MAX / 2)
			return 0;
		sum += span;
	}
	return sum;
}

static void job_free(struct fio_job *j)
{
	json_decref(j->options);
	for (int i = 0; i < 2; i++)
		free(j->direction[i].latency);
}

/* Adds a clone to the job that it is one of. */
static void join_job(struct fio_job *to, struct fio_job *from)
{
	to->depth += from->depth;
	to->clones += from->clones;
	to->error = to->error ? to->error : from->error;
	to->only_percentiles |= from->only_percentiles;
	to->trims |= from->trims;
	for (int i = 0; i < 2; i++) {
		struct fio_direction *a = &to->direction[i], *b = &from->direction[i];
		a->bytes += b->bytes;
		a->ios += b->ios;
		a->runtime_ms = b->runtime_ms > a->runtime_ms ? b->runtime_ms : a->runtime_ms;
		if (a->latency && b->latency) {
			hist_merge(a->latency, b->latency);
		} else if (!a->latency) {
			a->latency = b->latency;
			b->latency = NULL;
		}
	}
	job_free(from);
}

static void read_result(const struct source *s, json_t *root, struct fio_result *r)
{
	const char *version = json_string_value(json_object_get(root, "fio version"));
	*r = (struct fio_result){.source = s};
	snprintf(r->version, sizeof r->version, "%s", version ? version : "");
	double stamp = number_of(root, "timestamp_ms");
	if (isnan(stamp))
		stamp = number_of(root, "timestamp") * 1000;
	r->ended_ms = stamp > 0 && stamp < 0x1p52 ? (int64_t)stamp : 0;
	json_t *jobs = json_object_get(root, "jobs");
	if (!json_array_size(jobs)) /* client/server mode */
		jobs = json_object_get(root, "client_stats");
	size_t n = json_array_size(jobs);
	r->jobs = xcalloc(n ? n : 1, sizeof *r->jobs);
	for (size_t i = 0; i < n; i++) {
		json_t *job = json_array_get(jobs, i);
		const char *name = json_string_value(json_object_get(job, "jobname"));
		/* The sum of all clients stands beside its parts. */
		if (!json_is_object(job) || (name && strcmp(name, "All clients") == 0))
			continue;
		struct fio_job *j = &r->jobs[r->njobs++];
		snprintf(j->name, sizeof j->name, "%s", name ? name : "");
		j->group = json_integer_value(json_object_get(job, "groupid"));
		j->error = json_integer_value(json_object_get(job, "error"));
		j->trims = number_of(json_object_get(job, "trim"), "io_bytes") > 0;
		read_options(j, json_object_get(root, "global options"), json_object_get(job, "job options"));
		int v = version_number(r->version);
		read_direction(job, "read", v, j, &j->direction[0]);
		read_direction(job, "write", v, j, &j->direction[1]);
		struct fio_job *before = r->njobs > 1 ? &r->jobs[r->njobs - 2] : NULL;
		if (before && strcmp(before->name, j->name) == 0 && before->group == j->group) {
			join_job(before, j);
			*j = (struct fio_job){0};
			r->njobs--;
		}
	}
}

void fio_result_free(struct fio_result *r)
{
	for (size_t i = 0; i < r->njobs; i++)
		job_free(&r->jobs[i]);
	free(r->jobs);
	free(r->snapshots);
	*r = (struct fio_result){0};
}

/* ---- several objects in one file */

static struct fio_snapshot snapshot_of(const struct fio_result *r)
{
	struct fio_snapshot s = {0};
	for (size_t i = 0; i < r->njobs; i++) {
		for (int k = 0; k < 2; k++) {
			const struct fio_direction *d = &r->jobs[i].direction[k];
			s.bytes[k] += d->bytes;
			s.ios[k] += d->ios;
			s.runtime_ms = d->runtime_ms > s.runtime_ms ? d->runtime_ms : s.runtime_ms;
		}
	}
	return s;
}

/* Whether `b` is a later state of the run `a`: the same jobs, further on (--status-interval). */
static bool goes_on(const struct fio_result *a, const struct fio_result *b)
{
	if (a->njobs != b->njobs || !a->njobs || strcmp(a->version, b->version) != 0)
		return false;
	for (size_t i = 0; i < a->njobs; i++)
		if (strcmp(a->jobs[i].name, b->jobs[i].name) != 0 || a->jobs[i].group != b->jobs[i].group ||
			!json_equal(a->jobs[i].options, b->jobs[i].options))
			return false;
	struct fio_snapshot x = snapshot_of(a), y = snapshot_of(b);
	/* The time that passed must be about that by which the run has grown: two runs of the same job do not look so.
	 */
	double passed = (double)(b->ended_ms - a->ended_ms), grown = y.runtime_ms - x.runtime_ms;
	return y.bytes[0] >= x.bytes[0] && y.bytes[1] >= x.bytes[1] && grown >= 0 && a->ended_ms &&
	       fabs(passed - grown) < 1500;
}

static void add_result(struct fio_result **results, size_t first, size_t *n, struct fio_result *r)
{
	struct fio_result *last = *n > first ? &(*results)[*n - 1] : NULL;
	if (last && goes_on(last, r)) {
		if (!last->nsnapshots) {
			GROW(last->snapshots, last->nsnapshots, last->capsnapshots);
			last->snapshots[last->nsnapshots++] = snapshot_of(last);
		}
		r->snapshots = last->snapshots;
		r->nsnapshots = last->nsnapshots;
		r->capsnapshots = last->capsnapshots;
		last->snapshots = NULL;
		fio_result_free(last);
		GROW(r->snapshots, r->nsnapshots, r->capsnapshots);
		r->snapshots[r->nsnapshots++] = snapshot_of(r);
		*last = *r;
		return;
	}
	*results = xrealloc(*results, (*n + 1) * sizeof **results);
	(*results)[(*n)++] = *r;
}

/* fio prints what printf makes of a figure that is none: nan, -nan, inf. JSON has no such thing: they become null. */
static void blank_nan(char *text, size_t n)
{
	bool quoted = false;
	for (size_t i = 0; i < n; i++) {
		if (text[i] == '"' && (i == 0 || text[i - 1] != '\\'))
			quoted = !quoted;
		if (quoted || i + 3 > n || (memcmp(text + i, "nan", 3) != 0 && memcmp(text + i, "inf", 3) != 0))
			continue;
		if (i > 0 && text[i - 1] == '-')
			memcpy(text + i - 1, "null", 4);
		else if (i > 0 && text[i - 1] == ' ')
			memcpy(text + i - 1, "null", 4);
	}
}

/* The next "{" at the start of a line, from `at`. */
static size_t next_object(const char *text, size_t n, size_t at)
{
	for (; at < n; at++)
		if (text[at] == '{' && (at == 0 || text[at - 1] == '\n'))
			break;
	return at;
}

static size_t line_of(const char *text, size_t at)
{
	size_t line = 1;
	for (size_t i = 0; i < at; i++)
		line += text[i] == '\n';
	return line;
}

int fio_json_read(const struct source *s, struct fio_result **results, size_t *n, struct err *e)
{
	char *text = xmalloc(s->size + 1);
	memcpy(text, s->data, s->size + 1);
	blank_nan(text, s->size);
	size_t first = *n, at = next_object(text, s->size, 0);
	if (at == s->size && s->size) /* no line begins with one: take any */
		for (at = 0; at < s->size && text[at] != '{'; at++)
			;
	int rc = 0;
	while (rc == 0 && at < s->size) {
		json_error_t bad;
		json_t *root = json_loadb(text + at, s->size - at, JSON_DISABLE_EOF_CHECK, &bad);
		if (!root) {
			one_line(bad.text); /* it quotes what it met */
			rc = err_set(e, EXIT_USAGE, "%s:%zu: not the JSON of fio: %s", s->path,
				line_of(text, at) + (size_t)(bad.line > 0 ? bad.line - 1 : 0), bad.text);
			break;
		}
		if (json_object_get(root, "jobs") || json_object_get(root, "client_stats")) {
			struct fio_result r;
			read_result(s, root, &r);
			if (r.njobs)
				add_result(results, first, n, &r);
			else
				fio_result_free(&r);
		}
		json_decref(root);
		at = next_object(text, s->size, at + (bad.position > 0 ? (size_t)bad.position : 1));
	}
	free(text);
	if (rc == 0 && *n == first)
		rc = err_set(e, EXIT_USAGE, "cannot import '%s': JSON, but without the jobs of fio", s->path);
	return rc;
}
