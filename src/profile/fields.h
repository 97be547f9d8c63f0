/* SPDX-License-Identifier: MIT */
/* The fields of a profile: one table from which both the YAML schema and the model's parameters are made. */
#ifndef PROFILE_FIELDS_H
#define PROFILE_FIELDS_H

#include "model/ssdmodel.h"

#include <cyaml/cyaml.h>

enum field_kind {
	FIELD_U32,
	FIELD_I32,
	FIELD_U64,
	FIELD_NSEC,
	FIELD_BOOL,
	FIELD_POLICY, /* enum ssdmodel_exhaustion */
};

/* The sections of a profile, in the order of their tables. `nand.slc` and `nand.native` are sections within one. */
enum section {
	SECTION_LINK,
	SECTION_HOST,
	SECTION_CONTROLLER,
	SECTION_NAND,
	SECTION_SLC,
	SECTION_NATIVE,
	SECTION_MAP,
	SECTION_PSLC,
	SECTION_BACKGROUND,
	SECTION_POWER,
	SECTION_HEAT,
	SECTIONS,
};

#define SECTION_FIELDS 20 /* most fields of one section */

struct field {
	const char *name;
	enum field_kind kind;
	size_t offset; /* in struct ssdmodel_params */
	double scale;  /* from the YAML's unit to the model's */
};

struct section_fields {
	const char *name; /* as errors spell it: "nand.slc" */
	struct field field[SECTION_FIELDS];
};

struct profile_info;
struct err;

/* load.c: as profile_load(), of a file. */
int profile_load_file(const char *file, struct ssdmodel_params *, struct profile_info *, struct err *);

extern const struct section_fields profile_sections[SECTIONS];
extern const cyaml_strval_t profile_policies[3];

#endif
