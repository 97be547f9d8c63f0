// SPDX-License-Identifier: MIT
#include "report/charts.h"

void charts_of_test(struct chart_list *list, const struct review *r, const struct review_test *t)
{
	switch (t->kind) {
	case REVIEW_FILL:
		charts_of_fill(list, r, t);
		break;
	default:
		break;
	}
}
