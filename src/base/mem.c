// SPDX-License-Identifier: MIT
#include "base/mem.h"

#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *check(void *p, size_t bytes)
{
	if (!p && bytes) {
		fprintf(stderr, "ssdscope: out of memory: %zu bytes refused\n", bytes);
		exit(EXIT_FAILED);
	}
	return p;
}

void *xmalloc(size_t bytes)
{
	return check(malloc(bytes), bytes);
}

void *xcalloc(size_t n, size_t bytes)
{
	return check(calloc(n, bytes), n * bytes);
}

void *xrealloc(void *p, size_t bytes)
{
	return check(realloc(p, bytes), bytes);
}

char *xstrdup(const char *s)
{
	return s ? check(strdup(s), strlen(s) + 1) : NULL;
}

char *xasprintf(const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	char *s = NULL;
	int n = vasprintf(&s, fmt, ap);
	va_end(ap);
	return check(n < 0 ? NULL : s, 1);
}
