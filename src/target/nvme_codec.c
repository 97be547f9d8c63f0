// SPDX-License-Identifier: MIT
#include "target/nvme_codec.h"

#include <endian.h>
#include <math.h>
#include <string.h>

static uint16_t u16(const uint8_t *p)
{
	uint16_t v;
	memcpy(&v, p, 2);
	return le16toh(v);
}

static uint32_t u32(const uint8_t *p)
{
	uint32_t v;
	memcpy(&v, p, 4);
	return le32toh(v);
}

static uint64_t u64(const uint8_t *p)
{
	uint64_t v;
	memcpy(&v, p, 8);
	return le64toh(v);
}

/* 128-bit counters, exact to 53 bits, which is 9 PB in bytes. */
static double u128(const uint8_t *p)
{
	return (double)u64(p) + (double)u64(p + 8) * 0x1p64;
}

/* ASCII, padded with spaces; drives have been seen to pad with zeros. What is not printable is left out. */
static void text(char *out, const uint8_t *p, size_t n)
{
	size_t length = 0;
	for (size_t i = 0; i < n; i++)
		if (p[i] > ' ' || (p[i] == ' ' && length))
			if (p[i] < 127)
				out[length++] = (char)p[i];
	while (length && out[length - 1] == ' ')
		length--;
	out[length] = 0;
}

static double kelvin(uint16_t k)
{
	return k ? (double)k - 273 : NAN; /* whole kelvins; 273 and not 273.15, as nvme-cli and the kernel have it */
}

/* A power in units of the scale: 1 is 0.1 mW, 2 is 10 mW, others are not told. */
static double watts(uint16_t value, unsigned scale)
{
	return scale == 1 ? value * 1e-4 : scale == 2 ? value * 1e-2 : NAN;
}

static void decode_power_state(struct nvme_power_state *s, const uint8_t *d)
{
	s->max_watts = u16(d) ? watts(u16(d), d[3] & 1 ? 1 : 2) : NAN;
	s->operational = !(d[3] & 2);
	s->entry_us = u32(d + 4);
	s->exit_us = u32(d + 8);
	s->idle_watts = u16(d + 16) ? watts(u16(d + 16), d[18] >> 6) : NAN;
	s->active_watts = u16(d + 20) ? watts(u16(d + 20), d[22] >> 6) : NAN;
}

void nvme_decode_controller(struct nvme_controller *c, const uint8_t page[NVME_PAGE])
{
	*c = (struct nvme_controller){0};
	text(c->serial, page + 4, 20);
	text(c->model, page + 24, 40);
	text(c->firmware, page + 64, 8);
	c->vendor = u16(page);
	c->version = u32(page + 80);
	/* A shift beyond what any drive means: no limit. */
	c->max_transfer_bytes = page[77] && page[77] < 40 ? (uint64_t)4096 << page[77] : 0;
	c->total_bytes = u64(page + 280);
	c->namespaces = u32(page + 516);
	c->can_format = u16(page + 256) & 2;
	c->format_is_of_all = page[524] & 1;
	c->format_erases_all = page[524] & 2;
	c->format_crypto = page[524] & 4;
	uint32_t sanitize = u32(page + 328);
	c->sanitize_crypto = sanitize & 1;
	c->sanitize_block = sanitize & 2;
	c->sanitize_overwrite = sanitize & 4;
	c->can_deallocate = u16(page + 520) & 4;
	c->has_write_cache = page[525] & 1;
	c->has_apst = page[265] & 1;
	uint32_t attributes = u32(page + 96);
	c->background_in_low_power = attributes & 1 << 1;
	c->measures_power = attributes & 1 << 21;
	c->warning_c = kelvin(u16(page + 266));
	c->critical_c = kelvin(u16(page + 268));
	bool thermal = u16(page + 322) & 1;
	c->throttle_light_min_c = thermal ? kelvin(u16(page + 324)) : NAN;
	c->throttle_max_c = thermal ? kelvin(u16(page + 326)) : NAN;
	c->power_states = page[263] + 1u < NVME_MAX_POWER_STATES ? page[263] + 1u : NVME_MAX_POWER_STATES;
	for (unsigned i = 0; i < c->power_states; i++)
		decode_power_state(&c->power[i], page + 2048 + 32 * i);
}

void nvme_decode_namespace(struct nvme_namespace *n, const uint8_t page[NVME_PAGE])
{
	*n = (struct nvme_namespace){.blocks = u64(page), .used_blocks = u64(page + 16)};
	n->formats = page[25] + 1u < NVME_MAX_FORMATS ? page[25] + 1u : NVME_MAX_FORMATS;
	/* Bits 6:5 are the upper part of the index where there are more than 16 formats. */
	n->format = (page[26] & 0xfu) | (n->formats > 16 ? (page[26] >> 5 & 3u) << 4 : 0);
	n->metadata_inline = page[26] & 0x10;
	n->protection = page[29] & 7;
	n->protection_first = page[29] & 8;
	for (unsigned i = 0; i < n->formats; i++) {
		const uint8_t *f = page + 128 + 4 * i;
		n->choice[i].metadata_bytes = u16(f);
		n->choice[i].block_bytes = f[2] >= 9 && f[2] < 32 ? 1u << f[2] : 0; /* below 512 bytes: not available */
		n->choice[i].relative_performance = f[3] & 3;
	}
	if (n->format < n->formats) {
		n->block_bytes = n->choice[n->format].block_bytes;
		n->metadata_bytes = n->choice[n->format].metadata_bytes;
	}
	memcpy(n->nguid, page + 104, 16);
	memcpy(n->eui64, page + 120, 8);
}

void nvme_decode_smart(struct nvme_smart *s, const uint8_t log[NVME_SMART_BYTES])
{
	*s = (struct nvme_smart){
		.warnings = log[0],
		.temperature_c = kelvin(u16(log + 1)),
		.spare_percent = log[3],
		.spare_threshold_percent = log[4],
		.used_percent = log[5],
		.read_bytes = u128(log + 32) * 512000,
		.written_bytes = u128(log + 48) * 512000,
		.read_commands = u128(log + 64),
		.write_commands = u128(log + 80),
		.busy_minutes = u128(log + 96),
		.power_cycles = u128(log + 112),
		.power_on_hours = u128(log + 128),
		.unsafe_shutdowns = u128(log + 144),
		.media_errors = u128(log + 160),
		.error_entries = u128(log + 176),
		.warning_minutes = u32(log + 192),
		.critical_minutes = u32(log + 196),
		.throttle_light_count = u32(log + 216),
		.throttle_heavy_count = u32(log + 220),
		.throttle_light_seconds = u32(log + 224),
		.throttle_heavy_seconds = u32(log + 228),
		.lifetime_wh = u64(log + 232) ? (double)u64(log + 232) : NAN,
	};
	uint32_t interval_power = u32(log + 240); /* value, then 2 bits of scale */
	s->watts = watts((uint16_t)interval_power, interval_power >> 16 & 3);
}

/* Value in bits 15:0, scale in bits 17:16; a value of 0 is "not reported". */
static double scaled_watts(uint32_t field)
{
	return field & 0xffff ? watts((uint16_t)field, field >> 16 & 3) : NAN;
}

void nvme_decode_power_log(struct nvme_power_log *p, const uint8_t log[NVME_POWER_LOG_BYTES])
{
	uint16_t attributes = u16(log + 2);
	*p = (struct nvme_power_log){
		.enabled = attributes & 1,
		.estimated = attributes >> 2 & 1,
		.generation = log[1],
		.intervals = u32(log + 8),
		.mean_watts = scaled_watts(u32(log + 40)),
		.max_watts = scaled_watts(u32(log + 44)),
		.error_percent = log[56] <= 100 ? log[56] : NAN,
	};
}

double nvme_power_between(const struct nvme_power_log *from, const struct nvme_power_log *to)
{
	if (from->generation != to->generation || to->intervals <= from->intervals)
		return NAN;
	double before = from->intervals ? from->mean_watts * from->intervals : 0;
	return (to->mean_watts * to->intervals - before) / (to->intervals - from->intervals);
}

void nvme_decode_sanitize(struct nvme_sanitize *s, const uint8_t log[NVME_SANITIZE_BYTES])
{
	*s = (struct nvme_sanitize){.state = u16(log + 2) & 7, .progress = 1};
	if (s->state == NVME_SANITIZE_RUNNING)
		s->progress = u16(log) / 65536.0;
	uint32_t block = u32(log + 12), crypto = u32(log + 16);
	s->block_seconds = block == UINT32_MAX ? 0 : block;
	s->crypto_seconds = crypto == UINT32_MAX ? 0 : crypto;
}

double nvme_decode_ocp_media_bytes(const uint8_t log[NVME_OCP_SMART_BYTES])
{
	/* AFD514C9-7C6F-4F9C-A4F2-BFEA2810AFC5, as a little-endian number */
	static const uint8_t guid[16] = {
		0xc5, 0xaf, 0x10, 0x28, 0xea, 0xbf, 0xf2, 0xa4, 0x9c, 0x4f, 0x6f, 0x7c, 0xc9, 0x14, 0xd5, 0xaf};
	return memcmp(log + 496, guid, sizeof guid) ? NAN : u128(log);
}

bool nvme_apst_has_transitions(const uint8_t table[256])
{
	for (int i = 0; i < 32; i++)
		if (u32(table + 8 * i) >> 8) /* idle time before the transition, ms */
			return true;
	return false;
}
