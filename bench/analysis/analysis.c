// SPDX-License-Identifier: MIT
/* Right answers and CPU time of the stage analysis beside plain rules, on the corpus and on made-up curves; and how its
 * time grows with the number of samples. Usage: bench_analysis CORPUS-FOLDER [CURVES-PER-FAMILY [SEED]] */
#include "base/mem.h"
#include "base/rng.h"
#include "families.h"
#include "rules.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double cpu_s(void)
{
	struct timespec ts;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

struct score {
	size_t curves, outcome[4];
	double seconds;
};

static void score_rule(const struct rule *r, const struct labelled *all, size_t n, struct score *s)
{
	double start = cpu_s();
	for (size_t i = 0; i < n; i++) {
		double bytes = NAN;
		bool found = r->find(&all[i].series, &bytes);
		s->outcome[judge(&all[i], found, bytes)]++;
		s->curves++;
	}
	s->seconds += cpu_s() - start;
}

static void print_score(const char *name, const struct score *s)
{
	double n = (double)s->curves;
	printf("| %-30s | %5.1f %% | %4zu | %4zu | %4zu | %8.3f |\n", name, 100 * (double)s->outcome[RIGHT] / n,
		s->outcome[WRONG_PLACE], s->outcome[MISSED], s->outcome[FALSE_CLIFF], 1e3 * s->seconds / n);
}

static void compare(const char *title, const struct labelled *all, size_t n)
{
	printf("\n%s: %zu curves\n\n", title, n);
	printf("| rule | right | wrong place | missed | false cliff | ms per curve |\n|---|---|---|---|---|---|\n");
	for (size_t k = 0; k < nrules; k++) {
		struct score s = {0};
		score_rule(&rules[k], all, n, &s);
		print_score(rules[k].name, &s);
	}
}

static struct labelled *make_families(bool in_corpus, size_t per_family, uint64_t seed, size_t *n)
{
	struct labelled *all = xcalloc(nfamilies * per_family, sizeof *all);
	*n = 0;
	for (size_t k = 0; k < nfamilies; k++)
		for (size_t i = 0; i < per_family && families[k].in_corpus == in_corpus; i++)
			family_curve(k, seed, i, &all[(*n)++]);
	return all;
}

/* Long series of several natures: what each sample's rate is, 0 to 1. */
static double nature(int kind, size_t i, size_t n, struct rng *r)
{
	static double walk, step;
	double u = rng_unit(r);
	if (i % (n / 500) == 0)
		step = exp(-3 * rng_unit(r));
	walk = i == 0 ? 0 : 0.999 * walk + 0.02 * (u - 0.5);
	switch (kind) {
	case 0: return 0.5;					   /* constant */
	case 1: return 0.5 * (0.95 + 0.1 * u);			   /* flat with noise */
	case 2: return (i < n / 3 ? 1 : 0.25) * (0.95 + 0.1 * u);  /* a cliff */
	case 3: return (i / 7 % 3 ? 0.2 : 0.9) * (0.95 + 0.1 * u); /* alternating all the time */
	case 4: return exp(walk) * (0.95 + 0.1 * u) / 3;	   /* wandering */
	case 5: return 1 - 0.8 * (double)i / (double)n;		   /* a slide */
	case 6: return u;					   /* white noise */
	default: return step * (0.95 + 0.1 * u);		   /* 500 levels */
	}
}

static void growth(void)
{
	static const char *const names[] = {"constant", "flat, 5 % noise", "a cliff", "alternating", "wandering",
		"a slide", "white noise", "500 levels"};
	static const size_t sizes[] = {1000, 100000, 2000000};
	printf("\nCPU seconds of one analysis\n\n| samples |");
	for (size_t j = 0; j < ARRAY_SIZE(sizes); j++)
		printf(" %zu |", sizes[j]);
	printf("\n|---|---|---|---|\n");
	for (size_t k = 0; k < ARRAY_SIZE(names); k++) {
		printf("| %s |", names[k]);
		for (size_t j = 0; j < ARRAY_SIZE(sizes); j++) {
			size_t n = sizes[j];
			double *t = xmalloc(n * sizeof *t), *b = xmalloc(n * sizeof *b), bytes;
			struct rng r;
			rng_seed(&r, k);
			for (size_t i = 0; i < n; i++) {
				t[i] = 0.5 * (double)(i + 1);
				b[i] = 3.5e9 * nature((int)k, i, n, &r);
			}
			double start = cpu_s();
			rules[nrules - 1].find(
				&(struct series){.n = n, .t = t, .bytes = b, .reached_end = true}, &bytes);
			printf(" %.3f |", cpu_s() - start);
			fflush(stdout);
			free(t);
			free(b);
		}
		printf("\n");
	}
}

int main(int argc, char **argv)
{
	size_t n, per_family = argc > 2 ? strtoul(argv[2], NULL, 10) : 100;
	uint64_t seed = argc > 3 ? strtoull(argv[3], NULL, 10) : 20261130;
	if (argc < 2) {
		fprintf(stderr, "usage: bench_analysis CORPUS-FOLDER [CURVES-PER-FAMILY [SEED]]\n");
		return 2;
	}
	struct labelled *all = corpus_read(argv[1], &n);
	if (!all)
		return 2;
	compare("The corpus", all, n);
	corpus_free(all, n);
	all = make_families(true, per_family, seed, &n);
	compare("Fresh curves of its families", all, n);
	corpus_free(all, n);
	all = make_families(false, per_family, seed, &n);
	compare("Other shapes", all, n);
	corpus_free(all, n);
	growth();
	return 0;
}
