// SPDX-License-Identifier: MIT
#include "import/fio.h"

#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Columns that matter: time, value, and what may be the direction, the block size and the offset, one place later where
 * a second value (log_window_value=both, fio 3.37) stands before them. */
#define MOST_COLUMNS 8
#define KEPT 6
/* fio's histograms: groups of 64 bins; 29 groups of ns since 2.99, before that 19 groups of us. */
#define BINS_PER_GROUP 64
#define BINS_NS ((size_t)29 * BINS_PER_GROUP)
#define BINS_US ((size_t)19 * BINS_PER_GROUP)
#define LARGEST_MS (INT64_MAX / NSEC_PER_MSEC / 4)

static const struct {
	const char *suffix;
	enum fio_log_kind kind;
} suffixes[] = {{"_bw", LOG_BW}, {"_iops", LOG_IOPS}, {"_lat", LOG_LAT}, {"_clat", LOG_CLAT}, {"_slat", LOG_SLAT},
	{"_clat_hist", LOG_HIST}};

/* Where in `name` the suffix stands ("X_bw.1.log", "X_bw.log.host"); NULL = nowhere. */
static const char *find_suffix(const char *name, enum fio_log_kind *kind)
{
	const char *best = NULL;
	for (size_t i = 0; i < ARRAY_SIZE(suffixes); i++) {
		size_t n = strlen(suffixes[i].suffix);
		for (const char *p = name; (p = strstr(p, suffixes[i].suffix)); p++) {
			if (p[n] != '.' || (best && p < best))
				continue;
			best = p;
			*kind = suffixes[i].kind;
		}
	}
	return best;
}

enum fio_log_kind fio_log_kind_of_name(const char *name)
{
	enum fio_log_kind kind = LOG_UNKNOWN;
	find_suffix(name, &kind);
	return kind;
}

static void read_name(struct fio_log *l, const struct source *s, const char *unit)
{
	const char *suffix = find_suffix(s->name, &l->kind);
	l->prefix = suffix ? strndup(s->path, (size_t)(suffix - s->path)) : xstrdup(s->path);
	static const char *const aggregates[] = {"agg-read", "agg-write", "agg-trim"};
	for (size_t i = 0; i < ARRAY_SIZE(aggregates) && suffix; i++) {
		size_t n = strlen(l->prefix), m = strlen(aggregates[i]);
		if (n < m || strcmp(l->prefix + n - m, aggregates[i]) != 0)
			continue;
		l->aggregate = true;
		for (n -= m; n > 0 && strchr("_-.", l->prefix[n - 1]); n--)
			;
		l->prefix[n] = '\0';
	}
	if (unit && !strcmp(unit, "KiB/s"))
		l->kind = LOG_BW;
	else if (unit && !strcmp(unit, "iops"))
		l->kind = LOG_IOPS;
	else if (unit && !strcmp(unit, "ns"))
		l->kind = LOG_LAT;
}

/* ---- histogram logs: time, direction, block size, counts */

/* The value in the middle of bin `index` of fio's log-linear histogram. */
static uint64_t bin_value(unsigned index)
{
	if (index < 2 * BINS_PER_GROUP)
		return index;
	unsigned shift = index / BINS_PER_GROUP - 1;
	uint64_t base = (uint64_t)BINS_PER_GROUP << shift, step = (uint64_t)1 << shift;
	return base + (index % BINS_PER_GROUP) * step + step / 2;
}

/* How many fine bins one of `n` bins stands for (log_hist_coarseness halves their number), and the unit in ns; 0 if fio
 * never writes that many. */
static unsigned bins_per_bin(size_t n, uint64_t *unit)
{
	for (unsigned c = 0; c <= 6; c++) {
		*unit = 1;
		if (n == BINS_NS >> c)
			return 1u << c;
		*unit = 1000;
		if (n == BINS_US >> c)
			return 1u << c;
	}
	return 0;
}

static int read_histogram_rows(struct fio_log *l, struct source *s, struct err *e)
{
	struct line line = {0};
	size_t cap = 0, wanted = 0, max = BINS_NS + 3;
	char **f = xmalloc(max * sizeof *f);
	int rc = 0;
	l->latency = xcalloc(1, sizeof *l->latency);
	while (rc == 0 && source_line(s, &line)) {
		int64_t ms, direction, block, count = 0, all = 0;
		uint64_t unit;
		size_t n = split_fields(line.text, ',', f, max);
		unsigned merged = n > 3 && n <= max ? bins_per_bin(n - 3, &unit) : 0;
		if (!merged || (wanted && n != wanted) || parse_integer(f[0], &ms) != 0 || ms < 0 || ms > LARGEST_MS ||
			parse_integer(f[1], &direction) != 0 || direction < 0 || direction > 2 ||
			parse_integer(f[2], &block) != 0 || block < 0 || block > UINT32_MAX) {
			rc = source_broken(s, line.number, e, "no row of a histogram log: %zu columns", n);
			continue;
		}
		size_t i = 3;
		while (i < n && parse_integer(f[i], &count) == 0 && count >= 0 && count < ((int64_t)1 << 40))
			i++;
		if (i < n) {
			rc = source_broken(s, line.number, e, "'%.40s' is no count", f[i]);
			continue;
		}
		wanted = n;
		for (i = 3; i < n; i++) {
			parse_integer(f[i], &count);
			all += count;
			unsigned bin = (unsigned)(i - 3) * merged;
			uint64_t ns = (bin_value(bin) + bin_value(bin + merged - 1)) / 2 * unit;
			if (direction < 2)
				hist_add_many(l->latency, ns, (uint64_t)count);
		}
		GROW(l->rows, l->n, cap);
		l->rows[l->n++] = (struct fio_row){ms, all, (uint32_t)block, (uint8_t)direction};
	}
	free(f);
	return rc;
}

/* ---- the others */

struct raw_row {
	int64_t field[KEPT];
	size_t line;
};

static bool is_direction(int64_t v)
{
	return v >= 0 && v <= 2;
}

/* With log_window_value=both the mean and the maximum come first, so the direction is one column later. */
static bool fits(const struct raw_row *r, int at)
{
	if (!is_direction(r->field[at]))
		return false;
	return at == 2 || r->field[2] >= r->field[1];
}

static int read_raw(struct fio_log *l, struct source *s, struct raw_row **rows, size_t *n, struct err *e)
{
	struct line line = {0};
	size_t cap = 0;
	int rc = 0;
	while (rc == 0 && source_line(s, &line)) {
		char *f[MOST_COLUMNS];
		struct raw_row r = {.line = line.number};
		size_t count = split_fields(line.text, ',', f, MOST_COLUMNS);
		if (count < 3 || count > MOST_COLUMNS || (l->columns && (int)count != l->columns)) {
			rc = source_broken(s, line.number, e, "%zu columns, where a log of fio has %s", count,
				l->columns ? "the same number in every row" : "3 to 8");
			continue;
		}
		size_t bad = count;
		for (size_t i = 0; i < count; i++) {
			int64_t v;
			if (parse_integer(f[i], &v) != 0 || (i < 2 && v < 0))
				bad = bad < count ? bad : i;
			else if (i < KEPT)
				r.field[i] = v;
		}
		if (bad < count) {
			rc = source_broken(s, line.number, e, "'%.40s' is no number", f[bad]);
			continue;
		}
		if (r.field[0] > LARGEST_MS) {
			rc = source_broken(s, line.number, e, "the time %s ms makes no sense", f[0]);
			continue;
		}
		l->columns = (int)count;
		GROW(*rows, *n, cap);
		(*rows)[(*n)++] = r;
	}
	return rc;
}

/* The span of the offsets in column `at` of the writes of a log with a row per I/O. It is a priority where log_offset
 * was not set: those have 16 bits. */
static uint64_t span_of_offsets(const struct raw_row *raw, size_t n, int at)
{
	int64_t low = INT64_MAX, high = 0, last = 0;
	for (size_t i = 0; i < n; i++) {
		int64_t offset = raw[i].field[at + 2], block = raw[i].field[at + 1];
		if (raw[i].field[at] != 1)
			continue;
		if (block <= 0 || block > UINT32_MAX || offset < 0 || offset % 512 || offset > INT64_MAX / 2)
			return 0;
		low = offset < low ? offset : low;
		high = offset + block > high ? offset + block : high;
		last = offset > last ? offset : last;
	}
	return last > UINT16_MAX ? (uint64_t)(high - low) : 0;
}

static int sort_columns(struct fio_log *l, struct source *s, const struct raw_row *raw, size_t n, struct err *e)
{
	size_t plain = 0, both = 0, cap = 0;
	for (size_t i = 0; i < n; i++) {
		plain += fits(&raw[i], 2);
		both += l->columns >= 6 && fits(&raw[i], 3);
	}
	int at = both > plain ? 3 : 2;
	for (size_t i = 0; i < n; i++) {
		const struct raw_row *r = &raw[i];
		int64_t block = l->columns > at + 1 ? r->field[at + 1] : 0;
		if (!fits(r, at) || block < 0 || block > UINT32_MAX) {
			if (source_broken(s, r->line, e, "%lld is no direction (0 read, 1 write, 2 trim)",
				    (long long)r->field[at]) != 0)
				return -1;
			continue;
		}
		GROW(l->rows, l->n, cap);
		l->rows[l->n++] = (struct fio_row){r->field[0], r->field[1], (uint32_t)block, (uint8_t)r->field[at]};
	}
	l->written_span = l->columns > at + 2 ? span_of_offsets(raw, n, at) : 0;
	return 0;
}

static int compare_steps(const void *a, const void *b)
{
	nsec x = *(const nsec *)a, y = *(const nsec *)b;
	return (x > y) - (x < y);
}

/* The interval of averaged rows from the distances between them. Rows are missing where nothing was done, never too
 * many: so where the distances differ much, the short ones tell, not the typical one. */
static nsec interval_of(nsec *steps, size_t n)
{
	if (n == 0)
		return 0;
	qsort(steps, n, sizeof *steps, compare_steps);
	nsec median = steps[(n - 1) / 2], low = steps[(n - 1) / 10];
	nsec found = median > low + low / 2 ? low : median;
	/* People ask for round intervals, and stamps are a little off: 998 ms are a second. */
	for (nsec unit = 10 * NSEC_PER_MSEC; unit <= 100 * NSEC_PER_SEC; unit *= 10) {
		static const int quarters[] = {4, 8, 10, 20};
		for (size_t i = 0; i < ARRAY_SIZE(quarters); i++) {
			nsec nice = unit * quarters[i] / 4;
			if (found > nice - nice / 50 && found < nice + nice / 50)
				return nice;
		}
	}
	return found;
}

/* Averaged rows of a direction follow one another by an interval. A row at the time of the one before it holds nothing
 * that could be told; a time that goes back begins another job. */
static void check_times(struct fio_log *l)
{
	size_t kept = 0, nsteps = 0;
	int64_t last[3] = {-1, -1, -1};
	nsec *steps = xmalloc((l->n + 1) * sizeof *steps);
	for (size_t i = 0; i < l->n; i++) {
		struct fio_row *r = &l->rows[i];
		int64_t before = last[r->direction];
		if (r->ms == before) {
			l->repeated++;
			continue;
		}
		if (r->ms < before)
			l->restarts++;
		else if (before >= 0 || r->ms < SINCE_1970_MS)
			steps[nsteps++] = (r->ms - (before >= 0 ? before : 0)) * NSEC_PER_MSEC;
		last[r->direction] = r->ms;
		l->rows[kept++] = *r;
	}
	l->n = kept;
	/* The last row may stand for less than an interval. */
	l->interval = interval_of(steps, nsteps > 2 ? nsteps - 1 : nsteps);
	free(steps);
}

int fio_log_read(struct fio_log *l, struct source *s, const char *unit, struct err *e)
{
	*l = (struct fio_log){.source = s};
	read_name(l, s, unit);
	/* A histogram log is told by its many columns as well. */
	const char *end = memchr(s->data, '\n', s->size);
	size_t commas = 0;
	for (const char *p = s->data; p < (end ? end : s->data + s->size); p++)
		commas += *p == ',';
	if (l->kind == LOG_HIST || commas >= 3 + (BINS_US >> 6)) {
		l->kind = LOG_HIST;
		if (read_histogram_rows(l, s, e) != 0)
			return -1;
		check_times(l);
	} else {
		struct raw_row *raw = NULL;
		size_t n = 0;
		int rc = read_raw(l, s, &raw, &n, e);
		if (rc == 0)
			rc = sort_columns(l, s, raw, n, e);
		free(raw);
		if (rc != 0)
			return -1;
		for (size_t i = 0; i < l->n; i++)
			l->per_io |= l->rows[i].block_bytes != 0;
		if (!l->per_io)
			check_times(l);
	}
	/* fio leaves logs empty: of submission latencies where the engine has none, of jobs shorter than the window. */
	if (l->n == 0 && s->lines > 0)
		return err_set(e, EXIT_USAGE, "cannot import '%s': there is no row in it", s->path);
	return 0;
}

void fio_log_free(struct fio_log *l)
{
	free(l->prefix);
	free(l->rows);
	free(l->latency);
	*l = (struct fio_log){0};
}

/* One piece per row, from the row before it or, where that is further away than the interval, of the interval's length:
 * fio divides by the time of its last window, not by the time since the last row. */
static void averaged_pieces(const struct fio_log *l, double unit, uint32_t block_bytes, int64_t zero_ms, nsec interval,
	struct piece_list *pieces)
{
	nsec last[3] = {0, 0, 0};
	for (size_t i = 0; i < l->n; i++) {
		const struct fio_row *r = &l->rows[i];
		nsec end = (r->ms - zero_ms) * NSEC_PER_MSEC, start = last[r->direction];
		if (end < start)
			start = 0; /* another job in the same file */
		if (interval > 0 && !l->aggregate && end - start > interval + interval / 2)
			start = end - interval;
		last[r->direction] = end;
		if (r->direction > 1 || end <= start)
			continue;
		double amount = l->kind == LOG_HIST ? (double)r->value : (double)r->value * (double)(end - start) / 1e9;
		double bytes =
			l->kind == LOG_BW ? amount * unit : amount * (r->block_bytes ? r->block_bytes : block_bytes);
		piece_list_add(
			pieces, (struct piece){start, end, bytes, l->kind == LOG_BW ? 0 : amount, r->direction == 0});
	}
}

/* Rows that are one I/O each, counted into a grid. */
static void per_io_pieces(const struct fio_log *l, int64_t zero_ms, nsec interval, struct piece_list *pieces)
{
	nsec step = interval / NSEC_PER_MSEC;
	for (uint8_t direction = 0; direction < 2; direction++) {
		size_t first = pieces->n;
		int64_t longest = 0, slot = -1;
		for (size_t i = 0; i < l->n; i++) {
			const struct fio_row *r = &l->rows[i];
			int64_t ms = r->ms - zero_ms;
			longest = ms > longest ? ms : longest;
			if (r->direction != direction)
				continue;
			/* A row of t ms was completed within (t-1, t]; clones in one file may go back. */
			int64_t k = ms > 0 ? (ms - 1) / step : 0;
			if (k != slot)
				piece_list_add(
					pieces, (struct piece){k * interval, (k + 1) * interval, 0, 0, direction == 0});
			slot = k;
			pieces->v[pieces->n - 1].bytes += r->block_bytes;
			pieces->v[pieces->n - 1].ios += 1;
		}
		/* The last slot ends with the last I/O. */
		nsec end = (longest > 0 ? longest : 1) * NSEC_PER_MSEC;
		for (size_t i = first; i < pieces->n; i++)
			if (pieces->v[i].end > end && pieces->v[i].start < end)
				pieces->v[i].end = end;
	}
}

bool fio_log_pieces(
	const struct fio_log *l, uint32_t block_bytes, int64_t zero_ms, nsec interval, struct piece_list *pieces)
{
	if (l->kind == LOG_HIST) {
		bool sizes = block_bytes != 0;
		for (size_t i = 0; i < l->n && !sizes; i++)
			sizes = l->rows[i].block_bytes != 0;
		if (sizes)
			averaged_pieces(l, 1, block_bytes, zero_ms, interval, pieces);
		return sizes;
	}
	if (l->per_io) {
		per_io_pieces(l, zero_ms, interval, pieces);
		return true;
	}
	if (l->kind == LOG_BW) {
		averaged_pieces(l, 1024, 0, zero_ms, interval, pieces);
		return true;
	}
	if (l->kind == LOG_IOPS && block_bytes) {
		averaged_pieces(l, 1, block_bytes, zero_ms, interval, pieces);
		return true;
	}
	return false;
}
