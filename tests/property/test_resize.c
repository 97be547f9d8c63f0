// SPDX-License-Identifier: MIT
/* A drive made smaller is like its big sister: filled once, it spends the same share of its capacity at the same rates.
 */
#include "../unit/unit.h"

#include "base/units.h"
#include "profile/resize.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define POINTS 50

static struct ssdmodel *make(const struct ssdmodel_params *p)
{
	struct ssdmodel *d;
	char why[256];
	if (ssdmodel_create(&d, p, why, sizeof why))
		fail_msg("%s with %llu bytes: %s", p->name, (unsigned long long)p->capacity_bytes, why);
	return d;
}

/* Fills the drive in sequence; rate[i] is that of the stretch up to (i + 1) / POINTS of it. */
static void fill(const struct ssdmodel_params *p, double *rate)
{
	struct ssdmodel *d = make(p);
	nsec now = 0, last = 0;
	uint64_t commands = p->capacity_bytes / MIB, begun = 0;
	for (uint64_t i = 0, point = 0; point < POINTS; i++) {
		if (i == commands * (point + 1) / POINTS) {
			rate[point++] = (double)((i - begun) * MIB) / nsec_to_s(now - last);
			last = now;
			begun = i;
		}
		if (i < commands)
			now = ssdmodel_io(d, SSDMODEL_WRITE, i * MIB, MIB, now);
	}
	ssdmodel_destroy(d);
}

/* Of each way of writing one: pSLC, then direct; pSLC with a fixed part, folded when full; no cache and no erase.
 * Measured differences of the rates at an eighth of the size: 0.2, 1.2 and 0.0 %; buffers do not shrink with the drive.
 */
static void an_eighth_has_the_shape_of_the_whole(void **state)
{
	static const char *const names[] = {"tpu-617gb", "samsung-970-evo-1tb", "intel-optane-900p-280gb"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		struct ssdmodel_params big, small;
		struct err e = {0};
		double want[POINTS], got[POINTS], off = 0;
		if (profile_load(names[i], &big, NULL, &e))
			fail_msg("%s", e.text);
		small = big;
		if (profile_resize(&small, NULL, big.capacity_bytes / 8, &e))
			fail_msg("%s", e.text);
		fill(&big, want);
		fill(&small, got);
		for (int k = 0; k < POINTS; k++)
			off += fabs(got[k] / want[k] - 1) / POINTS;
		if (!(off < 0.03))
			fail_msg("%s: an eighth of it differs by %.1f %% of its rates", names[i], 100 * off);
	}
}

/* Whatever size is granted can be made; what is too small is refused with a size that is granted. */
static void a_size_is_granted_or_refused(void **state)
{
	struct profile_info *profiles;
	struct err e = {0};
	size_t n;
	if (profile_list(&profiles, &n, &e))
		fail_msg("%s", e.text);
	for (size_t i = 0; i < n; i++) {
		struct ssdmodel_params whole, p;
		if (profile_load(profiles[i].name, &whole, NULL, &e))
			fail_msg("%s", e.text);
		unsigned granted = 0;
		for (uint64_t size = 100 * MB; size < whole.capacity_bytes; size += size / 5) {
			p = whole;
			if (profile_resize(&p, NULL, size, &e)) {
				assert_int_equal(granted, 0);
				assert_memory_equal(&p, &whole, sizeof p);
				continue;
			}
			ssdmodel_destroy(make(&p));
			granted++;
		}
		assert_true(granted > 10);
		const char *least = strstr(e.text, "at least ");
		uint64_t size;
		assert_non_null(least);
		assert_int_equal(units_parse_bytes(least + strlen("at least "), &size), 0);
		p = whole;
		assert_int_equal(profile_resize(&p, NULL, size, &e), 0);
		ssdmodel_destroy(make(&p));
	}
	free(profiles);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_eighth_has_the_shape_of_the_whole),
		cmocka_unit_test(a_size_is_granted_or_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
