// SPDX-License-Identifier: MIT
#include "target/disk.h"

#include "base/sysfs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define SECTOR 512u /* the unit of sysfs, whatever the device's own block is */

static uint64_t number_or(uint64_t otherwise, const char *dir, const char *attribute)
{
	int64_t v;
	return sysfs_number(&v, "%s/%s", dir, attribute) || v < 0 ? otherwise : (uint64_t)v;
}

/* SCSI and SATA drives: VPD page 80h, unit serial number: 4 bytes of header, then text (SPC-4, 7.8.15). */
static void read_scsi_serial(char *serial, size_t size, const char *dir)
{
	char path[600];
	unsigned char page[4 + 252];
	snprintf(path, sizeof path, "%s/device/vpd_pg80", dir);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	ssize_t n = read(fd, page, sizeof page);
	close(fd);
	if (n <= 4 || page[1] != 0x80)
		return;
	size_t at = 4, end = (size_t)n < 4u + page[3] ? (size_t)n : 4u + page[3];
	while (at < end && page[at] == ' ')
		at++;
	while (end > at && (page[end - 1] == ' ' || !page[end - 1]))
		end--;
	snprintf(serial, size, "%.*s", (int)(end - at), (const char *)page + at);
}

static void read_identity(struct disk *d)
{
	/* nvme, mmc: device/serial; virtio: serial beside the queue */
	if (sysfs_text(d->serial, sizeof d->serial, "%s/device/serial", d->whole_dir) <= 0 &&
		sysfs_text(d->serial, sizeof d->serial, "%s/serial", d->whole_dir) <= 0)
		read_scsi_serial(d->serial, sizeof d->serial, d->whole_dir);
	char vendor[32], model[64];
	if (sysfs_text(model, sizeof model, "%s/device/model", d->whole_dir) <= 0)
		sysfs_text(model, sizeof model, "%s/device/name", d->whole_dir);
	/* "ATA" is the translation layer's word, not a maker; virtio gives a PCI number, which tells nobody anything.
	 */
	if (sysfs_text(vendor, sizeof vendor, "%s/device/vendor", d->whole_dir) > 0 && strcmp(vendor, "ATA") &&
		strncmp(vendor, "0x", 2))
		snprintf(d->model, sizeof d->model, "%s %s", vendor, model);
	else
		snprintf(d->model, sizeof d->model, "%s", model);
	if (sysfs_text(d->firmware, sizeof d->firmware, "%s/device/firmware_rev", d->whole_dir) <= 0)
		sysfs_text(d->firmware, sizeof d->firmware, "%s/device/rev", d->whole_dir);
}

int disk_read(struct disk *d, const char *sysfs, dev_t dev, struct err *err)
{
	*d = (struct disk){.dev = dev};
	char link[512], real[4096];
	snprintf(link, sizeof link, "%s/dev/block/%u:%u", sysfs, major(dev), minor(dev));
	if (!realpath(link, real) || strlen(real) >= sizeof d->dir)
		return err_set(err, EXIT_FAILED, "cannot find block device %u:%u in '%s': %s", major(dev), minor(dev),
			sysfs, strerror(errno));
	snprintf(d->dir, sizeof d->dir, "%s", real);
	snprintf(d->whole_dir, sizeof d->whole_dir, "%s", real);
	snprintf(d->name, sizeof d->name, "%s", strrchr(real, '/') + 1);
	int64_t unused;
	d->partition = sysfs_number(&unused, "%s/partition", d->dir) == 0;
	if (d->partition)
		*strrchr(d->whole_dir, '/') = 0;
	d->bytes = number_or(0, d->dir, "size") * SECTOR;
	d->start = number_or(0, d->dir, "start") * SECTOR;
	d->logical_block_bytes = (uint32_t)number_or(SECTOR, d->whole_dir, "queue/logical_block_size");
	d->max_transfer_bytes = (uint32_t)number_or(0, d->whole_dir, "queue/max_sectors_kb") * 1024;
	d->rotational = number_or(0, d->whole_dir, "queue/rotational");
	d->can_discard = number_or(0, d->whole_dir, "queue/discard_max_bytes");
	read_identity(d);
	return 0;
}

int disk_each(const char *dir, const char *below, void (*each)(void *arg, const char *path), void *arg)
{
	char path[1024];
	snprintf(path, sizeof path, "%s%s%s", dir, below ? "/" : "", below ? below : "");
	DIR *list = opendir(path);
	if (!list)
		return 0;
	int n = 0;
	for (struct dirent *entry; (entry = readdir(list));) {
		char one[sizeof path + sizeof entry->d_name];
		int64_t number;
		snprintf(one, sizeof one, "%s/%s", path, entry->d_name);
		if (entry->d_name[0] == '.' || (!below && sysfs_number(&number, "%s/partition", one)))
			continue;
		each(arg, one);
		n++;
	}
	closedir(list);
	return n;
}

dev_t disk_number(const char *dir)
{
	char text[32];
	unsigned major_number, minor_number;
	if (sysfs_text(text, sizeof text, "%s/dev", dir) <= 0 ||
		sscanf(text, "%u:%u", &major_number, &minor_number) != 2)
		return 0;
	return makedev(major_number, minor_number);
}

int disk_bytes_written(const struct disk *d, uint64_t *bytes)
{
	char text[512];
	uint64_t sectors;
	if (sysfs_text(text, sizeof text, "%s/stat", d->dir) <= 0 ||
		sscanf(text, "%*u %*u %*u %*u %*u %*u %" SCNu64, &sectors) != 1)
		return -1;
	*bytes = sectors * SECTOR;
	return 0;
}

static void read_temperature(void *arg, const char *path)
{
	double *celsius = arg;
	int64_t milli;
	if (strstr(path, "/hwmon") && sysfs_number(&milli, "%s/temp1_input", path) == 0)
		*celsius = (double)milli / 1000;
}

int disk_temperature(const struct disk *d, double *celsius)
{
	/* nvme: device/hwmonN; drivetemp: device/hwmon/hwmonN */
	double t = -1e9;
	disk_each(d->whole_dir, "device/hwmon", read_temperature, &t);
	if (t < -1e6)
		disk_each(d->whole_dir, "device", read_temperature, &t);
	if (t < -1e6)
		return -1;
	*celsius = t;
	return 0;
}
