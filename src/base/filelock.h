/* SPDX-License-Identifier: MIT */
/* The lock of a file that stands for a drive: of a run that tests it, and of a server that keeps a drive's data in it.
 * They must keep each other out, so there is one way to take it. */
#ifndef BASE_FILELOCK_H
#define BASE_FILELOCK_H

#include <stdbool.h>

/* Locks the open file `fd` (flock, exclusive) until it is closed. Waits up to a second for the lock of one that has
 * just been killed: the kernel lets go of its I/O a moment after it. False: somebody else holds it. A file system that
 * knows no locks is as good as locked. */
bool file_lock(int fd);

#endif
