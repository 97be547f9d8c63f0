// SPDX-License-Identifier: MIT
/* What tests are called and what they do, for people. */
#include "base/mem.h"
#include "report/html.h"

#include <string.h>

static const struct {
	const char *name, *title, *explain;
} words[] = {
	{"fill", "Filling the whole drive",
		"One thread writes the whole drive once from an erased state, in order, at queue depth 1."},
	{"recovery", "Recovery after a pause",
		"With its cache exhausted the drive rests for a while; then the test writes until the rate falls "
		"again."},
	{"burst-seq-read", "Burst: sequential read",
		"Short sequential reads with long pauses between them, as when a program or a file is opened."},
	{"burst-seq-write", "Burst: sequential write",
		"Short sequential writes with long pauses between them, as when a file is saved."},
	{"burst-rand-read", "Burst: random read",
		"Single 4 KiB reads at random places, one at a time, with pauses: the latency that a desktop feels."},
	{"burst-rand-write", "Burst: random write",
		"Single 4 KiB writes at random places, one at a time, with pauses."},
	{"seq-read", "Sustained sequential read",
		"Long sequential reads at growing queue depth, on data written in order (fresh) and on the same data "
		"after "
		"random writes (fragmented)."},
	{"seq-write", "Sustained sequential write",
		"Long sequential writes at growing queue depth, each followed by idle time in which the drive can "
		"empty its "
		"cache."},
	{"rand-read", "Sustained random read", "4 KiB reads at random places at growing queue depth."},
	{"rand-write", "Sustained random write",
		"4 KiB writes at random places at growing queue depth, with idle time after each."},
	{"mixed-rand", "Mixed random I/O", "4 KiB reads and writes at random places, from all writes to all reads."},
	{"mixed-seq", "Mixed sequential I/O", "Sequential reads and writes together, from all writes to all reads."},
	{"idle", "Idle", "What the drive draws while nothing is asked of it."},
};

char *test_title(const struct test_record *t)
{
	const char *title = t->name;
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (!strcmp(words[i].name, t->name))
			title = words[i].title;
	return *t->condition ? xasprintf("%s, %s", title, t->condition) : xstrdup(title);
}

const char *test_explain(const struct test_record *t)
{
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (!strcmp(words[i].name, t->name))
			return words[i].explain;
	return "";
}
