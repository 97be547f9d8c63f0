/* SPDX-License-Identifier: MIT */
/* Shows what runs are doing, on stderr: a live line on a terminal, a plain line every 10 s elsewhere. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include "run/progress.h"

#include <stddef.h>

struct progress_view;

/* Starts the thread. `boards[i]` belongs to the target `names[i]`; both stay the caller's. `quiet` shows nothing. */
struct progress_view *progress_view_start(
	struct progress_board *const *boards, const char *const *names, size_t n, bool quiet);
/* Ends the thread and clears the live line. */
void progress_view_stop(struct progress_view *);

#endif
