/* SPDX-License-Identifier: MIT */
/* What the claims' rules share; private to claims*.c. */
#ifndef FACTS_RULES_H
#define FACTS_RULES_H

#include "facts/claims.h"

/* The drives by place in claims.c's list. */
enum drive_place {
	TPU,
	MP700, /* of the fill */
	E12,
	PRO2T,
	PRO512,
	A1000,
	EX920,
	EVO,
	HELLFIRE,
	M9PE,
	RD400,
	WDBLACK,
	XG5,
	OPTANE,
	MX500, /* of the bursts and sweeps */
	NDRIVES,
};
#define FIRST_B E12 /* the thirteen drives of the second review are E12 ... MX500 */
#define NB (NDRIVES - FIRST_B)

/* All figures, by place; NULL for a drive that was not run. */
struct evidence {
	const struct claim_figures *d[NDRIVES];
};

/* A rule writes what it got and says whether that meets the claim. `got` holds GOT bytes. */
#define GOT sizeof(((struct claim_result *)0)->got)
typedef bool claim_rule(const struct evidence *, char *got);

/* Writes what is missing, returns false. */
bool claim_absent(char *got, const char *drive, const char *what);

/* Whether a is above b beyond both intervals. */
bool claim_above(struct estimate a, struct estimate b);
bool is_tlc(enum drive_place);

extern const char *const claim_drive_ids[NDRIVES];
extern const char *const claim_short_names[NDRIVES];

claim_rule rule_a1, rule_a2, rule_a3, rule_a4, rule_a5, rule_a6, rule_a7, rule_a8, rule_a9;
claim_rule rule_b1, rule_b2, rule_b3, rule_b4, rule_b5, rule_b6, rule_b7, rule_b8, rule_b9, rule_b10, rule_b11,
	rule_b12, rule_b13, rule_b14, rule_b15, rule_b16, rule_b17, rule_b18;
claim_rule rule_s1, rule_s2, rule_s3, rule_s4;

#endif
