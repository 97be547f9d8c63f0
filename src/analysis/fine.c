// SPDX-License-Identifier: MIT
#include "analysis/fine.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>

/* The least cost of everything up to now, as a function of the current level mu, is a list of adjacent pieces, each a
 * quadratic a mu^2 + b mu + c on (lo, hi] with the first sample of the segment that is open there. */
struct piece {
	double lo, hi, a, b, c;
	size_t since;
};

struct cost {
	struct piece *piece;
	size_t n, cap;
};

static void add_piece(struct cost *q, double lo, double hi, const struct piece *like)
{
	if (!(hi > lo))
		return;
	struct piece *last = q->n ? &q->piece[q->n - 1] : NULL;
	if (last && last->since == like->since && last->a == like->a && last->b == like->b && last->c == like->c) {
		last->hi = hi;
		return;
	}
	GROW(q->piece, q->n, q->cap);
	q->piece[q->n] = *like;
	q->piece[q->n].lo = lo;
	q->piece[q->n++].hi = hi;
}

/* to = min(from, penalty): where it is cheaper, a new segment starts at sample `now`. (The least cost so far is 0.) */
static void allow_change(struct cost *to, const struct cost *from, double penalty, size_t now)
{
	const struct piece fresh = {.c = penalty, .since = now};
	to->n = 0;
	for (size_t i = 0; i < from->n; i++) {
		const struct piece *p = &from->piece[i];
		double lo = p->lo, hi = p->hi; /* where the old piece is at most the penalty */
		if (p->a > 0) {
			double mid = -p->b / (2 * p->a), least = p->c - p->b * p->b / (4 * p->a);
			double half = penalty > least ? sqrt((penalty - least) / p->a) : -1;
			lo = half < 0 ? p->hi : fmin(fmax(lo, mid - half), p->hi);
			hi = half < 0 ? p->hi : fmax(fmin(hi, mid + half), lo);
		} else if (p->c > penalty) {
			lo = p->hi;
		}
		add_piece(to, p->lo, lo, &fresh);
		add_piece(to, lo, hi, p);
		add_piece(to, hi, p->hi, &fresh);
	}
}

/* to = from + min(w (mu - y)^2, k^2), less its minimum; returns the start of the segment that is open at the minimum.
 */
static size_t add_loss(struct cost *to, const struct cost *from, double y, double w, double k)
{
	double near = k / sqrt(w), best = INFINITY;
	size_t since = 0;
	to->n = 0;
	for (size_t i = 0; i < from->n; i++) {
		const struct piece *p = &from->piece[i];
		struct piece outside = *p, inside = *p;
		outside.c += k * k;
		inside.a += w;
		inside.b -= 2 * w * y;
		inside.c += w * y * y;
		double lo = fmin(fmax(p->lo, y - near), p->hi), hi = fmax(fmin(p->hi, y + near), lo);
		add_piece(to, p->lo, lo, &outside);
		add_piece(to, lo, hi, &inside);
		add_piece(to, hi, p->hi, &outside);
	}
	for (size_t i = 0; i < to->n; i++) {
		const struct piece *p = &to->piece[i];
		double at = p->a > 0 ? fmin(fmax(-p->b / (2 * p->a), p->lo), p->hi) : p->lo;
		double value = (p->a * at + p->b) * at + p->c;
		if (value < best) {
			best = value;
			since = p->since;
		}
	}
	for (size_t i = 0; i < to->n; i++)
		to->piece[i].c -= best;
	return since;
}

size_t fine_segments(size_t n, const double *y, const double *w, double penalty, double k, size_t *starts)
{
	if (n == 0)
		return 0;
	double lo = y[0], hi = y[0];
	for (size_t i = 1; i < n; i++) {
		lo = fmin(lo, y[i]);
		hi = fmax(hi, y[i]);
	}
	double middle = lo + (hi - lo) / 2,
	       half = hi - middle + 1e-9; /* levels are kept about 0, where they are exact */
	struct cost q = {0}, next = {0};
	size_t *since = xmalloc(n * sizeof *since);
	add_piece(&q, -half, half, &(struct piece){0});
	for (size_t i = 0; i < n; i++) {
		if (i > 0) {
			allow_change(&next, &q, penalty, i);
			struct cost t = q;
			q = next;
			next = t;
		}
		since[i] = add_loss(&next, &q, y[i] - middle, w[i], k);
		struct cost t = q;
		q = next;
		next = t;
	}
	size_t m = 0;
	for (size_t end = n; end > 0; end = since[end - 1])
		starts[m++] = since[end - 1];
	for (size_t i = 0; i < m / 2; i++) {
		size_t t = starts[i];
		starts[i] = starts[m - 1 - i];
		starts[m - 1 - i] = t;
	}
	free(q.piece);
	free(next.piece);
	free(since);
	return m;
}
