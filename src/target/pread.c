// SPDX-License-Identifier: MIT
/* Threads with pread and pwrite. A thread is made when more I/Os are in flight than there are threads, so a test at
 * QD32 has 32. A lone I/O (QD1) is done by the calling thread itself: handing it over would cost two wake-ups per I/O,
 * and neither way could a signal end it before the drive answers. */
#include "base/mem.h"
#include "target/engine.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

/* A first-in first-out list of at most max_qd slots. */
struct fifo {
	unsigned *slot, head, count, size;
};

struct pread_engine {
	struct engine engine;
	struct fifo queued; /* submitted since the last reap; the caller's own */
	pthread_t *thread;
	unsigned thread_count;
	unsigned in_flight; /* handed to the threads and not yet reaped; the caller's own */

	pthread_mutex_t lock; /* the rest */
	pthread_cond_t work, ready_cond;
	struct fifo todo, ready;
	bool stop;
};

static void fifo_init(struct fifo *f, unsigned size)
{
	*f = (struct fifo){.slot = xcalloc(size, sizeof *f->slot), .size = size};
}

static void fifo_push(struct fifo *f, unsigned i)
{
	f->slot[(f->head + f->count++) % f->size] = i;
}

static unsigned fifo_pop(struct fifo *f)
{
	unsigned i = f->slot[f->head];
	f->head = (f->head + 1) % f->size;
	f->count--;
	return i;
}

static void perform(struct engine *e, unsigned i)
{
	struct slot *s = &e->slot[i];
	ssize_t n;
	s->start = nsec_now();
	do {
		uint8_t *memory = engine_memory(e, i) + s->bytes;
		size_t bytes = s->io.bytes - s->bytes;
		off_t offset = (off_t)(s->io.offset + s->bytes);
		n = s->io.op == IO_WRITE ? pwrite(e->setup.fd, memory, bytes, offset)
					 : pread(e->setup.fd, memory, bytes, offset);
	} while (!engine_book(e, i, n < 0 ? -errno : n));
	s->end = nsec_now();
}

static void *work(void *arg)
{
	struct pread_engine *p = arg;
	pthread_mutex_lock(&p->lock);
	while (!p->stop) {
		if (!p->todo.count) {
			pthread_cond_wait(&p->work, &p->lock);
			continue;
		}
		unsigned i = fifo_pop(&p->todo);
		pthread_mutex_unlock(&p->lock);
		perform(&p->engine, i);
		pthread_mutex_lock(&p->lock);
		fifo_push(&p->ready, i);
		pthread_cond_signal(&p->ready_cond);
	}
	pthread_mutex_unlock(&p->lock);
	return NULL;
}

/* One more thread, deaf to signals: they belong to the caller. */
static int add_thread(struct pread_engine *p)
{
	sigset_t all, old;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	int r = pthread_create(&p->thread[p->thread_count], NULL, work, p);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	p->thread_count += r == 0;
	return -r;
}

static int pread_submit(struct engine *e, const struct io *io)
{
	int i = engine_take(e, io);
	if (i < 0)
		return i;
	fifo_push(&((struct pread_engine *)e)->queued, (unsigned)i);
	return 0;
}

/* Gives what was submitted to the threads. A negative errno if there is none at all to give it to. */
static int hand_over(struct pread_engine *p)
{
	p->in_flight += p->queued.count;
	while (p->thread_count < p->in_flight) {
		int r = add_thread(p);
		if (r && !p->thread_count)
			return r;
		if (r)
			break;
	}
	pthread_mutex_lock(&p->lock);
	while (p->queued.count) {
		fifo_push(&p->todo, fifo_pop(&p->queued));
		pthread_cond_signal(&p->work);
	}
	pthread_mutex_unlock(&p->lock);
	return 0;
}

static int pread_reap(struct engine *e, struct io_done *done, int max, nsec until)
{
	struct pread_engine *p = (struct pread_engine *)e;
	if (!p->in_flight && p->queued.count == 1) {
		unsigned i = fifo_pop(&p->queued);
		perform(e, i);
		engine_finish(e, i, done);
		return 1;
	}
	if (p->queued.count) {
		int r = hand_over(p);
		if (r)
			return r;
	}
	int n = 0;
	unsigned finished[64];
	pthread_mutex_lock(&p->lock);
	for (nsec now; !p->ready.count && !*e->setup.interrupted && (now = nsec_now()) < until;) {
		nsec to = until - now < ENGINE_SLICE ? until : now + ENGINE_SLICE;
		struct timespec ts = {.tv_sec = to / NSEC_PER_SEC, .tv_nsec = to % NSEC_PER_SEC};
		pthread_cond_timedwait(&p->ready_cond, &p->lock, &ts);
	}
	while (p->ready.count && n < max && n < (int)ARRAY_SIZE(finished))
		finished[n++] = fifo_pop(&p->ready);
	pthread_mutex_unlock(&p->lock);
	for (int k = 0; k < n; k++)
		engine_finish(e, finished[k], &done[k]);
	p->in_flight -= (unsigned)n;
	return n;
}

static void pread_close(struct engine *e)
{
	struct pread_engine *p = (struct pread_engine *)e;
	pthread_mutex_lock(&p->lock);
	p->stop = true;
	pthread_cond_broadcast(&p->work);
	pthread_mutex_unlock(&p->lock);
	for (unsigned i = 0; i < p->thread_count; i++)
		pthread_join(p->thread[i], NULL);
	pthread_cond_destroy(&p->work);
	pthread_cond_destroy(&p->ready_cond);
	pthread_mutex_destroy(&p->lock);
	free(p->queued.slot);
	free(p->todo.slot);
	free(p->ready.slot);
	free(p->thread);
	engine_fini(e);
	free(p);
}

static const struct engine_ops pread_ops = {.submit = pread_submit, .reap = pread_reap, .close = pread_close};

int engine_open_pread(struct engine **out, const struct engine_setup *setup)
{
	struct pread_engine *p = xcalloc(1, sizeof *p);
	engine_init(&p->engine, setup);
	p->engine.ops = &pread_ops;
	p->engine.name = "pread";
	p->thread = xcalloc(setup->max_qd, sizeof *p->thread);
	fifo_init(&p->queued, setup->max_qd);
	fifo_init(&p->todo, setup->max_qd);
	fifo_init(&p->ready, setup->max_qd);
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->work, NULL);
	pthread_condattr_t attr;
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&p->ready_cond, &attr);
	pthread_condattr_destroy(&attr);
	*out = &p->engine;
	return 0;
}
