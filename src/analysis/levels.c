// SPDX-License-Identifier: MIT
#include "analysis/levels.h"

#include "base/mem.h"

#include <math.h>

struct levels {
	struct level *v;
	size_t n, cap;
};

static double length_of(const struct series *s, size_t i)
{
	return s->t[i] - (i ? s->t[i - 1] : 0);
}

double mean_between(const struct series *s, double from, double to)
{
	double at = 0, bytes = 0, seconds = 0;
	for (size_t i = 0; i < s->n; i++) {
		double start = at;
		at += s->bytes[i];
		if (start >= from && at <= to) {
			bytes += s->bytes[i];
			seconds += length_of(s, i);
		}
	}
	return seconds > 0 ? bytes / seconds / 1e6 : NAN;
}

static void add(struct levels *l, double start, double end, double mbps)
{
	GROW(l->v, l->n, l->cap);
	l->v[l->n++] = (struct level){start, end, mbps};
}

static void cut_alternating(struct levels *l, const struct stage *stage, const struct series *s)
{
	double middle = sqrt(stage->p5_mbps * stage->p95_mbps) * 1e6, at = 0, start = stage->start_bytes,
	       change = start;
	bool high = false, first = true;
	size_t across = 0;
	for (size_t i = 0; i < s->n; at += s->bytes[i++]) {
		if (at < stage->start_bytes || at >= stage->end_bytes || !(length_of(s, i) > 0))
			continue;
		bool above = s->bytes[i] / length_of(s, i) >= middle;
		high = first ? above : high;
		first = false;
		if (above == high) {
			across = 0;
			continue;
		}
		change = across++ ? change : at;
		if (across < LEVEL_SAMPLES)
			continue;
		if (change > start)
			add(l, start, change, mean_between(s, start, change));
		start = change;
		high = above;
		across = 0;
	}
	add(l, start, stage->end_bytes, mean_between(s, start, stage->end_bytes));
}

struct level *levels_of(const struct series *s, const struct fill_figures *f, size_t *n)
{
	struct levels l = {0};
	for (size_t i = 0; i < f->nstages; i++) {
		const struct stage *stage = &f->stages[i];
		if (stage->kind == STAGE_ALTERNATING)
			cut_alternating(&l, stage, s);
		else
			add(&l, stage->start_bytes, stage->end_bytes, stage->mbps);
	}
	*n = l.n;
	return l.v;
}
