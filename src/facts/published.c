// SPDX-License-Identifier: MIT
/* data/published.yaml: libcyaml checks the shape, this file what the words mean. */
#include "facts/published.h"

#include "base/datadir.h"
#include "base/mem.h"
#include "base/units.h"
#include "base/yamlfile.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- The shape, as libcyaml wants it. */

struct yaml_figure {
	char *figure, *unit, *kind, *source, *bound, *note;
	double value;
};

struct yaml_stage {
	double *from_gb, *to_gb, *mbps;
	char *kind, *source, *label;
};

struct yaml_fact {
	char *fact, *text, *kind, *source, *note;
};

struct yaml_drive {
	char *id, *name;
	struct yaml_figure *figures;
	struct yaml_stage *stages;
	struct yaml_fact *facts;
	unsigned figures_count, stages_count, facts_count;
};

struct yaml_published {
	struct yaml_drive *drives;
	unsigned drives_count;
};

#define TEXT(key, type) CYAML_FIELD_STRING_PTR(#key, CYAML_FLAG_POINTER, type, key, 1, CYAML_UNLIMITED)
#define OPTIONAL_TEXT(key, type)                                                                                       \
	CYAML_FIELD_STRING_PTR(#key, CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, type, key, 1, CYAML_UNLIMITED)
#define OPTIONAL_NUMBER(key, type) CYAML_FIELD_FLOAT_PTR(#key, CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, type, key)
#define LIST(key, value, least, flag)                                                                                  \
	CYAML_FIELD_SEQUENCE(                                                                                          \
		#key, CYAML_FLAG_POINTER | (flag), struct yaml_drive, key, &(value), least, CYAML_UNLIMITED)

static const cyaml_schema_field_t figure_fields[] = {
	TEXT(figure, struct yaml_figure),
	CYAML_FIELD_FLOAT("value", CYAML_FLAG_DEFAULT, struct yaml_figure, value),
	TEXT(unit, struct yaml_figure),
	TEXT(kind, struct yaml_figure),
	TEXT(source, struct yaml_figure),
	OPTIONAL_TEXT(bound, struct yaml_figure),
	OPTIONAL_TEXT(note, struct yaml_figure),
	CYAML_FIELD_END,
};
static const cyaml_schema_field_t stage_fields[] = {
	OPTIONAL_NUMBER(from_gb, struct yaml_stage),
	OPTIONAL_NUMBER(to_gb, struct yaml_stage),
	OPTIONAL_NUMBER(mbps, struct yaml_stage),
	TEXT(kind, struct yaml_stage),
	TEXT(source, struct yaml_stage),
	TEXT(label, struct yaml_stage),
	CYAML_FIELD_END,
};
static const cyaml_schema_field_t fact_fields[] = {
	TEXT(fact, struct yaml_fact),
	TEXT(text, struct yaml_fact),
	TEXT(kind, struct yaml_fact),
	TEXT(source, struct yaml_fact),
	OPTIONAL_TEXT(note, struct yaml_fact),
	CYAML_FIELD_END,
};
static const cyaml_schema_value_t figure_value = {
	CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct yaml_figure, figure_fields)};
static const cyaml_schema_value_t stage_value = {
	CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct yaml_stage, stage_fields)};
static const cyaml_schema_value_t fact_value = {CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct yaml_fact, fact_fields)};
static const cyaml_schema_field_t drive_fields[] = {
	TEXT(id, struct yaml_drive),
	TEXT(name, struct yaml_drive),
	LIST(figures, figure_value, 1, CYAML_FLAG_OPTIONAL),
	LIST(stages, stage_value, 1, CYAML_FLAG_OPTIONAL),
	LIST(facts, fact_value, 1, CYAML_FLAG_OPTIONAL),
	CYAML_FIELD_END,
};
static const cyaml_schema_value_t drive_value = {
	CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct yaml_drive, drive_fields)};
static const cyaml_schema_field_t published_fields[] = {
	CYAML_FIELD_SEQUENCE(
		"drives", CYAML_FLAG_POINTER, struct yaml_published, drives, &drive_value, 1, CYAML_UNLIMITED),
	CYAML_FIELD_END,
};
static const cyaml_schema_value_t published_schema = {
	CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, struct yaml_published, published_fields)};

/* ---- The meaning. */

/* An error at the value of a path within drive `d`. */
static int wrong(struct err *e, const char *file, size_t d, const char *list, size_t i, const char *field,
	const char *text, const char *what)
{
	char path[128];
	snprintf(path, sizeof path, "drives[%zu].%s[%zu].%s", d, list, i, field);
	return err_set(e, EXIT_USAGE, "%s:%d: %s: '%s' is not %s", file, yamlfile_line(file, path), path, text, what);
}

static bool known_kind(const char *kind, bool *derived)
{
	*derived = !strcmp(kind, "derived");
	return *derived || !strcmp(kind, "published");
}

static bool known_bound(const char *bound, enum published_bound *out)
{
	*out = !bound ? BOUND_NONE : !strcmp(bound, "at-least") ? BOUND_AT_LEAST : BOUND_AT_MOST;
	return !bound || *out == BOUND_AT_LEAST || !strcmp(bound, "at-most");
}

#define KINDS "'published' or 'derived'"

static int take_drive(struct published_drive *to, struct yaml_drive *from, size_t d, const char *file, struct err *e)
{
	to->id = xstrdup(from->id);
	to->name = xstrdup(from->name);
	to->figures = xcalloc(from->figures_count + 1, sizeof *to->figures);
	to->stages = xcalloc(from->stages_count + 1, sizeof *to->stages);
	to->texts = xcalloc(from->facts_count + 1, sizeof *to->texts);
	for (size_t i = 0; i < from->figures_count; i++) {
		const struct yaml_figure *y = &from->figures[i];
		struct published_figure *f = &to->figures[to->nfigures++];
		*f = (struct published_figure){.figure = xstrdup(y->figure),
			.value = y->value,
			.unit = xstrdup(y->unit),
			.source = xstrdup(y->source),
			.note = xstrdup(y->note)};
		if (!known_kind(y->kind, &f->derived))
			return wrong(e, file, d, "figures", i, "kind", y->kind, KINDS);
		if (!known_bound(y->bound, &f->bound))
			return wrong(e, file, d, "figures", i, "bound", y->bound, "'at-least' or 'at-most'");
	}
	for (size_t i = 0; i < from->stages_count; i++) {
		const struct yaml_stage *y = &from->stages[i];
		struct published_stage *s = &to->stages[to->nstages++];
		*s = (struct published_stage){.from_gb = y->from_gb ? *y->from_gb : NAN,
			.to_gb = y->to_gb ? *y->to_gb : NAN,
			.mbps = y->mbps ? *y->mbps : NAN,
			.label = xstrdup(y->label),
			.source = xstrdup(y->source)};
		if (!known_kind(y->kind, &s->derived))
			return wrong(e, file, d, "stages", i, "kind", y->kind, KINDS);
	}
	for (size_t i = 0; i < from->facts_count; i++) {
		const struct yaml_fact *y = &from->facts[i];
		struct published_text *t = &to->texts[to->ntexts++];
		*t = (struct published_text){.fact = xstrdup(y->fact),
			.text = xstrdup(y->text),
			.source = xstrdup(y->source),
			.note = xstrdup(y->note)};
		if (!known_kind(y->kind, &t->derived))
			return wrong(e, file, d, "facts", i, "kind", y->kind, KINDS);
	}
	return 0;
}

static int take_all(struct published *p, struct yaml_published *y, const char *file, struct err *e)
{
	p->drives = xcalloc(y->drives_count, sizeof *p->drives);
	for (size_t i = 0; i < y->drives_count; i++) {
		if (published_find(p, y->drives[i].id)) {
			char path[64];
			snprintf(path, sizeof path, "drives[%zu].id", i);
			return err_set(e, EXIT_USAGE, "%s:%d: %s: '%s' is there twice", file, yamlfile_line(file, path),
				path, y->drives[i].id);
		}
		if (take_drive(&p->drives[p->n++], &y->drives[i], i, file, e))
			return -1;
	}
	return 0;
}

int published_load(struct published **out, const char *file, struct err *e)
{
	char *own = file ? NULL : datadir_path("data/published.yaml");
	void *data = NULL;
	if (!file && !own)
		return err_set(e, EXIT_FAILED, "cannot find data/published.yaml; set SSDSCOPE_DATA to the data folder");
	file = file ? file : own;
	int code = yamlfile_load(file, &published_schema, &data, e);
	if (!code) {
		*out = xcalloc(1, sizeof **out);
		code = take_all(*out, data, file, e);
		if (code) {
			published_free(*out);
			*out = NULL;
		}
		yamlfile_free(&published_schema, data);
	}
	free(own);
	return code;
}

static void free_drive(struct published_drive *d)
{
	for (size_t i = 0; i < d->nfigures; i++) {
		struct published_figure *f = &d->figures[i];
		free(f->figure);
		free(f->unit);
		free(f->source);
		free(f->note);
	}
	for (size_t i = 0; i < d->nstages; i++) {
		free(d->stages[i].label);
		free(d->stages[i].source);
	}
	for (size_t i = 0; i < d->ntexts; i++) {
		struct published_text *t = &d->texts[i];
		free(t->fact);
		free(t->text);
		free(t->source);
		free(t->note);
	}
	free(d->figures);
	free(d->stages);
	free(d->texts);
	free(d->id);
	free(d->name);
}

void published_free(struct published *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->n; i++)
		free_drive(&p->drives[i]);
	free(p->drives);
	free(p);
}

const struct published_drive *published_find(const struct published *p, const char *id)
{
	for (size_t i = 0; i < p->n; i++)
		if (!strcmp(p->drives[i].id, id))
			return &p->drives[i];
	return NULL;
}

double published_si(const struct published_figure *f)
{
	static const struct {
		const char *unit;
		double factor;
	} units[] = {{"GB", 1e9}, {"TB", 1e12}, {"GiB", (double)GIB}, {"MB/s", 1}, {"IOPS", 1}, {"W", 1}, {"s", 1}};
	for (size_t i = 0; i < ARRAY_SIZE(units); i++)
		if (!strcmp(f->unit, units[i].unit))
			return f->value * units[i].factor;
	return NAN;
}

double published_value(const struct published_drive *d, const char *figure)
{
	for (size_t i = 0; i < d->nfigures; i++)
		if (!strcmp(d->figures[i].figure, figure) && d->figures[i].bound == BOUND_NONE)
			return published_si(&d->figures[i]);
	return NAN;
}
