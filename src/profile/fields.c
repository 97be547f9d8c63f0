// SPDX-License-Identifier: MIT
#include "profile/fields.h"

#define AT(member) offsetof(struct ssdmodel_params, member)
#define US 1e3
#define MS 1e6
#define S 1e9
#define KIB 1024
#define MIB 1048576
#define GB 1e9

const cyaml_strval_t profile_policies[3] = {
	{"direct", SSDMODEL_DIRECT}, {"fold", SSDMODEL_FOLD}, {"mixed", SSDMODEL_MIXED}};

/* docs/model.md explains each. */
const struct section_fields profile_sections[SECTIONS] = {
	[SECTION_LINK] = {"link",
		{
			{"mb_per_s", FIELD_U64, AT(link.bytes_per_s), 1e6},
			{"half_duplex", FIELD_BOOL, AT(link.half_duplex), 1},
		}},
	[SECTION_HOST] = {"host",
		{
			{"submit_us", FIELD_NSEC, AT(host.submit), US},
			{"complete_us", FIELD_NSEC, AT(host.complete), US},
		}},
	[SECTION_CONTROLLER] = {"controller",
		{
			{"cores", FIELD_U32, AT(controller.cores), 1},
			{"read_command_us", FIELD_NSEC, AT(controller.read_command), US},
			{"write_command_us", FIELD_NSEC, AT(controller.write_command), US},
			{"read_4k_us", FIELD_NSEC, AT(controller.read_4k), US},
			{"write_4k_us", FIELD_NSEC, AT(controller.write_4k), US},
			{"read_latency_us", FIELD_NSEC, AT(controller.read_latency), US},
			{"write_latency_us", FIELD_NSEC, AT(controller.write_latency), US},
			{"background_4k_us", FIELD_NSEC, AT(controller.background_4k), US},
			{"write_buffer_kib", FIELD_U64, AT(controller.write_buffer_bytes), KIB},
			{"readahead_streams", FIELD_U32, AT(controller.readahead_streams), 1},
			{"readahead_trigger", FIELD_U32, AT(controller.readahead_trigger), 1},
			{"readahead_kib", FIELD_U64, AT(controller.readahead_bytes), KIB},
		}},
	[SECTION_NAND] = {"nand",
		{
			{"channels", FIELD_U32, AT(nand.channels), 1},
			{"dies_per_channel", FIELD_U32, AT(nand.dies_per_channel), 1},
			{"channel_mts", FIELD_U64, AT(nand.channel_bytes_per_s), 1e6},
			{"channel_overhead_us", FIELD_NSEC, AT(nand.channel_overhead), US},
			{"planes", FIELD_U32, AT(nand.planes), 1},
			{"page_kib", FIELD_U32, AT(nand.page_bytes), KIB},
			{"pages_per_block", FIELD_U32, AT(nand.pages_per_block), 1},
			{"blocks_per_plane", FIELD_U32, AT(nand.blocks_per_plane), 1},
			{"bits_per_cell", FIELD_U32, AT(nand.bits_per_cell), 1},
			{"cache_register", FIELD_BOOL, AT(nand.cache_register), 1},
			{"on_chip_copy", FIELD_BOOL, AT(nand.on_chip_copy), 1},
			{"in_place", FIELD_BOOL, AT(nand.in_place), 1},
			{"rated_cycles", FIELD_U32, AT(nand.rated_cycles), 1},
		}},
	[SECTION_SLC] = {"nand.slc",
		{
			{"tr_us", FIELD_NSEC, AT(nand.slc.tr), US},
			{"tr_4k_us", FIELD_NSEC, AT(nand.slc.tr_4k), US},
			{"tprog_us", FIELD_NSEC, AT(nand.slc.tprog), US},
			{"terase_us", FIELD_NSEC, AT(nand.slc.terase), US},
			{"die_kib", FIELD_U32, AT(nand.slc.die_bytes), KIB},
		}},
	[SECTION_NATIVE] = {"nand.native",
		{
			{"tr_us", FIELD_NSEC, AT(nand.native.tr), US},
			{"tr_4k_us", FIELD_NSEC, AT(nand.native.tr_4k), US},
			{"tprog_us", FIELD_NSEC, AT(nand.native.tprog), US},
			{"terase_us", FIELD_NSEC, AT(nand.native.terase), US},
			{"die_kib", FIELD_U32, AT(nand.native.die_bytes), KIB},
		}},
	[SECTION_MAP] = {"map",
		{
			{"cache_kib", FIELD_U64, AT(map.cache_bytes), KIB},
			{"segment_kib", FIELD_U32, AT(map.segment_bytes), KIB},
		}},
	[SECTION_PSLC] = {"pslc",
		{
			{"static_mib", FIELD_U64, AT(pslc.static_bytes), MIB},
			{"dynamic_permille", FIELD_U32, AT(pslc.dynamic_permille), 1},
			{"dynamic_cap_permille", FIELD_U32, AT(pslc.dynamic_cap_permille), 1},
			{"dynamic_cap_gb", FIELD_U64, AT(pslc.dynamic_cap_bytes), GB},
			{"exhaustion", FIELD_POLICY, AT(pslc.exhaustion), 1},
			{"mixed_direct_permille", FIELD_U32, AT(pslc.mixed_direct_permille), 1},
			{"reuse_gb", FIELD_U64, AT(pslc.reuse_bytes), GB},
			{"busy_fold_permille", FIELD_U32, AT(pslc.busy_fold_permille), 1},
			{"busy_fold_start_permille", FIELD_U32, AT(pslc.busy_fold_start_permille), 1},
			{"idle_keep_gb", FIELD_U64, AT(pslc.idle_keep_bytes), GB},
		}},
	[SECTION_BACKGROUND] = {"background",
		{
			{"idle_delay_ms", FIELD_NSEC, AT(background.idle_delay), MS},
			{"idle_permille", FIELD_U32, AT(background.idle_permille), 1},
			{"low_blocks", FIELD_U32, AT(background.low_blocks), 1},
			{"high_blocks", FIELD_U32, AT(background.high_blocks), 1},
			{"wear_spread", FIELD_U32, AT(background.wear_spread), 1},
			{"format_s", FIELD_NSEC, AT(background.format_time), S},
			{"format_permille", FIELD_U32, AT(background.format_permille), 1},
			{"late_erase_gb", FIELD_U64, AT(background.late_erase_bytes), GB},
			{"late_erase_planes", FIELD_U32, AT(background.late_erase_planes), 1},
		}},
	[SECTION_POWER] = {"power",
		{
			{"idle_mw", FIELD_U32, AT(power.idle_mw), 1},
			{"active_mw", FIELD_U32, AT(power.active_mw), 1},
			{"core_mw", FIELD_U32, AT(power.core_mw), 1},
			{"channel_mw", FIELD_U32, AT(power.channel_mw), 1},
			{"link_pj_per_byte", FIELD_U32, AT(power.link_pj_per_byte), 1},
			{"die_read_mw", FIELD_U32, AT(power.die_read_mw), 1},
			{"die_read_4k_mw", FIELD_U32, AT(power.die_read_4k_mw), 1},
			{"die_program_mw", FIELD_U32, AT(power.die_program_mw), 1},
			{"die_erase_mw", FIELD_U32, AT(power.die_erase_mw), 1},
		}},
	[SECTION_HEAT] = {"heat",
		{
			{"c_per_w", FIELD_U32, AT(heat.mc_per_w), 1000},
			{"time_constant_s", FIELD_NSEC, AT(heat.time_constant), S},
			{"ambient_c", FIELD_I32, AT(heat.ambient_mc), 1000},
			{"sensor_offset_c", FIELD_I32, AT(heat.sensor_mc), 1000},
			{"throttle_c", FIELD_I32, AT(heat.throttle_mc), 1000},
			{"hysteresis_c", FIELD_I32, AT(heat.hysteresis_mc), 1000},
			{"throttle_permille", FIELD_U32, AT(heat.throttle_permille), 1},
		}},
};
