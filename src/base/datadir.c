// SPDX-License-Identifier: MIT
#include "base/datadir.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* `folder`/`relative` if it exists, else NULL. */
static char *there(const char *folder, const char *relative)
{
	char *path = xasprintf("%s/%s", folder, relative);
	if (access(path, F_OK) == 0)
		return path;
	free(path);
	return NULL;
}

char *datadir_path(const char *relative)
{
	const char *data = getenv("SSDSCOPE_DATA");
	if (data && *data)
		return there(data, relative);
	char exe[4096], *found = NULL;
	ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
	if (n > 0) {
		static const char *const beside[] = {"../share/ssdscope", ".."};
		exe[n] = 0;
		char *slash = strrchr(exe, '/');
		if (slash)
			*slash = 0;
		for (int i = 0; i < 2 && !found; i++) {
			char *folder = xasprintf("%s/%s", exe, beside[i]);
			found = there(folder, relative);
			free(folder);
		}
	}
	return found ? found : there(SSDSCOPE_SOURCE, relative);
}
