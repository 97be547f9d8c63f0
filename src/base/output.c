// SPDX-License-Identifier: MIT
#include "base/output.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

static int refuse(const char *path, struct err *err)
{
	return err_set(err, EXIT_REFUSED,
		"cannot write '%s': a block device, and what is on it would be lost; give a file", path);
}

int output_allowed(const char *path, struct err *err)
{
	struct stat st;
	return stat(path, &st) == 0 && S_ISBLK(st.st_mode) ? refuse(path, err) : 0;
}

FILE *output_open(const char *path, const char *mode, struct err *err)
{
	struct stat st;
	if (output_allowed(path, err))
		return NULL;
	FILE *f = fopen(path, mode);
	if (!f) {
		err_set(err, exit_code_of_path(errno), "cannot write '%s': %s; give another file", path,
			strerror(errno));
		return NULL;
	}
	/* The name may lead elsewhere by now. Nothing is written before this: "w" truncates no device. */
	if (fstat(fileno(f), &st) == 0 && S_ISBLK(st.st_mode)) {
		refuse(path, err);
		fclose(f);
		return NULL;
	}
	return f;
}
