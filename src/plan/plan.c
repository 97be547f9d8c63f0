// SPDX-License-Identifier: MIT
#include "plan/plan.h"

#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *test_kind_name(enum test_kind kind)
{
	static const char *const names[] = {"fill", "recovery", "burst", "sweep", "mixed", "idle"};
	return names[kind];
}

static void test_clear(struct plan_test *t)
{
	free(t->explain);
	free(t->cut);
}

void plan_free(struct plan *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->ntests; i++)
		test_clear(&p->tests[i]);
	free(p->tests);
	free(p->title);
	free(p);
}

/* "seq-read" is both of its conditions, "seq-read:fresh" one. */
static bool is_named(const struct plan_test *t, const char *name)
{
	size_t n = strlen(t->name);
	return !strncmp(t->name, name, n) && (!name[n] || (name[n] == ':' && !strcmp(name + n + 1, t->condition)));
}

static bool names_test(const struct plan *p, const char *name)
{
	for (size_t i = 0; i < p->ntests; i++)
		if (is_named(&p->tests[i], name))
			return true;
	return false;
}

int plan_select(struct plan *p, const char *const *names, size_t n, struct err *e)
{
	for (size_t k = 0; k < n; k++) {
		if (names_test(p, names[k]))
			continue;
		char list[512] = "";
		for (size_t i = 0; i < p->ntests; i++) {
			bool listed = false;
			for (size_t j = 0; j < i; j++)
				listed |= !strcmp(p->tests[j].name, p->tests[i].name);
			if (!listed)
				snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", i ? ", " : "",
					p->tests[i].name);
		}
		return err_set(e, EXIT_USAGE, "no test '%s' in suite '%s'; it has %s", names[k], p->name, list);
	}
	size_t kept = 0;
	for (size_t i = 0; i < p->ntests; i++) {
		bool wanted = false;
		for (size_t k = 0; k < n; k++)
			wanted |= is_named(&p->tests[i], names[k]);
		if (wanted)
			p->tests[kept++] = p->tests[i];
		else
			test_clear(&p->tests[i]);
	}
	p->ntests = kept;
	return 0;
}

void plan_set_depth(struct plan *p, uint32_t depth)
{
	for (size_t i = 0; i < p->ntests; i++) {
		p->tests[i].io.depths[0] = depth;
		p->tests[i].io.ndepths = p->tests[i].io.ndepths ? 1 : 0;
	}
}

bool plan_writes(const struct plan *p)
{
	for (size_t i = 0; i < p->ntests; i++)
		if (p->tests[i].io.write || p->tests[i].needs.state != STATE_ANY)
			return true;
	return false;
}

struct plan_state plan_state_after(const struct plan_test *t, struct plan_state before)
{
	return t->leaves.state != STATE_ANY || t->io.write ? t->leaves : before;
}

uint32_t plan_max_depth(const struct plan *p)
{
	uint32_t max = 1;
	for (size_t i = 0; i < p->ntests; i++)
		for (size_t k = 0; k < p->tests[i].io.ndepths; k++)
			max = p->tests[i].io.depths[k] > max ? p->tests[i].io.depths[k] : max;
	return max;
}

uint32_t plan_max_block(const struct plan *p)
{
	uint32_t max = 0;
	for (size_t i = 0; i < p->ntests; i++)
		max = p->tests[i].io.block_bytes > max ? p->tests[i].io.block_bytes : max;
	return max;
}
