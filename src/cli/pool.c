// SPDX-License-Identifier: MIT
#include "cli/pool.h"

#include "base/mem.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>

/* What a modelled drive of 2 TB holds at most during a whole review, as measured (random writes break its map up). */
#define BYTES_EACH 2200000000

struct pool {
	void (*work)(void *, size_t);
	void *arg;
	size_t n, next;
	pthread_mutex_t lock;
};

static void *thread(void *arg)
{
	struct pool *p = arg;
	for (;;) {
		pthread_mutex_lock(&p->lock);
		size_t mine = p->next++;
		pthread_mutex_unlock(&p->lock);
		if (mine >= p->n)
			return NULL;
		p->work(p->arg, mine);
	}
}

/* The kernel's estimate of what can be had without swapping; 0 = not known. */
static size_t memory_available(void)
{
	char line[128];
	unsigned long kib = 0;
	FILE *f = fopen("/proc/meminfo", "re");
	while (f && fgets(line, sizeof line, f))
		if (sscanf(line, "MemAvailable: %lu kB", &kib) == 1)
			break;
	if (f)
		fclose(f);
	return (size_t)kib * 1024;
}

static size_t most_threads(void)
{
	cpu_set_t cores;
	size_t memory = memory_available(), most = 1;
	if (!sched_getaffinity(0, sizeof cores, &cores))
		most = (size_t)CPU_COUNT(&cores);
	if (memory && memory / BYTES_EACH < most)
		most = memory / BYTES_EACH;
	return most > 1 ? most : 1;
}

void pool_run(void (*work)(void *, size_t), void *arg, size_t n)
{
	pthread_t threads[64];
	size_t most = most_threads(), started = 0;
	struct pool p = {.work = work, .arg = arg, .n = n, .lock = PTHREAD_MUTEX_INITIALIZER};
	most = most < n ? most : n;
	most = most < ARRAY_SIZE(threads) ? most : ARRAY_SIZE(threads);
	while (started < most && !pthread_create(&threads[started], NULL, thread, &p))
		started++;
	if (!started)
		thread(&p); /* no thread to be had: this one does it all */
	for (size_t i = 0; i < started; i++)
		pthread_join(threads[i], NULL);
}
