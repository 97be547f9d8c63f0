// SPDX-License-Identifier: MIT
/* The nbdkit plugin: parameters, and NBD's requests handed to the drive. How to use it: docs/attach.md. */
#include "drive.h"

#include "base/mem.h"
#include "base/units.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define NBDKIT_API_VERSION 2
#include <nbdkit-plugin.h>

#define THREAD_MODEL NBDKIT_THREAD_MODEL_PARALLEL

/* How much of a long wait is left to the precise sleep: the rest can be ended early when the server shuts down. */
#define FINE_SLEEP (50 * NSEC_PER_MSEC)

static struct drive_options options = DRIVE_DEFAULTS;
static struct drive drive;

static int fail(const struct err *e)
{
	nbdkit_error("%s", e->text);
	return -1;
}

/* The data files of an installed plugin are beside it, which nbdkit, whose program this is, does not know. */
static void on_load(void)
{
	static const char *const beside[] = {"../../../share/ssdscope", "../../../../share/ssdscope"};
	Dl_info self;
	if (getenv("SSDSCOPE_DATA") || !dladdr(&drive, &self) || !strrchr(self.dli_fname, '/'))
		return;
	for (size_t i = 0; i < ARRAY_SIZE(beside); i++) {
		char *folder = xasprintf(
			"%.*s/%s", (int)(strrchr(self.dli_fname, '/') - self.dli_fname), self.dli_fname, beside[i]);
		if (!access(folder, F_OK))
			setenv("SSDSCOPE_DATA", folder, 1);
		free(folder);
	}
}

static int on_config(const char *key, const char *value)
{
	struct err e = {0};
	return drive_option(&options, key, value, &e) ? fail(&e) : 0;
}

static int on_config_complete(void)
{
	if (options.model)
		return 0;
	nbdkit_error("no model: give model=NAME; 'ssdscope models' lists them");
	return -1;
}

static int on_get_ready(void)
{
	struct err e = {0};
	return drive_open(&drive, &options, &e) ? fail(&e) : 0;
}

static int on_after_fork(void)
{
	drive_start(&drive);
	nbdkit_debug("transport: %.1f µs a trip, %.1f µs for each MiB, %.1f µs to wake up",
		(double)drive.floor.trip / 1e3, (double)drive.floor.per_mib / 1e3, (double)drive.floor.wakeup / 1e3);
	return 0;
}

static void on_cleanup(void)
{
	struct err e = {0};
	struct lag *l = &drive.lag;
	if (l->replies)
		nbdkit_debug(
			"%llu replies, %.2f %% of the modelled time late, %.2f %% by more than 50 µs; %s set the pace",
			(unsigned long long)l->replies, 100 * lag_share(l),
			100.0 * (double)l->late / (double)l->replies, lag_share(l) < 0.05 ? "the model" : "this host");
	if (drive_report(&drive, &e))
		fail(&e);
	if (drive_save(&drive, &e))
		fail(&e);
}

static void on_unload(void)
{
	drive_close(&drive);
	free(options.backing);
	free(options.state);
	free(options.stats);
}

static void on_dump_plugin(void)
{
	struct profile_info *p;
	size_t n;
	printf("ssdscope_version=%s\n", SSDSCOPE_VERSION);
	if (profile_list(&p, &n, NULL))
		return;
	printf("ssdscope_models=");
	for (size_t i = 0; i < n; i++)
		printf("%s%s", i ? "," : "", p[i].name);
	printf("\n");
	free(p);
}

static void *on_open(int readonly)
{
	return NBDKIT_HANDLE_NOT_NEEDED;
}

/* When a client goes: whoever looks at the file sees what it did. */
static void on_close(void *handle)
{
	struct err e = {0};
	if (drive_report(&drive, &e))
		fail(&e);
}

static int64_t on_get_size(void *handle)
{
	return (int64_t)drive.info.capacity_bytes;
}

static const char *on_export_description(void *handle)
{
	return drive.info.title;
}

static int on_block_size(void *handle, uint32_t *minimum, uint32_t *preferred, uint32_t *maximum)
{
	*minimum = 512;
	*preferred = SSDMODEL_UNIT;
	*maximum = 64 * MIB; /* nbdkit's own limit */
	return 0;
}

static int yes(void *handle)
{
	return 1;
}
static int on_can_fua(void *handle)
{
	return NBDKIT_FUA_NATIVE;
}
static int on_can_extents(void *handle)
{
	return backing_has_extents(drive.backing);
}

static int failed(int code)
{
	if (code == -ENOSPC)
		nbdkit_error("the place for the drive's data is full: give backing=FILE or a smaller capacity=");
	else
		nbdkit_error("the drive's data: %s", strerror(-code));
	nbdkit_set_error(-code);
	return -1;
}

/* Sleeps until the host's time `wake`. -1 when the server shuts down or the client goes. */
static int sleep_until(nsec wake)
{
	nsec now;
	floor_fine_timer();
	while ((now = nsec_now()) < wake - 2 * FINE_SLEEP) {
		nsec coarse = wake - FINE_SLEEP - now;
		if (nbdkit_nanosleep((unsigned)(coarse / NSEC_PER_SEC), (unsigned)(coarse % NSEC_PER_SEC)))
			return -1;
	}
	struct timespec t = {wake / NSEC_PER_SEC, wake % NSEC_PER_SEC};
	while (now < wake && clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR)
		;
	return 0;
}

/* What every request ends with: `code` is what the drive said of it. */
static int reply(int code, const struct answer *a)
{
	nsec ready = nsec_now();
	code = code ? failed(code) : sleep_until(drive_wake(&drive, a));
	drive_done(&drive, code ? NULL : a, ready);
	return code;
}

static int on_pread(void *handle, void *buf, uint32_t count, uint64_t offset, uint32_t flags)
{
	struct answer a;
	return reply(drive_read(&drive, buf, count, offset, &a), &a);
}

static int on_pwrite(void *handle, const void *buf, uint32_t count, uint64_t offset, uint32_t flags)
{
	struct answer a;
	return reply(drive_write(&drive, buf, count, offset, flags & NBDKIT_FLAG_FUA, &a), &a);
}

static int on_trim(void *handle, uint32_t count, uint64_t offset, uint32_t flags)
{
	struct answer a;
	return reply(drive_trim(&drive, count, offset, flags & NBDKIT_FLAG_FUA, &a), &a);
}

static int on_zero(void *handle, uint32_t count, uint64_t offset, uint32_t flags)
{
	struct answer a;
	bool trim = flags & NBDKIT_FLAG_MAY_TRIM;
	if (flags & NBDKIT_FLAG_FAST_ZERO && !trim) {
		/* The drive would write it all: the client wants to know at once. */
		nbdkit_set_error(EOPNOTSUPP);
		return -1;
	}
	return reply(drive_zero(&drive, count, offset, trim, flags & NBDKIT_FLAG_FUA, &a), &a);
}

static int on_flush(void *handle, uint32_t flags)
{
	struct answer a;
	return reply(drive_flush(&drive, &a), &a);
}

static int on_extents(void *handle, uint32_t count, uint64_t offset, uint32_t flags, struct nbdkit_extents *extents)
{
	uint64_t stop = offset + count;
	while (offset < stop) {
		bool data;
		int64_t end = backing_extent(drive.backing, offset, &data);
		if (end < 0)
			return failed((int)end);
		if (nbdkit_add_extent(extents, offset, (uint64_t)end - offset,
			    data ? 0 : NBDKIT_EXTENT_HOLE | NBDKIT_EXTENT_ZERO))
			return -1;
		offset = (uint64_t)end;
		if (flags & NBDKIT_FLAG_REQ_ONE)
			break;
	}
	return 0;
}

#define HELP                                                                                                           \
	"model=NAME|FILE        (required) the modelled drive; 'ssdscope models' lists them.\n"                        \
	"capacity=BYTES         A smaller drive of the same kind.\n"                                                   \
	"timescale=N            N times slower than the drive (default: 1).\n"                                         \
	"backing=memory|FILE|none  Where the data are kept (default: memory). none: not at all.\n"                     \
	"state=FILE             Load what the drive knows from there, if it is there; save it at the end.\n"           \
	"stats=FILE             Write statistics there when a client goes and at the end, as JSON.\n"                  \
	"transport=auto|TIME    What a round trip costs here, taken off each latency (default: measure it)."

static struct nbdkit_plugin plugin = {
	.name = "ssdscope",
	.version = SSDSCOPE_VERSION,
	.longname = "ssdscope modelled drive",
	.description = "Serves a modelled SSD: data are kept, latency and bandwidth are as the model says.",
	.magic_config_key = "model",
	.config_help = HELP,
	.load = on_load,
	.config = on_config,
	.config_complete = on_config_complete,
	.get_ready = on_get_ready,
	.after_fork = on_after_fork,
	.cleanup = on_cleanup,
	.unload = on_unload,
	.dump_plugin = on_dump_plugin,
	.open = on_open,
	.close = on_close,
	.get_size = on_get_size,
	.export_description = on_export_description,
	.block_size = on_block_size,
	.can_fua = on_can_fua,
	.can_multi_conn = yes,
	.can_fast_zero = yes,
	.can_extents = on_can_extents,
	.pread = on_pread,
	.pwrite = on_pwrite,
	.trim = on_trim,
	.zero = on_zero,
	.flush = on_flush,
	.extents = on_extents,
};

/* The macro defines it without a declaration. */
struct nbdkit_plugin *plugin_init(void);

NBDKIT_REGISTER_PLUGIN(plugin)
