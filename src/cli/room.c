// SPDX-License-Identifier: MIT
#include "cli/room.h"

#include "base/units.h"
#include "cli/cli.h"

#include <stdio.h>

static uint64_t larger(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* How much of the file the plan's tests allocate, at least and at most. All of them begin at its start, so the largest
 * reach counts, not the sum. */
static void reach(const struct plan *p, uint64_t capacity, uint64_t *least, uint64_t *most)
{
	*least = *most = 0;
	for (size_t i = 0; i < p->ntests; i++) {
		const struct plan_test *t = &p->tests[i];
		uint64_t needed = t->needs.state == STATE_FULL ? capacity : t->needs.bytes;
		uint64_t span = t->io.write || t->kind == KIND_MIXED ? t->io.span_bytes : 0;
		*least = larger(*least, larger(needed, t->kind == KIND_FILL ? span : 0));
		*most = larger(*most, larger(needed, span < t->writes ? span : t->writes));
	}
}

int room_check(const char *spec, const struct plan *p, const struct identity *id, struct err *e)
{
	uint64_t least, most;
	char l[UNITS_BUF], r[UNITS_BUF], fits[UNITS_BUF];
	if (!id->has_room)
		return 0;
	reach(p, id->capacity_bytes, &least, &most);
	if (most <= id->room_bytes)
		return 0;
	units_bytes(r, (double)id->room_bytes);
	/* Some is left for the file system's own data and for the store, which may be on it. */
	uint64_t mib = id->room_bytes / 100 * 95 / MIB;
	snprintf(fits, sizeof fits, mib > 16384 ? "%lluG" : "%lluM",
		(unsigned long long)(mib > 16384 ? mib / 1024 : mib));
	if (least > id->room_bytes)
		return err_set(e, EXIT_USAGE,
			"cannot write %s to '%s': its file system has room for %s; make some, give --size=%s or less, "
			"or take a file on another",
			units_bytes(l, (double)least), spec, r, fits);
	cli_say("ssdscope: '%s' may become full: the tests write up to %s to it, and its file system has room for %s; "
		"--size=%s would be safe",
		spec, units_bytes(l, (double)most), r, fits);
	return 0;
}
