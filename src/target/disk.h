/* SPDX-License-Identifier: MIT */
/* What sysfs knows of a block device: who it is, how large, how it wants its I/O, and what stands on it. Reads only. */
#ifndef TARGET_DISK_H
#define TARGET_DISK_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* A block device: a whole drive or a partition of one. Strings are empty where unknown. */
struct disk {
	dev_t dev;
	char dir[512];	     /* its directory in sysfs */
	char whole_dir[512]; /* that of the drive it is part of; equal to `dir` for a whole drive */
	char name[64];	     /* kernel name: nvme0n1p2 */
	char model[128];     /* of the drive, as the next two */
	char serial[64];
	char firmware[32];
	uint64_t bytes;
	uint64_t start; /* of a partition: its first byte in the whole drive */
	uint32_t logical_block_bytes;
	uint32_t max_transfer_bytes; /* largest request that the block layer sends unsplit; 0 = unknown */
	bool partition, rotational, can_discard;
};

/* Where sysfs is on a running system; tests use a tree of their own. */
#define SYSFS "/sys"

/* Reads what the sysfs mounted at `sysfs` says of device number `dev`. 0, or -1 with *err (no such block device). */
int disk_read(struct disk *, const char *sysfs, dev_t dev, struct err *);

/* Names the entries of a directory below disk->dir ("holders"), or where `below` is NULL the partitions: calls `each`
 * with the full path of every entry. Returns how many there were. */
int disk_each(const char *dir, const char *below, void (*each)(void *arg, const char *path), void *arg);

/* The device number in the attribute `dev` of a sysfs directory; 0 where there is none. */
dev_t disk_number(const char *dir);

/* Bytes written to the device since boot as the block layer counts them (its `stat`, which counts sectors of 512 bytes:
 * Documentation/block/stat.rst of Linux). 0, or -1. */
int disk_bytes_written(const struct disk *, uint64_t *bytes);

/* The drive's composite temperature in °C from its hwmon directory (nvme, drivetemp), milli-degrees in sysfs. 0, or -1
 * where it has none. Asking wakes an NVMe drive that sleeps: the kernel fetches its SMART log. */
int disk_temperature(const struct disk *, double *celsius);

#endif
