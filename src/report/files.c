// SPDX-License-Identifier: MIT
/* Each chart of a report as files of its own, for an article. */
#include "base/mem.h"
#include "base/output.h"
#include "report/charts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static int make_folder(const char *dir, struct err *e)
{
	struct stat st;
	if (!mkdir(dir, 0777))
		return 0;
	if (errno != EEXIST)
		return err_set(e, exit_code_of_path(errno), "cannot make folder '%s': %s; give another place", dir,
			strerror(errno));
	if (stat(dir, &st) || !S_ISDIR(st.st_mode))
		return err_set(e, EXIT_USAGE, "cannot write into '%s': not a folder", dir);
	return 0;
}

static void write_svg(FILE *f, const struct chart *c)
{
	chart_svg(f, c,
		&(struct chart_drawing){.width = c->size == CHART_FULL ? 860 : 560, .standalone = true, .suffix = ""});
}

static int write_file(const char *dir, const struct chart *c, const char *extension,
	void (*write)(FILE *, const struct chart *), struct err *e)
{
	char *path = xasprintf("%s/%s.%s", dir, c->id, extension);
	FILE *f = output_open(path, "w", e);
	int rc = f ? 0 : -1;
	if (f) {
		write(f, c);
		bool bad = ferror(f);
		if (fclose(f) || bad)
			rc = err_set(e, exit_code_of_errno(errno), "cannot write '%s': %s", path, strerror(errno));
	}
	free(path);
	return rc;
}

int report_charts(const char *svg_dir, const char *csv_dir, struct run_record *const *runs, size_t n,
	const struct report_options *o, struct err *e)
{
	struct review **reviews = xcalloc(n + 1, sizeof *reviews);
	struct chart_list list = {0};
	int rc = 0;
	for (size_t i = 0; i < n; i++)
		review_attach(reviews[i] = review_build(runs[i]), o->published);
	if (n > 1)
		review_name_runs(reviews, n);
	struct section *sections = NULL;
	size_t nsections = n == 1 ? sections_of(reviews[0], &sections) : 0;
	if (n == 1)
		for (size_t i = 0; i < nsections; i++) {
			size_t k = list.n;
			charts_of_section(&list, reviews[0], &sections[i]);
			for (; k < list.n; k++)
				list.charts[k]->context =
					xasprintf("%s \xc2\xb7 %s", sections[i].title, charts_run_name(reviews[0]));
		}
	else
		charts_of_comparison(&list, reviews, n, o->join_published ? o->published : NULL);
	if (svg_dir)
		rc = make_folder(svg_dir, e);
	if (csv_dir && !rc)
		rc = make_folder(csv_dir, e);
	for (size_t i = 0; i < list.n && !rc; i++) {
		if (svg_dir)
			rc = write_file(svg_dir, list.charts[i], "svg", write_svg, e);
		if (csv_dir && !rc)
			rc = write_file(csv_dir, list.charts[i], "csv", chart_csv, e);
	}
	chart_list_free(&list);
	free(sections);
	for (size_t i = 0; i < n; i++)
		review_free(reviews[i]);
	free(reviews);
	return rc;
}
