/* SPDX-License-Identifier: MIT */
/* The model's state in a file, so that a filled or fragmented drive need not be made again. */
#ifndef PLUGIN_STATE_H
#define PLUGIN_STATE_H

#include "base/error.h"
#include "model/ssdmodel.h"

/* Loads the state of a drive with the same parameters from `path` into `model`, which was just created; *now is then
 * the drive's time. A file that does not exist leaves everything as it is, and is made here, empty, so that a place
 * that can't be written is found at once. *lock (also after a failure; -1 = none) is a descriptor that holds the file's
 * lock until it is closed: two servers would overwrite each other's drive. 0, or -1 and *err (EXIT_USAGE for a file of
 * another drive or version, EXIT_REFUSED for one that a server uses). */
int state_load(struct ssdmodel *model, const char *path, nsec *now, int *lock, struct err *err);

/* Saves it: to a file beside it first, so that the old one stays whole until the new one is; *lock passes on to
 * the new one. 0, or -1 and *err. */
int state_save(const struct ssdmodel *model, const char *path, nsec now, int *lock, struct err *err);

#endif
