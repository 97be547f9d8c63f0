// SPDX-License-Identifier: MIT
/* Idle: watts with nothing to do, without and with the drive's own low-power states. */
#include "run/runner.h"

enum verdict run_idle_test(struct runner *x)
{
	const struct plan_test *t = x->test;
	static const struct {
		const char *name;
		bool low_power;
	} parts[] = {{"active", false}, {"low-power", true}};
	enum verdict v = VERDICT_DONE;
	for (int i = 0; i < 2 && v == VERDICT_DONE; i++) {
		if (x->target->ops->low_power(x->target, parts[i].low_power) && parts[i].low_power) {
			runner_warn(x, "no-low-power",
				"this target's low-power states cannot be switched, so only idle as it is was "
				"measured");
			break;
		}
		power_pause(x, parts[i].low_power);
		v = runner_idle(x, t->settle, NULL);
		if (v == VERDICT_DONE)
			v = runner_still(x, parts[i].name, t->measure);
		power_pause(x, false);
	}
	return v;
}
