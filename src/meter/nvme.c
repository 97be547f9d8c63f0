// SPDX-License-Identifier: MIT
/* nvme:/dev/nvme0: the drive's own measurement, its mean power over the last second, from its SMART log; where that is
 * not told but a power measurement was started (log 25h), from the difference of two of its readings (both TP4199). Few
 * drives have either; what it covers and how well is the maker's secret. Asking is a command to the drive, once a
 * second. */
#include "target/nvme.h"
#include "base/mem.h"
#include "meter/source.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct source {
	struct nvme nvme;
	int fd;
	nsec next;
	bool by_log; /* by the difference of log 25h, not by the SMART log */
	struct nvme_power_log last;
};

/* 0; a negative errno; -ENODATA where the drive has nothing to tell (yet). */
static int read_power_log(struct source *s, double *watts)
{
	struct nvme_power_log log;
	int r = nvm_read_power_log(&s->nvme, &log);
	if (r)
		return r > 0 ? -ENODATA : r; /* no such log */
	*watts = nvme_power_between(&s->last, &log);
	s->last = log;
	return isfinite(*watts) ? 0 : -ENODATA;
}

static int read_watts(struct source *s, double *watts)
{
	if (s->by_log)
		return read_power_log(s, watts);
	struct nvme_smart smart;
	int r = nvm_read_smart(&s->nvme, &smart);
	if (r)
		return r > 0 ? -EIO : r;
	*watts = smart.watts;
	return isfinite(smart.watts) ? 0 : -ENODATA;
}

static void nvme_source_close(struct source *s)
{
	if (s->nvme.data)
		nvm_close(&s->nvme);
	if (s->fd >= 0)
		close(s->fd);
	free(s);
}

static int nvme_source_open(struct source **out, const char *spec, struct meter_info *info, struct err *err)
{
	struct source *s = xcalloc(1, sizeof *s);
	struct nvme_controller c;
	double watts;
	s->fd = open(spec, O_RDONLY | O_CLOEXEC);
	int r = s->fd < 0 ? -errno : nvm_open(&s->nvme, s->fd);
	if (s->fd < 0)
		err_set(err, exit_code_of_path(errno), "nvme: cannot open '%s': %s", spec, strerror(errno));
	else if (r || (r = nvm_read_controller(&s->nvme, &c)))
		err_set(err, EXIT_USAGE, "nvme: '%s' is no NVMe drive that answers: %s; give one as /dev/nvme0", spec,
			nvm_words(r));
	else if ((r = read_watts(s, &watts)) == -ENODATA && (read_power_log(s, &watts), s->last.enabled))
		r = 0, s->by_log = true;
	else if (r)
		err_set(err, EXIT_USAGE,
			"nvme: '%s' (%s) does not report its power, and no power measurement is going on in it; use "
			"another meter",
			spec, c.model);
	if (r) {
		nvme_source_close(s);
		return -1;
	}
	snprintf(info->instrument, sizeof info->instrument, "%s, its own measurement", c.model);
	info->period = NSEC_PER_SEC;
	info->clock_error = NSEC_PER_SEC / 2; /* how old the second is when it is read, no one says */
	info->wakes_drive = true;
	*out = s;
	return 0;
}

static int nvme_source_read(struct source *s, struct meter_sample *sample, nsec until)
{
	nsec now = nsec_now();
	if (s->next < now - NSEC_PER_SEC)
		s->next = now;
	nsec t = s->next < until ? s->next : until;
	struct timespec ts = {.tv_sec = t / NSEC_PER_SEC, .tv_nsec = t % NSEC_PER_SEC};
	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL);
	if (t < s->next)
		return 0;
	s->next += NSEC_PER_SEC;
	int r = read_watts(s, &sample->watts);
	if (s->by_log && r == -ENODATA)
		return 0; /* no interval has ended since the last reading */
	sample->at = nsec_now();
	sample->length = NSEC_PER_SEC;
	return r ? r : 1;
}

const struct source_ops source_nvme = {
	.scheme = "nvme:", .open = nvme_source_open, .read = nvme_source_read, .close = nvme_source_close};
