// SPDX-License-Identifier: MIT
#include "report/export.h"

#include "base/control.h"
#include "base/units.h"

#include <ctype.h>
#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

/* fio reads a job file in lines of at most 4 KiB; what is longer would be taken as an option. */
#define LONGEST_COMMENT 300

/* One comment line; text from the run cannot break out of it. */
static void comment(FILE *f, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void comment(FILE *f, const char *fmt, ...)
{
	char text[LONGEST_COMMENT];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	replace_controls(text, ' ');
	fprintf(f, "# %s\n", text);
}

/* A name that may stand in a section's head and in a file's name. */
static void plain_name(char *to, size_t size, const char *from)
{
	size_t n = 0;
	for (; *from && n + 1 < size; from++)
		to[n++] = isalnum((unsigned char)*from) || *from == '-' || *from == '.' ? *from : '-';
	to[n] = '\0';
}

static bool can_be_repeated(const struct phase_record *p)
{
	return p->bytes > 0 && strcmp(p->op, "idle") != 0;
}

static const char *direction_of(const struct phase_record *p)
{
	bool random = strcmp(p->pattern, "random") == 0;
	if (strcmp(p->op, "mixed") == 0)
		return random ? "randrw" : "rw";
	if (strcmp(p->op, "read") == 0)
		return random ? "randread" : "read";
	return random ? "randwrite" : "write";
}

/* What is carried from section to section. */
struct writer {
	FILE *f;
	const struct run_record *run;
	const char *state; /* of the drive after the sections so far, as plans name it; NULL = not known */
	uint64_t state_bytes;
	bool goes_on;  /* sequential phases of this test begin where the one before them ended ... */
	uint64_t at;   /* ... this far into the span */
	size_t number; /* of the section in its test */
};

static void section(struct writer *w, const struct test_record *t, const char *phase)
{
	char test[40], name[40];
	plain_name(test, sizeof test, t->name);
	plain_name(name, sizeof name, phase);
	fprintf(w->f, "\n[%s-%02zu-%s]\nstonewall\n", test, w->number, name);
	fprintf(w->f, "write_bw_log=run%lld-%s-%02zu-%s\n", (long long)w->run->id, test, w->number, name);
	w->number++;
}

static void phase_place(struct writer *w, const struct phase_record *p)
{
	uint64_t block = p->block_bytes ? p->block_bytes : MIB, rest = p->bytes % block;
	uint64_t bytes = p->bytes > block ? p->bytes - rest : block,
		 span = p->span_bytes > bytes ? p->span_bytes : bytes;
	uint64_t at = 0;
	if (w->goes_on && strcmp(p->pattern, "sequential") == 0 && p->span_bytes) {
		if (p->bytes <= p->span_bytes - w->at)
			at = w->at;
		else if (w->at)
			comment(w->f,
				"it went on %llu bytes into its span and wrapped, which fio cannot: it begins at its "
				"start",
				(unsigned long long)w->at);
		w->at = (w->at + p->bytes) % p->span_bytes;
	}
	fprintf(w->f, "offset=%llu\n", (unsigned long long)(p->start_offset + at));
	fprintf(w->f, "size=%llu\n", (unsigned long long)(span - at));
	fprintf(w->f, "io_size=%llu\n", (unsigned long long)bytes);
	if (rest)
		comment(w->f, "fio does whole blocks only: the last %llu bytes are not repeated",
			(unsigned long long)rest);
}

static void phase_end(FILE *f, const struct phase_record *p)
{
	if (p->end_reason && strcmp(p->end_reason, "time") == 0)
		fprintf(f, "runtime=%.0fs\n", ceil(nsec_to_s(p->duration)));
	if (p->end_reason && strcmp(p->end_reason, "rate") == 0)
		comment(f, "it ended when the rate had fallen, which fio cannot watch for: here after the same bytes");
	if (p->ended_early)
		comment(f, "it was cut short (%s): these are the bytes that it came to",
			p->end_reason ? p->end_reason : "?");
	if (p->flush >= 0) {
		fputs("end_fsync=1\n", f);
		comment(f, "the flush at the end was timed apart; fio counts it as part of the job");
	}
}

static void write_phase(struct writer *w, const struct test_record *t, const struct phase_record *p)
{
	FILE *f = w->f;
	section(w, t, p->name);
	if (p->idle_before > 0)
		fprintf(f, "exec_prerun=sleep %.3f\n", nsec_to_s(p->idle_before));
	fprintf(f, "rw=%s\n", direction_of(p));
	if (strcmp(p->op, "mixed") == 0)
		fprintf(f, "rwmixread=%.0f\n", isnan(p->read_share) ? 50 : p->read_share * 100);
	if (strcmp(p->pattern, "random") == 0)
		fputs("norandommap=1\n", f);
	if (!p->block_bytes)
		comment(f, "the block size is not known; 1 MiB is assumed");
	fprintf(f, "bs=%u\n", p->block_bytes ? p->block_bytes : (unsigned)MIB);
	if (!p->queue_depth)
		comment(f, "the queue depth is not known; 1 is assumed");
	fprintf(f, "iodepth=%u\n", p->queue_depth ? p->queue_depth : 1);
	phase_place(w, p);
	phase_end(f, p);
}

/* The state that a test needs is made by sections of their own, unless the one before it left it. */
static void prepare(struct writer *w, const struct test_record *t, const json_t *needs)
{
	const char *state = json_string_value(json_object_get(needs, "state"));
	json_int_t bytes = json_integer_value(json_object_get(needs, "bytes"));
	if (!state || bytes <= 0 || (strcmp(state, "sequential") != 0 && strcmp(state, "fragmented") != 0))
		return;
	if (w->state && strcmp(w->state, state) == 0 && w->state_bytes >= (uint64_t)bytes)
		return;
	section(w, t, "prepare");
	comment(w->f, "no measurement: it makes the state that the test needs (%s)", state);
	fprintf(w->f, "rw=write\nbs=1m\niodepth=8\noffset=0\nsize=%lld\n", (long long)bytes);
	if (strcmp(state, "fragmented") != 0)
		return;
	section(w, t, "fragment");
	fprintf(w->f, "rw=randwrite\nnorandommap=1\nbs=4k\niodepth=32\noffset=0\nsize=%lld\n", (long long)bytes);
}

static void write_test(struct writer *w, const struct test_record *t)
{
	FILE *f = w->f;
	json_t *params = t->params ? json_loads(t->params, 0, NULL) : NULL;
	fputc('\n', f);
	comment(f, "---- %s%s%s", t->name, t->condition[0] ? ", " : "", t->condition);
	if (t->erase)
		comment(f, "before it, not done by fio: %s (blkdiscard -f $TARGET does it on most drives)", t->erase);
	if (t->quiet_wait > 0)
		comment(f, "then %.0f s were waited until the drive was quiet", nsec_to_s(t->quiet_wait));
	if (json_is_false(json_object_get(params, "low_power")))
		comment(f, "the drive's autonomous power states were off: nvme set-feature -f 0x0c -v 0 does that");
	w->number = 1;
	w->at = 0;
	w->goes_on = strcmp(t->kind, "recovery") == 0 || strcmp(t->kind, "burst") == 0 ||
		     json_is_false(json_object_get(params, "restart"));
	prepare(w, t, json_object_get(params, "needs"));
	for (size_t i = 0; i < t->nphases; i++) {
		const struct phase_record *p = &t->phases[i];
		if (can_be_repeated(p)) {
			write_phase(w, t, p);
		} else if (strcmp(p->op, "idle") == 0 && p->duration > 0) {
			fputc('\n', f);
			comment(f, "%s: %.0f s without I/O", p->name, nsec_to_s(p->duration));
		}
	}
	const json_t *leaves = json_object_get(params, "leaves");
	const char *state = json_string_value(json_object_get(leaves, "state"));
	bool writes = false;
	for (size_t i = 0; i < t->nphases; i++)
		writes |= t->phases[i].bytes > t->phases[i].read_bytes;
	/* After reads alone what was there is there still. */
	if (!state || strcmp(state, "any") != 0 || writes) {
		w->state = !state			      ? NULL
			   : strcmp(state, "sequential") == 0 ? "sequential"
			   : strcmp(state, "fragmented") == 0 ? "fragmented"
							      : NULL;
		w->state_bytes = (uint64_t)json_integer_value(json_object_get(leaves, "bytes"));
	}
	json_decref(params);
}

static void write_head(FILE *f, const struct run_record *run)
{
	const struct target_record *t = &run->target;
	comment(f, "run %lld of ssdscope%s%s, as a job for fio", (long long)run->id, run->label ? ": " : "",
		run->label ? run->label : "");
	comment(f, "recorded on %s%s%s%s%s", t->path ? t->path : t->kind, t->model ? ", " : "",
		t->model ? t->model : "", t->serial ? ", serial " : "", t->serial ? t->serial : "");
	comment(f, "IT OVERWRITES what it is run on, without asking:  TARGET=/dev/... fio THIS-FILE");
	comment(f, "not in it: erasing, the drive's power states, power, the check of what was written");
	fputs("\n[global]\nfilename=${TARGET}\nioengine=io_uring\ndirect=1\nthread=1\n", f);
	comment(f, "data that no drive can compress; making it takes time inside the measurement");
	fputs("refill_buffers=1\n", f);
	comment(f, "fio writes no row for half a second in which nothing was completed; ssdscope writes one of 0");
	fputs("log_avg_msec=500\ngroup_reporting=1\n", f);
}

int export_fio(FILE *f, const struct run_record *run, const char *test, struct err *e)
{
	size_t possible = 0, found = 0;
	for (size_t i = 0; i < run->ntests; i++) {
		const struct test_record *t = &run->tests[i];
		if (test && strcmp(t->name, test) != 0)
			continue;
		found++;
		for (size_t k = 0; k < t->nphases; k++)
			possible += can_be_repeated(&t->phases[k]);
	}
	if (test && !found)
		return err_set(
			e, EXIT_USAGE, "no test '%s' in run %lld; 'show' lists its tests", test, (long long)run->id);
	if (!possible)
		return err_set(e, EXIT_USAGE,
			"nothing in %s%s%s of run %lld is I/O that fio could repeat; 'show' lists its tests",
			test ? "test '" : "the tests", test ? test : "", test ? "'" : "", (long long)run->id);
	struct writer w = {.f = f, .run = run};
	write_head(f, run);
	for (size_t i = 0; i < run->ntests; i++)
		if (!test || strcmp(run->tests[i].name, test) == 0)
			write_test(&w, &run->tests[i]);
	return 0;
}
