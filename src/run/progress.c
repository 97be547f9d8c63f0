// SPDX-License-Identifier: MIT
#include "run/progress.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void progress_init(struct progress_board *b)
{
	memset(b, 0, sizeof *b);
	pthread_mutex_init(&b->lock, NULL);
	b->p.rate = b->p.temperature_c = NAN;
	b->p.per_step = 1;
}

void progress_activity(struct progress_board *b, const char *activity, uint64_t total_bytes)
{
	pthread_mutex_lock(&b->lock);
	snprintf(b->p.activity, sizeof b->p.activity, "%s", activity);
	b->p.stage[0] = 0;
	b->p.bytes = 0;
	b->p.total_bytes = total_bytes;
	b->p.rate = NAN;
	b->p.ncurve = b->p.in_step = 0;
	b->p.per_step = 1;
	pthread_mutex_unlock(&b->lock);
}

void progress_stage(struct progress_board *b, const char *stage)
{
	pthread_mutex_lock(&b->lock);
	snprintf(b->p.stage, sizeof b->p.stage, "%s", stage);
	pthread_mutex_unlock(&b->lock);
}

static void add_to_curve(struct progress *p, double rate)
{
	if (p->in_step == 0 && p->ncurve == PROGRESS_CURVE) {
		for (int i = 0; i < PROGRESS_CURVE / 2; i++)
			p->curve[i] = (p->curve[2 * i] + p->curve[2 * i + 1]) / 2;
		p->ncurve = PROGRESS_CURVE / 2;
		p->per_step *= 2;
	}
	if (p->in_step == 0)
		p->curve[p->ncurve++] = 0;
	double *step = &p->curve[p->ncurve - 1];
	*step += (rate - *step) / ++p->in_step;
	if (p->in_step == p->per_step)
		p->in_step = 0;
}

void progress_slot(struct progress_board *b, uint64_t bytes, nsec length, double temperature_c, nsec elapsed)
{
	pthread_mutex_lock(&b->lock);
	b->p.bytes += bytes;
	b->p.rate = (double)bytes / nsec_to_s(length);
	b->p.temperature_c = temperature_c;
	b->p.elapsed = elapsed;
	add_to_curve(&b->p, b->p.rate);
	pthread_mutex_unlock(&b->lock);
}

struct progress progress_read(struct progress_board *b)
{
	pthread_mutex_lock(&b->lock);
	struct progress p = b->p;
	pthread_mutex_unlock(&b->lock);
	return p;
}
