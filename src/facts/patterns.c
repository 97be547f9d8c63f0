// SPDX-License-Identifier: MIT
/* data/patterns.yaml, and the comparison of its figures. */
#include "facts/patterns.h"

#include "base/datadir.h"
#include "base/mem.h"
#include "base/yamlfile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct yaml_drive {
	char *drive;
	char **figures;
	unsigned figures_count;
};

struct yaml_pattern {
	char *pattern;
	struct yaml_drive *drives;
	unsigned drives_count;
};

struct yaml_patterns {
	struct yaml_pattern *patterns;
	unsigned patterns_count;
};

#define TEXT(key, type) CYAML_FIELD_STRING_PTR(#key, CYAML_FLAG_POINTER, type, key, 1, CYAML_UNLIMITED)
#define LIST(key, type, value) CYAML_FIELD_SEQUENCE(#key, CYAML_FLAG_POINTER, type, key, &(value), 1, CYAML_UNLIMITED)

static const cyaml_schema_value_t name_value = {CYAML_VALUE_STRING(CYAML_FLAG_POINTER, char, 1, CYAML_UNLIMITED)};
static const cyaml_schema_field_t drive_fields[] = {
	TEXT(drive, struct yaml_drive),
	LIST(figures, struct yaml_drive, name_value),
	CYAML_FIELD_END,
};
static const cyaml_schema_value_t drive_value = {
	CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct yaml_drive, drive_fields)};
static const cyaml_schema_field_t pattern_fields[] = {
	TEXT(pattern, struct yaml_pattern),
	LIST(drives, struct yaml_pattern, drive_value),
	CYAML_FIELD_END,
};
static const cyaml_schema_value_t pattern_value = {
	CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct yaml_pattern, pattern_fields)};
static const cyaml_schema_field_t patterns_fields[] = {
	LIST(patterns, struct yaml_patterns, pattern_value),
	CYAML_FIELD_END,
};
static const cyaml_schema_value_t patterns_schema = {
	CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, struct yaml_patterns, patterns_fields)};

static void take_drive(struct pattern_drive *to, const struct yaml_drive *from)
{
	to->drive = xstrdup(from->drive);
	to->figures = xcalloc(from->figures_count, sizeof *to->figures);
	while (to->nfigures < from->figures_count) {
		to->figures[to->nfigures] = xstrdup(from->figures[to->nfigures]);
		to->nfigures++;
	}
}

static void take_pattern(struct pattern *to, const struct yaml_pattern *from)
{
	to->name = xstrdup(from->pattern);
	to->drives = xcalloc(from->drives_count, sizeof *to->drives);
	while (to->ndrives < from->drives_count) {
		take_drive(&to->drives[to->ndrives], &from->drives[to->ndrives]);
		to->ndrives++;
	}
}

int patterns_load(struct patterns **out, const char *file, struct err *e)
{
	char *own = file ? NULL : datadir_path("data/patterns.yaml");
	void *data = NULL;
	if (!file && !own)
		return err_set(e, EXIT_FAILED, "cannot find data/patterns.yaml; set SSDSCOPE_DATA to the data folder");
	int code = yamlfile_load(file ? file : own, &patterns_schema, &data, e);
	if (!code) {
		const struct yaml_patterns *y = data;
		struct patterns *p = *out = xcalloc(1, sizeof *p);
		p->patterns = xcalloc(y->patterns_count, sizeof *p->patterns);
		for (; p->n < y->patterns_count; p->n++)
			take_pattern(&p->patterns[p->n], &y->patterns[p->n]);
		yamlfile_free(&patterns_schema, data);
	}
	free(own);
	return code;
}

void patterns_free(struct patterns *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->n; i++) {
		struct pattern *one = &p->patterns[i];
		for (size_t k = 0; k < one->ndrives; k++) {
			for (size_t f = 0; f < one->drives[k].nfigures; f++)
				free(one->drives[k].figures[f]);
			free(one->drives[k].figures);
			free(one->drives[k].drive);
		}
		free(one->drives);
		free(one->name);
	}
	free(p->patterns);
	free(p);
}

size_t pattern_checks(const struct pattern *p)
{
	size_t n = 0;
	for (size_t i = 0; i < p->ndrives; i++)
		n += p->drives[i].nfigures;
	return n;
}

/* The unit of a comparison's figure, if it is the one named; else NULL. */
static const char *unit_of(const struct comparison *c, const char *drive, const char *figure)
{
	size_t length = strlen(figure);
	if (strcmp(c->drive, drive) || strncmp(c->figure, figure, length) || strncmp(c->figure + length, ", ", 2))
		return NULL;
	return c->figure + length + 2;
}

static const struct claim_fill *fill_of(const char *drive, const struct claim_figures *f, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(f[i].drive, drive))
			return f[i].fill.measured ? &f[i].fill : NULL;
	return NULL;
}

/* What a fill is said to be like in words. Whether `figure` is such a word; *met: whether the fill is like that. */
static bool is_shape(const char *figure, const struct claim_fill *fill, bool *met)
{
	if (!strcmp(figure, "no cache"))
		*met = fill && fill->verdict == CACHE_NONE && fill->nstages == 1;
	else if (!strcmp(figure, "fast again"))
		*met = fill && fill->fast_again;
	else
		return false;
	return true;
}

static void look_up(struct pattern_check *k, const struct comparison *c, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const char *unit = unit_of(&c[i], k->drive, k->figure);
		if (!unit)
			continue;
		k->unit = unit;
		k->published = c[i].published;
		k->model = c[i].model;
		k->error = c[i].error;
		k->allowed = strcmp(unit, "GB") ? PATTERN_RATE_ERROR : PATTERN_SIZE_ERROR;
		k->met = fabs(k->error) <= k->allowed;
		return;
	}
}

bool pattern_evaluate(const struct pattern *p, const struct comparison *c, size_t n, const struct claim_figures *f,
	size_t nf, struct pattern_check *out)
{
	bool all = true;
	for (size_t i = 0; i < p->ndrives; i++)
		for (size_t k = 0; k < p->drives[i].nfigures; k++, out++) {
			*out = (struct pattern_check){.drive = p->drives[i].drive,
				.figure = p->drives[i].figures[k],
				.unit = "",
				.published = NAN,
				.model = NAN,
				.error = NAN,
				.allowed = NAN};
			if (!is_shape(out->figure, fill_of(out->drive, f, nf), &out->met))
				look_up(out, c, n);
			all &= out->met;
		}
	return all;
}
