// SPDX-License-Identifier: MIT
#include "import/source.h"

#include "base/control.h"
#include "base/mem.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LARGEST ((off_t)4 << 30)

static void set_path(struct source *s, const char *path)
{
	s->path = xstrdup(path);
	const char *slash = strrchr(s->path, '/');
	s->name = slash ? slash + 1 : s->path;
}

/* Reads to the end; `guess` is one more than what is expected. 0 or an errno. */
static int read_all(struct source *s, int fd, size_t guess)
{
	size_t room = guess;
	s->data = xmalloc(room + 1);
	for (;;) {
		if (s->size == room) {
			room *= 2;
			s->data = xrealloc(s->data, room + 1);
		}
		ssize_t got = read(fd, s->data + s->size, room - s->size);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0 || s->size > (size_t)LARGEST)
			return got < 0 ? errno : 0;
		s->size += (size_t)got;
	}
}

int source_read(struct source *s, const char *path, bool lenient, struct err *e)
{
	*s = (struct source){.lenient = lenient};
	/* Without O_NONBLOCK a pipe without a writer would never open. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	if (fd < 0)
		return err_set(e, exit_code_of_path(errno), "cannot open '%s': %s; give a log or result file", path,
			strerror(errno));
	const char *what = NULL;
	if (fstat(fd, &st) != 0)
		what = strerror(errno);
	else if (!S_ISREG(st.st_mode) && !S_ISFIFO(st.st_mode))
		what = S_ISDIR(st.st_mode) ? "it is a folder" : "it is neither a regular file nor a pipe";
	else if (st.st_size > LARGEST)
		what = "it is larger than 4 GiB";
	if (what) {
		close(fd);
		return err_set(e, EXIT_USAGE, "cannot import '%s': %s; give a log or result file", path, what);
	}
	if (S_ISFIFO(st.st_mode))
		fcntl(fd, F_SETFL, 0);
	int bad = read_all(s, fd, (size_t)st.st_size + 1);
	close(fd);
	if (bad || s->size > (size_t)LARGEST) {
		source_free(s);
		return err_set(e, bad ? exit_code_of_errno(bad) : EXIT_USAGE, "cannot read '%s': %s", path,
			bad ? strerror(bad) : "it is larger than 4 GiB");
	}
	s->data[s->size] = '\0';
	s->mtime_ms = (int64_t)st.st_mtim.tv_sec * 1000 + st.st_mtim.tv_nsec / 1000000;
	set_path(s, path);
	s->format = format_of(s);
	return 0;
}

void source_from_memory(struct source *s, const char *path, const void *data, size_t size, bool lenient)
{
	*s = (struct source){.lenient = lenient, .size = size, .data = xmalloc(size + 1)};
	if (size)
		memcpy(s->data, data, size);
	s->data[size] = '\0';
	set_path(s, path);
	s->format = format_of(s);
}

void source_free(struct source *s)
{
	free(s->path);
	free(s->data);
	*s = (struct source){0};
}

bool source_line(struct source *s, struct line *l)
{
	while (l->next < s->size) {
		char *text = s->data + l->next, *end = memchr(text, '\n', s->size - l->next);
		size_t length = end ? (size_t)(end - text) : s->size - l->next;
		l->next += length + (end ? 1 : 0);
		l->number++;
		text[length] = '\0';
		if (length > 0 && text[length - 1] == '\r')
			text[--length] = '\0';
		if (length == strspn(text, " \t"))
			continue;
		l->text = text;
		l->length = length;
		s->lines++;
		return true;
	}
	return false;
}

void one_line(char *text)
{
	replace_controls(text, '?');
}

int source_broken(struct source *s, size_t number, struct err *e, const char *fmt, ...)
{
	if (s->lenient) {
		if (!s->broken++)
			s->first_broken = number;
		return 0;
	}
	char text[256];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	one_line(text);
	return err_set(
		e, EXIT_USAGE, "%s:%zu: %s; repair it, or leave such lines out with --lenient", s->path, number, text);
}

static char *trimmed(char *text)
{
	size_t n = strlen(text);
	while (n > 0 && isspace((unsigned char)text[n - 1]))
		text[--n] = '\0';
	while (isspace((unsigned char)*text))
		text++;
	n = strlen(text);
	if (n >= 2 && text[0] == '"' && text[n - 1] == '"') {
		text[n - 1] = '\0';
		text++;
	}
	return text;
}

size_t split_fields(char *text, char separator, char **fields, size_t max)
{
	size_t n = 0;
	while (text) {
		bool quoted = false;
		char *p = text;
		for (; *p && (quoted || *p != separator); p++)
			if (*p == '"')
				quoted = !quoted;
		char *next = *p ? p + 1 : NULL;
		*p = '\0';
		if (n < max)
			fields[n] = trimmed(text);
		n++;
		text = next;
	}
	return n;
}

int parse_integer(const char *text, int64_t *value)
{
	const char *digits = text + (*text == '-');
	int base = strncmp(digits, "0x", 2) == 0 ? 16 : 10;
	char *end;
	if (!isdigit((unsigned char)*digits))
		return -1;
	errno = 0;
	long long v = strtoll(text, &end, base);
	if (errno || *end)
		return -1;
	*value = v;
	return 0;
}

int parse_number(const char *text, double *value)
{
	char *end;
	/* No hexadecimal, "nan" or "inf", which strtod would take. */
	if (!*text || text[strspn(text, "+-.0123456789eE")])
		return -1;
	double v = strtod(text, &end);
	if (end == text || *end || !isfinite(v))
		return -1;
	*value = v;
	return 0;
}
