// SPDX-License-Identifier: MIT
/* The `show --json` document. Its names are a promise to scripts: docs/report.md lists them, schema 1. */
#include "base/mem.h"
#include "report/escape.h"
#include "report/review.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void put(json_t *o, const char *name, json_t *value)
{
	json_object_set_new(o, name, value);
}

static json_t *number(double v)
{
	return isfinite(v) ? json_real(v) : json_null();
}

/* A count of bytes. */
static json_t *count(double v)
{
	return isfinite(v) ? json_integer(llround(v)) : json_null();
}

static json_t *text(const char *s)
{
	char *clean = clean_text(s);
	json_t *j = clean ? json_string(clean) : json_null();
	free(clean);
	return j;
}

static json_t *interval(double lo, double hi, json_t *(*as)(double))
{
	return isfinite(lo) && isfinite(hi) ? json_pack("[o,o]", as(lo), as(hi)) : json_null();
}

static json_t *stretches(const struct stretch *s, size_t n, bool lengths)
{
	json_t *a = json_array();
	for (size_t i = 0; i < n; i++) {
		double second = lengths ? s[i].end_s - s[i].start_s : s[i].end_s;
		json_array_append_new(a, json_pack("{s:o,s:o}", "start_s", number(s[i].start_s),
						 lengths ? "seconds" : "end_s", number(second)));
	}
	return a;
}

static json_t *latency(const struct review_latency *l)
{
	if (!l->ios)
		return json_null();
	return json_pack("{s:o,s:o,s:o}", "p50", number(l->p50_us), "p99", number(l->p99_us), "max", number(l->max_us));
}

static json_t *stage(const struct stage *s, double nand_bytes)
{
	static const char *const kinds[] = {"steady", "alternating", "ramp"};
	json_t *o = json_object();
	put(o, "start_bytes", count(s->start_bytes));
	put(o, "end_bytes", count(s->end_bytes));
	put(o, "mbps", number(s->mbps));
	put(o, "mbps_ci", interval(s->mbps_lo, s->mbps_hi, number));
	put(o, "median_mbps", number(s->median_mbps));
	put(o, "kind", json_string(kinds[s->kind]));
	put(o, "nand_bytes", count(nand_bytes));
	return o;
}

static json_t *cache(const struct review_fill *f)
{
	static const char *const verdicts[] = {"found", "none", "not-reached"};
	const struct cache_figures *c = &f->figures.cache;
	json_t *o = json_object();
	put(o, "verdict", json_string(verdicts[c->verdict]));
	put(o, "bytes", count(c->bytes));
	put(o, "bytes_ci", interval(c->bytes_lo, c->bytes_hi, count));
	put(o, "mbps", number(c->mbps));
	put(o, "after_mbps", number(c->after_mbps));
	put(o, "after_mean_mbps", number(c->after_mean_mbps));
	put(o, "share_of_cells", number(f->share_of_cells));
	return o;
}

static void fill(json_t *o, const struct review_fill *f, const struct test_record *t)
{
	const struct fill_figures *g = &f->figures;
	put(o, "bytes", count(g->bytes));
	put(o, "seconds", number(f->seconds));
	put(o, "mean_mbps", number(g->mean_mbps));
	put(o, "min_mbps", number(g->min_mbps));
	put(o, "max_mbps", number(g->max_mbps));
	put(o, "flush_s", number(f->flush_s));
	put(o, "erase", text(t->erase));
	put(o, "power_w", number(f->power.power_w));
	put(o, "j_per_gb", number(f->j_per_gb));
	put(o, "mbps_per_w", number(f->power.mbps_per_w));
	put(o, "nand_bytes", count(f->nand_bytes));
	put(o, "waf", number(f->waf));
	put(o, "gradual", json_boolean(g->gradual));
	put(o, "stalls", stretches(g->stalls, g->nstalls, true));
	put(o, "throttled", stretches(f->throttled, f->nthrottled, false));
	json_t *stages = json_array();
	for (size_t i = 0; i < g->nstages; i++)
		json_array_append_new(stages, stage(&g->stages[i], f->stage_nand_bytes[i]));
	put(o, "stages", stages);
	put(o, "cache", cache(f));
}

static void recovery(json_t *o, const struct review_recovery *r)
{
	json_t *points = json_array();
	for (size_t i = 0; i < r->npoints; i++) {
		const struct review_recovery_point *p = &r->points[i];
		json_array_append_new(
			points, json_pack("{s:o,s:o,s:o,s:o,s:o}", "idle_seconds", number(p->idle_seconds),
					"fill_level", number(p->fill_level), "fast_bytes", count(p->fast_bytes), "mbps",
					number(p->mbps), "mbps_ratio", number(p->mbps_ratio)));
	}
	put(o, "points", points);
	put(o, "reclaim_mbps", number(r->reclaim_mbps));
}

static void burst(json_t *o, const struct review_burst *b)
{
	json_t *bursts = json_array();
	for (size_t i = 0; i < b->nbursts; i++)
		json_array_append_new(bursts, json_pack("{s:o}", "mbps", number(b->bursts[i])));
	put(o, "mbps", number(b->mbps));
	put(o, "mean_of_bursts_mbps", number(b->mean_of_bursts_mbps));
	put(o, "iops", number(b->iops));
	put(o, "bursts", bursts);
	put(o, "bytes", count(b->bytes));
	put(o, "duty", number(b->duty));
	put(o, "lat_us", latency(&b->latency));
	put(o, "power_w", number(b->power.power_w));
	put(o, "mean_power_w", number(b->mean_power_w));
	put(o, "mbps_per_w", number(b->power.mbps_per_w));
}

static void sweep(json_t *o, const struct review_sweep *s)
{
	put(o, "score_mbps", number(s->score_mbps));
	put(o, "power_w", number(s->score.power_w));
	put(o, "mbps_per_w", number(s->score.mbps_per_w));
	put(o, "saturation_qd", count(s->saturation_qd));
	if (isfinite(s->loss))
		put(o, "loss", number(s->loss));
	json_t *points = json_array();
	for (size_t i = 0; i < s->npoints; i++) {
		const struct review_sweep_point *p = &s->points[i];
		json_t *q = json_object();
		put(q, "qd", count(p->qd));
		put(q, "mbps", number(p->mbps));
		put(q, "mbps_ci", interval(p->mbps_lo, p->mbps_hi, number));
		put(q, "iops", number(p->iops));
		put(q, "power_w", number(p->power.power_w));
		put(q, "mbps_per_w", number(p->power.mbps_per_w));
		put(q, "nand_bytes", count(p->nand_bytes));
		put(q, "die_busy", number(p->die_busy));
		put(q, "lat_us", latency(&p->latency));
		json_array_append_new(points, q);
	}
	put(o, "points", points);
}

static void mixed(json_t *o, const struct review_mixed *m)
{
	json_t *points = json_array();
	for (size_t i = 0; i < m->npoints; i++)
		json_array_append_new(
			points, json_pack("{s:o,s:o,s:o}", "read_share", number(m->points[i].read_share), "mbps",
					number(m->points[i].mbps), "power_w", number(m->points[i].power.power_w)));
	put(o, "points", points);
}

static json_t *warnings(const struct warning *w, size_t n)
{
	json_t *a = json_array();
	for (size_t i = 0; i < n; i++)
		json_array_append_new(a, json_pack("{s:o,s:o}", "code", text(w[i].code), "text", text(w[i].text)));
	return a;
}

static void status(json_t *o, const struct test_record *t)
{
	put(o, "status", json_string(review_status(t->status)));
	put(o, "reason", text(t->reason));
	put(o, "warnings", warnings(t->warnings, t->nwarnings));
	if (isfinite(t->temperature_min_c) && isfinite(t->temperature_max_c))
		put(o, "temperature_c",
			json_pack("{s:f,s:f}", "min", t->temperature_min_c, "max", t->temperature_max_c));
	else
		put(o, "temperature_c", json_null());
}

static void figures(json_t *o, const struct review_test *t)
{
	switch (t->kind) {
	case REVIEW_FILL: fill(o, &t->fill, t->record); break;
	case REVIEW_RECOVERY: recovery(o, &t->recovery); break;
	case REVIEW_BURST: burst(o, &t->burst); break;
	case REVIEW_SWEEP: sweep(o, &t->sweep); break;
	case REVIEW_MIXED: mixed(o, &t->mixed); break;
	case REVIEW_IDLE:
		put(o, "active_w", number(t->idle.active_w));
		put(o, "low_power_w", number(t->idle.low_power_w));
		break;
	case REVIEW_OTHER: break;
	}
}

/* The status of a test that was done in several conditions: theirs where they agree, else partial. */
static void join_status(json_t *test, const struct test_record *t)
{
	const char *one = json_string_value(json_object_get(test, "status"));
	if (!one)
		put(test, "status", json_string(review_status(t->status)));
	else if (strcmp(one, review_status(t->status)))
		put(test, "status", json_string("partial"));
}

static json_t *tests(const struct review *r)
{
	json_t *all = json_object();
	for (size_t i = 0; i < r->ntests; i++) {
		const struct review_test *t = &r->tests[i];
		json_t *o = json_object();
		status(o, t->record);
		figures(o, t);
		char *name = clean_text(t->record->name), *condition = clean_text(t->record->condition);
		if (*condition) {
			json_t *test = json_object_get(all, name);
			if (!test)
				put(all, name, test = json_object());
			join_status(test, t->record);
			put(test, condition, o);
		} else {
			put(all, name, o);
		}
		free(name);
		free(condition);
	}
	return all;
}

/* ISO 8601 in UTC. */
static json_t *moment(int64_t ms)
{
	time_t s = ms / 1000;
	struct tm tm;
	char buf[40];
	if (ms < 0 || !gmtime_r(&s, &tm) || !strftime(buf, sizeof buf, "%Y-%m-%dT%H:%M:%SZ", &tm))
		return json_null();
	return json_string(buf);
}

json_t *review_json(const struct review *r)
{
	const struct run_record *run = r->run;
	const struct target_record *t = &run->target;
	json_t *head = json_object(), *target = json_object(), *doc = json_object();
	put(head, "id", json_integer(run->id));
	put(head, "label", text(run->label));
	put(head, "started", moment(run->started_ms));
	put(head, "partial", json_boolean(review_partial(r)));
	put(head, "error", text(run->error));
	put(head, "suite", text(run->suite));
	put(head, "quick", json_boolean(run->quick));
	put(head, "tool_version", text(run->tool_version));
	put(head, "command", run->command ? json_loads(run->command, 0, NULL) : json_null());
	put(head, "warnings", warnings(run->warnings, run->nwarnings));

	put(target, "kind", text(t->kind));
	put(target, "path", text(t->path));
	put(target, "model", text(t->model));
	put(target, "serial", text(t->serial));
	put(target, "firmware", text(t->firmware));
	put(target, "capacity_bytes", t->capacity_bytes ? json_integer((json_int_t)t->capacity_bytes) : json_null());
	put(target, "logical_block_bytes", t->logical_block_bytes ? json_integer(t->logical_block_bytes) : json_null());
	put(target, "engine", text(t->engine));

	put(doc, "schema", json_integer(1));
	put(doc, "partial", json_boolean(review_partial(r)));
	put(doc, "run", head);
	put(doc, "target", target);
	put(doc, "power_source", text(run->power_source));
	put(doc, "host_limit_mbps", number(run->host_limit_mbps));
	put(doc, "tests", tests(r));
	return doc;
}

json_t *review_runs_json(const struct run_record *runs, size_t n)
{
	static const char *const states[] = {"running", "done", "partial", "failed"};
	json_t *list = json_array();
	for (size_t i = 0; i < n; i++) {
		const struct run_record *run = &runs[i];
		json_t *o = json_object();
		put(o, "id", json_integer(run->id));
		put(o, "label", text(run->label));
		put(o, "started", moment(run->started_ms));
		put(o, "finished", moment(run->finished_ms));
		put(o, "state", json_string(states[run->state]));
		put(o, "error", text(run->error));
		put(o, "suite", text(run->suite));
		put(o, "quick", json_boolean(run->quick));
		put(o, "kind", text(run->target.kind));
		put(o, "path", text(run->target.path));
		put(o, "model", text(run->target.model));
		put(o, "serial", text(run->target.serial));
		put(o, "capacity_bytes",
			run->target.capacity_bytes ? json_integer((json_int_t)run->target.capacity_bytes)
						   : json_null());
		json_array_append_new(list, o);
	}
	return json_pack("{s:i,s:o}", "schema", 1, "runs", list);
}
