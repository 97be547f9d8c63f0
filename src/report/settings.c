// SPDX-License-Identifier: MIT
#include "report/settings.h"

#include "base/mem.h"
#include "base/units.h"
#include "report/charts.h"
#include "report/svg.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[SETTINGS] = {"suite", "length", "modelled size", "drive before it", "I/O", "block",
	"span", "queue depth", "reads, %", "time limit", "size limit", "bursts", "size of a burst", "busy", "pauses",
	"idle after each", "start of each", "low-power states", "settling time", "measuring time"};

static char *block_words(uint64_t bytes)
{
	char buf[UNITS_BUF];
	units_block(buf, bytes);
	if (strspn(buf, "0123456789") > 4) /* 480 GB rather than 457857 MiB */
		units_bytes(buf, (double)bytes);
	return xstrdup(buf);
}

static char *duration_words(json_t *ns)
{
	char buf[UNITS_BUF];
	json_int_t v = json_integer_value(ns);
	bool round = v % (60 * NSEC_PER_SEC) == 0 || (v < 60 * NSEC_PER_SEC && v % NSEC_PER_SEC == 0);
	return v > 0 ? xstrdup(round ? review_pause(buf, nsec_to_s(v)) : units_duration(buf, v)) : NULL;
}

/* "1, 2 and 4", or the other way round where it is known: the `text` of each element. */
static char *list_words(json_t *list, char *(*text)(json_t *))
{
	char *all = NULL;
	size_t n = json_array_size(list);
	for (size_t i = 0; i < n; i++) {
		char *one = text(json_array_get(list, i));
		char *longer = xasprintf("%s%s%s", all ? all : "",
			!all	    ? ""
			: i + 1 < n ? ", "
				    : " and ",
			one ? one : "0 s");
		free(one);
		free(all);
		all = longer;
	}
	return all;
}

static char *depth_words(json_t *v)
{
	return xasprintf("%lld", (long long)json_integer_value(v));
}

static char *share_words(json_t *v)
{
	return xasprintf("%g", 100 * json_number_value(v));
}

static const char *io_words(bool write, bool random)
{
	return write ? random ? "random writes" : "sequential writes" : random ? "random reads" : "sequential reads";
}

/* The state that the drive was brought into for the test. */
static char *state_words(const struct test_record *t, json_t *needs)
{
	static const char *const words[][2] = {{"erased", "erased"}, {"full", "full"},
		{"sequential", "written in order"}, {"fragmented", "fragmented by random writes"},
		{"any", "as it was"}};
	const char *state = json_string_value(json_object_get(needs, "state"));
	for (size_t i = 0; i < t->nwarnings; i++)
		if (!strcmp(t->warnings[i].code, "not-erased"))
			return xstrdup("not erased");
	for (size_t i = 0; state && i < ARRAY_SIZE(words); i++)
		if (!strcmp(words[i][0], state))
			return xstrdup(words[i][1]);
	return NULL;
}

static char *span_words(const struct review *r, json_int_t bytes)
{
	double capacity = (double)r->run->target.capacity_bytes;
	if (!bytes)
		return NULL;
	return bytes < 0 || (capacity > 0 && (double)bytes >= 0.99 * capacity) ? xstrdup("the whole drive")
									       : block_words((uint64_t)bytes);
}

/* What the phases tell where there are no parameters: a log of another program. */
static void settings_of_phases(struct settings *s, const struct test_record *t)
{
	const struct phase_record *p = t->nphases ? &t->phases[0] : NULL;
	json_t *depths = json_array();
	for (size_t i = 0; i < t->nphases; i++)
		if (t->phases[i].queue_depth)
			json_array_append_new(depths, json_integer(t->phases[i].queue_depth));
	s->words[SETTING_DEPTHS] = list_words(depths, depth_words);
	json_decref(depths);
	if (!p)
		return;
	if (p->block_bytes)
		s->words[SETTING_BLOCK] = block_words(p->block_bytes);
	if (*p->pattern && (!strcmp(p->op, "read") || !strcmp(p->op, "write")))
		s->words[SETTING_IO] = xstrdup(io_words(!strcmp(p->op, "write"), !strcmp(p->pattern, "random")));
}

struct settings settings_of(const struct review *r, const struct test_record *t)
{
	struct settings s = {0};
	json_t *o = t->params ? json_loads(t->params, 0, NULL) : NULL, *io = json_object_get(o, "io");
	if (!json_is_object(io) && strcmp(t->kind, "idle") != 0) {
		settings_of_phases(&s, t);
		json_decref(o);
		return s;
	}
	bool limited = !strcmp(t->kind, "sweep") || !strcmp(t->kind, "mixed");
	json_int_t limit = json_integer_value(json_object_get(o, "limit_bytes"));
	s.words[SETTING_SUITE] = r->run->suite ? xstrdup(r->run->suite) : NULL;
	s.words[SETTING_QUICK] = xstrdup(r->run->quick ? "a quick look" : "full");
	if (r->copy)
		s.words[SETTING_COPY] = xstrdup(r->copy);
	else if (r->full_name || strcmp(r->run->target.kind, "sim") != 0) /* not of a version that did not say */
		s.words[SETTING_COPY] = xstrdup("whole");
	s.words[SETTING_STATE] = state_words(t, json_object_get(o, "needs"));
	if (json_is_object(io)) {
		bool random = json_is_true(json_object_get(io, "random")),
		     write = json_is_true(json_object_get(io, "write"));
		json_int_t block = json_integer_value(json_object_get(io, "block_bytes"));
		s.words[SETTING_IO] = strcmp(t->kind, "mixed") ? xstrdup(io_words(write, random))
							       : xstrdup(random ? "random" : "sequential");
		s.words[SETTING_BLOCK] = block > 0 ? block_words((uint64_t)block) : NULL;
		s.words[SETTING_SPAN] = span_words(r, json_integer_value(json_object_get(io, "span_bytes")));
		s.words[SETTING_DEPTHS] = list_words(json_object_get(io, "queue_depths"), depth_words);
	}
	s.words[SETTING_SHARES] = list_words(json_object_get(o, "read_shares"), share_words);
	if (limited) {
		s.words[SETTING_TIME_LIMIT] = duration_words(json_object_get(o, "limit_ns"));
		if (!s.words[SETTING_TIME_LIMIT])
			s.words[SETTING_TIME_LIMIT] = xstrdup("none");
		s.words[SETTING_SIZE_LIMIT] = limit > 0 ? block_words((uint64_t)limit) : xstrdup("none");
		s.words[SETTING_START] =
			xstrdup(json_is_true(json_object_get(o, "restart")) ? "at the start of the span"
									    : "where the last ended");
	}
	if (!strcmp(t->kind, "burst")) {
		json_int_t size = json_integer_value(json_object_get(o, "burst_bytes"));
		s.words[SETTING_BURSTS] =
			xasprintf("%lld", (long long)json_integer_value(json_object_get(o, "bursts")));
		s.words[SETTING_BURST_SIZE] = size > 0 ? block_words((uint64_t)size) : NULL;
		s.words[SETTING_DUTY] = xasprintf("%g %%", 100 * json_number_value(json_object_get(o, "duty")));
	}
	s.words[SETTING_PAUSES] = list_words(json_object_get(o, "idles_ns"), duration_words);
	json_t *idle = json_object_get(o, "idle_of_busy");
	char *most = duration_words(json_object_get(o, "idle_at_most_ns"));
	if (idle)
		s.words[SETTING_IDLE_AFTER] = xasprintf("%g times as long as it was busy%s%s", json_number_value(idle),
			most ? ", at most " : "", most ? most : "");
	else if (limited)
		s.words[SETTING_IDLE_AFTER] = xstrdup("none");
	free(most);
	s.words[SETTING_LOW_POWER] = xstrdup(json_is_true(json_object_get(o, "low_power")) ? "allowed" : "not allowed");
	s.words[SETTING_SETTLE] = duration_words(json_object_get(o, "settle_ns"));
	s.words[SETTING_MEASURE] = duration_words(json_object_get(o, "measure_ns"));
	json_decref(o);
	return s;
}

void settings_free(struct settings *s)
{
	for (size_t i = 0; i < SETTINGS; i++)
		free(s->words[i]);
}

static bool same(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

/* Whether a run counts for a setting: what is not known cannot differ. */
static bool knows(const struct settings *s, bool counts, size_t k)
{
	return counts && s->words[k];
}

/* "A, B and C": the runs from `from` on that count and have the same value of a setting as that one. free() it. */
static char *who_has(
	struct review *const *r, size_t n, const struct settings *all, const bool *counts, size_t k, size_t from)
{
	char *who = NULL;
	size_t left = 0;
	for (size_t m = from; m < n; m++)
		left += counts[m] && same(all[from].words[k], all[m].words[k]);
	for (size_t m = from; m < n; m++) {
		if (!counts[m] || !same(all[from].words[k], all[m].words[k]))
			continue;
		char *longer = xasprintf("%s%s%s", who ? who : "",
			!who	   ? ""
			: left > 1 ? ", "
				   : " and ",
			charts_run_name(r[m]));
		left--;
		free(who);
		who = longer;
	}
	return who;
}

/* "block 128 KiB in A and C, 1 MiB in B": of the runs that know it, those of one value together; the largest group of
 * at least four is "the others". NULL where all are the same. */
static char *difference(struct review *const *r, size_t n, const struct settings *all, const bool *counts, size_t k)
{
	char *text = NULL;
	size_t largest = n, most = 3, groups = 0;
	bool *first = xcalloc(n + 1, sizeof *first); /* of its group */
	for (size_t i = 0; i < n; i++) {
		size_t members = 0;
		first[i] = knows(&all[i], counts[i], k);
		for (size_t m = 0; m < n && first[i]; m++) {
			bool alike = counts[m] && same(all[i].words[k], all[m].words[k]);
			members += alike;
			first[i] = !(alike && m < i);
		}
		groups += first[i];
		if (first[i] && members > most)
			most = members, largest = i;
	}
	/* In the order of the runs; the others last. */
	for (size_t turn = 0; turn < 2 * n && groups > 1; turn++) {
		size_t i = turn % n;
		if (!first[i] || (i == largest) != (turn >= n))
			continue;
		char *who = i == largest ? xstrdup("the others") : who_has(r, n, all, counts, k, i);
		char *longer =
			xasprintf("%s%s %s in %s", text ? text : names[k], text ? "," : "", all[i].words[k], who);
		free(who);
		free(text);
		text = longer;
	}
	free(first);
	return text;
}

/* "the settings of A are not known": where those of others are. */
static char *unknown(struct review *const *r, size_t n, const struct settings *all, const bool *counts)
{
	size_t known = 0, first = n;
	for (size_t i = n; i-- > 0;) {
		known += knows(&all[i], counts[i], SETTING_SUITE);
		first = counts[i] && !all[i].words[SETTING_SUITE] ? i : first;
	}
	if (!known || first == n)
		return NULL;
	char *who = who_has(r, n, all, counts, SETTING_SUITE, first);
	char *text = xasprintf("what else was set is not known of %s", who);
	free(who);
	return text;
}

char *settings_differences(struct review *const *r, size_t n, const struct figure *g)
{
	struct settings *all = xcalloc(n + 1, sizeof *all);
	bool *counts = xcalloc(n + 1, sizeof *counts);
	char *text = NULL;
	for (size_t i = 0; i < n; i++) {
		const struct review_test *t = review_find(r[i], g->test, g->condition);
		counts[i] = t && isfinite(g->values[i].value);
		if (counts[i])
			all[i] = settings_of(r[i], t->record);
	}
	for (size_t k = 0; k <= SETTINGS; k++) {
		char *one = k < SETTINGS ? difference(r, n, all, counts, k) : unknown(r, n, all, counts);
		if (!one)
			continue;
		char *longer = text ? xasprintf("%s; %s", text, one) : xstrdup(one);
		free(one);
		free(text);
		text = longer;
	}
	for (size_t i = 0; i < n; i++)
		settings_free(&all[i]);
	free(all);
	free(counts);
	return text;
}
