// SPDX-License-Identifier: MIT
#include "base/sysfs.h"
#include "base/units.h"
#include "target/drives.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct listener {
	target_fact *each;
	void *arg;
};

static void __attribute__((format(printf, 4, 5)))
tell(const struct listener *l, const char *name, const char *warning, const char *fmt, ...)
{
	char value[256];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(value, sizeof value, fmt, ap);
	va_end(ap);
	l->each(l->arg, name, value, warning);
}

/* The choice in brackets: "none [mq-deadline] kyber". Cuts `text`. */
static const char *chosen(char *text)
{
	char *open = strchr(text, '['), *close = open ? strchr(open, ']') : NULL;
	if (!close)
		return text;
	*close = 0;
	return open + 1;
}

/* How the block layer treats the drive. */
static void tell_of_queue(const struct listener *l, const struct disk *d)
{
	char text[128], size[UNITS_BUF];
	if (sysfs_text(text, sizeof text, "%s/queue/scheduler", d->whole_dir) > 0) {
		const char *name = chosen(text);
		tell(l, "scheduler",
			strcmp(name, "none")
				? "an I/O scheduler costs time and may change the order of requests; echo none into "
				  "the drive's queue/scheduler"
				: NULL,
			"%s", name);
	}
	if (d->max_transfer_bytes)
		tell(l, "largest request", NULL, "%s", units_block(size, d->max_transfer_bytes));
	if (sysfs_text(text, sizeof text, "%s/queue/write_cache", d->whole_dir) > 0)
		tell(l, "write cache", NULL, "%s", text);
	if (sysfs_text(text, sizeof text, SYSFS "/module/pcie_aspm/parameters/policy") > 0)
		tell(l, "PCIe power management", NULL, "%s", chosen(text));
}

static void tell_of_health(const struct listener *l, const struct nvme_smart *s)
{
	char size[UNITS_BUF];
	tell(l, "rated life used", s->used_percent >= 100 ? "the drive is past its rated endurance" : NULL, "%u %%",
		s->used_percent);
	tell(l, "written by hosts so far", NULL, "%s", units_bytes(size, s->written_bytes));
	tell(l, "powered on", NULL, "%.0f h", s->power_on_hours);
	if (s->media_errors > 0)
		tell(l, "media errors", "the drive has had errors that it could not correct", "%.0f", s->media_errors);
	if (s->warnings)
		tell(l, "critical warning", "the drive itself warns: see 'nvme smart-log'", "0x%02x", s->warnings);
	if (s->throttle_light_count || s->throttle_heavy_count)
		tell(l, "throttled so far", NULL, "%u times lightly, %u times heavily", s->throttle_light_count,
			s->throttle_heavy_count);
}

static void tell_of_nvme(const struct listener *l, struct nvme *n)
{
	struct nvme_controller c;
	struct nvme_namespace ns;
	struct nvme_smart s;
	char size[UNITS_BUF];
	if (nvm_read_controller(n, &c) == 0) {
		tell(l, "NVMe version", NULL, "%u.%u", c.version >> 16, c.version >> 8 & 0xff);
		if (c.max_transfer_bytes)
			tell(l, "largest command", NULL, "%s", units_block(size, c.max_transfer_bytes));
		if (isfinite(c.warning_c) && isfinite(c.critical_c))
			tell(l, "temperature limits", NULL, "warning %.0f °C, critical %.0f °C", c.warning_c,
				c.critical_c);
		if (isfinite(c.power[0].max_watts))
			tell(l, "rated power", NULL, "%.1f W at most, %u power states", c.power[0].max_watts,
				c.power_states);
	}
	if (nvm_read_namespace(n, &ns) == 0 && ns.block_bytes) {
		unsigned best = ns.format;
		for (unsigned i = 0; i < ns.formats; i++)
			if (ns.choice[i].block_bytes && !ns.choice[i].metadata_bytes &&
				ns.choice[i].relative_performance < ns.choice[best].relative_performance)
				best = i;
		tell(l, "LBA format",
			best != ns.format ? "the drive calls another LBA format faster; 'nvme format --lbaf' changes it"
					  : NULL,
			"%u bytes%s, one of %u", ns.block_bytes, ns.metadata_bytes ? " and metadata" : "", ns.formats);
	}
	if (nvm_read_smart(n, &s) == 0)
		tell_of_health(l, &s);
}

void drive_facts(const struct disk *d, struct nvme *nvme, target_fact *each, void *arg)
{
	struct listener l = {each, arg};
	char link[64], slower[96], warning[200];
	drive_link(link, sizeof link, slower, sizeof slower, d->whole_dir);
	snprintf(warning, sizeof warning, "%s: the link holds it back; try another slot", slower);
	if (link[0])
		tell(&l, "link", slower[0] ? warning : NULL, "%s", link);
	tell_of_queue(&l, d);
	if (nvme)
		tell_of_nvme(&l, nvme);
}
