// SPDX-License-Identifier: MIT
/* The names of profiles. */
#include "profile/profile.h"

#include "base/datadir.h"
#include "base/mem.h"
#include "profile/fields.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct names {
	char **name;
	size_t n, cap;
};

static bool ends_in_yaml(const char *s)
{
	size_t n = strlen(s);
	return n > 5 && strcmp(s + n - 5, ".yaml") == 0;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void free_names(struct names *names)
{
	for (size_t i = 0; i < names->n; i++)
		free(names->name[i]);
	free(names->name);
}

/* The names in the folder of profiles, sorted. */
static int list_names(struct names *names, struct err *err)
{
	*names = (struct names){0};
	char *folder = datadir_path("profiles");
	if (!folder)
		return err_set(err, EXIT_FAILED,
			"cannot find the folder of profiles; set SSDSCOPE_DATA to the folder that holds it");
	DIR *dir = opendir(folder);
	if (!dir) {
		err_set(err, exit_code_of_errno(errno), "cannot open '%s': %s", folder, strerror(errno));
		free(folder);
		return -1;
	}
	for (struct dirent *e; (e = readdir(dir));) {
		if (!ends_in_yaml(e->d_name))
			continue;
		GROW(names->name, names->n, names->cap);
		names->name[names->n] = xstrdup(e->d_name);
		names->name[names->n++][strlen(e->d_name) - 5] = 0;
	}
	closedir(dir);
	free(folder);
	if (names->n)
		qsort(names->name, names->n, sizeof *names->name, by_text);
	return 0;
}

/* How well a name answers to what was typed. */
struct nearness {
	bool part;	 /* what was typed is a part of it: "e12" of "phison-e12-960gb" */
	size_t distance; /* Levenshtein's */
	size_t begins;	 /* the same to that beginning of the name which is nearest: the rest was left out */
	size_t prefix;	 /* characters at the beginning that both have */
};

static struct nearness nearness(const char *typed, const char *name)
{
	struct nearness n = {
		.part = strlen(typed) > 2 && strstr(name, typed), .distance = SIZE_MAX / 3, .begins = SIZE_MAX / 3};
	size_t row[128], m = strlen(name);
	while (typed[n.prefix] && typed[n.prefix] == name[n.prefix])
		n.prefix++;
	if (m >= ARRAY_SIZE(row))
		return n;
	for (size_t j = 0; j <= m; j++)
		row[j] = j;
	for (size_t i = 0; typed[i]; i++) {
		size_t diagonal = row[0];
		row[0] = i + 1;
		for (size_t j = 1; j <= m; j++) {
			size_t change = diagonal + (typed[i] != name[j - 1]),
			       gap = 1 + (row[j] < row[j - 1] ? row[j] : row[j - 1]);
			diagonal = row[j];
			row[j] = change < gap ? change : gap;
		}
	}
	n.distance = row[m];
	for (size_t j = 0; j <= m; j++)
		n.begins = row[j] < n.begins ? row[j] : n.begins;
	return n;
}

static bool is_nearer(const struct nearness *a, const struct nearness *b)
{
	if (a->part != b->part)
		return a->part;
	return a->distance != b->distance ? a->distance < b->distance : a->prefix > b->prefix;
}

/* The name that was meant; NULL if none is near: more than a third of what was typed would be wrong. Among equals the
 * first by the alphabet. */
static const char *nearest_name(const struct names *names, const char *typed)
{
	const char *best = NULL;
	struct nearness least = {0};
	for (size_t i = 0; i < names->n; i++) {
		struct nearness n = nearness(typed, names->name[i]);
		if ((!n.part && 3 * n.begins > strlen(typed)) || !*typed)
			continue;
		if (!best || is_nearer(&n, &least)) {
			best = names->name[i];
			least = n;
		}
	}
	return best;
}

static int unknown_name(const char *name, struct err *err)
{
	struct names names;
	if (list_names(&names, err))
		return -1;
	const char *meant = nearest_name(&names, name);
	char list[800] = "", near[128] = "";
	if (meant)
		snprintf(near, sizeof near, " the nearest name is '%s';", meant);
	for (size_t i = 0; i < names.n; i++) {
		size_t used = strlen(list);
		snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", names.name[i]);
	}
	err_set(err, EXIT_USAGE, "there is no model '%s';%s there are: %s", name, near, list);
	free_names(&names);
	return -1;
}

int profile_load(const char *name, struct ssdmodel_params *params, struct profile_info *info, struct err *err)
{
	if (strchr(name, '/') || ends_in_yaml(name))
		return profile_load_file(name, params, info, err);
	char *relative = xasprintf("profiles/%s.yaml", name), *file = *name ? datadir_path(relative) : NULL;
	free(relative);
	int result = file ? profile_load_file(file, params, info, err) : unknown_name(name, err);
	free(file);
	return result;
}

int profile_list(struct profile_info **list, size_t *n, struct err *err)
{
	struct names names;
	*list = NULL;
	*n = 0;
	if (list_names(&names, err))
		return -1;
	*list = xcalloc(names.n + 1, sizeof **list);
	int result = 0;
	for (; result == 0 && *n < names.n; *n += result == 0) {
		struct ssdmodel_params params;
		result = profile_load(names.name[*n], &params, &(*list)[*n], err);
	}
	free_names(&names);
	if (result) {
		free(*list);
		*list = NULL;
		*n = 0;
	}
	return result;
}
