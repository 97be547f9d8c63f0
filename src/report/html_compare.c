// SPDX-License-Identifier: MIT
/* Several runs side by side. */
#include "base/mem.h"
#include "base/units.h"
#include "report/escape.h"
#include "report/html.h"
#include "report/svg.h"

#include <math.h>
#include <stdlib.h>

/* A cell that sorts by its number. */
static void sorted_cell(FILE *f, double v)
{
	char buf[NUMBER_BUF];
	if (isfinite(v))
		fprintf(f, "<td data-value=\"%.9g\">%s</td>", v, number_short(buf, v));
	else
		fputs("<td data-value=\"\">not measured</td>", f);
}

static void summary(FILE *f, struct review *const *r, size_t n)
{
	fputs("<h2 id=\"all\">All figures</h2>\n<div class=\"scroll\" tabindex=\"0\"><table "
	      "class=\"sortable\"><thead><tr>"
	      "<th scope=\"col\">drive</th><th scope=\"col\">capacity, GB</th><th scope=\"col\">cache, GB</th>"
	      "<th scope=\"col\">in it, MB/s</th><th scope=\"col\">after it, MB/s</th><th scope=\"col\">whole fill, "
	      "MB/s</th>"
	      "<th scope=\"col\">W</th><th scope=\"col\">J/GB</th></tr></thead><tbody>\n",
		f);
	for (size_t i = 0; i < n; i++) {
		const struct review_test *t = review_find(r[i], "fill", NULL);
		bool fill = t && t->kind == REVIEW_FILL;
		fputs("<tr><th scope=\"row\">", f);
		write_xml(f, charts_run_name(r[i]));
		fputs("</th>", f);
		double capacity = (double)r[i]->run->target.capacity_bytes / 1e9;
		sorted_cell(f, capacity > 0 ? capacity : NAN);
		sorted_cell(f, fill ? t->fill.figures.cache.bytes / 1e9 : NAN);
		sorted_cell(f, fill ? t->fill.figures.cache.mbps : NAN);
		sorted_cell(f, fill ? t->fill.figures.cache.after_mean_mbps : NAN);
		sorted_cell(f, fill ? t->fill.figures.mean_mbps : NAN);
		sorted_cell(f, fill ? t->fill.power.power_w : NAN);
		sorted_cell(f, fill ? t->fill.j_per_gb : NAN);
		fputs("</tr>\n", f);
	}
	fputs("</tbody></table></div>\n", f);
}

void html_comparison(FILE *f, struct review *const *r, size_t n)
{
	char *heading = xasprintf("%s against %zu other%s", charts_run_name(r[0]), n - 1, n == 2 ? "" : "s");
	char *headline = review_headline(r[0]), *sentence = xasprintf("%s.", headline);
	html_begin(f, heading, "SSD comparison", heading, sentence);
	free(heading);
	free(headline);
	free(sentence);
	fputs("<main>\n", f);
	struct chart_list charts = {0};
	charts_of_comparison(&charts, r, n);
	for (size_t i = 0; i < charts.n; i++)
		html_chart(f, charts.charts[i]);
	chart_list_free(&charts);
	summary(f, r, n);
	html_end(f, r[0]->run, true);
}
