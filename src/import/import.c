// SPDX-License-Identifier: MIT
#include "import/fio.h"
#include "import/formats.h"

#include "base/mem.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool contains(const char *text, size_t n, const char *word)
{
	return n >= strlen(word) && memmem(text, n, word, strlen(word)) != NULL;
}

/* Whether a line could be a row of a fio log: three or more numbers and nothing else. */
static bool is_log_line(const char *line, size_t n)
{
	size_t commas = 0, digits = 0;
	for (size_t i = 0; i < n; i++) {
		commas += line[i] == ',';
		digits += isdigit((unsigned char)line[i]) != 0;
		if (!isxdigit((unsigned char)line[i]) && !strchr(", \tx\r-", line[i]))
			return false;
	}
	return commas >= 2 && digits > commas;
}

#define STORE_MAGIC "SQLite format 3" /* with its NUL */

/* What a file is that is known but not read, and what to give instead; NULL = not one of those. */
static const char *not_read(const char *text, size_t n)
{
	const char *end = memchr(text, '\n', n);
	size_t first = end ? (size_t)(end - text) : n;
	if (n >= sizeof STORE_MAGIC && memcmp(text, STORE_MAGIC, sizeof STORE_MAGIC) == 0)
		return "it is a store of runs, or another SQLite database, where a log is expected; to merge a store "
		       "give "
		       "its file to 'ssdscope import', not through a pipe";
	if (n >= 6 && text[0] >= '2' && text[0] <= '5' && memcmp(text + 1, ";fio-", 5) == 0)
		return "it is fio's terse output, which is not read: give its JSON (--output-format=json+) or its logs";
	if (contains(text, first, ": (g=") && contains(text, first, "rw="))
		return "it is fio's output for people: give its JSON (--output-format=json+) or its logs";
	if (n > 0 && *text == '{' && contains(text, n, "\"sysstat\""))
		return "it is sysstat's JSON, which is not read: give the text of 'iostat -x -t'";
	if (n > 0 && (*text == '{' || *text == '['))
		return "it is JSON, but not fio's; of other tools give a CSV";
	return NULL;
}

enum format format_of(const struct source *s)
{
	const char *text = s->data;
	size_t n = s->size;
	if (n >= sizeof STORE_MAGIC && memcmp(text, STORE_MAGIC, sizeof STORE_MAGIC) == 0)
		return FORMAT_UNKNOWN; /* logs and JSON may be in it */
	/* XML may come in UTF-16 from PowerShell. */
	if (n >= 4 && (memcmp(text, "\xff\xfe<\0", 4) == 0 || memcmp(text, "\xfe\xff\0<", 4) == 0))
		return FORMAT_DISKSPD;
	if (n >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) {
		text += 3;
		n -= 3;
	}
	while (n > 0 && isspace((unsigned char)*text)) {
		text++;
		n--;
	}
	if (n > 0 && *text == '<')
		return FORMAT_DISKSPD;
	if (contains(text, n, "\"fio version\"") || (n > 0 && *text == '{' && contains(text, n, "\"jobs\"")))
		return FORMAT_FIO_JSON;
	if (not_read(text, n))
		return FORMAT_UNKNOWN;
	const char *end = memchr(text, '\n', n);
	size_t first = end ? (size_t)(end - text) : n;
	if (contains(text, first, "RuntimeMS") && contains(text, first, "DoneBytes"))
		return FORMAT_ELBENCHO;
	if (n >= 6 &&
		(memcmp(text, "Linux ", 6) == 0 || memcmp(text, "Device", 6) == 0 || memcmp(text, "avg-cp", 6) == 0))
		return FORMAT_IOSTAT;
	/* A header has more letters than digits. */
	size_t letters = 0, digits = 0;
	for (size_t i = 0; i < first; i++) {
		letters += isalpha((unsigned char)text[i]) != 0;
		digits += isdigit((unsigned char)text[i]) != 0;
	}
	/* One line may be broken; a name such as fio gives settles it. */
	const char *line = text;
	for (int i = 0; i < 5 && line < text + n && letters <= digits; i++) {
		end = memchr(line, '\n', (size_t)(text + n - line));
		size_t length = end ? (size_t)(end - line) : (size_t)(text + n - line);
		if (is_log_line(line, length))
			return FORMAT_FIO_LOG;
		line += length + 1;
	}
	if (fio_log_kind_of_name(s->name) != LOG_UNKNOWN)
		return FORMAT_FIO_LOG;
	bool columns = memchr(text, ',', first) || memchr(text, ';', first) || memchr(text, '\t', first);
	return columns && !memchr(text, '\0', n < 4096 ? n : 4096) ? FORMAT_CSV : FORMAT_UNKNOWN;
}

static int read_one(
	struct source *s, const struct import_options *o, struct run_record **runs, size_t *n, struct err *e)
{
	const char *why;
	int (*read)(struct source *, const struct import_options *, struct run_record *, struct err *) = NULL;
	switch (s->format) {
	case FORMAT_CSV: read = read_csv; break;
	case FORMAT_ELBENCHO: read = read_elbencho; break;
	case FORMAT_DISKSPD: read = read_diskspd; break;
	case FORMAT_IOSTAT: read = read_iostat; break;
	case FORMAT_FIO_LOG:
	case FORMAT_FIO_JSON: return 0;
	case FORMAT_UNKNOWN:
		why = not_read(s->data, s->size);
		if (why)
			return err_set(e, EXIT_USAGE, "cannot import '%s': %s", s->path, why);
		return err_set(e, EXIT_USAGE,
			"cannot import '%s': %s; known are fio's JSON and logs, elbencho's livecsv, diskspd's XML, "
			"iostat -x, CSV and stores of ssdscope",
			s->path, s->size ? "its format is not known" : "it is empty");
	}
	*runs = xrealloc(*runs, (*n + 1) * sizeof **runs);
	struct run_record *r = &(*runs)[(*n)++];
	return read(s, o, r, e) != 0 || run_complete(r, o, e) != 0 ? -1 : 0;
}

int import_files(const char *const *files, size_t n, const struct import_options *o, struct run_record **out,
	size_t *nout, struct err *e)
{
	struct source *sources = xcalloc(n ? n : 1, sizeof *sources), **fio = xcalloc(n ? n : 1, sizeof *fio);
	struct run_record *runs = NULL;
	size_t nruns = 0, nfio = 0, nread = 0;
	int rc = 0;
	for (size_t i = 1; i < n && rc == 0; i++)
		for (size_t k = 0; k < i && rc == 0; k++)
			if (strcmp(files[i], files[k]) == 0)
				rc = err_set(
					e, EXIT_USAGE, "'%s' is given twice; its bytes would count twice", files[i]);
	while (nread < n && rc == 0) {
		rc = source_read(&sources[nread], files[nread], o->lenient, e);
		nread += rc == 0;
	}
	for (size_t i = 0; i < nread && rc == 0; i++)
		if (sources[i].format == FORMAT_FIO_LOG || sources[i].format == FORMAT_FIO_JSON)
			fio[nfio++] = &sources[i];
	/* fio's first, since they are read together; the others keep their order. */
	if (rc == 0 && nfio)
		rc = read_fio(fio, nfio, o, &runs, &nruns, e);
	for (size_t i = 0; i < nread && rc == 0; i++)
		rc = read_one(&sources[i], o, &runs, &nruns, e);
	for (size_t i = 0; i < nread; i++)
		source_free(&sources[i]);
	free(sources);
	free(fio);
	if (rc != 0) {
		for (size_t i = 0; i < nruns; i++)
			run_record_clear(&runs[i]);
		free(runs);
		runs = NULL;
		nruns = 0;
	}
	*out = runs;
	*nout = nruns;
	return rc;
}

bool import_is_store(const char *file)
{
	char head[16] = "";
	struct stat st;
	/* A pipe can be read only once. */
	if (stat(file, &st) != 0 || !S_ISREG(st.st_mode))
		return false;
	FILE *f = fopen(file, "rbe");
	size_t n = f ? fread(head, 1, sizeof head, f) : 0;
	if (f)
		fclose(f);
	return n == sizeof head && memcmp(head, STORE_MAGIC, sizeof STORE_MAGIC) == 0;
}
