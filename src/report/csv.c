// SPDX-License-Identifier: MIT
/* The raw series: what the grid recorded, slot by slot. */
#include "report/escape.h"
#include "report/review.h"

#include <math.h>
#include <string.h>

static void cell(FILE *f, double v)
{
	if (isfinite(v))
		fprintf(f, ",%.9g", v);
	else
		fputc(',', f);
}

/* Everything after the bytes of a slot: ios,read_bytes,joules,temperature_c,nand_bytes,throttled. */
static void rest(FILE *f, const struct sample *s)
{
	fprintf(f, ",%llu,%llu", (unsigned long long)s->ios, (unsigned long long)s->read_bytes);
	cell(f, s->joules);
	cell(f, s->temperature_c);
	if (s->nand_bytes >= 0)
		fprintf(f, ",%lld", (long long)s->nand_bytes);
	else
		fputc(',', f);
	fprintf(f, ",%d\n", s->throttled);
}

#define REST_NAMES "ios,read_bytes,joules,temperature_c,nand_bytes,throttled\n"

static void fill_series(FILE *f, const struct test_record *t)
{
	fputs("seconds,bytes_written_in_interval," REST_NAMES, f);
	for (size_t i = 0; t->nphases && i < t->phases[0].nsamples; i++) {
		const struct sample *s = &t->phases[0].samples[i];
		fprintf(f, "%.12g,%llu", sample_end_s(s), (unsigned long long)s->bytes);
		rest(f, s);
	}
}

/* Seconds are since the run's start here, so that several phases follow each other. */
static void test_series(FILE *f, const struct test_record *t)
{
	for (size_t k = 0; k < t->nphases; k++) {
		const struct phase_record *p = &t->phases[k];
		for (size_t i = 0; i < p->nsamples; i++) {
			const struct sample *s = &p->samples[i];
			write_csv_field(f, t->name);
			fputc(',', f);
			write_csv_field(f, t->condition);
			fputc(',', f);
			write_csv_field(f, p->name);
			fprintf(f, ",%.9f,%.9g,%llu", nsec_to_s(p->start) + nsec_to_s(s->start), nsec_to_s(s->length),
				(unsigned long long)s->bytes);
			rest(f, s);
		}
	}
}

int report_csv(FILE *f, const struct run_record *run, const char *name, struct err *err)
{
	const struct test_record *fill = NULL;
	bool any = false;
	for (size_t i = 0; i < run->ntests; i++) {
		const struct test_record *t = &run->tests[i];
		any = any || (name && !strcmp(t->name, name));
		if (!fill && !strcmp(t->kind, "fill") && (!name || !strcmp(t->name, name)))
			fill = t;
	}
	if (name && !any)
		return err_set(
			err, EXIT_USAGE, "no test '%s' in run %lld; 'show' lists its tests", name, (long long)run->id);
	if (fill) {
		fill_series(f, fill);
		return 0;
	}
	fputs("test,condition,phase,start_seconds,seconds,bytes," REST_NAMES, f);
	for (size_t i = 0; i < run->ntests; i++)
		if (!name || !strcmp(run->tests[i].name, name))
			test_series(f, &run->tests[i]);
	return 0;
}
