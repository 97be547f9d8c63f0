// SPDX-License-Identifier: MIT
/* What a run is called among others, so that no two read the same in any picture. */
#include "base/mem.h"
#include "report/escape.h"
#include "report/review.h"
#include "report/svg.h"

#include <stdlib.h>
#include <string.h>

/* Every picture has room for a name of this width, with its rank, in bold letters of this size. */
#define NAME_ROOM 280
#define NAME_PX 13.2

const char *review_full_name(const struct review *r)
{
	if (r->full_name)
		return r->full_name;
	/* A run of a version that did not keep it: what is published of a profile is of the same drive. */
	return r->published && !strcmp(r->run->target.kind, "sim") ? r->published->name : review_drive_name(r);
}

static bool has_label(const struct review *r)
{
	return r->run->label && *r->run->label;
}

/* The text as it is seen: harmless characters, single blanks. free() it. */
static char *as_seen(const char *text)
{
	char *clean = clean_text(text), *to = clean;
	for (const char *s = clean; *s; s++)
		if (*s != ' ' || (to > clean && to[-1] != ' '))
			*to++ = *s;
	while (to > clean && to[-1] == ' ')
		to--;
	*to = 0;
	return clean;
}

/* Whether a run of another full name has the same short one. */
static bool short_is_ambiguous(struct review *const *r, size_t n, size_t own)
{
	for (size_t i = 0; i < n; i++)
		if (i != own && !has_label(r[i]) && !strcmp(review_drive_name(r[i]), review_drive_name(r[own])) &&
			strcmp(review_full_name(r[i]), review_full_name(r[own])) != 0)
			return true;
	return false;
}

static char *base_name(struct review *const *r, size_t n, size_t i)
{
	const char *brief = review_drive_name(r[i]), *full = review_full_name(r[i]);
	if (has_label(r[i]))
		return as_seen(r[i]->run->label);
	bool shorter = text_width(brief, NAME_PX) <= text_width(full, NAME_PX);
	return as_seen(shorter && !short_is_ambiguous(r, n, i) ? brief : full);
}

/* `base` cut to the room there is, with the run's number if it is needed. */
static char *name_of(const char *base, const struct review *r, bool numbered)
{
	char *number = numbered ? xasprintf(" (run %lld)", (long long)r->run->id) : xstrdup("");
	char *cut = text_fit(base, NAME_PX, NAME_ROOM - text_width(number, NAME_PX));
	char *name = xasprintf("%s%s", cut, number);
	free(number);
	free(cut);
	return name;
}

void review_name_runs(struct review *const *r, size_t n)
{
	bool *numbered = xcalloc(n + 1, sizeof *numbered);
	char **base = xcalloc(n + 1, sizeof *base);
	for (size_t i = 0; i < n; i++)
		base[i] = base_name(r, n, i);
	/* A name with a number may be another's label: again until nothing changes, at most once for each run. */
	for (bool changed = true; changed;) {
		changed = false;
		for (size_t i = 0; i < n; i++) {
			free(r[i]->name);
			r[i]->name = name_of(base[i], r[i], numbered[i]);
		}
		for (size_t i = 0; i < n; i++)
			for (size_t k = 0; k < n && !numbered[i]; k++)
				if (k != i && !strcmp(r[k]->name, r[i]->name))
					numbered[i] = changed = true;
	}
	for (size_t i = 0; i < n; i++)
		free(base[i]);
	free(base);
	free(numbered);
}
