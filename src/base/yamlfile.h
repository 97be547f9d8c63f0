/* SPDX-License-Identifier: MIT */
/* YAML files read through a libcyaml schema, with errors that name file, line and field. */
#ifndef BASE_YAMLFILE_H
#define BASE_YAMLFILE_H

#include "base/error.h"

#include <cyaml/cyaml.h>

/* Loads `file` by `schema` (of a mapping by pointer, as libcyaml wants it) into *data; free it with yamlfile_free().
 * 0, or -1 and *err: "file:line: field: what is wrong" with EXIT_USAGE, or the code of the errno where the file can't
 * be read. */
int yamlfile_load(const char *file, const cyaml_schema_value_t *schema, void **data, struct err *err);
void yamlfile_free(const cyaml_schema_value_t *schema, void *data);

/* The line (from 1) of the value at `path`, as in "nand.native.tprog_us" or "tests[2].size"; of the nearest parent
 * that exists, where it doesn't; 0 if the file can't be parsed. For errors that are found after loading. */
int yamlfile_line(const char *file, const char *path);

#endif
