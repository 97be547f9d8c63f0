// SPDX-License-Identifier: MIT
/* A run's story in a terminal of 80 columns. */
#include "base/mem.h"
#include "base/units.h"
#include "report/escape.h"
#include "report/sections.h"
#include "report/svg.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define COLUMNS 80

/* Prints `text` from column `indent` on, broken at blanks so that no line is longer than the terminal. Columns are
 * counted as characters. */
static void wrapped(FILE *f, int indent, const char *text)
{
	char *clean = clean_text(text);
	int column = indent;
	fprintf(f, "%*s", indent, "");
	for (char *word = strtok(clean, " "); word; word = strtok(NULL, " ")) {
		int length = 0;
		for (const char *s = word; *s; s++)
			length += ((unsigned char)*s & 0xc0) != 0x80;
		if (column > indent && column + 1 + length > COLUMNS) {
			fprintf(f, "\n%*s", indent, "");
			column = indent;
		}
		if (column > indent) {
			fputc(' ', f);
			column++;
		}
		fputs(word, f);
		column += length;
	}
	fputc('\n', f);
	free(clean);
}

/* "  name            value": names of at most 24 columns. */
static void fact(FILE *f, const char *name, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
static void fact(FILE *f, const char *name, const char *fmt, ...)
{
	va_list ap;
	char *value;
	va_start(ap, fmt);
	if (vasprintf(&value, fmt, ap) < 0)
		value = NULL;
	va_end(ap);
	fprintf(f, "  %-24s", name);
	char *clean = clean_text(value ? value : "");
	fprintf(f, "%s\n", clean);
	free(clean);
	free(value);
}

/* The fill curve in eighths of a character: each column the mean rate of its share of the bytes. */
static void plot(FILE *f, const struct phase_record *p, const struct fill_figures *g)
{
	enum { WIDTH = 66, HEIGHT = 8 };
	static const char *const eighths[] = {" ", "\xe2\x96\x81", "\xe2\x96\x82", "\xe2\x96\x83", "\xe2\x96\x84",
		"\xe2\x96\x85", "\xe2\x96\x86", "\xe2\x96\x87", "\xe2\x96\x88"};
	double bytes[WIDTH] = {0}, seconds[WIDTH] = {0}, at = 0, total = 0, top = 0;
	for (size_t i = 0; i < p->nsamples; i++)
		total += (double)p->samples[i].bytes;
	if (!(total > 0))
		return;
	for (size_t i = 0; i < p->nsamples; i++) {
		const struct sample *s = &p->samples[i];
		double from = at / total * WIDTH, to = (at + (double)s->bytes) / total * WIDTH;
		at += (double)s->bytes;
		for (int c = (int)from; c < WIDTH && (c < to || to == from); c++) {
			double share = to > from ? (fmin(to, c + 1) - fmax(from, c)) / (to - from) : 1;
			bytes[c] += share * (double)s->bytes;
			seconds[c] += share * nsec_to_s(s->length);
			if (to == from)
				break;
		}
	}
	for (int c = 0; c < WIDTH; c++)
		top = fmax(top, seconds[c] > 0 ? bytes[c] / seconds[c] / 1e6 : 0);
	struct ticks y = ticks_linear(0, top, 4);
	char label[NUMBER_BUF];
	fputs("  MB/s\n", f);
	for (int row = HEIGHT - 1; row >= 0; row--) {
		/* A label on the row in which a tick's height lies. */
		const char *text = "";
		for (int i = 0; i < y.n; i++) {
			int height = (int)ceil(axis_place(&y, y.value[i]) * HEIGHT) - 1;
			if (height == row && y.value[i] > 0)
				text = number_text(label, y.value[i], y.decimals);
		}
		fprintf(f, "%8s %s", text, *text ? "\xe2\x94\xa4" : "\xe2\x94\x82");
		for (int c = 0; c < WIDTH; c++) {
			double rate = seconds[c] > 0 ? bytes[c] / seconds[c] / 1e6 : 0;
			int fill = (int)lround((rate / y.hi * HEIGHT - row) * 8);
			fputs(eighths[fill < 0 ? 0 : fill > 8 ? 8 : fill], f);
		}
		fputc('\n', f);
	}
	fprintf(f, "%8s \xe2\x94\x94", "0");
	int edge = g->cache.verdict == CACHE_FOUND ? (int)(g->cache.bytes / total * WIDTH) : -1;
	for (int c = 0; c < WIDTH; c++)
		fputs(c == edge ? "\xe2\x94\xb4" : "\xe2\x94\x80", f);
	char end[UNITS_BUF], cache[UNITS_BUF], line[WIDTH + 1];
	memset(line, ' ', WIDTH);
	line[WIDTH] = 0;
	units_bytes(end, total);
	line[0] = '0';
	memcpy(line + WIDTH - strlen(end), end, strlen(end));
	if (edge >= 0) {
		char *text = xasprintf("cache ends: %s", units_bytes(cache, g->cache.bytes));
		int length = (int)strlen(text), start = edge - length / 2;
		int most = WIDTH - (int)strlen(end) - 2 - length;
		start = start < 3 ? 3 : start > most ? most : start;
		memcpy(line + start, text, (size_t)length);
		free(text);
	}
	fprintf(f, "\n%10s%s\n", "", line);
}

static double longest_stall(const struct fill_figures *g)
{
	double longest = 0;
	for (size_t i = 0; i < g->nstalls; i++)
		longest = fmax(longest, g->stalls[i].end_s - g->stalls[i].start_s);
	return longest;
}

static void show_fill(FILE *f, const struct review_test *t)
{
	const struct review_fill *fill = &t->fill;
	const struct fill_figures *g = &fill->figures;
	const struct cache_figures *c = &g->cache;
	char a[NUMBER_BUF], b[NUMBER_BUF], d[NUMBER_BUF], size[UNITS_BUF], time[UNITS_BUF];
	plot(f, &t->record->phases[0], g);
	fputc('\n', f);
	if (c->verdict == CACHE_FOUND) {
		fact(f, "cache ends after", "%s GB  (%s to %s)", number_text(a, c->bytes / 1e9, 1),
			number_text(b, c->bytes_lo / 1e9, 1), number_text(d, c->bytes_hi / 1e9, 1));
		if (isfinite(fill->share_of_cells))
			fact(f, "share of the cells", "%.1f %%", 100 * fill->share_of_cells);
		fact(f, "speed in the cache", "%s MB/s", number_short(a, c->mbps));
		fact(f, "speed after it", "%s MB/s typical, %s MB/s mean", number_short(a, c->after_mbps),
			number_short(b, c->after_mean_mbps));
	} else {
		fact(f, "pSLC cache", "%s", review_no_cache(fill));
	}
	fact(f, "whole fill", "%s MB/s, %s in %s", number_short(a, g->mean_mbps), units_bytes(size, g->bytes),
		units_duration(time, nsec_of_s(fill->seconds)));
	fact(f, "slowest, fastest sample", "%s, %s MB/s", number_short(a, g->min_mbps), number_short(b, g->max_mbps));
	if (isfinite(fill->flush_s))
		fact(f, "flush at the end", "%s", units_duration(time, nsec_of_s(fill->flush_s)));
	if (isfinite(fill->power.power_w))
		fact(f, "power", "%.2f W, %.2f J/GB, %s MB/s per W", fill->power.power_w, fill->j_per_gb,
			number_short(a, fill->power.mbps_per_w));
	if (isfinite(fill->waf))
		fact(f, "written to flash", "%.2f times what the host wrote", fill->waf);
	if (g->nstalls)
		fact(f, "stalls", "%zu, the longest %s", g->nstalls, units_duration(time, nsec_of_s(longest_stall(g))));
	if (fill->nthrottled)
		fact(f, "throttled", "%zu time%s, as the drive reported", fill->nthrottled,
			fill->nthrottled == 1 ? "" : "s");
	if (g->nstages < 2)
		return;
	fprintf(f, "\n  %-24s%10s%24s%10s\n", "stage, GB", "MB/s", "95 % interval", "median");
	for (size_t i = 0; i < g->nstages; i++) {
		const struct stage *s = &g->stages[i];
		char *range = xasprintf(
			"%s to %s", number_text(a, s->start_bytes / 1e9, 1), number_text(b, s->end_bytes / 1e9, 1));
		char *interval =
			isfinite(s->mbps_lo) && isfinite(s->mbps_hi)
				? xasprintf("%s to %s", number_short(a, s->mbps_lo), number_short(b, s->mbps_hi))
				: xstrdup("too few samples");
		fprintf(f, "  %-24s%10s%24s%10s\n", range, number_short(a, s->mbps), interval,
			number_short(b, s->median_mbps));
		free(range);
		free(interval);
	}
}

/* A number right-aligned in `width` columns; what was not measured is a dash. */
static void column(FILE *f, int width, double v)
{
	char buf[NUMBER_BUF];
	fprintf(f, "%*s", width, isfinite(v) ? number_short(buf, v) : "-");
}

static void whole_column(FILE *f, int width, double v)
{
	char buf[NUMBER_BUF];
	fprintf(f, "%*s", width, isfinite(v) ? number_text(buf, v, 0) : "-");
}

static void show_burst(FILE *f, const struct review_burst *b)
{
	char a[NUMBER_BUF], c[NUMBER_BUF], d[NUMBER_BUF];
	fact(f, "speed", "%s MB/s over %zu bursts (their mean: %s MB/s)", number_short(a, b->mbps), b->nbursts,
		number_short(c, b->mean_of_bursts_mbps));
	fact(f, "I/Os per second", "%s", number_text(a, b->iops, 0));
	if (b->latency.ios)
		fact(f, "latency", "median %s \xc2\xb5s, 99 %% %s \xc2\xb5s, max %s \xc2\xb5s",
			isfinite(b->latency.p50_us) ? number_short(a, b->latency.p50_us) : "-",
			isfinite(b->latency.p99_us) ? number_short(c, b->latency.p99_us) : "-",
			number_short(d, b->latency.max_us));
	if (isfinite(b->power.power_w))
		fact(f, "power", "%.2f W busy, %.2f W over all, %s MB/s per W", b->power.power_w, b->mean_power_w,
			number_short(a, b->power.mbps_per_w));
	if (isfinite(b->duty))
		fact(f, "busy", "%.1f %% of the time", 100 * b->duty);
}

static void show_sweep(FILE *f, const struct review_sweep *s)
{
	fprintf(f, "  %4s%12s%12s%8s%10s%12s%12s\n", "QD", "MB/s", "IOPS", "W", "MB/s/W", "median \xc2\xb5s",
		"99 % \xc2\xb5s");
	for (size_t i = 0; i < s->npoints; i++) {
		const struct review_sweep_point *p = &s->points[i];
		whole_column(f, 6, p->qd);
		column(f, 12, p->mbps);
		column(f, 12, p->iops);
		column(f, 8, p->power.power_w);
		column(f, 10, p->power.mbps_per_w);
		column(f, 11, p->latency.p50_us);
		column(f, 11, p->latency.p99_us);
		fputc('\n', f);
	}
	char a[NUMBER_BUF], b[NUMBER_BUF];
	if (isfinite(s->score_mbps))
		fact(f, "score (QD1, 2, 4)", "%s MB/s", number_short(a, s->score_mbps));
	if (isfinite(s->score.power_w))
		fact(f, "power (QD1, 2, 4)", "%.2f W, %s MB/s per W", s->score.power_w,
			number_short(b, s->score.mbps_per_w));
	if (review_still_rising(s))
		fact(f, "saturation", "none up to QD%.0f: still rising", s->saturation_qd);
	else if (isfinite(s->saturation_qd) && s->npoints > 1)
		fact(f, "saturation", "QD%.0f is the first at 95 %% of the greatest speed", s->saturation_qd);
	if (fabs(s->loss) < 0.0005)
		fact(f, "against fresh", "as fast");
	else if (isfinite(s->loss))
		fact(f, "against fresh", "%.1f %% %s", fabs(100 * s->loss), s->loss >= 0 ? "slower" : "faster");
}

static void show_recovery(FILE *f, const struct review_recovery *r)
{
	char a[NUMBER_BUF], pause[UNITS_BUF];
	if (r->npoints)
		fprintf(f, "  %8s%19s%8s%24s%12s\n", "idle", "at full speed, GB", "MB/s", "% of the cache's speed",
			"filled, %");
	for (size_t i = 0; i < r->npoints; i++) {
		const struct review_recovery_point *p = &r->points[i];
		char *fast = isnan(p->fast_bytes) ? xstrdup("-")
						  : xasprintf("%s%s", p->fell ? "" : "at least ",
							    number_short(a, p->fast_bytes / 1e9));
		fprintf(f, "  %8s%19s", review_pause(pause, p->idle_seconds), fast);
		free(fast);
		column(f, 8, p->mbps);
		column(f, 24, 100 * p->mbps_ratio);
		column(f, 12, 100 * p->fill_level);
		fputc('\n', f);
	}
	if (isfinite(r->reclaim_mbps))
		fact(f, "cache regained", "%s MB per second of idle", number_short(a, r->reclaim_mbps));
}

static void show_mixed(FILE *f, const struct review_mixed *m)
{
	fprintf(f, "  %10s%12s%12s%8s\n", "reads, %", "MB/s", "IOPS", "W");
	for (size_t i = 0; i < m->npoints; i++) {
		whole_column(f, 12, 100 * m->points[i].read_share);
		column(f, 12, m->points[i].mbps);
		column(f, 12, m->points[i].iops);
		column(f, 8, m->points[i].power.power_w);
		fputc('\n', f);
	}
}

static void show_test(FILE *f, const struct review_test *t)
{
	const struct test_record *r = t->record;
	char watts[NUMBER_BUF], *title = test_full_title(r);
	char *head = xasprintf("%s (%s%s%s): %s%s%s", title, r->name, *r->condition ? ", " : "", r->condition,
		review_status(r->status), r->reason ? ", " : "", r->reason ? r->reason : "");
	fputc('\n', f);
	wrapped(f, 0, head);
	free(title);
	free(head);
	switch (t->kind) {
	case REVIEW_FILL: show_fill(f, t); break;
	case REVIEW_RECOVERY: show_recovery(f, &t->recovery); break;
	case REVIEW_BURST: show_burst(f, &t->burst); break;
	case REVIEW_SWEEP: show_sweep(f, &t->sweep); break;
	case REVIEW_MIXED: show_mixed(f, &t->mixed); break;
	case REVIEW_IDLE:
		if (isfinite(t->idle.active_w))
			fact(f, "idle, always on", "%s W", number_short(watts, t->idle.active_w));
		if (isfinite(t->idle.low_power_w))
			fact(f, "idle, low power", "%s W", number_short(watts, t->idle.low_power_w));
		break;
	case REVIEW_OTHER: break;
	}
	if (isfinite(r->temperature_max_c)) {
		char range[UNITS_BUF];
		fact(f, "temperature", "%s", review_temperature(range, r->temperature_min_c, r->temperature_max_c));
	}
	for (size_t i = 0; i < r->nwarnings; i++) {
		char *text = xasprintf("! %s", r->warnings[i].text ? r->warnings[i].text : r->warnings[i].code);
		wrapped(f, 2, text);
		free(text);
	}
}

int report_text(FILE *f, const struct run_record *run)
{
	struct review *r = review_build(run);
	const struct target_record *t = &run->target;
	char size[UNITS_BUF];
	char *headline = review_headline(r), *sentence = xasprintf("%s.", headline);
	const char *name = review_full_name(r), *brief = review_drive_name(r);
	bool two = strcmp(name, brief) != 0;
	char *title = xasprintf("%s%s%s%s%s%s", name, two ? " (" : "", two ? brief : "", two ? ")" : "",
		r->copy ? ", a copy of " : "", r->copy ? r->copy : "");
	wrapped(f, 0, title);
	free(title);
	wrapped(f, 0, sentence);
	char *who = xasprintf("run %lld%s%s%s, %s%s%s%s%s%s%s%s", (long long)run->id, run->label ? " '" : "",
		run->label ? run->label : "", run->label ? "'" : "", t->path ? t->path : t->kind,
		t->capacity_bytes ? ", " : "", t->capacity_bytes ? units_bytes(size, (double)t->capacity_bytes) : "",
		t->serial ? ", serial " : "", t->serial ? t->serial : "", t->firmware ? ", firmware " : "",
		t->firmware ? t->firmware : "", run->quick ? ", a quick look: sizes were scaled down" : "");
	wrapped(f, 0, who);
	if (run->state != RUN_DONE) {
		char *why = xasprintf("incomplete: %s", run->error ? run->error : "the run was cut short");
		wrapped(f, 0, why);
		free(why);
	}
	for (size_t i = 0; i < run->nwarnings; i++) {
		char *text = xasprintf("! %s", run->warnings[i].text ? run->warnings[i].text : run->warnings[i].code);
		wrapped(f, 0, text);
		free(text);
	}
	for (size_t i = 0; i < r->ntests; i++)
		show_test(f, &r->tests[i]);
	free(headline);
	free(sentence);
	free(who);
	review_free(r);
	return 0;
}
