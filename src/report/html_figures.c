// SPDX-License-Identifier: MIT
/* The figures of each kind of test as tables. */
#include "base/units.h"
#include "report/escape.h"
#include "report/html.h"
#include "report/svg.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static void fill_table(FILE *f, const struct review_test *t)
{
	const struct review_fill *fill = &t->fill;
	const struct fill_figures *g = &fill->figures;
	const struct cache_figures *c = &g->cache;
	char a[NUMBER_BUF], b[NUMBER_BUF], d[NUMBER_BUF];
	fputs("<table class=\"facts\">\n", f);
	if (c->verdict == CACHE_FOUND) {
		html_factf(f, "Cache ends after", "data written at cache speed", "%s GB (%s to %s)",
			number_text(a, c->bytes / 1e9, 1), number_text(b, c->bytes_lo / 1e9, 1),
			number_text(d, c->bytes_hi / 1e9, 1));
		if (isfinite(fill->share_of_cells))
			html_factf(f, "Share of the cells", "bits per cell times cache, of the nominal capacity",
				"%.1f %%", 100 * fill->share_of_cells);
		html_factf(f, "Speed in the cache", "bytes over time", "%s MB/s", number_short(a, c->mbps));
		html_factf(f, "Speed after the cache", "median of the samples; mean is bytes over time",
			"%s MB/s (mean %s)", number_short(a, c->after_mbps), number_short(b, c->after_mean_mbps));
	}
	html_factf(f, "Mean of the whole fill", "bytes over time", "%s MB/s", number_short(a, g->mean_mbps));
	if (c->verdict != CACHE_FOUND)
		html_fact(f, "pSLC cache", review_no_cache(fill), NULL);
	html_factf(f, "Slowest and fastest sample", "bytes over time of one slot", "%s and %s MB/s",
		number_short(a, g->min_mbps), number_short(b, g->max_mbps));
	char bytes[UNITS_BUF], time[UNITS_BUF];
	html_factf(f, "Written", NULL, "%s in %s", units_bytes(bytes, g->bytes),
		units_duration(time, nsec_of_s(fill->seconds)));
	if (isfinite(fill->flush_s))
		html_factf(f, "Flush at the end", "timed on its own, not in the mean", "%s",
			units_duration(time, nsec_of_s(fill->flush_s)));
	if (isfinite(fill->power.power_w)) {
		html_factf(f, "Power", "mean while writing", "%.2f W", fill->power.power_w);
		html_factf(f, "Energy", "per gigabyte written", "%.2f J/GB", fill->j_per_gb);
		html_factf(f, "Efficiency", "mean speed over mean power", "%s MB/s per W",
			number_short(a, fill->power.mbps_per_w));
	}
	if (isfinite(fill->waf))
		html_factf(f, "Written to flash", "per byte that the host wrote (write amplification)", "%.2f bytes",
			fill->waf);
	for (size_t i = 0; i < g->nstalls; i++)
		html_factf(f, "Stall", "no progress", "at %s s for %s s", number_short(a, g->stalls[i].start_s),
			number_short(b, g->stalls[i].end_s - g->stalls[i].start_s));
	for (size_t i = 0; i < fill->nthrottled; i++)
		html_factf(f, "Throttled", "as the drive reported", "from %s to %s s",
			number_short(a, fill->throttled[i].start_s), number_short(b, fill->throttled[i].end_s));
	fputs("</table>\n", f);
	if (!g->nstages)
		return;
	static const char *const kinds[] = {"steady", "alternating", "changing"};
	fputs("<h3>Stages</h3>\n<div class=\"scroll\" tabindex=\"0\" role=\"group\" "
	      "aria-label=\"Table\"><table><thead><tr><th scope=\"col\">from, GB</th>"
	      "<th scope=\"col\">to, GB</th><th scope=\"col\">MB/s</th><th scope=\"col\">95&nbsp;% "
	      "interval, MB/s</th><th scope=\"col\">median, MB/s</th><th scope=\"col\">5 to 95&nbsp;% of samples, "
	      "MB/s</th><th scope=\"col\">kind</th>",
		f);
	bool flash = isfinite(fill->waf);
	fputs(flash ? "<th scope=\"col\">flash bytes per host byte</th></tr></thead><tbody>\n"
		    : "</tr></thead><tbody>\n",
		f);
	for (size_t i = 0; i < g->nstages; i++) {
		const struct stage *s = &g->stages[i];
		fprintf(f, "<tr><td>%s</td>", number_text(a, s->start_bytes / 1e9, 1));
		fprintf(f, "<td>%s</td>", number_text(a, s->end_bytes / 1e9, 1));
		fprintf(f, "<td>%s</td>", number_short(a, s->mbps));
		if (isfinite(s->mbps_lo) && isfinite(s->mbps_hi))
			fprintf(f, "<td>%s to %s%s</td>", number_short(a, s->mbps_lo), number_short(b, s->mbps_hi),
				s->interval_optimistic ? " or wider" : "");
		else
			fputs("<td>too few samples</td>", f);
		fprintf(f, "<td>%s</td>", number_short(a, s->median_mbps));
		fprintf(f, "<td>%s to %s</td>", number_short(a, s->p5_mbps), number_short(b, s->p95_mbps));
		fprintf(f, "<td>%s</td>", kinds[s->kind]);
		double waf = fill->stage_nand_bytes[i] / (s->end_bytes - s->start_bytes);
		if (flash)
			fprintf(f, "<td>%s</td>", isfinite(waf) ? number_short(a, waf) : "not measured");
		fputs("</tr>\n", f);
	}
	fputs("</tbody></table></div>\n", f);
}

/* A cell with a number, or in words that there is none. */
static void number_cell(FILE *f, double v)
{
	char buf[NUMBER_BUF];
	if (isfinite(v))
		fprintf(f, "<td>%s</td>", number_short(buf, v));
	else
		fputs("<td class=\"none\">not measured</td>", f);
}

/* A latency quantile: without I/Os there is none, with few the far ones cannot be told. */
static void quantile_cell(FILE *f, const struct review_latency *l, double us)
{
	if (l->ios && !isfinite(us))
		fputs("<td class=\"none\">too few</td>", f);
	else
		number_cell(f, us);
}

static void quantile_cells(FILE *f, const struct review_latency *l)
{
	quantile_cell(f, l, l->p50_us);
	quantile_cell(f, l, l->p99_us);
	quantile_cell(f, l, l->p999_us);
	quantile_cell(f, l, l->max_us);
}

static void number_cells(FILE *f, const double *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		number_cell(f, v[i]);
}

/* Begins a table with these column heads, NULL-terminated; heads are literals, an empty one is no column. */
static void table_begin(FILE *f, ...)
{
	va_list ap;
	fputs("<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"Table\"><table><thead><tr>", f);
	va_start(ap, f);
	for (const char *head = va_arg(ap, const char *); head; head = va_arg(ap, const char *))
		if (*head)
			fprintf(f, "<th scope=\"col\">%s</th>", head);
	va_end(ap);
	fputs("</tr></thead><tbody>\n", f);
}

static void table_end(FILE *f)
{
	fputs("</tbody></table></div>\n", f);
}

static void row_name(FILE *f, const char *name)
{
	fputs("<tr><th scope=\"row\">", f);
	write_xml(f, name);
	fputs("</th>", f);
}

static void recovery_table(FILE *f, const struct review_test *t)
{
	const struct review_recovery *r = &t->recovery;
	char buf[NUMBER_BUF], pause[UNITS_BUF];
	if (!r->npoints) {
		fputs(t->record->status == TEST_DONE
				? "<p>Nothing to recover: the test found no end of a cache, so there was nothing to "
				  "measure after a pause.</p>\n"
				: "<p>Nothing was measured after a pause.</p>\n",
			f);
		return;
	}
	if (isnan(r->points[0].fast_bytes))
		fputs("<p>No end of a cache was found, so its speed is not known, and neither is how much was written "
		      "at it after a pause. The curves show what was.</p>\n",
			f);
	if (isfinite(r->reclaim_mbps))
		fprintf(f, "<p>The drive regains %s MB of cache per second of idle.</p>\n",
			number_short(buf, r->reclaim_mbps));
	table_begin(f, "idle", "at full speed, GB", "MB/s meanwhile", "of the rate in the cache, %", "drive filled, %",
		NULL);
	for (size_t i = 0; i < r->npoints; i++) {
		const struct review_recovery_point *p = &r->points[i];
		fprintf(f, "<tr><th scope=\"row\">%s</th>", review_pause(pause, p->idle_seconds));
		if (p->fell || isnan(p->fast_bytes))
			number_cell(f, p->fast_bytes / 1e9);
		else
			fprintf(f, "<td>at least %s</td>", number_short(buf, p->fast_bytes / 1e9));
		if (isfinite(p->mbps))
			number_cells(f, (const double[]){p->mbps, 100 * p->mbps_ratio}, 2);
		else
			for (int k = 0; k < 2; k++)
				fprintf(f, "<td class=\"none\">%s</td>",
					isnan(p->fast_bytes) ? "not measured"
					: p->fast_bytes > 0  ? "too short"
							     : "none");
		number_cell(f, 100 * p->fill_level);
		fputs("</tr>\n", f);
	}
	table_end(f);
}

static void burst_table(FILE *f, const struct section *s)
{
	bool power = false; /* without a meter there are no columns of "not measured" */
	for (size_t i = 0; i < s->n; i++)
		power = power || (s->tests[i]->kind == REVIEW_BURST && isfinite(s->tests[i]->burst.power.power_w));
	table_begin(f, "burst", "MB/s", "mean of the bursts, MB/s", "IOPS", "latency median, \xc2\xb5s",
		"99&nbsp;%, \xc2\xb5s", "99.9&nbsp;%, \xc2\xb5s", "max, \xc2\xb5s", power ? "W busy" : "",
		power ? "W over all" : "", power ? "MB/s per W" : "", "busy, %", NULL);
	for (size_t i = 0; i < s->n; i++) {
		if (s->tests[i]->kind != REVIEW_BURST)
			continue;
		const struct review_burst *b = &s->tests[i]->burst;
		const char *title = test_title(s->tests[i]->record);
		row_name(f, strncmp(title, "Burst ", 6) ? title : title + 6);
		number_cells(f, (const double[]){b->mbps, b->mean_of_bursts_mbps, b->iops}, 3);
		quantile_cells(f, &b->latency);
		if (power)
			number_cells(f, (const double[]){b->power.power_w, b->mean_power_w, b->power.mbps_per_w}, 3);
		number_cell(f, 100 * b->duty);
		fputs("</tr>\n", f);
	}
	table_end(f);
}

static void sweep_table(FILE *f, const struct review_test *t)
{
	const struct review_sweep *s = &t->sweep;
	char a[NUMBER_BUF], b[NUMBER_BUF];
	if (*t->record->condition) {
		char *title = test_full_title(t->record);
		fputs("<h3>", f);
		write_xml(f, title);
		fputs("</h3>\n", f);
		free(title);
	}
	fputs("<p>", f);
	if (isfinite(s->score_mbps))
		fprintf(f, "Score, the mean of queue depths 1, 2 and 4: <strong>%s MB/s</strong>",
			number_short(a, s->score_mbps));
	if (isfinite(s->score_mbps) && isfinite(s->score.power_w))
		fprintf(f, " at %.2f W, %s MB/s per W", s->score.power_w, number_short(a, s->score.mbps_per_w));
	if (isfinite(s->score_mbps) && fabs(s->loss) < 0.0005)
		fputs(", as fast as fresh", f);
	else if (isfinite(s->score_mbps) && isfinite(s->loss))
		fprintf(f, ", %s&nbsp;%% %s than fresh", number_short(a, fabs(100 * s->loss)),
			s->loss >= 0 ? "less" : "more");
	fputs(isfinite(s->score_mbps) ? ". " : "", f);
	if (review_still_rising(s))
		fprintf(f, "At queue depth %s, the deepest that was measured, the speed still rises.",
			number_text(b, s->saturation_qd, 0));
	else if (isfinite(s->saturation_qd) && s->npoints > 1)
		fprintf(f, "Queue depth %s is the first to reach 95&nbsp;%% of the greatest speed.",
			number_text(b, s->saturation_qd, 0));
	fputs("</p>\n", f);
	bool dies = false, power = false; /* only a modelled drive tells how busy its dies were */
	for (size_t i = 0; i < s->npoints; i++) {
		dies = dies || isfinite(s->points[i].die_busy);
		power = power || isfinite(s->points[i].power.power_w);
	}
	table_begin(f, "QD", "MB/s", "95 % interval", "IOPS", power ? "W" : "", power ? "MB/s per W" : "",
		"latency median, \xc2\xb5s", "99&nbsp;%, \xc2\xb5s", "99.9&nbsp;%, \xc2\xb5s", "max, \xc2\xb5s",
		dies ? "dies busy, %" : NULL, NULL);
	for (size_t i = 0; i < s->npoints; i++) {
		const struct review_sweep_point *p = &s->points[i];
		if (isfinite(p->qd))
			fprintf(f, "<tr><th scope=\"row\">%.0f</th>", p->qd);
		else
			fputs("<tr><th scope=\"row\">not known</th>", f);
		number_cell(f, p->mbps);
		if (isfinite(p->mbps_lo) && isfinite(p->mbps_hi))
			fprintf(f, "<td>%s to %s</td>", number_short(a, p->mbps_lo), number_short(b, p->mbps_hi));
		else
			fputs("<td class=\"none\">too few samples</td>", f);
		number_cells(f, (const double[]){p->iops, p->power.power_w, p->power.mbps_per_w}, power ? 3 : 1);
		quantile_cells(f, &p->latency);
		if (dies)
			number_cell(f, 100 * p->die_busy);
		fputs("</tr>\n", f);
	}
	table_end(f);
	/* Little's law, reference: analysis/sweep.h. */
	for (size_t i = 0; i < s->npoints; i++)
		if (s->points[i].occupancy < 0.97)
			fprintf(f,
				"<p class=\"note\">At queue depth %.0f only %.0f %% of the queue was filled on "
				"average: the host, "
				"not the drive, may have been the limit.</p>\n",
				s->points[i].qd, 100 * s->points[i].occupancy);
}

static void mixed_table(FILE *f, const struct review_mixed *m)
{
	bool power = false;
	for (size_t i = 0; i < m->npoints; i++)
		power = power || isfinite(m->points[i].power.power_w);
	table_begin(f, "reads, %", "MB/s", "IOPS", power ? "W" : "", power ? "MB/s per W" : "",
		"latency median, \xc2\xb5s", "99&nbsp;%, \xc2\xb5s", "99.9&nbsp;%, \xc2\xb5s", "max, \xc2\xb5s", NULL);
	for (size_t i = 0; i < m->npoints; i++) {
		const struct review_mixed_point *p = &m->points[i];
		fprintf(f, "<tr><th scope=\"row\">%.0f</th>", 100 * p->read_share);
		number_cells(
			f, (const double[]){p->mbps, p->iops, p->power.power_w, p->power.mbps_per_w}, power ? 4 : 2);
		quantile_cells(f, &p->latency);
		fputs("</tr>\n", f);
	}
	table_end(f);
}

void html_figures(FILE *f, const struct section *s)
{
	for (size_t i = 0; i < s->n; i++) {
		const struct review_test *t = s->tests[i];
		if (t->kind == REVIEW_FILL)
			fill_table(f, t);
		else if (t->kind == REVIEW_RECOVERY)
			recovery_table(f, t);
		else if (t->kind == REVIEW_SWEEP)
			sweep_table(f, t);
		else if (t->kind == REVIEW_MIXED)
			mixed_table(f, &t->mixed);
	}
	if (s->tests[0]->kind == REVIEW_BURST)
		burst_table(f, s);
}
