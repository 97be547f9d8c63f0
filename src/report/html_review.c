// SPDX-License-Identifier: MIT
/* The review of a single run. */
#include "base/mem.h"
#include "base/units.h"
#include "report/escape.h"
#include "report/html.h"
#include "report/settings.h"
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

/* One row for each plain value of a JSON object; NULL is empty. */
static void host_facts(FILE *f, const char *prefix, json_t *object)
{
	const char *key;
	json_t *value;
	json_object_foreach(object, key, value)
	{
		if (json_is_object(value))
			continue;
		char *text =
			json_is_string(value) ? xstrdup(json_string_value(value)) : json_dumps(value, JSON_ENCODE_ANY);
		char *name = xasprintf("%s %s", prefix,
			!strcmp(key, "cpu")    ? "CPU"
			: !strcmp(key, "cpus") ? "CPUs"
					       : key);
		html_fact(f, name, text, NULL);
		free(name);
		free(text);
	}
}

static void fill_tiles(FILE *f, const struct review *r, const struct review_test *t)
{
	const struct review_recovery_point *small = review_small_cache(r);
	const struct review_fill *fill = &t->fill;
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
	} else if (fill->too_short) {
		tile(f, "pSLC cache", "not known", "too short a fill to tell");
	} else if (small) {
		tile(f, "pSLC cache", units_bytes(buf, small->fast_bytes), "shows only after a pause");
	} else {
		double faster = review_fast_start(t);
		char *start = faster > 0 ? xasprintf("only the first %s faster", units_bytes(buf, faster)) : NULL;
		tile(f, "pSLC cache", g->cache.verdict == CACHE_NONE ? "no end found" : "not known",
			g->cache.verdict != CACHE_NONE ? "the end was not reached"
			: start			       ? start
			: g->gradual		       ? "a slow decline to the last byte"
						       : "no edge to the last byte");
		free(start);
	}
	more = xasprintf("%s in %s", units_bytes(buf, g->bytes), units_duration(time, nsec_of_s(fill->seconds)));
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

/* The score; a sweep that has none of the depths for it is shown by its best point. */
static void sweep_tile(FILE *f, const char *title, const struct review_sweep *s)
{
	const struct review_sweep_point *best = review_best(s);
	if (isfinite(s->score_mbps)) {
		rate_tile(f, title, s->score_mbps, "mean of queue depths 1, 2 and 4");
	} else if (best) {
		char *depth = best->qd > 0 ? xasprintf("at queue depth %.0f", best->qd) : NULL;
		rate_tile(f, title, best->mbps, depth);
		free(depth);
	}
}

/* The figures that a buyer looks for: of the fill, or where there is none, of the other tests. */
static void tiles(FILE *f, const struct review *r)
{
	const struct review_test *fill = NULL;
	size_t others = 0;
	for (size_t i = 0; i < r->ntests; i++) {
		const struct review_test *t = &r->tests[i];
		fill = !fill && t->kind == REVIEW_FILL ? t : fill;
		others += t->kind == REVIEW_BURST || (t->kind == REVIEW_SWEEP && review_best(&t->sweep));
	}
	if (!fill && !others)
		return;
	fputs("<dl class=\"tiles\">\n", f);
	if (fill)
		fill_tiles(f, r, fill);
	for (size_t i = 0; i < r->ntests && !fill; i++) {
		const struct review_test *t = &r->tests[i];
		char *title = test_full_title(t->record);
		if (t->kind == REVIEW_BURST)
			rate_tile(f, title, t->burst.mbps, NULL);
		else if (t->kind == REVIEW_SWEEP)
			sweep_tile(f, title, &t->sweep);
		free(title);
	}
	fputs("</dl>\n", f);
}

void html_identity(FILE *f, const struct review *r)
{
	const struct run_record *run = r->run;
	const struct target_record *t = &run->target;
	char a[UNITS_BUF], digits[NUMBER_BUF];
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
		html_factf(f, "Capacity", NULL, "%s (%s bytes)", units_bytes(a, (double)t->capacity_bytes),
			number_text(digits, (double)t->capacity_bytes, 0));
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
	host_facts(f, "Host", host);
	host_facts(f, "Drive:", json_object_get(host, "drive"));
	json_decref(host);
	fputs("</table>\n", f);
}

/* A size cut to fit the target or for --quick: every test may say so, which must not hide the rest. */
static bool is_cut(const struct warning *w)
{
	return !strcmp(w->code, "size-cut");
}

/* The warnings of one test (NULL = of the run) that are, or are not, of a cut. Returns how many. */
static size_t warning_items(FILE *f, const struct test_record *t, const struct warning *w, size_t n, bool cuts)
{
	size_t found = 0;
	char *title = t ? test_full_title(t) : NULL;
	for (size_t i = 0; i < n; i++) {
		if (is_cut(&w[i]) != cuts)
			continue;
		found++;
		if (!f)
			continue;
		fputs("<li>", f);
		write_xml(f, title);
		fputs(title ? ": " : "", f);
		write_xml(f, w[i].text ? w[i].text : w[i].code);
		fputs("</li>\n", f);
	}
	free(title);
	return found;
}

/* All of the run and its tests. `f` NULL: only counts. */
static size_t all_warnings(FILE *f, const struct review *r, bool cuts)
{
	size_t n = warning_items(f, NULL, r->run->warnings, r->run->nwarnings, cuts);
	for (size_t i = 0; i < r->ntests; i++) {
		const struct test_record *t = r->tests[i].record;
		n += warning_items(f, t, t->warnings, t->nwarnings, cuts);
	}
	return n;
}

void html_warnings(FILE *f, const struct review *r)
{
	const struct run_record *run = r->run;
	size_t cuts = all_warnings(NULL, r, true), others = all_warnings(NULL, r, false);
	if (run->state != RUN_DONE) {
		fputs("<p class=\"state\"><strong>This run is incomplete:</strong> ", f);
		write_xml(f, run->error			 ? run->error
			     : run->state == RUN_RUNNING ? "it is still running"
							 : "it was cut short");
		fputs("</p>\n", f);
	}
	if (run->quick)
		fputs("<p class=\"state\"><strong>A quick look.</strong> Sizes were scaled down; the figures are not "
		      "those of a "
		      "full run.</p>\n",
			f);
	if (!cuts && !others)
		return;
	fputs("<ul class=\"warnings\" aria-label=\"Warnings\">\n", f);
	all_warnings(f, r, false);
	if (cuts > 2) {
		fprintf(f, "<li><details><summary>Sizes were cut in %zu tests</summary><ul>\n", cuts);
		all_warnings(f, r, true);
		fputs("</ul></details></li>\n", f);
	} else {
		all_warnings(f, r, true);
	}
	fputs("</ul>\n", f);
}

/* Only tests that did not end as planned need a word about it. */
static void test_state(FILE *f, const struct test_record *t)
{
	if (t->status == TEST_DONE)
		return;
	fprintf(f, "<p class=\"state\"><strong>%s%s</strong> ",
		t->status == TEST_NOT_RUN  ? "Not run"
		: t->status == TEST_FAILED ? "Failed"
					   : "Cut short",
		t->reason && *t->reason ? ":" : ".");
	write_xml(f, t->reason);
	fputs("</p>\n", f);
}

static bool html_section(FILE *f, const struct review *r, const struct section *s)
{
	struct chart_list charts = {0};
	fputs("<section>\n<h2 id=\"test-", f);
	write_xml(f, s->key);
	fputs("\">", f);
	write_xml(f, s->title);
	fputs("</h2>\n<p class=\"soft\">", f);
	const struct review *runs[SECTION_TESTS];
	const struct test_record *tests[SECTION_TESTS];
	for (size_t i = 0; i < s->n; i++) {
		runs[i] = r;
		tests[i] = s->tests[i]->record;
	}
	char *explain = settings_explain(runs, tests, s->n);
	write_xml(f, explain);
	free(explain);
	fputs("</p>\n", f);
	for (size_t i = 0; i < s->n; i++)
		test_state(f, s->tests[i]->record);
	charts_of_section(&charts, r, s);
	bool live = html_charts(f, &charts);
	chart_list_free(&charts);
	html_figures(f, s);
	fputs("</section>\n", f);
	return live;
}

/* The way to each section, for long reports. */
static void contents(FILE *f, const struct review *r, const struct section *s, size_t n)
{
	if (n < 3)
		return;
	fputs("<nav aria-label=\"Contents\"><ul>\n", f);
	for (size_t i = 0; i < n; i++) {
		fputs("<li><a href=\"#test-", f);
		write_xml(f, s[i].key);
		fputs("\">", f);
		write_xml(f, s[i].title);
		fputs("</a></li>\n", f);
	}
	if (html_has_published(r))
		fputs("<li><a href=\"#published\">What is published</a></li>\n", f);
	fputs("<li><a href=\"#drive\">Drive and conditions</a></li><li><a href=\"#method\">Method and "
	      "settings</a></li></ul></nav>\n",
		f);
}

void html_review(FILE *f, const struct review *r)
{
	char *started = moment(r->run->started_ms), *headline = review_headline(r);
	char *sentence = xasprintf("%s.", headline);
	const char *name = review_full_name(r), *brief = review_drive_name(r);
	bool two = strcmp(name, brief) != 0;
	char *eyebrow = xasprintf("SSD review%s%s \xc2\xb7 run %lld%s%s \xc2\xb7 %s", two ? " \xc2\xb7 " : "",
		two ? brief : "", (long long)r->run->id, r->run->label ? " \xc2\xb7 " : "",
		r->run->label ? r->run->label : "", started);
	char *heading = r->copy ? xasprintf("%s, a copy of %s", name, r->copy) : xstrdup(name);
	char *title = xasprintf("%s: SSD review", heading);
	html_begin(f, title, eyebrow, heading, sentence);
	free(heading);
	free(started);
	free(headline);
	free(sentence);
	free(eyebrow);
	free(title);
	fputs("<main>\n", f);
	html_warnings(f, r);
	tiles(f, r);
	bool live = false;
	struct section *sections;
	size_t n = sections_of(r, &sections);
	contents(f, r, sections, n);
	for (size_t i = 0; i < n; i++)
		live |= html_section(f, r, &sections[i]);
	free(sections);
	html_published(f, r);
	html_identity(f, r);
	html_method(f, r);
	html_end(f, r->run, live);
}
