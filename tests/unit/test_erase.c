// SPDX-License-Identifier: MIT
/* Erasing an NVMe drive, on one made of a few functions: which commands it gets, when the guard forbids them, and what
 * is said when it does not do as told. A regular file stands for the medium that the probes read. */
#include "unit.h"

#include "target/data.h"
#include "target/erase.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <libnvme.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BYTES = 1 << 20 };

/* A drive: what it can and what it was told. */
static struct {
	struct nvme_id_ctrl id;
	uint32_t nsid[4];
	int formats, sanitizes, format_status, sanitize_polls, sanitize_end;
	uint32_t formatted_nsid;
	unsigned formatted_as;
	bool keeps_data; /* lies about erasing */
	int fd;
	uint32_t apst;
	uint8_t apst_table[256];
} drive;

static void wipe(void)
{
	static const uint8_t zeros[BYTES];
	if (!drive.keeps_data)
		assert_int_equal(pwrite(drive.fd, zeros, BYTES, 0), BYTES);
}

static int identify(void *ctx, uint8_t cns, uint32_t nsid, void *data)
{
	if (cns == NVME_IDENTIFY_CNS_CTRL) {
		memcpy(data, &drive.id, sizeof drive.id);
	} else if (cns == NVME_IDENTIFY_CNS_NS) {
		struct nvme_id_ns ns = {.nsze = htole64(BYTES / 4096), .nlbaf = 1, .flbas = 1};
		ns.lbaf[0].ds = 9;
		ns.lbaf[1].ds = 12;
		memcpy(data, &ns, sizeof ns);
	} else if (cns == NVME_IDENTIFY_CNS_NS_ACTIVE_LIST) {
		memcpy(data, drive.nsid, sizeof drive.nsid);
	} else {
		return NVME_SC_INVALID_FIELD;
	}
	return 0;
}

static int get_log(void *ctx, uint8_t page, void *data, uint32_t bytes)
{
	if (page != NVME_LOG_LID_SANITIZE)
		return NVME_SC_INVALID_LOG_PAGE;
	struct nvme_sanitize_log_page log = {
		.sprog = htole16(32768), .sstat = htole16(NVME_SANITIZE_RUNNING), .etbe = htole32(1)};
	if (drive.sanitize_polls-- == 0) {
		log.sstat = htole16((uint16_t)drive.sanitize_end);
		wipe();
	}
	memcpy(data, &log, sizeof log);
	return 0;
}

static int get_feature(void *ctx, uint8_t feature, uint32_t *value, void *data, uint32_t bytes)
{
	if (feature != NVME_FEAT_FID_AUTO_PST)
		return NVME_SC_INVALID_FIELD;
	*value = drive.apst;
	memcpy(data, drive.apst_table, bytes);
	return 0;
}

static int set_feature(void *ctx, uint8_t feature, uint32_t value, void *data, uint32_t bytes)
{
	assert_int_equal(feature, NVME_FEAT_FID_AUTO_PST);
	assert_memory_equal(data, drive.apst_table, bytes);
	drive.apst = value;
	return 0;
}

static int format(void *ctx, uint32_t nsid, const struct nvme_namespace *as, unsigned timeout_ms)
{
	assert_true(timeout_ms >= 60000); /* the kernel's own 60 s reset drives in the middle of a format */
	drive.formats++;
	drive.formatted_nsid = nsid;
	drive.formatted_as = as->format;
	if (!drive.format_status)
		wipe();
	return drive.format_status;
}

static int sanitize(void *ctx, bool block_erase)
{
	drive.sanitizes++;
	return 0;
}

static const struct nvme_ops ops = {identify, get_log, get_feature, set_feature, format, sanitize};

static struct claim claim;
static struct nvme nvme;
static volatile sig_atomic_t interrupted;
static const struct target_options options = {.destroy = "S1"};
static char note[512];
static char path[] = "test-erase-XXXXXX";

static int fresh(void **state)
{
	memset(&drive, 0, sizeof drive);
	interrupted = 0;
	drive.fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	drive.nsid[0] = htole32(1);
	drive.id.oacs = htole16(NVME_CTRL_OACS_FORMAT);
	drive.id.sanicap = htole32(NVME_CTRL_SANICAP_BES);
	/* What this program wrote before. */
	struct data d;
	if (drive.fd < 0 || data_open(&d, 1, BYTES, 1, NULL))
		return -1;
	data_stamp(&d, 0, 0, BYTES, 0);
	ssize_t n = pwrite(drive.fd, data_to_write(&d, 0), BYTES, 0);
	data_close(&d);
	claim = (struct claim){
		.fd = drive.fd, .passthrough = -1, .nsid = 1, .disk = {.bytes = BYTES, .name = "nvme77n1"}};
	nvm_open_ops(&nvme, &ops, NULL, 1);
	nvme.may_erase = true;
	return n == BYTES ? 0 : -1;
}

static int done(void **state)
{
	nvm_close(&nvme);
	close(drive.fd);
	return unlink(path);
}

static int erase(enum erase_method method)
{
	struct erase_job job = {.claim = &claim,
		.nvme = &nvme,
		.options = &options,
		.interrupted = &interrupted,
		.poll = NSEC_PER_MSEC,
		.patience = 300 * NSEC_PER_MSEC};
	return erase_device(&job, method, note, sizeof note);
}

static void format_is_the_default(void **state)
{
	assert_int_equal(erase(ERASE_DEFAULT), 0);
	assert_int_equal(drive.formats, 1);
	assert_int_equal(drive.sanitizes, 0);
	assert_int_equal(drive.formatted_nsid, 1);
	assert_int_equal(drive.formatted_as, 1); /* keeps 4 KiB blocks */
	assert_string_equal(note, "format with user-data erase, all 64 probes read zeros");
}

static void none_touches_nothing(void **state)
{
	assert_int_equal(erase(ERASE_NONE), 0);
	assert_int_equal(drive.formats + drive.sanitizes, 0);
}

static void a_format_that_lies_is_found(void **state)
{
	drive.keeps_data = true;
	assert_int_equal(erase(ERASE_FORMAT), -EIO);
	assert_non_null(strstr(note, "still read what was written before"));
}

static void a_format_that_fails_is_told(void **state)
{
	drive.format_status = NVME_SC_INVALID_FORMAT | NVME_SCT_CMD_SPECIFIC << NVME_SCT_SHIFT;
	assert_int_equal(erase(ERASE_FORMAT), -EIO);
	assert_non_null(strstr(note, "format failed: "));
	drive.id.oacs = 0;
	assert_int_equal(erase(ERASE_FORMAT), -EOPNOTSUPP);
	/* The default falls back to discard, which this device does not know either. */
	assert_int_equal(erase(ERASE_DEFAULT), -EOPNOTSUPP);
	assert_string_equal(note, "the device knows no discard");
	assert_int_equal(drive.formats, 1);
}

/* FNA: the drive formats all namespaces at once, and one of them cannot be checked. */
static void another_namespace_is_safe_from_format(void **state)
{
	drive.nsid[1] = htole32(2);
	assert_int_equal(erase(ERASE_FORMAT), 0); /* FNA 0: only this one */
	for (int bit = 1; bit <= 2; bit++) {
		drive.id.fna = (uint8_t)bit;
		assert_int_equal(erase(ERASE_FORMAT), -EACCES);
		assert_non_null(strstr(note, "namespace 2"));
		assert_int_equal(erase(ERASE_DEFAULT), -EOPNOTSUPP);
		assert_int_equal(drive.formats, 1);
	}
	drive.nsid[1] = 0; /* alone on the drive: allowed */
	assert_int_equal(erase(ERASE_FORMAT), 0);
}

static void another_namespace_is_safe_from_sanitize(void **state)
{
	drive.nsid[1] = htole32(7);
	assert_int_equal(erase(ERASE_SANITIZE), -EACCES);
	assert_non_null(strstr(note, "namespace 7"));
	assert_int_equal(drive.sanitizes, 0);
}

static void a_sanitize_is_waited_for(void **state)
{
	drive.sanitize_polls = 3;
	drive.sanitize_end = NVME_SANITIZE_DONE;
	assert_int_equal(erase(ERASE_SANITIZE), 0);
	assert_int_equal(drive.sanitizes, 1);
	assert_string_equal(note, "sanitize by block erase, all 64 probes read zeros");
}

static void a_sanitize_that_does_not_end_is_explained(void **state)
{
	drive.sanitize_polls = 1000000;
	assert_int_equal(erase(ERASE_SANITIZE), -ETIMEDOUT);
	assert_non_null(strstr(note, "at 50 %"));
	assert_non_null(strstr(note, "goes on in the drive"));
	interrupted = 1;
	assert_int_equal(erase(ERASE_SANITIZE), -EINTR);
	assert_non_null(strstr(note, "goes on in the drive"));
	interrupted = 0;
	drive.sanitize_polls = 0;
	drive.sanitize_end = NVME_SANITIZE_FAILED;
	assert_int_equal(erase(ERASE_SANITIZE), -EIO);
	assert_non_null(strstr(note, "by hand"));
	drive.id.sanicap = htole32(NVME_CTRL_SANICAP_OWS); /* overwrite alone wears the drive for hours: not used */
	assert_int_equal(erase(ERASE_SANITIZE), -EOPNOTSUPP);
}

/* Without the guard's word there is no destructive command, whoever asks. */
static void nothing_without_the_guard(void **state)
{
	nvme.may_erase = false;
	assert_int_equal(erase(ERASE_FORMAT), -EACCES);
	assert_int_equal(nvm_start_sanitize(&nvme, true), -EACCES);
	assert_int_equal(drive.formats + drive.sanitizes, 0);
}

static void power_states_keep_their_table(void **state)
{
	bool before;
	drive.apst = 1;
	drive.apst_table[2 * 8 + 1] = 5; /* state 2: a transition after some idle time */
	assert_int_equal(nvm_set_apst(&nvme, false, &before), 0);
	assert_true(before);
	assert_int_equal(drive.apst, 0);
	assert_int_equal(nvm_set_apst(&nvme, true, &before), 0);
	assert_false(before);
	assert_int_equal(drive.apst, 1);
	/* Nothing to turn on where the table is empty. */
	drive.apst = 0;
	memset(drive.apst_table, 0, sizeof drive.apst_table);
	assert_int_equal(nvm_set_apst(&nvme, true, NULL), -EOPNOTSUPP);
}

int main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, fresh, done)
	const struct CMUnitTest tests[] = {
		CASE(format_is_the_default),
		CASE(none_touches_nothing),
		CASE(a_format_that_lies_is_found),
		CASE(a_format_that_fails_is_told),
		CASE(another_namespace_is_safe_from_format),
		CASE(another_namespace_is_safe_from_sanitize),
		CASE(a_sanitize_is_waited_for),
		CASE(a_sanitize_that_does_not_end_is_explained),
		CASE(nothing_without_the_guard),
		CASE(power_states_keep_their_table),
	};
	int fd = mkstemp(path);
	if (fd < 0)
		return 1;
	close(fd);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
