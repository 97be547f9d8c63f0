// SPDX-License-Identifier: MIT
/* CPU time and size of a fill's picture over the number of samples. Usage: bench_chart [SAMPLES...] */
#include "base/mem.h"
#include "base/rng.h"
#include "report/charts.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double cpu_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void measure(size_t n)
{
	struct chart *c = chart_new(CHART_CURVE, "bench", "bench");
	c->x = (struct chart_axis){.name = "time", .unit = "s", .from_zero = true};
	c->y = (struct chart_axis){.name = "", .unit = "MB/s", .from_zero = true};
	struct chart_series *s = chart_add_series(c, "speed", n, false);
	struct rng rng;
	rng_seed(&rng, 1);
	for (size_t i = 0; i < n; i++) {
		s->x[i] = 0.5 * (double)(i + 1);
		s->y[i] = (i < n / 3 ? 7000 : 1700) * (0.8 + 0.4 * rng_unit(&rng));
	}
	char *text = NULL;
	size_t size = 0;
	double best = 1e9;
	for (int round = 0; round < 5; round++) {
		free(text);
		double start = cpu_ms();
		FILE *f = open_memstream(&text, &size);
		chart_svg(f, c, &(struct chart_drawing){.width = 860, .suffix = ""});
		fclose(f);
		double took = cpu_ms() - start;
		best = took < best ? took : best;
	}
	printf("%9zu samples: %7.2f ms CPU (best of 5), %zu bytes of SVG\n", n, best, size);
	free(text);
	chart_free(c);
}

int main(int argc, char **argv)
{
	static const size_t usual[] = {2000, 20000, 200000, 2000000};
	for (size_t i = 0; argc < 2 && i < ARRAY_SIZE(usual); i++)
		measure(usual[i]);
	for (int i = 1; i < argc; i++)
		measure(strtoull(argv[i], NULL, 10));
	return 0;
}
