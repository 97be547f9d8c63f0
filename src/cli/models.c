// SPDX-License-Identifier: MIT
/* `ssdscope models`: the modelled drives. */
#include "cli/cli.h"

#include "base/units.h"
#include "profile/profile.h"

#include <stdio.h>
#include <stdlib.h>

int verb_models(int argc, char **argv)
{
	const struct argp argp = {.doc = "Lists the modelled drives; run one with 'ssdscope run sim:NAME'."};
	struct profile_info *p;
	struct err e = {0};
	size_t n;
	char c[UNITS_BUF];
	int code = cli_parse(&argp, argc, argv, NULL, NULL);
	if (code)
		return code;
	if (profile_list(&p, &n, &e))
		return cli_fail(&e);
	for (size_t i = 0; i < n; i++)
		printf("%-24s %8s  %s\n%34s%s\n", p[i].name, units_bytes(c, (double)p[i].capacity_bytes), p[i].title,
			"", p[i].traits);
	free(p);
	return EXIT_DONE;
}
