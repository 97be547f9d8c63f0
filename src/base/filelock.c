// SPDX-License-Identifier: MIT
#include "base/filelock.h"

#include "base/nsec.h"

#include <errno.h>
#include <sys/file.h>
#include <time.h>

bool file_lock(int fd)
{
	for (int i = 0; i < 10; i++) {
		if (!flock(fd, LOCK_EX | LOCK_NB) || errno != EWOULDBLOCK)
			return true;
		nanosleep(&(struct timespec){.tv_nsec = 100 * NSEC_PER_MSEC}, NULL);
	}
	return false;
}
