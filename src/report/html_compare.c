// SPDX-License-Identifier: MIT
/* Several runs side by side. */
#include "base/mem.h"
#include "base/units.h"
#include "report/escape.h"
#include "report/html.h"
#include "report/settings.h"
#include "report/svg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A cell that sorts by its number; `none`: it was looked for, and there is none. */
static void sorted_cell(FILE *f, double v, bool best, bool none)
{
	char buf[NUMBER_BUF];
	if (isfinite(v))
		fprintf(f, "<td data-value=\"%.9g\"%s>%s</td>", v, best ? " class=\"best\"" : "", number_short(buf, v));
	else
		fprintf(f, "<td data-value=\"\" class=\"none\">%s</td>", none ? "none found" : "not measured");
}

static void summary(FILE *f, struct review *const *r, size_t n, const struct figure *g, size_t figures)
{
	fputs("<h2 id=\"all\">All figures</h2>\n<p class=\"soft\">The best of each column is bold, and so is what "
	      "cannot be told "
	      "from it. A click on a head sorts.</p>\n<div class=\"scroll\" tabindex=\"0\" role=\"group\" "
	      "aria-label=\"Table\"><table "
	      "class=\"sortable\"><thead><tr>"
	      "<th scope=\"col\">drive</th><th scope=\"col\">capacity, GB</th>",
		f);
	bool differ = false;
	for (size_t i = 0; i < figures; i++) {
		fputs("<th scope=\"col\">", f);
		write_xml(f, g[i].title);
		fprintf(f, ", %s%s</th>", g[i].unit, g[i].note ? " \xe2\x80\xa0" : "");
		differ = differ || g[i].note;
	}
	fputs("</tr></thead><tbody>\n", f);
	for (size_t i = 0; i < n; i++) {
		double capacity = (double)r[i]->run->target.capacity_bytes / 1e9;
		fputs(i ? "<tr><th scope=\"row\">" : "<tr class=\"highlight\"><th scope=\"row\">", f);
		write_xml(f, charts_run_name(r[i]));
		fputs("</th>", f);
		sorted_cell(f, capacity > 0 ? capacity : NAN, false, false);
		for (size_t k = 0; k < figures; k++)
			sorted_cell(f, g[k].values[i].value, g[k].values[i].rank == 1, g[k].values[i].none);
		fputs("</tr>\n", f);
	}
	fputs("</tbody></table></div>\n", f);
	if (differ)
		fputs("<p class=\"note\">\xe2\x80\xa0 Not measured alike in all runs: the note at the picture says "
		      "what "
		      "differs.</p>\n",
			f);
}

/* Which runs these are, so that each can be found again. A column in which nothing is known is left out. */
static void runs(FILE *f, struct review *const *r, size_t n)
{
	enum { COLUMNS = 7 };
	static const char *const heads[COLUMNS] = {
		"label", "name", "smaller copy", "target", "serial number", "firmware", "power by"};
	bool known[COLUMNS] = {0};
	const char *(*cells)[COLUMNS] = xcalloc(n, sizeof *cells);
	for (size_t i = 0; i < n; i++) {
		const struct run_record *run = r[i]->run;
		/* Only what the first column does not say. */
		cells[i][0] = run->label && strcmp(run->label, charts_run_name(r[i])) ? run->label : NULL;
		const char *full = review_full_name(r[i]);
		bool known_already =
			!strcmp(full, charts_run_name(r[i])) || (run->target.path && !strcmp(full, run->target.path));
		cells[i][1] = known_already ? NULL : full;
		cells[i][2] = r[i]->copy;
		cells[i][3] = run->target.path;
		cells[i][4] = run->target.serial;
		cells[i][5] = run->target.firmware;
		cells[i][6] = run->power_source ? run->power_source : "nothing";
		for (size_t k = 0; k < COLUMNS; k++)
			known[k] = known[k] || (cells[i][k] && *cells[i][k]);
	}
	fputs("<h2 id=\"drive\">Drives and runs</h2>\n<div class=\"scroll\" tabindex=\"0\" role=\"group\" "
	      "aria-label=\"Table\"><table><thead><tr><th "
	      "scope=\"col\">drive</th><th scope=\"col\">run</th>",
		f);
	for (size_t k = 0; k < COLUMNS; k++)
		if (known[k])
			fprintf(f, "<th scope=\"col\" class=\"text\">%s</th>", heads[k]);
	fputs("<th scope=\"col\" class=\"text\">state</th></tr></thead><tbody>\n", f);
	for (size_t i = 0; i < n; i++) {
		fputs("<tr><th scope=\"row\">", f);
		write_xml(f, charts_run_name(r[i]));
		fprintf(f, "</th><td>%lld</td>", (long long)r[i]->run->id);
		for (size_t k = 0; k < COLUMNS; k++) {
			if (!known[k])
				continue;
			fputs("<td class=\"text\">", f);
			write_xml(f, cells[i][k]);
			fputs("</td>", f);
		}
		fprintf(f, "<td class=\"text\">%s%s</td></tr>\n", review_partial(r[i]) ? "partial" : "complete",
			r[i]->run->quick ? ", quick" : "");
	}
	free(cells);
	fputs("</tbody></table></div>\n", f);
}

/* What the pictures of a section do not say themselves. */
static const char *how_shown(const struct figure *g, size_t figures, size_t n)
{
	for (size_t i = 0; i < figures; i++) {
		if (g[i].what == FIGURE_SCORE)
			return " Drives are ranked by the mean of queue depths 1, 2 and 4; the small pictures, one of "
			       "each drive, all have the same scale.";
		if (g[i].what == FIGURE_FILL_MEAN && n > MOST_NAMED)
			return " Each small picture has its own scale.";
	}
	return "";
}

/* What the tests of these figures did, as far as all runs did the same. */
static void explain(FILE *f, struct review *const *r, size_t n, const struct figure *g, size_t figures)
{
	const struct review **runs = xcalloc(n * figures + 1, sizeof *runs);
	const struct test_record **tests = xcalloc(n * figures + 1, sizeof *tests);
	size_t count = 0;
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < figures; k++) {
			const struct review_test *t = review_find(r[i], g[k].test, g[k].condition);
			if (!t || !isfinite(g[k].values[i].value))
				continue;
			runs[count] = r[i];
			tests[count++] = t->record;
		}
	char *text = settings_explain(runs, tests, count);
	write_xml(f, text);
	free(text);
	free(runs);
	free(tests);
}

/* The title of a figure's section. Only fills of which some were not of the whole drive have titles that differ. */
static const char *title_of(struct review *const *r, size_t n, const struct figure *g)
{
	const char *title = section_title(g->record);
	for (size_t i = 0; i < n; i++) {
		const struct review_test *t = review_find(r[i], g->test, g->condition);
		if (t && isfinite(g->values[i].value) && strcmp(section_title(t->record), title) != 0)
			return "Filling the drive";
	}
	return title;
}

static void contents(FILE *f, struct review *const *r, size_t n, const struct figure *g, size_t figures)
{
	fputs("<nav aria-label=\"Contents\"><ul>\n", f);
	for (size_t i = 0; i < figures; i++) {
		if (i > 0 && !strcmp(section_key(g[i].record), section_key(g[i - 1].record)))
			continue;
		fputs("<li><a href=\"#test-", f);
		write_xml(f, section_key(g[i].record));
		fputs("\">", f);
		write_xml(f, title_of(r, n, &g[i]));
		fputs("</a></li>\n", f);
	}
	fputs("<li><a href=\"#all\">All figures</a></li><li><a href=\"#drive\">Drives and runs</a></li>"
	      "<li><a href=\"#method\">How to read the rankings</a></li></ul></nav>\n",
		f);
}

/* "1st of 15 in burst random write ..." would be long: the headline counts first places, and names the fill. */
static char *headline(struct review *const *r, size_t n, const struct figure *g, size_t figures)
{
	size_t first = 0, ranked = 0;
	for (size_t i = 0; i < figures; i++) {
		ranked += g[i].values[0].rank > 0;
		first += g[i].values[0].rank == 1;
	}
	char *own = review_headline(r[0]);
	char *text = ranked ? xasprintf("%s. It is first, or cannot be told from the first, in %zu of %zu figures.",
				      own, first, ranked)
			    : xasprintf("%s.", own);
	free(own);
	return text;
}

void html_comparison(FILE *f, struct review *const *r, size_t n, const struct published *join)
{
	struct figure *g;
	size_t figures = figures_compare(r, n, &g);
	char *heading = n == 2 ? xasprintf("%s against %s", charts_run_name(r[0]), charts_run_name(r[1]))
			       : xasprintf("%s against %zu others", charts_run_name(r[0]), n - 1);
	char *sentence = headline(r, n, g, figures);
	html_begin(f, heading, "SSD comparison", heading, sentence);
	free(heading);
	free(sentence);
	fputs("<main>\n", f);
	size_t quick = 0, partial = 0;
	for (size_t i = 0; i < n; i++) {
		quick += r[i]->run->quick;
		partial += review_partial(r[i]);
	}
	if (partial)
		fprintf(f,
			"<p class=\"state\"><strong>%zu of these %zu runs %s incomplete.</strong> What was measured "
			"before the end is compared.</p>\n",
			partial, n, partial == 1 ? "is" : "are");
	if (quick)
		fprintf(f,
			"<p class=\"state\"><strong>A quick look%s.</strong> Sizes were scaled down; the figures are "
			"not those "
			"of a full run.</p>\n",
			quick < n ? " in some of these runs" : "");
	size_t differ = 0;
	for (size_t i = 0; i < figures; i++)
		differ += g[i].note != NULL;
	if (differ)
		fprintf(f,
			"<p class=\"state\"><strong>%zu of %zu figures were not measured alike.</strong> Settings or "
			"sizes "
			"differ between these runs: a note at each picture says which.</p>\n",
			differ, figures);
	if (figures)
		contents(f, r, n, g, figures);
	else
		fputs("<p class=\"state\">No test was done by two of these runs: there is nothing to compare.</p>\n",
			f);
	for (size_t i = 0; i < figures;) {
		struct chart_list charts = {0};
		size_t first = i;
		const char *key = section_key(g[first].record);
		for (; i < figures && !strcmp(section_key(g[i].record), key); i++)
			charts_of_figure(&charts, r, n, &g[i], join, i == first || strcmp(g[i].test, g[i - 1].test));
		fputs("<section>\n<h2 id=\"test-", f);
		write_xml(f, key);
		fputs("\">", f);
		write_xml(f, title_of(r, n, &g[first]));
		fputs("</h2>\n<p class=\"soft\">", f);
		explain(f, r, n, g + first, i - first);
		write_xml(f, how_shown(g + first, i - first, n));
		fputs("</p>\n", f);
		html_charts(f, &charts);
		fputs("</section>\n", f);
		chart_list_free(&charts);
	}
	if (figures)
		summary(f, r, n, g, figures);
	runs(f, r, n);
	fputs("<h2 id=\"method\">How to read the rankings</h2>\n<p>Drives whose difference is smaller than its "
	      "uncertainty have the "
	      "same rank, marked with =. The uncertainty is that of this run: what differs from run to run or from "
	      "drive to drive "
	      "is not in it. Scores are the mean of queue depths 1, 2 and 4. The settings of each test are in the "
	      "review of each "
	      "run.</p>\n",
		f);
	if (join)
		fputs("<p>Dashed bars marked as published were not measured here: they are what reviews and makers "
		      "have said, and have "
		      "no rank.</p>\n",
			f);
	html_end(f, r[0]->run, false);
	figures_free(g, figures);
}
