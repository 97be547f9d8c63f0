/* SPDX-License-Identifier: MIT */
/* This machine's drives: who each is, how it is attached, how it fares, what is on it, and whether it may be erased. */
#ifndef TARGET_DRIVES_H
#define TARGET_DRIVES_H

#include "target/guard.h"
#include "target/nvme.h"

/* One whole drive. Strings are empty and numbers NAN or 0 where nothing is known. */
struct drive {
	char path[80]; /* /dev/nvme0n1 */
	struct disk disk;
	bool is_nvme;			   /* the next three count */
	struct nvme_controller controller; /* read without a right to it: empty */
	struct nvme_smart smart;
	bool has_smart;
	char link[64];	       /* "PCIe 16.0 GT/s x4", "usb", "ata" ... */
	char link_warning[96]; /* the drive could do more: "the drive can do 16.0 GT/s x4" */
	double temperature_c;
	struct guard_report report;
	bool erasable;	  /* with the right words on the command line */
	char reason[640]; /* why not, or what has to be said: "--destroy=SERIAL" */
};

/* Lists the drives, in the order of their names: everything in /sys/block that has a size and is no RAM disk. Reads
 * only; where this user may not open a drive, its contents are unknown and the reason says so. Returns their number,
 * *out is to be freed; -1 with *err if there is no sysfs. */
int drives_list(struct drive **out, struct err *err);

/* What is worth knowing about a drive that is tested (target.h: target_facts). `nvme` may be NULL. */
void drive_facts(const struct disk *, struct nvme *nvme, target_fact *each, void *arg);

/* How a drive is attached, from the sysfs directory of its block device; `warning` is set where the link is slower than
 * the drive could. Both may come back empty. */
void drive_link(char *link, size_t link_size, char *warning, size_t warning_size, const char *block_dir);

#endif
