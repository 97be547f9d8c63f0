// SPDX-License-Identifier: MIT
#include "report/escape.h"

#include "base/control.h"
#include "base/mem.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* The code point at `s` and its length; length 0 where the bytes are not UTF-8 (RFC 3629: no surrogates, no overlong
 * forms, up to U+10FFFF). */
static unsigned decode(const unsigned char *s, uint32_t *code)
{
	unsigned n = s[0] < 0x80		   ? 1
		     : s[0] >= 0xc2 && s[0] < 0xe0 ? 2
		     : (s[0] & 0xf0) == 0xe0	   ? 3
		     : s[0] >= 0xf0 && s[0] < 0xf5 ? 4
						   : 0;
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	uint32_t c = n == 1 ? s[0] : s[0] & (0x7fu >> n);
	for (unsigned i = 1; i < n; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (s[i] & 0x3f);
	}
	if (c < least[n] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
		return 0;
	*code = c;
	return n;
}

/* Marks that turn the writing direction around, separators of lines, a byte order mark, and what is no character. */
static bool is_deceptive(uint32_t c)
{
	return c == 0x200e || c == 0x200f || (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069) ||
	       c == 0xfeff || (c & 0xfffe) == 0xfffe;
}

char *clean_text(const char *text)
{
	if (!text)
		return NULL;
	char *out = xmalloc(3 * strlen(text) + 1), *to = out;
	for (const unsigned char *s = (const unsigned char *)text; *s;) {
		uint32_t code = 0;
		unsigned n = decode(s, &code);
		if (n && !control_at((const char *)s) && !is_deceptive(code)) {
			memcpy(to, s, n);
			to += n;
		} else {
			memcpy(to, "\xef\xbf\xbd", 3);
			to += 3;
		}
		s += n ? n : 1;
	}
	*to = 0;
	return out;
}

void write_xml(FILE *f, const char *text)
{
	char *clean = clean_text(text);
	for (const char *s = clean; s && *s; s++) {
		switch (*s) {
		case '<': fputs("&lt;", f); break;
		case '>': fputs("&gt;", f); break;
		case '&': fputs("&amp;", f); break;
		case '"': fputs("&quot;", f); break;
		case '\'': fputs("&#39;", f); break;
		default: fputc(*s, f);
		}
	}
	free(clean);
}

void write_xml_lines(FILE *f, const char *text)
{
	char *copy = xstrdup(text), *line = copy;
	for (char *end; (end = strchr(line, '\n')); line = end + 1) {
		*end = 0;
		write_xml(f, line);
		fputc('\n', f);
	}
	write_xml(f, line);
	free(copy);
}

void write_csv_field(FILE *f, const char *text)
{
	char *clean = clean_text(text ? text : "");
	fputc('"', f);
	if (*clean && strchr("=+-@", *clean))
		fputc('\'', f);
	for (const char *s = clean; *s; s++) {
		if (*s == '"')
			fputc('"', f);
		fputc(*s, f);
	}
	fputc('"', f);
	free(clean);
}
