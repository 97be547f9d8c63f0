// SPDX-License-Identifier: MIT
/* Writes the reports that the browser tests look at into a folder: made-up runs that went through a store, so that what
 * a chart shows can be compared with what the store holds. Usage: sample_reports FOLDER */
#include "base/mem.h"
#include "records.h"
#include "report/review.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct store *store;
static const char *folder;

static void fail_on(int rc, const struct err *e)
{
	if (!rc)
		return;
	fprintf(stderr, "sample_reports: %s\n", e->text);
	exit(1);
}

/* Puts a run into the store and takes it out again. */
static struct run_record *stored(struct run_record *made)
{
	struct err e = {0};
	struct run_record *run;
	int64_t id;
	fail_on(store_put_run(store, made, &id, &e), &e);
	fail_on(store_load(store, id, &run, &e), &e);
	run_record_free(made);
	return run;
}

static FILE *create(const char *name)
{
	char *path = xasprintf("%s/%s", folder, name);
	FILE *f = fopen(path, "w");
	struct err e = {.text = "cannot write into the folder"};
	fail_on(f ? 0 : -1, &e);
	free(path);
	return f;
}

static void html(const char *name, struct run_record *const *runs, size_t n, const struct published *published)
{
	struct err e = {0};
	struct report_options o = {.published = published, .join_published = true};
	FILE *f = create(name);
	fail_on(report_html(f, runs, n, &o, &e), &e);
	fclose(f);
}

/* The figures and the raw series of a run as the store has them. */
static void figures(const char *json_name, const char *csv_name, const struct run_record *run)
{
	struct err e = {0};
	struct review *r = review_build(run);
	json_t *doc = review_json(r);
	FILE *f = create(json_name);
	json_dumpf(doc, f, REVIEW_JSON_FLAGS);
	fclose(f);
	json_decref(doc);
	review_free(r);
	f = create(csv_name);
	fail_on(report_csv(f, run, NULL, &e), &e);
	fclose(f);
}

static void put(char **field, const char *value)
{
	free(*field);
	*field = xstrdup(value);
}

/* A long, restless fill: as many samples as are asked. */
static struct run_record *fill_of(int64_t id, size_t samples)
{
	struct run_record *r = record_run(id, "Dense 1 TB");
	struct phase_record *p = record_phase(
		record_test(r, "fill", "", "fill"), "fill", "write", "sequential", 3000, (double)samples / 4, 0.2, 5);
	record_samples(p, 900, (double)samples / 4, 0.5, 4);
	put(&p->end_reason, "capacity");
	return r;
}

int main(int argc, char **argv)
{
	static const char *const names[] = {"Phison E12 reference design 960GB (engineering sample)",
		"Samsung 960 PRO 2 TB", "Samsung 960 PRO 512 GB", "Kingston A1000 960 GB", "HP EX920 1 TB",
		"Samsung 970 EVO 1 TB", "Patriot Hellfire 480 GB", "Plextor M9PeGN 1 TB", "Toshiba OCZ RD400 1 TB",
		"WD Black 3D NVMe 1 TB", "Toshiba XG5 1 TB", "Intel Optane SSD 900P 280 GB", "Crucial MX500 1 TB",
		"Corsair MP700 2 TB", "tpu-617gb"};
	struct err e = {0};
	struct published *published;
	if (argc != 2)
		return 2;
	folder = argv[1];
	char *path = xasprintf("%s/runs.db", folder);
	fail_on(store_open(&store, path, STORE_WRITE, &e), &e);
	fail_on(published_load(&published, NULL, &e), &e);

	struct run_record *runs[ARRAY_SIZE(names)];
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		static const double scales[] = {
			0.6, 0.55, 0.52, 0.3, 0.5, 0.45, 0.4, 0.42, 0.38, 0.48, 0.47, 0.35, 0.08, 1.15, 1};
		struct run_record *made = record_review((int64_t)i + 1, names[i], scales[i]);
		/* One that is faster when fragmented: a negative loss. */
		for (size_t k = 0; k < made->ntests && i == 1; k++)
			if (!strcmp(made->tests[k].name, "seq-read"))
				strcpy(made->tests[k].condition,
					strcmp(made->tests[k].condition, "fresh") ? "fresh" : "fragmented");
		runs[i] = stored(made);
	}
	struct run_record *tested = runs[ARRAY_SIZE(names) - 1];
	html("review.html", &tested, 1, published);
	figures("review.json", "review.csv", tested);
	html("compare-3.html", runs, 3, NULL);
	html("compare-15.html", runs, ARRAY_SIZE(names), published);

	struct report_options o = {.published = published};
	char *svg = xasprintf("%s/svg", folder);
	fail_on(report_charts(svg, NULL, runs, ARRAY_SIZE(names), &o, &e), &e);
	fail_on(report_charts(svg, NULL, &tested, 1, &o, &e), &e);
	free(svg);

	struct run_record *evil = record_review(100, "</script><script>window.pwned = 1</script>", 1);
	put(&evil->label, "<img src=x onerror='window.pwned = 1'>");
	put(&evil->target.path, "\"><svg onload=\"window.pwned = 1\">");
	struct run_record *pair[] = {stored(evil), runs[0]};
	html("hostile.html", pair, 1, NULL);
	html("hostile-compare.html", pair, 2, NULL);

	/* Labels without a blank, of many words, and twice the same: alone, two of them, and more than are named. */
	struct run_record *labelled[8];
	char word[201];
	memset(word, 'W', 200);
	word[200] = 0;
	static const char many[] =
		"The second try with another heat sink and the firmware of last week, after a night in the fridge, "
		"on the test bench by the window, with the side panel off and the fan at full speed";
	const char *labels[ARRAY_SIZE(labelled)] = {word, word, many, many, "same", "same", "other", "same"};
	for (size_t i = 0; i < ARRAY_SIZE(labelled); i++) {
		struct run_record *made = record_review(110 + (int64_t)i, i ? "tpu-617gb" : word, 1 - 0.05 * (double)i);
		put(&made->label, labels[i]);
		labelled[i] = stored(made);
	}
	html("long.html", labelled, 1, NULL);
	html("long-compare-3.html", labelled, 3, NULL);
	html("long-compare-8.html", labelled, ARRAY_SIZE(labelled), published);
	char *long_svg = xasprintf("%s/long-svg", folder);
	struct report_options plain = {.published = NULL};
	fail_on(report_charts(long_svg, NULL, labelled, 3, &plain, &e), &e);
	fail_on(report_charts(long_svg, NULL, labelled, 1, &plain, &e), &e);
	free(long_svg);
	for (size_t i = 0; i < ARRAY_SIZE(labelled); i++)
		run_record_free(labelled[i]);

	/* A run that was cut short, without watts, without a cache's end. */
	struct run_record *bare = record_run(101, "Bare");
	struct test_record *t = record_test(bare, "fill", "", "fill");
	t->status = TEST_PARTIAL;
	t->reason = xstrdup("interrupted");
	record_phase(t, "fill", "write", "sequential", 500, 4, 0.02, NAN)->ended_early = true;
	record_test(bare, "recovery", "", "recovery")->status = TEST_NOT_RUN;
	bare->state = RUN_PARTIAL;
	bare->error = xstrdup("interrupted");
	bare = stored(bare);
	html("partial.html", &bare, 1, NULL);

	struct run_record *sparse = fill_of(102, 2000), *dense = fill_of(103, 2000000);
	html("sparse.html", &sparse, 1, NULL);
	html("dense.html", &dense, 1, NULL);
	run_record_free(sparse);
	run_record_free(dense);
	run_record_free(bare);
	run_record_free(pair[0]);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		run_record_free(runs[i]);
	published_free(published);
	store_close(store);
	free(path);
	return 0;
}
