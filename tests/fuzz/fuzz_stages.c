// SPDX-License-Identifier: MIT
/* Any bytes as a series: as raw doubles, or as steps and rates of a plausible size. The figures must be sane. */
#include "analysis/online.h"
#include "analysis/recovery.h"
#include "analysis/steady.h"
#include "sane.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_SAMPLES 4096

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static double raw(const uint8_t *p)
{
	double x;
	memcpy(&x, p, sizeof x);
	return x;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static double t[MOST_SAMPLES], b[MOST_SAMPLES], round[STEADY_MOST_ROUNDS];
	if (size == 0)
		return 0;
	uint8_t flags = *data++;
	size--;
	size_t n = 0;
	double now = 0;
	struct stretch hot = {10, 20};
	if (flags & 1)
		for (; size >= 16 && n < MOST_SAMPLES; data += 16, size -= 16) {
			t[n] = raw(data);
			b[n++] = raw(data + 8);
		}
	else
		for (; size >= 2 && n < MOST_SAMPLES; data += 2, size -= 2) {
			/* Steps up to 2 s, mostly 0.5 s; rates from 0 to 20 GB/s in 256 steps of their log. */
			double step = data[0] < 192 ? 0.5 : (double)(data[0] - 192) / 32;
			now += step;
			t[n] = now;
			b[n++] = data[1] == 0 ? 0 : step * 2e10 * exp(-(double)(255 - data[1]) / 16);
		}
	struct series s = {n, t, b, flags >> 1 & 1, &hot, flags & 4};
	struct fill_figures f;
	const char *wrong = analyse_sanely(&s, &f);
	fill_figures_free(&f);
	if (wrong) {
		fprintf(stderr, "%s\n", wrong);
		abort();
	}

	struct online o;
	online_start(&o, flags & 8 ? 5000 : NAN);
	double cache = 0;
	for (size_t i = 0; i < n; i++)
		online_add(&o, t[i] - (i ? t[i - 1] : 0), b[i], flags & 16 && i % 7 == 0);
	if (online_exhausted(&o, &cache) && !(cache >= 0 && isfinite(cache)))
		abort();
	if (!(online_fallen_bytes(&o) >= 0))
		abort();

	struct recovery_point p;
	recovery_point(&s, 5000, 1, &p);
	if (!(p.fast_bytes >= 0) || !isfinite(p.fast_bytes))
		abort();
	if (steady_rounds(&s, 1, round, STEADY_MOST_ROUNDS) > STEADY_MOST_ROUNDS)
		abort();
	return 0;
}
