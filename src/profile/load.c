// SPDX-License-Identifier: MIT
/* Loading a profile: up to three files of one schema, the shared NAND, the shared controller, the drive; a later one
 * overrides. Every value remembers its file, so that the model's complaint about it can name file and line. */
#include "profile/profile.h"

#include "base/datadir.h"
#include "base/mem.h"
#include "base/yamlfile.h"
#include "profile/fields.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_PARENTS 2

/* What libcyaml makes of a file. A value that isn't there is NULL. */
struct section_values {
	void *value[SECTION_FIELDS];
	unsigned tr_count;		     /* of nand.*.tr_us, a list */
	struct section_values *slc, *native; /* in nand */
	struct state_values *states;	     /* in power */
	unsigned nstates;
	struct link_values *pcie; /* in link */
};
struct state_values {
	double after_ms, exit_ms, mw;
	bool background;
};
struct link_values {
	unsigned generation, lanes, efficiency_permille;
};
struct rated_values {
	double read_mbps, write_mbps, read_iops, write_iops, tbw_tb;
};
static const struct {
	const char *name;
	size_t offset;
} rated_fields[] = {
	{"read_mbps", offsetof(struct rated_values, read_mbps)},
	{"write_mbps", offsetof(struct rated_values, write_mbps)},
	{"read_iops", offsetof(struct rated_values, read_iops)},
	{"write_iops", offsetof(struct rated_values, write_iops)},
	{"tbw_tb", offsetof(struct rated_values, tbw_tb)},
};
struct file_values {
	char *title, *description, *controller_name, *nand_name, *nand_file, *controller_file;
	double *capacity_bytes, *class_gb;
	struct rated_values *rated;
	struct section_values *section[SECTIONS]; /* slc and native hang in nand's */
};

/* The schema, built from the table of fields. */
struct schema {
	cyaml_schema_value_t top;
	cyaml_schema_field_t file[24], rated[6], pcie[4], state[5];
	cyaml_schema_field_t section[SECTIONS][SECTION_FIELDS + 4];
	cyaml_schema_value_t number, state_value;
};

#define OPTIONAL (CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL)

static void add_field(cyaml_schema_field_t **at, const char *name, size_t offset, cyaml_schema_value_t value)
{
	*(*at)++ = (cyaml_schema_field_t){.key = name, .data_offset = (uint32_t)offset, .value = value};
}

/* The one list among the fields: tr_us of a cell mode, by page type. */
static bool is_list(enum section section, size_t field)
{
	return (section == SECTION_SLC || section == SECTION_NATIVE) && field == 0;
}

static void section_schema(struct schema *s, enum section number)
{
	cyaml_schema_field_t *at = s->section[number];
	const struct field *f = profile_sections[number].field;
	for (size_t i = 0; i < SECTION_FIELDS && f[i].name; i++) {
		size_t offset = offsetof(struct section_values, value) + i * sizeof(void *);
		bool list = is_list(number, i);
		if (list) {
			add_field(&at, f[i].name, offset,
				(cyaml_schema_value_t){
					CYAML_VALUE_SEQUENCE(OPTIONAL, double, &s->number, 1, SSDMODEL_MAX_BITS)});
			at[-1].count_offset = offsetof(struct section_values, tr_count);
			at[-1].count_size = sizeof(unsigned);
		} else if (f[i].kind == FIELD_BOOL) {
			add_field(&at, f[i].name, offset, (cyaml_schema_value_t){CYAML_VALUE_BOOL(OPTIONAL, bool)});
		} else if (f[i].kind == FIELD_POLICY) {
			add_field(&at, f[i].name, offset,
				(cyaml_schema_value_t){CYAML_VALUE_ENUM(OPTIONAL | CYAML_FLAG_STRICT, int,
					profile_policies, ARRAY_SIZE(profile_policies))});
		} else {
			add_field(&at, f[i].name, offset, (cyaml_schema_value_t){CYAML_VALUE_FLOAT(OPTIONAL, double)});
		}
	}
	if (number == SECTION_NAND) {
		add_field(&at, "slc", offsetof(struct section_values, slc),
			(cyaml_schema_value_t){
				CYAML_VALUE_MAPPING(OPTIONAL, struct section_values, s->section[SECTION_SLC])});
		add_field(&at, "native", offsetof(struct section_values, native),
			(cyaml_schema_value_t){
				CYAML_VALUE_MAPPING(OPTIONAL, struct section_values, s->section[SECTION_NATIVE])});
	}
	if (number == SECTION_LINK)
		add_field(&at, "pcie", offsetof(struct section_values, pcie),
			(cyaml_schema_value_t){CYAML_VALUE_MAPPING(OPTIONAL, struct link_values, s->pcie)});
	if (number == SECTION_POWER) {
		*at++ = (cyaml_schema_field_t)CYAML_FIELD_SEQUENCE_COUNT("states", OPTIONAL, struct section_values,
			states, nstates, &s->state_value, 0, SSDMODEL_MAX_STATES);
	}
}

static void make_schema(struct schema *s)
{
	*s = (struct schema){0};
	s->number = (cyaml_schema_value_t){CYAML_VALUE_FLOAT(CYAML_FLAG_DEFAULT, double)};
	cyaml_schema_field_t *at = s->state;
	*at++ = (cyaml_schema_field_t)CYAML_FIELD_FLOAT("after_ms", CYAML_FLAG_DEFAULT, struct state_values, after_ms);
	*at++ = (cyaml_schema_field_t)CYAML_FIELD_FLOAT("exit_ms", CYAML_FLAG_DEFAULT, struct state_values, exit_ms);
	*at++ = (cyaml_schema_field_t)CYAML_FIELD_FLOAT("mw", CYAML_FLAG_DEFAULT, struct state_values, mw);
	*at++ = (cyaml_schema_field_t)CYAML_FIELD_BOOL(
		"background", CYAML_FLAG_DEFAULT, struct state_values, background);
	s->state_value = (cyaml_schema_value_t){CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct state_values, s->state)};
	at = s->pcie;
	*at++ = (cyaml_schema_field_t)CYAML_FIELD_UINT(
		"generation", CYAML_FLAG_DEFAULT, struct link_values, generation);
	*at++ = (cyaml_schema_field_t)CYAML_FIELD_UINT("lanes", CYAML_FLAG_DEFAULT, struct link_values, lanes);
	*at++ = (cyaml_schema_field_t)CYAML_FIELD_UINT(
		"efficiency_permille", CYAML_FLAG_DEFAULT, struct link_values, efficiency_permille);
	at = s->rated;
	for (size_t i = 0; i < ARRAY_SIZE(rated_fields); i++)
		add_field(&at, rated_fields[i].name, rated_fields[i].offset,
			(cyaml_schema_value_t){CYAML_VALUE_FLOAT(CYAML_FLAG_OPTIONAL, double)});
	for (int i = 0; i < SECTIONS; i++)
		section_schema(s, (enum section)i);
	at = s->file;
	const cyaml_schema_value_t text = {CYAML_VALUE_STRING(OPTIONAL, char, 0, 1000)};
	const cyaml_schema_value_t number = {CYAML_VALUE_FLOAT(OPTIONAL, double)};
	add_field(&at, "title", offsetof(struct file_values, title), text);
	add_field(&at, "description", offsetof(struct file_values, description), text);
	add_field(&at, "controller_name", offsetof(struct file_values, controller_name), text);
	add_field(&at, "nand_name", offsetof(struct file_values, nand_name), text);
	add_field(&at, "nand_file", offsetof(struct file_values, nand_file), text);
	add_field(&at, "controller_file", offsetof(struct file_values, controller_file), text);
	add_field(&at, "capacity_bytes", offsetof(struct file_values, capacity_bytes), number);
	add_field(&at, "class_gb", offsetof(struct file_values, class_gb), number);
	add_field(&at, "rated", offsetof(struct file_values, rated),
		(cyaml_schema_value_t){CYAML_VALUE_MAPPING(OPTIONAL, struct rated_values, s->rated)});
	for (int i = 0; i < SECTIONS; i++)
		if (i != SECTION_SLC && i != SECTION_NATIVE)
			add_field(&at, profile_sections[i].name,
				offsetof(struct file_values, section) + (size_t)i * sizeof(void *),
				(cyaml_schema_value_t){
					CYAML_VALUE_MAPPING(OPTIONAL, struct section_values, s->section[i])});
	s->top = (cyaml_schema_value_t){CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, struct file_values, s->file)};
}

struct loader {
	struct schema schema;
	struct ssdmodel_params *params;
	const char *origin[SECTIONS][SECTION_FIELDS]; /* the file that gave the value */
	char *parent[MOST_PARENTS];
	char controller_name[64], nand_name[64]; /* the last file that has one gives it */
	char *file;
	struct err *err;
};

static int bad_value(struct loader *l, const char *file, enum section section, const char *name, const char *what)
{
	char *path = xasprintf("%s.%s", profile_sections[section].name, name);
	err_set(l->err, EXIT_USAGE, "%s:%d: %s: %s", file, yamlfile_line(file, path), path, what);
	free(path);
	return -1;
}

static int set_number(
	struct loader *l, const char *file, enum section section, const struct field *f, size_t index, double v)
{
	char *to = (char *)l->params + f->offset;
	double scaled = v * f->scale;
	double most = f->kind == FIELD_U32 ? UINT32_MAX : f->kind == FIELD_I32 ? INT32_MAX : 9e15;
	if (!isfinite(scaled) || scaled > most || (f->kind == FIELD_I32 ? scaled < INT32_MIN : scaled < 0))
		return bad_value(l, file, section, f->name, "is out of range");
	if (v > 0 && scaled < 0.5)
		return bad_value(l, file, section, f->name, "is too small to tell from 0");
	long long whole = llround(scaled);
	switch (f->kind) {
	case FIELD_U32: *(uint32_t *)to = (uint32_t)whole; break;
	case FIELD_I32: *(int32_t *)to = (int32_t)whole; break;
	case FIELD_U64: *(uint64_t *)to = (uint64_t)whole; break;
	default: ((nsec *)to)[index] = whole;
	}
	return 0;
}

static int merge_section(struct loader *l, const char *file, enum section number, const struct section_values *v)
{
	if (!v)
		return 0;
	const struct field *f = profile_sections[number].field;
	for (size_t i = 0; i < SECTION_FIELDS && f[i].name; i++) {
		char *to = (char *)l->params + f[i].offset;
		if (!v->value[i])
			continue;
		l->origin[number][i] = file;
		bool list = is_list(number, i);
		unsigned count = list ? v->tr_count : 1;
		if (f[i].kind == FIELD_BOOL)
			*(bool *)to = *(bool *)v->value[i];
		else if (f[i].kind == FIELD_POLICY)
			*(enum ssdmodel_exhaustion *)to = (enum ssdmodel_exhaustion) * (int *)v->value[i];
		else
			for (unsigned k = 0; k < count; k++)
				if (set_number(l, file, number, &f[i], k, ((double *)v->value[i])[k]))
					return -1;
		/* A list shorter than the bits of a cell: its last value holds for the rest. */
		for (unsigned k = count; list && k < SSDMODEL_MAX_BITS; k++)
			((nsec *)to)[k] = ((nsec *)to)[count - 1];
	}
	if (number == SECTION_LINK && v->pcie) {
		l->params->link.bytes_per_s =
			ssdmodel_pcie_rate(v->pcie->generation, v->pcie->lanes, v->pcie->efficiency_permille);
		if (l->params->link.bytes_per_s == 0)
			return bad_value(l, file, number, "pcie",
				"generation is 1 to 5, lanes 1 to 16, efficiency_permille 1 to 1000");
	}
	if (number == SECTION_POWER && v->states) {
		l->params->power.nstates = v->nstates;
		for (unsigned i = 0; i < v->nstates; i++) {
			const struct state_values *s = &v->states[i];
			if (!(s->after_ms >= 0 && s->exit_ms >= 0 && s->mw >= 0 && s->after_ms < 1e9 &&
				    s->exit_ms < 1e9 && s->mw < 1e6))
				return bad_value(l, file, number, "states", "a value is out of range");
			l->params->power.states[i] = (struct ssdmodel_power_state){llround(s->after_ms * 1e6),
				llround(s->exit_ms * 1e6), (uint32_t)llround(s->mw), s->background};
		}
	}
	return 0;
}

static void copy(char *to, size_t bytes, const char *from)
{
	snprintf(to, bytes, "%s", from ? from : "");
}

static int merge(struct loader *l, const char *file, const struct file_values *v)
{
	if (v->controller_name)
		copy(l->controller_name, sizeof l->controller_name, v->controller_name);
	if (v->nand_name)
		copy(l->nand_name, sizeof l->nand_name, v->nand_name);
	for (int i = 0; i < SECTIONS; i++)
		if (i != SECTION_SLC && i != SECTION_NATIVE && merge_section(l, file, (enum section)i, v->section[i]))
			return -1;
	const struct section_values *nand = v->section[SECTION_NAND];
	if (nand && (merge_section(l, file, SECTION_SLC, nand->slc) ||
			    merge_section(l, file, SECTION_NATIVE, nand->native)))
		return -1;
	return 0;
}

/* A shared file that the drive's file names: relative to the folder of profiles. */
static int merge_parent(struct loader *l, int i, const char *folder, const char *name, const char *key)
{
	if (!name)
		return 0;
	char *relative = xasprintf("profiles/%s/%s.yaml", folder, name);
	l->parent[i] = datadir_path(relative);
	free(relative);
	if (!l->parent[i])
		return err_set(l->err, EXIT_USAGE, "%s:%d: %s: there is no file '%s.yaml' in profiles/%s", l->file,
			yamlfile_line(l->file, key), key, name, folder);
	struct file_values *v;
	if (yamlfile_load(l->parent[i], &l->schema.top, (void **)&v, l->err))
		return -1;
	int result = v->nand_file || v->controller_file
			     ? err_set(l->err, EXIT_USAGE, "%s:1: a shared file cannot name others", l->parent[i])
			     : merge(l, l->parent[i], v);
	yamlfile_free(&l->schema.top, v);
	return result;
}

/* The model has found a value wrong: "field: what". Puts the file and line in front. */
static int place_complaint(struct loader *l, const char *message)
{
	char field[128];
	size_t length = strcspn(message, ": ");
	snprintf(field, sizeof field, "%.*s", (int)length, message);
	const char *file = l->file;
	for (int s = 0; s < SECTIONS; s++) {
		size_t prefix = strlen(profile_sections[s].name);
		if (strncmp(field, profile_sections[s].name, prefix) != 0 || field[prefix] != '.')
			continue;
		for (size_t i = 0; i < SECTION_FIELDS && profile_sections[s].field[i].name; i++)
			if (strcmp(field + prefix + 1, profile_sections[s].field[i].name) == 0 && l->origin[s][i])
				file = l->origin[s][i];
	}
	return err_set(l->err, EXIT_USAGE, "%s:%d: %s", file, yamlfile_line(file, field), message);
}

/* Values of the drive's own file that are marked as assumed. */
static unsigned count_assumed(const char *file)
{
	FILE *f = fopen(file, "r");
	char *line = NULL;
	size_t cap = 0;
	unsigned n = 0;
	while (f && getline(&line, &cap, f) > 0)
		n += strstr(line, "# assumed:") != NULL;
	free(line);
	if (f)
		fclose(f);
	return n;
}

static void describe(const struct ssdmodel_params *p, char *text, size_t bytes)
{
	static const char *const cell[] = {"", "SLC", "MLC", "TLC", "QLC"};
	uint32_t dies = p->nand.channels * p->nand.dies_per_channel;
	char cache[64] = "no pSLC";
	if (p->pslc.dynamic_permille || p->pslc.static_bytes) {
		uint32_t share = p->pslc.dynamic_permille, cap = p->pslc.dynamic_cap_permille;
		double most = (double)p->nand.blocks_per_plane * p->nand.planes * dies * p->nand.page_bytes *
			      (p->nand.pages_per_block / p->nand.bits_per_cell) * (cap && cap < share ? cap : share) /
			      1000;
		if (p->pslc.dynamic_cap_bytes && most > (double)p->pslc.dynamic_cap_bytes)
			most = (double)p->pslc.dynamic_cap_bytes;
		snprintf(cache, sizeof cache, "pSLC up to %.0f GB, then %s",
			(most + (double)p->pslc.static_bytes) / 1e9, profile_policies[p->pslc.exhaustion].str);
	}
	const char *map = p->nand.in_place ? "no map" : p->map.cache_bytes ? "map cached" : "map in DRAM";
	snprintf(text, bytes, "%s, %" PRIu32 " dies on %" PRIu32 " channels, %s, %s",
		p->nand.in_place ? "in-place media" : cell[p->nand.bits_per_cell], dies, p->nand.channels, map,
		p->nand.in_place ? "no erase" : cache);
}

static void fill_info(struct loader *l, const struct file_values *v, struct profile_info *info)
{
	*info = (struct profile_info){0};
	copy(info->name, sizeof info->name, l->params->name);
	copy(info->title, sizeof info->title, v->title);
	copy(info->controller, sizeof info->controller, l->controller_name);
	copy(info->nand, sizeof info->nand, l->nand_name);
	describe(l->params, info->traits, sizeof info->traits);
	info->capacity_bytes = l->params->capacity_bytes;
	info->class_bytes = v->class_gb ? (uint64_t)llround(*v->class_gb * 1e9) : 0;
	info->bits_per_cell = l->params->nand.bits_per_cell;
	if (v->rated) {
		info->rated_read_mbps = v->rated->read_mbps;
		info->rated_write_mbps = v->rated->write_mbps;
		info->rated_read_iops = v->rated->read_iops;
		info->rated_write_iops = v->rated->write_iops;
		info->rated_tbw_bytes = v->rated->tbw_tb * 1e12;
	}
	info->assumed = count_assumed(l->file);
}

static int check_figure(struct loader *l, const char *path, double v)
{
	if (v >= 0 && v < 1e9)
		return 0;
	return err_set(l->err, EXIT_USAGE, "%s:%d: %s: is out of range: give 0 to 10^9, or leave it out", l->file,
		yamlfile_line(l->file, path), path);
}

/* What makers promise; the model does not look at it. */
static int check_promises(struct loader *l, const struct file_values *v)
{
	if (v->class_gb && check_figure(l, "class_gb", *v->class_gb))
		return -1;
	for (size_t i = 0; i < ARRAY_SIZE(rated_fields) && v->rated; i++) {
		char path[32];
		snprintf(path, sizeof path, "rated.%s", rated_fields[i].name);
		if (check_figure(l, path, *(double *)((char *)v->rated + rated_fields[i].offset)))
			return -1;
	}
	return 0;
}

static int load_values(struct loader *l, const struct file_values *v)
{
	if (merge_parent(l, 0, "nand", v->nand_file, "nand_file") ||
		merge_parent(l, 1, "controller", v->controller_file, "controller_file") || merge(l, l->file, v))
		return -1;
	if (!v->title || !v->capacity_bytes)
		return err_set(
			l->err, EXIT_USAGE, "%s:1: lacks the field %s", l->file, v->title ? "capacity_bytes" : "title");
	if (!(*v->capacity_bytes >= SSDMODEL_UNIT && *v->capacity_bytes < 1e14))
		return err_set(l->err, EXIT_USAGE, "%s:%d: capacity_bytes: is out of range", l->file,
			yamlfile_line(l->file, "capacity_bytes"));
	if (check_promises(l, v))
		return -1;
	l->params->capacity_bytes = (uint64_t)*v->capacity_bytes;
	char message[400];
	struct ssdmodel *d;
	if (ssdmodel_create(&d, l->params, message, sizeof message))
		return place_complaint(l, message);
	ssdmodel_destroy(d);
	return 0;
}

int profile_load_file(const char *file, struct ssdmodel_params *params, struct profile_info *info, struct err *err)
{
	struct loader *l = xcalloc(1, sizeof *l);
	make_schema(&l->schema);
	*params = (struct ssdmodel_params){0};
	l->params = params;
	l->err = err;
	l->file = xstrdup(file);
	const char *slash = strrchr(file, '/'), *base = slash ? slash + 1 : file;
	size_t length = strlen(base);
	if (length > 5 && strcmp(base + length - 5, ".yaml") == 0)
		length -= 5;
	snprintf(params->name, sizeof params->name, "%.*s", (int)length, base);
	struct file_values *v = NULL;
	int result = yamlfile_load(file, &l->schema.top, (void **)&v, err);
	if (result == 0)
		result = load_values(l, v);
	if (result == 0 && info)
		fill_info(l, v, info);
	if (v)
		yamlfile_free(&l->schema.top, v);
	for (int i = 0; i < MOST_PARENTS; i++)
		free(l->parent[i]);
	free(l->file);
	free(l);
	return result;
}
