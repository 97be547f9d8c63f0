// SPDX-License-Identifier: MIT
/* hwmon:NAME[/powerN|/N][,period=TIME][,root=DIR]: a sensor chip that the kernel knows: NAME is what its `name` file
 * says (ina226) or its directory (hwmon3). powerN_input in microwatts (power1 unless said otherwise); a chip without
 * it, as the INA3221, gives channel N as voltage inN_input in mV times current currN_input in mA
 * (Documentation/hwmon/sysfs-interface.rst, ina2xx.rst, ina3221.rst of Linux). Read once per update_interval of the
 * chip, at least 2 ms, or per `period`. The chip averages over that interval, but not in step with us: a reading is
 * taken for the moment between the read's begin and end. `root` is where sysfs is (for tests and containers). */
#include "base/mem.h"
#include "base/sysfs.h"
#include "base/units.h"
#include "meter/source.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define FASTEST (2 * NSEC_PER_MSEC)
#define DEFAULT_PERIOD (20 * NSEC_PER_MSEC) /* where the chip does not tell */

struct source {
	char dir[512];
	int channel;
	bool has_power;
	nsec period, next;
};

/* Finds the chip's directory below `root`/class/hwmon. Returns how many fit; the last is in `dir`. */
static int find_chip(char *dir, size_t size, const char *root, const char *name, char *known, size_t known_size)
{
	char path[300], text[64];
	snprintf(path, sizeof path, "%s/class/hwmon", root);
	DIR *list = opendir(path);
	int found = 0;
	known[0] = 0;
	for (struct dirent *e; list && (e = readdir(list));) {
		if (e->d_name[0] == '.' || sysfs_text(text, sizeof text, "%s/%s/name", path, e->d_name) <= 0)
			continue;
		snprintf(known + strlen(known), known_size - strlen(known), " %s", text);
		if (strcmp(text, name) && strcmp(e->d_name, name))
			continue;
		found++;
		snprintf(dir, size, "%s/%s", path, e->d_name);
	}
	if (list)
		closedir(list);
	return found;
}

static int read_watts(const struct source *s, double *watts)
{
	int64_t a, b;
	if (s->has_power) {
		if (sysfs_number(&a, "%s/power%d_input", s->dir, s->channel))
			return -EIO;
		*watts = (double)a / 1e6;
		return 0;
	}
	if (sysfs_number(&a, "%s/in%d_input", s->dir, s->channel) ||
		sysfs_number(&b, "%s/curr%d_input", s->dir, s->channel))
		return -EIO;
	*watts = (double)a * (double)b / 1e6;
	return 0;
}

/* "power2" or "2". */
static int read_channel(struct source *s, const char *text, struct err *err)
{
	const char *digits = strncmp(text, "power", 5) ? text : text + 5;
	char *end;
	long n = strtol(digits, &end, 10);
	if (!isdigit((unsigned char)*digits) || *end || n > 99)
		return err_set(err, EXIT_USAGE, "hwmon: '%s' is not a channel: say power1, or 1", text);
	s->channel = (int)n;
	return 0;
}

static int open_chip(struct source *s, char *text, struct meter_info *info, struct err *err)
{
	char *rest = strchr(text, ','), *option, *value;
	const char *root = "/sys";
	int r;
	if (rest)
		*rest++ = 0;
	while ((r = source_option(&rest, &option, &value, err)) > 0) {
		if (!strcmp(option, "root"))
			root = value;
		else if (strcmp(option, "period"))
			return err_set(err, EXIT_USAGE, "hwmon: no option '%s': there are period and root", option);
		else if (units_parse_duration(value, &s->period) || s->period < FASTEST)
			return err_set(err, EXIT_USAGE, "hwmon: period=%s is not a time of 2 ms or more", value);
	}
	if (r)
		return -1;
	char *slash = strchr(text, '/'), known[256];
	s->channel = 1;
	if (slash) {
		*slash = 0;
		if (read_channel(s, slash + 1, err))
			return -1;
	}
	int found = find_chip(s->dir, sizeof s->dir, root, text, known, sizeof known);
	if (!found)
		return err_set(err, EXIT_USAGE, "hwmon: no sensor '%s' in %s/class/hwmon; there are:%s", text, root,
			known[0] ? known : " none");
	if (found > 1)
		return err_set(err, EXIT_USAGE,
			"hwmon: %d sensors are named '%s'; say which by its directory, as hwmon:hwmon3", found, text);
	double watts;
	int64_t ms;
	s->has_power = true;
	if (read_watts(s, &watts)) {
		s->has_power = false;
		if (read_watts(s, &watts))
			return err_set(err, EXIT_USAGE,
				"hwmon: '%s' has neither power%d_input nor in%d_input and curr%d_input", text,
				s->channel, s->channel, s->channel);
	}
	if (!s->period) {
		s->period = sysfs_number(&ms, "%s/update_interval", s->dir) || ms <= 0 ? DEFAULT_PERIOD
										       : ms * NSEC_PER_MSEC;
		s->period = s->period < FASTEST ? FASTEST : s->period;
	}
	char label[64];
	sysfs_text(label, sizeof label, s->has_power ? "%s/power%d_label" : "%s/in%d_label", s->dir, s->channel);
	snprintf(info->instrument, sizeof info->instrument, "%s channel %d%s%s", text, s->channel, label[0] ? " " : "",
		label);
	info->period = s->period;
	/* The drive's own sensor (nvme) has no power, so no reading of ours wakes the drive. */
	info->clock_error = s->period / 2;
	return 0;
}

static int hwmon_open(struct source **out, const char *spec, struct meter_info *info, struct err *err)
{
	struct source *s = xcalloc(1, sizeof *s);
	char *text = xstrdup(spec);
	int r = open_chip(s, text, info, err);
	free(text);
	if (r)
		free(s);
	else
		*out = s;
	return r;
}

static int hwmon_read(struct source *s, struct meter_sample *sample, nsec until)
{
	nsec now = nsec_now();
	if (!s->next || s->next < now - s->period)
		s->next = now; /* first, or after a pause: no catching up */
	nsec t = s->next < until ? s->next : until;
	struct timespec ts = {.tv_sec = t / NSEC_PER_SEC, .tv_nsec = t % NSEC_PER_SEC};
	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL);
	if (t < s->next)
		return 0;
	s->next += s->period;
	nsec begin = nsec_now();
	int r = read_watts(s, &sample->watts);
	sample->at = begin + (nsec_now() - begin) / 2;
	return r ? r : 1;
}

static void hwmon_close(struct source *s)
{
	free(s);
}

const struct source_ops source_hwmon = {
	.scheme = "hwmon:", .open = hwmon_open, .read = hwmon_read, .close = hwmon_close};
