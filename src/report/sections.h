/* SPDX-License-Identifier: MIT */
/* The sections of a report: tests that are read together, such as a sweep on a fresh and on a fragmented drive. */
#ifndef REPORT_SECTIONS_H
#define REPORT_SECTIONS_H

#include "report/review.h"

#define SECTION_TESTS 16

struct section {
	const char *key;   /* "fill", "bursts", "seq-read": a word for ids */
	const char *title; /* for people */
	size_t n;
	const struct review_test *tests[SECTION_TESTS];
};

/* The sections of a review in the order of its tests; free() the array. The strings live as long as the review. */
size_t sections_of(const struct review *, struct section **);

/* The key and the title of the section to which a test belongs. */
const char *section_key(const struct test_record *);
const char *section_title(const struct test_record *);

/* What a test is called for people, without its condition: "Sustained sequential read"; its own name if it is unknown.
 */
const char *test_title(const struct test_record *);
/* With the condition: "Sustained sequential read, fragmented". free() it. */
char *test_full_title(const struct test_record *);

#endif
