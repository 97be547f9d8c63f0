// SPDX-License-Identifier: MIT
/* Making a plan fit a target: sizes cut to its capacity, scaled for a quick look, and what it will cost. */
#include "plan/plan.h"

#include "base/mem.h"
#include "base/units.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What --quick scales: see docs/tests.md. A burst test keeps its bursts, which are short; its span, and with it what is
 * written before it, shrinks like that of a sweep. */
enum {
	QUICK_FILL_DIVISOR = 2, /* the fill stops at half of the capacity */
	QUICK_SIZE_DIVISOR = 8, /* spans of all tests but the fill, limits and idles */
	QUICK_IDLES = 3,	/* of a recovery: the shortest ones */
};

static uint64_t round_down(uint64_t v, uint64_t unit)
{
	return v / unit * unit;
}

/* min(bytes, most), but at least `unit` and a multiple of it. */
static uint64_t cut(uint64_t bytes, uint64_t most, uint64_t unit)
{
	uint64_t v = round_down(bytes < most ? bytes : most, unit);
	return v < unit ? unit : v;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static void note_cut(struct plan_test *t, bool quick, bool small, uint64_t span)
{
	char b[UNITS_BUF];
	free(t->cut);
	t->cut = NULL;
	const char *why = quick && small ? "--quick and the target's size" : quick ? "--quick" : "the target's size";
	/* 8 GiB, but 480 GB rather than 457857 MiB. */
	units_block(b, span);
	if (strspn(b, "0123456789") > 4)
		units_bytes(b, (double)span);
	if (quick || small)
		t->cut = xasprintf("sizes cut to a span of %s for %s", b, why);
}

static int fit_test(struct plan_test *t, uint64_t capacity, uint32_t block, bool quick, struct err *e)
{
	if (t->kind == KIND_IDLE) {
		if (quick)
			t->settle /= QUICK_SIZE_DIVISOR, t->measure /= QUICK_SIZE_DIVISOR;
		return 0;
	}
	uint64_t io_block = t->io.block_bytes;
	if (io_block % block)
		return err_set(e, EXIT_USAGE,
			"test '%s' uses blocks of %llu bytes, but the target's are of %u bytes: leave it out with -t, "
			"or write a suite with larger blocks",
			t->name, (unsigned long long)io_block, block);
	if (capacity < io_block)
		return err_set(e, EXIT_USAGE,
			"the target has %llu bytes, less than one block of test '%s' (%llu bytes): take a larger one",
			(unsigned long long)capacity, t->name, (unsigned long long)io_block);
	bool whole = t->io.span_bytes == PLAN_WHOLE;
	uint64_t wanted = whole ? capacity : t->io.span_bytes, span = wanted;
	/* A span is a multiple of the preparations' 1 MiB blocks where the target allows it, so that they cover it. */
	uint64_t unit = larger(io_block, capacity >= 16 * MIB ? MIB : io_block);
	if (quick && whole && t->kind == KIND_FILL)
		span = cut(capacity / QUICK_FILL_DIVISOR, capacity, unit);
	else if (quick && !whole)
		span = cut(span / QUICK_SIZE_DIVISOR, span, unit);
	bool small = span > capacity;
	if (small)
		span = cut(span, capacity, unit);
	t->io.span_bytes = span;
	double scale = (double)span / (double)wanted;
	/* What was written for a test covers its span. */
	if (t->needs.bytes)
		t->needs.bytes = (uint64_t)((double)t->needs.bytes * scale);
	if (t->leaves.bytes)
		t->leaves.bytes = (uint64_t)((double)t->leaves.bytes * scale);
	if (t->needs.bytes)
		t->needs.bytes = cut(t->needs.bytes, capacity, unit);
	if (t->leaves.bytes)
		t->leaves.bytes = cut(t->leaves.bytes, capacity, unit);
	if (t->limit_bytes)
		t->limit_bytes = cut((uint64_t)((double)t->limit_bytes * scale), span * 64, io_block);
	if (quick && t->kind != KIND_FILL) {
		t->limit_time /= QUICK_SIZE_DIVISOR;
		t->idle_at_most /= QUICK_SIZE_DIVISOR;
	}
	if (t->burst_bytes && t->burst_bytes > span / 2) {
		small = true;
		t->burst_bytes = cut(span / 2, span, io_block);
	}
	if (t->kind == KIND_RECOVERY) {
		/* On a small target these would be all of it: no more than an eighth each. */
		small |= t->step_bytes > capacity / 8;
		t->beyond_bytes = cut(t->beyond_bytes, capacity / 8, io_block);
		t->step_bytes = cut(t->step_bytes, capacity / 8, io_block);
		t->fallen_bytes = cut(t->fallen_bytes, capacity / 32, io_block);
		if (quick && t->nidles > QUICK_IDLES)
			t->nidles = QUICK_IDLES;
	}
	note_cut(t, quick, small, span);
	return 0;
}

/* ---- What it will cost. Guesses: they serve a person who decides whether to start now. */

static void add_io(struct plan_test *t, double bytes, double rate, bool write)
{
	t->estimate += (nsec)(bytes / rate * 1e9);
	t->writes += write ? (uint64_t)bytes : 0;
}

static void estimate_preparation(
	struct plan_test *t, struct plan_state *have, uint64_t capacity, const struct plan_rates *r)
{
	if (t->needs.state == STATE_ANY || (t->needs.state == have->state && t->needs.bytes == have->bytes))
		return;
	bool sequential_is_there =
		t->needs.state == STATE_FRAGMENTED && have->state == STATE_SEQUENTIAL && have->bytes == t->needs.bytes;
	if (!sequential_is_there) {
		t->estimate += 2 * NSEC_PER_SEC;
		add_io(t, t->needs.state == STATE_FULL ? (double)capacity : (double)t->needs.bytes,
			r->write_after_cache, true);
	}
	if (t->needs.state == STATE_FRAGMENTED)
		add_io(t, (double)t->needs.bytes, r->write_after_cache / 4, true);
	*have = t->needs;
}

static void estimate_test(struct plan_test *t, const struct plan_rates *r)
{
	bool small_random = t->io.random && t->io.block_bytes < 64 * KIB;
	double rate = (t->io.write ? r->write_after_cache : r->read) / (small_random ? 4 : 1);
	size_t phases = t->kind == KIND_SWEEP ? t->io.ndepths : t->kind == KIND_MIXED ? t->nshares : 0;
	for (size_t i = 0; i < phases; i++) {
		double bytes = t->limit_bytes ? (double)t->limit_bytes : 1e18;
		double by_time = t->limit_time ? nsec_to_s(t->limit_time) * rate : 1e18;
		nsec before = t->estimate;
		bytes = bytes < by_time ? bytes : by_time;
		add_io(t, bytes, rate, t->io.write);
		if (t->kind == KIND_MIXED) /* only a share of a mix is written */
			t->writes -= (uint64_t)(bytes * t->read_shares[i]);
		nsec idle = (nsec)((double)(t->estimate - before) * t->idle_of_busy);
		t->estimate += t->idle_at_most && idle > t->idle_at_most ? t->idle_at_most : idle;
	}
	if (t->kind == KIND_FILL)
		add_io(t, (double)t->io.span_bytes, r->write_after_cache, true);
	if (t->kind == KIND_BURST) {
		nsec before = t->estimate;
		add_io(t, (double)t->bursts * (double)t->burst_bytes, rate, t->io.write);
		t->estimate = before + (nsec)((double)(t->estimate - before) / t->duty);
	}
	if (t->kind == KIND_RECOVERY) {
		add_io(t, (double)t->io.span_bytes / 3 + (double)t->beyond_bytes, r->write_after_cache, true);
		for (size_t i = 0; i < t->nidles; i++) {
			t->estimate += t->idles[i];
			add_io(t, (double)t->step_bytes / 4, r->write_after_cache, true);
		}
	}
	if (t->kind == KIND_IDLE)
		t->estimate += 2 * (t->settle + t->measure);
}

int plan_fit(
	struct plan *p, uint64_t capacity, uint32_t block, bool quick, const struct plan_rates *given, struct err *e)
{
	/* Where nothing is known: a middling drive. After the cache a third of the rated speed (reference curves: 0.2
	 * to 0.6), averaged over a fill. */
	struct plan_rates r = *given;
	if (r.write <= 0)
		r.write = 3e9;
	if (r.read <= 0)
		r.read = 3e9;
	if (r.write_after_cache <= 0)
		r.write_after_cache = r.write / 3;
	struct plan_state have = {STATE_ANY, 0};
	p->quick = quick;
	p->estimate = 0;
	p->writes = 0;
	for (size_t i = 0; i < p->ntests; i++) {
		struct plan_test *t = &p->tests[i];
		if (fit_test(t, capacity, block, quick, e))
			return -1;
		t->estimate = 0;
		t->writes = 0;
		estimate_preparation(t, &have, capacity, &r);
		estimate_test(t, &r);
		have = plan_state_after(t, have);
		p->estimate += t->estimate;
		p->writes += t->writes;
	}
	return 0;
}
