// SPDX-License-Identifier: MIT
#include "cli/pool.h"

#include "base/mem.h"

#include <pthread.h>
#include <unistd.h>

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

void pool_run(void (*work)(void *, size_t), void *arg, size_t n)
{
	long cores = sysconf(_SC_NPROCESSORS_ONLN);
	pthread_t threads[64];
	size_t most = cores > 1 ? (size_t)cores : 1, started = 0;
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
