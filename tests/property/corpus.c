// SPDX-License-Identifier: MIT
#include "base/mem.h"
#include "curves.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Reads rows of two numbers behind a header line; NULL if the file cannot be opened. */
static struct stretch *read_pairs(const char *folder, const char *name, const char *suffix, size_t *n)
{
	char *path = xasprintf("%s/%s%s", folder, name, suffix), line[256];
	FILE *f = fopen(path, "r");
	free(path);
	if (!f)
		return NULL;
	size_t cap = 0;
	struct stretch *rows = NULL, row;
	*n = 0;
	while (fgets(line, sizeof line, f))
		if (sscanf(line, "%lf,%lf", &row.start_s, &row.end_s) == 2) {
			GROW(rows, *n, cap);
			rows[(*n)++] = row;
		}
	fclose(f);
	return rows;
}

static double number(const json_t *o, const char *key)
{
	const json_t *v = json_object_get(o, key);
	return json_is_number(v) ? json_number_value(v) : NAN;
}

static double element(const json_t *a, size_t i)
{
	return json_number_value(json_array_get(a, i));
}

static int read_curve(const char *folder, const json_t *o, struct labelled *l)
{
	memset(l, 0, sizeof *l);
	snprintf(l->name, sizeof l->name, "%s", json_string_value(json_object_get(o, "id")));
	snprintf(l->family, sizeof l->family, "%s", json_string_value(json_object_get(o, "family")));
	size_t n;
	struct stretch *rows = read_pairs(folder, l->name, ".csv", &n);
	if (!rows)
		return -1;
	double *t = xmalloc(n * sizeof *t), *bytes = xmalloc(n * sizeof *bytes);
	for (size_t i = 0; i < n; i++) {
		t[i] = rows[i].start_s;
		bytes[i] = rows[i].end_s;
	}
	free(rows);
	l->series = (struct series){.n = n, .t = t, .bytes = bytes, .reached_end = true};
	l->series.throttled = read_pairs(folder, l->name, ".throttle", &l->series.nthrottled);
	l->has_cliff = json_is_true(json_object_get(o, "has_cliff"));
	l->capacity_bytes = number(o, "capacity_bytes");
	l->cache_bytes = number(o, "cache_bytes");
	l->cache_tol_bytes = number(o, "cache_tol_bytes");
	l->in_cache_mbps = number(o, "in_cache_MBps");
	l->in_cache_tol = number(o, "in_cache_tol_rel");
	l->average_mbps = number(o, "average_MBps");
	l->speed_tol = number(o, "speed_tol_rel");
	l->gradual = json_is_true(json_object_get(o, "gradual"));
	const json_t *soft = json_object_get(o, "soft_cliff_bytes"), *v;
	l->soft_lo = soft ? element(soft, 0) : NAN;
	l->soft_hi = soft ? element(soft, 1) : NAN;
	if (json_is_integer(json_object_get(o, "n_stages")))
		l->nstages = (int)json_integer_value(json_object_get(o, "n_stages"));
	size_t i;
	json_array_foreach(json_object_get(o, "stages"), i, v)
	{
		if (i == MOST_STAGES)
			return -1;
		l->stages[i].from_bytes = number(v, "from_bytes");
		l->stages[i].to_bytes = number(v, "to_bytes");
		l->stages[i].mbps = number(v, "MBps");
	}
	json_array_foreach(json_object_get(o, "stall_intervals_s"), i, v)
	{
		if (i == MOST_STAGES)
			return -1;
		l->stalls[l->nstalls++] = (struct stretch){element(v, 0), element(v, 1)};
	}
	return 0;
}

struct labelled *corpus_read(const char *folder, size_t *n)
{
	char *path = xasprintf("%s/expected.json", folder);
	json_error_t error;
	json_t *list = json_load_file(path, 0, &error), *o;
	if (!list) {
		fprintf(stderr, "cannot read '%s': %s\n", path, error.text);
		free(path);
		return NULL;
	}
	free(path);
	*n = json_array_size(list);
	struct labelled *all = xcalloc(*n, sizeof *all);
	size_t i;
	json_array_foreach(list, i, o)
	{
		if (read_curve(folder, o, &all[i])) {
			fprintf(stderr, "cannot read curve '%s' of '%s'\n", all[i].name, folder);
			corpus_free(all, i + 1);
			all = NULL;
			break;
		}
	}
	json_decref(list);
	return all;
}

void corpus_free(struct labelled *all, size_t n)
{
	for (size_t i = 0; i < n; i++)
		labelled_free(&all[i]);
	free(all);
}
