/* SPDX-License-Identifier: MIT */
/* Text from outside (devices, file names, logs, labels) on its way into a document or onto a terminal. */
#ifndef REPORT_ESCAPE_H
#define REPORT_ESCAPE_H

#include <stdio.h>

/* A copy in valid UTF-8 that is safe to show: bytes that are not UTF-8, control characters and the marks that turn the
 * writing direction around become U+FFFD. NULL gives NULL. free() it. */
char *clean_text(const char *text);

/* Writes `text` (NULL = nothing) cleaned and escaped for XML and HTML, in text and in quoted attributes alike. */
void write_xml(FILE *, const char *text);

/* The same for a text of several lines: line ends stay. */
void write_xml_lines(FILE *, const char *text);

/* Writes `text` as one quoted CSV field, cleaned; what a spreadsheet would take for a formula gets an apostrophe first.
 */
void write_csv_field(FILE *, const char *text);

#endif
