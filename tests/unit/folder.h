/* SPDX-License-Identifier: MIT */
/* A fresh folder for the files of a test, and its end. */
#ifndef TESTS_FOLDER_H
#define TESTS_FOLDER_H

#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>

/* Makes a fresh folder. The caller removes it with remove_folder. */
static inline char *make_test_folder(void)
{
	const char *tmp = getenv("TMPDIR");
	char *made = xasprintf("%s/ssdscope-test-XXXXXX", tmp && *tmp ? tmp : "/tmp");
	if (!mkdtemp(made)) {
		perror(made);
		exit(1);
	}
	return made;
}

static inline void remove_folder(char *made)
{
	char *command = xasprintf("rm -rf '%s'", made);
	if (system(command) != 0)
		fprintf(stderr, "cannot remove %s\n", made);
	free(command);
	free(made);
}

#endif
