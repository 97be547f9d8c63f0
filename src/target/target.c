// SPDX-License-Identifier: MIT
#include "target/target.h"

#include "target/fault.h"

#include <string.h>

static const volatile sig_atomic_t never;

int target_open(struct target **out, const char *spec, const struct target_options *given, struct err *e)
{
	struct target_options o = *given;
	if (!o.interrupted)
		o.interrupted = &never;
	*out = NULL;
	if (!strncmp(spec, "sim:", 4))
		return target_open_sim(out, spec + 4, &o, e);
	if (!strncmp(spec, "null:", 5))
		return target_open_null(out, spec + 5, &o, e);
	if (!strncmp(spec, "fault:", 6))
		return target_open_fault(out, spec + 6, &o, e);
	if (!*spec)
		return err_set(e, EXIT_USAGE, "an empty target name; give a drive, a file or sim:MODEL");
	return target_open_path(out, spec, &o, e);
}

void target_close(struct target *t)
{
	if (t)
		t->ops->close(t);
}
