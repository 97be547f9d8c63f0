/* SPDX-License-Identifier: MIT */
/* Showing stored runs: what `run`, `show`, `report` and `import` have in common. */
#ifndef CLI_PRESENT_H
#define CLI_PRESENT_H

#include "base/error.h"
#include "facts/published.h"
#include "store/store.h"

#include <jansson.h>
#include <stdbool.h>

/* Prints the figures of a run to stdout, for people. */
void present_text(const struct run_record *);

/* Prints one JSON document to stdout: the `show --json` document of the run, or an array of them (`array`, or n != 1).
 */
void present_json(struct run_record *const *runs, size_t n, bool array);

/* Prints this document to stdout, and frees it. */
void present_json_value(json_t *);

/* Prints the JSON document of a run that could not even begin. */
void present_json_error(const struct err *);

/* What is published about drives, from the data folder; NULL where that is not there (it says so). published_free it.
 */
struct published *present_published(void);

/* Writes the HTML report; the file appears whole or not at all. `join_published`: a comparison also shows drives of
 * which only published figures are known. */
int present_report(const char *path, struct run_record *const *runs, size_t n, bool join_published, struct err *);

#endif
