/* SPDX-License-Identifier: MIT */
/* Control characters in text from outside: a terminal obeys them, and a line ends where nobody meant it to. */
#ifndef BASE_CONTROL_H
#define BASE_CONTROL_H

#include <stddef.h>
#include <string.h>

/* How many bytes the control character has that the UTF-8 text `s` begins with: 1 for C0 (line ends and tabs too) and
 * DEL, 2 for C1 (U+0080 to U+009F, as UTF-8 has them: c2 80 to c2 9f); 0 where it begins with none, or is empty. */
static inline size_t control_at(const char *s)
{
	const unsigned char *p = (const unsigned char *)s;
	if (p[0] == 0xc2 && p[1] >= 0x80 && p[1] < 0xa0)
		return 2;
	return (p[0] && p[0] < 0x20) || p[0] == 0x7f;
}

/* Puts `instead` in the place of every byte of a control character. */
static inline void replace_controls(char *text, char instead)
{
	for (char *p = text; *p;) {
		size_t n = control_at(p);
		memset(p, instead, n);
		p += n ? n : 1;
	}
}

#endif
