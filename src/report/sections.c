// SPDX-License-Identifier: MIT
#include "report/sections.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

static const struct {
	const char *name, *title, *explain;
} words[] = {
	{"fill", "Filling the whole drive",
		"One thread writes the whole drive once from an erased state, in order, at queue depth 1."},
	{"recovery", "Recovery after a pause",
		"With its cache exhausted the drive rests for a while; then the test writes until the rate falls "
		"again."},
	{"burst-seq-read", "Burst sequential read", ""},
	{"burst-seq-write", "Burst sequential write", ""},
	{"burst-rand-read", "Burst random read", ""},
	{"burst-rand-write", "Burst random write", ""},
	{"seq-read", "Sustained sequential read",
		"Long sequential reads at growing queue depth: on data that was written in order (fresh), and on the "
		"same data "
		"after random writes (fragmented)."},
	{"seq-write", "Sustained sequential write",
		"Long sequential writes at growing queue depth, each followed by idle time in which the drive can "
		"empty its cache."},
	{"rand-read", "Sustained random read", "4 KiB reads at random places at growing queue depth."},
	{"rand-write", "Sustained random write",
		"4 KiB writes at random places at growing queue depth, with idle time after each."},
	{"mixed-rand", "Mixed random reads and writes", "4 KiB I/O at random places, from all writes to all reads."},
	{"mixed-seq", "Mixed sequential reads and writes", "Sequential I/O, from all writes to all reads."},
	{"idle", "Idle", "What the drive draws while nothing is asked of it."},
};

const char *test_title(const struct test_record *t)
{
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

const char *section_explain(const struct test_record *t)
{
	if (is_burst(t))
		return "Short stretches of I/O at queue depth 1 with long pauses between them, as when a program is "
		       "started or a file is saved.";
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (!strcmp(words[i].name, t->name))
			return words[i].explain;
	return "";
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
			all[n++] =
				(struct section){.key = key, .title = section_title(t), .explain = section_explain(t)};
		all[k].tests[all[k].n++] = &r->tests[i];
	}
	*out = all;
	return n;
}
