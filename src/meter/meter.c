// SPDX-License-Identifier: MIT
#include "base/mem.h"
#include "base/units.h"
#include "meter/source.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* How long one wait for a reading lasts before pause and stop are looked at. */
#define SLICE (50 * NSEC_PER_MSEC)
/* A source that fails this often in a row is given up. */
#define MAX_FAILURES 10

struct meter {
	const struct source_ops *ops;
	struct source *source;
	struct meter_info info;
	nsec started;
	pthread_t thread;
	bool running;

	pthread_mutex_t lock; /* the rest */
	pthread_cond_t changed;
	struct series series;
	bool stop, paused, gave_up;
	int failure; /* the last error of the source, negative errno */
};

static const struct source_ops *const kinds[] = {
	&source_hwmon, &source_scpi, &source_sigrok, &source_nvme, &source_csv};

int source_option(char **rest, char **name, char **value, struct err *err)
{
	if (!*rest || !**rest)
		return 0;
	char *one = *rest, *comma = strchr(one, ',');
	*rest = comma ? comma + 1 : NULL;
	if (comma)
		*comma = 0;
	char *equals = strchr(one, '=');
	if (!equals)
		return err_set(
			err, EXIT_USAGE, "a meter's options are NAME=VALUE, separated by commas: '%s' is not", one);
	*equals = 0;
	*name = one;
	*value = equals + 1;
	return 1;
}

int meter_open(struct meter **out, const char *spec, struct err *err)
{
	const struct source_ops *ops = NULL;
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (!strncmp(spec, kinds[i]->scheme, strlen(kinds[i]->scheme)))
			ops = kinds[i];
	if (!ops) {
		char list[128] = "";
		for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
			snprintf(list + strlen(list), sizeof list - strlen(list), " %s", kinds[i]->scheme);
		return err_set(err, EXIT_USAGE, "no such meter '%s': a meter's name begins with one of%s", spec, list);
	}
	struct meter *m = xcalloc(1, sizeof *m);
	m->ops = ops;
	if (ops->open(&m->source, spec + strlen(ops->scheme), &m->info, err)) {
		free(m);
		return -1;
	}
	snprintf(m->info.source, sizeof m->info.source, "%.*s", (int)strcspn(ops->scheme, ":"), ops->scheme);
	m->info.after_the_run = ops->load != NULL;
	m->series.period = m->info.period;
	pthread_mutex_init(&m->lock, NULL);
	pthread_condattr_t attr;
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&m->changed, &attr);
	pthread_condattr_destroy(&attr);
	*out = m;
	return 0;
}

void meter_describe(struct meter *m, struct meter_info *info)
{
	pthread_mutex_lock(&m->lock);
	*info = m->info;
	if (!info->period)
		info->period = m->series.period;
	pthread_mutex_unlock(&m->lock);
}

static void sleep_until(nsec t)
{
	struct timespec ts = {.tv_sec = t / NSEC_PER_SEC, .tv_nsec = t % NSEC_PER_SEC};
	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL);
}

static void *sample(void *arg)
{
	struct meter *m = arg;
	int failures = 0;
	pthread_mutex_lock(&m->lock);
	while (!m->stop && !m->gave_up) {
		bool paused = m->paused;
		pthread_mutex_unlock(&m->lock);
		struct meter_sample s = {0};
		int n = 0;
		if (paused)
			sleep_until(nsec_now() + SLICE / 5);
		else
			n = m->ops->read(m->source, &s, nsec_now() + SLICE);
		if (n < 0)
			sleep_until(nsec_now() + SLICE);
		failures = n < 0 ? failures + 1 : n > 0 ? 0 : failures;
		pthread_mutex_lock(&m->lock);
		if (n > 0)
			series_add(&m->series, &s);
		else if (n < 0)
			m->failure = n;
		m->gave_up = failures >= MAX_FAILURES;
		pthread_cond_broadcast(&m->changed);
	}
	pthread_mutex_unlock(&m->lock);
	return NULL;
}

int meter_start(struct meter *m, struct err *err)
{
	m->started = nsec_now();
	if (!m->ops->read)
		return 0;
	/* Signals are the main thread's business. */
	sigset_t all, old;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	int r = pthread_create(&m->thread, NULL, sample, m);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (r)
		return err_set(err, EXIT_FAILED, "cannot start the meter's thread: %s", strerror(r));
	m->running = true;
	return 0;
}

void meter_pause(struct meter *m, bool paused)
{
	pthread_mutex_lock(&m->lock);
	m->paused = paused;
	pthread_mutex_unlock(&m->lock);
}

static void end_thread(struct meter *m)
{
	if (!m->running)
		return;
	pthread_mutex_lock(&m->lock);
	m->stop = true;
	pthread_mutex_unlock(&m->lock);
	pthread_join(m->thread, NULL);
	m->running = false;
}

/* Puts a log on our clock: with an offset from the user the edges only check it, without one they set it. */
static void align(struct meter *m, nsec range, bool fixed, const struct meter_edge *edges, size_t count,
	struct meter_clock *clock)
{
	clock->checked = series_align(&m->series, edges, count, range, &clock->offset, &clock->error);
	double off = nsec_to_s(clock->offset), error = nsec_to_s(clock->error);
	if (!clock->checked) {
		snprintf(clock->warning, sizeof clock->warning,
			"no step of the power in the log fits what the drive was made to do within %.0f s: its times "
			"are %s",
			nsec_to_s(range), fixed ? "taken as given" : "taken from the start of the run");
		clock->error = range;
	} else if (fixed && (clock->offset > 2 * clock->error || clock->offset < -2 * clock->error)) {
		snprintf(clock->warning, sizeof clock->warning,
			"the log's clock is off by %+.3f s (+- %.3f s) against a step that the drive was made to do; "
			"correct the offset",
			off, error);
	}
	if (!clock->checked || fixed)
		clock->offset = 0;
	series_shift(&m->series, clock->offset);
	m->info.clock_error = clock->error;
}

int meter_stop(
	struct meter *m, const struct meter_edge *edges, size_t edge_count, struct meter_clock *clock, struct err *err)
{
	struct meter_clock own = {0};
	clock = clock ? clock : &own;
	*clock = own;
	end_thread(m);
	if (m->ops->load) {
		nsec range = 0;
		bool fixed = false;
		if (m->ops->load(m->source, &m->series, m->started, &range, &fixed, err))
			return -1;
		align(m, range, fixed, edges, edge_count, clock);
		return 0;
	}
	if (m->gave_up)
		return err_set(err, EXIT_FAILED, "the meter %s (%s) stopped answering: %s", m->info.source,
			m->info.instrument, strerror(-m->failure));
	return 0;
}

bool meter_wait(struct meter *m, nsec until, nsec patience)
{
	nsec end = nsec_now() + patience;
	struct timespec ts = {.tv_sec = end / NSEC_PER_SEC, .tv_nsec = end % NSEC_PER_SEC};
	pthread_mutex_lock(&m->lock);
	bool there;
	for (;;) {
		there = m->series.count && m->series.point[m->series.count - 1].sample.at >= until;
		if (there || !m->running || m->gave_up || pthread_cond_timedwait(&m->changed, &m->lock, &ts))
			break;
	}
	pthread_mutex_unlock(&m->lock);
	return there;
}

void meter_power(struct meter *m, nsec from, nsec to, struct meter_window *out)
{
	pthread_mutex_lock(&m->lock);
	series_window(&m->series, from, to, out);
	pthread_mutex_unlock(&m->lock);
}

size_t meter_samples(struct meter *m, size_t first, struct meter_sample *out, size_t max)
{
	pthread_mutex_lock(&m->lock);
	size_t n = 0;
	for (; n < max && first + n < m->series.count; n++)
		out[n] = m->series.point[first + n].sample;
	pthread_mutex_unlock(&m->lock);
	return n;
}

void meter_close(struct meter *m)
{
	if (!m)
		return;
	end_thread(m);
	m->ops->close(m->source);
	series_free(&m->series);
	pthread_mutex_destroy(&m->lock);
	pthread_cond_destroy(&m->changed);
	free(m);
}

void meter_explain(
	char *buf, size_t size, const struct meter_info *info, const struct meter_window *w, nsec from, nsec to)
{
	char period[UNITS_BUF], window[UNITS_BUF];
	units_duration(period, info->period);
	units_duration(window, to - from);
	switch (w->verdict) {
	case METER_OK: snprintf(buf, size, "measured"); break;
	case METER_NOT_YET:
		snprintf(
			buf, size, "not measured: the %s meter has no readings to the end of the window", info->source);
		break;
	case METER_TOO_SLOW:
		snprintf(buf, size, "not measured: the %s meter reads every %s, too slow for a window of %s",
			info->source, period, window);
		break;
	case METER_GAPS:
		snprintf(buf, size, "not measured: readings of the %s meter cover only %.0f %% of the window",
			info->source, 100 * w->covered);
		break;
	}
}
