// SPDX-License-Identifier: MIT
/* A power log of another instrument (src/meter/csv.c): whatever stands in it, it is read or refused. What was read must
 * have ascending times, and its windows finite figures. */
#include "meter/source.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("log", MFD_CLOEXEC);
	char spec[64];
	struct source *s;
	struct meter_info info = {0};
	struct series series = {0};
	struct err err = {0};
	nsec range = 0;
	bool fixed;
	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	snprintf(spec, sizeof spec, "/proc/self/fd/%d", fd);
	if (source_csv.open(&s, spec, &info, &err)) { /* its first line is looked at */
		if (!err.code)
			abort();
		close(fd);
		return 0;
	}
	if (source_csv.load(s, &series, 0, &range, &fixed, &err) == 0) {
		struct meter_window w;
		for (size_t i = 1; i < series.count; i++)
			if (series.point[i].sample.at <= series.point[i - 1].sample.at)
				abort();
		series_window(&series, series.point[0].sample.at, series.point[series.count - 1].sample.at, &w);
		if (w.verdict == METER_OK && !isfinite(w.watts))
			abort();
	}
	series_free(&series);
	source_csv.close(s);
	close(fd);
	return 0;
}
