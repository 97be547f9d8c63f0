// SPDX-License-Identifier: MIT
/* Energy, low-power states, heat, and what is to be seen from outside. */
#include "model/timeline.h"

/* Energy saved by low-power states in the quiet time that ends at `at`, pJ. */
static int64_t quiet_savings(const struct ssdmodel *d, nsec at)
{
	if (!d->low_power)
		return 0;
	nsec since = later(d->busy_until, d->idle_since);
	int64_t saved = 0;
	for (uint32_t i = 0; i < d->p.power.nstates; i++) {
		const struct ssdmodel_power_state *s = &d->p.power.states[i];
		nsec from = since + s->after, to = at;
		if (i + 1 < d->p.power.nstates && since + s[1].after < to)
			to = since + s[1].after;
		if (to > from)
			saved += (to - from) * ((int64_t)d->p.power.idle_mw - s->mw);
	}
	return saved;
}

nsec wake(struct ssdmodel *d, nsec now)
{
	nsec idle = now - later(d->busy_until, d->idle_since), exit = 0;
	for (uint32_t i = 0; i < d->p.power.nstates && idle >= d->p.power.states[i].after; i++)
		exit = d->p.power.states[i].exit;
	d->saved += quiet_savings(d, now);
	d->idle_since = now;
	return exit;
}

void ssdmodel_low_power(struct ssdmodel *d, bool allowed, nsec now)
{
	catch_up(d, now);
	d->saved += quiet_savings(d, now);
	d->idle_since = now;
	d->low_power = allowed && d->p.power.nstates;
	schedule(d);
}

static uint64_t active_ns(const struct ssdmodel *d, nsec at)
{
	nsec end = at < d->active_until ? at : d->active_until;
	return d->active_before + (uint64_t)(end > d->active_start ? end - d->active_start : 0);
}

/* Energy and array time until `at`. */
static int64_t spent_until(const struct ssdmodel *d, nsec at, nsec *busy)
{
	int64_t pj = d->spent;
	*busy = d->spent_busy;
	for (nsec slot = d->bucket_base; slot < at >> BUCKET_SHIFT && slot < d->bucket_base + BUCKETS; slot++) {
		pj += d->bucket[slot & (BUCKETS - 1)].pj;
		*busy += d->bucket[slot & (BUCKETS - 1)].busy;
	}
	pj += at * (int64_t)d->p.power.idle_mw + (int64_t)active_ns(d, at) * d->p.power.active_mw;
	return pj - d->saved - quiet_savings(d, at);
}

void tick(struct ssdmodel *d)
{
	nsec keep = (d->tick >> BUCKET_SHIFT) - BUCKETS_KEPT;
	for (; d->bucket_base < keep; d->bucket_base++) {
		struct bucket *b = &d->bucket[d->bucket_base & (BUCKETS - 1)];
		d->spent += b->pj;
		d->spent_busy += b->busy;
		*b = (struct bucket){0, 0};
	}
	if (d->p.heat.mc_per_w) {
		nsec busy;
		int64_t pj = spent_until(d, d->tick, &busy);
		int64_t mw = (pj - d->heat_pj) >> TICK_SHIFT;
		int64_t steady_uc = (int64_t)d->p.heat.ambient_mc * 1000 + mw * d->p.heat.mc_per_w;
		d->heat_pj = pj;
		d->heat_uc += (steady_uc - d->heat_uc) * d->heat_k / (INT64_C(1) << 32);
		int64_t shown_mc = d->heat_uc / 1000 + d->p.heat.sensor_mc;
		if (d->p.heat.throttle_mc && !d->throttled && shown_mc >= d->p.heat.throttle_mc) {
			d->throttled = true;
			d->throttle_count++;
		} else if (d->throttled && shown_mc <= d->p.heat.throttle_mc - d->p.heat.hysteresis_mc) {
			d->throttled = false;
		}
	}
	d->tick += (nsec)1 << TICK_SHIFT;
}

void ssdmodel_sense(struct ssdmodel *d, nsec at, struct ssdmodel_sense *s)
{
	if (at > d->clock)
		catch_up(d, at);
	map_settle(d);
	nsec busy;
	*s = (struct ssdmodel_sense){0};
	s->pj = spent_until(d, at, &busy);
	s->joules = (double)s->pj * 1e-12;
	s->die_busy_ns = (double)busy / d->ndies;
	s->has_temperature = d->p.heat.mc_per_w != 0;
	s->temperature_c = s->has_temperature ? (double)(d->heat_uc / 1000 + d->p.heat.sensor_mc) / 1000 : 0;
	s->throttle_count = d->throttle_count;
	s->throttled = d->throttled;
	s->host_bytes = d->units_written * SSDMODEL_UNIT;
	s->nand_bytes = d->nand_units * SSDMODEL_UNIT;
	s->slc_bytes = (uint64_t)d->nslc * d->layout[SLC].sb_units * SSDMODEL_UNIT;
	s->slc_limit_bytes = d->slc_limit * SSDMODEL_UNIT;
	s->mapped_bytes = d->mapped * SSDMODEL_UNIT;
	s->super_blocks = d->nblocks;
	s->free_blocks = d->nfree;
	s->dirty_blocks = d->ndirty;
	for (uint32_t i = 0; i < d->nblocks; i++) {
		const struct block *b = &d->block[i];
		if (b->mode == SLC && (b->state == BLOCK_OPEN || b->state == BLOCK_CLOSED))
			s->mapped_slc_bytes += (uint64_t)b->valid * SSDMODEL_UNIT;
		s->erase_count_sum += b->erases;
		s->erase_count_max = b->erases > s->erase_count_max ? b->erases : s->erase_count_max;
	}
	s->has_wear = d->p.nand.rated_cycles != 0;
	if (s->has_wear)
		s->wear = (double)s->erase_count_sum / d->nblocks / d->p.nand.rated_cycles;
	s->counts = d->n;
	s->counts.active_ns = active_ns(d, d->active_until);
}
