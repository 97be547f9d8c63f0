/* SPDX-License-Identifier: MIT */
/* libssdmodel: a flash drive as a timeline. The whole public face of the model.
 *
 * A drive is asked one question at a time: an I/O starts at `start`, when does it complete? Every die, channel, core
 * and direction of the link holds the time until which it is busy; an I/O walks through them and pushes those times on.
 * Background work (folding, collection, erasing) is caught up when time moves. No wall clock, no I/O, no globals, no
 * printing: one drive per thread, many side by side. Time is virtual, in ns; `start` and `now` never decrease from one
 * call to the next, over all functions that take one. All state is integer, so that every compiler gives the same
 * figures.
 *
 * The physics, each parameter with its unit, range and source: docs/model.md. Profiles in YAML: profile/profile.h. */
#ifndef SSDMODEL_H
#define SSDMODEL_H

#include "base/nsec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ssdmodel;

#define SSDMODEL_UNIT 4096    /* bytes of one mapping unit; offsets and lengths may be any multiple of 512 */
#define SSDMODEL_MAX_BITS 4   /* bits per cell, at most QLC */
#define SSDMODEL_MAX_STATES 4 /* low-power states */
#define SSDMODEL_MAX_DIES 256
#define SSDMODEL_MAX_CORES 8

enum ssdmodel_op { SSDMODEL_READ, SSDMODEL_WRITE };

/* How data leave the pSLC cache when it is exhausted. */
enum ssdmodel_exhaustion {
	SSDMODEL_DIRECT, /* host data go to native cells; while erased blocks last that is free, then reclaiming is
			    forced */
	SSDMODEL_FOLD,	 /* host data go on through SLC blocks, which are folded at the same time */
	SSDMODEL_MIXED,	 /* a share of the host data goes direct, the rest through SLC (pslc.mixed_direct_permille) */
};

/* One way of using the cells: SLC mode, or native (all bits per cell). Times must be > 0 (except terase of in-place
 * media). */
struct ssdmodel_cell_mode {
	nsec tr[SSDMODEL_MAX_BITS]; /* array time of a page read, by page type (lower, middle, upper ...); SLC uses [0]
				     */
	nsec tr_4k;		    /* array time of a read of at most 4 KiB ("snap", partial-page read) */
	nsec tprog;  /* array time of one program: native mode all bits of a word line, all planes, in one shot */
	nsec terase; /* array time of one erase, all planes */
	/* Consecutive logical bytes that a sequential stream puts on one die before it goes on to the next: a multiple
	 * of a multi-plane page (planes x page_bytes). 0 = one program unit. */
	uint32_t die_bytes;
};

/* A low-power state of the drive. */
struct ssdmodel_power_state {
	nsec after;	 /* idle time after which the host or drive enters it; states are in rising order */
	nsec exit;	 /* added to the first command after it */
	uint32_t mw;	 /* what the drive draws in it, instead of power.idle_mw */
	bool background; /* background work goes on in it (NVMe: non-operational power state permissive mode) */
};

/* All that makes a drive. Zero-initialise, fill, hand to ssdmodel_create(), which checks it all. `permille` are 0 to
 * 1000. */
struct ssdmodel_params {
	char name[64];
	uint64_t capacity_bytes; /* logical capacity, a multiple of 4 KiB */
	uint64_t seed;		 /* of the few random choices (map page placement) */

	struct {
		/* Payload bytes per second and direction. PCIe: gigatransfers x lanes / 8 x encoding x packet
		 * efficiency (ssdmodel_pcie_rate()); SATA 6 Gb/s: about 560e6. */
		uint64_t bytes_per_s;
		bool half_duplex; /* SATA: reads and writes share it */
	} link;

	struct {
		nsec submit;   /* host time before the drive sees a command: driver, doorbell, fetch */
		nsec complete; /* host time after the drive's completion: interrupt, driver, wake-up */
	} host;

	struct {
		uint32_t cores;
		nsec read_command, write_command; /* core time per command */
		nsec read_4k, write_4k;		  /* core time per 4 KiB of it beyond the first */
		/* Time a command takes that holds no core (hardware pipeline, error correction): latency only. */
		nsec read_latency, write_latency;
		nsec background_4k; /* core time per 4 KiB moved by folding and collection */
		/* Write buffer: data are acknowledged once in it, and leave it when their program is done. */
		uint64_t write_buffer_bytes;
		uint32_t readahead_streams; /* sequential streams that it can follow; 0 = no read-ahead */
		uint32_t readahead_trigger; /* consecutive sequential commands before it starts (>= 1) */
		uint64_t readahead_bytes;   /* window: data fetched and not yet delivered, per stream */
	} controller;

	struct {
		uint32_t channels, dies_per_channel;
		uint64_t channel_bytes_per_s; /* MT/s x 1 byte */
		nsec channel_overhead;	   /* command, address and status cycles per NAND operation, on the channel */
		uint32_t planes;	   /* 1 to 8; all of a die work together where addresses allow */
		uint32_t page_bytes;	   /* per plane, a multiple of 4 KiB */
		uint32_t pages_per_block;  /* native mode, a multiple of bits_per_cell */
		uint32_t blocks_per_plane; /* usable, bad blocks already taken off */
		uint32_t bits_per_cell;	   /* 1 SLC, 2 MLC, 3 TLC, 4 QLC */
		bool cache_register;	   /* a die can transfer one page while its array works on another */
		bool on_chip_copy;	   /* folding needs no transfer over the channel */
		bool in_place;		   /* 3D XPoint: overwritten in place, never erased, no map, no collection */
		uint32_t rated_cycles; /* program/erase cycles of native mode, for the wear indicator; 0 = unknown */
		struct ssdmodel_cell_mode slc, native; /* slc is unused where bits_per_cell is 1 or there is no pSLC */
	} nand;

	struct {
		uint64_t cache_bytes;	/* map cache; 0 = the whole map is in DRAM */
		uint32_t segment_bytes; /* of user data that one cached map page covers (4 MiB: 1024 entries of 4 B) */
	} map;

	struct {
		uint64_t static_bytes;	       /* SLC blocks that never serve as native ones, in SLC bytes */
		uint32_t dynamic_permille;     /* share of all cells without native data that may be used as SLC */
		uint64_t dynamic_cap_bytes;    /* upper bound of that part, SLC bytes; 0 = none */
		uint32_t dynamic_cap_permille; /* upper bound of that part, share of all cells; 0 = none */
		enum ssdmodel_exhaustion exhaustion;
		uint32_t mixed_direct_permille;
		/* Once exhausted, SLC is used again when so many bytes of it are free ("cyclic" drives: small; others:
		 * large). */
		uint64_t reuse_bytes;
		uint32_t busy_fold_permille; /* while the host writes into SLC: bytes folded per 1000 bytes written, not
						forced */
		uint32_t busy_fold_start_permille; /* ... once the cache is filled to this share, or exhausted */
		uint64_t idle_keep_bytes;	   /* idle folding stops when only so much is left in SLC */
	} pslc;

	struct {
		nsec idle_delay;		  /* quiet time before background work starts */
		uint32_t idle_permille;		  /* share of time it works then (1000: without a pause) */
		uint32_t low_blocks, high_blocks; /* free super-blocks: below low, reclaiming is forced; idle work fills
						     up to high */
		uint32_t wear_spread;	  /* difference of erase counts that starts static wear levelling; 0 = never */
		nsec format_time;	  /* until an erase command of the whole drive completes */
		uint32_t format_permille; /* share of time in which blocks are erased after it, host I/O or not; 0: on
					     next use */
		/* After such an erase the blocks that are opened first, so many bytes of the cache (without one: of
		 * flash), are erased only then: 0 = none. They keep their host waiting. */
		uint64_t late_erase_bytes;
		uint32_t late_erase_planes; /* ... so many planes at a time, one die after the other; 0: all planes of
					       all dies at once */
	} background;

	struct {
		uint32_t idle_mw;    /* floor: the drive idle, no low-power state */
		uint32_t active_mw;  /* on top, while a command or background work is going on */
		uint32_t core_mw;    /* per busy core */
		uint32_t channel_mw; /* per busy channel: both interfaces of it */
		uint32_t link_pj_per_byte;
		uint32_t die_read_mw, die_program_mw, die_erase_mw; /* per die in an array operation with all planes */
		uint32_t die_read_4k_mw;			    /* ... in a read of at most 4 KiB */
		uint32_t nstates;
		struct ssdmodel_power_state states[SSDMODEL_MAX_STATES];
	} power;

	struct {
		uint32_t mc_per_w; /* thermal resistance, thousandths of a degree per W; 0 = no heat model */
		nsec time_constant;
		int32_t ambient_mc;	    /* thousandths of a degree C */
		int32_t sensor_mc;	    /* added to the true temperature by the sensor (negative: reads too low) */
		int32_t throttle_mc;	    /* sensor value at which throttling starts; 0 = never */
		int32_t hysteresis_mc;	    /* it ends so much below */
		uint32_t throttle_permille; /* share of time in which commands are served while throttled */
	} heat;

	/* For tests only: book every 4 KiB and every operation on its own instead of by run and stripe. Same times and
	 * joules. */
	bool one_by_one;
};

/* How often each thing was done, and for how long, since creation, bookings into the future included: the raw
 * quantities from which energy follows. [0] is SLC mode, [1] native. */
struct ssdmodel_counts {
	uint64_t reads[2], reads_4k[2];	 /* array reads: page(s); at most 4 KiB */
	uint64_t programs[2], erases[2]; /* of one die, all planes (of erases: together or one after another) */
	uint64_t read_plane_ns[2];	 /* sum over page reads of array time x planes used */
	uint64_t read_4k_ns[2], program_ns[2], erase_ns[2]; /* array time with all planes at work */
	uint64_t channel_ns, core_ns;			    /* sum over all channels and cores */
	uint64_t link_bytes;
	uint64_t active_ns; /* a command or background work going on */
	uint64_t host_read_units, readahead_units, buffer_hit_units;
	uint64_t folded_units, collected_units; /* 4 KiB units moved out of SLC, out of native blocks */
	uint64_t map_hits, map_misses, map_programs;
};

/* The inside of the drive at a moment. */
struct ssdmodel_sense {
	int64_t pj;		 /* energy spent since creation, pJ; bookings after `at` are not in it */
	double joules;		 /* the same in J */
	bool has_temperature;	 /* the profile has a heat model */
	double temperature_c;	 /* what the sensor shows */
	uint64_t throttle_count; /* times throttling began */
	bool throttled;
	uint64_t host_bytes;	   /* written by the host */
	uint64_t nand_bytes;	   /* programmed into flash, padding and background work included */
	double die_busy_ns;	   /* array time, mean over all dies, up to `at` */
	uint64_t slc_bytes;	   /* capacity of the blocks in SLC use now, SLC bytes */
	uint64_t slc_limit_bytes;  /* cache size now, by the accounting of docs/model.md */
	uint64_t mapped_bytes;	   /* logical bytes that hold data */
	uint64_t mapped_slc_bytes; /* ... of which in SLC blocks */
	uint32_t super_blocks, free_blocks, dirty_blocks; /* all; free ones; of those still to be erased */
	uint64_t erase_count_max, erase_count_sum;	  /* over super-blocks */
	bool has_wear;					  /* the profile rates its cycles */
	double wear;					  /* mean erase count over rated cycles */
	struct ssdmodel_counts counts;
};

/* Payload rate of PCIe: `generation` 1 to 5, `lanes`, `efficiency_permille` of packets and flow control (about 850 to
 * 930 with 128 or 256 bytes of payload: PCI Express base specification, 24 bytes of header and framing). 0 = nonsense.
 */
uint64_t ssdmodel_pcie_rate(unsigned generation, unsigned lanes, unsigned efficiency_permille);

/* Makes a fresh drive, erased, at time 0. Checks every parameter. 0, or -1 and one line in `message` that begins with
 * the field at fault as the YAML profile spells it ("nand.native.tprog_us: must be above 0"). */
int ssdmodel_create(struct ssdmodel **, const struct ssdmodel_params *, char *message, size_t message_bytes);
void ssdmodel_destroy(struct ssdmodel *);
const struct ssdmodel_params *ssdmodel_params(const struct ssdmodel *);

/* One host command of `length` > 0 bytes (a multiple of 512) at `offset` (likewise), wholly within the capacity. A
 * write of part of a unit counts as a write of that unit. Returns the completion time that the host sees, host time
 * included. */
nsec ssdmodel_io(struct ssdmodel *, enum ssdmodel_op, uint64_t offset, uint32_t length, nsec start);

/* Everything acknowledged is in flash (padded where a program unit is not full). Returns the completion time. */
nsec ssdmodel_flush(struct ssdmodel *, nsec start);

/* Whole units in the range are unmapped. Returns the completion time. */
nsec ssdmodel_trim(struct ssdmodel *, uint64_t offset, uint64_t bytes, nsec start);

/* Format or sanitize of everything. Returns when the command completes; the rest of the erasing keeps the drive busy.
 */
nsec ssdmodel_erase(struct ssdmodel *, nsec start);

/* Time moves to `now` with no host I/O: background work is caught up. */
void ssdmodel_advance(struct ssdmodel *, nsec now);

/* The host allows the drive's autonomous low-power states, or not (the state at creation), from `now` on. */
void ssdmodel_low_power(struct ssdmodel *, bool allowed, nsec now);

/* The drive's inside at `at`: any time from 1 s before the last start on; a later one advances the drive. Operation
 * energy and array time count when the operation ends, to within 2^20 ns (1.05 ms); counters are those of the last
 * call. */
void ssdmodel_sense(struct ssdmodel *, nsec at, struct ssdmodel_sense *);

/* Which write put the data there that a read of 4 KiB unit `unit` (offset / 4096) finds, through the map and the
 * reverse map: 1 + the number of units written by the host before that one (a write of n units gives them n consecutive
 * values); 0 = unmapped. Exact for data not older than 2^32 unit writes (17 TB). */
uint64_t ssdmodel_generation(const struct ssdmodel *, uint64_t unit);

/* Takes or fills the next `bytes` of a stream. 0, or -1: no more. */
typedef int ssdmodel_stream(void *arg, void *data, size_t bytes);

/* The drive's whole state as a stream of bytes, for this version of the program on this kind of machine: `put` takes
 * them, and leaves them as they are. 0, or -1 if it failed. The drive goes on as if nothing had been. */
int ssdmodel_save(const struct ssdmodel *, ssdmodel_stream *put, void *arg);

/* The inverse, into a drive that was just created with the same parameters; it then goes on, to the nanosecond, as the
 * one that was saved would have: time must not be before that one's. 0, or -1 and what is wrong, in one line; the drive
 * is then only good for ssdmodel_destroy(). The stream is trusted to be whole: guard it with a checksum, and ask
 * ssdmodel_check() afterwards. */
int ssdmodel_load(struct ssdmodel *, ssdmodel_stream *get, void *arg, char *message, size_t message_bytes);

/* Inner consistency: map, reverse map, valid counts, block accounting, resources. O(size). 0, or -1 and what is wrong.
 */
int ssdmodel_check(const struct ssdmodel *, char *message, size_t message_bytes);

#endif
