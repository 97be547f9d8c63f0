// SPDX-License-Identifier: MIT
/* Whatever a store may hold, every output is well formed: no crash, no number that is none in a picture, JSON that
 * parses, HTML that ends. Records are made at random, with absent, zero, huge and backward values. */
#include "unit.h"

#include "base/mem.h"
#include "base/rng.h"
#include "records.h"
#include "report/review.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct rng rng;

static bool chance(double p)
{
	return rng_unit(&rng) < p;
}

/* A value as they come, or an odd one. */
static double odd_double(double usual)
{
	static const double odd[] = {0, -1, NAN, 1e-300, 1e300, INFINITY};
	return chance(0.2) ? odd[rng_below(&rng, ARRAY_SIZE(odd))] : usual * rng_unit(&rng);
}

static uint64_t odd_count(uint64_t usual)
{
	static const uint64_t odd[] = {0, 1, UINT64_MAX, (uint64_t)1 << 62};
	return chance(0.1) ? odd[rng_below(&rng, ARRAY_SIZE(odd))] : rng_below(&rng, usual);
}

static nsec odd_time(nsec usual)
{
	static const nsec odd[] = {0, 1, -1, NSEC_NEVER, -NSEC_PER_SEC};
	return chance(0.1) ? odd[rng_below(&rng, ARRAY_SIZE(odd))] : (nsec)rng_below(&rng, (uint64_t)usual);
}

static char *odd_text(void)
{
	static const char *const texts[] = {
		"", "a", "]]>", "</script>", "100 %s %n", "\xff\xfe", "{\"a\":[1,{\"b\":null}]}", "{", "[]"};
	return chance(0.3) ? NULL : xstrdup(texts[rng_below(&rng, ARRAY_SIZE(texts))]);
}

static void fill_phase(struct phase_record *p)
{
	static const char *const names[] = {"fill", "burst", "qd4", "idle-5s", "mix-30", "active", "", "exhaust"};
	static const char *const ops[] = {"read", "write", "mixed", "idle", ""};
	snprintf(p->name, sizeof p->name, "%s", names[rng_below(&rng, ARRAY_SIZE(names))]);
	snprintf(p->op, sizeof p->op, "%s", ops[rng_below(&rng, ARRAY_SIZE(ops))]);
	snprintf(p->pattern, sizeof p->pattern, "%s", chance(0.5) ? "random" : "sequential");
	p->block_bytes = (uint32_t)odd_count(1 << 20);
	p->queue_depth = (uint32_t)odd_count(64);
	p->read_share = odd_double(1);
	p->idle_before = odd_time(10 * NSEC_PER_SEC);
	p->start = odd_time(10 * NSEC_PER_SEC);
	p->duration = odd_time(100 * NSEC_PER_SEC);
	p->flush = odd_time(NSEC_PER_SEC);
	p->bytes = odd_count((uint64_t)1 << 40);
	p->ios = odd_count(1 << 20);
	p->joules = odd_double(100);
	p->idle_joules = odd_double(100);
	p->total_joules = odd_double(100);
	p->nand_bytes = (int64_t)odd_count((uint64_t)1 << 40);
	p->idle_nand_bytes = -1;
	p->die_busy = odd_double(1);
	p->fill_level = odd_double(1);
	p->end_reason = odd_text();
	if (chance(0.5)) {
		p->latency = xcalloc(1, sizeof *p->latency);
		for (uint64_t i = rng_below(&rng, 2000); i > 0; i--)
			hist_add(p->latency, odd_count(1000000));
	}
	p->nsamples = chance(0.2) ? 0 : rng_below(&rng, chance(0.1) ? 5000 : 60);
	p->samples = xcalloc(p->nsamples + 1, sizeof *p->samples);
	bool orderly = chance(0.6);
	for (size_t i = 0; i < p->nsamples; i++) {
		p->samples[i] =
			(struct sample){.start = orderly ? (nsec)i * NSEC_PER_SEC / 2 : odd_time(100 * NSEC_PER_SEC),
				.length = orderly ? NSEC_PER_SEC / 2 : odd_time(NSEC_PER_SEC),
				.bytes = orderly ? rng_below(&rng, 1000000000) : odd_count(1000000000),
				.ios = odd_count(100),
				.joules = odd_double(3),
				.temperature_c = odd_double(80),
				.nand_bytes = (int64_t)odd_count(1000000000),
				.throttled = chance(0.05)};
	}
	p->nevents = rng_below(&rng, 3);
	p->events = xcalloc(p->nevents + 1, sizeof *p->events);
	for (size_t i = 0; i < p->nevents; i++)
		p->events[i] = (struct event){.kind = "throttle",
			.start = odd_time(NSEC_PER_SEC),
			.end = odd_time(NSEC_PER_SEC),
			.text = odd_text()};
}

static struct run_record *any_run(int64_t id)
{
	static const char *const kinds[] = {"fill", "recovery", "burst", "sweep", "mixed", "idle", "unheard-of"};
	static const char *const names[] = {
		"fill", "recovery", "burst-seq-read", "seq-read", "mixed-rand", "idle", "some test"};
	static const char *const conditions[] = {"", "fresh", "fragmented"};
	struct run_record *r = record_run(id, "any");
	r->started_ms = odd_time(1) ? r->started_ms : -1;
	free(r->host);
	r->host = odd_text();
	r->error = odd_text();
	r->label = odd_text();
	r->host_limit_mbps = odd_double(10000);
	r->target.capacity_bytes = odd_count((uint64_t)1 << 41);
	r->target.rated_class_bytes = odd_count((uint64_t)1 << 41);
	r->target.bits_per_cell = (uint32_t)rng_below(&rng, 5);
	r->state = (enum run_state)rng_below(&rng, 4);
	for (uint64_t i = rng_below(&rng, 6); i > 0; i--) {
		uint64_t kind = rng_below(&rng, ARRAY_SIZE(kinds));
		/* The name goes with the kind, mostly. */
		uint64_t name = chance(0.9) ? kind : rng_below(&rng, ARRAY_SIZE(names));
		struct test_record *t = record_test(r, names[name], conditions[rng_below(&rng, 3)], kinds[kind]);
		t->status = (enum test_status)rng_below(&rng, 5);
		t->reason = odd_text();
		free(t->params);
		t->params = odd_text();
		t->quiet_wait = odd_time(NSEC_PER_SEC);
		t->temperature_min_c = odd_double(50);
		t->temperature_max_c = odd_double(50);
		t->nphases = rng_below(&rng, 8);
		t->phases = xcalloc(t->nphases + 1, sizeof *t->phases);
		for (size_t k = 0; k < t->nphases; k++)
			fill_phase(&t->phases[k]);
	}
	return r;
}

/* No coordinate of a picture is "nan" or "inf". */
static void check_pictures(const char *html, unsigned round)
{
	for (const char *svg = strstr(html, "<svg"); svg; svg = strstr(svg + 1, "<svg")) {
		const char *end = strstr(svg, "</svg>");
		assert_non_null(end);
		for (const char *tag = svg; (tag = strchr(tag, '<')) && tag < end;) {
			const char *close = strchr(tag, '>');
			assert_non_null(close);
			for (const char *s = tag; s < close - 2; s++)
				if ((!strncmp(s, "nan", 3) || !strncmp(s, "inf", 3)) &&
					(s[-1] == '"' || s[-1] == ' ' || s[-1] == '-' || s[-1] == 'L' || s[-1] == 'M'))
					fail_msg("round %u: %.*s", round, (int)(close - tag), tag);
			tag = close;
		}
	}
}

static char *html_of(struct run_record *const *runs, size_t n)
{
	char *text = NULL;
	size_t size = 0;
	struct err e = {0};
	FILE *f = open_memstream(&text, &size);
	assert_int_equal(report_html(f, runs, n, &(struct report_options){0}, &e), 0);
	fclose(f);
	assert_string_equal(text + size - 8, "</html>\n");
	return text;
}

static void every_output_is_well_formed(void **state)
{
	for (unsigned round = 0; round < 100; round++) {
		rng_seed(&rng, round);
		struct run_record *runs[3];
		for (int i = 0; i < 3; i++)
			runs[i] = any_run(i + 1);
		char *text = html_of(runs, 1);
		check_pictures(text, round);
		free(text);
		text = html_of(runs, 3);
		check_pictures(text, round);
		free(text);

		struct review *r = review_build(runs[0]);
		json_t *doc = review_json(r);
		text = json_dumps(doc, REVIEW_JSON_FLAGS);
		assert_non_null(text);
		json_decref(doc);
		doc = json_loads(text, 0, NULL);
		assert_non_null(doc);
		json_decref(doc);
		free(text);
		review_free(r);

		size_t size;
		struct err e = {0};
		FILE *f = open_memstream(&text, &size);
		report_text(f, runs[0]);
		assert_int_equal(report_csv(f, runs[0], NULL, &e), 0);
		fclose(f);
		free(text);
		for (int i = 0; i < 3; i++)
			run_record_free(runs[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(every_output_is_well_formed)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
