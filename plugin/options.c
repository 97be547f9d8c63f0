// SPDX-License-Identifier: MIT
/* The parameters of a served drive, for the plugin and for `ssdscope serve`. */
#include "drive.h"

#include "base/mem.h"
#include "base/units.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* nbdkit goes to the root folder before it serves. */
static int absolute(char **path, const char *value, struct err *e)
{
	char here[4096] = "";
	if (*value != '/' && !getcwd(here, sizeof here))
		return err_set(e, EXIT_FAILED, "cannot find out the current folder: %s; give an absolute path",
			strerror(errno));
	*path = *value == '/' ? xstrdup(value) : xasprintf("%s/%s", here, value);
	return 0;
}

static int time_scale(uint32_t *to, const char *value, struct err *e)
{
	char *rest;
	double scale = strtod(value, &rest);
	if (rest == value || *rest || !(scale >= 0.001 && scale <= 1e6))
		return err_set(e, EXIT_USAGE,
			"'%s' is not a time scale: give a number from 0.001 to 1000000; 10 is ten times slower", value);
	*to = (uint32_t)lround(scale * PACE_UNIT);
	return 0;
}

int drive_option(struct drive_options *o, const char *key, const char *value, struct err *e)
{
	if (!strcmp(key, "model")) {
		o->model = !strncmp(value, "sim:", 4) ? value + 4 : value;
		return 0;
	}
	if (!strcmp(key, "capacity"))
		return units_parse_size(value, 1, &o->capacity, e);
	if (!strcmp(key, "timescale"))
		return time_scale(&o->scale, value, e);
	if (!strcmp(key, "transport")) {
		o->transport = -1;
		if (strcmp(value, "auto") && units_parse_duration(value, &o->transport))
			return err_set(e, EXIT_USAGE,
				"'%s' is not a time: give auto, or a time as in 30us; 0 takes nothing off", value);
		return 0;
	}
	if (!strcmp(key, "backing")) {
		if (strcmp(value, "memory") && strcmp(value, "none"))
			return absolute(&o->backing, value, e);
		o->backing = xstrdup(value);
		return 0;
	}
	if (!strcmp(key, "state"))
		return absolute(&o->state, value, e);
	if (!strcmp(key, "stats"))
		return absolute(&o->stats, value, e);
	return err_set(e, EXIT_USAGE,
		"there is no parameter '%s', only model, capacity, timescale, backing, state, stats, transport", key);
}
