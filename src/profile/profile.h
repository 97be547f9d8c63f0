/* SPDX-License-Identifier: MIT */
/* Profiles: the YAML description of a modelled drive, made into the model's parameters. Every field is documented, with
 * unit, range and source, in docs/model.md. A drive's file names a NAND file (profiles/nand) and a controller file
 * (profiles/controller) and overrides what differs. */
#ifndef PROFILE_PROFILE_H
#define PROFILE_PROFILE_H

#include "base/error.h"
#include "model/ssdmodel.h"

#include <stddef.h>
#include <stdint.h>

/* What people want to know of a modelled drive. Figures that the profile doesn't give are 0, strings empty. */
struct profile_info {
	char name[64];	 /* as in `sim:NAME` */
	char title[128]; /* "Phison E12 reference design 960 GB" */
	char controller[64], nand[64];
	char traits[256]; /* main traits, one line: "TLC, 16 dies, DRAM-less, pSLC up to 617 GB, then direct" */
	uint64_t capacity_bytes;
	uint64_t class_bytes; /* nominal capacity class: 2048e9 for a "2 TB" drive */
	unsigned bits_per_cell;
	double rated_read_mbps, rated_write_mbps; /* sequential, 10^6 bytes/s */
	double rated_read_iops, rated_write_iops;
	double rated_tbw_bytes; /* rated endurance, bytes written */
	unsigned assumed;	/* values of its own file (not of the shared ones) that are marked `# assumed: why` */
};

/* Loads a profile: a file if the text contains '/' or ends in ".yaml", else the name of one in the profile folder. On
 * failure -1 and *err: EXIT_USAGE for an unknown name (it lists those there are, and names the nearest if one is near),
 * for a wrong value
 * ("profiles/x.yaml:12: nand.native.tprog_us: must be above 0"), for a file that can't be read its errno's code.
 * `info` may be NULL. */
int profile_load(const char *name_or_file, struct ssdmodel_params *, struct profile_info *info, struct err *);

/* All profiles of the profile folder, by name; free() the array. -1 if the folder is missing or one of them is wrong.
 */
int profile_list(struct profile_info **, size_t *, struct err *);

#endif
