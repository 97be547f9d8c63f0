/* SPDX-License-Identifier: MIT */
/* The formats, one file each. Every reader turns one source (of fio: several that belong together) into a run that
 * lacks only run_complete; it returns 0, or -1 with *err, and in both cases the caller clears the run. Internal to
 * import/. */
#ifndef IMPORT_FORMATS_H
#define IMPORT_FORMATS_H

#include "import/build.h"

int read_csv(struct source *, const struct import_options *, struct run_record *, struct err *);
int read_elbencho(struct source *, const struct import_options *, struct run_record *, struct err *);
int read_diskspd(struct source *, const struct import_options *, struct run_record *, struct err *);
int read_iostat(struct source *, const struct import_options *, struct run_record *, struct err *);

/* All fio files of one call: logs and JSONs are put together as they belong. Appends its runs to the array, complete.
 */
int read_fio(struct source **, size_t n, const struct import_options *, struct run_record **runs, size_t *nruns,
	struct err *);

#endif
