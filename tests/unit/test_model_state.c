// SPDX-License-Identifier: MIT
/* A drive that was saved and loaded goes on as the one that was saved: to the nanosecond and the picojoule, in each
 * profile. */
#include "unit.h"

#include "base/rng.h"
#include "base/units.h"
#include "profile/resize.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIZE (10 * GIB) /* no profile has so many dies that this is too small */

struct buffer {
	char *data;
	size_t used, size, at;
	size_t limit; /* of what can be read or written; 0 = none */
};

static int put(void *arg, void *data, size_t bytes)
{
	struct buffer *b = arg;
	if (b->limit && b->used + bytes > b->limit)
		return -1;
	if (b->used + bytes > b->size) {
		b->size = 2 * (b->used + bytes);
		b->data = realloc(b->data, b->size);
	}
	memcpy(b->data + b->used, data, bytes);
	b->used += bytes;
	return 0;
}

static int get(void *arg, void *data, size_t bytes)
{
	struct buffer *b = arg;
	if (b->at + bytes > (b->limit ? b->limit : b->used))
		return -1;
	memcpy(data, b->data + b->at, bytes);
	b->at += bytes;
	return 0;
}

/* A host that writes and reads in sequence and at random, trims, flushes and rests. Deterministic: two of them with the
 * same state do the same. */
struct host {
	struct rng rng;
	nsec now;
	uint64_t cursor;
};

static nsec one(struct ssdmodel *d, struct host *h)
{
	uint64_t capacity = ssdmodel_params(d)->capacity_bytes, what = rng_below(&h->rng, 100);
	uint64_t place = rng_below(&h->rng, capacity / 4096 - 512) * 4096;
	nsec end;
	if (what < 40) {
		if (h->cursor + MIB > capacity)
			h->cursor = 0;
		end = ssdmodel_io(d, SSDMODEL_WRITE, h->cursor, MIB, h->now);
		h->cursor += MIB;
	} else if (what < 70) {
		end = ssdmodel_io(d, SSDMODEL_WRITE, place, 4096 << rng_below(&h->rng, 4), h->now);
	} else if (what < 90) {
		end = ssdmodel_io(d, SSDMODEL_READ, place, 4096 << rng_below(&h->rng, 6), h->now);
	} else if (what < 93) {
		end = ssdmodel_trim(d, place, MIB, h->now);
	} else if (what < 96) {
		end = ssdmodel_flush(d, h->now);
	} else {
		end = h->now + (nsec)rng_below(&h->rng, 800) * NSEC_PER_MSEC; /* long enough for background work */
	}
	h->now = end;
	return end;
}

static void sound(const struct ssdmodel *d)
{
	char why[256];
	if (ssdmodel_check(d, why, sizeof why))
		fail_msg("%s: %s", ssdmodel_params(d)->name, why);
}

static struct ssdmodel *make(const struct ssdmodel_params *p)
{
	struct ssdmodel *d;
	char why[256];
	if (ssdmodel_create(&d, p, why, sizeof why))
		fail_msg("%s: %s", p->name, why);
	return d;
}

static void same_future(const char *name)
{
	struct ssdmodel_params p;
	struct err e = {0};
	char why[256];
	if (profile_load(name, &p, NULL, &e) || profile_resize(&p, NULL, SIZE, &e))
		fail_msg("%s", e.text);
	struct ssdmodel *a = make(&p), *b = make(&p);
	struct host ha = {.now = 0}, hb;
	rng_seed(&ha.rng, 7);
	for (int i = 0; i < 12000; i++)
		one(a, &ha);
	struct buffer first = {0}, second = {0};
	assert_int_equal(ssdmodel_save(a, put, &first), 0);
	if (ssdmodel_load(b, get, &first, why, sizeof why))
		fail_msg("%s: %s", name, why);
	assert_int_equal(first.at, first.used);
	sound(b);
	assert_int_equal(ssdmodel_save(b, put, &second), 0);
	assert_int_equal(first.used, second.used);
	assert_memory_equal(first.data, second.data, first.used);
	hb = ha;
	for (int i = 0; i < 12000; i++) {
		nsec ta = one(a, &ha), tb = one(b, &hb);
		if (ta != tb)
			fail_msg("%s: command %d ends at %lld, not %lld", name, i, (long long)tb, (long long)ta);
	}
	struct ssdmodel_sense sa, sb;
	memset(&sa, 0, sizeof sa);
	memset(&sb, 0, sizeof sb);
	ssdmodel_sense(a, ha.now, &sa);
	ssdmodel_sense(b, hb.now, &sb);
	assert_memory_equal(&sa, &sb, sizeof sa);
	for (uint64_t unit = 0; unit < SIZE / SSDMODEL_UNIT; unit += 97)
		assert_int_equal(ssdmodel_generation(a, unit), ssdmodel_generation(b, unit));
	sound(a);
	sound(b);
	free(first.data);
	free(second.data);
	ssdmodel_destroy(a);
	ssdmodel_destroy(b);
}

static void every_profile_goes_on_as_if_nothing_had_been(void **state)
{
	struct profile_info *profiles;
	struct err e = {0};
	size_t n;
	if (profile_list(&profiles, &n, &e))
		fail_msg("%s", e.text);
	assert_true(n > 0);
	for (size_t i = 0; i < n; i++)
		same_future(profiles[i].name);
	free(profiles);
}

static void what_does_not_fit_is_refused(void **state)
{
	struct ssdmodel_params p, other;
	struct err e = {0};
	char why[256] = "";
	if (profile_load("tpu-617gb", &p, NULL, &e) || profile_resize(&p, NULL, SIZE, &e))
		fail_msg("%s", e.text);
	struct ssdmodel *a = make(&p), *b;
	struct host h = {0};
	rng_seed(&h.rng, 1);
	for (int i = 0; i < 500; i++)
		one(a, &h);
	struct buffer all = {0};
	assert_int_equal(ssdmodel_save(a, put, &all), 0);
	/* Cut short, anywhere. */
	for (size_t i = 0; i < 40; i++) {
		all.at = 0;
		all.limit = 1 + (all.used - 2) * i / 39;
		b = make(&p);
		assert_int_equal(ssdmodel_load(b, get, &all, why, sizeof why), -1);
		assert_true(strstr(why, "cut short") || strstr(why, "not a state"));
		ssdmodel_destroy(b);
	}
	all.limit = 0;
	/* Another drive's. */
	other = p;
	other.nand.native.tprog++;
	b = make(&other);
	all.at = 0;
	assert_int_equal(ssdmodel_load(b, get, &all, why, sizeof why), -1);
	assert_non_null(strstr(why, "another drive"));
	ssdmodel_destroy(b);
	/* Another version's, or something else. */
	all.data[0] ^= 1;
	all.at = 0;
	b = make(&p);
	assert_int_equal(ssdmodel_load(b, get, &all, why, sizeof why), -1);
	assert_non_null(strstr(why, "not a state"));
	ssdmodel_destroy(b);
	/* A full disk while saving. */
	struct buffer little = {.limit = 1000};
	assert_int_equal(ssdmodel_save(a, put, &little), -1);
	free(little.data);
	free(all.data);
	ssdmodel_destroy(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_profile_goes_on_as_if_nothing_had_been),
		cmocka_unit_test(what_does_not_fit_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
