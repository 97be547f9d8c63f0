// SPDX-License-Identifier: MIT
#include "model/drive.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

uint64_t ssdmodel_pcie_rate(unsigned generation, unsigned lanes, unsigned efficiency_permille)
{
	static const uint64_t mega_transfers[] = {0, 2500, 5000, 8000, 16000, 32000};
	if (generation < 1 || generation > 5 || lanes < 1 || lanes > 16 || efficiency_permille > 1000)
		return 0;
	uint64_t bits = mega_transfers[generation] * 1000000 * lanes;
	bits = generation <= 2 ? bits / 10 * 8 : bits / 130 * 128; /* 8b/10b, later 128b/130b */
	return bits / 8 / 1000 * efficiency_permille;
}

/* A value with its limits; `name` as in the YAML. */
struct limit {
	const char *name;
	uint64_t value, least, most;
};

static int wrong(char *message, size_t bytes, const char *format, ...) __attribute__((format(printf, 3, 4)));
static int wrong(char *message, size_t bytes, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	if (bytes)
		vsnprintf(message, bytes, format, args);
	va_end(args);
	return -1;
}

static int check_limits(const struct limit *limits, size_t n, char *message, size_t bytes)
{
	for (const struct limit *l = limits; l < limits + n; l++) {
		if (l->value >= l->least && l->value <= l->most)
			continue;
		const char *modulo = strstr(l->name, " modulo ");
		if (modulo)
			return wrong(message, bytes, "%.*s: must be a multiple of %s", (int)(modulo - l->name), l->name,
				modulo + strlen(" modulo "));
		return wrong(message, bytes, "%s: is %" PRIu64 ", must be from %" PRIu64 " to %" PRIu64, l->name,
			l->value, l->least, l->most);
	}
	return 0;
}
#define CHECK(limits) check_limits(limits, sizeof limits / sizeof *limits, message, bytes)

#define SECOND UINT64_C(1000000000)
#define MILLE 1000

static int check_mode(const struct ssdmodel_params *p, const struct ssdmodel_cell_mode *m, const char *name,
	uint32_t bits, char *message, size_t bytes)
{
	char field[4][48];
	static const char *const last[] = {"tr_us", "tr_4k_us", "tprog_us", "terase_us"};
	for (int i = 0; i < 4; i++)
		snprintf(field[i], sizeof field[i], "nand.%s.%s", name, last[i]);
	const uint64_t most = 10 * SECOND;
	for (uint32_t i = 0; i < bits; i++) {
		const struct limit tr[] = {{field[0], (uint64_t)m->tr[i], 1, most}};
		if (CHECK(tr))
			return -1;
	}
	const struct limit limits[] = {
		{field[1], (uint64_t)m->tr_4k, 1, most},
		{field[2], (uint64_t)m->tprog, 1, most},
		{field[3], (uint64_t)m->terase, p->nand.in_place ? 0 : 1, most},
	};
	if (CHECK(limits))
		return -1;
	uint64_t mpp = (uint64_t)p->nand.planes * p->nand.page_bytes, pages = m->die_bytes / mpp;
	if (m->die_bytes % mpp || (pages < bits ? pages && bits % pages : pages % bits))
		return wrong(message, bytes,
			"nand.%s.die_kib: is %" PRIu32 " KiB, must be a whole number of multi-plane pages (%" PRIu64
			" KiB), that divides a program unit or is a multiple of one",
			name, m->die_bytes / 1024, mpp / 1024);
	uint64_t rows = p->nand.pages_per_block / p->nand.bits_per_cell, per_stripe = pages > bits ? pages / bits : 1;
	if (rows < per_stripe)
		return wrong(message, bytes, "nand.%s.die_kib: a block has no room for it", name);
	return 0;
}

static int check_space(const struct ssdmodel_params *p, bool has_slc, char *message, size_t bytes)
{
	struct layout l[2] = {0};
	uint64_t pending = 0;
	for (int mode = has_slc ? 0 : 1; mode < 2; mode++) {
		if (layout_make(&l[mode], p, mode))
			return wrong(message, bytes, "nand: out of memory");
		layout_free(&l[mode]);
		pending +=
			(uint64_t)(l[mode].interleaved ? l[mode].stripe_units : l[mode].prog_units) + l[mode].mpp_units;
	}
	if (p->controller.write_buffer_bytes < pending * SSDMODEL_UNIT)
		return wrong(message, bytes,
			"controller.write_buffer_kib: is %" PRIu64 " KiB, must be at least %" PRIu64
			" KiB: the program units under construction",
			p->controller.write_buffer_bytes / 1024, pending * SSDMODEL_UNIT / 1024);
	uint64_t native = l[NATIVE].sb_units, units = p->capacity_bytes / SSDMODEL_UNIT;
	if (p->nand.in_place) {
		if (units > native * p->nand.blocks_per_plane)
			return wrong(message, bytes, "capacity_bytes: the media hold only %" PRIu64 " bytes",
				native * p->nand.blocks_per_plane * SSDMODEL_UNIT);
		return 0;
	}
	uint64_t fixed = 0;
	if (p->pslc.static_bytes)
		fixed = (p->pslc.static_bytes / SSDMODEL_UNIT + l[SLC].sb_units - 1) / l[SLC].sb_units;
	/* An append point each may stand in a block that is nearly empty, and reclaiming keeps its mark free. */
	uint64_t kept = fixed + NSTREAMS + p->background.low_blocks;
	if (p->nand.blocks_per_plane <= kept || (p->nand.blocks_per_plane - kept) * native < units)
		return wrong(message, bytes,
			"capacity_bytes: %" PRIu64 " bytes need more flash: %" PRIu32 " super-blocks of %" PRIu64
			" bytes, of which %" PRIu64 " are kept back, hold too little",
			p->capacity_bytes, p->nand.blocks_per_plane, native * SSDMODEL_UNIT, kept);
	uint32_t shift = 6;
	while ((UINT64_C(1) << shift) < native)
		shift++;
	if (shift > 22 || ((uint64_t)p->nand.blocks_per_plane << shift) >= UNMAPPED)
		return wrong(message, bytes, "nand: too much flash for one drive (16 TiB of addresses)");
	return 0;
}

int params_check(const struct ssdmodel_params *p, char *message, size_t bytes)
{
	const uint64_t most_mw = 1000000;
	const struct limit limits[] = {
		{"capacity_bytes", p->capacity_bytes, SSDMODEL_UNIT, (uint64_t)UNMAPPED * SSDMODEL_UNIT / 2},
		{"capacity_bytes modulo 4096", p->capacity_bytes % SSDMODEL_UNIT, 0, 0},
		{"link.bytes_per_s", p->link.bytes_per_s, 1000000, 100 * SECOND},
		{"host.submit_us", (uint64_t)p->host.submit, 0, SECOND},
		{"host.complete_us", (uint64_t)p->host.complete, 0, SECOND},
		{"controller.cores", p->controller.cores, 1, SSDMODEL_MAX_CORES},
		{"controller.read_command_us", (uint64_t)p->controller.read_command, 0, SECOND},
		{"controller.write_command_us", (uint64_t)p->controller.write_command, 0, SECOND},
		{"controller.read_4k_us", (uint64_t)p->controller.read_4k, 0, SECOND},
		{"controller.write_4k_us", (uint64_t)p->controller.write_4k, 0, SECOND},
		{"controller.read_latency_us", (uint64_t)p->controller.read_latency, 0, SECOND},
		{"controller.write_latency_us", (uint64_t)p->controller.write_latency, 0, SECOND},
		{"controller.background_4k_us", (uint64_t)p->controller.background_4k, 0, SECOND},
		{"controller.write_buffer_kib", p->controller.write_buffer_bytes / 1024, 4, 16 * 1024 * 1024},
		{"controller.readahead_streams", p->controller.readahead_streams, 0, RA_STREAMS},
		{"controller.readahead_trigger", p->controller.readahead_trigger,
			p->controller.readahead_streams ? 1 : 0, 1000},
		{"controller.readahead_kib", p->controller.readahead_bytes / 1024,
			p->controller.readahead_streams ? 4 : 0, 65536},
		{"nand.channels", p->nand.channels, 1, 32},
		{"nand.dies_per_channel", p->nand.dies_per_channel, 1,
			SSDMODEL_MAX_DIES / (p->nand.channels ? p->nand.channels : 1)},
		{"nand.channel_mts", p->nand.channel_bytes_per_s / 1000000, 1, 20000},
		{"nand.channel_overhead_us", (uint64_t)p->nand.channel_overhead, 0, SECOND},
		{"nand.planes", p->nand.planes, 1, 8},
		{"nand.page_kib", p->nand.page_bytes / 1024, 4, 64},
		{"nand.page_kib modulo 4", p->nand.page_bytes % SSDMODEL_UNIT, 0, 0},
		{"nand.planes x page_kib", (uint64_t)p->nand.planes * p->nand.page_bytes / 1024, 4, 256},
		{"nand.bits_per_cell", p->nand.bits_per_cell, 1, SSDMODEL_MAX_BITS},
		{"nand.pages_per_block", p->nand.pages_per_block, p->nand.bits_per_cell, 1 << 20},
		{"nand.pages_per_block modulo bits_per_cell",
			p->nand.pages_per_block % (p->nand.bits_per_cell ? p->nand.bits_per_cell : 1), 0, 0},
		{"nand.blocks_per_plane", p->nand.blocks_per_plane, 1, 1 << 20},
		{"map.segment_kib", p->map.segment_bytes / 1024, p->map.cache_bytes ? 4 : 0, 1 << 20},
		{"map.segment_kib must be a power of 2; ones set", (uint64_t)__builtin_popcount(p->map.segment_bytes),
			0, 1},
		{"pslc.dynamic_permille", p->pslc.dynamic_permille, 0, MILLE},
		{"pslc.dynamic_cap_permille", p->pslc.dynamic_cap_permille, 0, MILLE},
		{"pslc.exhaustion", (uint64_t)p->pslc.exhaustion, SSDMODEL_DIRECT, SSDMODEL_MIXED},
		{"pslc.mixed_direct_permille", p->pslc.mixed_direct_permille, 0, MILLE},
		{"pslc.busy_fold_permille", p->pslc.busy_fold_permille, 0, 10 * MILLE},
		{"pslc.busy_fold_start_permille", p->pslc.busy_fold_start_permille, 0, MILLE},
		{"background.idle_delay_us", (uint64_t)p->background.idle_delay, 0, 3600 * SECOND},
		{"background.idle_permille", p->background.idle_permille, 1, MILLE},
		{"background.low_blocks", p->background.low_blocks, HARD_MIN_BLOCKS + 1, 10000},
		{"background.high_blocks", p->background.high_blocks, 0, 10000},
		{"background.format_time_us", (uint64_t)p->background.format_time, 0, 3600 * SECOND},
		{"background.format_permille", p->background.format_permille, 0, MILLE},
		{"background.late_erase_gb", p->background.late_erase_bytes / 1000000000, 0,
			p->nand.in_place ? 0 : 1000000},
		{"background.late_erase_planes", p->background.late_erase_planes, 0, p->nand.planes},
		{"power.idle_mw", p->power.idle_mw, 0, most_mw},
		{"power.active_mw", p->power.active_mw, 0, most_mw},
		{"power.core_mw", p->power.core_mw, 0, most_mw},
		{"power.channel_mw", p->power.channel_mw, 0, most_mw},
		{"power.link_pj_per_byte", p->power.link_pj_per_byte, 0, most_mw},
		{"power.die_read_mw", p->power.die_read_mw, 0, most_mw},
		{"power.die_read_4k_mw", p->power.die_read_4k_mw, 0, most_mw},
		{"power.die_program_mw", p->power.die_program_mw, 0, most_mw},
		{"power.die_erase_mw", p->power.die_erase_mw, 0, most_mw},
		{"power.states (number)", p->power.nstates, 0, SSDMODEL_MAX_STATES},
		{"heat.mc_per_w", p->heat.mc_per_w, 0, 1000000},
		{"heat.time_constant_s", (uint64_t)p->heat.time_constant / SECOND, p->heat.mc_per_w ? 1 : 0, 1000000},
		{"heat.throttle_c", (uint64_t)(p->heat.throttle_mc < 0), 0, 0},
		{"heat.hysteresis_c", (uint64_t)(p->heat.hysteresis_mc < 0), 0, 0},
		{"heat.throttle_permille", p->heat.throttle_permille, p->heat.throttle_mc ? 1 : 0, MILLE},
	};
	if (CHECK(limits))
		return -1;
	for (uint32_t i = 0; i < p->power.nstates; i++) {
		const struct ssdmodel_power_state *s = &p->power.states[i];
		if (s->after < 0 || s->exit < 0 || (i && s->after <= s[-1].after))
			return wrong(message, bytes,
				"power.states[%" PRIu32 "].after_ms: must be above the state's before it", i);
	}
	bool has_slc = p->pslc.static_bytes || p->pslc.dynamic_permille;
	if (has_slc && (p->nand.bits_per_cell == 1 || p->nand.in_place))
		return wrong(message, bytes, "pslc: makes no sense on %s", p->nand.in_place ? "in-place media" : "SLC");
	if (check_mode(p, &p->nand.native, "native", p->nand.bits_per_cell, message, bytes) ||
		(has_slc && check_mode(p, &p->nand.slc, "slc", 1, message, bytes)))
		return -1;
	return check_space(p, has_slc, message, bytes);
}
