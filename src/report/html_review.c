// SPDX-License-Identifier: MIT
/* The review of a single run. */
#include "base/mem.h"
#include "base/units.h"
#include "report/escape.h"
#include "report/html.h"
#include "report/svg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static char *moment(int64_t ms)
{
	time_t s = ms / 1000;
	struct tm tm;
	char buf[48];
	if (ms < 0 || !gmtime_r(&s, &tm) || !strftime(buf, sizeof buf, "%Y-%m-%d %H:%M UTC", &tm))
		return xstrdup("at an unknown time");
	return xstrdup(buf);
}

static void tile(FILE *f, const char *name, const char *value, const char *more)
{
	fputs("<div><dt>", f);
	write_xml(f, name);
	fputs("</dt><dd>", f);
	write_xml(f, value);
	if (more && *more) {
		fputs("<small>", f);
		write_xml(f, more);
		fputs("</small>", f);
	}
	fputs("</dd></div>\n", f);
}

static void rate_tile(FILE *f, const char *name, double mbps, const char *more)
{
	char buf[UNITS_BUF];
	if (isfinite(mbps))
		tile(f, name, units_rate(buf, mbps * 1e6), more);
}

static void fill_tiles(FILE *f, const struct review_fill *fill)
{
	const struct fill_figures *g = &fill->figures;
	char buf[UNITS_BUF], time[UNITS_BUF], *more = NULL;
	if (g->cache.verdict == CACHE_FOUND) {
		if (isfinite(fill->share_of_cells))
			more = xasprintf("%.0f %% of the cells", 100 * fill->share_of_cells);
		tile(f, "pSLC cache", units_bytes(buf, g->cache.bytes), more);
		free(more);
		rate_tile(f, "in the cache", g->cache.mbps, NULL);
		more = xasprintf("mean %s", units_rate(buf, g->cache.after_mean_mbps * 1e6));
		rate_tile(f, "after it, typical", g->cache.after_mbps, more);
		free(more);
	} else {
		tile(f, "pSLC cache", g->cache.verdict == CACHE_NONE ? "no end found" : "not known",
			g->cache.verdict == CACHE_NONE ? "one speed to the last byte" : "the end was not reached");
	}
	more = xasprintf("%s in %s", units_bytes(buf, g->bytes), units_duration(time, (nsec)(fill->seconds * 1e9)));
	rate_tile(f, "whole fill", g->mean_mbps, more);
	free(more);
	if (isfinite(fill->power.power_w)) {
		char *watts = xasprintf("%.2f W", fill->power.power_w);
		more = xasprintf("%.2f J/GB", fill->j_per_gb);
		tile(f, "power while writing", watts, more);
		free(watts);
		free(more);
	}
}

static void fill_table(FILE *f, const struct review_test *t)
{
	const struct review_fill *fill = &t->fill;
	const struct fill_figures *g = &fill->figures;
	const struct cache_figures *c = &g->cache;
	char a[NUMBER_BUF], b[NUMBER_BUF], d[NUMBER_BUF];
	fputs("<table class=\"facts\">\n", f);
	if (c->verdict == CACHE_FOUND) {
		html_factf(f, "Cache ends after", "data written at cache speed", "%s GB (%s to %s)",
			number_text(a, c->bytes / 1e9, 1), number_text(b, c->bytes_lo / 1e9, 1),
			number_text(d, c->bytes_hi / 1e9, 1));
		if (isfinite(fill->share_of_cells))
			html_factf(f, "Share of the cells", "bits per cell times cache, of the nominal capacity",
				"%.1f %%", 100 * fill->share_of_cells);
		html_factf(f, "Speed in the cache", "bytes over time", "%s MB/s", number_short(a, c->mbps));
		html_factf(f, "Speed after the cache", "median of the samples; mean is bytes over time",
			"%s MB/s (mean %s)", number_short(a, c->after_mbps), number_short(b, c->after_mean_mbps));
	}
	html_factf(f, "Mean of the whole fill", "bytes over time", "%s MB/s", number_short(a, g->mean_mbps));
	html_factf(f, "Slowest and fastest sample", "of half a second", "%s and %s MB/s", number_short(a, g->min_mbps),
		number_short(b, g->max_mbps));
	char bytes[UNITS_BUF], time[UNITS_BUF];
	html_factf(f, "Written", NULL, "%s in %s", units_bytes(bytes, g->bytes),
		units_duration(time, (nsec)(fill->seconds * 1e9)));
	if (isfinite(fill->flush_s))
		html_factf(f, "Flush at the end", "timed on its own, not in the mean", "%s",
			units_duration(time, (nsec)(fill->flush_s * 1e9)));
	if (isfinite(fill->power.power_w)) {
		html_factf(f, "Power", "mean while writing", "%.2f W", fill->power.power_w);
		html_factf(f, "Energy", NULL, "%.2f J/GB, %s MB/s per W", fill->j_per_gb,
			number_short(a, fill->power.mbps_per_w));
	}
	if (isfinite(fill->waf))
		html_factf(f, "Written to flash", "per byte that the host wrote", "%.2f times", fill->waf);
	for (size_t i = 0; i < g->nstalls; i++)
		html_factf(f, "Stall", "no progress", "at %s s for %s s", number_short(a, g->stalls[i].start_s),
			number_short(b, g->stalls[i].end_s - g->stalls[i].start_s));
	for (size_t i = 0; i < fill->nthrottled; i++)
		html_factf(f, "Throttled", "as the drive reported", "from %s to %s s",
			number_short(a, fill->throttled[i].start_s), number_short(b, fill->throttled[i].end_s));
	fputs("</table>\n", f);
	if (!g->nstages)
		return;
	static const char *const kinds[] = {"steady", "alternating", "changing"};
	fputs("<h3>Stages</h3>\n<div class=\"scroll\" tabindex=\"0\"><table><thead><tr><th scope=\"col\">from, GB</th>"
	      "<th scope=\"col\">to, GB</th><th scope=\"col\">MB/s</th><th scope=\"col\">95 % interval</th>"
	      "<th scope=\"col\">median</th><th scope=\"col\">5 to 95 % of samples</th><th scope=\"col\">kind</th>"
	      "<th scope=\"col\">flash per host byte</th></tr></thead><tbody>\n",
		f);
	for (size_t i = 0; i < g->nstages; i++) {
		const struct stage *s = &g->stages[i];
		fprintf(f, "<tr><td>%s</td>", number_text(a, s->start_bytes / 1e9, 1));
		fprintf(f, "<td>%s</td>", number_text(a, s->end_bytes / 1e9, 1));
		fprintf(f, "<td>%s</td>", number_short(a, s->mbps));
		if (isfinite(s->mbps_lo) && isfinite(s->mbps_hi))
			fprintf(f, "<td>%s to %s%s</td>", number_short(a, s->mbps_lo), number_short(b, s->mbps_hi),
				s->interval_optimistic ? ", optimistic" : "");
		else
			fputs("<td>too few samples</td>", f);
		fprintf(f, "<td>%s</td>", number_short(a, s->median_mbps));
		fprintf(f, "<td>%s to %s</td>", number_short(a, s->p5_mbps), number_short(b, s->p95_mbps));
		fprintf(f, "<td>%s</td>", kinds[s->kind]);
		double waf = fill->stage_nand_bytes[i] / (s->end_bytes - s->start_bytes);
		fprintf(f, "<td>%s</td></tr>\n", isfinite(waf) ? number_short(a, waf) : "not measured");
	}
	fputs("</tbody></table></div>\n", f);
}

void html_identity(FILE *f, const struct review *r)
{
	const struct run_record *run = r->run;
	const struct target_record *t = &run->target;
	char a[UNITS_BUF];
	static const char *const kinds[][2] = {{"sim", "a modelled drive, in virtual time"},
		{"block", "a block device"}, {"file", "a file: the file system is part of what was measured"},
		{"null", "no drive at all"}, {"imported", "a log of another tool"}};
	const char *kind = t->kind;
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (!strcmp(kinds[i][0], t->kind))
			kind = kinds[i][1];
	fputs("<h2 id=\"drive\">Drive and conditions</h2>\n<table class=\"facts\">\n", f);
	html_fact(f, "Model", t->model, NULL);
	html_fact(f, "Serial number", t->serial, NULL);
	html_fact(f, "Firmware", t->firmware, NULL);
	html_fact(f, "Target", t->path, NULL);
	html_fact(f, "Kind", kind, NULL);
	if (t->capacity_bytes)
		html_factf(f, "Capacity", NULL, "%s (%llu bytes)", units_bytes(a, (double)t->capacity_bytes),
			(unsigned long long)t->capacity_bytes);
	if (t->logical_block_bytes)
		html_factf(f, "Logical block", NULL, "%u bytes", t->logical_block_bytes);
	if (t->bits_per_cell)
		html_factf(f, "Bits per cell", NULL, "%u", t->bits_per_cell);
	html_fact(f, "I/O engine", t->engine, NULL);
	html_fact(f, "Power measured by", run->power_source ? run->power_source : "nothing: no power in this report",
		NULL);
	if (isfinite(run->host_limit_mbps))
		html_factf(f, "This host could feed", NULL, "%s", units_rate(a, run->host_limit_mbps * 1e6));
	char *started = moment(run->started_ms);
	html_fact(f, "Started", started, NULL);
	free(started);
	html_fact(f, "Suite", run->suite, NULL);
	html_fact(f, "Label", run->label, NULL);
	json_t *host = run->host ? json_loads(run->host, 0, NULL) : NULL;
	const char *key;
	json_t *value;
	json_object_foreach(host, key, value)
	{
		char *text =
			json_is_string(value) ? xstrdup(json_string_value(value)) : json_dumps(value, JSON_ENCODE_ANY);
		html_fact(f, key, text, NULL);
		free(text);
	}
	json_decref(host);
	fputs("</table>\n", f);
}

static void warning_items(FILE *f, const char *where, const struct warning *w, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		fputs("<li>", f);
		if (where) {
			write_xml(f, where);
			fputs(": ", f);
		}
		write_xml(f, w[i].text ? w[i].text : w[i].code);
		fputs("</li>\n", f);
	}
}

void html_warnings(FILE *f, const struct review *r)
{
	const struct run_record *run = r->run;
	size_t n = run->nwarnings;
	for (size_t i = 0; i < r->ntests; i++)
		n += r->tests[i].record->nwarnings;
	if (run->state != RUN_DONE) {
		fputs("<p class=\"state\"><strong>This run is incomplete.</strong> ", f);
		write_xml(f, run->error			 ? run->error
			     : run->state == RUN_RUNNING ? "It is still running."
							 : "It was cut short.");
		fputs("</p>\n", f);
	}
	if (run->quick)
		fputs("<p class=\"state\"><strong>A quick look.</strong> Sizes were scaled down; the figures are not "
		      "those of a "
		      "full run.</p>\n",
			f);
	if (!n)
		return;
	fputs("<ul class=\"warnings\" aria-label=\"Warnings\">\n", f);
	warning_items(f, NULL, run->warnings, run->nwarnings);
	for (size_t i = 0; i < r->ntests; i++) {
		char *title = test_title(r->tests[i].record);
		warning_items(f, title, r->tests[i].record->warnings, r->tests[i].record->nwarnings);
		free(title);
	}
	fputs("</ul>\n", f);
}

/* Only tests that did not end as planned need a word about it. */
static void test_state(FILE *f, const struct test_record *t)
{
	if (t->status == TEST_DONE)
		return;
	fprintf(f, "<p class=\"state\"><strong>%s.</strong> ",
		t->status == TEST_NOT_RUN  ? "Not run"
		: t->status == TEST_FAILED ? "Failed"
					   : "Cut short");
	write_xml(f, t->reason);
	fputs("</p>\n", f);
}

static bool html_test(FILE *f, const struct review *r, const struct review_test *t)
{
	char *title = test_title(t->record);
	fputs("<section>\n<h2 id=\"test-", f);
	write_xml(f, t->record->name);
	fputs(*t->record->condition ? "-" : "", f);
	write_xml(f, t->record->condition);
	fputs("\">", f);
	write_xml(f, title);
	fputs("</h2>\n<p class=\"soft\">", f);
	write_xml(f, test_explain(t->record));
	fputs("</p>\n", f);
	test_state(f, t->record);
	struct chart_list charts = {0};
	charts_of_test(&charts, r, t);
	bool live = false;
	for (size_t i = 0; i < charts.n; i++) {
		html_chart(f, charts.charts[i]);
		live = live || charts.charts[i]->time_series;
	}
	chart_list_free(&charts);
	if (t->kind == REVIEW_FILL)
		fill_table(f, t);
	fputs("</section>\n", f);
	free(title);
	return live;
}

void html_review(FILE *f, const struct review *r)
{
	char *started = moment(r->run->started_ms), *headline = review_headline(r);
	char *sentence = xasprintf("%s.", headline);
	char *eyebrow = xasprintf("SSD review \xc2\xb7 run %lld%s%s \xc2\xb7 %s", (long long)r->run->id,
		r->run->label ? " \xc2\xb7 " : "", r->run->label ? r->run->label : "", started);
	char *title = xasprintf("%s: SSD review", review_drive_name(r));
	html_begin(f, title, eyebrow, review_drive_name(r), sentence);
	free(started);
	free(headline);
	free(sentence);
	free(eyebrow);
	free(title);
	fputs("<main>\n", f);
	html_warnings(f, r);
	fputs("<dl class=\"tiles\">\n", f);
	for (size_t i = 0; i < r->ntests; i++)
		if (r->tests[i].kind == REVIEW_FILL)
			fill_tiles(f, &r->tests[i].fill);
	fputs("</dl>\n", f);
	bool live = false;
	for (size_t i = 0; i < r->ntests; i++)
		live |= html_test(f, r, &r->tests[i]);
	html_identity(f, r);
	html_method(f, r);
	html_end(f, r->run, live);
}
