// SPDX-License-Identifier: MIT
#include "base/sysfs.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int read_trimmed(char *buf, size_t size, const char *path)
{
	buf[0] = 0;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	ssize_t n = read(fd, buf, size - 1);
	close(fd);
	if (n < 0)
		n = 0;
	while (n && (isspace((unsigned char)buf[n - 1]) || !buf[n - 1]))
		n--;
	buf[n] = 0;
	size_t lead = 0;
	while (isspace((unsigned char)buf[lead]))
		lead++;
	memmove(buf, buf + lead, (size_t)n - lead + 1);
	return (int)((size_t)n - lead);
}

int sysfs_text(char *buf, size_t size, const char *fmt, ...)
{
	char path[PATH_MAX];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(path, sizeof path, fmt, ap);
	va_end(ap);
	return read_trimmed(buf, size, path);
}

int sysfs_number(int64_t *value, const char *fmt, ...)
{
	char path[PATH_MAX], text[64];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(path, sizeof path, fmt, ap);
	va_end(ap);
	if (read_trimmed(text, sizeof text, path) <= 0)
		return -1;
	char *end;
	errno = 0;
	long long v = strtoll(text, &end, 10);
	if (errno || *end)
		return -1;
	*value = v;
	return 0;
}
