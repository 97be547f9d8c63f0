// SPDX-License-Identifier: MIT
/* The claims of a review about its 2 TB drive, on the library alone: sequential writes of 1 MiB, QD1, over the whole
 * capacity, a sample each 500 ms; the cache ends where the rate first drops below 80 %. */
#include "unit.h"

#include "base/units.h"
#include "profile/profile.h"

#include <stdlib.h>

#define SLOT (500 * NSEC_PER_MSEC)

struct fill {
	double cache_bytes, cache_mbps, after_median, after_mean, mean_mbps, after_nand;
};

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static struct fill fill_from(struct ssdmodel *d, uint64_t from, nsec now)
{
	uint64_t capacity = ssdmodel_params(d)->capacity_bytes, at = from, mark = from;
	nsec begin = now, slot = now, edge = 0;
	double *rates = malloc(sizeof *rates * 10000);
	size_t n = 0;
	struct fill f = {0};
	struct ssdmodel_sense s;
	uint64_t nand_at_edge = 0;
	while (at < capacity) {
		uint32_t bytes = capacity - at < MIB ? (uint32_t)(capacity - at) : MIB;
		now = ssdmodel_io(d, SSDMODEL_WRITE, at, bytes, now);
		at += bytes;
		if (now - slot < SLOT)
			continue;
		double mbps = (double)(at - mark) / nsec_to_s(now - slot) / 1e6;
		if (!edge && n && mbps < 0.8 * rates[0]) {
			edge = slot;
			f.cache_bytes = (double)(mark - from);
			f.cache_mbps = f.cache_bytes / nsec_to_s(slot - begin) / 1e6;
			ssdmodel_sense(d, now, &s);
			nand_at_edge = s.nand_bytes;
			n = 0;
		}
		if (n < 10000)
			rates[n++] = mbps;
		mark = at;
		slot = now;
	}
	ssdmodel_sense(d, now, &s);
	double after = (double)(capacity - from) - f.cache_bytes;
	qsort(rates, n, sizeof *rates, by_value);
	f.after_median = rates[n / 2];
	f.after_mean = after / nsec_to_s(now - edge) / 1e6;
	f.after_nand = (double)(s.nand_bytes - nand_at_edge) / after;
	f.mean_mbps = (double)(capacity - from) / nsec_to_s(now - begin) / 1e6;
	free(rates);
	return f;
}

static struct ssdmodel *drive(struct profile_info *info)
{
	struct ssdmodel_params p;
	struct err e = {0};
	struct ssdmodel *d = NULL;
	char message[256];
	if (profile_load("tpu-617gb", &p, info, &e) || ssdmodel_create(&d, &p, message, sizeof message))
		fail_msg("%s", e.text);
	return d;
}

static void claims_a1_to_a5_and_a9(void **state)
{
	struct profile_info info;
	struct ssdmodel *d = drive(&info);
	struct fill f = fill_from(d, 0, 0);
	assert_near(f.cache_mbps, 7000, 210);
	assert_near(f.cache_bytes, 617e9, 6.2e9);
	assert_near(info.bits_per_cell * f.cache_bytes / (double)info.class_bytes, 0.90, 0.01);
	assert_near(f.after_median, 1775, 175);
	assert_near(f.mean_mbps, 2417, 48);
	assert_true(f.after_nand > 1.2);
	assert_true(f.after_mean > f.after_median); /* more than one stage in it */
	char message[256];
	assert_int_equal(ssdmodel_check(d, message, sizeof message), 0);
	ssdmodel_destroy(d);
}

static void the_cache_of_a_fuller_drive_is_smaller(void **state)
{
	struct profile_info info;
	struct ssdmodel *d = drive(&info);
	uint64_t half = info.capacity_bytes / 2 / MIB * MIB;
	nsec now = 0;
	for (uint64_t at = 0; at < half; at += MIB)
		now = ssdmodel_io(d, SSDMODEL_WRITE, at, MIB, now);
	now += 600 * NSEC_PER_SEC; /* all of it folded */
	ssdmodel_advance(d, now);
	struct ssdmodel_sense s;
	ssdmodel_sense(d, now, &s);
	double native = (double)(half - s.mapped_slc_bytes), blocks = (double)s.super_blocks;
	const struct ssdmodel_params *p = ssdmodel_params(d);
	double raw = blocks * p->nand.planes * p->nand.page_bytes * p->nand.pages_per_block * 16;
	struct fill f = fill_from(d, half, now);
	assert_near(f.cache_mbps, 7000, 210);
	assert_near(f.cache_bytes, (raw - native) / 3,
		0.02 * (raw - native) / 3); /* a third of the cells without TLC data */
	ssdmodel_destroy(d);
}

/* After 5 s of idle the first gigabytes are fast again, and more after a longer idle. */
static void claim_a6(void **state)
{
	struct profile_info info;
	struct ssdmodel *d = drive(&info);
	nsec now = 0;
	uint64_t at = 0;
	for (; at < 640 * GB / MIB * MIB; at += MIB)
		now = ssdmodel_io(d, SSDMODEL_WRITE, at, MIB, now);
	uint64_t fast[2] = {0};
	for (int i = 0; i < 2; i++) {
		now += (i ? 30 : 5) * NSEC_PER_SEC;
		for (nsec begin = now;; begin = now) { /* while 256 MiB at a time come at 90 % of the speed */
			for (int k = 0; k < 256; k++, at += MIB)
				now = ssdmodel_io(d, SSDMODEL_WRITE, at, MIB, now);
			if ((double)(256 * MIB) / nsec_to_s(now - begin) < 0.9 * 7e9)
				break;
			fast[i] += 256 * MIB;
		}
	}
	assert_true(fast[0] > 2 * GB);
	assert_true(fast[1] > 3 * fast[0]);
	ssdmodel_destroy(d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(claims_a1_to_a5_and_a9),
		cmocka_unit_test(the_cache_of_a_fuller_drive_is_smaller),
		cmocka_unit_test(claim_a6),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
