// SPDX-License-Identifier: MIT
/* What tests did, in sentences made from the settings that they had. */
#include "base/mem.h"
#include "report/settings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Leaves in `common` only what `other` has too. */
static void keep_common(struct settings *common, struct settings *other)
{
	for (size_t i = 0; i < SETTINGS; i++) {
		char *a = common->words[i], *b = other->words[i];
		if (a && (!b || strcmp(a, b) != 0)) {
			free(a);
			common->words[i] = NULL;
		}
	}
	settings_free(other);
}

/* " at queue depth 1", " at queue depths 1, 2 and 4", or nothing where that is not known. free() it. */
static char *at_depths(const struct settings *s)
{
	const char *d = s->words[SETTING_DEPTHS];
	return d ? xasprintf(" at queue depth%s %s", strchr(d, ' ') ? "s" : "", d) : xstrdup("");
}

static bool is(const struct settings *s, enum setting k, const char *words)
{
	return s->words[k] && !strcmp(s->words[k], words);
}

static char *explain_fill(const struct settings *s)
{
	const char *span = s->words[SETTING_SPAN], *block = s->words[SETTING_BLOCK];
	bool whole = is(s, SETTING_SPAN, "the whole drive");
	char *depth = at_depths(s);
	char *text = xasprintf("One thread writes %s%s%s once%s%s%s%s%s.", span && !whole ? "the first " : "",
		span ? span : "a stretch", span && whole ? "" : " of the drive",
		is(s, SETTING_STATE, "erased")	     ? " from an erased state"
		: is(s, SETTING_STATE, "full")	     ? " over data that fill it"
		: is(s, SETTING_STATE, "not erased") ? ", which was not erased before"
						     : "",
		is(s, SETTING_IO, "sequential writes") ? ", in order"
		: is(s, SETTING_IO, "random writes")   ? ", at random places"
						       : "",
		block ? ", in blocks of " : "", block ? block : "", depth);
	free(depth);
	return text;
}

static char *explain_burst(const struct settings *s)
{
	const char *duty = s->words[SETTING_DUTY];
	char *depth = at_depths(s);
	char *text = xasprintf(
		"Short stretches of I/O%s with pauses between them%s%s%s, as when a program is started or a "
		"file is saved.",
		depth, duty ? " that leave the drive busy for " : "", duty ? duty : "", duty ? " of the time" : "");
	free(depth);
	return text;
}

/* On which data a section's sweeps read or write: by the conditions that were really measured. */
static const char *on_data(const struct test_record *const *t, size_t n)
{
	bool fresh = false, fragmented = false;
	for (size_t i = 0; i < n; i++) {
		fresh = fresh || !strcmp(t[i]->condition, "fresh");
		fragmented = fragmented || !strcmp(t[i]->condition, "fragmented");
	}
	return fresh && fragmented ? ": on data that was written in order (fresh), and on the same data after random "
				     "writes (fragmented)"
	       : fresh		   ? ", on data that was written in order (fresh)"
	       : fragmented	   ? ", on data that was written in order and then at random (fragmented)"
				   : "";
}

static char *explain_sweep(const struct settings *s, const struct test_record *const *t, size_t n)
{
	const char *io = s->words[SETTING_IO], *block = s->words[SETTING_BLOCK], *span = s->words[SETTING_SPAN];
	const char *idle = s->words[SETTING_IDLE_AFTER];
	bool reads = io && strstr(io, "reads"), pauses = idle && strcmp(idle, "none") != 0;
	char *depth = at_depths(s), *what = io ? xstrdup(io) : xstrdup("I/O");
	*what = *what >= 'a' && *what <= 'z' ? (char)(*what - 'a' + 'A') : *what;
	char *text = xasprintf("%s%s%s%s%s%s%s%s.", what, block ? " of " : "", block ? block : "", depth,
		span ? " within " : "", span ? span : "", reads ? on_data(t, n) : "",
		pauses ? ", with idle time after each in which the drive can empty its cache" : "");
	free(depth);
	free(what);
	return text;
}

static char *explain_mixed(const struct settings *s)
{
	const char *io = s->words[SETTING_IO], *block = s->words[SETTING_BLOCK], *shares = s->words[SETTING_SHARES];
	char *depth = at_depths(s);
	char *text = xasprintf("Reads and writes%s%s%s%s%s%s%s.", block ? " of " : "", block ? block : "",
		!io			    ? ""
		: !strcmp(io, "random")	    ? " at random places"
		: !strcmp(io, "sequential") ? " in order"
					    : "",
		depth, shares ? ", with " : "", shares ? shares : "", shares ? " % of reads" : "");
	free(depth);
	return text;
}

/* What was planned was done only where the end of a cache was found, and the test was not cut short. */
static char *explain_recovery(
	const struct review *const *r, const struct test_record *const *t, size_t n, const struct settings *s)
{
	const char *pauses = s->words[SETTING_PAUSES];
	bool found = false, known = true;
	for (size_t i = 0; i < n; i++) {
		const struct review_test *test = review_find(r[i], t[i]->name, t[i]->condition);
		bool rested = test && test->kind == REVIEW_RECOVERY && test->recovery.npoints;
		found = found || rested;
		known = known && rested && isfinite(test->recovery.points[0].fast_bytes);
		pauses = t[i]->status == TEST_DONE ? pauses : NULL;
	}
	if (!found)
		return xstrdup("The test looks for the end of a cache by writing, to let the drive rest there.");
	return xasprintf("%s the drive rests%s%s; then the test writes until the rate falls again.",
		known ? "With its cache exhausted" : "After writes that would exhaust a cache", pauses ? " for " : "",
		pauses ? pauses : " for a while");
}

char *settings_explain(const struct review *const *r, const struct test_record *const *t, size_t n)
{
	size_t foreign = 0;
	if (!n)
		return xstrdup("");
	for (size_t i = 0; i < n; i++)
		foreign += !strcmp(r[i]->run->target.kind, "imported");
	if (foreign == n) /* how somebody else's program measured, its log does not say */
		return xstrdup("From the log of another program.");
	struct settings s = settings_of(r[0], t[0]);
	for (size_t i = 1; i < n; i++) {
		struct settings other = settings_of(r[i], t[i]);
		keep_common(&s, &other);
	}
	const char *kind = t[0]->kind;
	char *text = !strcmp(kind, "fill")	 ? explain_fill(&s)
		     : !strcmp(kind, "recovery") ? explain_recovery(r, t, n, &s)
		     : !strcmp(kind, "burst")	 ? explain_burst(&s)
		     : !strcmp(kind, "sweep")	 ? explain_sweep(&s, t, n)
		     : !strcmp(kind, "mixed")	 ? explain_mixed(&s)
		     : !strcmp(kind, "idle")	 ? xstrdup("What the drive draws while nothing is asked of it.")
						 : xstrdup("");
	settings_free(&s);
	return text;
}
