// SPDX-License-Identifier: MIT
#include "cli/progress.h"

#include "base/mem.h"
#include "base/units.h"
#include "cli/cli.h"
#include "report/escape.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

struct progress_view {
	struct progress_board *const *boards;
	const char *const *names;
	size_t n;
	bool live, stop;
	nsec started;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t wake;
};

/* The phase's rate so far in eight block characters per step of height. */
static void small_curve(char *out, size_t room, const struct progress *p)
{
	static const char *const blocks[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
	enum { WIDTH = 16 };
	double most = 0;
	for (int i = 0; i < p->ncurve; i++)
		most = fmax(most, p->curve[i]);
	out[0] = 0;
	int width = p->ncurve < WIDTH ? p->ncurve : WIDTH;
	for (int i = 0; i < width && most > 0; i++) {
		double v = p->curve[i * p->ncurve / width];
		int level = (int)(v / most * 7.99);
		strncat(out, blocks[level], room - strlen(out) - 1);
	}
}

/* "fill 2/9 · 617 GB of 2.00 TB · 7.03 GB/s · 61 °C · 12 min 10 s left" */
static void describe(char *out, size_t room, const struct progress *p, bool curve)
{
	char a[UNITS_BUF], b[UNITS_BUF], c[160];
	int n = snprintf(out, room, "%s", p->test);
	if (p->ntests > 1)
		n += snprintf(out + n, room - (size_t)n, " (%d of %d)", p->test_number + 1, p->ntests);
	if (strcmp(p->activity, p->test))
		n += snprintf(out + n, room - (size_t)n, " · %s", p->activity);
	if (p->bytes || p->total_bytes) {
		n += snprintf(out + n, room - (size_t)n, " · %s", units_bytes(a, (double)p->bytes));
		if (p->total_bytes)
			n += snprintf(out + n, room - (size_t)n, " of %s", units_bytes(b, (double)p->total_bytes));
	}
	if (!isnan(p->rate))
		n += snprintf(out + n, room - (size_t)n, " · %s", units_rate(a, p->rate));
	if (*p->stage)
		n += snprintf(out + n, room - (size_t)n, " · %s", p->stage);
	if (!isnan(p->temperature_c))
		n += snprintf(out + n, room - (size_t)n, " · %.0f °C", p->temperature_c);
	if (p->total_bytes && p->bytes && p->rate > 0 && p->total_bytes > p->bytes)
		n += snprintf(out + n, room - (size_t)n, " · %s left",
			units_duration(a, (nsec)((double)(p->total_bytes - p->bytes) / p->rate * 1e9)));
	small_curve(c, sizeof c, p);
	if (curve && *c)
		snprintf(out + n, room - (size_t)n, " %s", c);
}

/* Cuts a UTF-8 text to `columns` characters. */
static void cut(char *text, int columns)
{
	for (char *p = text; *p; p++)
		if ((*p & 0xc0) != 0x80 && columns-- == 0)
			*p = 0;
}

static void show_live(struct progress_view *v)
{
	struct winsize ws = {0};
	char line[1024] = "", one[640];
	ioctl(STDERR_FILENO, TIOCGWINSZ, &ws);
	size_t done = 0, shown = v->n;
	for (size_t i = v->n; i-- > 0;) {
		struct progress p = progress_read(v->boards[i]);
		if (p.finished)
			done++;
		else
			shown = i;
	}
	if (shown < v->n) {
		struct progress p = progress_read(v->boards[shown]);
		describe(one, sizeof one, &p, true);
		if (v->n > 1)
			snprintf(line, sizeof line, "%zu of %zu done · %s: %s", done, v->n, v->names[shown], one);
		else
			snprintf(line, sizeof line, "%s", one);
	}
	char *clean = clean_text(line);
	cut(clean, ws.ws_col > 1 ? ws.ws_col - 1 : 79);
	fprintf(stderr, "\r\033[K%s", clean);
	free(clean);
	fflush(stderr);
}

static void show_plain(struct progress_view *v)
{
	char one[640], t[UNITS_BUF];
	for (size_t i = 0; i < v->n; i++) {
		struct progress p = progress_read(v->boards[i]);
		if (p.finished || !*p.test)
			continue;
		describe(one, sizeof one, &p, false);
		cli_say("%s %s: %s", units_duration(t, nsec_now() - v->started), v->names[i], one);
	}
}

static void *view_thread(void *arg)
{
	struct progress_view *v = arg;
	nsec next_plain = v->started + 10 * NSEC_PER_SEC;
	pthread_mutex_lock(&v->lock);
	while (!v->stop) {
		nsec at = nsec_wall() + 250 * NSEC_PER_MSEC;
		struct timespec ts = {.tv_sec = at / NSEC_PER_SEC, .tv_nsec = at % NSEC_PER_SEC};
		pthread_cond_timedwait(&v->wake, &v->lock, &ts);
		if (v->stop)
			break;
		if (v->live) {
			show_live(v);
		} else if (nsec_now() >= next_plain) {
			show_plain(v);
			next_plain += 10 * NSEC_PER_SEC;
		}
	}
	pthread_mutex_unlock(&v->lock);
	return NULL;
}

struct progress_view *progress_view_start(
	struct progress_board *const *boards, const char *const *names, size_t n, bool quiet)
{
	struct progress_view *v = xcalloc(1, sizeof *v);
	const char *term = getenv("TERM");
	*v = (struct progress_view){.boards = boards, .names = names, .n = quiet ? 0 : n, .started = nsec_now()};
	v->live = !quiet && isatty(STDERR_FILENO) && term && strcmp(term, "dumb");
	pthread_mutex_init(&v->lock, NULL);
	pthread_cond_init(&v->wake, NULL);
	/* Signals are for the thread that does the I/O: they must end its waits. */
	sigset_t all, old;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	pthread_create(&v->thread, NULL, view_thread, v);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return v;
}

void progress_view_stop(struct progress_view *v)
{
	pthread_mutex_lock(&v->lock);
	v->stop = true;
	pthread_cond_signal(&v->wake);
	pthread_mutex_unlock(&v->lock);
	pthread_join(v->thread, NULL);
	if (v->live && v->n)
		fprintf(stderr, "\r\033[K");
	free(v);
}
