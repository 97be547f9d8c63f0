// SPDX-License-Identifier: MIT
#include "model/drive.h"

#include <stdlib.h>

int layout_make(struct layout *l, const struct ssdmodel_params *p, int mode)
{
	const struct ssdmodel_cell_mode *m = mode == SLC ? &p->nand.slc : &p->nand.native;
	uint32_t bits = mode == SLC ? 1 : p->nand.bits_per_cell;
	uint32_t dies = p->nand.channels * p->nand.dies_per_channel;
	uint32_t plane_units = p->nand.page_bytes / SSDMODEL_UNIT;
	l->mpp_units = p->nand.planes * plane_units;
	l->prog_units = bits * l->mpp_units;
	uint32_t chunk = m->die_bytes ? m->die_bytes / SSDMODEL_UNIT : l->prog_units;
	uint32_t chunk_pages = chunk / l->mpp_units;
	uint32_t rounds = chunk_pages < bits ? bits / chunk_pages : 1; /* over the dies, per program unit */
	l->interleaved = rounds > 1;
	l->stripe_mpps = dies * chunk_pages * rounds;
	l->stripe_units = l->stripe_mpps * l->mpp_units;
	uint32_t rows = p->nand.pages_per_block / p->nand.bits_per_cell; /* word lines x strings */
	uint32_t rows_per_stripe = chunk_pages * rounds / bits;
	l->sb_units = rows / rows_per_stripe * l->stripe_units;
	l->by_mpp = divisor_of(l->mpp_units);
	l->by_stripe = divisor_of(l->stripe_mpps);
	l->by_plane = divisor_of(plane_units);
	for (int i = 0; i < SSDMODEL_MAX_BITS; i++)
		l->tr[i] = m->tr[i];
	l->tr_4k = m->tr_4k;
	l->tprog = m->tprog;
	l->terase = m->terase;
	l->slot = malloc(l->stripe_mpps * sizeof *l->slot);
	if (!l->slot)
		return -1;
	for (uint32_t i = 0; i < l->stripe_mpps; i++) {
		uint32_t visit = i / chunk_pages, in_chunk = i % chunk_pages;
		uint32_t page = (visit / dies * chunk_pages + in_chunk) % bits;
		l->slot[i] = (struct slot){(uint16_t)(visit % dies), (uint8_t)page, page == bits - 1};
	}
	return 0;
}

void layout_free(struct layout *l)
{
	free(l->slot);
	l->slot = NULL;
}
