// SPDX-License-Identifier: MIT
/* The charts of every kind of test but the fill. */
#include "base/mem.h"
#include "report/charts.h"
#include "report/svg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void describe(struct chart *c, char *text)
{
	free(c->desc);
	c->desc = text;
}

static struct chart *named(enum chart_kind kind, const struct section *s, const char *suffix, const char *title)
{
	char *id = xasprintf("%s-%s", s->key, suffix);
	struct chart *c = chart_new(kind, id, title);
	free(id);
	return c;
}

static void recovery_charts(struct chart_list *list, const struct section *s)
{
	const struct review_recovery *r = &s->tests[0]->recovery;
	if (!r->npoints || isnan(r->points[0].fast_bytes))
		return;
	struct chart *c = named(CHART_BARS, s, "fast", "Written at full speed after a pause");
	c->y = (struct chart_axis){.name = "", .unit = "GB", .from_zero = true};
	c->better_high = true;
	char pause[UNITS_BUF], longest[UNITS_BUF];
	for (size_t i = 0; i < r->npoints; i++) {
		const struct review_recovery_point *p = &r->points[i];
		char *name = xasprintf("%s idle%s", review_pause(pause, p->idle_seconds), p->fell ? "" : ", at least");
		chart_add_bar(c, name, p->fast_bytes / 1e9);
		free(name);
	}
	char a[NUMBER_BUF], b[NUMBER_BUF];
	const struct review_recovery_point *first = &r->points[0], *last = &r->points[r->npoints - 1];
	describe(c, xasprintf("After %s idle %s GB are written at full speed, after %s %s GB.",
			    review_pause(pause, first->idle_seconds), number_short(a, first->fast_bytes / 1e9),
			    review_pause(longest, last->idle_seconds), number_short(b, last->fast_bytes / 1e9)));
	chart_list_add(list, c);
}

/* The write speed of each step over what was written since its idle: how full speed ends. */
static void recovery_curves(struct chart_list *list, const struct section *s)
{
	const struct test_record *t = s->tests[0]->record;
	struct chart *c = named(CHART_CURVE, s, "curves", "Write speed after each pause");
	c->x = (struct chart_axis){.name = "written since the pause", .unit = "GB", .scale = SCALE_LOG10};
	c->y = (struct chart_axis){.name = "", .unit = "MB/s", .from_zero = true};
	for (size_t i = 0; i < t->nphases; i++) {
		const struct phase_record *p = &t->phases[i];
		char pause[UNITS_BUF];
		if (strncmp(p->name, "idle-", 5) || p->nsamples < 2)
			continue;
		char *name = xasprintf("%s idle", review_pause(pause, nsec_to_s(p->idle_before)));
		struct chart_series *curve = charts_add_rates(c, name, p, true);
		curve->x_start = curve->x[0] / 2; /* a log scale has no 0 */
		free(name);
	}
	if (c->nseries < 2) {
		chart_free(c);
		return;
	}
	describe(c,
		xasprintf("The write speed over the gigabytes written since the pause, for %zu pauses.", c->nseries));
	chart_list_add(list, c);
}

/* Bars of the section's bursts for which `want` holds. */
static void burst_bars(struct chart_list *list, const struct section *s, const char *suffix, const char *title,
	const char *unit, bool random, bool dots, double (*value)(const struct review_burst *))
{
	struct chart *c = named(CHART_BARS, s, suffix, title);
	c->y = (struct chart_axis){.name = "", .unit = unit, .from_zero = true};
	c->size = CHART_HALF;
	for (size_t i = 0; i < s->n; i++) {
		const struct review_test *t = s->tests[i];
		if (t->kind != REVIEW_BURST || !!strcmp(t->record->phases[0].pattern, "random") == random ||
			!isfinite(value(&t->burst)))
			continue;
		struct chart_bar *b =
			chart_add_bar(c, !strcmp(t->record->phases[0].op, "read") ? "read" : "write", value(&t->burst));
		b->look.colour = !strcmp(t->record->phases[0].op, "read") ? 0 : 1;
		if (!dots)
			continue;
		b->ndots = t->burst.nbursts;
		b->dots = xcalloc(b->ndots + 1, sizeof *b->dots);
		memcpy(b->dots, t->burst.bursts, b->ndots * sizeof *b->dots);
	}
	if (!c->nbars) {
		chart_free(c);
		return;
	}
	c->better_high = strcmp(unit, "W");
	describe(c, xasprintf("%s: %zu bars.", title, c->nbars));
	chart_list_add(list, c);
}

static double burst_mbps_of(const struct review_burst *b)
{
	return b->mbps;
}
static double burst_watts_of(const struct review_burst *b)
{
	return b->power.power_w;
}
static double burst_efficiency_of(const struct review_burst *b)
{
	return b->power.mbps_per_w;
}

static void burst_charts(struct chart_list *list, const struct section *s)
{
	burst_bars(list, s, "seq", "Sequential bursts, 128 KiB", "MB/s", false, true, burst_mbps_of);
	burst_bars(list, s, "rand", "Random bursts, 4 KiB", "MB/s", true, true, burst_mbps_of);
	burst_bars(list, s, "seq-power", "Power in sequential bursts", "W", false, false, burst_watts_of);
	burst_bars(list, s, "rand-power", "Power in random bursts", "W", true, false, burst_watts_of);
	burst_bars(list, s, "seq-efficiency", "Efficiency in sequential bursts", "MB/s per W", false, false,
		burst_efficiency_of);
	burst_bars(list, s, "rand-efficiency", "Efficiency in random bursts", "MB/s per W", true, false,
		burst_efficiency_of);
}

/* What of a sweep's point a chart shows. */
struct sweep_view {
	const char *suffix, *title, *unit;
	enum chart_scale scale;
	bool half, better_high, better_low;
	double (*value)(const struct review_sweep_point *);
};

static double sweep_mbps(const struct review_sweep_point *p)
{
	return p->mbps;
}
static double sweep_iops(const struct review_sweep_point *p)
{
	return p->iops;
}
static double sweep_watts(const struct review_sweep_point *p)
{
	return p->power.power_w;
}
static double sweep_efficiency(const struct review_sweep_point *p)
{
	return p->power.mbps_per_w;
}
static double sweep_median(const struct review_sweep_point *p)
{
	return p->latency.p50_us;
}
static double sweep_p99(const struct review_sweep_point *p)
{
	return p->latency.p99_us;
}

static void sweep_chart(struct chart_list *list, const struct section *s, const struct sweep_view *v)
{
	struct chart *c = named(CHART_LINES, s, v->suffix, v->title);
	c->x = (struct chart_axis){.name = "queue depth", .unit = "", .scale = SCALE_LOG2, .at_points = true};
	c->y = (struct chart_axis){.name = "", .unit = v->unit, .scale = v->scale, .from_zero = true};
	c->size = v->half ? CHART_HALF : CHART_FULL;
	c->better_high = v->better_high;
	c->better_low = v->better_low;
	bool interval = v->value == sweep_mbps, any = false;
	for (size_t i = 0; i < s->n; i++) {
		const struct review_test *t = s->tests[i];
		if (t->kind != REVIEW_SWEEP)
			continue;
		struct chart_series *line =
			chart_add_series(c, *t->record->condition ? t->record->condition : test_title(t->record),
				t->sweep.npoints, interval);
		line->look.dashed = line->look.colour > 0;
		for (size_t k = 0; k < t->sweep.npoints; k++) {
			const struct review_sweep_point *p = &t->sweep.points[k];
			line->x[k] = p->qd;
			line->y[k] = v->value(p);
			any = any || isfinite(line->y[k]);
			if (interval) {
				line->lo[k] = p->mbps_lo;
				line->hi[k] = p->mbps_hi;
			}
		}
	}
	if (!any) {
		chart_free(c);
		return;
	}
	describe(c, xasprintf("%s, %s over the queue depth.", s->title, v->title));
	chart_list_add(list, c);
}

static void sweep_charts(struct chart_list *list, const struct section *s)
{
	static const struct sweep_view views[] = {
		{"speed", "Speed", "MB/s", SCALE_LINEAR, false, true, false, sweep_mbps},
		{"iops", "I/Os per second", "IOPS", SCALE_LINEAR, false, true, false, sweep_iops},
		{"power", "Power", "W", SCALE_LINEAR, true, false, false, sweep_watts},
		{"efficiency", "Efficiency", "MB/s per W", SCALE_LINEAR, true, true, false, sweep_efficiency},
		{"latency", "Latency, median", "\xc2\xb5s", SCALE_LOG10, true, false, true, sweep_median},
		{"latency-99", "Latency, 99 % are below", "\xc2\xb5s", SCALE_LOG10, true, false, true, sweep_p99},
	};
	bool random = false;
	for (size_t i = 0; i < s->n; i++)
		random = random || (s->tests[i]->kind == REVIEW_SWEEP &&
					   !strcmp(s->tests[i]->record->phases[0].pattern, "random"));
	for (size_t i = 0; i < ARRAY_SIZE(views); i++)
		if (i > 1 || random == (i == 1)) /* random I/O is counted, sequential I/O weighed */
			sweep_chart(list, s, &views[i]);
}

static double mixed_mbps(const struct review_mixed_point *p)
{
	return p->mbps;
}
static double mixed_watts(const struct review_mixed_point *p)
{
	return p->power.power_w;
}
static double mixed_efficiency(const struct review_mixed_point *p)
{
	return p->power.mbps_per_w;
}

static void mixed_charts(struct chart_list *list, const struct section *s)
{
	static const struct {
		const char *suffix, *title, *unit;
		bool half, better_high;
		double (*value)(const struct review_mixed_point *);
	} views[] = {
		{"speed", "Speed over the share of reads", "MB/s", false, true, mixed_mbps},
		{"power", "Power", "W", true, false, mixed_watts},
		{"efficiency", "Efficiency", "MB/s per W", true, true, mixed_efficiency},
	};
	const struct review_mixed *m = &s->tests[0]->mixed;
	for (size_t i = 0; i < ARRAY_SIZE(views); i++) {
		struct chart *c = named(CHART_LINES, s, views[i].suffix, views[i].title);
		bool any = false;
		c->x = (struct chart_axis){.name = "reads", .unit = "%", .lo = 0, .hi = 100};
		c->y = (struct chart_axis){.name = "", .unit = views[i].unit, .from_zero = true};
		c->size = views[i].half ? CHART_HALF : CHART_FULL;
		c->better_high = views[i].better_high;
		struct chart_series *line = chart_add_series(c, s->title, m->npoints, false);
		for (size_t k = 0; k < m->npoints; k++) {
			line->x[k] = 100 * m->points[k].read_share;
			line->y[k] = views[i].value(&m->points[k]);
			any = any || isfinite(line->y[k]);
		}
		describe(c, xasprintf("%s: %s, from writes alone to reads alone.", s->title, views[i].title));
		if (any)
			chart_list_add(list, c);
		else
			chart_free(c);
	}
}

static void idle_charts(struct chart_list *list, const struct section *s)
{
	const struct review_idle *idle = &s->tests[0]->idle;
	struct chart *c = named(CHART_BARS, s, "power", "Power while idle");
	c->y = (struct chart_axis){.name = "", .unit = "W", .from_zero = true};
	c->better_low = true;
	if (isfinite(idle->active_w))
		chart_add_bar(c, "always on", idle->active_w);
	if (isfinite(idle->low_power_w))
		chart_add_bar(c, "low-power states allowed", idle->low_power_w)->look.colour = 2;
	describe(c, xstrdup("The power that the drive draws when idle."));
	if (c->nbars)
		chart_list_add(list, c);
	else
		chart_free(c);
}

void charts_of_section(struct chart_list *list, const struct review *r, const struct section *s)
{
	switch (s->tests[0]->kind) {
	case REVIEW_FILL: charts_of_fill(list, r, s->tests[0]); break;
	case REVIEW_RECOVERY:
		recovery_charts(list, s);
		recovery_curves(list, s);
		break;
	case REVIEW_BURST: burst_charts(list, s); break;
	case REVIEW_SWEEP: sweep_charts(list, s); break;
	case REVIEW_MIXED: mixed_charts(list, s); break;
	case REVIEW_IDLE: idle_charts(list, s); break;
	case REVIEW_OTHER: break;
	}
}
