/* SPDX-License-Identifier: MIT */
/* What a kind of instrument implements; meter.c does the rest (thread, series, pauses). */
#ifndef METER_SOURCE_H
#define METER_SOURCE_H

#include "meter/meter.h"
#include "meter/series.h"

struct source; /* each kind's own */

struct source_ops {
	const char *scheme; /* "hwmon:", "scpi://" ...: how its specifications begin */
	/* `spec` comes without the scheme. Fills *info but for `source`. 0 or -1 with *err. */
	int (*open)(struct source **, const char *spec, struct meter_info *info, struct err *);
	/* Waits for the next reading, at most until `until`. 1 with *sample, 0 if none came, or a negative errno. */
	int (*read)(struct source *, struct meter_sample *sample, nsec until);
	/* Instead of `read`, for logs: everything at once, on the log's clock, as times relative to `started`
	 * (monotonic) unless the log has absolute ones. *range is how far the clock may be off, *fixed whether the user
	 * gave an offset. */
	int (*load)(struct source *, struct series *, nsec started, nsec *range, bool *fixed, struct err *);
	void (*close)(struct source *);
};

extern const struct source_ops source_csv, source_hwmon, source_nvme, source_scpi, source_sigrok;

/* One option of a specification: after `spec`'s first comma, "name=value" pairs. Returns 1 with *name and *value (both
 * within *rest, which is cut up and moved on), 0 at the end, -1 with *err where there is no '='. */
int source_option(char **rest, char **name, char **value, struct err *);

#endif
