// SPDX-License-Identifier: MIT
/* Suite files: YAML text to struct plan. libcyaml checks the shape; this file checks what the values mean, and says
 * where in the file a wrong one stands. */
#include "plan/plan.h"

#include "base/datadir.h"
#include "base/mem.h"
#include "base/units.h"
#include "base/yamlfile.h"

#include <dirent.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- The shape, as libcyaml wants it: every size and duration is text here. */

struct yaml_io {
	char *op, *pattern, *block, *span;
	uint32_t *queue_depth;
	unsigned queue_depth_count;
};

struct yaml_limit {
	char *time, *bytes;
};

struct yaml_idle {
	double of_busy;
	char *at_most;
};

struct yaml_burst {
	uint32_t count;
	char *bytes;
	double duty;
};

struct yaml_recovery {
	char *beyond, *fallen, *step;
	char **idle;
	unsigned idle_count;
};

struct yaml_quiet {
	char *settle, *measure;
};

struct yaml_test {
	char *test, *kind, *condition, *explain, *needs, *leaves;
	bool *low_power, *restart;
	struct yaml_io *io;
	struct yaml_limit *limit;
	struct yaml_idle *idle;
	struct yaml_burst *burst;
	struct yaml_recovery *recovery;
	struct yaml_quiet *quiet;
	double *read_shares;
	unsigned read_shares_count;
};

struct yaml_suite {
	char *suite, *title;
	struct yaml_test *tests;
	unsigned tests_count;
};

static const cyaml_schema_value_t uint_entry = {CYAML_VALUE_UINT(CYAML_FLAG_DEFAULT, uint32_t)};
static const cyaml_schema_value_t double_entry = {CYAML_VALUE_FLOAT(CYAML_FLAG_DEFAULT, double)};
static const cyaml_schema_value_t text_entry = {CYAML_VALUE_STRING(CYAML_FLAG_POINTER, char, 0, CYAML_UNLIMITED)};

#define TEXT(key, type) CYAML_FIELD_STRING_PTR(#key, CYAML_FLAG_POINTER, type, key, 0, CYAML_UNLIMITED)
#define OPTIONAL_TEXT(key, type)                                                                                       \
	CYAML_FIELD_STRING_PTR(#key, CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, type, key, 0, CYAML_UNLIMITED)
#define OPTIONAL_MAPPING(key, type, fields)                                                                            \
	CYAML_FIELD_MAPPING_PTR(#key, CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, type, key, fields)

static const cyaml_schema_field_t io_fields[] = {
	TEXT(op, struct yaml_io),
	TEXT(pattern, struct yaml_io),
	TEXT(block, struct yaml_io),
	TEXT(span, struct yaml_io),
	CYAML_FIELD_SEQUENCE(
		"queue_depth", CYAML_FLAG_POINTER, struct yaml_io, queue_depth, &uint_entry, 1, PLAN_MAX_LIST),
	CYAML_FIELD_END,
};
static const cyaml_schema_field_t limit_fields[] = {
	OPTIONAL_TEXT(time, struct yaml_limit),
	OPTIONAL_TEXT(bytes, struct yaml_limit),
	CYAML_FIELD_END,
};
static const cyaml_schema_field_t idle_fields[] = {
	CYAML_FIELD_FLOAT("of_busy", CYAML_FLAG_DEFAULT, struct yaml_idle, of_busy),
	TEXT(at_most, struct yaml_idle),
	CYAML_FIELD_END,
};
static const cyaml_schema_field_t burst_fields[] = {
	CYAML_FIELD_UINT("count", CYAML_FLAG_DEFAULT, struct yaml_burst, count),
	TEXT(bytes, struct yaml_burst),
	CYAML_FIELD_FLOAT("duty", CYAML_FLAG_DEFAULT, struct yaml_burst, duty),
	CYAML_FIELD_END,
};
static const cyaml_schema_field_t recovery_fields[] = {
	TEXT(beyond, struct yaml_recovery),
	TEXT(fallen, struct yaml_recovery),
	TEXT(step, struct yaml_recovery),
	CYAML_FIELD_SEQUENCE("idle", CYAML_FLAG_POINTER, struct yaml_recovery, idle, &text_entry, 1, PLAN_MAX_LIST),
	CYAML_FIELD_END,
};
static const cyaml_schema_field_t quiet_fields[] = {
	TEXT(settle, struct yaml_quiet),
	TEXT(measure, struct yaml_quiet),
	CYAML_FIELD_END,
};
static const cyaml_schema_field_t test_fields[] = {
	TEXT(test, struct yaml_test),
	TEXT(kind, struct yaml_test),
	OPTIONAL_TEXT(condition, struct yaml_test),
	OPTIONAL_TEXT(explain, struct yaml_test),
	OPTIONAL_TEXT(needs, struct yaml_test),
	OPTIONAL_TEXT(leaves, struct yaml_test),
	CYAML_FIELD_BOOL_PTR("low_power", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct yaml_test, low_power),
	CYAML_FIELD_BOOL_PTR("restart", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct yaml_test, restart),
	OPTIONAL_MAPPING(io, struct yaml_test, io_fields),
	OPTIONAL_MAPPING(limit, struct yaml_test, limit_fields),
	OPTIONAL_MAPPING(idle, struct yaml_test, idle_fields),
	OPTIONAL_MAPPING(burst, struct yaml_test, burst_fields),
	OPTIONAL_MAPPING(recovery, struct yaml_test, recovery_fields),
	OPTIONAL_MAPPING(quiet, struct yaml_test, quiet_fields),
	CYAML_FIELD_SEQUENCE("read_shares", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct yaml_test, read_shares,
		&double_entry, 1, PLAN_MAX_LIST),
	CYAML_FIELD_END,
};
static const cyaml_schema_value_t test_value = {CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct yaml_test, test_fields)};
static const cyaml_schema_field_t suite_fields[] = {
	TEXT(suite, struct yaml_suite),
	OPTIONAL_TEXT(title, struct yaml_suite),
	CYAML_FIELD_SEQUENCE("tests", CYAML_FLAG_POINTER, struct yaml_suite, tests, &test_value, 1, 256),
	CYAML_FIELD_END,
};
static const cyaml_schema_value_t suite_schema = {
	CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, struct yaml_suite, suite_fields)};

/* ---- The meaning. */

/* Where a value stands, for messages. */
struct place {
	const char *file;
	size_t test;
	struct err *e;
};

static int bad(const struct place *p, const char *field, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

static int bad(const struct place *p, const char *field, const char *fmt, ...)
{
	char path[128], why[256];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(why, sizeof why, fmt, ap);
	va_end(ap);
	snprintf(path, sizeof path, "tests[%zu].%s", p->test, field);
	return err_set(p->e, EXIT_USAGE, "%s:%d: %s: %s", p->file, yamlfile_line(p->file, path), path, why);
}

static int bytes_of(const struct place *p, const char *field, const char *text, uint64_t min, uint64_t *out)
{
	struct err e;
	return units_parse_size(text, min, out, &e) ? bad(p, field, "%s", e.text) : 0;
}

static int time_of(const struct place *p, const char *field, const char *text, nsec *out)
{
	if (units_parse_duration(text, out) || *out <= 0)
		return bad(p, field, "'%s' is not a duration; write 60s, 500ms or 2min", text);
	return 0;
}

static int state_of(const struct place *p, const char *field, const char *text, struct plan_state *out)
{
	static const struct {
		const char *word;
		enum fill_state state;
		bool sized;
	} words[] = {{"any", STATE_ANY, false}, {"erased", STATE_ERASED, false}, {"full", STATE_FULL, false},
		{"sequential", STATE_SEQUENTIAL, true}, {"fragmented", STATE_FRAGMENTED, true}};
	*out = (struct plan_state){STATE_ANY, 0};
	if (!text)
		return 0;
	size_t n = strcspn(text, " ");
	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		if (strlen(words[i].word) != n || strncmp(words[i].word, text, n))
			continue;
		out->state = words[i].state;
		if (words[i].sized)
			return bytes_of(p, field, text + n + strspn(text + n, " "), 4 * KIB, &out->bytes);
		if (!text[n])
			return 0;
	}
	return bad(
		p, field, "'%s' is not a state; write any, erased, full, 'sequential 16g' or 'fragmented 64g'", text);
}

static int one_of(const struct place *p, const char *field, const char *text, const char *const *words, int n)
{
	char list[128] = "";
	for (int i = 0; i < n; i++) {
		if (!strcmp(text, words[i]))
			return i;
		snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", i ? ", " : "", words[i]);
	}
	return bad(p, field, "'%s' is none of %s", text, list);
}

static int io_of(const struct place *p, const struct yaml_io *y, struct plan_test *t)
{
	static const char *const ops[] = {"read", "write", "mixed"}, *const patterns[] = {"sequential", "random"};
	uint64_t block = 0;
	int op = one_of(p, "io.op", y->op, ops, 3), pattern = one_of(p, "io.pattern", y->pattern, patterns, 2);
	if (op < 0 || pattern < 0 || bytes_of(p, "io.block", y->block, 512, &block))
		return -1;
	if ((op == 2) != (t->kind == KIND_MIXED))
		return bad(p, "io.op", "a %s test cannot be '%s'", test_kind_name(t->kind), y->op);
	if (block % 512 || block > 64 * MIB)
		return bad(p, "io.block", "'%s' is not a multiple of 512 bytes up to 64 MiB", y->block);
	t->io.write = op != 0;
	t->io.random = pattern == 1;
	t->io.block_bytes = (uint32_t)block;
	t->io.span_bytes = PLAN_WHOLE;
	if (strcmp(y->span, "all") && bytes_of(p, "io.span", y->span, block, &t->io.span_bytes))
		return -1;
	if (y->queue_depth_count > 1 && t->kind != KIND_SWEEP)
		return bad(p, "io.queue_depth", "only a sweep takes several; a %s test takes one",
			test_kind_name(t->kind));
	for (unsigned i = 0; i < y->queue_depth_count; i++) {
		if (y->queue_depth[i] < 1 || y->queue_depth[i] > 1024)
			return bad(p, "io.queue_depth", "%u is not a queue depth of 1 to 1024", y->queue_depth[i]);
		t->io.depths[t->io.ndepths++] = y->queue_depth[i];
	}
	return 0;
}

/* Each kind has its own fields; what a kind lacks or does not know is an error, not a default. */
static int fields_fit(const struct place *p, const struct yaml_test *y, enum test_kind kind)
{
	const struct {
		const char *field;
		bool there;
		unsigned needed, allowed; /* bits by kind */
	} rules[] = {
		{"io", y->io, ~(1u << KIND_IDLE), ~(1u << KIND_IDLE)},
		{"limit", y->limit, 1 << KIND_SWEEP | 1 << KIND_MIXED, 1 << KIND_SWEEP | 1 << KIND_MIXED},
		{"idle", y->idle, 0, 1 << KIND_SWEEP | 1 << KIND_MIXED},
		{"restart", y->restart, 0, 1 << KIND_SWEEP | 1 << KIND_MIXED},
		{"burst", y->burst, 1 << KIND_BURST, 1 << KIND_BURST},
		{"recovery", y->recovery, 1 << KIND_RECOVERY, 1 << KIND_RECOVERY},
		{"read_shares", y->read_shares, 1 << KIND_MIXED, 1 << KIND_MIXED},
		{"quiet", y->quiet, 1 << KIND_IDLE, 1 << KIND_IDLE},
	};
	for (size_t i = 0; i < ARRAY_SIZE(rules); i++) {
		if (rules[i].there && !(rules[i].allowed >> kind & 1))
			return bad(p, rules[i].field, "a %s test has no such field", test_kind_name(kind));
		if (!rules[i].there && rules[i].needed >> kind & 1)
			return bad(p, rules[i].field, "missing: a %s test needs it", test_kind_name(kind));
	}
	return 0;
}

static int kind_of(const struct place *p, const struct yaml_test *y, struct plan_test *t)
{
	if (y->limit && y->limit->time && time_of(p, "limit.time", y->limit->time, &t->limit_time))
		return -1;
	if (y->limit && y->limit->bytes &&
		bytes_of(p, "limit.bytes", y->limit->bytes, t->io.block_bytes, &t->limit_bytes))
		return -1;
	if (y->limit && !t->limit_time && !t->limit_bytes)
		return bad(p, "limit", "needs a time, bytes or both: the phase would never end");
	if (y->idle) {
		if (y->idle->of_busy < 0 || y->idle->of_busy > 1000)
			return bad(p, "idle.of_busy", "%g is not between 0 and 1000", y->idle->of_busy);
		t->idle_of_busy = y->idle->of_busy;
		if (time_of(p, "idle.at_most", y->idle->at_most, &t->idle_at_most))
			return -1;
	}
	if (y->burst) {
		t->bursts = y->burst->count;
		t->duty = y->burst->duty;
		if (t->bursts < 1 || t->bursts > 100000)
			return bad(p, "burst.count", "%u is not between 1 and 100000", t->bursts);
		if (!(t->duty >= 0.001 && t->duty <= 1))
			return bad(p, "burst.duty", "%g is not between 0.001 and 1", t->duty);
		if (bytes_of(p, "burst.bytes", y->burst->bytes, t->io.block_bytes, &t->burst_bytes))
			return -1;
		if (t->burst_bytes % t->io.block_bytes)
			return bad(p, "burst.bytes", "'%s' is not a multiple of the block", y->burst->bytes);
		if (t->burst_bytes > t->io.span_bytes)
			return bad(p, "burst.bytes", "'%s' does not fit into the span", y->burst->bytes);
	}
	if (y->recovery) {
		if (bytes_of(p, "recovery.beyond", y->recovery->beyond, t->io.block_bytes, &t->beyond_bytes) ||
			bytes_of(p, "recovery.fallen", y->recovery->fallen, t->io.block_bytes, &t->fallen_bytes) ||
			bytes_of(p, "recovery.step", y->recovery->step, t->io.block_bytes, &t->step_bytes))
			return -1;
		for (unsigned i = 0; i < y->recovery->idle_count; i++)
			if (time_of(p, "recovery.idle", y->recovery->idle[i], &t->idles[t->nidles++]))
				return -1;
	}
	for (unsigned i = 0; i < y->read_shares_count; i++) {
		if (!(y->read_shares[i] >= 0 && y->read_shares[i] <= 1))
			return bad(p, "read_shares", "%g is not between 0 and 1", y->read_shares[i]);
		t->read_shares[t->nshares++] = y->read_shares[i];
	}
	if (y->quiet && (time_of(p, "quiet.settle", y->quiet->settle, &t->settle) ||
				time_of(p, "quiet.measure", y->quiet->measure, &t->measure)))
		return -1;
	return 0;
}

/* A name goes into file names and option values: letters, digits and dashes. */
static int name_of(const struct place *p, const char *field, const char *text, char *out, size_t room)
{
	if (!*text || strlen(text) >= room || text[strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789-")])
		return bad(p, field, "'%s' is not a name of up to %zu of a-z, 0-9 and -", text, room - 1);
	snprintf(out, room, "%s", text);
	return 0;
}

static int test_of(const struct place *p, const struct yaml_test *y, struct plan_test *t)
{
	static const char *const kinds[] = {"fill", "recovery", "burst", "sweep", "mixed", "idle"};
	int kind = one_of(p, "kind", y->kind, kinds, ARRAY_SIZE(kinds));
	if (kind < 0 || name_of(p, "test", y->test, t->name, sizeof t->name))
		return -1;
	if (y->condition && name_of(p, "condition", y->condition, t->condition, sizeof t->condition))
		return -1;
	t->kind = (enum test_kind)kind;
	t->explain = xstrdup(y->explain);
	t->low_power = y->low_power && *y->low_power;
	t->restart = y->restart && *y->restart;
	if (fields_fit(p, y, t->kind) || state_of(p, "needs", y->needs, &t->needs) ||
		state_of(p, "leaves", y->leaves, &t->leaves) || (y->io && io_of(p, y->io, t)))
		return -1;
	return kind_of(p, y, t);
}

static int plan_of(struct plan *plan, const char *file, const struct yaml_suite *y, struct err *e)
{
	plan->title = xstrdup(y->title ? y->title : y->suite);
	snprintf(plan->name, sizeof plan->name, "%s", y->suite);
	plan->tests = xcalloc(y->tests_count, sizeof *plan->tests);
	for (; plan->ntests < y->tests_count; plan->ntests++) {
		struct place p = {file, plan->ntests, e};
		struct plan_test *t = &plan->tests[plan->ntests];
		if (test_of(&p, &y->tests[plan->ntests], t)) {
			plan->ntests++; /* so that it is freed */
			return -1;
		}
		for (size_t i = 0; i < plan->ntests; i++)
			if (!strcmp(plan->tests[i].name, t->name) && !strcmp(plan->tests[i].condition, t->condition))
				return bad(&p, "test", "'%s' is there already, in the same condition", t->name);
	}
	return 0;
}

char **plan_suites(void)
{
	char **names = xcalloc(1, sizeof *names), *folder = datadir_path("suites");
	size_t n = 0;
	DIR *d = folder ? opendir(folder) : NULL;
	for (struct dirent *f; d && (f = readdir(d));) {
		size_t length = strlen(f->d_name);
		if (length <= 5 || strcmp(f->d_name + length - 5, ".yaml"))
			continue;
		names = xrealloc(names, (n + 2) * sizeof *names);
		names[n++] = xasprintf("%.*s", (int)(length - 5), f->d_name);
		names[n] = NULL;
	}
	if (d)
		closedir(d);
	free(folder);
	return names;
}

static int no_such_suite(const char *name, struct err *e)
{
	char list[512] = "", **names = plan_suites();
	for (size_t i = 0; names[i]; i++) {
		snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", i ? ", " : "", names[i]);
		free(names[i]);
	}
	free(names);
	return err_set(e, EXIT_USAGE, "no suite '%s'; there are %s, or give the path of a YAML file", name, list);
}

int plan_load(struct plan **out, const char *name_or_file, struct err *e)
{
	char *file;
	*out = NULL;
	if (strchr(name_or_file, '/') || strstr(name_or_file, ".yaml")) {
		file = xstrdup(name_or_file);
	} else {
		char *relative = xasprintf("suites/%s.yaml", name_or_file);
		file = datadir_path(relative);
		free(relative);
		if (!file)
			return no_such_suite(name_or_file, e);
	}
	void *y = NULL;
	int rc = yamlfile_load(file, &suite_schema, &y, e);
	struct plan *plan = xcalloc(1, sizeof *plan);
	if (!rc) {
		rc = plan_of(plan, file, y, e);
		yamlfile_free(&suite_schema, y);
	}
	free(file);
	if (rc)
		plan_free(plan);
	else
		*out = plan;
	return rc;
}
