// SPDX-License-Identifier: MIT
/* `ssdscope models`: the modelled drives. */
#include "cli/cli.h"

#include "base/units.h"
#include "cli/present.h"
#include "profile/profile.h"

#include <stdio.h>
#include <stdlib.h>

static error_t parse(int key, char *arg, struct argp_state *state)
{
	if (key != 'j')
		return ARGP_ERR_UNKNOWN;
	*(bool *)state->input = true;
	return 0;
}

/* What the profile does not give is null. */
static json_t *text(const char *s)
{
	return *s ? json_string(s) : json_null();
}

static json_t *number(double v)
{
	return v > 0 ? json_real(v) : json_null();
}

static json_t *whole(uint64_t v)
{
	return v ? json_integer((json_int_t)v) : json_null();
}

static json_t *model_json(const struct profile_info *p)
{
	return json_pack("{s:s,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o}", "name", p->name, "title",
		text(p->title), "traits", text(p->traits), "controller", text(p->controller), "nand", text(p->nand),
		"capacity_bytes", whole(p->capacity_bytes), "class_bytes", whole(p->class_bytes), "bits_per_cell",
		whole(p->bits_per_cell), "rated_read_mbps", number(p->rated_read_mbps), "rated_write_mbps",
		number(p->rated_write_mbps), "rated_read_iops", number(p->rated_read_iops), "rated_write_iops",
		number(p->rated_write_iops), "rated_tbw_bytes", number(p->rated_tbw_bytes));
}

int verb_models(int argc, char **argv)
{
	static const struct argp_option options[] = {{"json", 'j', NULL, 0, "Print one JSON document", 0}, {0}};
	const struct argp argp = {.options = options,
		.parser = parse,
		.doc = "Lists the modelled drives; run one with 'ssdscope run sim:NAME'."};
	bool json = false;
	struct profile_info *p;
	struct err e = {0};
	size_t n;
	char c[UNITS_BUF];
	int code = cli_parse(&argp, argc, argv, &json, NULL);
	if (code)
		return code;
	if (profile_list(&p, &n, &e)) {
		if (json)
			present_json_error(&e);
		return cli_fail(&e);
	}
	json_t *list = json_array();
	for (size_t i = 0; i < n; i++)
		if (json)
			json_array_append_new(list, model_json(&p[i]));
		else
			printf("%-24s %8s  %s\n%34s%s\n", p[i].name, units_bytes(c, (double)p[i].capacity_bytes),
				p[i].title, "", p[i].traits);
	if (json)
		present_json_value(json_pack("{s:i,s:O}", "schema", 1, "models", list));
	json_decref(list);
	free(p);
	return EXIT_DONE;
}
