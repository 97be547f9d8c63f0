// SPDX-License-Identifier: MIT
/* What is published about a drive beside what was measured. */
#include "base/mem.h"
#include "report/escape.h"
#include "report/html.h"
#include "report/svg.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* "Samsung SSD 970 EVO 1TB" and "Samsung 970 EVO 1 TB" are the same drive: lower case, letters and digits, no "ssd". */
static char *plain_name(const char *name)
{
	char *plain = xmalloc(strlen(name) + 1), *to = plain;
	for (; *name; name++) {
		if (!strncasecmp(name, "ssd", 3))
			name += 2;
		else if (isalnum((unsigned char)*name))
			*to++ = (char)tolower((unsigned char)*name);
	}
	*to = 0;
	return plain;
}

void review_attach(struct review *r, const struct published *all)
{
	const struct target_record *t = &r->run->target;
	r->published = NULL;
	if (!all)
		return;
	if (!strcmp(t->kind, "sim") && t->path && !strncmp(t->path, "sim:", 4)) {
		char *id = xstrdup(t->path + 4);
		id[strcspn(id, ",")] = 0;
		r->published = published_find(all, id);
		free(id);
	} else if (t->model && *t->model) {
		char *model = plain_name(t->model);
		for (size_t i = 0; i < all->n && !r->published; i++) {
			char *name = plain_name(all->drives[i].name);
			if (!strcmp(name, model))
				r->published = &all->drives[i];
			free(name);
		}
		free(model);
	}
}

/* The highest value over the points of a sweep, fresh if there is a choice. */
static double sweep_top(const struct review *r, const char *name, bool iops)
{
	const struct review_test *t = review_find(r, name, "fresh");
	double top = NAN;
	if (!t)
		t = review_find(r, name, NULL);
	for (size_t i = 0; t && t->kind == REVIEW_SWEEP && i < t->sweep.npoints; i++)
		top = fmax(top, iops ? t->sweep.points[i].iops : t->sweep.points[i].mbps);
	return top;
}

static double fill_figure(const struct review *r, const char *name)
{
	const struct review_test *t = review_find(r, "fill", NULL);
	if (!t || t->kind != REVIEW_FILL)
		return NAN;
	const struct fill_figures *g = &t->fill.figures;
	return !strcmp(name, "cache-size")  ? g->cache.bytes / 1e9
	       : !strcmp(name, "fill-mean") ? g->mean_mbps
					    : g->cache.after_mbps;
}

/* What was measured of a published figure, in the unit in which it is published; NAN = nothing that compares. */
static double measured(const struct review *r, const char *name)
{
	if (!strcmp(name, "cache-size") || !strcmp(name, "fill-mean") || !strcmp(name, "after-cache") ||
		!strcmp(name, "rated-after-cache"))
		return fill_figure(r, name);
	if (!strcmp(name, "rated-seq-read"))
		return sweep_top(r, "seq-read", false);
	if (!strcmp(name, "rated-seq-write"))
		return sweep_top(r, "seq-write", false);
	if (!strcmp(name, "rated-rand-read"))
		return sweep_top(r, "rand-read", true);
	if (!strcmp(name, "rated-rand-write"))
		return sweep_top(r, "rand-write", true);
	const struct review_test *t = review_find(r, "burst-seq-read", NULL);
	return !strcmp(name, "burst-seq-read") && t && t->kind == REVIEW_BURST ? t->burst.mbps : NAN;
}

static const struct {
	const char *figure, *words;
} words[] = {
	{"cache-size", "pSLC cache"},
	{"fill-mean", "Whole-drive write, mean"},
	{"after-cache", "Write speed after the cache"},
	{"rated-after-cache", "Write speed after the cache, rated"},
	{"burst-seq-read", "Burst sequential read"},
	{"rated-seq-read", "Sequential read, rated"},
	{"rated-seq-write", "Sequential write, rated"},
	{"rated-rand-read", "Random read, rated"},
	{"rated-rand-write", "Random write, rated"},
};

/* What a published figure is called; NULL where none that is shown has that name. */
static const char *words_of(const char *figure)
{
	for (size_t k = 0; k < ARRAY_SIZE(words); k++)
		if (!strcmp(words[k].figure, figure))
			return words[k].words;
	return NULL;
}

bool html_has_published(const struct review *r)
{
	for (size_t i = 0; r->published && i < r->published->nfigures; i++)
		if (words_of(r->published->figures[i].figure))
			return true;
	return false;
}

void html_published(FILE *f, const struct review *r)
{
	const struct published_drive *d = r->published;
	if (!html_has_published(r))
		return;
	fputs("<h2 id=\"published\">What is published about this drive</h2>\n<p class=\"soft\">Of ", f);
	write_xml(f, d->name);
	fputs("; measured is the figure of this report that compares best.</p>\n<div class=\"scroll\" tabindex=\"0\" "
	      "role=\"group\" aria-label=\"Table\"><table>"
	      "<thead><tr><th scope=\"col\">figure</th><th scope=\"col\">published</th><th scope=\"col\">measured</th>"
	      "<th scope=\"col\" class=\"why\">source</th></tr></thead><tbody>\n",
		f);
	for (size_t i = 0; i < d->nfigures; i++) {
		const struct published_figure *p = &d->figures[i];
		const char *name = words_of(p->figure);
		if (!name)
			continue;
		char a[NUMBER_BUF], b[NUMBER_BUF];
		static const char *const bounds[] = {"", "at least ", "at most "};
		double here = measured(r, p->figure);
		fprintf(f, "<tr><th scope=\"row\">%s</th><td>%s%s ", name, bounds[p->bound], number_short(a, p->value));
		write_xml(f, p->unit);
		fprintf(f, "%s</td><td>%s ", p->derived ? " (derived)" : "",
			isfinite(here) ? number_short(b, here) : "not");
		write_xml(f, isfinite(here) ? p->unit : "measured");
		fputs("</td><td class=\"why\">", f);
		write_xml(f, p->source);
		fputs("</td></tr>\n", f);
	}
	fputs("</tbody></table></div>\n", f);
}
