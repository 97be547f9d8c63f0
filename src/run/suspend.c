// SPDX-License-Identifier: MIT
#include "run/suspend.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>

/* More within one phase are not told apart. */
#define KEPT 64

static struct suspension kept[KEPT];
static atomic_size_t count;

static void on_stop(int sig)
{
	int before = errno;
	struct suspension s = {.from = nsec_now()};
	raise(SIGSTOP); /* comes back when the program goes on */
	s.to = nsec_now();
	size_t n = atomic_load(&count);
	kept[n % KEPT] = s;
	atomic_store(&count, n + 1);
	errno = before;
}

void suspend_watch(void)
{
	struct sigaction now, ours = {.sa_handler = on_stop, .sa_flags = SA_RESTART};
	if (!sigaction(SIGTSTP, NULL, &now) && now.sa_handler != SIG_IGN)
		sigaction(SIGTSTP, &ours, NULL);
}

size_t suspend_count(void)
{
	return atomic_load(&count);
}

struct suspension suspend_get(size_t i)
{
	return i < suspend_count() && i + KEPT >= suspend_count() ? kept[i % KEPT] : (struct suspension){0};
}
