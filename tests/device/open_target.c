// SPDX-License-Identifier: MIT
/* Opens a device or file as a target, for the tests in shell: exits with the code of the error and prints its text.
 *
 * open_target [--destroy=X] [--overwrite-filesystem] [--read-only] [--pread] [--answer=TEXT] [--size=BYTES]
 *             [--fill] [--erase | --discard | --sanitize] [--hold] [--write-anyway] PATH
 *   --answer: what a person at the prompt would type     --fill: write all of it, flush, read it back verified
 *   --erase: everything, the default way                 --hold: print "open", keep it open until stdin ends, then ask
 * whether it is still the same
 *   --write-anyway: try to write, trim and erase; the exit code is 0 if all of that fails */
#include "target/target.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK = 1 << 20, DEPTH = 4 };

static const char *answer;

static bool type_answer(const char *question, const char *expected)
{
	fprintf(stderr, "%s\n", question);
	return !strcmp(answer, expected);
}

static int pass_over(struct target *t, uint64_t bytes, uint8_t op)
{
	uint64_t sent = 0, back = 0;
	unsigned flying = 0;
	while (back < bytes) {
		while (sent < bytes && flying < DEPTH) {
			uint32_t n = bytes - sent < CHUNK ? (uint32_t)(bytes - sent) : CHUNK;
			struct io io = {.offset = sent,
				.bytes = n,
				.pass = 1,
				.op = op,
				.flags = op == IO_READ ? IO_VERIFY : 0};
			int r = t->ops->submit(t, &io);
			if (r)
				return r;
			sent += n;
			flying++;
		}
		struct io_done done[DEPTH];
		int n = t->ops->reap(t, done, DEPTH, NSEC_NEVER);
		for (int i = 0; i < n; i++, flying--) {
			if (done[i].status)
				return done[i].status;
			back += done[i].bytes;
		}
	}
	return 0;
}

static int say(const char *what, int r)
{
	if (r)
		fprintf(stderr, "%s: %s\n", what, strerror(-r));
	return r ? EXIT_FAILED : 0;
}

int main(int argc, char **argv)
{
	enum { DESTROY = 256, OVERWRITE, READ_ONLY, PREAD, ANSWER, SIZE, FILL, ERASE, HOLD, ANYWAY, DISCARD, SANITIZE };
	static const struct option table[] = {{"destroy", 1, 0, DESTROY}, {"overwrite-filesystem", 0, 0, OVERWRITE},
		{"read-only", 0, 0, READ_ONLY}, {"pread", 0, 0, PREAD}, {"answer", 1, 0, ANSWER}, {"size", 1, 0, SIZE},
		{"fill", 0, 0, FILL}, {"erase", 0, 0, ERASE}, {"discard", 0, 0, DISCARD}, {"sanitize", 0, 0, SANITIZE},
		{"hold", 0, 0, HOLD}, {"write-anyway", 0, 0, ANYWAY}, {0}};
	struct target_options o = {.max_bytes = CHUNK, .max_qd = DEPTH, .seed = 1};
	enum erase_method method = ERASE_NONE;
	bool fill = false, hold = false, anyway = false;
	for (int c; (c = getopt_long(argc, argv, "", table, NULL)) != -1;) {
		switch (c) {
		case DESTROY: o.destroy = optarg; break;
		case OVERWRITE: o.overwrite_filesystem = true; break;
		case READ_ONLY: o.read_only = true; break;
		case PREAD: o.force_pread = true; break;
		case ANSWER: answer = optarg, o.confirm = type_answer; break;
		case SIZE: o.size = strtoull(optarg, NULL, 10); break;
		case FILL: fill = true; break;
		case ERASE: method = ERASE_DEFAULT; break;
		case DISCARD: method = ERASE_DISCARD; break;
		case SANITIZE: method = ERASE_SANITIZE; break;
		case HOLD: hold = true; break;
		case ANYWAY: anyway = true; break;
		default: return EXIT_USAGE;
		}
	}
	if (optind + 1 != argc)
		return EXIT_USAGE;
	struct target *t;
	struct err err = {0};
	if (target_open_path(&t, argv[optind], &o, &err)) {
		fprintf(stderr, "%s\n", err.text);
		return err.code;
	}
	struct identity id;
	if (t->ops->identify(t, &id, &err)) {
		fprintf(stderr, "%s\n", err.text);
		return err.code;
	}
	fprintf(stderr, "%s, engine %s, %llu bytes, block %u, largest transfer %u\n", id.kind, id.engine,
		(unsigned long long)id.capacity_bytes, id.logical_block_bytes, id.max_transfer_bytes);
	int rc = 0;
	if (fill) {
		rc = rc ? rc : say("write", pass_over(t, id.capacity_bytes, IO_WRITE));
		rc = rc ? rc : say("flush", t->ops->flush(t));
		rc = rc ? rc : say("verify", pass_over(t, id.capacity_bytes, IO_READ));
	}
	if (method != ERASE_NONE) {
		char note[512];
		rc = rc ? rc : say("erase", t->ops->erase(t, method));
		target_erase_note(t, note, sizeof note);
		fprintf(stderr, "%s\n", note);
	}
	if (anyway)
		rc = pass_over(t, CHUNK, IO_WRITE) == 0 || t->ops->trim(t, 0, CHUNK) == 0 ||
		     t->ops->erase(t, ERASE_DISCARD) == 0;
	if (hold) {
		puts("open");
		fflush(stdout);
		while (getchar() != EOF)
			;
		if (target_same(t, &err)) {
			fprintf(stderr, "%s\n", err.text);
			rc = err.code;
		}
	}
	t->ops->close(t);
	return rc;
}
