// SPDX-License-Identifier: MIT
#include "cli/present.h"

#include "cli/cli.h"

#include "base/mem.h"
#include "base/output.h"
#include "report/escape.h"
#include "report/review.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void present_json_value(json_t *doc)
{
	json_dumpf(doc, stdout, REVIEW_JSON_FLAGS);
	putchar('\n');
	json_decref(doc);
}

static json_t *document(const struct run_record *run)
{
	struct review *r = review_build(run);
	json_t *doc = review_json(r);
	review_free(r);
	return doc;
}

void present_text(const struct run_record *run)
{
	report_text(stdout, run);
}

void present_json(struct run_record *const *runs, size_t n, bool array)
{
	if (n == 1 && !array) {
		present_json_value(document(runs[0]));
		return;
	}
	json_t *all = json_array();
	for (size_t i = 0; i < n; i++)
		json_array_append_new(all, document(runs[i]));
	present_json_value(all);
}

void present_json_error(const struct err *e)
{
	char *text = clean_text(e->text); /* names of files need not be UTF-8 */
	present_json_value(
		json_pack("{s:i,s:{s:b,s:s},s:{}}", "schema", 1, "run", "partial", 1, "error", text, "tests"));
	free(text);
}

struct published *present_published(void)
{
	struct published *p = NULL;
	struct err e = {0};
	if (published_load(&p, NULL, &e))
		cli_say("ssdscope: no published figures in the report: %s", e.text);
	return p;
}

static int write_report(FILE *f, struct run_record *const *runs, size_t n, bool join_published, struct err *e)
{
	struct report_options o = {.published = present_published(), .join_published = join_published};
	int rc = report_html(f, runs, n, &o, e);
	published_free((struct published *)o.published);
	return rc;
}

int present_report(const char *path, struct run_record *const *runs, size_t n, bool join_published, struct err *e)
{
	struct stat st;
	if (cli_is_stdout(path)) {
		int rc = write_report(stdout, runs, n, join_published, e);
		return rc || !(fflush(stdout) || ferror(stdout))
			       ? rc
			       : err_set(e, EXIT_FAILED, "cannot write to standard output: %s", strerror(errno));
	}
	/* A pipe and a link such as /dev/stdout are written straight to: a rename would put a file in their place. */
	bool replace = lstat(path, &st) || S_ISREG(st.st_mode);
	char *temporary = replace ? xasprintf("%s.%ld.tmp", path, (long)getpid()) : xstrdup(path);
	FILE *f = output_open(temporary, "w", e);
	if (!f && replace && access(path, W_OK) == 0) {
		/* Room for this file alone: a folder that takes no other, a name as long as names may be. */
		*e = (struct err){0};
		replace = false;
		free(temporary);
		temporary = xstrdup(path);
		f = output_open(temporary, "w", e);
	}
	int rc = -1;
	if (f) {
		rc = write_report(f, runs, n, join_published, e);
		if (fclose(f) && !rc)
			rc = err_set(e, EXIT_FAILED, "cannot write '%s': %s", temporary, strerror(errno));
		if (!rc && replace && rename(temporary, path))
			rc = err_set(e, EXIT_FAILED, "cannot write '%s': %s", path, strerror(errno));
		if (rc && replace)
			unlink(temporary);
	}
	free(temporary);
	return rc;
}
