// SPDX-License-Identifier: MIT
#include "pace.h"

#include <math.h>

nsec pace_drive_time(const struct pace *p, nsec host)
{
	return p->drive0 + (nsec)((__int128)(host - p->host0) * PACE_UNIT / p->scale);
}

nsec pace_host_time(const struct pace *p, nsec drive)
{
	return p->host0 + (nsec)((__int128)(drive - p->drive0) * p->scale / PACE_UNIT);
}

void lag_add(struct lag *l, nsec asked, nsec due, nsec ready, nsec sent)
{
	nsec late = sent > due ? sent - due : 0;
	pthread_mutex_lock(&l->lock);
	l->replies++;
	l->late += late > PACE_LATE;
	l->missed += ready > due;
	l->asked += asked;
	l->overdue += late;
	hist_add(&l->lateness, (uint64_t)late);
	pthread_mutex_unlock(&l->lock);
}

void lag_enter(struct lag *l, nsec now)
{
	pthread_mutex_lock(&l->lock);
	if (l->inside++ == 0) {
		if (l->since && now - l->since < PACE_PAUSE)
			l->waited += now - l->since;
		l->since = now;
	}
	pthread_mutex_unlock(&l->lock);
}

void lag_leave(struct lag *l, nsec now)
{
	pthread_mutex_lock(&l->lock);
	if (--l->inside == 0) {
		l->busy += now - l->since;
		l->since = now;
	}
	pthread_mutex_unlock(&l->lock);
}

double lag_share(const struct lag *l)
{
	return l->asked ? (double)l->overdue / (double)l->asked : NAN;
}
