/* SPDX-License-Identifier: MIT */
/* The model's state in a file, so that a filled or fragmented drive need not be made again. */
#ifndef PLUGIN_STATE_H
#define PLUGIN_STATE_H

#include "base/error.h"
#include "model/ssdmodel.h"

/* Loads the state of a drive with the same parameters from `path` into `model`, which was just created; *now is then
 * the drive's time. A file that does not exist leaves everything as it is, and is made here, empty, so that a place
 * that can't be written is found at once. 0, or -1 and *err (EXIT_USAGE for a file of another drive or version). */
int state_load(struct ssdmodel *model, const char *path, nsec *now, struct err *err);

/* Saves it: to a file beside it first, so that the old one stays whole until the new one is. 0, or -1 and *err. */
int state_save(const struct ssdmodel *model, const char *path, nsec now, struct err *err);

#endif
