// SPDX-License-Identifier: MIT
#include "drive.h"

#include "base/output.h"
#include "base/units.h"
#include "profile/resize.h"
#include "state.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Larger requests are cut as a host's block layer cuts them. */
#define COMMAND MIB
#define SECTOR 512

int drive_open(struct drive *d, const struct drive_options *o, struct err *e)
{
	struct ssdmodel_params p;
	char why[256];
	d->o = *o;
	d->state_lock = -1;
	pthread_mutex_init(&d->lock, NULL);
	pthread_mutex_init(&d->lag.lock, NULL);
	if (profile_load(o->model, &p, &d->info, e))
		return -1;
	if (o->capacity && profile_resize(&p, &d->info, o->capacity, e))
		return -1;
	if (ssdmodel_create(&d->model, &p, why, sizeof why))
		return err_set(e, EXIT_USAGE, "cannot model '%s': %s", o->model, why);
	if (o->state && state_load(d->model, o->state, &d->last, &d->state_lock, e))
		return -1;
	if (backing_open(&d->backing, o->backing, d->info.capacity_bytes, e))
		return -1;
	FILE *f = o->stats ? output_open(o->stats, "ae", e) : NULL;
	if (o->stats && !f)
		return -1;
	if (f)
		fclose(f);
	return 0;
}

void drive_start(struct drive *d)
{
	/* A floor that can't be measured stays 0: latencies are then longer than modelled, and the statistics say so.
	 */
	floor_measure(&d->floor, NULL);
	if (d->o.transport >= 0) {
		d->floor.trip = d->o.transport;
		d->floor.per_mib = 0;
	}
	d->pace = (struct pace){.host0 = nsec_now(), .drive0 = d->last, .scale = d->o.scale};
}

int drive_save(struct drive *d, struct err *e)
{
	if (!d->o.state || !d->model)
		return 0;
	pthread_mutex_lock(&d->lock);
	int failed = state_save(d->model, d->o.state, d->last, &d->state_lock, e);
	pthread_mutex_unlock(&d->lock);
	return failed;
}

void drive_close(struct drive *d)
{
	backing_close(d->backing);
	if (d->model)
		ssdmodel_destroy(d->model);
	if (d->model && d->state_lock >= 0)
		close(d->state_lock);
	d->state_lock = -1;
	d->backing = NULL;
	d->model = NULL;
}

static nsec later(nsec a, nsec b)
{
	return a > b ? a : b;
}

/* A request has come. */
static nsec enter(struct drive *d)
{
	nsec now = nsec_now();
	lag_enter(&d->lag, now);
	return now;
}

void drive_done(struct drive *d, const struct answer *a, nsec ready)
{
	nsec now = nsec_now();
	if (a)
		lag_add(&d->lag, a->asked, a->due, ready, now);
	lag_leave(&d->lag, now);
}

/* Takes the model for a request that arrived at `entry`. Returns its start: requests that overtook each other on the
 * way to the lock start together. */
static nsec begin(struct drive *d, nsec entry)
{
	pthread_mutex_lock(&d->lock);
	return d->last = later(pace_drive_time(&d->pace, entry), d->last);
}

static void end(struct drive *d, struct answer *a, nsec start, nsec done, uint32_t payload)
{
	pthread_mutex_unlock(&d->lock);
	nsec at = pace_host_time(&d->pace, done);
	a->asked = at - pace_host_time(&d->pace, start);
	a->due = at - floor_of(&d->floor, payload);
}

/* Host commands over all sectors that the range touches, all at once. The end of the last to complete. */
static nsec commands(struct drive *d, enum ssdmodel_op op, uint64_t offset, uint64_t bytes, nsec start)
{
	uint64_t from = offset / SECTOR * SECTOR, to = (offset + bytes + SECTOR - 1) / SECTOR * SECTOR;
	nsec done = start;
	while (from < to) {
		uint32_t n = (uint32_t)(to - from < COMMAND ? to - from : COMMAND);
		done = later(done, ssdmodel_io(d->model, op, from, n, start));
		from += n;
	}
	return done;
}

int drive_read(struct drive *d, void *data, uint32_t bytes, uint64_t offset, struct answer *a)
{
	nsec start = begin(d, enter(d));
	nsec done = commands(d, SSDMODEL_READ, offset, bytes, start);
	d->reads++;
	d->read_bytes += bytes;
	end(d, a, start, done, bytes);
	return backing_read(d->backing, data, bytes, offset);
}

int drive_write(struct drive *d, const void *data, uint32_t bytes, uint64_t offset, bool fua, struct answer *a)
{
	nsec entry = enter(d);
	/* The data first: a write that fails must not leave the model with data that are not there. */
	int failed = backing_write(d->backing, data, bytes, offset);
	if (failed)
		return failed;
	nsec start = begin(d, entry), done = commands(d, SSDMODEL_WRITE, offset, bytes, start);
	if (fua)
		done = later(done, ssdmodel_flush(d->model, start));
	d->writes++;
	d->written_bytes += bytes;
	end(d, a, start, done, bytes);
	return 0;
}

/* The whole units of a range: [*from, *to), empty where from >= to. */
static void whole_units(uint64_t offset, uint64_t bytes, uint64_t *from, uint64_t *to)
{
	*from = (offset + SSDMODEL_UNIT - 1) / SSDMODEL_UNIT * SSDMODEL_UNIT;
	*to = (offset + bytes) / SSDMODEL_UNIT * SSDMODEL_UNIT;
}

int drive_trim(struct drive *d, uint32_t bytes, uint64_t offset, bool fua, struct answer *a)
{
	uint64_t from, to;
	nsec entry = enter(d);
	whole_units(offset, bytes, &from, &to);
	int failed = from < to ? backing_zero(d->backing, to - from, from) : 0;
	if (failed)
		return failed;
	nsec start = begin(d, entry), done = start;
	if (from < to)
		done = ssdmodel_trim(d->model, from, to - from, start);
	if (fua)
		done = later(done, ssdmodel_flush(d->model, start));
	d->trims++;
	d->trimmed_bytes += from < to ? to - from : 0;
	end(d, a, start, done, 0);
	return 0;
}

int drive_zero(struct drive *d, uint32_t bytes, uint64_t offset, bool trim, bool fua, struct answer *a)
{
	uint64_t from, to, stop = offset + bytes;
	nsec entry = enter(d);
	int failed = backing_zero(d->backing, bytes, offset);
	if (failed)
		return failed;
	whole_units(offset, bytes, &from, &to);
	trim = trim && from < to;
	nsec start = begin(d, entry), done = start;
	if (trim) {
		done = ssdmodel_trim(d->model, from, to - from, start);
		d->trims++;
		d->trimmed_bytes += to - from;
		/* The pieces of units at its ends are overwritten. */
		if (offset < from)
			done = later(done, commands(d, SSDMODEL_WRITE, offset, from - offset, start));
		if (to < stop)
			done = later(done, commands(d, SSDMODEL_WRITE, to, stop - to, start));
	} else {
		done = commands(d, SSDMODEL_WRITE, offset, bytes, start);
		d->writes++;
		d->written_bytes += bytes;
	}
	if (fua)
		done = later(done, ssdmodel_flush(d->model, start));
	end(d, a, start, done, 0);
	return 0;
}

int drive_flush(struct drive *d, struct answer *a)
{
	nsec start = begin(d, enter(d)), done = ssdmodel_flush(d->model, start);
	d->flushes++;
	end(d, a, start, done, 0);
	return 0;
}

static void report_lag(struct lag *l, FILE *f)
{
	pthread_mutex_lock(&l->lock);
	fprintf(f,
		"  \"pace\": {\"replies\": %llu, \"late\": %llu, \"missed\": %llu, \"asked_s\": %.6f, \"overdue_s\": "
		"%.6f",
		(unsigned long long)l->replies, (unsigned long long)l->late, (unsigned long long)l->missed,
		nsec_to_s(l->asked), nsec_to_s(l->overdue));
	if (l->replies)
		fprintf(f, ", \"overdue_share\": %.5f, \"late_us\": {\"p50\": %.1f, \"p99\": %.1f, \"max\": %.1f}",
			lag_share(l), (double)hist_quantile(&l->lateness, 0.5) / 1e3,
			(double)hist_quantile(&l->lateness, 0.99) / 1e3, (double)l->lateness.max / 1e3);
	fprintf(f, ", \"busy_s\": %.6f, \"waited_s\": %.6f},\n", nsec_to_s(l->busy), nsec_to_s(l->waited));
	pthread_mutex_unlock(&l->lock);
}

static void report(struct drive *d, FILE *f)
{
	struct ssdmodel_sense s;
	d->last = later(pace_drive_time(&d->pace, nsec_now()), d->last);
	ssdmodel_sense(d->model, d->last, &s);
	char name[sizeof d->info.name];
	strcpy(name, d->info.name);
	for (char *c = name; *c; c++) /* of a file: may be anything */
		if (*c == '"' || *c == '\\' || (unsigned char)*c < ' ')
			*c = '_';
	fprintf(f, "{\n  \"schema\": 1, \"model\": \"%s\", \"capacity_bytes\": %llu, \"timescale\": %g,\n", name,
		(unsigned long long)d->info.capacity_bytes, (double)d->o.scale / PACE_UNIT);
	fprintf(f, "  \"transport_us\": {\"trip\": %.1f, \"per_mib\": %.1f, \"wakeup\": %.1f},\n",
		(double)d->floor.trip / 1e3, (double)d->floor.per_mib / 1e3, (double)d->floor.wakeup / 1e3);
	fprintf(f, "  \"requests\": {\"reads\": %llu, \"writes\": %llu, \"trims\": %llu, \"flushes\": %llu, ",
		(unsigned long long)d->reads, (unsigned long long)d->writes, (unsigned long long)d->trims,
		(unsigned long long)d->flushes);
	fprintf(f, "\"read_bytes\": %llu, \"written_bytes\": %llu, \"trimmed_bytes\": %llu},\n",
		(unsigned long long)d->read_bytes, (unsigned long long)d->written_bytes,
		(unsigned long long)d->trimmed_bytes);
	report_lag(&d->lag, f);
	fprintf(f,
		"  \"drive\": {\"seconds\": %.6f, \"host_bytes\": %llu, \"nand_bytes\": %llu, \"mapped_bytes\": %llu, ",
		nsec_to_s(d->last), (unsigned long long)s.host_bytes, (unsigned long long)s.nand_bytes,
		(unsigned long long)s.mapped_bytes);
	fprintf(f, "\"slc_limit_bytes\": %llu, \"mapped_slc_bytes\": %llu, \"joules\": %.6f",
		(unsigned long long)s.slc_limit_bytes, (unsigned long long)s.mapped_slc_bytes, s.joules);
	if (s.has_temperature)
		fprintf(f, ", \"temperature_c\": %.1f", s.temperature_c);
	fprintf(f, "},\n  \"backing_bytes\": %llu\n}\n", (unsigned long long)backing_bytes(d->backing));
}

int drive_report(struct drive *d, struct err *e)
{
	if (!d->o.stats)
		return 0;
	int failed = 0;
	pthread_mutex_lock(&d->lock); /* also for the file: several clients may go at once */
	FILE *f = output_open(d->o.stats, "we", e);
	if (f)
		report(d, f);
	else
		failed = -1;
	if (f && ferror(f) | fclose(f))
		failed = err_set(e, EXIT_FAILED, "cannot write statistics to '%s': %s", d->o.stats, strerror(errno));
	pthread_mutex_unlock(&d->lock);
	return failed;
}
