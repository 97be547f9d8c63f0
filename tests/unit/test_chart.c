// SPDX-License-Identifier: MIT
/* Charts: ticks, the room of texts, and pictures of small fixed data against files that were looked at (golden/). With
 * SSDSCOPE_UPDATE_GOLDEN set, those files are written instead. */
#include "unit.h"

#include "base/mem.h"
#include "report/labels.h"
#include "report/svg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void round_ticks(void **state)
{
	static const struct {
		double lo, hi;
		int target;
		double step, first, last;
		int decimals;
	} cases[] = {
		{0, 7030, 5, 2000, 0, 8000, 0},
		{0, 2000.4, 6, 500, 0, 2500, 0},
		{0, 0.7, 5, 0.2, 0, 0.8, 1},
		{33.5, 71, 5, 10, 30, 80, 0},
		{0, 12, 5, 2.5, 0, 12.5, 1},
		{5, 5, 4, 0.25, 4.5, 5.5, 2},
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct ticks t = ticks_linear(cases[i].lo, cases[i].hi, cases[i].target);
		assert_true(fabs(t.value[1] - t.value[0] - cases[i].step) < 1e-9);
		assert_true(fabs(t.value[0] - cases[i].first) < 1e-9);
		assert_true(fabs(t.value[t.n - 1] - cases[i].last) < 1e-9);
		assert_int_equal(t.decimals, cases[i].decimals);
		assert_true(t.lo <= cases[i].lo && t.hi >= cases[i].hi);
	}
	struct ticks t = ticks_log(1, 32, SCALE_LOG2);
	assert_int_equal(t.n, 6);
	assert_true(t.value[3] == 8);
	assert_true(fabs(axis_place(&t, 8) - 0.6) < 1e-9);
	t = ticks_log(37, 8900, SCALE_LOG10); /* 20, 50, 100 ... 10,000 */
	assert_int_equal(t.n, 9);
	assert_true(fabs(t.value[0] - 20) < 1e-9 && fabs(t.value[8] - 10000) < 1e-6);
	t = ticks_log(52, 73, SCALE_LOG10); /* 50, 60, 70, 80 */
	assert_int_equal(t.n, 4);
	assert_true(fabs(t.value[0] - 50) < 1e-9 && fabs(t.value[3] - 80) < 1e-9);
	t = ticks_log(5, 5, SCALE_LOG10);
	assert_true(t.n >= 2 && t.hi > t.lo);
	char buf[NUMBER_BUF];
	t = ticks_log(0.25, 70, SCALE_LOG10);
	assert_string_equal(tick_text(buf, &t, 0), "0.2");
	t = ticks_log(0.5, 1e6, SCALE_LOG10); /* powers of ten alone */
	assert_int_equal(t.n, 7);
	assert_true(fabs(t.value[0] - 1) < 1e-9);
}

static void numbers(void **state)
{
	char buf[NUMBER_BUF];
	assert_string_equal(number_text(buf, 1234567.89, 1), "1,234,567.9");
	assert_string_equal(number_text(buf, -0.01, 1), "0.0");
	assert_string_equal(number_text(buf, -1234, 0), "-1,234");
	assert_string_equal(number_text(buf, 999, 0), "999");
	assert_string_equal(number_short(buf, 7033.2), "7,033");
	assert_string_equal(number_short(buf, 70.33), "70.3");
	assert_string_equal(number_short(buf, 7.033), "7.03");
	assert_string_equal(number_short(buf, 0.00512), "0.00512");
	assert_string_equal(number_short(buf, 0.002), "0.002");
	assert_string_equal(number_short(buf, 0.5), "0.500");
	assert_string_equal(number_short(buf, 0), "0");
	assert_string_equal(number_short(buf, NAN), "nan");
}

static void texts_are_cut_to_fit(void **state)
{
	char *s = text_fit("Samsung SSD 970 EVO Plus 1 TB", 12, 90);
	assert_true(text_width(s, 12) <= 90);
	assert_int_equal(strncmp(s, "Samsung", 7), 0);
	assert_string_equal(s + strlen(s) - 3, "\xe2\x80\xa6");
	free(s);
	s = text_fit("short", 12, 900);
	assert_string_equal(s, "short");
	free(s);
	/* A cut never falls into a character. */
	s = text_fit("\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4", 12, 40);
	assert_int_equal((strlen(s) - 3) % 2, 0);
	free(s);
}

static void labels_keep_their_distance(void **state)
{
	struct end_label e[40];
	for (int i = 0; i < 15; i++)
		e[i] = (struct end_label){.series = (size_t)i, .y = 100 + (i % 3)};
	labels_spread(e, 15, 15, 0, 300);
	for (int i = 0; i < 15; i++) {
		assert_true(e[i].placed >= -1e-9 && e[i].placed <= 300 + 1e-9);
		assert_true(i == 0 || e[i].placed >= e[i - 1].placed + 15 - 1e-9);
	}
	/* Those that are far apart stay where they are. */
	e[0].y = 20, e[1].y = 120, e[2].y = 250;
	labels_spread(e, 3, 15, 0, 300);
	assert_true(e[0].placed == 20 && e[1].placed == 120 && e[2].placed == 250);
}

static void golden(const char *name, const struct chart *c, int width)
{
	char *text = NULL, *wanted;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);
	chart_svg(f, c, &(struct chart_drawing){.width = width, .suffix = ""});
	fclose(f);
	char *path = xasprintf("%s/%s.svg", GOLDEN_DIR, name);
	if (getenv("SSDSCOPE_UPDATE_GOLDEN")) {
		f = fopen(path, "w");
		assert_non_null(f);
		fwrite(text, 1, size, f);
		fclose(f);
	}
	f = fopen(path, "r");
	if (!f)
		fail_msg("%s is missing", path);
	wanted = xcalloc(size + 2, 1);
	assert_int_equal(fread(wanted, 1, size + 1, f), size);
	fclose(f);
	assert_string_equal(text, wanted);
	free(path);
	free(text);
	free(wanted);
}

static struct chart *curve(size_t n)
{
	struct chart *c = chart_new(CHART_CURVE, "curve", "A curve");
	c->x = (struct chart_axis){.name = "written", .unit = "GB", .from_zero = true};
	c->y = (struct chart_axis){.name = "", .unit = "MB/s", .from_zero = true};
	struct chart_series *s = chart_add_series(c, "speed", n, false);
	for (size_t i = 0; i < n; i++) {
		s->x[i] = 100.0 * (double)(i + 1) / (double)n;
		s->y[i] = i < n / 2 ? 3000 + 10 * (double)(i % 2) : 1000 + 100 * (double)(i % 3);
	}
	chart_add_band(c, 0, 50, "3,005 MB/s");
	chart_add_band(c, 50, 100, "1,100 MB/s");
	chart_add_mark(c, 50, 49, 51, "cache ends at 50.0 GB (49.0 to 51.0)")->short_label =
		xstrdup("cache ends at 50.0 GB");
	return c;
}

static void curve_of_steps(void **state)
{
	struct chart *c = curve(20);
	golden("curve-steps", c, 860);
	golden("curve-narrow", c, 380);
	chart_free(c);
}

static void curve_denser_than_pixels(void **state)
{
	struct chart *c = curve(5000);
	golden("curve-dense", c, 860);
	chart_free(c);
}

static void lines_with_intervals(void **state)
{
	struct chart *c = chart_new(CHART_LINES, "lines", "Lines");
	c->x = (struct chart_axis){.name = "queue depth", .unit = "", .scale = SCALE_LOG2};
	c->y = (struct chart_axis){.name = "", .unit = "MB/s", .from_zero = true};
	static const char *const names[] = {"fresh", "fragmented"};
	for (int k = 0; k < 2; k++) {
		struct chart_series *s = chart_add_series(c, names[k], 6, true);
		s->look.dashed = k;
		for (int i = 0; i < 6; i++) {
			s->x[i] = 1 << i;
			s->y[i] = 500 * (i + 1) - 200 * k;
			s->lo[i] = s->y[i] - 150;
			s->hi[i] = s->y[i] + 150;
		}
		s->y[4] = k ? NAN : s->y[4];
	}
	golden("lines", c, 860);
	chart_free(c);
}

static void bars_with_dots(void **state)
{
	struct chart *c = chart_new(CHART_BARS, "bars", "Bars");
	c->y = (struct chart_axis){.name = "", .unit = "MB/s", .from_zero = true};
	c->better_high = true;
	for (int i = 0; i < 3; i++) {
		static const char *const names[] = {"a drive", "another drive with a name", "third"};
		struct chart_bar *b = chart_add_bar(c, names[i], i == 2 ? NAN : 2000 - 600 * i);
		b->look = (struct chart_look){.colour = i ? 7 : 0, .faint = i > 0, .published = i == 1};
		b->ndots = i ? 0 : 3;
		b->dots = xcalloc(3, sizeof *b->dots);
		for (int k = 0; k < 3; k++)
			b->dots[k] = 1900 + 100 * k;
	}
	golden("bars", c, 860);
	golden("bars-narrow", c, 380);
	chart_free(c);
}

static void bars_below_zero(void **state)
{
	struct chart *c = chart_new(CHART_BARS, "losses", "Losses");
	c->y = (struct chart_axis){.name = "", .unit = "%", .from_zero = true};
	c->better_low = true;
	static const double values[] = {-21.4, -0.5, 0, 42.9};
	for (int i = 0; i < 4; i++)
		chart_add_bar(c, "a drive with a long name", values[i]);
	golden("bars-below-zero", c, 860);
	golden("bars-below-zero-narrow", c, 380);
	chart_free(c);
}

static void scatter(void **state)
{
	struct chart *c = chart_new(CHART_SCATTER, "scatter", "Scatter");
	c->x = (struct chart_axis){.name = "power", .unit = "W", .from_zero = true};
	c->y = (struct chart_axis){.name = "speed", .unit = "MB/s", .from_zero = true};
	for (int i = 0; i < 4; i++) {
		char name[16];
		snprintf(name, sizeof name, "drive %d", i);
		struct chart_series *s = chart_add_series(c, name, 1, false);
		s->x[0] = 4 + 0.1 * i;
		s->y[0] = 2000;
		s->look.faint = i > 0;
	}
	c->better_corner = true;
	golden("scatter", c, 860);
	chart_free(c);
}

/* Fifteen points in a heap, two of them at the same place: no room for names, so there are numbers and a key. */
static void scatter_of_a_crowd(void **state)
{
	struct chart *c = chart_new(CHART_SCATTER, "crowd", "Crowd");
	c->x = (struct chart_axis){.name = "power", .unit = "W", .from_zero = true};
	c->y = (struct chart_axis){.name = "speed", .unit = "MB/s", .from_zero = true};
	for (int i = 0; i < 15; i++) {
		char name[40];
		snprintf(name, sizeof name, "a drive with a long name %d", i);
		struct chart_series *s = chart_add_series(c, name, 1, false);
		s->x[0] = i == 1 ? 3 : 3 + 0.03 * (i * 7 % 15);
		s->y[0] = i == 1 ? 2000 : 2000 + 10 * i;
		s->look.faint = i > 0;
	}
	golden("scatter-crowd", c, 860);
	golden("scatter-crowd-narrow", c, 380);
	chart_free(c);
}

/* Every label is placed, within the box, and covers no point and no other; no line crosses one. */
static void names_of_points_are_apart(void **state)
{
	enum { COUNT = 20 };
	struct point_label l[COUNT] = {0};
	char names[COUNT][8];
	const struct box inside = {40, 20, 380, 320};
	for (int i = 0; i < COUNT; i++) {
		snprintf(names[i], sizeof names[i], "%d", i + 1);
		l[i].name = names[i];
		l[i].look.faint = true;
		l[i].x = 150 + 29 * (i % 3) + (i * 13 % 11);
		l[i].y = 100 + 11 * (i / 3);
	}
	l[1].x = l[0].x, l[1].y = l[0].y;
	assert_int_equal(labels_place(l, COUNT, &inside, 20, true), COUNT);
	struct box boxes[COUNT];
	for (int i = 0; i < COUNT; i++) {
		double w = text_width(l[i].name, 12);
		boxes[i] = (struct box){l[i].right ? l[i].at_x : l[i].at_x - w, l[i].at_y - 7,
			l[i].right ? l[i].at_x + w : l[i].at_x, l[i].at_y + 7};
		assert_true(boxes[i].x0 >= inside.x0 && boxes[i].x1 <= inside.x1);
		assert_true(boxes[i].y0 >= inside.y0 && boxes[i].y1 <= inside.y1);
		for (int k = 0; k < i; k++)
			assert_true(boxes[i].x0 >= boxes[k].x1 || boxes[k].x0 >= boxes[i].x1 ||
				    boxes[i].y0 >= boxes[k].y1 || boxes[k].y0 >= boxes[i].y1);
	}
	for (int i = 0; i < COUNT; i++)
		for (int at = 0; l[i].leader && at <= 100; at++)
			for (int k = 0; k < COUNT; k++) {
				double x = l[i].x + (l[i].at_x - l[i].x) * at / 100,
				       y = l[i].y + (l[i].at_y - l[i].y) * at / 100;
				assert_true(k == i || x <= boxes[k].x0 || x >= boxes[k].x1 || y <= boxes[k].y0 ||
					    y >= boxes[k].y1);
			}
}

static void nothing_to_draw(void **state)
{
	struct chart *c = chart_new(CHART_CURVE, "empty", "Nothing");
	chart_add_series(c, "speed", 0, false);
	golden("empty", c, 380);
	chart_free(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(round_ticks),
		cmocka_unit_test(numbers),
		cmocka_unit_test(texts_are_cut_to_fit),
		cmocka_unit_test(labels_keep_their_distance),
		cmocka_unit_test(curve_of_steps),
		cmocka_unit_test(curve_denser_than_pixels),
		cmocka_unit_test(lines_with_intervals),
		cmocka_unit_test(bars_with_dots),
		cmocka_unit_test(bars_below_zero),
		cmocka_unit_test(scatter),
		cmocka_unit_test(scatter_of_a_crowd),
		cmocka_unit_test(names_of_points_are_apart),
		cmocka_unit_test(nothing_to_draw),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
