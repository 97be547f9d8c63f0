// SPDX-License-Identifier: MIT
/* The frame of the HTML report. One file that needs nothing: no network, no font, no script to be read. Scripts may run
 * only if their hash is named in its Content-Security-Policy, so not even a mistake in escaping could run one. */
#include "report/html.h"

#include "assets.h"
#include "base/mem.h"
#include "report/escape.h"
#include "report/svg.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* A line never ends between a number and its unit. */
static void write_unbroken(FILE *f, const char *text)
{
	char *copy = xstrdup(text), *from = copy;
	for (char *s = copy; *s; s++) {
		if (*s != ' ' || s == copy || !isdigit((unsigned char)s[-1]) || !strchr("GMTkmsW%", s[1]))
			continue;
		*s = 0;
		write_xml(f, from);
		fputs("&nbsp;", f);
		from = s + 1;
	}
	write_xml(f, from);
	free(copy);
}

/* A heading of more bytes is set smaller. */
#define LONG_HEADING 90

void html_begin(FILE *f, const char *title, const char *eyebrow, const char *heading, const char *headline)
{
	fprintf(f,
		"<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
		"script-src '%s' '%s'\">\n"
		"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
		"<meta name=\"color-scheme\" content=\"light dark\">\n<title>",
		asset_dygraph_js_sha256, asset_report_js_sha256);
	write_xml(f, title);
	fputs("</title>\n<style>\n", f);
	fwrite(asset_chart_css, 1, asset_chart_css_size, f);
	fwrite(asset_page_css, 1, asset_page_css_size, f);
	fwrite(asset_dygraph_css, 1, asset_dygraph_css_size, f);
	fputs("</style>\n</head>\n<body>\n<header>\n<p class=\"eyebrow\">", f);
	write_xml(f, eyebrow);
	fputs(strlen(heading) > LONG_HEADING ? "</p>\n<h1 class=\"long\">" : "</p>\n<h1>", f);
	write_xml(f, heading);
	fputs("</h1>\n<p class=\"headline\">", f);
	write_unbroken(f, headline);
	fputs("</p>\n</header>\n", f);
}

void html_end(FILE *f, const struct run_record *run, bool live)
{
	fputs("</main>\n<footer>\n<p>Made by ssdscope ", f);
	write_xml(f, SSDSCOPE_VERSION);
	if (run->tool_version && strcmp(run->tool_version, SSDSCOPE_VERSION)) {
		fputs(" from a run of version ", f);
		write_xml(f, run->tool_version);
	}
	fputs(". Rates are decimal (1 MB/s is 10<sup>6</sup> bytes per second), capacities decimal, block sizes "
	      "binary. "
	      "Intervals are 95&nbsp;%.</p>\n",
		f);
	if (live) {
		fputs("<details><summary>Zooming is done by dygraphs, used under the MIT licence</summary><pre>", f);
		write_xml_lines(f, asset_dygraph_licence);
		fputs("</pre></details>\n", f);
	}
	fputs("</footer>\n", f);
	if (live) {
		fputs("<script>", f);
		fwrite(asset_dygraph_js, 1, asset_dygraph_js_size, f);
		fputs("</script>\n", f);
	}
	fputs("<script>", f);
	fwrite(asset_report_js, 1, asset_report_js_size, f);
	fputs("</script>\n</body>\n</html>\n", f);
}

static json_t *json_number(double v)
{
	return isfinite(v) ? json_real(v) : json_null();
}

static json_t *json_text(const char *s)
{
	char *clean = clean_text(s);
	json_t *j = json_string(clean);
	free(clean);
	return j;
}

/* A curve of more samples than a screen could ever show is given to the script as least and greatest value per bucket.
 */
#define LIVE_SAMPLES 20000

static json_t *live_rows(const struct chart *c)
{
	json_t *rows = json_array();
	const struct chart_series *s = &c->series[0];
	size_t per = s->n / (LIVE_SAMPLES / 2) + 1;
	if (s->n <= LIVE_SAMPLES)
		per = 1;
	for (size_t i = 0; i < s->n; i += per) {
		size_t least = i, greatest = i, end = i + per < s->n ? i + per : s->n;
		for (size_t k = i; k < end; k++) {
			least = s->y[k] < s->y[least] ? k : least;
			greatest = s->y[k] > s->y[greatest] ? k : greatest;
		}
		size_t first = least < greatest ? least : greatest, second = least < greatest ? greatest : least;
		json_array_append_new(rows, json_pack("[o,o]", json_number(s->x[first]), json_number(s->y[first])));
		if (second != first)
			json_array_append_new(
				rows, json_pack("[o,o]", json_number(s->x[second]), json_number(s->y[second])));
	}
	return rows;
}

/* What is published, as [from, to, value]. */
static json_t *published_steps(const struct chart *c)
{
	json_t *steps = json_array();
	for (size_t i = 1; i < c->nseries; i++) {
		const struct chart_series *s = &c->series[i];
		double from = s->x_start;
		for (size_t k = 0; s->look.published && k < s->n; from = s->x[k++])
			if (isfinite(s->y[k]))
				json_array_append_new(steps, json_pack("[o,o,o]", json_number(from),
								     json_number(s->x[k]), json_number(s->y[k])));
	}
	return steps;
}

/* The chart's data for report.js. `<` cannot appear, so nothing in it ends the element. */
static void live_data(FILE *f, const struct chart *c)
{
	json_t *o = json_object(), *bands = json_array(), *marks = json_array();
	for (size_t i = 0; i < c->nbands; i++)
		json_array_append_new(bands, json_pack("{s:o,s:o,s:b,s:o}", "from", json_number(c->bands[i].from), "to",
						     json_number(c->bands[i].to), "accent", c->bands[i].accent, "label",
						     json_text(c->bands[i].label)));
	for (size_t i = 0; i < c->nmarks; i++)
		json_array_append_new(marks,
			json_pack("{s:o,s:o,s:o,s:o,s:o}", "at", json_number(c->marks[i].at), "lo",
				json_number(c->marks[i].lo), "hi", json_number(c->marks[i].hi), "label",
				json_text(c->marks[i].label), "brief",
				json_text(c->marks[i].short_label ? c->marks[i].short_label : c->marks[i].label)));
	json_object_set_new(o, "x", json_string(c->x.unit));
	json_object_set_new(o, "y", json_string(c->y.unit));
	json_object_set_new(o, "name", json_string(c->x.name));
	json_object_set_new(o, "zero", json_boolean(c->y.from_zero));
	json_object_set_new(o, "colour", json_integer(c->series[0].look.colour % 8));
	json_object_set_new(o, "start", json_number(c->series[0].x_start));
	json_object_set_new(o, "bands", bands);
	json_object_set_new(o, "marks", marks);
	json_object_set_new(o, "rows", live_rows(c));
	json_object_set_new(o, "published", published_steps(c));
	char *text = json_dumps(o, JSON_COMPACT | JSON_ENSURE_ASCII | JSON_REAL_PRECISION(7));
	json_decref(o);
	fputs("<script type=\"application/json\" class=\"series\">", f);
	for (const char *s = text; s && *s; s++) {
		if (*s == '<')
			fputs("\\u003c", f);
		else
			fputc(*s, f);
	}
	fputs("</script>\n", f);
	free(text);
}

void html_chart(FILE *f, const struct chart *c)
{
	bool live = c->time_series && c->series[0].n > 1;
	fprintf(f, "<figure id=\"%s\"%s>\n<figcaption>", c->id,
		live ? c->low ? " class=\"zoomable low\"" : " class=\"zoomable\"" : "");
	write_xml(f, c->title);
	fputs("</figcaption>\n", f);
	if (c->note) {
		fprintf(f, "<p class=\"note%s\">", c->alert ? " differs" : "");
		write_xml(f, c->note);
		fputs("</p>\n", f);
	}
	fputs("<div class=\"static\">", f);
	if (c->size != CHART_FULL) {
		chart_svg(f, c, &(struct chart_drawing){.width = c->size == CHART_HALF ? 410 : 270, .suffix = ""});
	} else {
		fputs("<div class=\"wide\">\n", f);
		chart_svg(f, c, &(struct chart_drawing){.width = 860, .suffix = "-w"});
		fputs("</div><div class=\"narrow\">\n", f);
		chart_svg(f, c, &(struct chart_drawing){.width = 380, .suffix = "-n"});
		fputs("</div>", f);
	}
	fputs("</div>\n", f);
	if (live)
		live_data(f, c);
	fputs("<details><summary>The data as a table</summary><div class=\"scroll long\" tabindex=\"0\" role=\"group\" "
	      "aria-label=\"Table\">\n",
		f);
	chart_table(f, c);
	fputs("</div></details>\n</figure>\n", f);
}

bool html_charts(FILE *f, const struct chart_list *list)
{
	static const char *const grids[] = {[CHART_HALF] = "grid2", [CHART_THIRD] = "grid3"};
	bool live = false;
	enum chart_size size = CHART_FULL;
	for (size_t i = 0; i < list->n; i++) {
		const struct chart *c = list->charts[i];
		if (c->size != size && size != CHART_FULL)
			fputs("</div>\n", f);
		if (c->size != size && c->size != CHART_FULL)
			fprintf(f, "<div class=\"%s\">\n", grids[c->size]);
		size = c->size;
		html_chart(f, c);
		live = live || c->time_series;
	}
	if (size != CHART_FULL)
		fputs("</div>\n", f);
	return live;
}

void html_fact(FILE *f, const char *name, const char *value, const char *why)
{
	if (!value || !*value)
		return;
	fputs("<tr><th scope=\"row\">", f);
	write_xml(f, name);
	fputs(why ? "</th><td>" : "</th><td colspan=\"2\">", f);
	write_xml(f, value);
	fputs("</td>", f);
	if (why) {
		fputs("<td class=\"why\">", f);
		write_xml(f, why);
		fputs("</td>", f);
	}
	fputs("</tr>\n", f);
}

void html_factf(FILE *f, const char *name, const char *why, const char *fmt, ...)
{
	va_list ap;
	char *value;
	va_start(ap, fmt);
	if (vasprintf(&value, fmt, ap) < 0)
		value = NULL;
	va_end(ap);
	html_fact(f, name, value, why);
	free(value);
}

int report_html(FILE *f, struct run_record *const *runs, size_t n, const struct report_options *o, struct err *e)
{
	struct review **reviews = xcalloc(n + 1, sizeof *reviews);
	for (size_t i = 0; i < n; i++)
		review_attach(reviews[i] = review_build(runs[i]), o->published);
	if (n > 1)
		review_name_runs(reviews, n);
	if (n == 1)
		html_review(f, reviews[0]);
	else if (n > 1)
		html_comparison(f, reviews, n, o->join_published ? o->published : NULL);
	for (size_t i = 0; i < n; i++)
		review_free(reviews[i]);
	free(reviews);
	if (fflush(f) || ferror(f))
		return err_set(e, EXIT_FAILED, "cannot write the report: %s", strerror(errno));
	return 0;
}
