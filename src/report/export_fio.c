// SPDX-License-Identifier: MIT
#include "report/export.h"

#include "base/units.h"

#include <ctype.h>
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
	for (char *p = text; *p; p++)
		if (iscntrl((unsigned char)*p))
			*p = ' ';
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

static void phase_limits(FILE *f, const struct test_record *t, const struct phase_record *p)
{
	uint64_t block = p->block_bytes ? p->block_bytes : MIB, rest = p->bytes % block;
	uint64_t bytes = p->bytes > block ? p->bytes - rest : block,
		 span = p->span_bytes > bytes ? p->span_bytes : bytes;
	fprintf(f, "offset=%llu\n", (unsigned long long)p->start_offset);
	fprintf(f, "size=%llu\n", (unsigned long long)span);
	fprintf(f, "io_size=%llu\n", (unsigned long long)bytes);
	if (rest)
		comment(f, "fio does whole blocks only: the last %llu bytes are not repeated",
			(unsigned long long)rest);
	if (p->end_reason && strcmp(p->end_reason, "time") == 0)
		fprintf(f, "runtime=%.0fs\n", ceil(nsec_to_s(p->duration)));
	if (p->end_reason && strcmp(p->end_reason, "rate") == 0)
		comment(f, "it ended when the rate had fallen, which fio cannot watch for: here after the same bytes");
	if (p->ended_early)
		comment(f, "it was cut short (%s): these are the bytes that it came to",
			p->end_reason ? p->end_reason : "?");
	if (strcmp(t->kind, "sweep") == 0 && strcmp(p->pattern, "sequential") == 0)
		comment(f, "a phase may have gone on where the one before it ended; here each begins at its offset");
}

static void write_phase(
	FILE *f, const struct run_record *run, const struct test_record *t, const struct phase_record *p, size_t number)
{
	char name[80], test[40], phase[40];
	plain_name(test, sizeof test, t->name);
	plain_name(phase, sizeof phase, p->name);
	snprintf(name, sizeof name, "%s-%02zu-%s", test, number, phase);
	fprintf(f, "\n[%s]\nstonewall\n", name);
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
	phase_limits(f, t, p);
	if (p->flush >= 0) {
		fputs("end_fsync=1\n", f);
		comment(f, "the flush at the end was timed apart; fio counts it as part of the job");
	}
	fprintf(f, "write_bw_log=run%lld-%s\n", (long long)run->id, name);
}

static size_t write_test(FILE *f, const struct run_record *run, const struct test_record *t)
{
	size_t done = 0;
	fputc('\n', f);
	comment(f, "---- %s%s%s", t->name, t->condition[0] ? ", " : "", t->condition);
	if (t->erase)
		comment(f, "before it, not done by fio: %s (blkdiscard -f $TARGET does it on most drives)", t->erase);
	if (t->quiet_wait > 0)
		comment(f, "then %.0f s were waited until the drive was quiet", nsec_to_s(t->quiet_wait));
	for (size_t i = 0; i < t->nphases; i++) {
		const struct phase_record *p = &t->phases[i];
		if (can_be_repeated(p)) {
			write_phase(f, run, t, p, ++done);
		} else if (strcmp(p->op, "idle") == 0) {
			fputc('\n', f);
			comment(f, "%s: %.0f s without I/O, for the power meter", p->name, nsec_to_s(p->duration));
		}
	}
	return done;
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
	write_head(f, run);
	for (size_t i = 0; i < run->ntests; i++)
		if (!test || strcmp(run->tests[i].name, test) == 0)
			write_test(f, run, &run->tests[i]);
	return 0;
}
