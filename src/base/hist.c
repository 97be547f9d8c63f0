// SPDX-License-Identifier: MIT
#include "base/hist.h"

#include "base/mem.h"

#include <string.h>

void hist_merge(struct hist *to, const struct hist *from)
{
	if (!from->count)
		return;
	to->min = to->count == 0 || from->min < to->min ? from->min : to->min;
	to->max = from->max > to->max ? from->max : to->max;
	to->count += from->count;
	to->sum += from->sum;
	for (size_t i = 0; i < HIST_BINS; i++)
		to->bin[i] += from->bin[i];
}

/* The middle of a bin: the inverse of hist_index. */
static uint64_t bin_middle(size_t i)
{
	if (i < (2u << HIST_SUB_BITS))
		return i;
	size_t shift = (i >> HIST_SUB_BITS) - 1;
	uint64_t mantissa = i - (shift << HIST_SUB_BITS);
	return (mantissa << shift) + (((uint64_t)1 << shift) / 2);
}

uint64_t hist_quantile(const struct hist *h, double p)
{
	if (!h->count)
		return 0;
	double rank = p * (double)h->count;
	uint64_t seen = 0;
	for (size_t i = 0; i < HIST_BINS; i++) {
		seen += h->bin[i];
		if (seen && (double)seen >= rank) {
			uint64_t v = bin_middle(i);
			return v < h->min ? h->min : v > h->max ? h->max : v;
		}
	}
	return h->max;
}

int hist_supports(const struct hist *h, double p)
{
	double beyond = p > 0.5 ? 1 - p : 1;
	/* 1 - 0.99 is a little above 0.01 in binary; the tolerance keeps "exactly 10 beyond" on the yes side. */
	return (double)h->count * beyond >= 10 * (1 - 1e-9);
}

static size_t put_leb(uint8_t *out, uint64_t v)
{
	size_t n = 0;
	do {
		out[n++] = (uint8_t)((v & 127) | (v > 127 ? 128 : 0));
		v >>= 7;
	} while (v);
	return n;
}

static int get_leb(const uint8_t **p, const uint8_t *end, uint64_t *v)
{
	*v = 0;
	for (int shift = 0; shift < 64 && *p < end; shift += 7) {
		uint8_t byte = *(*p)++;
		*v |= (uint64_t)(byte & 127) << shift;
		if (!(byte & 128))
			return 0;
	}
	return -1;
}

uint8_t *hist_pack(const struct hist *h, size_t *bytes)
{
	size_t used = 0;
	for (size_t i = 0; i < HIST_BINS; i++)
		used += h->bin[i] != 0;
	uint8_t *out = xmalloc(4 * 10 + used * 20);
	size_t n = 0, next = 0;
	n += put_leb(out + n, h->count);
	n += put_leb(out + n, h->sum);
	n += put_leb(out + n, h->min);
	n += put_leb(out + n, h->max);
	for (size_t i = 0; i < HIST_BINS; i++) {
		if (!h->bin[i])
			continue;
		n += put_leb(out + n, i - next);
		n += put_leb(out + n, h->bin[i]);
		next = i + 1;
	}
	*bytes = n;
	return out;
}

int hist_unpack(struct hist *h, const uint8_t *data, size_t bytes)
{
	const uint8_t *p = data, *end = data + bytes;
	uint64_t skip, count, total = 0, next = 0;
	memset(h, 0, sizeof *h);
	if (!bytes || get_leb(&p, end, &h->count) || get_leb(&p, end, &h->sum) || get_leb(&p, end, &h->min) ||
		get_leb(&p, end, &h->max))
		goto bad;
	while (p < end) {
		if (get_leb(&p, end, &skip) || get_leb(&p, end, &count) || skip >= HIST_BINS - next)
			goto bad;
		next += skip;
		h->bin[next++] = count;
		total += count;
	}
	if (total == h->count)
		return 0;
bad:
	memset(h, 0, sizeof *h);
	return -1;
}
