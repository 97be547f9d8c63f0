// SPDX-License-Identifier: MIT
#include "analysis/split.h"

#include "analysis/fine.h"
#include "base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* docs/method.md, 2.2 and 2.3. */
#define MOST_IN_LEVEL_1 32768 /* samples; longer curves are averaged in groups, smaller than edge.c's reach */
#define MOST_LEVELS 8	      /* a side of more fine segments alternates between levels */
#define MOST_IN_ISLAND 64     /* fine segments, among which a faster stretch is looked for ... */
#define ISLAND 0.1	      /* ... of which no part is shorter than this share of their time ... */
#define ISLAND_Z 2	      /* ... at twice the distance, since there are many pairs to choose from */
#define EXCURSION 1e-5	      /* probability of a longer visit of a level, from which on a side is more than a visit */
#define LEAST_VISITS 4	      /* ... of at least so many, fewer tell little */
#define LONGEST 2.5	      /* ... if it is also so many times longer than the longest visit */

static const size_t batch_size[3] = {1, 4, 16};

/* Level 1. Where the curve is very long, it works on the means of groups of neighbours: a slow slide leaves so many
 * pieces of cost open that their number grows with n^(2/3). Edges get their exact place later. */
static size_t first_level(const struct curve *c, const struct stage_thresholds *th, size_t *starts)
{
	size_t group = (c->n + MOST_IN_LEVEL_1 - 1) / MOST_IN_LEVEL_1, n = 0;
	double *y = xcalloc(c->n + 1, sizeof *y), *w = xcalloc(c->n + 1, sizeof *w);
	for (size_t i = 0; i < c->n; n++) {
		double noise2 = 0, dt = 0, k = 0;
		for (size_t end = i + group; i < end && i < c->n; i++, k++) {
			y[n] += c->y[i];
			noise2 += c->noise[i] * c->noise[i];
			dt += c->dt[i];
		}
		y[n] /= k;
		w[n] = fmin(dt / k / c->step, 2) / fmax(noise2 / k / k, th->noise_floor * th->noise_floor);
	}
	size_t m = fine_segments(n, y, w, th->beta * log(n > 8 ? (double)n : 8), th->k, starts);
	for (size_t j = 0; j < m; j++)
		starts[j] *= group;
	free(y);
	free(w);
	return m;
}

void pieces_build(struct pieces *p, const struct curve *c, const struct stage_thresholds *th)
{
	size_t n = c->n;
	memset(p, 0, sizeof *p);
	p->curve = c;
	p->th = th;
	p->first = xmalloc((n + 1) * sizeof *p->first);
	p->m = first_level(c, th, p->first);
	if (p->m > 1 && p->first[1] <= 2) { /* the host or the drive was still starting */
		p->m--;
		memmove(p->first + 1, p->first + 2, (p->m - 1) * sizeof *p->first);
	}
	p->first[p->m] = n;
	size_t m = p->m;
	p->time = xcalloc(m + 1, sizeof *p->time);
	p->bytes = xcalloc(m + 1, sizeof *p->bytes);
	p->square = xcalloc(m + 1, sizeof *p->square);
	for (size_t j = 0; j < m; j++) {
		double t = 0, b = 0;
		for (size_t i = p->first[j]; i < p->first[j + 1]; i++) {
			t += c->dt[i];
			b += c->b[i] / c->q90;
		}
		p->time[j + 1] = p->time[j] + t;
		p->bytes[j + 1] = p->bytes[j] + b;
		p->square[j + 1] = p->square[j] + b * b / t;
	}
	p->noise2 = xcalloc(n + 1, sizeof *p->noise2);
	for (size_t i = 0; i < n; i++)
		p->noise2[i + 1] = p->noise2[i] + c->noise[i] * c->noise[i];
	for (size_t k = 0; k < 3; k++) {
		size_t q = batch_size[k], batches = n / q;
		p->batch[k] = xcalloc(batches + 1, sizeof(double));
		p->batch2[k] = xcalloc(batches + 1, sizeof(double));
		for (size_t j = 0; j < batches; j++) {
			double b = 0, t = 0;
			for (size_t i = j * q; i < (j + 1) * q; i++) {
				b += c->b[i] / c->q90;
				t += c->dt[i];
			}
			p->batch[k][j + 1] = p->batch[k][j] + b / t;
			p->batch2[k][j + 1] = p->batch2[k][j] + b / t * (b / t);
		}
	}
}

void pieces_free(struct pieces *p)
{
	free(p->first);
	free(p->time);
	free(p->bytes);
	free(p->square);
	free(p->noise2);
	for (size_t k = 0; k < 3; k++) {
		free(p->batch[k]);
		free(p->batch2[k]);
	}
}

/* The variance of the batch rates of kind k that lie wholly in samples [first, end); *count gets how many there are. */
static double batch_variance(const struct pieces *p, size_t k, size_t first, size_t end, size_t *count)
{
	size_t q = batch_size[k], lo = (first + q - 1) / q, hi = end / q;
	*count = hi > lo ? hi - lo : 0;
	if (*count < 2)
		return 0;
	double n = (double)*count, sum = p->batch[k][hi] - p->batch[k][lo], sum2 = p->batch2[k][hi] - p->batch2[k][lo];
	return fmax(0, (sum2 - sum * sum / n) / (n - 1));
}

struct side side_of(const struct pieces *p, size_t from, size_t to)
{
	struct side s = {.from = from, .to = to, .first = p->first[from], .end = p->first[to]};
	size_t count;
	s.n = s.end - s.first;
	s.time = p->time[to] - p->time[from];
	double mean = (p->bytes[to] - p->bytes[from]) / s.time;
	s.mean = fmax(mean, 1e-3);
	s.between = fmax(0, (p->square[to] - p->square[from]) / s.time - mean * mean);
	s.v1 = s.lrv = batch_variance(p, 0, s.first, s.end, &count);
	for (size_t k = 1; k < 3; k++) {
		double v = (double)batch_size[k] * batch_variance(p, k, s.first, s.end, &count);
		if (count >= 4)
			s.lrv = fmax(s.lrv, v);
	}
	s.noise2 = (p->noise2[s.end] - p->noise2[s.first]) / (double)s.n;
	return s;
}

/* How much more the mean of correlated samples varies than that of independent ones, 1 to 12. */
static double correlation(const struct side *s)
{
	return s->v1 > 0 ? fmin(fmax(s->lrv / s->v1, 1), 12) : 1;
}

/* The squared relative standard error of a side's mean. A short side borrows the noise and the correlation of the
 * other. Unless the sides are `apart`, the fine segments count as single observations. */
static double squared_error(const struct side *s, const struct side *other, bool apart)
{
	double m2 = s->mean * s->mean, u = s->lrv / m2;
	if (s->n < 64)
		u = fmax(u, fmax(s->v1 / m2, other->noise2) * correlation(other));
	double of_samples = 1.78 * u / (double)s->n;
	return apart ? of_samples : fmax(of_samples, s->between / ((double)(s->to - s->from) * m2));
}

/* The least and the greatest mean of a side's fine segments, without those that take less than 3 % of its time. */
static void side_range(const struct pieces *p, const struct side *s, double *least, double *greatest)
{
	*least = INFINITY;
	*greatest = 0;
	for (size_t j = s->from; j < s->to; j++) {
		double time = p->time[j + 1] - p->time[j];
		if (time < 0.03 * s->time)
			continue;
		double mean = (p->bytes[j + 1] - p->bytes[j]) / time;
		*least = fmin(*least, mean);
		*greatest = fmax(*greatest, mean);
	}
}

/* Whether all of one side is slower than all of the other by the drop threshold: a few levels, of which none returns.
 */
static bool sides_are_apart(const struct pieces *p, const struct side *l, const struct side *r)
{
	if (l->to - l->from > MOST_LEVELS || r->to - r->from > MOST_LEVELS)
		return false;
	double l_least, l_most, r_least, r_most;
	side_range(p, l, &l_least, &l_most);
	side_range(p, r, &r_least, &r_most);
	return r_most <= p->th->drop * l_least || l_most <= p->th->drop * r_least;
}

/* A short side may be just one more of the excursions that the other side is full of: it is at a level that the other
 * side visits, and not longer than what a run there may be. If runs last exponential times, one more run after k of
 * them with n samples in all is longer than n (EXCURSION^(-1/k) - 1) with probability EXCURSION. Up to there, INFINITY;
 * up to six times the longest run, the squared relative error of a mean over so short a piece of the other side; else
 * 0. */
static double excursion_error(const struct pieces *p, const struct side *s, const struct side *other)
{
	if (s->to - s->from > 3 || s->n >= other->n)
		return 0;
	const double *r = p->curve->r;
	double unit = p->curve->q90;
	bool lower = s->mean < other->mean;
	size_t below = 0, above = 0, run = 0, gap = 0, longest = 0, runs = 0;
	for (size_t i = other->first; i < other->end; i++) {
		bool low = r[i] <= 1.1 * s->mean * unit, high = r[i] >= 0.9 * s->mean * unit;
		below += low;
		above += high;
		if (lower ? low : high) {
			runs += run == 0;
			run += 1 + gap;
			gap = 0;
			longest = run > longest ? run : longest;
		} else if (run > 0 && ++gap > 1) {
			run = gap = 0;
		}
	}
	double share = 0.03 * (double)other->n, inside = (double)(lower ? below : above);
	if ((double)below < share || (double)above < share || s->n > (lower ? 6 : 4) * longest)
		return 0;
	double limit = LONGEST * (double)longest;
	if (runs >= LEAST_VISITS)
		limit = fmax(limit, inside * (pow(EXCURSION, -1 / (double)runs) - 1));
	if ((double)s->n <= limit)
		return INFINITY;
	double of_segments = other->between * (other->time / (double)(other->to - other->from)) / s->time;
	return fmax(of_segments, other->lrv / (double)s->n) / (other->mean * other->mean);
}

double side_distance(const struct pieces *p, const struct side *left, const struct side *right)
{
	double step = fabs(log(right->mean / left->mean));
	if (step < -log(p->th->drop))
		return 0;
	bool apart = sides_are_apart(p, left, right);
	double e = squared_error(left, right, apart), f = squared_error(right, left, apart);
	if (step / sqrt(e + f + 1e-4) < p->th->z_min)
		return 0;
	e = fmax(e, excursion_error(p, left, right));
	f = fmax(f, excursion_error(p, right, left));
	return step / sqrt(e + f + 1e-4);
}

/* The best boundary within [from, to), or `from` if none separates two stages. */
static size_t best_split(const struct pieces *p, size_t from, size_t to)
{
	size_t best = from;
	double most = 0;
	for (size_t k = from + 1; k < to; k++) {
		struct side l = side_of(p, from, k), r = side_of(p, k, to);
		double step = log(r.mean / l.mean), gain = l.time * r.time / (l.time + r.time) * step * step;
		if (gain > most && side_distance(p, &l, &r) >= p->th->z_min) {
			most = gain;
			best = k;
		}
	}
	return best;
}

/* A stretch faster than what is before and after it hides from single boundaries, each of which has two levels on one
 * of its sides. Finds the best two boundaries i < j in [from, to) with a stage between them that is faster than both
 * neighbours, none of them shorter than ISLAND of the range. Returns whether there are such. */
static bool best_island(const struct pieces *p, size_t from, size_t to, size_t *i, size_t *j)
{
	if (to - from < 3 || to - from > MOST_IN_ISLAND)
		return false;
	double most = 0, z_least = ISLAND_Z * p->th->z_min, least_time = ISLAND * (p->time[to] - p->time[from]);
	for (size_t a = from + 1; a + 1 < to; a++) {
		struct side l = side_of(p, from, a);
		if (l.time < least_time)
			continue;
		for (size_t b = a + 1; b < to; b++) {
			struct side s = side_of(p, a, b), r = side_of(p, b, to);
			if (s.time < least_time || r.time < least_time || s.mean < l.mean || s.mean < r.mean)
				continue;
			double up = log(s.mean / l.mean), down = log(s.mean / r.mean);
			double gain = s.time * (l.time * up * up + r.time * down * down);
			if (gain <= most || side_distance(p, &l, &s) < z_least || side_distance(p, &s, &r) < z_least)
				continue;
			most = gain;
			*i = a;
			*j = b;
		}
	}
	return most > 0;
}

static size_t insert_bound(size_t *bounds, size_t stages, size_t after, size_t bound)
{
	memmove(bounds + after + 2, bounds + after + 1, (stages - after) * sizeof *bounds);
	bounds[after + 1] = bound;
	return stages + 1;
}

size_t drop_bound(size_t *bounds, size_t stages, size_t i)
{
	memmove(bounds + i, bounds + i + 1, (stages - i) * sizeof *bounds);
	return stages - 1;
}

/* How much boundary i of the bounds weighs: INFINITY if it stands between its neighbours, else its step by the length
 * of its shorter side. */
static double weight(const struct pieces *p, const size_t *bounds, size_t i)
{
	struct side l = side_of(p, bounds[i - 1], bounds[i]), r = side_of(p, bounds[i], bounds[i + 1]);
	size_t least_after = p->curve->n <= 40 ? 3 : 4;
	if (l.n >= 3 && r.n >= least_after && side_distance(p, &l, &r) >= p->th->z_min)
		return INFINITY;
	return fabs(log(r.mean / l.mean)) * (double)(l.n < r.n ? l.n : r.n);
}

/* Takes out the boundaries that do not stand between their final neighbours, the lightest first. */
static size_t prune(const struct pieces *p, size_t *bounds, size_t stages)
{
	double *weights = xmalloc((stages + 1) * sizeof *weights);
	for (size_t i = 1; i < stages; i++)
		weights[i] = weight(p, bounds, i);
	for (;;) {
		size_t lightest = 0;
		for (size_t i = 1; i < stages; i++)
			if (weights[i] < (lightest ? weights[lightest] : INFINITY))
				lightest = i;
		if (lightest == 0)
			break;
		memmove(weights + lightest, weights + lightest + 1, (stages - lightest) * sizeof *weights);
		stages = drop_bound(bounds, stages, lightest);
		for (size_t i = lightest > 1 ? lightest - 1 : 1; i <= lightest && i < stages; i++)
			weights[i] = weight(p, bounds, i);
	}
	free(weights);
	return stages;
}

size_t find_stages(const struct pieces *p, size_t *bounds)
{
	/* The ranges still to be looked at are between neighbouring bounds; `done` of them, from the left, cannot be
	 * split. */
	size_t stages = 1, done = 0;
	bounds[0] = 0;
	bounds[1] = p->m;
	while (done < stages) {
		size_t k = best_split(p, bounds[done], bounds[done + 1]), i, j;
		if (k != bounds[done]) {
			stages = insert_bound(bounds, stages, done, k);
		} else if (best_island(p, bounds[done], bounds[done + 1], &i, &j)) {
			stages = insert_bound(bounds, stages, done, j);
			stages = insert_bound(bounds, stages, done, i);
		} else {
			done++;
		}
	}
	return prune(p, bounds, stages);
}
