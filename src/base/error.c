// SPDX-License-Identifier: MIT
#include "base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int err_set(struct err *e, enum exit_code code, const char *fmt, ...)
{
	if (!e)
		return -1;
	/* The arguments may point into e->text itself, so the text is made beside it first. */
	char text[sizeof e->text];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	e->code = code;
	memcpy(e->text, text, sizeof text);
	return -1;
}

int err_prefix(struct err *e, const char *fmt, ...)
{
	if (!e)
		return -1;
	char text[sizeof e->text];
	va_list ap;
	va_start(ap, fmt);
	int n = vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	if (n < 0)
		n = 0;
	if ((size_t)n < sizeof text)
		snprintf(text + n, sizeof text - (size_t)n, "%s", e->text);
	memcpy(e->text, text, sizeof text);
	return -1;
}

enum exit_code exit_code_of_errno(int errnum)
{
	return errnum == EACCES || errnum == EPERM ? EXIT_NOT_PERMITTED : EXIT_FAILED;
}

enum exit_code exit_code_of_path(int errnum)
{
	switch (errnum) {
	case ENOENT:
	case ENOTDIR:
	case EISDIR:
	case ENAMETOOLONG:
	case ELOOP:
	case EINVAL: return EXIT_USAGE;
	case EROFS: return EXIT_NOT_PERMITTED;
	default: return exit_code_of_errno(errnum);
	}
}
