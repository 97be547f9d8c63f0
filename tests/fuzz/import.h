/* SPDX-License-Identifier: MIT */
/* What the fuzz targets of import have in common: any bytes as files, and what must hold for whatever comes out. */
#ifndef TESTS_FUZZ_IMPORT_H
#define TESTS_FUZZ_IMPORT_H

#include "base/mem.h"
#include "import/formats.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MUST(what)                                                                                                     \
	do {                                                                                                           \
		if (!(what)) {                                                                                         \
			fprintf(stderr, "does not hold: %s\n", #what);                                                 \
			abort();                                                                                       \
		}                                                                                                      \
	} while (0)

static void check_phase(const struct phase_record *p)
{
	nsec at = 0;
	MUST(p->duration >= 0 && p->block_bytes <= UINT32_MAX);
	MUST(strcmp(p->op, "write") == 0 || strcmp(p->op, "read") == 0 || strcmp(p->op, "mixed") == 0);
	MUST(isnan(p->read_share) || (p->read_share >= 0 && p->read_share <= 1));
	for (size_t i = 0; i < p->nsamples; i++) {
		const struct sample *s = &p->samples[i];
		MUST(s->start == at && s->length > 0);
		MUST(s->read_bytes <= s->bytes && s->bytes <= (uint64_t)1 << 62);
		at = s->start + s->length;
	}
	for (size_t i = 0; i < p->nevents; i++)
		MUST(p->events[i].start >= 0 && p->events[i].end >= p->events[i].start);
	if (p->latency) {
		uint64_t sum = 0;
		for (size_t i = 0; i < HIST_BINS; i++)
			sum += p->latency->bin[i];
		MUST(p->latency->count == sum && p->latency->count > 0);
	}
}

/* Checks a run, which is cleared. */
static void check_run(struct run_record *r)
{
	MUST(strcmp(r->target.kind, "imported") == 0 && r->ntests > 0);
	for (size_t t = 0; t < r->ntests; t++) {
		MUST(r->tests[t].nphases > 0 && r->tests[t].name[0] && r->tests[t].kind[0]);
		for (size_t p = 0; p < r->tests[t].nphases; p++)
			check_phase(&r->tests[t].phases[p]);
	}
	for (size_t w = 0; w < r->nwarnings; w++)
		MUST(r->warnings[w].code[0] && r->warnings[w].text && r->warnings[w].text[0]);
}

static inline void check_error(int rc, const struct err *e)
{
	if (rc != 0)
		MUST(e->code == EXIT_USAGE && e->text[0] && !strchr(e->text, '\n'));
}

/* One file through one reader. The last byte chooses the options, so that the samples of real files stay whole. */
static inline void fuzz_reader(
	int (*read)(struct source *, const struct import_options *, struct run_record *, struct err *),
	const char *name, const uint8_t *data, size_t size)
{
	uint8_t flags = size ? data[size - 1] : 0;
	struct import_options o = {.lenient = flags & 1, .capacity_bytes = flags & 2 ? 1000000 : 0};
	struct run_record r = {0};
	struct source s;
	struct err e = {0};
	source_from_memory(&s, name, data, size, o.lenient);
	int rc = read(&s, &o, &r, &e);
	if (rc == 0)
		rc = run_complete(&r, &o, &e);
	check_error(rc, &e);
	if (rc == 0)
		check_run(&r);
	run_record_clear(&r);
	source_free(&s);
}

/* fio's files belong together: the input is cut at each line "%%". `names` are given to them in turn. */
static inline void fuzz_fio(const char *const *names, size_t nnames, const uint8_t *data, size_t size)
{
	uint8_t flags = size ? data[size - 1] : 0;
	struct import_options o = {.lenient = flags & 1, .unit = flags & 2 ? "KiB/s" : NULL};
	struct source s[4], *list[4];
	size_t n = 0;
	struct run_record *runs = NULL;
	size_t nruns = 0;
	struct err e = {0};
	while (n < 4) {
		const uint8_t *cut = memmem(data, size, "\n%%\n", 4);
		size_t part = cut && n < 3 ? (size_t)(cut - data) : size;
		source_from_memory(&s[n], names[(n + flags) % nnames], data, part, o.lenient);
		list[n] = &s[n];
		n++;
		if (part == size)
			break;
		data += part + 4;
		size -= part + 4;
	}
	int rc = read_fio(list, n, &o, &runs, &nruns, &e);
	check_error(rc, &e);
	for (size_t i = 0; i < nruns; i++) {
		if (rc == 0)
			check_run(&runs[i]);
		run_record_clear(&runs[i]);
	}
	free(runs);
	for (size_t i = 0; i < n; i++)
		source_free(&s[i]);
}

#endif
