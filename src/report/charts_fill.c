// SPDX-License-Identifier: MIT
/* The charts of a fill: its rate over what was written and over time, temperature and power below. */
#include "base/mem.h"
#include "base/units.h"
#include "report/charts.h"
#include "report/svg.h"

#include <math.h>
#include <stdlib.h>

void chart_list_add(struct chart_list *l, struct chart *c)
{
	GROW(l->charts, l->n, l->cap);
	l->charts[l->n++] = c;
}

void chart_list_free(struct chart_list *l)
{
	for (size_t i = 0; i < l->n; i++)
		chart_free(l->charts[i]);
	free(l->charts);
	*l = (struct chart_list){0};
}

double charts_time_unit(double seconds, const char **unit)
{
	*unit = seconds <= 300 ? "s" : seconds <= 3 * 3600 ? "min" : "h";
	return seconds <= 300 ? 1 : seconds <= 3 * 3600 ? 60 : 3600;
}

static double phase_seconds(const struct phase_record *p)
{
	if (!p->nsamples)
		return nsec_to_s(p->duration);
	return sample_end_s(&p->samples[p->nsamples - 1]);
}

struct chart_series *charts_add_rates(struct chart *c, const char *name, const struct phase_record *p, bool over_bytes)
{
	struct chart_series *s = chart_add_series(c, name, p->nsamples, false);
	const char *unit;
	double per = charts_time_unit(phase_seconds(p), &unit), bytes = 0, own = 0, seconds = 0;
	s->n = 0;
	for (size_t i = 0; i < p->nsamples; i++) {
		const struct sample *from = &p->samples[i];
		bytes += (double)from->bytes;
		/* What is left of a last slot can be too short for a rate: it joins the slot before. */
		bool joins = s->n && from->length < 0.4 * (double)p->samples[0].length;
		own = joins ? own + (double)from->bytes : (double)from->bytes;
		seconds = joins ? seconds + nsec_to_s(from->length) : nsec_to_s(from->length);
		size_t at = joins ? s->n - 1 : s->n++;
		s->x[at] = over_bytes ? bytes / 1e9 : sample_end_s(from) / per;
		s->y[at] = seconds > 0 ? own / seconds / 1e6 : NAN;
	}
	return s;
}

static void shade_stages(struct chart *c, const struct fill_figures *g, bool over_bytes, double per)
{
	for (size_t i = 0; i < g->nstages; i++) {
		const struct stage *s = &g->stages[i];
		char buf[NUMBER_BUF];
		char *label = xasprintf("%s MB/s", number_short(buf, s->mbps));
		struct chart_band *b;
		if (over_bytes)
			b = chart_add_band(c, s->start_bytes / 1e9, s->end_bytes / 1e9, label);
		else
			b = chart_add_band(c, s->start_s / per, s->end_s / per, label);
		b->accent = b->accent && g->nstages > 1; /* one stage alone is not set off from anything */
		free(label);
	}
}

/* "616.9 GB", "616.4 to 617.3": one digit more than the headline, where the interval is that narrow. */
static char *gigabytes(double bytes, int decimals)
{
	char buf[NUMBER_BUF];
	return xasprintf("%s GB", number_text(buf, bytes / 1e9, decimals));
}

static void mark_cache(struct chart *c, const struct fill_figures *g, bool over_bytes, double per)
{
	const struct cache_figures *cache = &g->cache;
	if (cache->verdict != CACHE_FOUND)
		return;
	int decimals = cache->bytes < 9.95e9 ? 2 : cache->bytes < 999.5e9 ? 1 : 0;
	char *at = gigabytes(cache->bytes, decimals), *label;
	char lo[NUMBER_BUF], hi[NUMBER_BUF];
	if (isfinite(cache->bytes_lo) && isfinite(cache->bytes_hi))
		label = xasprintf("cache ends at %s (%s to %s)", at, number_text(lo, cache->bytes_lo / 1e9, decimals),
			number_text(hi, cache->bytes_hi / 1e9, decimals));
	else
		label = xasprintf("cache ends at %s", at);
	struct chart_mark *m;
	if (over_bytes) {
		m = chart_add_mark(c, cache->bytes / 1e9, cache->bytes_lo / 1e9, cache->bytes_hi / 1e9, label);
	} else {
		/* Before the cache's end all was written at its rate. */
		double s = cache->bytes / 1e6 / cache->mbps;
		m = chart_add_mark(c, s / per, NAN, NAN, label);
	}
	m->short_label = xasprintf("cache ends at %s", at);
	free(at);
	free(label);
}

/* The stages that reviews have published, as a dotted line behind what was measured. */
static void add_published(struct chart *c, const struct published_drive *d, double end_gb)
{
	if (!d || !d->nstages)
		return;
	struct chart_series *s = chart_add_series(c, "published", 2 * d->nstages, false);
	s->look = (struct chart_look){.colour = 1, .published = true};
	s->x_start = isfinite(d->stages[0].from_gb) ? d->stages[0].from_gb : 0;
	double at = s->x_start;
	s->n = 0;
	for (size_t i = 0; i < d->nstages; i++) {
		const struct published_stage *p = &d->stages[i];
		if (isfinite(p->from_gb) && p->from_gb > at) { /* nothing is said about the stretch before it */
			s->x[s->n] = at = p->from_gb;
			s->y[s->n++] = NAN;
		}
		double to = isfinite(p->to_gb) ? p->to_gb : i + 1 < d->nstages ? d->stages[i + 1].from_gb : end_gb;
		if (!(to > at))
			continue;
		s->x[s->n] = at = to;
		s->y[s->n++] = p->mbps;
	}
}

static struct chart *rate_chart(const struct review *r, const struct review_test *t, bool over_bytes, const char *what)
{
	const struct phase_record *p = &t->record->phases[0];
	const struct fill_figures *g = &t->fill.figures;
	char *id = xasprintf("%s-%s", t->record->name, over_bytes ? "over-gb" : "over-time");
	struct chart *c =
		chart_new(CHART_CURVE, id, over_bytes ? "Write speed over the data written" : "Write speed over time");
	const char *unit;
	double per = charts_time_unit(phase_seconds(p), &unit);
	c->x = (struct chart_axis){
		.name = over_bytes ? "written" : "time", .unit = over_bytes ? "GB" : unit, .from_zero = true};
	c->y = (struct chart_axis){.name = "", .unit = "MB/s", .from_zero = true};
	c->time_series = true;
	charts_add_rates(c, "measured", p, over_bytes);
	if (over_bytes)
		add_published(c, r->published, g->bytes / 1e9);
	shade_stages(c, g, over_bytes, per);
	mark_cache(c, g, over_bytes, per);
	free(c->desc);
	c->desc =
		xasprintf("Write speed in MB/s %s. %s.", over_bytes ? "over the gigabytes written" : "over time", what);
	free(id);
	return c;
}

/* A quantity of the samples along the fill's time axis; NULL where it was not measured. */
static struct chart *sample_chart(const struct review_test *t, const char *suffix, const char *title, const char *unit,
	double (*value)(const struct sample *), bool from_zero)
{
	const struct phase_record *p = &t->record->phases[0];
	size_t known = 0;
	for (size_t i = 0; i < p->nsamples; i++)
		known += isfinite(value(&p->samples[i]));
	if (!known)
		return NULL;
	char *id = xasprintf("%s-%s", t->record->name, suffix);
	struct chart *c = chart_new(CHART_CURVE, id, title);
	free(id);
	const char *time_unit;
	double per = charts_time_unit(phase_seconds(p), &time_unit);
	c->x = (struct chart_axis){.name = "time", .unit = time_unit, .from_zero = true};
	c->y = (struct chart_axis){.name = "", .unit = unit, .from_zero = from_zero};
	c->time_series = c->low = true;
	struct chart_series *s = chart_add_series(c, title, p->nsamples, false);
	s->look.colour = from_zero ? 4 : 1;
	double least = INFINITY, greatest = -INFINITY;
	for (size_t i = 0; i < p->nsamples; i++) {
		s->x[i] = sample_end_s(&p->samples[i]) / per;
		s->y[i] = value(&p->samples[i]);
		least = fmin(least, s->y[i]);
		greatest = fmax(greatest, s->y[i]);
	}
	for (size_t i = 0; i < t->fill.nthrottled; i++)
		chart_add_band(c, t->fill.throttled[i].start_s / per, t->fill.throttled[i].end_s / per, "throttled");
	free(c->desc);
	char lo[NUMBER_BUF], hi[NUMBER_BUF];
	c->desc = xasprintf(
		"%s over time, from %s to %s %s.", title, number_short(lo, least), number_short(hi, greatest), unit);
	return c;
}

static double sample_watts(const struct sample *s)
{
	return s->length > 0 ? s->joules / nsec_to_s(s->length) : NAN;
}

static double sample_temperature(const struct sample *s)
{
	return s->temperature_c;
}

/* How much flash is written per host byte, sample by sample. */
static double sample_waf(const struct sample *s)
{
	return s->nand_bytes >= 0 && s->bytes > 0 ? (double)s->nand_bytes / (double)s->bytes : NAN;
}

void charts_of_fill(struct chart_list *list, const struct review *r, const struct review_test *t)
{
	if (!t->record->phases[0].nsamples)
		return;
	char *what = review_headline(r);
	chart_list_add(list, rate_chart(r, t, true, what));
	chart_list_add(list, rate_chart(r, t, false, what));
	free(what);
	struct chart *more[] = {
		sample_chart(t, "power", "Power", "W", sample_watts, true),
		sample_chart(t, "temperature", "Temperature",
			"\xc2\xb0"
			"C",
			sample_temperature, false),
		sample_chart(t, "flash-writes", "Flash writes per host write", "bytes per byte", sample_waf, true),
	};
	for (size_t i = 0; i < ARRAY_SIZE(more); i++)
		if (more[i])
			chart_list_add(list, more[i]);
}
