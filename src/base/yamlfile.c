// SPDX-License-Identifier: MIT
#include "base/yamlfile.h"

#include "base/mem.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

/* What libcyaml says while it fails: the reason first, then where it is, from the inside out. */
struct complaint {
	char reason[256];
	int line;
	char path[256];
};

static void prepend(char *path, size_t room, const char *part)
{
	char old[256];
	snprintf(old, sizeof old, "%s", path);
	snprintf(path, room, "%s%s%s", part, *old && *old != '[' ? "." : "", old);
}

static void listen(cyaml_log_t level, void *ctx, const char *fmt, va_list args)
{
	struct complaint *c = ctx;
	char text[512], name[128];
	unsigned entry;
	int line;
	if (level < CYAML_LOG_ERROR)
		return;
	vsnprintf(text, sizeof text, fmt, args);
	text[strcspn(text, "\n")] = 0;
	const char *in = strstr(text, "  in ");
	if (!in) {
		if (!*c->reason && !strstr(text, "Backtrace"))
			snprintf(c->reason, sizeof c->reason, "%s", strncmp(text, "Load: ", 6) ? text : text + 6);
		return;
	}
	const char *at = strstr(in, "(line: ");
	line = at ? atoi(at + 7) : 0;
	if (!c->line)
		c->line = line;
	if (sscanf(in, "  in mapping field '%127[^']'", name) == 1)
		prepend(c->path, sizeof c->path, name);
	else if (sscanf(in, "  in sequence entry '%u'", &entry) == 1) {
		snprintf(name, sizeof name, "[%u]", entry);
		prepend(c->path, sizeof c->path, name);
	}
}

static cyaml_config_t config_of(struct complaint *c)
{
	return (cyaml_config_t){
		.log_fn = listen,
		.log_ctx = c,
		.log_level = CYAML_LOG_WARNING,
		.mem_fn = cyaml_mem,
		.flags = CYAML_CFG_DEFAULT,
	};
}

int yamlfile_load(const char *file, const cyaml_schema_value_t *schema, void **data, struct err *err)
{
	struct complaint c = {0};
	cyaml_config_t config = config_of(&c);
	FILE *f = fopen(file, "r");
	*data = NULL;
	if (!f)
		return err_set(err, exit_code_of_errno(errno), "cannot read '%s': %s", file, strerror(errno));
	fclose(f);
	cyaml_err_t rc = cyaml_load_file(file, &config, schema, (cyaml_data_t **)data, NULL);
	if (rc == CYAML_OK && *data)
		return 0;
	if (rc == CYAML_OK)
		return err_set(err, EXIT_USAGE, "%s: the file is empty", file);
	const char *reason = *c.reason ? c.reason : cyaml_strerror(rc);
	char first = (char)tolower((unsigned char)reason[0]);
	err_set(err, EXIT_USAGE, "%s:%d: %s%s%c%s", file, c.line, c.path, *c.path ? ": " : "", first, reason + 1);
	return -1;
}

void yamlfile_free(const cyaml_schema_value_t *schema, void *data)
{
	struct complaint c = {0};
	cyaml_config_t config = config_of(&c);
	cyaml_free(&config, schema, data, 0);
}

/* The value of `key` in a mapping, or entry `index` of a sequence; NULL where there is none. */
static yaml_node_t *child(yaml_document_t *d, yaml_node_t *n, const char *key, size_t length, int index)
{
	if (index >= 0) {
		if (n->type != YAML_SEQUENCE_NODE || n->data.sequence.items.start + index >= n->data.sequence.items.top)
			return NULL;
		return yaml_document_get_node(d, n->data.sequence.items.start[index]);
	}
	if (n->type != YAML_MAPPING_NODE)
		return NULL;
	for (yaml_node_pair_t *p = n->data.mapping.pairs.start; p < n->data.mapping.pairs.top; p++) {
		yaml_node_t *k = yaml_document_get_node(d, p->key);
		if (k && k->type == YAML_SCALAR_NODE && k->data.scalar.length == length &&
			!memcmp(k->data.scalar.value, key, length))
			return yaml_document_get_node(d, p->value);
	}
	return NULL;
}

static int find_line(yaml_document_t *d, const char *path)
{
	yaml_node_t *n = yaml_document_get_root_node(d);
	while (n && *path) {
		int index = -1;
		size_t length = strcspn(path, ".[");
		if (*path == '[') {
			index = atoi(path + 1);
			length = strcspn(path, "]") + 1;
		}
		yaml_node_t *next = child(d, n, path, length, index);
		if (!next)
			break;
		n = next;
		path += length;
		path += *path == '.';
	}
	return n ? (int)n->start_mark.line + 1 : 0;
}

int yamlfile_line(const char *file, const char *path)
{
	yaml_parser_t parser;
	yaml_document_t document;
	int line = 0;
	FILE *f = fopen(file, "r");
	if (!f)
		return 0;
	if (yaml_parser_initialize(&parser)) {
		yaml_parser_set_input_file(&parser, f);
		if (yaml_parser_load(&parser, &document)) {
			line = find_line(&document, path);
			yaml_document_delete(&document);
		}
		yaml_parser_delete(&parser);
	}
	fclose(f);
	return line;
}
