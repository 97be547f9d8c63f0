// SPDX-License-Identifier: MIT
#include "cli/preview.h"

#include "base/units.h"
#include "cli/cli.h"
#include "report/escape.h"

#include <stdio.h>
#include <stdlib.h>

void preview_say(const char *spec, const struct plan *p, const struct identity *id)
{
	char t[UNITS_BUF], w[UNITS_BUF], c[UNITS_BUF], tbw[64] = "";
	if (id->rated_tbw_bytes > 0)
		snprintf(tbw, sizeof tbw, ", %.3g %% of its rated endurance",
			100 * (double)p->writes / id->rated_tbw_bytes);
	cli_say("%s (%s): suite %s%s, %zu test%s, about %s%s, writes up to %s%s", spec,
		units_bytes(c, (double)id->capacity_bytes), p->name, p->quick ? " (quick)" : "", p->ntests,
		p->ntests == 1 ? "" : "s", units_duration(t, p->estimate), id->virtual_clock ? " of virtual time" : "",
		units_bytes(w, (double)p->writes), tbw);
}

void preview_print(const struct plan *p)
{
	char t[UNITS_BUF], b[UNITS_BUF];
	for (size_t i = 0; i < p->ntests; i++) {
		const struct plan_test *test = &p->tests[i];
		printf("%-16s %-11s %12s  writes %-9s %s\n", test->name, test->condition,
			units_duration(t, test->estimate), units_bytes(b, (double)test->writes),
			test->cut ? test->cut : "");
	}
}

json_t *preview_json(const char *spec, const struct plan *p, const struct identity *id)
{
	json_t *tests = json_array();
	char *target = clean_text(spec); /* a file's name need not be UTF-8 */
	for (size_t i = 0; i < p->ntests; i++) {
		const struct plan_test *t = &p->tests[i];
		json_array_append_new(
			tests, json_pack("{s:s,s:s*,s:f,s:I,s:s*}", "name", t->name, "condition",
				       *t->condition ? t->condition : NULL, "seconds", nsec_to_s(t->estimate),
				       "writes_bytes", (json_int_t)t->writes, "cut", t->cut));
	}
	json_t *o = json_pack("{s:s,s:I,s:s,s:b,s:f,s:I,s:o}", "target", target, "capacity_bytes",
		(json_int_t)id->capacity_bytes, "suite", p->name, "quick", p->quick, "seconds", nsec_to_s(p->estimate),
		"writes_bytes", (json_int_t)p->writes, "tests", tests);
	free(target);
	return o;
}
