// SPDX-License-Identifier: MIT
/* What the drive does on its own: erasing after a format, and in idle time erasing, folding, collecting, levelling
 * wear. */
#include "model/timeline.h"

/* A step of idle work, at `now`. False: there is none. */
static bool idle_work(struct ssdmodel *d, nsec now, nsec *next)
{
	blocks_settle(d);
	if (block_erase_one(d, now)) {
		*next = now + 1;
		for (uint32_t i = 0; i < d->ndies; i++)
			*next = later(*next, d->die[i].free);
		return true;
	}
	if (d->reclaim.victim == NO_BLOCK) {
		uint32_t victim = NO_BLOCK, units = d->layout[NATIVE].sb_units;
		if (d->nslc && blocks_native_free(d) > HARD_MIN_BLOCKS &&
			(uint64_t)d->nslc * d->layout[SLC].sb_units * SSDMODEL_UNIT > d->p.pslc.idle_keep_bytes)
			victim = reclaim_pick(d, true, units);
		if (victim == NO_BLOCK && blocks_native_free(d) < d->p.background.high_blocks)
			victim = reclaim_pick(d, false, units - units / 8); /* a lesser gain is not worth the wear */
		if (victim == NO_BLOCK)
			victim = wear_pick(d);
		if (victim == NO_BLOCK)
			return false;
		reclaim_begin(d, victim);
	}
	return reclaim_step(d, now, next);
}

/* The time in a quiet stretch from which the low-power states forbid background work. */
static nsec forbidden_from(const struct ssdmodel *d)
{
	if (d->low_power)
		for (uint32_t i = 0; i < d->p.power.nstates; i++)
			if (!d->p.power.states[i].background)
				return later(d->busy_until, d->idle_since) + d->p.power.states[i].after;
	return NSEC_NEVER;
}

static nsec with_pause(nsec from, nsec next, uint32_t permille)
{
	return permille >= 1000 ? next : next + (next - from) * (1000 - permille) / permille;
}

static void work_until(struct ssdmodel *d, nsec stop)
{
	while (d->formatting && d->background_next < stop) {
		nsec now = d->background_next, end = now;
		if (!block_erase_one(d, now)) {
			d->formatting = false;
			break;
		}
		for (uint32_t i = 0; i < d->ndies; i++)
			end = later(end, d->die[i].free);
		active(d, now, end);
		d->background_next = with_pause(now, later(end, now + 1), d->p.background.format_permille);
	}
	if (!d->work || d->formatting)
		return;
	nsec begin = d->busy_until + d->p.background.idle_delay;
	stop = stop < forbidden_from(d) ? stop : forbidden_from(d);
	nsec at = later(d->background_next, begin);
	while (at < stop) {
		nsec next = at;
		if (!idle_work(d, at, &next)) {
			d->work = false;
			break;
		}
		active(d, at, next);
		at = d->background_next = with_pause(at, next, d->p.background.idle_permille);
	}
}

void catch_up(struct ssdmodel *d, nsec now)
{
	while (d->tick <= now) {
		work_until(d, d->tick);
		tick(d);
	}
	work_until(d, now);
	d->clock = later(d->clock, now);
	schedule(d);
}

void schedule(struct ssdmodel *d)
{
	nsec event = d->tick;
	if (d->work && !d->formatting) {
		nsec begin = later(d->busy_until + d->p.background.idle_delay, d->background_next);
		event = begin < event ? begin : event;
	}
	if (d->formatting && d->background_next < event)
		event = d->background_next;
	d->event = event;
}

uint32_t wear_pick(const struct ssdmodel *d)
{
	if (d->p.background.wear_spread == 0 || blocks_native_free(d) <= HARD_MIN_BLOCKS)
		return NO_BLOCK;
	uint32_t least_worn = NO_BLOCK, most = 0;
	for (uint32_t i = 0; i < d->nblocks; i++) {
		const struct block *b = &d->block[i];
		most = b->erases > most ? b->erases : most;
		if (b->state == BLOCK_CLOSED && (least_worn == NO_BLOCK || b->erases < d->block[least_worn].erases))
			least_worn = i;
	}
	if (least_worn == NO_BLOCK || most - d->block[least_worn].erases < d->p.background.wear_spread)
		return NO_BLOCK;
	return least_worn;
}
