// SPDX-License-Identifier: MIT
/* Nothing that a drive, a log or a file name says may become more than text: one test for each place it comes out. */
#include "unit.h"

#include "base/control.h"
#include "base/mem.h"
#include "records.h"
#include "report/charts.h"
#include "report/escape.h"

#include <stdlib.h>
#include <string.h>

#define EVIL "<script>alert(1)</script>\"'>&\x1b[31m\xff\xe2\x80\xae"

static void put(char **field, const char *value)
{
	free(*field);
	*field = xstrdup(value);
}

/* A run in which every text from outside is hostile. */
static struct run_record *hostile(void)
{
	struct run_record *r = record_review(1, EVIL, 1);
	put(&r->label, EVIL);
	put(&r->error, EVIL);
	put(&r->suite, EVIL);
	put(&r->tool_version, EVIL);
	put(&r->power_source, EVIL);
	put(&r->host, "{\"<b>cpu</b>\":\"<script>alert(1)</script>\"}");
	put(&r->target.path, EVIL);
	put(&r->target.serial, EVIL);
	put(&r->target.firmware, EVIL);
	put(&r->target.engine, EVIL);
	strcpy(r->target.kind, "<i>kind</i>");
	r->state = RUN_PARTIAL;
	r->nwarnings = 1;
	r->warnings = xcalloc(1, sizeof *r->warnings);
	strcpy(r->warnings[0].code, "<code>");
	r->warnings[0].text = xstrdup(EVIL);
	struct test_record *t = record_test(r, "<b>name</b>", "<u>fresh</u>", "fill");
	t->status = TEST_FAILED;
	t->reason = xstrdup(EVIL);
	t->erase = xstrdup(EVIL);
	put(&t->params, "{\"<b>key</b>\":\"<script>alert(1)</script>\"}");
	t->nwarnings = 1;
	t->warnings = xcalloc(1, sizeof *t->warnings);
	t->warnings[0].text = xstrdup(EVIL);
	struct phase_record *p = record_phase(t, "<b>phase</b>", "<b>", "<i>", 500, 20, 0.01, 4);
	put(&p->end_reason, EVIL);
	return r;
}

static char *html_of(struct run_record *const *runs, size_t n)
{
	char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);
	struct err e = {0};
	assert_int_equal(report_html(f, runs, n, &(struct report_options){0}, &e), 0);
	fclose(f);
	assert_int_equal(strlen(text), size);
	return text;
}

static void assert_harmless(const char *text)
{
	static const char *const tags[] = {"<script>alert", "<b>name", "<b>key", "<b>phase", "<b>cpu", "<i>kind",
		"<u>fresh", "<code>", "\x1b", "\xff", "\xe2\x80\xae"};
	for (size_t i = 0; i < ARRAY_SIZE(tags); i++)
		if (strstr(text, tags[i]))
			fail_msg("'%s' came through", tags[i]);
}

static void html(void **state)
{
	struct run_record *run = hostile();
	char *text = html_of(&run, 1);
	assert_harmless(text);
	/* It is shown, as what it is. */
	assert_non_null(strstr(text, "<h1>&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&gt;&amp;\xef\xbf\xbd[31m"));
	free(text);
	run_record_free(run);
}

static void html_of_several(void **state)
{
	struct run_record *runs[] = {hostile(), hostile(), record_review(3, "plain", 0.8)};
	char *text = html_of(runs, 3);
	assert_harmless(text);
	assert_non_null(strstr(text, "&lt;script&gt;alert(1)"));
	free(text);
	for (int i = 0; i < 3; i++)
		run_record_free(runs[i]);
}

static void terminal(void **state)
{
	struct run_record *run = hostile();
	char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);
	report_text(f, run);
	fclose(f);
	for (const unsigned char *s = (const unsigned char *)text; *s; s++)
		assert_true((*s >= 0x20 && *s != 0x7f) || *s == '\n');
	assert_null(strstr(text, "\xe2\x80\xae"));
	assert_non_null(strstr(text, "<script>alert(1)"));
	free(text);
	run_record_free(run);
}

static void json(void **state)
{
	struct run_record *run = hostile();
	struct review *r = review_build(run);
	json_t *doc = review_json(r);
	char *text = json_dumps(doc, REVIEW_JSON_FLAGS);
	assert_non_null(text);
	json_t *again = json_loads(text, 0, NULL);
	assert_non_null(again);
	const char *model = json_string_value(json_object_get(json_object_get(again, "target"), "model"));
	assert_int_equal(strncmp(model, "<script>alert(1)", 16), 0);
	json_decref(again);
	json_decref(doc);
	json_t *list = review_runs_json(run, 1);
	assert_int_equal(json_array_size(json_object_get(list, "runs")), 1);
	json_decref(list);
	free(text);
	review_free(r);
	run_record_free(run);
}

static void csv(void **state)
{
	char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);
	write_csv_field(f, "=cmd|\"x\"\n,");
	fclose(f);
	assert_string_equal(text, "\"'=cmd|\"\"x\"\"\xef\xbf\xbd,\"");
	free(text);
}

static void svg(void **state)
{
	struct run_record *runs[] = {hostile(), hostile()};
	struct review *r[] = {review_build(runs[0]), review_build(runs[1])};
	struct chart_list list = {0};
	struct section *sections;
	size_t nsections = sections_of(r[0], &sections);
	for (size_t i = 0; i < nsections; i++)
		charts_of_section(&list, r[0], &sections[i]);
	free(sections);
	charts_of_comparison(&list, r, 2, NULL);
	assert_true(list.n > 3);
	char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);
	for (size_t i = 0; i < list.n; i++) {
		chart_svg(f, list.charts[i], &(struct chart_drawing){.width = 860, .standalone = true, .suffix = ""});
		chart_table(f, list.charts[i]);
		/* The id is a file's name too. */
		assert_int_equal(strspn(list.charts[i]->id, "abcdefghijklmnopqrstuvwxyz0123456789-"),
			strlen(list.charts[i]->id));
	}
	fclose(f);
	assert_harmless(text);
	free(text);
	chart_list_free(&list);
	for (int i = 0; i < 2; i++) {
		review_free(r[i]);
		run_record_free(runs[i]);
	}
}

static void utf8_is_kept_and_the_rest_marked(void **state)
{
	static const char *const cases[][2] = {
		{"Größe \xe6\xbc\xa2 \xf0\x9f\x92\xbe", "Größe \xe6\xbc\xa2 \xf0\x9f\x92\xbe"},
		{"\xc0\xaf", "\xef\xbf\xbd\xef\xbf\xbd"},				  /* overlong */
		{"\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},		  /* a surrogate */
		{"\xf4\x90\x80\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"}, /* beyond Unicode */
		{"a\xe6\xbc", "a\xef\xbf\xbd\xef\xbf\xbd"},				  /* cut off */
		{"tab\tand\x7f", "tab\xef\xbf\xbd"
				 "and\xef\xbf\xbd"},
		{"", ""},
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char *clean = clean_text(cases[i][0]);
		assert_string_equal(clean, cases[i][1]);
		free(clean);
	}
	assert_null(clean_text(NULL));
}

/* One predicate for all: C0, DEL, and C1 as UTF-8 has it; nothing else, and no byte of a longer character. */
static void control_characters(void **state)
{
	assert_int_equal(control_at("\x1b[31m"), 1);
	assert_int_equal(control_at("\n"), 1);
	assert_int_equal(control_at("\x7f"), 1);
	assert_int_equal(control_at("\xc2\x9b"
				    "31m"),
		2);
	assert_int_equal(control_at(""), 0);
	assert_int_equal(control_at(" "), 0);
	assert_int_equal(control_at("\xc2\xa0"), 0);
	assert_int_equal(control_at("\xc2"), 0);
	assert_int_equal(control_at("\xc3\x9b"), 0);
	char text[] = "a\tb\xc2\x9b"
		      "c\xc3\x9b\x7f";
	replace_controls(text, '?');
	assert_string_equal(text, "a?b??c\xc3\x9b?");
	char *clean = clean_text("a\xc2\x9b"
				 "b\x7f");
	assert_string_equal(clean, "a\xef\xbf\xbd"
				   "b\xef\xbf\xbd");
	free(clean);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(control_characters),
		cmocka_unit_test(html),
		cmocka_unit_test(html_of_several),
		cmocka_unit_test(terminal),
		cmocka_unit_test(json),
		cmocka_unit_test(csv),
		cmocka_unit_test(svg),
		cmocka_unit_test(utf8_is_kept_and_the_rest_marked),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
