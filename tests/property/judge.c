// SPDX-License-Identifier: MIT
#include "curves.h"

#include <math.h>
#include <stdlib.h>

enum outcome judge(const struct labelled *l, bool found, double bytes)
{
	if (!found)
		return l->has_cliff ? MISSED : RIGHT;
	if (!l->has_cliff)
		return FALSE_CLIFF;
	return fabs(bytes - l->cache_bytes) <= l->cache_tol_bytes ? RIGHT : WRONG_PLACE;
}

void labelled_free(struct labelled *l)
{
	free((void *)l->series.t);
	free((void *)l->series.bytes);
	free((void *)l->series.throttled);
}
