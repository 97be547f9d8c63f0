// SPDX-License-Identifier: MIT
/* Our decoder against libnvme's structures: those are filled, ours must read the same. */
#include "unit.h"

#include "base/rng.h"
#include "target/nvme_codec.h"

#include <endian.h>
#include <libnvme.h>
#include <math.h>
#include <string.h>

_Static_assert(sizeof(struct nvme_id_ctrl) == NVME_PAGE && sizeof(struct nvme_id_ns) == NVME_PAGE, "");
_Static_assert(sizeof(struct nvme_smart_log) == NVME_SMART_BYTES, "");

static void fill_randomly(void *p, size_t n, struct rng *r)
{
	for (size_t i = 0; i < n; i++)
		((uint8_t *)p)[i] = (uint8_t)rng_next(r);
}

static void a_controller(void **state)
{
	struct nvme_id_ctrl id = {.vid = htole16(0x144d),
		.mdts = 7,
		.ver = htole32(0x10300),
		.nn = htole32(3),
		.oacs = htole16(NVME_CTRL_OACS_FORMAT),
		.fna = NVME_CTRL_FNA_FMT_ALL_NAMESPACES | NVME_CTRL_FNA_CRYPTO_ERASE,
		.sanicap = htole32(NVME_CTRL_SANICAP_BES | NVME_CTRL_SANICAP_OWS),
		.oncs = htole16(NVME_CTRL_ONCS_DSM),
		.vwc = NVME_CTRL_VWC_PRESENT,
		.apsta = NVME_CTRL_APSTA_APST,
		.ctratt = htole32(NVME_CTRL_CTRATT_NON_OP_PSP | 1 << 21),
		.wctemp = htole16(273 + 85),
		.cctemp = htole16(273 + 90),
		.hctma = htole16(1),
		.mntmt = htole16(273 + 30),
		.mxtmt = htole16(273 + 80),
		.npss = 2};
	memcpy(id.sn, "S4EWNX0R  123456    ", 20);
	memcpy(id.mn, "Samsung SSD 970 EVO Plus 2TB            ", 40);
	memcpy(id.fr, "2B2Q\0\0\0\0", 8);
	uint64_t bytes = htole64(2000398934016);
	memcpy(id.tnvmcap, &bytes, 8);
	id.psd[0] = (struct nvme_id_psd){.mp = htole16(750),
		.idlp = htole16(5000),
		.ips = NVME_PSD_PS_100_MICRO_WATT << 6,
		.actp = htole16(620),
		.apws = NVME_PSD_PS_10_MILLI_WATT << 6};
	id.psd[1] = (struct nvme_id_psd){.mp = htole16(590), .enlat = htole32(7), .exlat = htole32(9)};
	id.psd[2] = (struct nvme_id_psd){.mp = htole16(50),
		.flags = NVME_PSD_FLAGS_MXPS | NVME_PSD_FLAGS_NOPS,
		.enlat = htole32(2000),
		.exlat = htole32(1200)};
	struct nvme_controller c;
	nvme_decode_controller(&c, (const uint8_t *)&id);
	assert_string_equal(c.serial, "S4EWNX0R  123456");
	assert_string_equal(c.model, "Samsung SSD 970 EVO Plus 2TB");
	assert_string_equal(c.firmware, "2B2Q");
	assert_int_equal(c.vendor, 0x144d);
	assert_int_equal(c.version, 0x10300);
	assert_int_equal(c.max_transfer_bytes, 512 * 1024);
	assert_int_equal(c.total_bytes, 2000398934016);
	assert_int_equal(c.namespaces, 3);
	assert_true(c.can_format && c.format_is_of_all && !c.format_erases_all && c.format_crypto);
	assert_true(c.sanitize_block && c.sanitize_overwrite && !c.sanitize_crypto);
	assert_true(
		c.can_deallocate && c.has_write_cache && c.has_apst && c.background_in_low_power && c.measures_power);
	assert_float_equal(c.warning_c, 85, 0);
	assert_float_equal(c.critical_c, 90, 0);
	assert_float_equal(c.throttle_light_min_c, 30, 0);
	assert_float_equal(c.throttle_max_c, 80, 0);
	assert_int_equal(c.power_states, 3);
	assert_float_equal(c.power[0].max_watts, 7.5, 1e-12);
	assert_float_equal(c.power[0].idle_watts, 0.5, 1e-12);
	assert_float_equal(c.power[0].active_watts, 6.2, 1e-12);
	assert_true(c.power[0].operational && c.power[1].operational && !c.power[2].operational);
	assert_true(isnan(c.power[1].idle_watts) && isnan(c.power[1].active_watts));
	assert_int_equal(c.power[1].entry_us, 7);
	assert_float_equal(c.power[2].max_watts, 0.005, 1e-12);
	assert_int_equal(c.power[2].exit_us, 1200);

	memset(&id, 0, sizeof id);
	nvme_decode_controller(&c, (const uint8_t *)&id);
	assert_string_equal(c.serial, "");
	assert_int_equal(c.max_transfer_bytes, 0);
	assert_true(isnan(c.warning_c) && isnan(c.throttle_max_c) && isnan(c.power[0].max_watts));
	assert_false(c.can_format || c.sanitize_block || c.has_apst);
}

static void a_namespace(void **state)
{
	struct nvme_id_ns ns = {.nsze = htole64(1000),
		.nuse = htole64(17),
		.nlbaf = 2,
		.flbas = 1 | NVME_NS_FLBAS_META_EXT,
		.dps = NVME_NS_DPS_PI_TYPE2 | NVME_NS_DPS_PI_FIRST,
		.nguid = {1, 2, 3},
		.eui64 = {9}};
	ns.lbaf[0] = (struct nvme_lbaf){.ds = 9, .rp = 2};
	ns.lbaf[1] = (struct nvme_lbaf){.ds = 12, .ms = htole16(8)};
	struct nvme_namespace n;
	nvme_decode_namespace(&n, (const uint8_t *)&ns);
	assert_int_equal(n.blocks, 1000);
	assert_int_equal(n.used_blocks, 17);
	assert_int_equal(n.formats, 3);
	assert_int_equal(n.format, 1);
	assert_int_equal(n.block_bytes, 4096);
	assert_int_equal(n.metadata_bytes, 8);
	assert_true(n.metadata_inline && n.protection_first);
	assert_int_equal(n.protection, 2);
	assert_int_equal(n.choice[0].block_bytes, 512);
	assert_int_equal(n.choice[0].relative_performance, 2);
	assert_int_equal(n.choice[2].block_bytes, 0); /* not available */
	assert_int_equal(n.nguid[2], 3);
	assert_int_equal(n.eui64[0], 9);
	ns.nlbaf = 20; /* more than 16: two more bits of the index */
	ns.flbas = 1 | 1 << 5;
	ns.lbaf[17] = (struct nvme_lbaf){.ds = 10};
	nvme_decode_namespace(&n, (const uint8_t *)&ns);
	assert_int_equal(n.format, 17);
	assert_int_equal(n.block_bytes, 1024);
}

static void smart(void **state)
{
	struct nvme_smart_log log = {.critical_warning = 2,
		.temperature = {(273 + 41) & 255, (273 + 41) >> 8},
		.avail_spare = 100,
		.spare_thresh = 10,
		.percent_used = 3,
		.data_units_read = {10},
		.data_units_written = {0, 0, 1},
		.host_reads = {5},
		.host_writes = {6},
		.ctrl_busy_time = {7},
		.power_cycles = {8},
		.power_on_hours = {9},
		.unsafe_shutdowns = {10},
		.media_errors = {11},
		.num_err_log_entries = {12},
		.warning_temp_time = htole32(13),
		.critical_comp_time = htole32(14),
		.thm_temp1_trans_count = htole32(15),
		.thm_temp2_trans_count = htole32(16),
		.thm_temp1_total_time = htole32(17),
		.thm_temp2_total_time = htole32(18)};
	struct nvme_smart s;
	nvme_decode_smart(&s, (const uint8_t *)&log);
	assert_int_equal(s.warnings, 2);
	assert_float_equal(s.temperature_c, 41, 0);
	assert_int_equal(s.spare_percent, 100);
	assert_int_equal(s.spare_threshold_percent, 10);
	assert_int_equal(s.used_percent, 3);
	assert_float_equal(s.read_bytes, 5120000, 0);
	assert_float_equal(s.written_bytes, 65536 * 512000., 0);
	assert_float_equal(s.read_commands + s.write_commands, 11, 0);
	assert_float_equal(s.busy_minutes, 7, 0);
	assert_float_equal(s.power_cycles, 8, 0);
	assert_float_equal(s.power_on_hours, 9, 0);
	assert_float_equal(s.unsafe_shutdowns, 10, 0);
	assert_float_equal(s.media_errors, 11, 0);
	assert_float_equal(s.error_entries, 12, 0);
	assert_int_equal(s.warning_minutes, 13);
	assert_int_equal(s.critical_minutes, 14);
	assert_int_equal(s.throttle_light_count, 15);
	assert_int_equal(s.throttle_heavy_count, 16);
	assert_int_equal(s.throttle_light_seconds, 17);
	assert_int_equal(s.throttle_heavy_seconds, 18);
	assert_true(isnan(s.watts) && isnan(s.lifetime_wh));
	/* TP4199: 4.37 W as 437 units of 10 mW, 123456 Wh */
	uint8_t *raw = (uint8_t *)&log;
	uint64_t wh = htole64(123456);
	uint32_t power = htole32(437 | 2 << 16);
	memcpy(raw + 232, &wh, 8);
	memcpy(raw + 240, &power, 4);
	nvme_decode_smart(&s, raw);
	assert_float_equal(s.watts, 4.37, 1e-12);
	assert_float_equal(s.lifetime_wh, 123456, 0);
	power = htole32(437 | 1 << 16);
	memcpy(raw + 240, &power, 4);
	nvme_decode_smart(&s, raw);
	assert_float_equal(s.watts, 0.0437, 1e-12);
}

/* Log 25h: offsets 1 generation, 2 attributes, 8 count, 40 mean, 44 maximum (value, 2 bits of scale), 56 error. */
static void power_log(void **state)
{
	uint8_t log[NVME_POWER_LOG_BYTES] = {0};
	struct nvme_power_log a, b;
	nvme_decode_power_log(&a, log);
	assert_true(!a.enabled && !a.estimated && isnan(a.mean_watts) && isnan(a.max_watts));
	assert_float_equal(a.error_percent, 0, 0);
	log[1] = 3;
	log[2] = 1 | 1 << 2;
	log[8] = 10;
	uint32_t mean = htole32(400 | 2 << 16), most = htole32(9999 | 1 << 16);
	memcpy(log + 40, &mean, 4);
	memcpy(log + 44, &most, 4);
	log[56] = 255;
	nvme_decode_power_log(&a, log);
	assert_true(a.enabled && a.estimated && isnan(a.error_percent));
	assert_int_equal(a.intervals, 10);
	assert_float_equal(a.mean_watts, 4.0, 1e-12);
	assert_float_equal(a.max_watts, 0.9999, 1e-12);
	/* Ten seconds at 4 W, then 30 s that bring the mean of 40 s to 7 W: those were at 8 W. */
	log[8] = 40;
	mean = htole32(700 | 2 << 16);
	memcpy(log + 40, &mean, 4);
	nvme_decode_power_log(&b, log);
	assert_float_equal(nvme_power_between(&a, &b), 8.0, 1e-9);
	assert_true(isnan(nvme_power_between(&b, &b)));
	log[1] = 4; /* started anew */
	nvme_decode_power_log(&b, log);
	assert_true(isnan(nvme_power_between(&a, &b)));
}

static void sanitize(void **state)
{
	struct nvme_sanitize_log_page log = {
		.sprog = htole16(16384), .sstat = htole16(2), .etbe = htole32(90), .etce = htole32(UINT32_MAX)};
	struct nvme_sanitize s;
	nvme_decode_sanitize(&s, (const uint8_t *)&log);
	assert_int_equal(s.state, NVME_SANITIZE_RUNNING);
	assert_float_equal(s.progress, 0.25, 1e-9);
	assert_int_equal(s.block_seconds, 90);
	assert_int_equal(s.crypto_seconds, 0);
	log.sstat = htole16(1 | 1 << 8);
	log.sprog = htole16(65535);
	nvme_decode_sanitize(&s, (const uint8_t *)&log);
	assert_int_equal(s.state, NVME_SANITIZE_DONE);
	assert_float_equal(s.progress, 1, 0);
}

static void media_bytes(void **state)
{
	uint8_t log[NVME_OCP_SMART_BYTES] = {0};
	log[1] = 1;
	assert_true(isnan(nvme_decode_ocp_media_bytes(log)));
	static const char guid[] = "\xc5\xaf\x10\x28\xea\xbf\xf2\xa4\x9c\x4f\x6f\x7c\xc9\x14\xd5\xaf";
	memcpy(log + 496, guid, 16);
	assert_float_equal(nvme_decode_ocp_media_bytes(log), 256, 0);
}

static void autonomous_power_states(void **state)
{
	struct nvme_feat_auto_pst table = {0};
	assert_false(nvme_apst_has_transitions((const uint8_t *)&table));
	table.apst_entry[2] = htole64(3 << NVME_APST_ENTRY_ITPS_SHIFT); /* no idle time: no transition */
	assert_false(nvme_apst_has_transitions((const uint8_t *)&table));
	table.apst_entry[2] = htole64((uint64_t)100 << NVME_APST_ENTRY_ITPT_SHIFT | 3 << NVME_APST_ENTRY_ITPS_SHIFT);
	assert_true(nvme_apst_has_transitions((const uint8_t *)&table));
}

/* Garbage must do no harm: sanitizers watch. */
static void garbage(void **state)
{
	struct rng r;
	rng_seed(&r, 1);
	uint8_t page[NVME_PAGE];
	for (int i = 0; i < 2000; i++) {
		fill_randomly(page, sizeof page, &r);
		struct nvme_controller c;
		nvme_decode_controller(&c, page);
		assert_in_range(c.power_states, 1, NVME_MAX_POWER_STATES);
		assert_true(strlen(c.model) <= 40 && strlen(c.serial) <= 20);
		struct nvme_namespace n;
		nvme_decode_namespace(&n, page);
		assert_in_range(n.formats, 1, NVME_MAX_FORMATS);
		struct nvme_smart s;
		nvme_decode_smart(&s, page);
		struct nvme_power_log p;
		nvme_decode_power_log(&p, page);
		struct nvme_sanitize z;
		nvme_decode_sanitize(&z, page);
		assert_true(z.progress >= 0 && z.progress <= 1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_controller),
		cmocka_unit_test(a_namespace),
		cmocka_unit_test(smart),
		cmocka_unit_test(power_log),
		cmocka_unit_test(sanitize),
		cmocka_unit_test(media_bytes),
		cmocka_unit_test(autonomous_power_states),
		cmocka_unit_test(garbage),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
