/* SPDX-License-Identifier: MIT */
/* The data structures that an NVMe drive answers with, from bytes to values. Offsets and units are those of the NVM
 * Express Base Specification 2.0; the tests compare them with libnvme's structures. The power in the SMART log
 * and log 25h came with TP4199 (Base Specification 2.3); their layout as nvme-cli's headers tell it. Pure: whatever a
 * drive sends is accepted. */
#ifndef TARGET_NVME_CODEC_H
#define TARGET_NVME_CODEC_H

#include <stdbool.h>
#include <stdint.h>

#define NVME_PAGE 4096 /* bytes of an identify structure; admin buffers are at least this, page aligned */
#define NVME_SMART_BYTES 512
#define NVME_SANITIZE_BYTES 512
#define NVME_OCP_SMART_BYTES 512
#define NVME_POWER_LOG_BYTES 64 /* its fixed part; a histogram follows */
#define NVME_MAX_POWER_STATES 32
#define NVME_MAX_FORMATS 64

/* One power state. Watts are NAN, where the drive does not tell. */
struct nvme_power_state {
	double max_watts, idle_watts, active_watts;
	uint32_t entry_us, exit_us; /* 0 = not told */
	bool operational;	    /* I/O is served in it */
};

struct nvme_controller {
	char serial[21], model[41], firmware[9];
	uint16_t vendor;
	uint32_t version;	     /* 0x00010400 = 1.4 */
	uint64_t max_transfer_bytes; /* MDTS, for a smallest memory page of 4 KiB; 0 = no limit */
	uint64_t total_bytes;	     /* capacity of the whole drive; 0 = not told */
	uint32_t namespaces;	     /* highest namespace number */
	bool can_format;
	bool format_is_of_all;	/* FNA bit 0: a format changes every namespace */
	bool format_erases_all; /* FNA bit 1: a format with secure erase erases every namespace */
	bool format_crypto;	/* FNA bit 2 */
	bool sanitize_crypto, sanitize_block, sanitize_overwrite;
	bool can_deallocate; /* dataset management */
	bool has_write_cache;
	bool has_apst;		      /* autonomous power state transitions */
	bool background_in_low_power; /* CTRATT bit 1, non-operational power state permissive mode can be set */
	bool measures_power;	      /* CTRATT bit 21 */
	double warning_c, critical_c; /* composite temperature thresholds; NAN = not told */
	double throttle_light_min_c, throttle_max_c; /* range of host-controlled thermal management; NAN = none */
	unsigned power_states;
	struct nvme_power_state power[NVME_MAX_POWER_STATES];
};

struct nvme_namespace {
	uint64_t blocks, used_blocks; /* size and use, in blocks */
	uint32_t block_bytes;
	uint16_t metadata_bytes;  /* per block */
	bool metadata_inline;	  /* transferred at the end of each block, not in a buffer of its own */
	uint8_t protection;	  /* type of end-to-end protection information, 1 to 3; 0 = off */
	bool protection_first;	  /* it is at the beginning of the metadata, not at the end */
	unsigned format, formats; /* index of the one in use, and how many there are */
	struct {
		uint32_t block_bytes;
		uint16_t metadata_bytes;
		uint8_t relative_performance; /* 0 = best ... 3 = degraded */
	} choice[NVME_MAX_FORMATS];
	uint8_t nguid[16], eui64[8];
};

struct nvme_smart {
	uint8_t warnings; /* bits of critical warning: 0 spare, 1 temperature, 2 reliability, 3 read-only, 4 backup */
	double temperature_c; /* composite; NAN = not told */
	uint8_t spare_percent, spare_threshold_percent, used_percent;
	double read_bytes, written_bytes; /* by the host; the log counts thousands of 512 bytes, rounded up */
	double read_commands, write_commands;
	double busy_minutes, power_cycles, power_on_hours, unsafe_shutdowns, media_errors, error_entries;
	uint32_t warning_minutes, critical_minutes;		 /* spent above the thresholds */
	uint32_t throttle_light_count, throttle_heavy_count;	 /* transitions */
	uint32_t throttle_light_seconds, throttle_heavy_seconds; /* time in them */
	double watts;						 /* mean over the last second; NAN = not told */
	double lifetime_wh;					 /* energy since manufacture; NAN = not told */
};

/* The power measurement log (25h, TP4199): what the drive measured since the measurement was started, as means over
 * intervals of one second. */
struct nvme_power_log {
	bool enabled;	      /* a measurement is going on */
	bool estimated;	      /* the drive estimates rather than measures */
	uint8_t generation;   /* changes when a measurement is started anew */
	uint32_t intervals;   /* measured so far */
	double mean_watts;    /* over all of them; NAN = not told */
	double max_watts;     /* the largest of them; NAN = not told */
	double error_percent; /* at most; NAN = not told */
};

enum nvme_sanitize_state {
	NVME_SANITIZE_NEVER = 0,
	NVME_SANITIZE_DONE = 1,
	NVME_SANITIZE_RUNNING = 2,
	NVME_SANITIZE_FAILED = 3,
	NVME_SANITIZE_DONE_DEALLOCATED = 4,
};

struct nvme_sanitize {
	enum nvme_sanitize_state state;
	double progress;			/* 0 to 1 while running; 1 otherwise */
	uint32_t block_seconds, crypto_seconds; /* the drive's own estimates; 0 = none given */
};

/* Each reads a structure of the stated size. */
void nvme_decode_controller(struct nvme_controller *, const uint8_t page[NVME_PAGE]);
void nvme_decode_namespace(struct nvme_namespace *, const uint8_t page[NVME_PAGE]);
void nvme_decode_smart(struct nvme_smart *, const uint8_t log[NVME_SMART_BYTES]);
void nvme_decode_sanitize(struct nvme_sanitize *, const uint8_t log[NVME_SANITIZE_BYTES]);

void nvme_decode_power_log(struct nvme_power_log *, const uint8_t log[NVME_POWER_LOG_BYTES]);

/* The mean power between two readings of the power log, from the sums that they stand for; NAN where nothing was
 * measured between them or the measurement was started anew. */
double nvme_power_between(const struct nvme_power_log *from, const struct nvme_power_log *to);

/* The extended SMART log of the Open Compute Project (log C0h, 512 bytes; OCP Datacenter NVMe SSD Specification 2.0):
 * bytes written to the flash, the drive's own work included, or NAN where the log's GUID says that it is another
 * maker's log C0h. */
double nvme_decode_ocp_media_bytes(const uint8_t log[NVME_OCP_SMART_BYTES]);

/* The table of autonomous transitions (feature 0Ch, 256 bytes): true if at least one state has a transition. */
bool nvme_apst_has_transitions(const uint8_t table[256]);

#endif
