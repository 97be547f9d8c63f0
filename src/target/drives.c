// SPDX-License-Identifier: MIT
#include "target/drives.h"

#include "base/mem.h"
#include "base/sysfs.h"
#include "target/nvme.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/fs.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* The kernel's names for things that are not drives. */
static bool is_virtual(const char *name)
{
	static const char *const prefixes[] = {"ram", "zram", "dm-", "md", "fd", "sr", "nbd", "mtdblock"};
	for (size_t i = 0; i < ARRAY_SIZE(prefixes); i++)
		if (!strncmp(name, prefixes[i], strlen(prefixes[i])))
			return true;
	return false;
}

void drive_link(char *link, size_t link_size, char *warning, size_t warning_size, const char *block_dir)
{
	char dir[PATH_MAX], path[PATH_MAX], speed[32], width[16], max_speed[32], max_width[16], name[64];
	link[0] = warning[0] = 0;
	snprintf(path, sizeof path, "%s/device", block_dir);
	if (!realpath(path, dir))
		return;
	/* Upwards to the first directory that knows its link: the PCI function of an NVMe drive. A SATA or USB drive's
	 * PCI function is its host adapter's, so those are told by what is on the way. */
	for (char *slash; (slash = strrchr(dir, '/')) && slash != dir; *slash = 0) {
		const char *base = slash + 1;
		if (!strncmp(base, "ata", 3) && strspn(base + 3, "0123456789") == strlen(base + 3)) {
			snprintf(link, link_size, "SATA");
			snprintf(name, sizeof name, "link%s", base + 3);
			if (sysfs_text(speed, sizeof speed, "%s/%s/ata_link/%s/sata_spd", dir, name, name) > 0)
				snprintf(link, link_size, "SATA %s", speed);
			return;
		}
		if (!strncmp(base, "usb", 3)) {
			snprintf(link, link_size, "USB");
			return;
		}
		if (!strncmp(base, "virtio", 6)) {
			snprintf(link, link_size, "virtio");
			return;
		}
		if (sysfs_text(speed, sizeof speed, "%s/current_link_speed", dir) > 0 &&
			sysfs_text(width, sizeof width, "%s/current_link_width", dir) > 0) {
			/* "16.0 GT/s PCIe": the kernel's word order */
			speed[strcspn(speed, "P")] = 0;
			snprintf(link, link_size, "PCIe %sx%s", speed, width);
			if (sysfs_text(max_speed, sizeof max_speed, "%s/max_link_speed", dir) > 0 &&
				sysfs_text(max_width, sizeof max_width, "%s/max_link_width", dir) > 0) {
				max_speed[strcspn(max_speed, "P")] = 0;
				if (strcmp(speed, max_speed) || strcmp(width, max_width))
					snprintf(warning, warning_size, "the drive can do %sx%s", max_speed, max_width);
			}
			return;
		}
	}
}

/* What the guard would say, without claiming the drive for longer than an instant: O_EXCL is the only thing that sees a
 * mount in another container. A mount that happens in that instant fails and works when tried again. */
static void judge(struct drive *d)
{
	int read_only = 0;
	int fd = open(d->path, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		snprintf(d->reason, sizeof d->reason, "cannot be opened: %s%s", strerror(errno),
			errno == EACCES ? "; run as root to see what is on it" : "");
		return;
	}
	guard_look(&d->report, &d->disk, fd);
	if (!d->report.in_use[0]) {
		int claim = open(d->path, O_RDONLY | O_EXCL | O_CLOEXEC);
		if (claim >= 0)
			close(claim);
		else if (errno == EBUSY)
			snprintf(d->report.in_use, sizeof d->report.in_use,
				"in use by another program, another container or the kernel");
	}
	const char *word = d->disk.serial[0] ? d->disk.serial : d->path;
	if (ioctl(fd, BLKROGET, &read_only) || read_only) {
		snprintf(d->reason, sizeof d->reason, "read-only");
	} else if (d->report.in_use[0]) {
		snprintf(d->reason, sizeof d->reason, "%s", d->report.in_use);
	} else {
		d->erasable = true;
		snprintf(d->reason, sizeof d->reason, "with --destroy=%s%s", word,
			d->report.contents[0] ? " --overwrite-filesystem" : "");
	}
	struct nvme n;
	if (nvm_open(&n, fd) == 0) {
		d->is_nvme = true;
		if (nvm_read_controller(&n, &d->controller))
			d->controller = (struct nvme_controller){0};
		d->has_smart = nvm_read_smart(&n, &d->smart) == 0;
		nvm_close(&n);
	}
	close(fd);
}

static int by_name(const void *a, const void *b)
{
	return strverscmp(((const struct drive *)a)->path, ((const struct drive *)b)->path);
}

int drives_list(struct drive **out, struct err *err)
{
	DIR *list = opendir(SYSFS "/block");
	struct drive *drives = NULL;
	int count = 0, room = 0;
	if (!list)
		return err_set(err, EXIT_FAILED, "cannot list '" SYSFS "/block': %s", strerror(errno));
	for (struct dirent *e; (e = readdir(list));) {
		char dir[300];
		snprintf(dir, sizeof dir, SYSFS "/block/%s", e->d_name);
		dev_t dev = e->d_name[0] == '.' || is_virtual(e->d_name) ? 0 : disk_number(dir);
		struct disk disk;
		if (!dev || disk_read(&disk, SYSFS, dev, NULL) || !disk.bytes)
			continue;
		GROW(drives, count, room);
		struct drive *d = &drives[count++];
		*d = (struct drive){.disk = disk, .temperature_c = NAN};
		snprintf(d->path, sizeof d->path, "/dev/%s", disk.name);
		drive_link(d->link, sizeof d->link, d->link_warning, sizeof d->link_warning, dir);
		judge(d);
		if (d->has_smart)
			d->temperature_c = d->smart.temperature_c;
		else if (disk_temperature(&d->disk, &d->temperature_c))
			d->temperature_c = NAN;
	}
	closedir(list);
	if (count)
		qsort(drives, (size_t)count, sizeof *drives, by_name);
	*out = drives;
	return count;
}
