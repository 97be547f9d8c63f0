// SPDX-License-Identifier: MIT
#include "report/svg.h"

#include "assets.h"
#include "base/mem.h"
#include "report/escape.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct ticks ticks_linear(double lo, double hi, int target)
{
	if (!(hi > lo)) {
		double around = lo != 0 ? 0.1 * fabs(lo) : 0.5;
		hi = lo + around;
		lo -= around;
	}
	double raw = (hi - lo) / target, power = pow(10, floor(log10(raw)));
	static const double nice[] = {1, 2, 2.5, 5, 10};
	double step = nice[4] * power;
	for (size_t i = 0; i < ARRAY_SIZE(nice); i++) {
		if (nice[i] * power >= raw * (1 - 1e-9)) {
			step = nice[i] * power;
			break;
		}
	}
	struct ticks t = {.scale = SCALE_LINEAR};
	t.lo = floor(lo / step + 1e-9) * step;
	t.hi = ceil(hi / step - 1e-9) * step;
	for (double at = t.lo; at <= t.hi + 0.5 * step && t.n < MOST_TICKS; at = t.lo + t.n * step)
		t.value[t.n++] = at;
	while (t.decimals < 6 && fabs(step - round(step * pow(10, t.decimals)) / pow(10, t.decimals)) > 1e-9 * step)
		t.decimals++;
	return t;
}

/* The tick of a 1-2-5 scale, or of a finer one, at or below `v` (above, if `up`). */
static double round_tick(double v, bool up, bool fine)
{
	static const double coarse_steps[] = {1, 2, 5, 10}, fine_steps[] = {1, 1.5, 2, 3, 4, 5, 6, 7, 8, 9, 10};
	const double *steps = fine ? fine_steps : coarse_steps;
	double power = pow(10, floor(log10(v) + 1e-12)), found = power;
	for (size_t i = 0; i < (fine ? ARRAY_SIZE(fine_steps) : ARRAY_SIZE(coarse_steps)); i++) {
		if (up && steps[i] * power >= v * (1 - 1e-9))
			return steps[i] * power;
		if (steps[i] * power <= v * (1 + 1e-9))
			found = steps[i] * power;
	}
	return found;
}

struct ticks ticks_log(double lo, double hi, enum chart_scale scale)
{
	struct ticks t = {.scale = scale};
	if (scale == SCALE_LOG2) {
		t.lo = floor(log2(lo) + 1e-9);
		t.hi = fmax(ceil(log2(hi) - 1e-9), t.lo + 1);
		for (double at = t.lo; at <= t.hi && t.n < MOST_TICKS; at++)
			t.value[t.n++] = exp2(at);
		return t;
	}
	/* Within 1-2-5 a narrow range would have but two labels, and most of the picture would be empty. */
	bool fine = hi < 4 * lo;
	lo = round_tick(lo, false, fine);
	hi = fmax(round_tick(hi, true, fine), round_tick(1.5 * lo, true, fine));
	t.lo = log10(lo);
	t.hi = log10(hi);
	bool decades = t.hi - t.lo > 3;
	for (double at = decades ? pow(10, ceil(t.lo - 1e-9)) : lo; at <= hi * (1 + 1e-9) && t.n < MOST_TICKS;
		at = decades ? at * 10 : round_tick(at * (fine ? 1.05 : 1.5), true, fine))
		t.value[t.n++] = at;
	return t;
}

double axis_place(const struct ticks *t, double value)
{
	double at = t->scale == SCALE_LOG2 ? log2(value) : t->scale == SCALE_LOG10 ? log10(value) : value;
	return (at - t->lo) / (t->hi - t->lo);
}

char *tick_text(char buf[NUMBER_BUF], const struct ticks *t, int i)
{
	double v = t->value[i];
	if (t->scale == SCALE_LINEAR)
		return number_text(buf, v, t->decimals);
	if (v >= 1)
		return number_text(buf, v, v < 100 && v != round(v));
	snprintf(buf, NUMBER_BUF, "%.3g", v);
	return buf;
}

double tick_width(const struct ticks *t, double px)
{
	double widest = 0;
	char buf[NUMBER_BUF];
	for (int i = 0; i < t->n; i++)
		widest = fmax(widest, text_width(tick_text(buf, t, i), px));
	return widest;
}

char *number_text(char buf[NUMBER_BUF], double v, int decimals)
{
	char plain[NUMBER_BUF];
	if (fabs(v) < 0.5 * pow(10, -decimals))
		v = 0;
	if (!(fabs(v) < 1e15)) {
		snprintf(buf, NUMBER_BUF, "%g", v);
		return buf;
	}
	snprintf(plain, sizeof plain, "%.*f", decimals, v);
	char *to = buf;
	const char *from = plain;
	if (*from == '-')
		*to++ = *from++;
	size_t digits = strcspn(from, ".");
	for (size_t i = 0; i < digits; i++) {
		if (i && (digits - i) % 3 == 0)
			*to++ = ',';
		*to++ = from[i];
	}
	strcpy(to, from + digits);
	return buf;
}

char *number_short(char buf[NUMBER_BUF], double v)
{
	double a = fabs(v);
	if (a >= 1e-4 && a < 0.09995) { /* three digits too, but 0.002 rather than 0.00200 */
		snprintf(buf, NUMBER_BUF, "%.3g", v);
		return buf;
	}
	return number_text(buf, v, a >= 99.95 || a == 0 ? 0 : a >= 9.995 ? 1 : a >= 0.9995 ? 2 : 3);
}

double text_width(const char *text, double px)
{
	double em = 0;
	for (const unsigned char *s = (const unsigned char *)text; *s; s++) {
		if ((*s & 0xc0) == 0x80)
			continue; /* within a character */
		if (*s >= 0xe2)
			em += 1.0; /* wide scripts and symbols */
		else if (*s >= 0x80)
			em += 0.7;
		else if (strchr("il.,:;'|! I()[]/-jft", *s))
			em += 0.40;
		else if (strchr("mwMW@%", *s))
			em += 0.98;
		else if (*s >= 'A' && *s <= 'Z')
			em += 0.72;
		else
			em += 0.64;
	}
	return em * px;
}

char *text_fit(const char *text, double px, double room)
{
	char *out = xmalloc(strlen(text) + 4);
	strcpy(out, text);
	if (text_width(out, px) <= room)
		return out;
	size_t n = strlen(out);
	while (n > 0) {
		do
			n--;
		while (n > 0 && ((unsigned char)out[n] & 0xc0) == 0x80);
		strcpy(out + n, "\xe2\x80\xa6");
		if (text_width(out, px) <= room)
			break;
	}
	return out;
}

double svg_title_height(const struct chart *c, const struct chart_drawing *d)
{
	return d->standalone && c->title ? 34 : 0;
}

#define NOTE_ROW 16.0

/* Breaks the note of a picture that stands alone into lines below what is drawn, from `y` on; returns their height.
 * With `f` NULL only that. */
static double note_lines(FILE *f, const struct chart *c, const struct chart_drawing *d, double y)
{
	if (!d->standalone || !c->note)
		return 0;
	double room = d->width - 24, at = y;
	char *line = xstrdup(""), *rest = xstrdup(c->note);
	for (char *save, *word = strtok_r(rest, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
		char *longer = xasprintf("%s%s%s", line, *line ? " " : "", word);
		if (*line && text_width(longer, 12) > room) {
			if (f)
				svg_text(f, 12, at + 12, "start", "value", line);
			at += NOTE_ROW;
			free(longer);
			longer = xstrdup(word);
		}
		free(line);
		line = longer;
	}
	char *last = text_fit(line, 12, room); /* a word of any length */
	if (f)
		svg_text(f, 12, at + 12, "start", "value", last);
	free(last);
	free(line);
	free(rest);
	return at + NOTE_ROW + 8 - y;
}

void svg_begin(FILE *f, const struct chart *c, const struct chart_drawing *d, double height)
{
	double end = height;
	height += note_lines(NULL, c, d, end);
	fprintf(f, "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"chart\" viewBox=\"0 0 %d %.0f\" ", d->width,
		height);
	if (d->standalone)
		fprintf(f, "width=\"%d\" height=\"%.0f\" ", d->width, height);
	fprintf(f, "role=\"img\" aria-labelledby=\"%s%s-t %s%s-d\">\n<title id=\"%s%s-t\">", c->id, d->suffix, c->id,
		d->suffix, c->id, d->suffix);
	write_xml(f, c->title);
	fprintf(f, "</title>\n<desc id=\"%s%s-d\">", c->id, d->suffix);
	write_xml(f, c->desc);
	fputs("</desc>\n", f);
	if (!d->standalone)
		return;
	fputs("<style>", f);
	fwrite(asset_chart_css, 1, asset_chart_css_size, f);
	fputs("</style>\n<rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n", f);
	if (c->title) {
		/* What it shows is more than of what: a long context gives way first. */
		double room = d->width - 24, rest = room - text_width(c->title, 17.6) - text_width(" \xc2\xb7 ", 17.6);
		char *context = c->context ? text_fit(c->context, 17.6, fmax(rest, 0.35 * room)) : NULL;
		char *whole = context ? xasprintf("%s \xc2\xb7 %s", context, c->title) : xstrdup(c->title);
		char *title = text_fit(whole, 17.6, room);
		svg_text(f, 12, 24, "start", "title", title);
		free(context);
		free(whole);
		free(title);
	}
	note_lines(f, c, d, end);
}

void svg_end(FILE *f)
{
	fputs("</svg>\n", f);
}

void svg_text(FILE *f, double x, double y, const char *anchor, const char *css_class, const char *text)
{
	fprintf(f, "<text x=\"%.1f\" y=\"%.1f\"", x, y);
	if (strcmp(anchor, "start"))
		fprintf(f, " text-anchor=\"%s\"", anchor);
	fprintf(f, " class=\"%s\">", css_class);
	write_xml(f, text);
	fputs("</text>\n", f);
}

void svg_line(FILE *f, double x1, double y1, double x2, double y2, const char *css_class)
{
	fprintf(f, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" class=\"%s\"/>\n", x1, y1, x2, y2, css_class);
}

char *look_class(char buf[64], const struct chart_look *l)
{
	snprintf(buf, 64, "c%u%s%s%s%s", l->colour % 8, l->dashed ? " dashed" : "", l->faint ? " faint" : "",
		l->published ? " published" : "", l->context ? " context" : "");
	return buf;
}
