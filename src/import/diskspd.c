// SPDX-License-Identifier: MIT
/* diskspd -Rxml: what was asked (Profile/TimeSpans/TimeSpan), then for each time span what came out: totals of each
 * thread and target, with -D the I/Os per second in a fixed grid of buckets (empty ones included), with -L latency
 * percentiles. */
#include "import/formats.h"

#include "base/mem.h"

#include <expat.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_DEPTH 32

/* What one time span was asked to do; that of the last target where there are several. */
struct asked {
	double bucket_ms;
	double block_bytes, write_ratio, requests, threads;
	bool random;
	char path[512];
};

struct bucket {
	double end_ms, reads, writes; /* per second */
};

/* What came out of a time span. */
struct result {
	double seconds, threads;
	double read_bytes, read_ios, write_bytes, write_ios;
	struct bucket *buckets;
	size_t nbuckets, capbuckets;
	struct percentile {
		double share, read_ms, write_ms;
	} * percentiles;
	size_t npercentiles, cappercentiles;
	double read_mean_ms, write_mean_ms; /* NAN = not told */
	struct percentile now;		    /* the bucket that is being read */
};

struct reading {
	char element[MOST_DEPTH][32];
	int depth;
	char text[512];
	size_t length;
	struct asked *asked;
	size_t nasked, capasked;
	struct result *results;
	size_t nresults, capresults;
	bool root;
	bool bad; /* a number that is none */
	char bad_text[96];
};

static bool inside(const struct reading *x, const char *name)
{
	for (int i = 0; i < x->depth && i < MOST_DEPTH; i++)
		if (strcmp(x->element[i], name) == 0)
			return true;
	return false;
}

static double number(struct reading *x, const char *text)
{
	double v = 0;
	if (parse_number(text, &v) != 0 && !x->bad) {
		x->bad = true;
		snprintf(x->bad_text, sizeof x->bad_text, "'%.60s' is no number", text);
		one_line(x->bad_text);
	}
	return v;
}

static double attribute(struct reading *x, const XML_Char **attributes, const char *name)
{
	for (size_t i = 0; attributes[i]; i += 2)
		if (strcmp(attributes[i], name) == 0)
			return number(x, attributes[i + 1]);
	return 0;
}

static void XMLCALL on_start(void *user, const XML_Char *name, const XML_Char **attributes)
{
	struct reading *x = user;
	if (x->depth == 0)
		x->root = strcmp(name, "Results") == 0;
	if (x->depth < MOST_DEPTH)
		snprintf(x->element[x->depth], sizeof *x->element, "%s", name);
	x->depth++;
	x->length = 0;
	x->text[0] = '\0';
	if (strcmp(name, "TimeSpan") == 0 && inside(x, "Profile")) {
		GROW(x->asked, x->nasked, x->capasked);
		x->asked[x->nasked++] = (struct asked){.bucket_ms = 1000, .threads = 1};
	} else if (strcmp(name, "TimeSpan") == 0) {
		GROW(x->results, x->nresults, x->capresults);
		x->results[x->nresults++] = (struct result){.read_mean_ms = NAN, .write_mean_ms = NAN};
	} else if (strcmp(name, "Bucket") == 0 && x->nresults && inside(x, "Iops") && !inside(x, "Thread")) {
		struct result *r = &x->results[x->nresults - 1];
		GROW(r->buckets, r->nbuckets, r->capbuckets);
		r->buckets[r->nbuckets++] = (struct bucket){attribute(x, attributes, "SampleMillisecond"),
			attribute(x, attributes, "Read"), attribute(x, attributes, "Write")};
	} else if (strcmp(name, "Bucket") == 0 && x->nresults && inside(x, "Latency") && !inside(x, "Thread")) {
		x->results[x->nresults - 1].now = (struct percentile){0, NAN, NAN};
	}
}

static void end_of_asked(struct reading *x, const char *name)
{
	struct asked *a = &x->asked[x->nasked - 1];
	if (strcmp(name, "IoBucketDuration") == 0)
		a->bucket_ms = number(x, x->text);
	else if (strcmp(name, "BlockSize") == 0)
		a->block_bytes = number(x, x->text);
	else if (strcmp(name, "WriteRatio") == 0)
		a->write_ratio = number(x, x->text);
	else if (strcmp(name, "RequestCount") == 0 && inside(x, "Target"))
		a->requests = number(x, x->text);
	else if (strcmp(name, "ThreadsPerFile") == 0)
		a->threads = number(x, x->text);
	else if (strcmp(name, "Random") == 0)
		a->random = true;
	else if (strcmp(name, "RandomAccess") == 0)
		a->random = strcmp(x->text, "true") == 0;
	else if (strcmp(name, "Path") == 0)
		snprintf(a->path, sizeof a->path, "%s", x->text);
}

static void end_of_result(struct reading *x, const char *name)
{
	struct result *r = &x->results[x->nresults - 1];
	bool target = inside(x, "Thread") && inside(x, "Target");
	if (strcmp(name, "TestTimeSeconds") == 0)
		r->seconds = number(x, x->text);
	else if (target && strcmp(name, "ReadBytes") == 0)
		r->read_bytes += number(x, x->text);
	else if (target && strcmp(name, "ReadCount") == 0)
		r->read_ios += number(x, x->text);
	else if (target && strcmp(name, "WriteBytes") == 0)
		r->write_bytes += number(x, x->text);
	else if (target && strcmp(name, "WriteCount") == 0)
		r->write_ios += number(x, x->text);
	else if (inside(x, "Latency") && !target) {
		if (strcmp(name, "Percentile") == 0)
			r->now.share = number(x, x->text) / 100;
		else if (strcmp(name, "ReadMilliseconds") == 0)
			r->now.read_ms = number(x, x->text);
		else if (strcmp(name, "WriteMilliseconds") == 0)
			r->now.write_ms = number(x, x->text);
		else if (strcmp(name, "AverageReadMilliseconds") == 0)
			r->read_mean_ms = number(x, x->text);
		else if (strcmp(name, "AverageWriteMilliseconds") == 0)
			r->write_mean_ms = number(x, x->text);
		else if (strcmp(name, "Bucket") == 0) {
			GROW(r->percentiles, r->npercentiles, r->cappercentiles);
			r->percentiles[r->npercentiles++] = r->now;
		}
	}
}

static void XMLCALL on_end(void *user, const XML_Char *name)
{
	struct reading *x = user;
	x->depth--;
	if (x->nasked && inside(x, "Profile") && inside(x, "TimeSpan"))
		end_of_asked(x, name);
	else if (x->nresults && inside(x, "TimeSpan") && !inside(x, "Profile"))
		end_of_result(x, name);
	x->length = 0;
	x->text[0] = '\0';
}

static void XMLCALL on_text(void *user, const XML_Char *text, int length)
{
	struct reading *x = user;
	size_t n = (size_t)length, room = sizeof x->text - 1 - x->length;
	n = n < room ? n : room;
	memcpy(x->text + x->length, text, n);
	x->length += n;
	x->text[x->length] = '\0';
}

/* A histogram that has the percentiles that were printed; between two of them the larger one stands for all. */
static struct hist *hist_of_percentiles(const struct result *r)
{
	bool writes = r->write_ios >= r->read_ios;
	double n = writes ? r->write_ios : r->read_ios, done = 0;
	struct hist *h = xcalloc(1, sizeof *h);
	for (size_t i = 0; i < r->npercentiles && n < 0x1p53; i++) {
		const struct percentile *p = &r->percentiles[i];
		double ms = writes ? p->write_ms : p->read_ms, upto = ceil(p->share * n);
		if (!(ms >= 0) || ms > 1e12 || !(upto <= n))
			continue;
		uint64_t more = upto - done >= 1 ? (uint64_t)(upto - done) : 0;
		hist_add_many(h, (uint64_t)(ms * 1e6), more);
		done += (double)more;
	}
	double mean = writes ? r->write_mean_ms : r->read_mean_ms, sum = mean * 1e6 * (double)h->count;
	if (sum >= 0 && sum < 0x1p62)
		h->sum = (uint64_t)sum;
	if (h->count)
		return h;
	free(h);
	return NULL;
}

static int add_span(
	struct run_record *run, const struct asked *a, const struct result *r, const struct source *s, struct err *e)
{
	double bytes = r->read_bytes + r->write_bytes;
	if (!(r->seconds > 0 && r->seconds < 1e9 && bytes > 0 && bytes < 0x1p62))
		return 0;
	struct phase_record *p = xmalloc(sizeof *p);
	*p = phase_unknown();
	strcpy(p->pattern, a->random ? "random" : "sequential");
	p->block_bytes = a->block_bytes > 0 && a->block_bytes < 0x1p32 ? (uint32_t)a->block_bytes : 0;
	double depth = a->requests * a->threads;
	p->queue_depth = depth > 0 && depth < 0x1p31 ? (uint32_t)depth : 0;
	strcpy(p->op, r->read_bytes == 0 ? "write" : r->write_bytes == 0 ? "read" : "mixed");
	struct piece_list pieces = {0};
	double bucket = a->bucket_ms > 0 && a->bucket_ms < 1e9 ? a->bucket_ms : 1000, last = 0;
	for (size_t i = 0; i < r->nbuckets; i++) {
		const struct bucket *b = &r->buckets[i];
		double length = b->end_ms - last;
		if (!(length > 0 && b->end_ms < 1e12 && b->reads >= 0 && b->writes >= 0)) {
			piece_list_free(&pieces);
			free(p);
			return err_set(e, EXIT_USAGE, "cannot import '%s': its I/O buckets make no sense", s->path);
		}
		/* Read and Write are per second; the mean size of an I/O makes bytes of them. */
		double w = b->writes * length / 1e3, rd = b->reads * length / 1e3;
		struct piece x = {(nsec)(last * 1e6), (nsec)(b->end_ms * 1e6), 0, w, false};
		x.bytes = r->write_ios > 0 ? w * r->write_bytes / r->write_ios : 0;
		if (r->write_bytes > 0 || r->read_bytes == 0)
			piece_list_add(&pieces, x);
		x = (struct piece){x.start, x.end, r->read_ios > 0 ? rd * r->read_bytes / r->read_ios : 0, rd, true};
		if (r->read_bytes > 0)
			piece_list_add(&pieces, x);
		last = b->end_ms;
	}
	int rc = phase_from_pieces(p, &pieces, (nsec)(bucket * 1e6), s, e);
	if (pieces.n && (double)p->bytes < 0.98 * bytes)
		run_warn(run, "bytes-differ",
			"the buckets of '%s' hold %.4g of %.4g GB that the totals name: the rest was done outside of "
			"them",
			s->path, (double)p->bytes / 1e9, bytes / 1e9);
	piece_list_free(&pieces);
	if (p->nsamples == 0) {
		p->duration = (nsec)(r->seconds * 1e9);
		p->bytes = (uint64_t)bytes;
		p->read_bytes = (uint64_t)r->read_bytes;
		p->ios = (uint64_t)(r->read_ios + r->write_ios);
	}
	if (strcmp(p->op, "mixed") == 0)
		p->read_share = r->read_bytes / bytes;
	p->latency = hist_of_percentiles(r);
	if (p->latency)
		run_warn(run, "latency-from-percentiles",
			"latencies are known from the percentiles that diskspd printed; between two of them the larger "
			"one is taken");
	run_add_test(run, p, 1, false);
	return rc;
}

int read_diskspd(struct source *s, const struct import_options *o, struct run_record *r, struct err *e)
{
	struct reading x = {0};
	run_start(r, s, "diskspd XML", o);
	XML_Parser parser = XML_ParserCreate(NULL);
	XML_SetUserData(parser, &x);
	XML_SetElementHandler(parser, on_start, on_end);
	XML_SetCharacterDataHandler(parser, on_text);
	int rc = 0;
	/* In parts, since XML_Parse takes an int. */
	for (size_t at = 0; rc == 0 && at < s->size;) {
		size_t part = s->size - at < (1 << 24) ? s->size - at : 1 << 24;
		bool last = at + part == s->size;
		if (XML_Parse(parser, s->data + at, (int)part, last) == XML_STATUS_ERROR)
			rc = err_set(e, EXIT_USAGE, "%s:%lu: not well-formed XML: %s", s->path,
				XML_GetCurrentLineNumber(parser), XML_ErrorString(XML_GetErrorCode(parser)));
		at += part;
	}
	XML_ParserFree(parser);
	if (rc == 0 && !x.root)
		rc = err_set(e, EXIT_USAGE, "cannot import '%s': XML, but not diskspd's; write it with diskspd -Rxml",
			s->path);
	if (rc == 0 && x.bad)
		rc = err_set(e, EXIT_USAGE, "cannot import '%s': %s", s->path, x.bad_text);
	for (size_t i = 0; rc == 0 && i < x.nresults; i++) {
		struct asked none = {.bucket_ms = 1000, .threads = 1};
		rc = add_span(r, i < x.nasked ? &x.asked[i] : &none, &x.results[i], s, e);
	}
	if (rc == 0 && x.nasked && x.asked[0].path[0]) {
		free(r->target.path);
		r->target.path = xstrdup(x.asked[0].path);
	}
	for (size_t i = 0; i < x.nresults; i++) {
		free(x.results[i].buckets);
		free(x.results[i].percentiles);
	}
	free(x.results);
	free(x.asked);
	return rc;
}
