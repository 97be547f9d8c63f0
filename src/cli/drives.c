// SPDX-License-Identifier: MIT
/* `ssdscope drives`: this machine's drives, and whether each may be erased. */
#include "cli/cli.h"

#include "base/units.h"
#include "target/drives.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static error_t parse(int key, char *arg, struct argp_state *state)
{
	if (key != 'j')
		return ARGP_ERR_UNKNOWN;
	*(bool *)state->input = true;
	return 0;
}

static void print_health(const struct drive *d)
{
	char written[UNITS_BUF];
	const char *between = "";
	printf("    ");
	if (d->link[0])
		printf("%s%s%s%s", d->link, d->link_warning[0] ? " (" : "", d->link_warning,
			d->link_warning[0] ? ")" : ""),
			between = ", ";
	if (isfinite(d->temperature_c))
		printf("%s%.0f °C", between, d->temperature_c), between = ", ";
	if (d->has_smart)
		printf("%s%u %% of its rated life used, %s written", between, d->smart.used_percent,
			units_bytes(written, d->smart.written_bytes)),
			between = ", ";
	printf("%s%u-byte blocks\n", between, d->disk.logical_block_bytes);
}

static void print_drive(const struct drive *d)
{
	char size[UNITS_BUF];
	printf("%s  %s  %s", d->path, units_bytes(size, (double)d->disk.bytes),
		d->disk.model[0] ? d->disk.model : "unknown model");
	if (d->disk.serial[0])
		printf(", serial %s", d->disk.serial);
	if (d->disk.firmware[0])
		printf(", firmware %s", d->disk.firmware);
	putchar('\n');
	print_health(d);
	if (d->report.contents[0])
		printf("    holds %s\n", d->report.contents);
	printf("    %s %s\n", d->erasable ? "may be erased" : "may not be erased:", d->reason);
}

/* A string, or null where there is nothing to say or it is no valid UTF-8. */
static json_t *text(const char *s)
{
	json_t *j = s[0] ? json_string(s) : NULL;
	return j ? j : json_null();
}

static json_t *number(double v)
{
	return isfinite(v) ? json_real(v) : json_null();
}

static json_t *drive_json(const struct drive *d)
{
	json_t *o = json_object();
	json_object_set_new(o, "path", text(d->path));
	json_object_set_new(o, "model", text(d->disk.model));
	json_object_set_new(o, "serial", text(d->disk.serial));
	json_object_set_new(o, "firmware", text(d->disk.firmware));
	json_object_set_new(o, "capacity_bytes", json_integer((json_int_t)d->disk.bytes));
	json_object_set_new(o, "logical_block_bytes", json_integer(d->disk.logical_block_bytes));
	json_object_set_new(o, "max_transfer_bytes",
		d->disk.max_transfer_bytes ? json_integer(d->disk.max_transfer_bytes) : json_null());
	json_object_set_new(o, "rotational", json_boolean(d->disk.rotational));
	json_object_set_new(o, "link", text(d->link));
	json_object_set_new(o, "link_warning", text(d->link_warning));
	json_object_set_new(o, "temperature_c", number(d->temperature_c));
	json_object_set_new(
		o, "warning_c", number(d->is_nvme && d->controller.model[0] ? d->controller.warning_c : NAN));
	json_object_set_new(
		o, "critical_c", number(d->is_nvme && d->controller.model[0] ? d->controller.critical_c : NAN));
	json_object_set_new(o, "used_percent", d->has_smart ? json_integer(d->smart.used_percent) : json_null());
	json_object_set_new(o, "host_bytes_written", number(d->has_smart ? d->smart.written_bytes : NAN));
	json_object_set_new(o, "media_errors", number(d->has_smart ? d->smart.media_errors : NAN));
	json_object_set_new(o, "contents", text(d->report.contents));
	json_object_set_new(o, "in_use", text(d->report.in_use));
	json_object_set_new(o, "erasable", json_boolean(d->erasable));
	json_object_set_new(o, "reason", text(d->reason));
	return o;
}

int verb_drives(int argc, char **argv)
{
	static const struct argp_option options[] = {
		{"json", 'j', NULL, 0, "Print one JSON document on stdout", 0}, {0}};
	const struct argp argp = {.options = options,
		.parser = parse,
		.doc = "Lists this machine's drives: who each is, how it is attached, what is on it, and whether it "
		       "may be erased and "
		       "why not. Reads only; as root it sees more."};
	bool json = false;
	struct drive *drives;
	struct err e = {0};
	int code = cli_parse(&argp, argc, argv, &json, NULL);
	if (code)
		return code;
	int n = drives_list(&drives, &e);
	if (n < 0 && json)
		printf("{\"schema\": 1, \"error\": \"%s\", \"drives\": []}\n", "the drives cannot be listed");
	if (n < 0)
		return cli_fail(&e);
	if (json) {
		json_t *list = json_array();
		for (int i = 0; i < n; i++)
			json_array_append_new(list, drive_json(&drives[i]));
		json_t *doc = json_pack("{s:i,s:o}", "schema", 1, "drives", list);
		json_dumpf(doc, stdout, JSON_INDENT(2));
		putchar('\n');
		json_decref(doc);
	}
	for (int i = 0; i < n && !json; i++)
		print_drive(&drives[i]);
	if (!n && !json)
		fprintf(stderr, "ssdscope: no drives in /sys/block\n");
	free(drives);
	return EXIT_DONE;
}
