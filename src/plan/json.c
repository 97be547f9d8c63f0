// SPDX-License-Identifier: MIT
/* A plan as JSON, and back: what a run stores, so that it can be repeated, resumed and exported. Sizes in bytes, times
 * in ns; only what matters for the test's kind is there. */
#include "plan/plan.h"

#include "base/mem.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const state_names[] = {"any", "erased", "sequential", "fragmented", "full"};

static json_t *state_json(const struct plan_state *s)
{
	json_t *o = json_pack("{s:s}", "state", state_names[s->state]);
	if (s->bytes)
		json_object_set_new(o, "bytes", json_integer((json_int_t)s->bytes));
	return o;
}

static void put_int(json_t *o, const char *key, int64_t v)
{
	if (v)
		json_object_set_new(o, key, json_integer(v));
}

static void put_text(json_t *o, const char *key, const char *v)
{
	if (v && *v)
		json_object_set_new(o, key, json_string(v));
}

static json_t *io_json(const struct plan_io *io)
{
	json_t *o = json_object(), *depths = json_array();
	json_object_set_new(o, "write", json_boolean(io->write));
	json_object_set_new(o, "random", json_boolean(io->random));
	put_int(o, "block_bytes", io->block_bytes);
	put_int(o, "span_bytes", (int64_t)io->span_bytes);
	for (size_t i = 0; i < io->ndepths; i++)
		json_array_append_new(depths, json_integer(io->depths[i]));
	json_object_set_new(o, "queue_depths", depths);
	return o;
}

static json_t *test_json(const struct plan_test *t)
{
	json_t *o = json_object();
	put_text(o, "test", t->name);
	put_text(o, "condition", t->condition);
	put_text(o, "kind", test_kind_name(t->kind));
	put_text(o, "explain", t->explain);
	json_object_set_new(o, "needs", state_json(&t->needs));
	json_object_set_new(o, "leaves", state_json(&t->leaves));
	json_object_set_new(o, "low_power", json_boolean(t->low_power));
	if (t->kind != KIND_IDLE)
		json_object_set_new(o, "io", io_json(&t->io));
	put_int(o, "limit_ns", t->limit_time);
	put_int(o, "limit_bytes", (int64_t)t->limit_bytes);
	if (t->idle_at_most) {
		json_object_set_new(o, "idle_of_busy", json_real(t->idle_of_busy));
		put_int(o, "idle_at_most_ns", t->idle_at_most);
	}
	if (t->kind == KIND_SWEEP || t->kind == KIND_MIXED)
		json_object_set_new(o, "restart", json_boolean(t->restart));
	if (t->kind == KIND_BURST) {
		put_int(o, "bursts", t->bursts);
		put_int(o, "burst_bytes", (int64_t)t->burst_bytes);
		json_object_set_new(o, "duty", json_real(t->duty));
	}
	if (t->kind == KIND_RECOVERY) {
		json_t *idles = json_array();
		for (size_t i = 0; i < t->nidles; i++)
			json_array_append_new(idles, json_integer(t->idles[i]));
		json_object_set_new(o, "idles_ns", idles);
		put_int(o, "beyond_bytes", (int64_t)t->beyond_bytes);
		put_int(o, "fallen_bytes", (int64_t)t->fallen_bytes);
		put_int(o, "step_bytes", (int64_t)t->step_bytes);
	}
	if (t->nshares) {
		json_t *shares = json_array();
		for (size_t i = 0; i < t->nshares; i++)
			json_array_append_new(shares, json_real(t->read_shares[i]));
		json_object_set_new(o, "read_shares", shares);
	}
	put_int(o, "settle_ns", t->settle);
	put_int(o, "measure_ns", t->measure);
	put_text(o, "cut", t->cut);
	put_int(o, "estimate_ns", t->estimate);
	put_int(o, "writes_bytes", (int64_t)t->writes);
	return o;
}

static char *dump_and_free(json_t *o)
{
	char *text = json_dumps(o, JSON_COMPACT | JSON_REAL_PRECISION(15));
	json_decref(o);
	return text;
}

char *plan_test_to_json(const struct plan_test *t)
{
	return dump_and_free(test_json(t));
}

char *plan_to_json(const struct plan *p)
{
	json_t *o = json_object(), *tests = json_array();
	put_text(o, "suite", p->name);
	put_text(o, "title", p->title);
	json_object_set_new(o, "quick", json_boolean(p->quick));
	for (size_t i = 0; i < p->ntests; i++)
		json_array_append_new(tests, test_json(&p->tests[i]));
	json_object_set_new(o, "tests", tests);
	return dump_and_free(o);
}

/* ---- Back. The text is our own, from a store; what is missing there is 0 here. */

static uint64_t get_int(const json_t *o, const char *key)
{
	return (uint64_t)json_integer_value(json_object_get(o, key));
}

static void get_text(const json_t *o, const char *key, char *out, size_t room)
{
	const char *s = json_string_value(json_object_get(o, key));
	snprintf(out, room, "%s", s ? s : "");
}

static int get_state(const json_t *o, struct plan_state *s)
{
	const char *name = json_string_value(json_object_get(o, "state"));
	for (int i = 0; name && i < 5; i++) {
		if (!strcmp(name, state_names[i])) {
			*s = (struct plan_state){(enum fill_state)i, get_int(o, "bytes")};
			return 0;
		}
	}
	return -1;
}

static int get_test(const json_t *o, struct plan_test *t)
{
	char kind[16];
	get_text(o, "test", t->name, sizeof t->name);
	get_text(o, "condition", t->condition, sizeof t->condition);
	get_text(o, "kind", kind, sizeof kind);
	t->explain = xstrdup(json_string_value(json_object_get(o, "explain")));
	t->cut = xstrdup(json_string_value(json_object_get(o, "cut")));
	int k = KIND_FILL;
	while (k <= KIND_IDLE && strcmp(kind, test_kind_name((enum test_kind)k)))
		k++;
	if (k > KIND_IDLE || !*t->name || get_state(json_object_get(o, "needs"), &t->needs) ||
		get_state(json_object_get(o, "leaves"), &t->leaves))
		return -1;
	t->kind = (enum test_kind)k;
	t->low_power = json_is_true(json_object_get(o, "low_power"));
	const json_t *io = json_object_get(o, "io"), *list;
	t->io.write = json_is_true(json_object_get(io, "write"));
	t->io.random = json_is_true(json_object_get(io, "random"));
	t->io.block_bytes = (uint32_t)get_int(io, "block_bytes");
	t->io.span_bytes = get_int(io, "span_bytes");
	list = json_object_get(io, "queue_depths");
	for (; t->io.ndepths < json_array_size(list) && t->io.ndepths < PLAN_MAX_LIST; t->io.ndepths++)
		t->io.depths[t->io.ndepths] = (uint32_t)json_integer_value(json_array_get(list, t->io.ndepths));
	if (t->kind != KIND_IDLE && (!t->io.block_bytes || !t->io.ndepths || !t->io.depths[0]))
		return -1;
	t->limit_time = (nsec)get_int(o, "limit_ns");
	t->limit_bytes = get_int(o, "limit_bytes");
	t->idle_of_busy = json_number_value(json_object_get(o, "idle_of_busy"));
	t->idle_at_most = (nsec)get_int(o, "idle_at_most_ns");
	t->restart = json_is_true(json_object_get(o, "restart"));
	t->bursts = (uint32_t)get_int(o, "bursts");
	t->burst_bytes = get_int(o, "burst_bytes");
	t->duty = json_number_value(json_object_get(o, "duty"));
	list = json_object_get(o, "idles_ns");
	for (; t->nidles < json_array_size(list) && t->nidles < PLAN_MAX_LIST; t->nidles++)
		t->idles[t->nidles] = json_integer_value(json_array_get(list, t->nidles));
	t->beyond_bytes = get_int(o, "beyond_bytes");
	t->fallen_bytes = get_int(o, "fallen_bytes");
	t->step_bytes = get_int(o, "step_bytes");
	list = json_object_get(o, "read_shares");
	for (; t->nshares < json_array_size(list) && t->nshares < PLAN_MAX_LIST; t->nshares++)
		t->read_shares[t->nshares] = json_number_value(json_array_get(list, t->nshares));
	t->settle = (nsec)get_int(o, "settle_ns");
	t->measure = (nsec)get_int(o, "measure_ns");
	t->estimate = (nsec)get_int(o, "estimate_ns");
	t->writes = get_int(o, "writes_bytes");
	if (t->kind == KIND_BURST && !(t->bursts && t->burst_bytes && t->duty > 0))
		return -1;
	return 0;
}

int plan_from_json(struct plan **out, const char *text, struct err *e)
{
	*out = NULL;
	json_error_t why;
	json_t *o = json_loads(text ? text : "", 0, &why);
	const json_t *tests = json_object_get(o, "tests");
	struct plan *p = xcalloc(1, sizeof *p);
	int rc = json_array_size(tests) ? 0 : -1;
	get_text(o, "suite", p->name, sizeof p->name);
	p->title = xstrdup(json_string_value(json_object_get(o, "title")));
	p->quick = json_is_true(json_object_get(o, "quick"));
	p->tests = xcalloc(json_array_size(tests) + 1, sizeof *p->tests);
	for (; !rc && p->ntests < json_array_size(tests); p->ntests++) {
		struct plan_test *t = &p->tests[p->ntests];
		rc = get_test(json_array_get(tests, p->ntests), t);
		p->estimate += t->estimate;
		p->writes += t->writes;
	}
	if (rc) {
		err_set(e, EXIT_FAILED, "the stored plan cannot be read%s%s: start a new run", o ? "" : ": ",
			o ? "" : why.text);
		plan_free(p);
	} else {
		*out = p;
	}
	json_decref(o);
	return rc;
}
