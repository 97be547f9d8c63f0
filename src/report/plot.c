// SPDX-License-Identifier: MIT
/* Pictures with an x and a y axis: curves, lines, scatter. */
#include "base/mem.h"
#include "report/escape.h"
#include "report/scatter.h"
#include "report/svg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FONT 12.0
#define ROW 17.0 /* height of a line of text */

/* Room at the sides; within a document the text around it has its own. */
static double pad_of(const struct chart_drawing *d)
{
	return d->standalone ? 12 : 0;
}

/* Where things are, in px. */
struct layout {
	double left, top, width, height; /* of the plot's inside */
	double total;			 /* height of the picture */
	double bands_y, marks_y;	 /* baselines of the first row of each; 0 = none */
	struct ticks x, y;
	bool direct; /* series are named at their ends */
};

static double px(const struct layout *l, double x)
{
	return l->left + axis_place(&l->x, x) * l->width;
}

static double py(const struct layout *l, double y)
{
	return l->top + (1 - axis_place(&l->y, y)) * l->height;
}

static bool on_scale(const struct chart_axis *a, double v)
{
	return isfinite(v) && (a->scale == SCALE_LINEAR || v > 0);
}

/* The ends of the data on both axes; false where there is none. */
static bool extent(const struct chart *c, double x[2], double y[2])
{
	x[0] = y[0] = INFINITY;
	x[1] = y[1] = -INFINITY;
	for (size_t i = 0; i < c->nseries; i++) {
		const struct chart_series *s = &c->series[i];
		if (c->kind == CHART_CURVE && s->n && on_scale(&c->x, s->x_start))
			x[0] = fmin(x[0], s->x_start);
		for (size_t k = 0; k < s->n; k++) {
			if (!on_scale(&c->x, s->x[k]) || !on_scale(&c->y, s->y[k]))
				continue;
			x[0] = fmin(x[0], s->x[k]);
			x[1] = fmax(x[1], s->x[k]);
			y[0] = fmin(y[0], s->y[k]);
			y[1] = fmax(y[1], s->y[k]);
			if (s->lo && on_scale(&c->y, s->lo[k]))
				y[0] = fmin(y[0], s->lo[k]);
			if (s->hi && on_scale(&c->y, s->hi[k]))
				y[1] = fmax(y[1], s->hi[k]);
		}
	}
	return x[1] >= x[0] && y[1] >= y[0];
}

static struct ticks make_ticks(const struct chart_axis *a, const double data[2], int target)
{
	double lo = data[0], hi = data[1];
	if (a->lo != 0 || a->hi != 0)
		lo = a->lo, hi = a->hi;
	if (a->scale != SCALE_LINEAR)
		return ticks_log(lo, hi, a->scale);
	if (a->from_zero)
		lo = fmin(lo, 0);
	return ticks_linear(lo, hi, target);
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

/* Ticks at the points themselves, as far as their labels have room. The axis ends with them. */
static struct ticks ticks_at_points(const struct chart *c, double width)
{
	struct ticks all = {.scale = c->x.scale}, t;
	for (size_t i = 0; i < c->nseries; i++)
		for (size_t k = 0; k < c->series[i].n && all.n < MOST_TICKS; k++)
			if (on_scale(&c->x, c->series[i].x[k]))
				all.value[all.n++] = c->series[i].x[k];
	qsort(all.value, (size_t)all.n, sizeof all.value[0], by_size);
	double (*log_of)(double) = all.scale == SCALE_LOG2 ? log2 : log10;
	double first = all.value[0], last = all.value[all.n - 1];
	all.lo = all.scale == SCALE_LINEAR ? first : log_of(first);
	all.hi = all.scale == SCALE_LINEAR ? last : log_of(last);
	if (all.hi <= all.lo)
		all.lo -= 0.5, all.hi += 0.5;
	t = all;
	t.n = 0;
	double end = -INFINITY;
	for (int i = 0; i < all.n; i++) {
		char buf[NUMBER_BUF];
		double at = axis_place(&all, all.value[i]) * width,
		       half = text_width(tick_text(buf, &all, i), FONT) / 2;
		if (at - half < end + 8)
			continue;
		t.value[t.n++] = all.value[i];
		end = at + half;
	}
	return t;
}

/* Ticks of x: as many as leave room between their labels. A curve's axis ends with the data, not at a tick. */
static struct ticks x_ticks(const struct chart *c, const double data[2], double width)
{
	if (c->x.at_points)
		return ticks_at_points(c, width);
	struct ticks t;
	for (int target = (int)fmax(2, width / 80);; target--) {
		t = make_ticks(&c->x, data, target);
		if (c->kind == CHART_CURVE && c->x.scale == SCALE_LINEAR && data[1] > t.lo) {
			t.hi = data[1];
			while (t.n > 1 && t.value[t.n - 1] > t.hi + 1e-9 * fabs(t.hi))
				t.n--;
		}
		double spacing = width / (t.hi - t.lo) * (t.n > 1 ? t.value[1] - t.value[0] : t.hi - t.lo);
		if (target <= 1 || t.scale != SCALE_LINEAR || tick_width(&t, FONT) + 10 <= spacing)
			return t;
	}
}

/* Name and unit of an axis: "written, GB", or one of them. */
static char *axis_title(const struct chart_axis *a)
{
	return xasprintf("%s%s%s", a->name, *a->name && *a->unit ? ", " : "", a->unit);
}

/* Between a tick's label and the frame. A point of lines may sit on the frame, half of it outside. */
static double tick_gap(const struct chart *c)
{
	return c->kind == CHART_LINES ? 11 : 7;
}

static void draw_axes(FILE *f, const struct chart *c, const struct layout *l)
{
	char buf[NUMBER_BUF];
	double bottom = l->top + l->height, right = l->left + l->width;
	for (int i = 0; i < l->y.n; i++) {
		double y = py(l, l->y.value[i]);
		svg_line(f, l->left, y, right, y, "grid");
		tick_text(buf, &l->y, i);
		svg_text(f, l->left - tick_gap(c), y + 4, "end", "tick", buf);
	}
	for (int i = 0; i < l->x.n; i++) {
		double x = px(l, l->x.value[i]);
		svg_line(f, x, bottom, x, bottom + 4, "axis");
		tick_text(buf, &l->x, i);
		svg_text(f, x, bottom + 18, "middle", "tick", buf);
	}
	svg_line(f, l->left, bottom, right, bottom, "axis");
	char *x_title = axis_title(&c->x);
	svg_text(f, l->left + l->width / 2, bottom + 36, "middle", "value", x_title);
	free(x_title);
}

static void draw_bands(FILE *f, const struct chart *c, const struct layout *l)
{
	for (size_t i = 0; i < c->nbands; i++) {
		const struct chart_band *b = &c->bands[i];
		double from = fmax(px(l, b->from), l->left), to = fmin(px(l, b->to), l->left + l->width);
		if (!(to > from))
			continue;
		double y = l->bands_y - ROW + 3;
		fprintf(f, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" class=\"band%s\"/>\n", from, y,
			to - from, l->top + l->height - y, b->accent ? " accent" : "");
		if (text_width(b->label, FONT) + 6 <= to - from)
			svg_text(f, (from + to) / 2, l->bands_y, "middle", "value", b->label);
	}
}

static void draw_marks(FILE *f, const struct chart *c, const struct layout *l)
{
	double right = l->left + l->width, bottom = l->top + l->height;
	for (size_t i = 0; i < c->nmarks; i++) {
		const struct chart_mark *m = &c->marks[i];
		double x = px(l, m->at), y = l->marks_y + (double)i * ROW;
		if (!(x >= l->left - 1 && x <= right + 1))
			continue;
		if (isfinite(m->lo) && isfinite(m->hi)) {
			double from = fmax(px(l, m->lo), l->left), to = fmin(px(l, m->hi), right);
			if (to - from > 1)
				fprintf(f,
					"<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" "
					"class=\"doubt\"/>\n",
					from, l->top, to - from, l->height);
		}
		svg_line(f, x, y - ROW + 6, x, bottom, "mark");
		const char *label = m->label;
		double need = text_width(label, FONT) * 1.06 + 6; /* bold is wider */
		if (m->short_label && need > right - x && need > x - 4) {
			label = m->short_label;
			need = text_width(label, FONT) * 1.06 + 6;
		}
		if (need <= right - x || right - x > x)
			svg_text(f, x + 6, y, "start", "strong", label);
		else
			svg_text(f, x - 6, y, "end", "strong", label);
	}
}

/* A path that leaves out points which repeat the height of their neighbours. */
struct path {
	FILE *f;
	bool open;
	double x, y; /* last point seen */
	double drawn_y;
	bool pending;
};

static void path_to(struct path *p, double x, double y)
{
	y = round(10 * y) / 10;
	if (!p->open) {
		fprintf(p->f, "M%.1f %.1f", x, y);
		p->open = true;
		p->pending = false;
	} else if (y == p->drawn_y && y == p->y) {
		p->pending = true;
	} else {
		if (p->pending)
			fprintf(p->f, "L%.1f %.1f", p->x, p->y);
		p->pending = false;
		fprintf(p->f, "L%.1f %.1f", x, y);
	}
	if (!p->pending)
		p->drawn_y = y;
	p->x = x;
	p->y = y;
}

static void path_end(struct path *p)
{
	if (p->open && p->pending)
		fprintf(p->f, "L%.1f %.1f", p->x, p->y);
	p->open = p->pending = false;
}

/* What of a curve falls on each pixel column. */
struct columns {
	size_t n;
	double *min, *max, *sum, *weight; /* weight: samples, in parts; sum: of value times weight */
};

/* Sorts the samples into columns: one pass over them, whatever their number. */
static struct columns gather(const struct chart *c, const struct chart_series *s, const struct layout *l)
{
	struct columns k = {.n = (size_t)fmax(l->width, 1)};
	k.min = xcalloc(4 * k.n, sizeof *k.min);
	k.max = k.min + k.n;
	k.sum = k.max + k.n;
	k.weight = k.sum + k.n;
	double before = s->x_start;
	for (size_t i = 0; i < s->n; before = s->x[i++]) {
		if (!on_scale(&c->x, s->x[i]) || !on_scale(&c->y, s->y[i]) || !on_scale(&c->x, before))
			continue;
		double from = axis_place(&l->x, before) * l->width, to = axis_place(&l->x, s->x[i]) * l->width;
		if (!(to >= from) || to < 0 || from >= (double)k.n)
			continue;
		size_t first = from > 0 ? (size_t)from : 0, last = first;
		if (to > from)
			last = (size_t)fmin(fmax(ceil(to) - 1, 0), (double)k.n - 1);
		for (size_t at = first; at <= last && at < k.n; at++) {
			double share =
				to > from ? (fmin(to, (double)at + 1) - fmax(from, (double)at)) / (to - from) : 1;
			k.min[at] = k.weight[at] > 0 ? fmin(k.min[at], s->y[i]) : s->y[i];
			k.max[at] = k.weight[at] > 0 ? fmax(k.max[at], s->y[i]) : s->y[i];
			k.sum[at] += s->y[i] * share;
			k.weight[at] += fmax(share, 1e-12);
		}
	}
	return k;
}

/* Dense: the area between the least and the greatest value of each column, and a line through their means. */
static void draw_envelope(FILE *f, const struct chart *c, const struct chart_series *s, const struct layout *l)
{
	struct columns k = gather(c, s, l);
	char look[64];
	look_class(look, &s->look);
	fprintf(f, "<path class=\"cloud %s\" d=\"", look);
	for (size_t i = 0; i < k.n;) {
		if (!(k.weight[i] > 0)) {
			i++;
			continue;
		}
		size_t end = i;
		struct path p = {.f = f};
		for (; end < k.n && k.weight[end] > 0; end++)
			path_to(&p, l->left + (double)end + 0.5, py(l, k.max[end]));
		for (size_t j = end; j-- > i;)
			path_to(&p, l->left + (double)j + 0.5, py(l, k.min[j]));
		path_end(&p);
		fputc('Z', f);
		i = end;
	}
	fprintf(f, "\"/>\n<path class=\"line fine %s\" d=\"", look);
	struct path p = {.f = f};
	for (size_t i = 0; i < k.n; i++) {
		if (k.weight[i] > 0)
			path_to(&p, l->left + (double)i + 0.5, py(l, k.sum[i] / k.weight[i]));
		else
			path_end(&p);
	}
	path_end(&p);
	fputs("\"/>\n", f);
	free(k.min);
}

/* Sparse: one step per sample. */
static void draw_steps(FILE *f, const struct chart *c, const struct chart_series *s, const struct layout *l)
{
	char look[64];
	fprintf(f, "<path class=\"line %s\" d=\"", look_class(look, &s->look));
	struct path p = {.f = f};
	double before = s->x_start;
	for (size_t i = 0; i < s->n; before = s->x[i++]) {
		if (!on_scale(&c->x, s->x[i]) || !on_scale(&c->y, s->y[i]) || !on_scale(&c->x, before)) {
			path_end(&p);
			continue;
		}
		path_to(&p, px(l, before), py(l, s->y[i]));
		path_to(&p, px(l, s->x[i]), py(l, s->y[i]));
	}
	path_end(&p);
	fputs("\"/>\n", f);
}

static bool has_whisker(const struct chart *c, const struct chart_series *s, size_t i, const struct layout *l)
{
	return s->lo && on_scale(&c->y, s->lo[i]) && on_scale(&c->y, s->hi[i]) &&
	       fabs(py(l, s->lo[i]) - py(l, s->hi[i])) > 8.5; /* longer than the dot on it */
}

static bool has_whiskers(const struct chart *c, const struct layout *l)
{
	for (size_t i = 0; i < c->nseries; i++)
		for (size_t k = 0; k < c->series[i].n; k++)
			if (has_whisker(c, &c->series[i], k, l))
				return true;
	return false;
}

static void draw_dots(FILE *f, const struct chart *c, const struct chart_series *s, const struct layout *l)
{
	char look[64];
	look_class(look, &s->look);
	for (size_t i = 0; i < s->n; i++) {
		if (!on_scale(&c->x, s->x[i]) || !on_scale(&c->y, s->y[i]))
			continue;
		double x = px(l, s->x[i]), y = py(l, s->y[i]);
		if (has_whisker(c, s, i, l)) {
			char whisker[80];
			snprintf(whisker, sizeof whisker, "whisker %s", look);
			svg_line(f, x, py(l, s->lo[i]), x, py(l, s->hi[i]), whisker);
		}
		fprintf(f, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%s\" class=\"dot %s\"/>\n", x, y,
			c->kind == CHART_SCATTER ? "6" : "4", look);
	}
}

static void draw_lines(FILE *f, const struct chart *c, const struct chart_series *s, const struct layout *l)
{
	char look[64];
	fprintf(f, "<path class=\"line %s\" d=\"", look_class(look, &s->look));
	bool open = false;
	for (size_t i = 0; i < s->n; i++) {
		bool there = on_scale(&c->x, s->x[i]) && on_scale(&c->y, s->y[i]);
		if (there)
			fprintf(f, "%c%.1f %.1f", open ? 'L' : 'M', px(l, s->x[i]), py(l, s->y[i]));
		open = there;
	}
	fputs("\"/>\n", f);
	if (!s->look.context)
		draw_dots(f, c, s, l);
}

/* Names at the ends of the series, moved apart where they would touch. */
static void draw_end_labels(FILE *f, const struct chart *c, const struct layout *l)
{
	struct end_label *ends = xcalloc(c->nseries + 1, sizeof *ends);
	size_t n = 0;
	for (size_t i = 0; i < c->nseries; i++) {
		const struct chart_series *s = &c->series[i];
		for (size_t k = s->look.context ? 0 : s->n; k-- > 0;) {
			if (!on_scale(&c->x, s->x[k]) || !on_scale(&c->y, s->y[k]))
				continue;
			ends[n++] = (struct end_label){i, px(l, s->x[k]), py(l, s->y[k]), 0};
			break;
		}
	}
	labels_spread(ends, n, 15, l->top, l->top + l->height);
	for (size_t i = 0; i < n; i++) {
		const struct chart_series *s = &c->series[ends[i].series];
		double x = l->left + l->width + 18;
		char look[64], css[80];
		snprintf(css, sizeof css, "name %s", look_class(look, &(struct chart_look){.colour = s->look.colour}));
		if (fabs(ends[i].placed - ends[i].y) > 3 || ends[i].x < l->left + l->width - 8)
			fprintf(f, "<path class=\"leader\" fill=\"none\" d=\"M%.1f %.1fL%.1f %.1fL%.1f %.1f\"/>\n",
				ends[i].x + 4, ends[i].y, fmax(ends[i].x + 4, x - 14), ends[i].y, x - 3,
				ends[i].placed);
		svg_text(f, x, ends[i].placed + 4, "start", css, s->name);
	}
	free(ends);
}

/* The names in rows above the plot; returns the rows' height and draws if `f`. */
static double legend(FILE *f, const struct chart *c, const struct chart_drawing *d, double top)
{
	double left = pad_of(d), x = left, y = top + 13;
	/* The highlighted one is drawn last, on top of the others, and named first. */
	bool last_first = c->nseries && c->series[0].look.faint && !c->series[c->nseries - 1].look.faint;
	for (size_t k = 0; k < c->nseries; k++) {
		const struct chart_series *s = &c->series[last_first ? c->nseries - 1 - k : k];
		if (s->look.context)
			continue;
		char *name = text_fit(s->name, FONT, d->width - 60);
		double need = 28 + text_width(name, FONT) + 14;
		if (x > left && x + need > d->width) {
			x = left;
			y += ROW;
		}
		if (f) {
			char look[64], css[80];
			snprintf(css, sizeof css, "line key %s", look_class(look, &s->look));
			svg_line(f, x, y - 4, x + 22, y - 4, css);
			svg_text(f, x + 28, y, "start", "value", name);
		}
		x += need;
		free(name);
	}
	return y + 6 - top;
}

/* Whether all series reach to the right side, where their names would stand. */
static bool end_together(const struct chart *c, double end)
{
	for (size_t i = 0; i < c->nseries; i++) {
		const struct chart_series *s = &c->series[i];
		size_t k = s->n;
		while (k > 0 && !(on_scale(&c->x, s->x[k - 1]) && on_scale(&c->y, s->y[k - 1])))
			k--;
		if (k > 0 && s->x[k - 1] < 0.8 * end)
			return false;
	}
	return true;
}

/* How many series have a name to show. */
static size_t named(const struct chart *c)
{
	size_t n = 0;
	for (size_t i = 0; i < c->nseries; i++)
		n += !c->series[i].look.context;
	return n;
}

static void widen(double range[2])
{
	double margin = 0.05 * (range[1] - range[0]);
	range[0] -= range[0] >= 0 ? fmin(margin, range[0]) : margin;
	range[1] += margin;
}

static struct layout lay_out(const struct chart *c, const struct chart_drawing *d, double x[2], double y[2])
{
	struct layout l = {0};
	bool narrow = d->width < 560;
	double names = 0;
	if (c->kind == CHART_SCATTER) { /* a point at an end of the range would sit on the frame */
		widen(x);
		widen(y);
	}
	for (size_t i = 0; i < c->nseries; i++)
		names = fmax(names, c->series[i].look.context ? 0 : text_width(c->series[i].name, FONT));
	bool legend_needed = c->nseries > 1 && c->kind != CHART_SCATTER;
	l.height = c->size == CHART_THIRD ? 130 : c->low ? 120 : narrow ? 210 : 260;
	if (c->kind == CHART_SCATTER)
		l.height = narrow ? 300 : 400;
	/* A curve's logarithmic axis ends at a tick, so its names would stand far from its ends. */
	bool to_the_end = c->kind != CHART_CURVE || c->x.scale == SCALE_LINEAR;
	l.direct = legend_needed && !narrow && names <= 200 && to_the_end && end_together(c, x[1]);
	if (l.direct && (double)named(c) * 15 > l.height)
		l.height = (double)named(c) * 15 + 20;
	l.y = make_ticks(&c->y, y, (int)(l.height / (c->size == CHART_THIRD ? 42 : 48)));
	double labels = tick_width(&l.y, FONT);
	if (c->kind == CHART_CURVE && c->size == CHART_FULL)
		labels = fmax(labels, 42); /* pictures with the same time axis below each other line up */
	l.left = pad_of(d) + labels + tick_gap(c) + 1;
	l.top = svg_title_height(c, d) + (legend_needed && !l.direct ? legend(NULL, c, d, 0) : 0) + 22;
	if (c->nmarks) {
		l.marks_y = l.top + 13;
		l.top += (double)c->nmarks * ROW + 2;
	}
	if (c->nbands) {
		l.bands_y = l.top + 13;
		l.top += ROW + 3;
	} else {
		l.top += 6;
	}
	l.width = d->width - l.left - (l.direct ? names + 22 + pad_of(d) : 4 + pad_of(d));
	l.x = x_ticks(c, x, l.width);
	double right = tick_width(&l.x, FONT) / 2 - pad_of(d);
	if (!l.direct && right > 4)
		l.width -= right - 4;
	l.total = l.top + l.height + 46;
	return l;
}

void draw_plot(FILE *f, const struct chart *c, const struct chart_drawing *d)
{
	double x[2], y[2];
	if (!extent(c, x, y)) {
		svg_begin(f, c, d, svg_title_height(c, d) + 60);
		svg_text(f, pad_of(d), svg_title_height(c, d) + 35, "start", "value", "nothing was measured");
		svg_end(f);
		return;
	}
	struct layout l = lay_out(c, d, x, y);
	struct scatter_names names = {0};
	if (c->kind == CHART_SCATTER) {
		for (size_t i = 0; i < c->nseries; i++) {
			const struct chart_series *s = &c->series[i];
			if (s->n && on_scale(&c->x, s->x[0]) && on_scale(&c->y, s->y[0]))
				scatter_add_name(&names, s, px(&l, s->x[0]), py(&l, s->y[0]));
		}
		l.total += scatter_place_names(&names, &(struct box){l.left, l.top, l.left + l.width, l.top + l.height},
			d->width - 2 * pad_of(d));
	}
	svg_begin(f, c, d, l.total);
	double top = svg_title_height(c, d);
	if (c->nseries > 1 && c->kind != CHART_SCATTER && !l.direct)
		top += legend(f, c, d, top);
	char *axis = axis_title(&c->y);
	char greatest[NUMBER_BUF];
	char *y_title = xasprintf("%s%s%s%s%s", axis,
		c->better_high	   ? ", higher is better"
		: c->better_low	   ? ", lower is better"
		: c->better_corner ? "; up and to the left is better"
				   : "",
		has_whiskers(c, &l) ? "; whiskers: 95 % interval" : "", c->tell_greatest ? "; greatest: " : "",
		c->tell_greatest ? number_short(greatest, y[1]) : "");
	svg_text(f, pad_of(d), top + 14, "start", "value", y_title);
	free(axis);
	free(y_title);
	draw_bands(f, c, &l);
	draw_axes(f, c, &l);
	for (size_t i = 0; i < c->nseries; i++) {
		const struct chart_series *s = &c->series[i];
		if (c->kind == CHART_SCATTER)
			draw_dots(f, c, s, &l);
		else if (c->kind == CHART_LINES)
			draw_lines(f, c, s, &l);
		else if ((double)s->n > l.width)
			draw_envelope(f, c, s, &l);
		else
			draw_steps(f, c, s, &l);
	}
	draw_marks(f, c, &l);
	if (l.direct)
		draw_end_labels(f, c, &l);
	if (c->kind == CHART_SCATTER)
		scatter_draw_names(f, &names, pad_of(d), l.top + l.height + 60);
	scatter_names_free(&names);
	svg_end(f);
}
