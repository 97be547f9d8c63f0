// SPDX-License-Identifier: MIT
/* Files as targets, the same tests over both engines. The working directory must take O_DIRECT. */
#include "unit.h"

#include "target/target.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define BLOCK 65536u
#define BLOCKS 64u
#define FILE_BYTES ((uint64_t)BLOCK * BLOCKS)

static char dir[64], file[96];
static volatile sig_atomic_t interrupted;

static struct target_options options(bool pread)
{
	return (struct target_options){.max_bytes = BLOCK,
		.max_qd = 8,
		.size = FILE_BYTES,
		.force_pread = pread,
		.seed = 42,
		.interrupted = &interrupted};
}

static struct target *must_open(const struct target_options *o)
{
	struct target *t = NULL;
	struct err err = {0};
	if (target_open_path(&t, file, o, &err))
		fail_msg("%s", err.text);
	return t;
}

static void open_and_close(const struct target_options *o)
{
	struct target *t = must_open(o);
	t->ops->close(t);
}

static void make_file(const void *data, size_t bytes)
{
	int fd = open(file, O_CREAT | O_TRUNC | O_WRONLY, 0644);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, data, bytes), bytes);
	close(fd);
}

static int fresh(void **state)
{
	interrupted = 0;
	unlink(file);
	return 0;
}

/* Does `count` I/Os of one kind over the file's blocks in order, `depth` in flight. Every completion must be the one
 * that was asked for. Returns the number that failed; *status is the last failure. */
static unsigned stream(
	struct target *t, uint8_t op, uint8_t flags, uint32_t pass, unsigned count, unsigned depth, int *status)
{
	unsigned sent = 0, back = 0, failed = 0;
	bool seen[1024] = {false};
	assert_in_range(count, 0, 1024);
	while (back < count) {
		while (sent < count && sent - back < depth) {
			struct io io = {.offset = (uint64_t)(sent % BLOCKS) * BLOCK,
				.tag = sent,
				.bytes = BLOCK,
				.pass = pass,
				.op = op,
				.flags = flags};
			assert_int_equal(t->ops->submit(t, &io), 0);
			sent++;
		}
		struct io_done done[4];
		int n = t->ops->reap(t, done, 4, NSEC_NEVER);
		assert_in_range(n, 1, 4);
		for (int i = 0; i < n; i++, back++) {
			assert_in_range(done[i].tag, 0, sent - 1);
			assert_false(seen[done[i].tag]);
			seen[done[i].tag] = true;
			assert_true(done[i].start > 0 && done[i].end >= done[i].start);
			assert_true(done[i].end <= t->ops->now(t));
			if (done[i].status == 0)
				assert_int_equal(done[i].bytes, BLOCK);
			else
				failed++, *status = done[i].status;
		}
	}
	return failed;
}

static void written_data_verifies(struct target *t, unsigned depth)
{
	int status = 0;
	assert_int_equal(stream(t, IO_WRITE, 0, 1, BLOCKS, depth, &status), 0);
	assert_int_equal(t->ops->flush(t), 0);
	assert_int_equal(stream(t, IO_READ, IO_VERIFY, 1, BLOCKS, depth, &status), 0);
	assert_int_equal(stream(t, IO_READ, 0, 0, 3 * BLOCKS, depth, &status), 0);
	/* A second pass over half of it: the other half is known as stale. */
	assert_int_equal(stream(t, IO_WRITE, 0, 2, BLOCKS / 2, depth, &status), 0);
	assert_int_equal(stream(t, IO_READ, IO_VERIFY, 2, BLOCKS, depth, &status), BLOCKS / 2);
	assert_int_equal(status, -EILSEQ);
}

static void io_at_every_depth(void **state)
{
	struct target_options o = options(*(bool *)*state);
	struct target *t = must_open(&o);
	struct identity id;
	assert_int_equal(t->ops->identify(t, &id, NULL), 0);
	assert_string_equal(id.kind, "file");
	assert_string_equal(id.path, file);
	assert_int_equal(id.capacity_bytes, FILE_BYTES);
	assert_true(id.logical_block_bytes >= 512 && id.logical_block_bytes <= 4096);
	if (o.force_pread)
		assert_string_equal(id.engine, "pread");
	else
		assert_int_equal(strncmp(id.engine, "io_uring", 8), 0);
	for (unsigned depth = 1; depth <= 8; depth *= 2)
		written_data_verifies(t, depth);
	t->ops->close(t);
}

static void a_flipped_bit_is_found(void **state)
{
	struct target_options o = options(*(bool *)*state);
	struct target *t = must_open(&o);
	int status = 0;
	assert_int_equal(stream(t, IO_WRITE, 0, 1, BLOCKS, 4, &status), 0);
	t->ops->close(t);
	int fd = open(file, O_RDWR);
	char c;
	assert_int_equal(pread(fd, &c, 1, 5 * BLOCK + 4321), 1);
	c ^= 0x10;
	assert_int_equal(pwrite(fd, &c, 1, 5 * BLOCK + 4321), 1);
	assert_int_equal(fsync(fd), 0);
	close(fd);
	t = must_open(&o); /* it is of our own making: no --destroy needed */
	assert_int_equal(stream(t, IO_READ, IO_VERIFY, 1, BLOCKS, 4, &status), 1);
	assert_int_equal(status, -EILSEQ);
	t->ops->close(t);
}

static void a_file_that_shrank_is_an_error(void **state)
{
	struct target_options o = options(*(bool *)*state);
	struct target *t = must_open(&o);
	int status = 0;
	assert_int_equal(stream(t, IO_WRITE, 0, 1, BLOCKS, 4, &status), 0);
	assert_int_equal(truncate(file, 10 * BLOCK + 4096), 0);
	assert_int_equal(stream(t, IO_READ, 0, 1, BLOCKS, 4, &status), BLOCKS - 10);
	assert_int_equal(status, -EIO);
	/* Half a block came, and the completion says how much. */
	struct io io = {.offset = 10 * BLOCK, .bytes = BLOCK, .op = IO_READ, .tag = 9};
	struct io_done done;
	assert_int_equal(t->ops->submit(t, &io), 0);
	assert_int_equal(t->ops->reap(t, &done, 1, NSEC_NEVER), 1);
	assert_int_equal(done.bytes, 4096);
	assert_int_equal(done.status, -EIO);
	t->ops->close(t);
}

static void nonsense_is_not_queued(void **state)
{
	struct target_options o = options(*(bool *)*state);
	struct target *t = must_open(&o);
	const struct io bad[] = {
		{.offset = 0, .bytes = 0},
		{.offset = 1, .bytes = 4096},
		{.offset = 0, .bytes = 100},
		{.offset = 0, .bytes = 2 * BLOCK},
		{.offset = FILE_BYTES, .bytes = 4096},
		{.offset = UINT64_MAX - 4095, .bytes = 4096},
	};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		assert_int_equal(t->ops->submit(t, &bad[i]), -EINVAL);
	struct io io = {.bytes = 4096, .op = IO_READ};
	for (int i = 0; i < 8; i++)
		assert_int_equal(t->ops->submit(t, &io), 0);
	assert_int_equal(t->ops->submit(t, &io), -EBUSY);
	t->ops->close(t); /* with eight in flight */
}

static void reap_returns_in_time(void **state)
{
	struct target_options o = options(*(bool *)*state);
	struct target *t = must_open(&o);
	struct io_done done;
	nsec before = nsec_now();
	assert_int_equal(t->ops->reap(t, &done, 1, before + 20 * NSEC_PER_MSEC), 0);
	assert_true(nsec_now() >= before + 20 * NSEC_PER_MSEC);
	interrupted = 1;
	assert_int_equal(t->ops->reap(t, &done, 1, NSEC_NEVER), 0);
	assert_int_equal(t->ops->idle(t, NSEC_NEVER), -EINTR);
	interrupted = 0;
	assert_int_equal(t->ops->idle(t, nsec_now() + NSEC_PER_MSEC), 0);
	t->ops->close(t);
}

static void *interrupt_soon(void *arg)
{
	usleep(20000);
	interrupted = 1;
	return NULL;
}

static void a_signal_ends_the_wait(void **state)
{
	struct target_options o = options(*(bool *)*state);
	struct target *t = must_open(&o);
	struct io_done done;
	pthread_t thread;
	pthread_create(&thread, NULL, interrupt_soon, NULL);
	assert_int_equal(t->ops->reap(t, &done, 1, NSEC_NEVER), 0);
	pthread_join(thread, NULL);
	interrupted = 0;
	pthread_create(&thread, NULL, interrupt_soon, NULL);
	assert_int_equal(t->ops->idle(t, NSEC_NEVER), -EINTR);
	pthread_join(thread, NULL);
	t->ops->close(t);
}

static void erase_and_trim_free_the_blocks(void **state)
{
	struct target_options o = options(*(bool *)*state);
	struct target *t = must_open(&o);
	int status = 0;
	struct stat st;
	assert_int_equal(stream(t, IO_WRITE, 0, 1, BLOCKS, 4, &status), 0);
	stat(file, &st);
	assert_true((uint64_t)st.st_blocks * 512 >= FILE_BYTES);
	assert_int_equal(t->ops->trim(t, 0, FILE_BYTES / 2), 0);
	assert_int_equal(stream(t, IO_READ, IO_VERIFY, 1, BLOCKS, 4, &status), BLOCKS / 2);
	assert_int_equal(t->ops->erase(t, ERASE_NONE), 0);
	assert_int_equal(t->ops->erase(t, ERASE_SANITIZE), -EOPNOTSUPP);
	assert_int_equal(t->ops->erase(t, ERASE_DEFAULT), 0);
	stat(file, &st);
	assert_int_equal(st.st_size, FILE_BYTES);
	assert_true((uint64_t)st.st_blocks * 512 < BLOCK);
	/* What a read left behind must not become the next write's data: it stays incompressible after reading zeros.
	 */
	assert_int_equal(stream(t, IO_READ, 0, 1, BLOCKS, 8, &status), 0);
	assert_int_equal(stream(t, IO_WRITE, 0, 3, BLOCKS, 8, &status), 0);
	assert_int_equal(stream(t, IO_READ, IO_VERIFY, 3, BLOCKS, 8, &status), 0);
	t->ops->close(t);
}

static void read_only_writes_nothing(void **state)
{
	struct target_options o = options(*(bool *)*state);
	open_and_close(&o);
	o.read_only = true;
	struct target *t = must_open(&o);
	int status = 0;
	assert_int_equal(stream(t, IO_READ, 0, 0, BLOCKS, 4, &status), 0);
	assert_int_equal(stream(t, IO_WRITE, 0, 0, 4, 4, &status), 4);
	assert_int_equal(status, -EBADF);
	assert_int_equal(t->ops->trim(t, 0, BLOCK), -EBADF);
	assert_int_equal(t->ops->erase(t, ERASE_DISCARD), -EBADF);
	t->ops->close(t);
	/* A file that is not there: its place is tried out, and nothing is left in it. */
	unlink(file);
	t = must_open(&o);
	struct identity id;
	assert_int_equal(t->ops->identify(t, &id, NULL), 0);
	assert_int_equal(id.capacity_bytes, FILE_BYTES);
	assert_int_equal(stream(t, IO_WRITE, 0, 0, 4, 4, &status), 4);
	assert_int_equal(access(file, F_OK), -1);
	t->ops->close(t);
}

/* A full disk: a tmpfs of 2 MiB (which takes direct I/O since Linux 6.6). */
static void a_full_disk_is_a_status(void **state)
{
	char mount_point[80], old[sizeof file];
	snprintf(mount_point, sizeof mount_point, "%s/small", dir);
	mkdir(mount_point, 0755);
	if (mount("tmpfs", mount_point, "tmpfs", 0, "size=2m")) {
		print_message("skipped: cannot mount a tmpfs (%s)\n", strerror(errno));
		skip();
	}
	memcpy(old, file, sizeof old);
	snprintf(file, sizeof file, "%s/f", mount_point);
	struct target_options o = options(*(bool *)*state);
	struct target *t = NULL;
	struct err err = {0};
	int opened = target_open_path(&t, file, &o, &err);
	if (opened == 0) {
		int status = 0;
		unsigned failed = stream(t, IO_WRITE, 0, 1, BLOCKS, 2, &status);
		t->ops->close(t);
		umount2(mount_point, MNT_DETACH);
		memcpy(file, old, sizeof old);
		assert_int_equal(status, -ENOSPC);
		assert_in_range(failed, BLOCKS / 2, BLOCKS - 1);
		return;
	}
	bool left = access(file, F_OK) == 0;
	umount2(mount_point, MNT_DETACH);
	memcpy(file, old, sizeof old);
	assert_false(left); /* nothing is left behind */
	assert_non_null(strstr(err.text, "O_DIRECT"));
}

/* ramfs never takes O_DIRECT. */
static void no_direct_io_is_refused(void **state)
{
	char mount_point[80], old[sizeof file];
	snprintf(mount_point, sizeof mount_point, "%s/ram", dir);
	mkdir(mount_point, 0755);
	if (mount("ramfs", mount_point, "ramfs", 0, NULL)) {
		print_message("skipped: cannot mount a ramfs (%s)\n", strerror(errno));
		skip();
	}
	memcpy(old, file, sizeof old);
	snprintf(file, sizeof file, "%s/f", mount_point);
	struct target_options o = options(*(bool *)*state);
	struct target *t = NULL;
	struct err err = {0};
	int opened = target_open_path(&t, file, &o, &err);
	bool left = access(file, F_OK) == 0;
	umount2(mount_point, MNT_DETACH);
	memcpy(file, old, sizeof old);
	assert_int_equal(opened, -1);
	assert_int_equal(err.code, EXIT_USAGE);
	assert_non_null(strstr(err.text, "another file system"));
	assert_false(left);
}

/* Opening must fail with this code and a text that holds `part`. */
static void refused(const char *path, const struct target_options *o, enum exit_code code, const char *part)
{
	struct target *t = NULL;
	struct err err = {0};
	assert_int_equal(target_open_path(&t, path, o, &err), -1);
	assert_null(t);
	if (err.code != code || !strstr(err.text, part) || strchr(err.text, '\n'))
		fail_msg("'%s' gave exit %d, %s", path, err.code, err.text);
}

static void bad_paths(void **state)
{
	struct target_options o = options(false), no_size = o;
	no_size.size = 0;
	refused(file, &no_size, EXIT_USAGE, "--size");
	refused(dir, &o, EXIT_USAGE, "a directory");
	refused("/nonexistent/x", &o, EXIT_USAGE, "a directory that exists");
	refused("/dev/nvme77n1", &o, EXIT_USAGE, "no such device");
	assert_int_equal(access("/dev/nvme77n1", F_OK), -1);
	refused("/dev/null", &o, EXIT_USAGE, "neither a file");
	struct target_options tiny = o, huge = o;
	tiny.size = 4095;
	refused(file, &tiny, EXIT_USAGE, "smallest size is 4 KiB");
	huge.size = (uint64_t)1 << 62;
	refused(file, &huge, EXIT_USAGE, "--size");
	assert_int_equal(access(file, F_OK), -1);

	char zeros[4096] = {0};
	make_file(zeros, 100);
	refused(file, &no_size, EXIT_USAGE, "less than one block");
	make_file(zeros, 4096);
	refused(file, &o, EXIT_USAGE, "keeps its size");
	refused(file, &tiny, EXIT_USAGE, "smallest size is 4 KiB");
	chmod(file, 0444);
	refused(file, &no_size, EXIT_NOT_PERMITTED, "read-only");
	char long_path[2000];
	memset(long_path, 'x', sizeof long_path - 1);
	long_path[sizeof long_path - 1] = 0;
	refused(long_path, &o, EXIT_USAGE, "too long");
}

static bool answer_yes(const char *question, const char *expected)
{
	assert_non_null(strstr(question, file));
	assert_string_equal(expected, file);
	return true;
}

static bool answer_no(const char *question, const char *expected)
{
	return false;
}

/* An existing file is used where nothing is lost by it: somebody's data needs their word. */
static void data_of_others_is_kept(void **state)
{
	char data[8192] = {0};
	struct target_options o = options(false);
	o.size = 0;
	make_file(data, sizeof data); /* all zero */
	open_and_close(&o);
	data[5000] = 'x';
	make_file(data, sizeof data);
	refused(file, &o, EXIT_REFUSED, "--destroy");
	o.destroy = "other";
	refused(file, &o, EXIT_REFUSED, "does not name it");
	o.destroy = NULL;
	o.confirm = answer_no;
	refused(file, &o, EXIT_REFUSED, "not confirmed");
	o.confirm = answer_yes;
	open_and_close(&o);
	o.confirm = NULL;
	o.destroy = file;
	open_and_close(&o);
	o.destroy = NULL;
	o.read_only = true;
	open_and_close(&o);
}

/* Without memory that may be locked, io_uring goes on with plain buffers and says so. (CAP_IPC_LOCK knows no limit, so
 * this needs a user without it: the test's child becomes one.) */
static void no_locked_memory_is_told(void **state)
{
	if (geteuid() != 0) {
		print_message("skipped: needs root to give up its rights\n");
		skip();
	}
	make_file("", 0);
	assert_int_equal(truncate(file, FILE_BYTES), 0);
	chmod(file, 0666);
	pid_t child = fork();
	if (child == 0) {
		struct rlimit none = {256 * 1024, 256 * 1024}; /* enough for the ring */
		setrlimit(RLIMIT_MEMLOCK, &none);
		if (chmod(dir, 0755) || setgid(65534) || setuid(65534))
			_exit(9);
		struct target_options o = options(false);
		struct target *t;
		struct identity id;
		struct err err = {0};
		if (target_open_path(&t, file, &o, &err)) {
			fprintf(stderr, "%s\n", err.text);
			_exit(8);
		}
		t->ops->identify(t, &id, NULL);
		int status = 0;
		unsigned failed = stream(t, IO_WRITE, 0, 1, BLOCKS, 4, &status);
		failed += stream(t, IO_READ, IO_VERIFY, 1, BLOCKS, 4, &status);
		t->ops->close(t);
		_exit(strcmp(id.engine, "io_uring, plain buffers") ? 7 : failed ? 6 : 0);
	}
	int result;
	waitpid(child, &result, 0);
	assert_true(WIFEXITED(result));
	assert_int_equal(WEXITSTATUS(result), 0);
}

int main(void)
{
	static bool uring = false, pread = true;
	snprintf(dir, sizeof dir, "test-path-XXXXXX");
	if (!mkdtemp(dir))
		return 1;
	snprintf(file, sizeof file, "%s/target", dir);
#define BOTH(f)                                                                                                        \
	{"io_uring: " #f, f, fresh, NULL, &uring},                                                                     \
	{                                                                                                              \
		"pread: " #f, f, fresh, NULL, &pread                                                                   \
	}
	const struct CMUnitTest tests[] = {
		BOTH(io_at_every_depth),
		BOTH(a_flipped_bit_is_found),
		BOTH(a_file_that_shrank_is_an_error),
		BOTH(nonsense_is_not_queued),
		BOTH(reap_returns_in_time),
		BOTH(a_signal_ends_the_wait),
		BOTH(erase_and_trim_free_the_blocks),
		BOTH(read_only_writes_nothing),
		BOTH(a_full_disk_is_a_status),
		BOTH(no_direct_io_is_refused),
		cmocka_unit_test_setup(bad_paths, fresh),
		cmocka_unit_test_setup(data_of_others_is_kept, fresh),
		cmocka_unit_test_setup(no_locked_memory_is_told, fresh),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	char command[128];
	snprintf(command, sizeof command, "rm -rf %s", dir);
	return system(command) || failed;
}
