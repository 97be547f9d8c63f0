/* SPDX-License-Identifier: MIT */
/* The drive's inside, shared by the files of libssdmodel only.
 *
 * Addresses. A logical address (`lba`) counts 4 KiB units. A super-block is one block of every plane of every die, used
 * and erased as a whole. A physical address (`ppa`) is super-block << shift | offset, the offset counting units in the
 * order in which a stream fills the super-block: multi-plane page after multi-plane page, from die to die as the layout
 * says. So data written in sequence are a run in both address spaces, and runs are what the maps store. */
#ifndef MODEL_DRIVE_H
#define MODEL_DRIVE_H

#include "model/ssdmodel.h"

#define UNMAPPED UINT32_MAX
#define NO_BLOCK UINT32_MAX
#define SEGMENT_SHIFT 10 /* logical segments of 1024 units: one page of the flat map each */
#define SEGMENT_UNITS (1u << SEGMENT_SHIFT)
#define HARD_MIN_BLOCKS 2 /* free super-blocks that only reclaiming may open: one for each of its two streams */

#define BUCKET_SHIFT 20 /* energy is booked into slots of 2^20 ns */
#define BUCKETS 4096
#define BUCKETS_KEPT 1024 /* slots of the past that are still told apart: 1.07 s */
#define TICK_SHIFT 27	  /* heat and old slots are looked after every 2^27 ns */

#define LANE_HOLES 16

/* Division by a constant: exact for n < 2^22, d < 2^18. */
struct divisor {
	uint64_t m;
	uint32_t d;
};
static inline struct divisor divisor_of(uint32_t d)
{
	return (struct divisor){((UINT64_C(1) << 42) + d - 1) / d, d};
}
static inline uint32_t divide(struct divisor by, uint32_t n)
{
	return (uint32_t)((n * by.m) >> 42);
}

/* Something that carries one transfer at a time: a channel, a direction of the link. Free from `free` on, and in a few
 * holes before it: a transfer that waits for a busy die must not block the idle time before it. */
struct hole {
	nsec start, end;
};
struct lane {
	nsec free;
	uint32_t first, nholes, maxholes; /* hole[] is a ring in order of time */
	nsec shortest;			  /* a hole shorter than any transfer is none */
	struct hole hole[LANE_HOLES];
#ifdef SSDMODEL_TRACE
	struct ssdmodel *drive;
#endif
};

struct die {
	nsec free; /* its array */
	nsec reg;  /* its cache register: until when it holds data that wait for the channel or the array */
	struct lane *channel;
};

/* Where the multi-plane page with this index within a stripe lies. */
struct slot {
	uint16_t die;
	uint8_t page; /* page type: which bit of the cell */
	bool last;    /* with it the die's program unit is complete */
};

/* How a cell mode lays data out over the dies, and what its operations cost. A stripe is the shortest stretch after
 * which the pattern of dies repeats. */
struct layout {
	uint32_t mpp_units, prog_units, stripe_units, stripe_mpps;
	uint32_t sb_units;		  /* capacity of a super-block */
	bool interleaved;		  /* a program unit is put together from several rounds over the dies */
	struct divisor by_mpp, by_stripe; /* unit offset -> page index; page index -> stripe */
	struct divisor by_plane;	  /* unit within the page -> plane */
	struct slot *slot;
	nsec tr[SSDMODEL_MAX_BITS], tr_4k, tprog, terase;
};

/* A run of the reverse map: units from `off` to the next run's (or the end) hold lba, lba + 1, ... and gen, gen + 1,
 * ... */
struct run {
	uint32_t off, lba, gen;
};

enum block_state { BLOCK_ERASED, BLOCK_DIRTY, BLOCK_OPEN, BLOCK_CLOSED };
enum { SLC, NATIVE };
enum stream_id { HOST_SLC, HOST_NATIVE, FOLDED, COLLECTED, NSTREAMS };

struct block {
	uint32_t valid, written; /* units */
	uint32_t erases;
	uint32_t age; /* when it was opened: a count of openings */
	uint32_t nruns, maxruns;
	struct run *runs;
	uint8_t state, mode, stream;
	bool flat;  /* the reverse map is in rmap[] and gens[], not in runs */
	bool holes; /* the bitmap is in use; else all that is written is valid */
};

enum segment_kind { SEG_EMPTY, SEG_RUNS, SEG_FLAT };

/* The map of 1024 units: at most two adjacent runs, [start, split) at ppa0 and [split, end) at ppa1; or flat. */
struct segment {
	uint32_t ppa0, ppa1;
	uint16_t start, split, end;
	uint8_t kind;
};

/* An append point. */
struct stream {
	uint32_t block;	  /* NO_BLOCK: none open */
	uint32_t off;	  /* next unit */
	uint32_t slot;	  /* page index within the stripe */
	uint32_t in_mpp;  /* units in that page */
	uint32_t durable; /* units from here on are still in a buffer */
	uint8_t mode;
	bool host;
	nsec *ready; /* per die: when the data of its unit under construction are all there */
};

/* A program in the write buffer's queue. */
struct inflight {
	nsec release;
	uint32_t bytes, block, durable;
	uint8_t stream;
};

/* A program of moved data, its reads booked, itself not yet. */
struct staged {
	nsec ready;
	uint32_t block, durable;
	uint16_t die;
	uint8_t stream;
};

struct reclaim {
	uint32_t victim, pos;
	uint64_t rate, rate_slc; /* units to move per unit of native cells, of cache that the host takes, 16.16 */
	uint64_t debt;		 /* units, 16.16 */
	uint64_t credit;	 /* cells that each valid unit moved has set free, 16.16 */
	uint64_t per_block;	 /* 2^48 / units of a native block */
	uint32_t valid_at_first;
	struct staged *staged, *next; /* from the step before; of this step */
	uint32_t nstaged, nnext, nbooked;
};

/* What a command wants of one multi-plane page. */
struct piece {
	uint32_t page; /* ppa of its first unit */
	uint32_t lba;  /* of the first unit wanted */
	uint16_t units;
	uint8_t planes; /* bit mask */
};
#define BATCH_UNITS 256 /* reads are merged within so many units of one command */
#define BATCH_HASH_BITS 9
#define BATCH_HASH (1 << BATCH_HASH_BITS)

/* Read-ahead of one sequential stream. The lba that its next command must have is ra_next[]. */
struct fetched {
	nsec ready;   /* in the controller; of out[]: delivered to the host */
	uint32_t end; /* lba after it */
};
#define RA_RING 256
#define RA_STREAMS 16
struct readahead {
	uint32_t head; /* fetched up to here (exclusive) */
	uint32_t streak;
	uint32_t first, count; /* of ring[] */
	uint32_t out_first, out_count,
		out_start; /* of out[]: host reads not yet delivered, and where the oldest begins */
	struct fetched ring[RA_RING];
	struct fetched out[RA_RING];
};

/* A single unit that the host has written into a flat segment, not yet in the map: such updates are made in batches, so
 * that their cache misses overlap. */
struct update {
	uint32_t lba, ppa, old;
};
#define UPDATES 16

struct bucket {
	int64_t pj;
	nsec busy;
};

struct ssdmodel {
	/* What every I/O touches first. */
	nsec clock;		/* the last start */
	nsec event;		/* slow path from this time on: background work, heat, old slots, power states */
	nsec busy_until;	/* last host completion, drive side */
	uint64_t units_written; /* by the host, ever; the next generation is 1 + this */
	nsec core[SSDMODEL_MAX_CORES];
	uint32_t ncores, ndies;
	uint32_t shift, offset_mask;
	bool cache_register, low_power, in_place;
	bool throttled;
	struct layout layout[2];
	struct die *die;
	struct lane *channel;
	struct lane link[2];	    /* in, out; half duplex: both are [0] */
	uint64_t link_k, channel_k; /* ns per byte, 2^-20 */
	struct ssdmodel_counts n;

	/* Energy. */
	struct bucket *bucket;
	nsec bucket_base; /* slot number of the oldest slot kept */
	int64_t spent;	  /* of older slots */
	nsec spent_busy;
	int64_t pj_link_byte;
	int64_t saved;			 /* floor energy not spent thanks to low-power states, pJ */
	nsec idle_since;		 /* quiet time before it is accounted for */
	nsec active_start, active_until; /* the last stretch of activity */
	uint64_t active_before;

	/* Maps. Large arrays are virtual until touched. */
	uint32_t units, nsegments;
	uint64_t mapped;
	struct segment *segment;
	uint32_t *lmap;	       /* lba -> ppa (in-place media: generation) of flat segments */
	uint32_t *rmap, *gens; /* ppa -> lba, generation of flat blocks */
	struct update update[UPDATES];
	uint32_t nupdates;
	uint64_t *bits; /* valid bits of blocks with holes */

	/* Blocks. */
	uint32_t nblocks, nfree, ndirty, nslc, nnative; /* free: erased and dirty; the latter two: open and closed */
	uint32_t nlate; /* so many of the dirty ones wait for their opening to be erased */
	uint32_t nstatic;
	struct block *block;
	uint32_t *erased, *dirty; /* rings of block numbers */
	uint32_t erased_head, nerased, dirty_head;
	uint32_t *empty, nempty; /* closed blocks of which nothing is valid any more, to be released */
	uint32_t openings;
	uint64_t nand_units;
	struct stream stream[NSTREAMS];

	/* pSLC. */
	bool has_slc, exhausted;
	uint64_t slc_limit;  /* units */
	uint64_t slc_room;   /* units */
	uint32_t mixed_left; /* units until the next choice */
	uint32_t mixed_sum;
	bool mixed_direct;

	/* Write buffer. */
	struct inflight *inflight;
	uint32_t inflight_mask, inflight_head, ninflight;
	uint64_t buffer_used;

	/* Background. */
	struct reclaim reclaim;
	bool formatting;      /* erasing after a format: goes on beside host I/O */
	bool work;	      /* there may be something to do in idle time */
	nsec background_next; /* earliest time of its next step */

	/* Reads. */
	struct readahead *ra;
	uint32_t ra_next[RA_STREAMS];
	uint32_t nra, ra_victim;
	uint32_t ra_window;	  /* units */
	uint32_t ra_low, ra_high; /* hull of all that is fetched */
	struct piece *piece;
	uint16_t *piece_hash;
	uint32_t *piece_stamp, batch;

	/* Map cache. */
	uint32_t map_slots, map_used, map_segment_shift;
	uint32_t *map_slot; /* segment -> slot + 1 */
	struct map_line {
		uint32_t segment, older, newer;
		bool dirty;
	} * map_line;
	uint32_t map_oldest, map_newest, map_dirty_evictions, map_rows;

	/* Heat. */
	nsec tick;	 /* the next one */
	int64_t heat_pj; /* energy at the last tick */
	int64_t heat_uc; /* true temperature, millionths of a degree C */
	int64_t heat_k;	 /* share of the way to the steady temperature per tick, 2^-32 */
	uint64_t throttle_count;

	struct ssdmodel_params p;
#ifdef SSDMODEL_TRACE
	void (*trace)(void *, const void *resource, nsec start, nsec end);
	void *trace_arg;
#endif
};

/* params.c */
int params_check(const struct ssdmodel_params *, char *message, size_t message_bytes);

/* layout.c */
int layout_make(struct layout *, const struct ssdmodel_params *, int mode); /* -1: no memory */
void layout_free(struct layout *);

/* lazy.c: zeroed memory that costs nothing until it is touched. */
void *lazy_alloc(size_t bytes);
void lazy_clear(void *, size_t bytes);
void lazy_free(void *, size_t bytes);

/* map.c */
struct extent {
	uint32_t ppa, len; /* ppa == UNMAPPED: a gap */
};
struct extent map_lookup(const struct ssdmodel *, uint32_t lba, uint32_t max);
void map_replace(struct ssdmodel *, uint32_t lba, uint32_t len, uint32_t ppa); /* invalidates what was there */
void map_replace_later(struct ssdmodel *, uint32_t lba, uint32_t ppa);	       /* one unit; before map_settle() */
void map_apply(struct ssdmodel *);
/* Makes the map true again. Everything that looks into it or at valid counts needs that. */
static inline void map_settle(const struct ssdmodel *d)
{
	if (d->nupdates)
		map_apply((struct ssdmodel *)d);
}

/* blocks.c */
void bits_set(uint64_t *bits, uint32_t from, uint32_t len, bool on);
void block_append(struct ssdmodel *, uint32_t block, uint32_t lba, uint32_t len, uint32_t gen);
void block_pad(struct ssdmodel *, uint32_t block, uint32_t len);
void block_invalidate(struct ssdmodel *, uint32_t ppa, uint32_t len);
void block_use_bitmap(struct ssdmodel *, struct block *);
bool block_open(struct ssdmodel *, enum stream_id, nsec now); /* false: none free for it */
void block_close(struct ssdmodel *, enum stream_id);
void block_release(struct ssdmodel *, uint32_t block); /* nothing valid in it: to the dirty ones */
void blocks_settle(struct ssdmodel *);	  /* the map made true, empty blocks released: before any choice of a block */
void block_forget_all(struct ssdmodel *); /* after a format: everything dirty */
bool block_erase_one(struct ssdmodel *, nsec now); /* a dirty one; false: none but those that wait for their opening */
void blocks_keep_late(struct ssdmodel *);	   /* after a format: the first blocks wait for their opening */
void blocks_account(struct ssdmodel *);		   /* cache limit and room */
/* What is at a physical address (.off is its own offset), and for how many units that run goes on. */
struct run block_run(const struct ssdmodel *, uint32_t ppa, uint32_t *len);
uint32_t blocks_native_free(const struct ssdmodel *);

/* write.c */
nsec host_write(struct ssdmodel *, uint32_t lba, uint32_t len, uint32_t bytes, nsec ready);
nsec buffer_flush(struct ssdmodel *, nsec now);
nsec buffer_room(struct ssdmodel *, uint32_t bytes, nsec ready); /* takes it; when there is room for it */
void buffer_push(struct ssdmodel *, nsec release, uint32_t bytes, enum stream_id, uint32_t block, uint32_t durable);
void buffer_retire(struct ssdmodel *, nsec now);
void stream_feed(struct ssdmodel *, enum stream_id, uint32_t units, nsec arrival);
void stream_reset(struct ssdmodel *, enum stream_id);

/* reclaim.c */
uint32_t reclaim_choose(const struct ssdmodel *, bool slc);
uint32_t reclaim_pick(const struct ssdmodel *, bool slc_only, uint32_t most_valid);
bool reclaim_step(struct ssdmodel *, nsec now, nsec *next); /* false: no victim */
void reclaim_begin(struct ssdmodel *, uint32_t victim);
void reclaim_pay(struct ssdmodel *, int mode, uint32_t units, nsec now);
void reclaim_until_free(struct ssdmodel *, nsec now);
bool reclaim_until_slc(struct ssdmodel *, nsec now);
void reclaim_flush(struct ssdmodel *, nsec now);

/* background.c */
void catch_up(struct ssdmodel *, nsec now);
void schedule(struct ssdmodel *);
uint32_t wear_pick(const struct ssdmodel *);

/* read.c */
struct to_host {
	nsec done;
	uint32_t slack; /* bytes of the first unit(s) that the host has not asked for */
};
void send_to_host(struct ssdmodel *, void *to_host, uint32_t lba, uint32_t units, nsec arrival);
nsec host_read(struct ssdmodel *, uint32_t lba, uint32_t len, uint32_t bytes, nsec ready);
/* Where the data of a read go, piece by piece, in booking order: `units` are in the controller at `arrival`. */
typedef void read_sink(struct ssdmodel *, void *arg, uint32_t lba, uint32_t units, nsec arrival);
void read_units(struct ssdmodel *, uint32_t lba, uint32_t len, nsec ready, read_sink *, void *arg);
nsec read_partial(struct ssdmodel *, uint32_t lba, nsec ready);

/* readahead.c */
nsec readahead_read(struct ssdmodel *, uint32_t lba, uint32_t len, uint32_t slack, nsec ready);
void readahead_drop(struct ssdmodel *, uint32_t lba, uint32_t len); /* what it holds of the range is stale */

/* mapcache.c */
nsec mapcache_touch(struct ssdmodel *, uint32_t lba, uint32_t len, bool dirty, nsec ready);

/* power.c */
void tick(struct ssdmodel *);
nsec wake(struct ssdmodel *, nsec now); /* leaves low power; how long that takes */

static inline nsec later(nsec a, nsec b)
{
	return a > b ? a : b;
}
static inline uint32_t least(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

#endif
