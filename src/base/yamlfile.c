// SPDX-License-Identifier: MIT
/* libcyaml loads, but it accepts "3 4" as a number and names the line before an unknown key. So a file is first held
 * against its schema here, on libyaml's document tree, which knows the line of every node. */
#include "base/yamlfile.h"

#include "base/control.h"
#include "base/mem.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

struct context {
	const char *file;
	yaml_document_t doc;
	struct err *err;
};

static unsigned line_of(const yaml_node_t *n)
{
	return (unsigned)n->start_mark.line + 1;
}

static int wrong(struct context *c, const yaml_node_t *n, const char *path, const char *what, const char *detail)
{
	return err_set(c->err, EXIT_USAGE, "%s:%u: %s%s%s%s", c->file, n ? line_of(n) : 1, path, *path ? ": " : "",
		what, detail);
}

/* Opens and parses; 0, or -1 and *err. */
static int parse(struct context *c)
{
	FILE *f = fopen(c->file, "r");
	if (!f)
		return err_set(c->err, exit_code_of_path(errno), "cannot open '%s': %s; give a YAML file", c->file,
			strerror(errno));
	yaml_parser_t parser;
	if (!yaml_parser_initialize(&parser)) {
		fclose(f);
		return err_set(c->err, EXIT_FAILED, "cannot read '%s': out of memory", c->file);
	}
	yaml_parser_set_input_file(&parser, f);
	int ok = yaml_parser_load(&parser, &c->doc), result = 0;
	if (!ok && parser.error == YAML_READER_ERROR && ferror(f))
		result = err_set(c->err, exit_code_of_path(errno), "cannot read '%s': %s; give a YAML file", c->file,
			strerror(errno));
	else if (!ok)
		result = err_set(c->err, EXIT_USAGE, "%s:%zu: not YAML: %s", c->file, parser.problem_mark.line + 1,
			parser.problem ? parser.problem : "unreadable");
	yaml_parser_delete(&parser);
	fclose(f);
	return result;
}

static const char *text_of(const yaml_node_t *n)
{
	return n->type == YAML_SCALAR_NODE ? (const char *)n->data.scalar.value : NULL;
}

static bool is_bool(const char *s)
{
	static const char *const words[] = {"true", "false", "yes", "no", "on", "off"};
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (strcmp(s, words[i]) == 0)
			return true;
	return false;
}

static bool is_number(const char *s, bool whole, bool negative)
{
	char *end;
	errno = 0;
	if (whole && negative)
		strtoll(s, &end, 0);
	else if (whole)
		strtoull(s, &end, 0);
	else
		return strtod(s, &end),
		       end != s && *end == 0 && strspn(s, "+-0123456789.eE") == strlen(s) && errno == 0;
	return end != s && *end == 0 && errno == 0 && *s != ' ' && (negative || *s != '-');
}

/* Titles and explanations are printed: a terminal obeys control characters. Line ends and tabs are text. */
static bool has_control(const char *s)
{
	for (; *s; s++)
		if (*s != '\n' && *s != '\t' && control_at(s))
			return true;
	return false;
}

static int check_value(struct context *c, const yaml_node_t *n, const cyaml_schema_value_t *v, const char *path);

static int unknown_field(
	struct context *c, const yaml_node_t *key, const cyaml_schema_field_t *fields, const char *path)
{
	char words[512] = "";
	for (const cyaml_schema_field_t *f = fields; f->key; f++) {
		size_t used = strlen(words);
		snprintf(words + used, sizeof words - used, "%s%s", used ? ", " : "", f->key);
	}
	return wrong(c, key, path, "there is no such field; there are ", words);
}

static int check_mapping(struct context *c, const yaml_node_t *n, const cyaml_schema_value_t *v, const char *path)
{
	if (n->type != YAML_MAPPING_NODE)
		return wrong(c, n, path, "must hold fields ('name: value')", "");
	const yaml_node_pair_t *first = n->data.mapping.pairs.start, *end = n->data.mapping.pairs.top;
	for (const yaml_node_pair_t *p = first; p < end; p++) {
		const yaml_node_t *key = yaml_document_get_node(&c->doc, p->key);
		const char *name = text_of(key);
		if (!name)
			return wrong(c, key, path, "a field's name must be a word", "");
		const cyaml_schema_field_t *f = v->mapping.fields;
		while (f->key && strcmp(f->key, name) != 0)
			f++;
		char *sub = xasprintf("%s%s%s", path, *path ? "." : "", name);
		int result = f->key ? 0 : unknown_field(c, key, v->mapping.fields, sub);
		for (const yaml_node_pair_t *q = first; result == 0 && q < p; q++)
			if (strcmp(text_of(yaml_document_get_node(&c->doc, q->key)), name) == 0)
				result = wrong(c, key, sub, "is given twice", "");
		if (result == 0)
			result = check_value(c, yaml_document_get_node(&c->doc, p->value), &f->value, sub);
		free(sub);
		if (result)
			return result;
	}
	for (const cyaml_schema_field_t *f = v->mapping.fields; f->key; f++) {
		bool found = f->value.flags & CYAML_FLAG_OPTIONAL;
		for (const yaml_node_pair_t *p = first; !found && p < end; p++)
			found = strcmp(text_of(yaml_document_get_node(&c->doc, p->key)), f->key) == 0;
		if (!found)
			return wrong(c, n, path, "lacks the field ", f->key);
	}
	return 0;
}

static int check_sequence(struct context *c, const yaml_node_t *n, const cyaml_schema_value_t *v, const char *path)
{
	if (n->type != YAML_SEQUENCE_NODE)
		return wrong(c, n, path, "must be a list ('[a, b]')", "");
	size_t count = (size_t)(n->data.sequence.items.top - n->data.sequence.items.start);
	if (count < v->sequence.min || count > v->sequence.max)
		return wrong(c, n, path, count < v->sequence.min ? "has too few entries" : "has too many entries", "");
	for (size_t i = 0; i < count; i++) {
		char *sub = xasprintf("%s[%zu]", path, i);
		int result = check_value(
			c, yaml_document_get_node(&c->doc, n->data.sequence.items.start[i]), v->sequence.entry, sub);
		free(sub);
		if (result)
			return result;
	}
	return 0;
}

static int check_enum(struct context *c, const yaml_node_t *n, const cyaml_schema_value_t *v, const char *path)
{
	char words[512] = "";
	for (uint32_t i = 0; i < v->enumeration.count; i++) {
		if (strcmp(text_of(n), v->enumeration.strings[i].str) == 0)
			return 0;
		size_t used = strlen(words);
		snprintf(words + used, sizeof words - used, "%s%s", i ? ", " : "", v->enumeration.strings[i].str);
	}
	return wrong(c, n, path, "must be one of: ", words);
}

static int check_value(struct context *c, const yaml_node_t *n, const cyaml_schema_value_t *v, const char *path)
{
	if (v->type == CYAML_MAPPING)
		return check_mapping(c, n, v, path);
	if (v->type == CYAML_SEQUENCE || v->type == CYAML_SEQUENCE_FIXED)
		return check_sequence(c, n, v, path);
	const char *s = text_of(n);
	if (!s)
		return wrong(c, n, path, "must be a single value", "");
	switch (v->type) {
	case CYAML_INT: return is_number(s, true, true) ? 0 : wrong(c, n, path, "must be a whole number, is ", s);
	case CYAML_UINT:
		if (!is_number(s, true, false))
			return wrong(c, n, path, "must be a whole number from 0 on, is ", s);
		if (v->data_size < 8 && strtoull(s, NULL, 0) >> (8 * v->data_size))
			return wrong(c, n, path, "is too large: ", s);
		return 0;
	case CYAML_FLOAT: return is_number(s, false, true) ? 0 : wrong(c, n, path, "must be a number, is ", s);
	case CYAML_BOOL: return is_bool(s) ? 0 : wrong(c, n, path, "must be true or false, is ", s);
	case CYAML_ENUM: return check_enum(c, n, v, path);
	default: return has_control(s) ? wrong(c, n, path, "has a control character in it", "") : 0;
	}
}

/* libcyaml's first complaint: about what the check above doesn't know (lengths of strings, ranges of integers). */
static void note(cyaml_log_t level, void *arg, const char *format, va_list args)
{
	char *text = arg;
	if (*text == 0)
		vsnprintf(text, 256, format, args);
	else if (!strstr(text, "(line"))
		vsnprintf(text + strcspn(text, "\n"), 256 - strcspn(text, "\n"), format, args);
}

static const cyaml_config_t silent = {.mem_fn = cyaml_mem, .log_level = CYAML_LOG_ERROR};

int yamlfile_load(const char *file, const cyaml_schema_value_t *schema, void **data, struct err *err)
{
	struct context c = {.file = file, .err = err};
	*data = NULL;
	if (parse(&c))
		return -1;
	const yaml_node_t *root = yaml_document_get_root_node(&c.doc);
	int result = root ? check_value(&c, root, schema, "") : wrong(&c, NULL, "", "the file is empty", "");
	yaml_document_delete(&c.doc);
	if (result)
		return result;
	char text[256] = "";
	cyaml_config_t config = silent;
	config.log_fn = note;
	config.log_ctx = text;
	cyaml_err_t e = cyaml_load_file(file, &config, schema, data, NULL);
	if (e != CYAML_OK) {
		const char *line = strstr(text, "(line: ");
		text[strcspn(text, "\n")] = 0;
		return err_set(err, EXIT_USAGE, "%s:%d: %s", file, line ? atoi(line + 7) : 1,
			*text ? text : cyaml_strerror(e));
	}
	return 0;
}

void yamlfile_free(const cyaml_schema_value_t *schema, void *data)
{
	cyaml_free(&silent, schema, data, 0);
}

/* The child of `n` that the first part of *path names; moves *path behind it. */
static const yaml_node_t *child(yaml_document_t *doc, const yaml_node_t *n, const char **path)
{
	const char *p = *path + (**path == '.');
	if (*p == '[') {
		char *end;
		unsigned long i = strtoul(p + 1, &end, 10);
		if (n->type != YAML_SEQUENCE_NODE || *end != ']' ||
			i >= (size_t)(n->data.sequence.items.top - n->data.sequence.items.start))
			return NULL;
		*path = end + 1;
		return yaml_document_get_node(doc, n->data.sequence.items.start[i]);
	}
	size_t length = strcspn(p, ".[");
	*path = p + length;
	if (n->type != YAML_MAPPING_NODE)
		return NULL;
	for (const yaml_node_pair_t *q = n->data.mapping.pairs.start; q < n->data.mapping.pairs.top; q++) {
		const char *name = text_of(yaml_document_get_node(doc, q->key));
		if (name && strlen(name) == length && strncmp(name, p, length) == 0)
			return yaml_document_get_node(doc, q->value);
	}
	return NULL;
}

int yamlfile_line(const char *file, const char *path)
{
	struct context c = {.file = file};
	if (parse(&c))
		return 0;
	const yaml_node_t *n = yaml_document_get_root_node(&c.doc), *found = n;
	while (n && *path) {
		n = child(&c.doc, n, &path);
		found = n ? n : found;
	}
	int line = found ? (int)line_of(found) : 0;
	yaml_document_delete(&c.doc);
	return line;
}
