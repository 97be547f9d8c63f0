/* SPDX-License-Identifier: MIT */
/* Memory: allocations that cannot fail (the program ends with a message instead), and growing arrays. */
#ifndef BASE_MEM_H
#define BASE_MEM_H

#include <stddef.h>

/* As malloc, calloc, realloc and strdup, but never NULL: on exhaustion they print one line and exit with EXIT_FAILED.
 * xstrdup(NULL) is NULL. The model library does not use them: it reports exhaustion to its caller. */
void *xmalloc(size_t bytes);
void *xcalloc(size_t n, size_t bytes);
void *xrealloc(void *p, size_t bytes);
char *xstrdup(const char *s);
char *xasprintf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Makes room for one more element in `array` (a pointer lvalue) that holds `n` of `cap` elements; doubles `cap`. */
#define GROW(array, n, cap)                                                                                            \
	do {                                                                                                           \
		if ((n) == (cap)) {                                                                                    \
			(cap) = (cap) ? 2 * (cap) : 16;                                                                \
			(array) = xrealloc((array), (size_t)(cap) * sizeof *(array));                                  \
		}                                                                                                      \
	} while (0)

#define ARRAY_SIZE(a) (sizeof(a) / sizeof *(a))

#endif
