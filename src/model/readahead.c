// SPDX-License-Identifier: MIT
/* Read-ahead: real reads, issued when a sequential command comes in, so that the window of data fetched and not yet
 * delivered to the host stays full. It follows logical order: scattered data take more array reads for the same window.
 */
#include "model/timeline.h"

static void forget(struct ssdmodel *d, uint32_t i, uint32_t next)
{
	struct readahead *r = &d->ra[i];
	d->ra_next[i] = next;
	r->head = next;
	r->streak = r->first = r->count = r->out_first = r->out_count = 0;
}

void readahead_drop(struct ssdmodel *d, uint32_t lba, uint32_t len)
{
	if (lba >= d->ra_high || lba + len <= d->ra_low)
		return;
	d->ra_low = UINT32_MAX;
	d->ra_high = 0;
	for (uint32_t i = 0; i < d->nra; i++) {
		struct readahead *r = &d->ra[i];
		if (r->head == d->ra_next[i])
			continue;
		if (lba < r->head && lba + len > d->ra_next[i]) {
			forget(d, i, d->ra_next[i]);
			continue;
		}
		d->ra_low = least(d->ra_low, d->ra_next[i]);
		d->ra_high = r->head > d->ra_high ? r->head : d->ra_high;
	}
}

/* Data of a fetch: one entry per piece while they come in order, else one for the rest of the fetch. */
struct fetch {
	struct readahead *r;
	nsec scattered;
	uint32_t at;
};

static void push(struct readahead *r, nsec ready, uint32_t end)
{
	struct fetched *last = &r->ring[(r->first + r->count - 1) % RA_RING];
	if (r->count &&
		(last->ready >= ready || r->count == RA_RING)) { /* joins the one before it, which comes later */
		last->ready = later(last->ready, ready);
		last->end = end;
		return;
	}
	r->ring[(r->first + r->count++) % RA_RING] = (struct fetched){ready, end};
}

static void store(struct ssdmodel *d, void *arg, uint32_t lba, uint32_t units, nsec arrival)
{
	struct fetch *f = arg;
	if (lba != f->at) {
		f->scattered = later(f->scattered, arrival);
		return;
	}
	f->at += units;
	push(f->r, arrival, f->at);
}

/* How many more units of the multi-plane page in which [.., end) ends follow in logical order: they come with it. */
static uint32_t rest_of_page(const struct ssdmodel *d, uint32_t end)
{
	if (d->in_place)
		return 0;
	uint32_t most = d->layout[NATIVE].mpp_units;
	struct extent e = map_lookup(d, end - 1, least(most, d->units - end + 1));
	if (e.ppa == UNMAPPED || e.len == 1)
		return 0;
	uint32_t off = e.ppa & d->offset_mask;
	return least(e.len - 1, most - 1 - (off - divide(d->layout[NATIVE].by_mpp, off) * most));
}

static void fill(struct ssdmodel *d, uint32_t i, uint32_t step, nsec ready)
{
	struct readahead *r = &d->ra[i];
	uint32_t target = r->out_start + d->ra_window;
	target = least(target < r->out_start ? UINT32_MAX : target, d->units);
	if (r->head >= target)
		return;
	d->ra_low = least(d->ra_low, d->ra_next[i]);
	while (r->head < target) {
		uint32_t end = r->head + least(step, target - r->head);
		end += rest_of_page(d, end);
		struct fetch f = {r, 0, r->head};
		read_units(d, r->head, end - r->head, ready, store, &f);
		if (f.at != end)
			push(r, f.scattered, end);
		d->n.readahead_units += end - r->head;
		r->head = end;
	}
	d->ra_high = r->head > d->ra_high ? r->head : d->ra_high;
}

nsec readahead_read(struct ssdmodel *d, uint32_t lba, uint32_t len, uint32_t slack, nsec ready)
{
	struct to_host t = {ready, slack};
	uint32_t i = 0, end = lba + len;
	while (i < d->nra && d->ra_next[i] != lba)
		i++;
	if (i == d->nra) {
		i = d->ra_victim;
		d->ra_victim = i + 1 == d->nra ? 0 : i + 1;
		forget(d, i, lba);
	}
	struct readahead *r = &d->ra[i];
	r->streak++;
	while (r->out_count && (r->out[r->out_first % RA_RING].ready <= ready || r->out_count == RA_RING)) {
		r->out_start = r->out[r->out_first++ % RA_RING].end;
		r->out_count--;
	}
	if (r->out_count == 0)
		r->out_start = lba;
	uint32_t at = lba;
	while (at < end && r->count) {
		struct fetched *f = &r->ring[r->first % RA_RING];
		uint32_t n = least(f->end, end) - at;
		nsec arrival = later(f->ready, t.done); /* in order */
		if (f->end <= end) {
			r->first++;
			r->count--;
		}
		at += n;
		send_to_host(d, &t, lba, n, arrival);
	}
	if (at < end)
		read_units(d, at, end - at, ready, send_to_host, &t);
	d->ra_next[i] = end;
	r->head = r->head > end ? r->head : end;
	r->out[(r->out_first + r->out_count++) % RA_RING] = (struct fetched){t.done, end};
	if (r->streak >= d->p.controller.readahead_trigger)
		fill(d, i, len, ready);
	return t.done;
}
