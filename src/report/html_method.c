// SPDX-License-Identifier: MIT
/* How each test was done, with all its settings, and how to do it again. */
#include "base/mem.h"
#include "base/units.h"
#include "report/escape.h"
#include "report/export.h"
#include "report/html.h"
#include "report/svg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* "io.block_bytes 1048576": the settings as they are in the plan, nested names joined by dots. */
static void settings(FILE *f, const char *prefix, json_t *o)
{
	const char *key;
	json_t *value;
	json_object_foreach(o, key, value)
	{
		char *name = xasprintf("%s%s%s", prefix, *prefix ? "." : "", key);
		if (json_is_object(value)) {
			settings(f, name, value);
		} else if (!json_is_null(value)) {
			char *text = json_is_string(value)
					     ? xstrdup(json_string_value(value))
					     : json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(9));
			html_fact(f, name, text, NULL);
			free(text);
		}
		free(name);
	}
}

/* What ended a phase, in words. */
static const char *ended_by(const struct phase_record *p)
{
	static const char *const words[][2] = {{"bytes", "its size"}, {"time", "its time limit"},
		{"capacity", "the end of the drive"}, {"span", "the end of the span"},
		{"rate", "the fall of the speed"}};
	for (size_t i = 0; p->end_reason && i < ARRAY_SIZE(words); i++)
		if (!strcmp(words[i][0], p->end_reason))
			return words[i][1];
	return p->end_reason ? p->end_reason : "";
}

/* What really happened, phase by phase. */
static void phases(FILE *f, const struct test_record *t)
{
	if (!t->nphases)
		return;
	fputs("<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"Table\"><table><thead><tr><th "
	      "scope=\"col\">phase</th><th "
	      "scope=\"col\">I/O</th>"
	      "<th scope=\"col\">block</th><th scope=\"col\">queue depth</th><th scope=\"col\">idle before</th>"
	      "<th scope=\"col\">time</th><th scope=\"col\">bytes</th><th scope=\"col\">ended "
	      "by</th></tr></thead><tbody>\n",
		f);
	for (size_t i = 0; i < t->nphases; i++) {
		const struct phase_record *p = &t->phases[i];
		char buf[UNITS_BUF];
		fputs("<tr><th scope=\"row\">", f);
		write_xml(f, p->name);
		fputs("</th><td>", f);
		write_xml(f, p->pattern);
		fputs(" ", f);
		write_xml(f, p->op);
		fprintf(f, "</td><td>%s</td>", p->block_bytes ? units_block(buf, p->block_bytes) : "");
		if (p->queue_depth)
			fprintf(f, "<td>%u</td>", p->queue_depth);
		else
			fputs("<td></td>", f);
		fprintf(f, "<td>%s</td>", p->idle_before > 0 ? units_duration(buf, p->idle_before) : "none");
		fprintf(f, "<td>%s</td>", p->duration > 0 ? units_duration(buf, p->duration) : "not known");
		fprintf(f, "<td>%s</td><td>", p->bytes ? units_bytes(buf, (double)p->bytes) : "");
		write_xml(f, ended_by(p));
		fputs("</td></tr>\n", f);
	}
	fputs("</tbody></table></div>\n", f);
}

/* A word as a shell takes it: quoted where anything in it could mean something else. */
static char *shell_word(const char *s)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=,+@%";
	if (*s && strspn(s, plain) == strlen(s))
		return xstrdup(s);
	char *out = xmalloc(4 * strlen(s) + 3), *to = out;
	*to++ = '\'';
	for (; *s; s++) {
		if (*s == '\'') {
			memcpy(to, "'\\''", 4);
			to += 4;
		} else {
			*to++ = *s;
		}
	}
	*to++ = '\'';
	*to = 0;
	return out;
}

/* The run as a job for fio, to copy: it may well be the tool that somebody who doubts the figures has at hand. */
static void fio_job(FILE *f, const struct run_record *run)
{
	char *job = NULL;
	size_t bytes = 0;
	struct err none = {0};
	FILE *to = open_memstream(&job, &bytes);
	if (!to)
		return;
	int rc = export_fio(to, run, NULL, &none);
	if (fclose(to) || rc) {
		free(job); /* nothing in the run that fio could do */
		return;
	}
	fprintf(f,
		"<p>The same with fio:</p>\n<pre>ssdscope export %lld --fio -o review.fio\n"
		"TARGET=/dev/DRIVE fio review.fio</pre>\n<details><summary>review.fio</summary><pre>",
		(long long)run->id);
	write_xml_lines(f, job);
	fputs("</pre></details>\n", f);
	free(job);
}

/* The command lines. An imported run was done by another tool: there is nothing to repeat. */
static void repeat(FILE *f, const struct review *r)
{
	const struct run_record *run = r->run;
	if (!strcmp(run->target.kind, "imported")) {
		fputs("<p>With the program that wrote the log.</p>\n", f);
		return;
	}
	json_t *words = run->command ? json_loads(run->command, 0, NULL) : NULL, *word;
	size_t i;
	fputs(json_array_size(words) ? "<p>The same again:</p>\n<pre>"
				     : "<p>The store has not kept the command line of this run.</p>\n",
		f);
	json_array_foreach(words, i, word)
	{
		char *quoted = shell_word(json_is_string(word) ? json_string_value(word) : "");
		fputs(i ? " " : "", f);
		write_xml(f, quoted);
		free(quoted);
	}
	fputs(json_array_size(words) ? "</pre>\n" : "", f);
	json_decref(words);
	fio_job(f, run);
}

/* How the I/O was done, for each kind of target. */
static const char *how(const struct target_record *t)
{
	if (!strcmp(t->kind, "imported"))
		return "The figures are computed from a log of another program. How it measured is not known beyond "
		       "what "
		       "is below.";
	if (!strcmp(t->kind, "sim"))
		return "All I/O went to a model of the drive, in virtual time, as from one thread; the time that the "
		       "host "
		       "takes for each I/O is part of the model.";
	if (!strcmp(t->kind, "null"))
		return "All I/O was answered by the program itself: what is measured is the host.";
	if (t->engine && !strcmp(t->engine, "pread"))
		return "All I/O bypasses the page cache, comes from as many threads as the queue is deep (pread and "
		       "pwrite), and writes data that does not compress and does not repeat.";
	return "All I/O bypasses the page cache, comes from one thread, and writes data that does not compress and "
	       "does "
	       "not repeat.";
}

void html_method(FILE *f, const struct review *r)
{
	fprintf(f, "<h2 id=\"method\">Method and settings</h2>\n<p>%s", how(&r->run->target));
	if (strcmp(r->run->target.kind, "imported"))
		fputs(" Completions are booked into a fixed grid of half a second by the time at which they ended; a "
		      "stall "
		      "is a row of zero.",
			f);
	fputs("</p>\n", f);
	for (size_t i = 0; i < r->ntests; i++) {
		const struct test_record *t = r->tests[i].record;
		char *title = test_full_title(t), buf[UNITS_BUF];
		fputs("<h3>", f);
		write_xml(f, title);
		fputs("</h3>\n", f);
		free(title);
		fputs("<table class=\"facts\">\n", f);
		html_fact(f, "Status", review_status(t->status), NULL);
		html_fact(f, "Erased before",
			t->erase				  ? t->erase
			: strcmp(r->run->target.kind, "imported") ? "no"
								  : NULL,
			NULL);
		if (t->quiet_wait >= 0)
			html_fact(f, "Waited for the drive to be quiet", units_duration(buf, t->quiet_wait), NULL);
		if (isfinite(t->temperature_min_c) && isfinite(t->temperature_max_c))
			html_fact(f, "Temperature", review_temperature(buf, t->temperature_min_c, t->temperature_max_c),
				NULL);
		fputs("</table>\n", f);
		phases(f, t);
		json_t *params = t->params ? json_loads(t->params, 0, NULL) : NULL;
		if (json_object_size(params)) {
			fputs("<details><summary>All settings of the test</summary><table class=\"facts\">\n", f);
			settings(f, "", params);
			fputs("</table></details>\n", f);
		}
		json_decref(params);
	}
	fputs("<h3>To repeat it</h3>\n", f);
	repeat(f, r);
}
