// SPDX-License-Identifier: MIT
#include "base/units.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Splits "1.5g" into 1.5 and "g". Only plain decimal numbers: strtod would also take "inf", "nan" and "0x1p4". */
static int parse_number(const char *text, double *value, const char **unit)
{
	while (isspace((unsigned char)*text))
		text++;
	size_t digits = strspn(text, "0123456789.");
	if (!digits || digits >= 64 || !strpbrk(text, "0123456789"))
		return -1;
	char number[64];
	memcpy(number, text, digits);
	number[digits] = 0;
	char *end;
	*value = strtod(number, &end);
	if (*end)
		return -1;
	text += digits;
	while (*text == ' ')
		text++;
	*unit = text;
	return 0;
}

int units_parse_bytes(const char *text, uint64_t *bytes)
{
	static const struct {
		const char *name;
		double factor;
	} decimal[] = {{"kB", 1e3}, {"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12}};
	double value, factor = 0;
	const char *unit;
	if (!text || parse_number(text, &value, &unit))
		return -1;
	if (!*unit || !strcmp(unit, "B"))
		factor = 1;
	for (size_t i = 0; i < sizeof decimal / sizeof *decimal; i++)
		if (!strcmp(unit, decimal[i].name))
			factor = decimal[i].factor;
	static const char binary[] = "kmgt";
	const char *p = *unit ? strchr(binary, tolower((unsigned char)*unit)) : NULL;
	if (p && *p && (!unit[1] || !strcasecmp(unit + 1, "ib")))
		factor = ldexp(1, 10 * (int)(p - binary + 1));
	if (factor == 0)
		return -1;
	if (value * factor >= 0x1p63)
		return -ERANGE;
	*bytes = (uint64_t)llround(value * factor);
	return 0;
}

int units_parse_size(const char *text, uint64_t least, uint64_t *bytes, struct err *err)
{
	uint64_t v = 0;
	int rc = units_parse_bytes(text, &v);
	if (rc == -ERANGE)
		return err_set(err, EXIT_USAGE, "'%s' is too large a size: give less than 8 EiB (2^63 bytes)", text);
	if (rc)
		return err_set(err, EXIT_USAGE,
			"'%s' is not a size: give a number of bytes, with k, M, G, T (powers of 1024) or kB, MB, GB, "
			"TB",
			text);
	if (v < least)
		return err_set(err, EXIT_USAGE, "'%s' is too small a size: give at least %llu byte%s", text,
			(unsigned long long)least, least == 1 ? "" : "s");
	*bytes = v;
	return 0;
}

int units_parse_duration(const char *text, nsec *ns)
{
	static const struct {
		const char *name;
		double factor;
	} units[] = {
		{"", 1e9}, {"ns", 1}, {"us", 1e3}, {"µs", 1e3}, {"ms", 1e6}, {"s", 1e9}, {"min", 60e9}, {"h", 3600e9}};
	double value;
	const char *unit;
	if (!text || parse_number(text, &value, &unit))
		return -1;
	for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
		if (strcmp(unit, units[i].name))
			continue;
		if (value * units[i].factor >= 0x1p63)
			return -1;
		*ns = (nsec)llround(value * units[i].factor);
		return 0;
	}
	return -1;
}

/* Three significant digits, no exponent: 7.03, 70.3, 703. */
static char *three_digits(char *buf, double v, const char *unit)
{
	int decimals = v < 9.995 ? 2 : v < 99.95 ? 1 : 0;
	snprintf(buf, UNITS_BUF, "%.*f %s", decimals, v, unit);
	return buf;
}

static char *decimal(char *buf, double v, const char *const names[5])
{
	int i = 0;
	while (i < 4 && v >= 999.5)
		v /= 1000, i++;
	if (i == 0) {
		snprintf(buf, UNITS_BUF, "%.0f %s", v, names[0]);
		return buf;
	}
	return three_digits(buf, v, names[i]);
}

char *units_bytes(char *buf, double bytes)
{
	static const char *const names[] = {"B", "kB", "MB", "GB", "TB"};
	return decimal(buf, bytes, names);
}

char *units_rate(char *buf, double bytes_per_s)
{
	static const char *const names[] = {"B/s", "kB/s", "MB/s", "GB/s", "TB/s"};
	return decimal(buf, bytes_per_s, names);
}

char *units_block(char *buf, uint64_t bytes)
{
	static const char *const names[] = {"B", "KiB", "MiB", "GiB", "TiB"};
	int i = 0;
	while (i < 4 && bytes >= 1024 && bytes % 1024 == 0)
		bytes /= 1024, i++;
	snprintf(buf, UNITS_BUF, "%llu %s", (unsigned long long)bytes, names[i]);
	return buf;
}

char *units_duration(char *buf, nsec ns)
{
	double s = nsec_to_s(ns);
	if (s >= 3600)
		snprintf(buf, UNITS_BUF, "%d h %02d min", (int)(s / 3600), (int)(s / 60) % 60);
	else if (s >= 60)
		snprintf(buf, UNITS_BUF, "%d min %02d s", (int)(s / 60), (int)s % 60);
	else if (s >= 1)
		return three_digits(buf, s, "s");
	else if (s >= 1e-3)
		return three_digits(buf, s * 1e3, "ms");
	else if (s >= 1e-6)
		return three_digits(buf, s * 1e6, "µs");
	else
		snprintf(buf, UNITS_BUF, "%lld ns", (long long)ns);
	return buf;
}
