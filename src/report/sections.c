// SPDX-License-Identifier: MIT
#include "report/sections.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

static const struct {
	const char *name, *title;
} words[] = {
	{"recovery", "Recovery after a pause"},
	{"burst-seq-read", "Burst sequential read"},
	{"burst-seq-write", "Burst sequential write"},
	{"burst-rand-read", "Burst random read"},
	{"burst-rand-write", "Burst random write"},
	{"seq-read", "Sustained sequential read"},
	{"seq-write", "Sustained sequential write"},
	{"rand-read", "Sustained random read"},
	{"rand-write", "Sustained random write"},
	{"mixed-rand", "Mixed random reads and writes"},
	{"mixed-seq", "Mixed sequential reads and writes"},
	{"idle", "Idle"},
};

/* Whether the whole drive was written is known by how the fill ended. */
static const char *fill_title(const struct test_record *t)
{
	const char *end = t->nphases ? t->phases[0].end_reason : NULL;
	return end && !strcmp(end, "capacity") ? "Filling the whole drive"
	       : end && !strcmp(end, "span")   ? "Filling a part of the drive"
					       : "Filling the drive";
}

const char *test_title(const struct test_record *t)
{
	if (!strcmp(t->name, "fill"))
		return fill_title(t);
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (!strcmp(words[i].name, t->name))
			return words[i].title;
	return t->name;
}

char *test_full_title(const struct test_record *t)
{
	return xasprintf("%s%s%s", test_title(t), *t->condition ? ", " : "", t->condition);
}

static bool is_burst(const struct test_record *t)
{
	return !strcmp(t->kind, "burst");
}

const char *section_key(const struct test_record *t)
{
	return is_burst(t) ? "bursts" : t->name;
}

const char *section_title(const struct test_record *t)
{
	return is_burst(t) ? "Bursts" : test_title(t);
}

size_t sections_of(const struct review *r, struct section **out)
{
	struct section *all = xcalloc(r->ntests + 1, sizeof *all);
	size_t n = 0;
	for (size_t i = 0; i < r->ntests; i++) {
		const struct test_record *t = r->tests[i].record;
		const char *key = section_key(t);
		size_t k = 0;
		while (k < n && (strcmp(all[k].key, key) || all[k].n == SECTION_TESTS))
			k++;
		if (k == n)
			all[n++] = (struct section){.key = key, .title = section_title(t)};
		all[k].tests[all[k].n++] = &r->tests[i];
	}
	*out = all;
	return n;
}
