// SPDX-License-Identifier: MIT
#include "run/host.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

static void add_first_line(json_t *o, const char *key, const char *path, const char *prefix)
{
	FILE *f = fopen(path, "r");
	char line[256];
	while (f && fgets(line, sizeof line, f)) {
		if (strncmp(line, prefix, strlen(prefix)))
			continue;
		char *value = line + strlen(prefix);
		value += strspn(value, " \t:");
		value[strcspn(value, "\n")] = 0;
		json_object_set_new(o, key, json_string(value));
		break;
	}
	if (f)
		fclose(f);
}

static void add_fact(void *drive, const char *name, const char *value, const char *warning)
{
	json_object_set_new(drive, name, json_string(value));
}

char *host_json(struct target *t)
{
	json_t *o = json_object();
	struct utsname u;
	if (!uname(&u)) {
		json_object_set_new(o, "kernel", json_string(u.release));
		json_object_set_new(o, "machine", json_string(u.machine));
	}
	json_object_set_new(o, "cpus", json_integer(sysconf(_SC_NPROCESSORS_ONLN)));
	add_first_line(o, "cpu", "/proc/cpuinfo", "model name");
	add_first_line(o, "governor", "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "");
	json_t *drive = json_object();
	target_facts(t, add_fact, drive);
	if (json_object_size(drive))
		json_object_set(o, "drive", drive);
	json_decref(drive);
	char *text = json_dumps(o, JSON_SORT_KEYS);
	json_decref(o);
	return text;
}
