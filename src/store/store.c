// SPDX-License-Identifier: MIT
#include "store/internal.h"
#include "store/schema.h"

#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <math.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

/* The place of whoever names none; its folder is the program's own to make. */
static char *own_path(void)
{
	/* XDG base directory specification: a relative path counts as unset. */
	const char *data = getenv("XDG_DATA_HOME");
	if (data && data[0] == '/')
		return xasprintf("%s/ssdscope/runs.db", data);
	const char *home = getenv("HOME");
	if (!home || !*home) {
		const struct passwd *pw = getpwuid(getuid());
		home = pw && pw->pw_dir ? pw->pw_dir : ".";
	}
	return xasprintf("%s/.local/share/ssdscope/runs.db", home);
}

char *store_default_path(void)
{
	const char *named = getenv("SSDSCOPE_STORE");
	return named && *named ? xstrdup(named) : own_path();
}

void uuid_make(char uuid[37])
{
	uint8_t b[16];
	if (getrandom(b, sizeof b, 0) != sizeof b)
		abort(); /* cannot be: 16 bytes are never cut short (getrandom(2)) */
	b[6] = (uint8_t)((b[6] & 0x0f) | 0x40);
	b[8] = (uint8_t)((b[8] & 0x3f) | 0x80);
	char *p = uuid;
	for (int i = 0; i < 16; i++)
		p += sprintf(p, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", b[i]);
}

int store_error(sqlite3 *db, int rc, const char *path, const char *what, struct err *e)
{
	int sys = db ? sqlite3_system_errno(db) : 0;
	enum exit_code code = EXIT_FAILED;
	const char *cause = db ? sqlite3_errmsg(db) : sqlite3_errstr(rc), *way_out = NULL;
	switch (rc & 0xff) {
	case SQLITE_FULL:
		cause = "no space is left on its file system";
		way_out = "free some or give another store with --store";
		break;
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		cause = "another program holds it";
		way_out = "end that program, or give another store with --store";
		break;
	case SQLITE_READONLY:
	case SQLITE_PERM:
	case SQLITE_AUTH:
		cause = "it, or its folder, cannot be written";
		way_out = "give another store with --store";
		code = EXIT_NOT_PERMITTED;
		break;
	case SQLITE_CANTOPEN:
		cause = sys ? strerror(sys) : "it cannot be opened";
		way_out = "give another store with --store";
		code = exit_code_of_errno(sys);
		break;
	case SQLITE_CORRUPT:
		cause = "the file is damaged";
		way_out = "go back to a copy, or save what is left with: sqlite3 FILE .recover";
		break;
	case SQLITE_NOTADB:
		cause = "it is no store of ssdscope";
		way_out = "give another file with --store";
		code = EXIT_USAGE;
		break;
	case SQLITE_IOERR:
		if (sys == ENOSPC)
			return store_error(NULL, SQLITE_FULL, path, what, e);
		cause = sys ? strerror(sys) : cause;
		way_out = "look at the disk that it is on";
		break;
	}
	return err_set(e, code, "cannot %s the store '%s': %s%s%s", what, path, cause, way_out ? "; " : "",
		way_out ? way_out : "");
}

/* Write-ahead logging needs memory shared between all who open the file, so it must not be used over a network
 * (sqlite.org/wal.html). Magic numbers from statfs(2) and linux/magic.h. */
static bool on_network(const char *path)
{
	static const uint32_t magics[] = {
		0x6969,	    /* NFS */
		0x517b,	    /* SMB */
		0xff534d42, /* CIFS */
		0xfe534d42, /* SMB2 */
		0x01021997, /* 9P */
		0x00c36400, /* Ceph */
		0x0bd00bd0, /* Lustre */
		0x47504653, /* GPFS */
		0x5346414f, /* AFS */
		0x73757245, /* Coda */
		0x65735546, /* FUSE: may be sshfs or the like */
	};
	struct statfs fs;
	if (statfs(path, &fs) != 0)
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(magics); i++)
		if ((uint32_t)fs.f_type == magics[i])
			return true;
	return false;
}

int store_connect(sqlite3 **db, const char *path, int flags)
{
	int rc = sqlite3_open_v2(path, db, flags, NULL);
	if (rc != SQLITE_OK)
		return rc;
	sqlite3_extended_result_codes(*db, 1);
	sqlite3_busy_timeout(*db, STORE_BUSY_MS);
	return sqlite3_exec(*db,
		"PRAGMA foreign_keys = ON; PRAGMA synchronous = FULL; PRAGMA trusted_schema = OFF;PRAGMA "
		"cell_size_check = ON;",
		NULL, NULL, NULL);
}

/* Makes the folder of `path` and what is missing above it, for this user alone as the XDG specification asks. */
static int make_folder(const char *path, struct err *e)
{
	/* dirname may answer with a constant ".", which must not be written to. */
	char *copy = xstrdup(path), *folder = xstrdup(dirname(copy));
	int rc = 0;
	for (char *p = folder + 1; rc == 0; p++) {
		if (*p != '/' && *p != '\0')
			continue;
		char was = *p;
		*p = '\0';
		if (mkdir(folder, 0700) != 0 && errno != EEXIST)
			rc = err_set(e, exit_code_of_errno(errno),
				"cannot make the folder '%s' for the store '%s': %s; give another store with --store",
				folder, path, strerror(errno));
		*p = was;
		if (was == '\0')
			break;
	}
	free(folder);
	free(copy);
	return rc;
}

/* What can be said before SQLite is asked. Fills s->path. `*exists` says whether there is a file with something in it.
 */
static int check_path(struct store *s, const char *path, bool *exists, struct err *e)
{
	struct stat st;
	if (!path || !*path)
		return err_set(e, EXIT_USAGE, "the store has no name; give a file with --store");
	bool found = stat(path, &st) == 0;
	if (!found && errno != ENOENT)
		return err_set(e, errno == ENOTDIR ? EXIT_USAGE : exit_code_of_errno(errno),
			"cannot open the store '%s': %s; give another file with --store", path, strerror(errno));
	if (found && S_ISDIR(st.st_mode))
		return err_set(e, EXIT_USAGE, "cannot open the store '%s': it is a folder; give a file", path);
	if (found && !S_ISREG(st.st_mode))
		return err_set(e, EXIT_USAGE, "cannot open the store '%s': it is not a regular file; give one", path);
	*exists = found && st.st_size > 0;
	if (s->mode == STORE_READ && !*exists)
		return err_set(e, EXIT_USAGE,
			"there is no store '%s' yet: the first run makes it; or give one with --store", path);
	char *own = own_path();
	int rc = !found && strcmp(path, own) == 0 ? make_folder(path, e) : 0;
	free(own);
	if (rc != 0)
		return -1;
	if (found) {
		s->path = realpath(path, NULL);
	} else {
		/* A file to come: the real path of its folder. */
		char *folder = xstrdup(path), *file = xstrdup(path);
		char *real = realpath(dirname(folder), NULL);
		if (real)
			s->path = xasprintf("%s/%s", strcmp(real, "/") == 0 ? "" : real, basename(file));
		free(real);
		free(folder);
		free(file);
	}
	if (!s->path)
		return err_set(e, exit_code_of_path(errno),
			"cannot make the store '%s': %s; make its folder, or give another store with --store", path,
			strerror(errno));
	return 0;
}

static int check_writable(const char *path, bool exists, struct err *e)
{
	char *copy = xstrdup(path);
	int bad = 0;
	if (eaccess(dirname(copy), W_OK | X_OK) != 0 || (exists && eaccess(path, W_OK) != 0))
		bad = errno;
	free(copy);
	if (!bad)
		return 0;
	return err_set(e, exit_code_of_errno(bad),
		"cannot write the store '%s': %s; both the file and its folder must be writable: give another with "
		"--store",
		path, strerror(bad));
}

/* Opens the file for reading. Write access is asked for even so, since only then a log that a killed process left
 * behind can be read in; on a read-only medium the file is taken as it is. */
static int connect_to_read(struct store *s)
{
	int rc = store_connect(&s->db, s->path, SQLITE_OPEN_READWRITE);
	int64_t n;
	if (rc == SQLITE_OK)
		rc = schema_number(s->db, "PRAGMA application_id", &n);
	if ((rc & 0xff) != SQLITE_CANTOPEN && (rc & 0xff) != SQLITE_READONLY)
		return rc;
	sqlite3_close(s->db);
	rc = store_connect(&s->db, s->path, SQLITE_OPEN_READONLY);
	if (rc == SQLITE_OK)
		rc = schema_number(s->db, "PRAGMA application_id", &n);
	char *wal = xasprintf("%s-wal", s->path);
	bool has_log = eaccess(wal, F_OK) == 0;
	free(wal);
	if (((rc & 0xff) != SQLITE_CANTOPEN && (rc & 0xff) != SQLITE_READONLY) || has_log)
		return rc;
	sqlite3_close(s->db);
	/* A write-ahead store without its log on a medium where none can be made: nobody can be writing it. The path is
	 * escaped for a URI. */
	char *uri = xmalloc(3 * strlen(s->path) + 32), *p = uri;
	p += sprintf(p, "file:");
	for (const char *c = s->path; *c; c++)
		p += strchr("?#%", *c) ? sprintf(p, "%%%02x", (unsigned char)*c) : sprintf(p, "%c", *c);
	sprintf(p, "?immutable=1");
	rc = store_connect(&s->db, uri, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI);
	free(uri);
	return rc;
}

/* Whether it is ours, and of which version; brings it up to date. */
static int check_schema(struct store *s, struct err *e)
{
	int64_t application = 0, version = 0, tables = 0;
	int rc = schema_number(s->db, "PRAGMA application_id", &application);
	if (rc == SQLITE_OK)
		rc = schema_number(s->db, "PRAGMA user_version", &version);
	if (rc == SQLITE_OK)
		rc = schema_number(s->db, "SELECT count(*) FROM sqlite_master", &tables);
	if (rc != SQLITE_OK)
		return store_error(s->db, rc, s->path, "open", e);
	bool fresh = application == 0 && version == 0 && tables == 0;
	if (application != SCHEMA_APPLICATION_ID && !(fresh && s->mode == STORE_WRITE))
		return err_set(e, EXIT_USAGE,
			"cannot open the store '%s': an SQLite file, but not one of ssdscope; give another with "
			"--store",
			s->path);
	if (version > schema_version())
		return err_set(e, EXIT_USAGE,
			"cannot open the store '%s': a newer ssdscope wrote it (schema %lld, this one knows %d); "
			"update ssdscope",
			s->path, (long long)version, schema_version());
	if (version < schema_version()) {
		rc = schema_upgrade(s->db, schema_version());
		if (rc != SQLITE_OK && s->mode == STORE_READ)
			return err_set(e, exit_code_of_errno(EACCES),
				"cannot read the store '%s': an older ssdscope wrote it (schema %lld, this one reads "
				"%d) and it cannot be brought up to date, as it is read-only; copy it to where it can "
				"be written",
				s->path, (long long)version, schema_version());
		if (rc != SQLITE_OK)
			return store_error(s->db, rc, s->path, fresh ? "make" : "bring up to date", e);
	}
	return 0;
}

static int open_database(struct store *s, const char *path, struct err *e)
{
	bool exists = false;
	if (check_path(s, path, &exists, e) != 0)
		return -1;
	if (s->mode == STORE_READ) {
		if (eaccess(s->path, R_OK) != 0)
			return err_set(e, exit_code_of_errno(errno), "cannot read the store '%s': %s", s->path,
				strerror(errno));
		int rc = connect_to_read(s);
		if (rc != SQLITE_OK)
			return store_error(s->db, rc, s->path, "open", e);
		return check_schema(s, e);
	}
	if (check_writable(s->path, exists, e) != 0)
		return -1;
	int rc = store_connect(&s->db, s->path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
	if (rc != SQLITE_OK)
		return store_error(s->db, rc, s->path, "open", e);
	if (check_schema(s, e) != 0)
		return -1;
	/* The mode sticks to the file. Whoever moved a store to a network drive gets the mode that works there. */
	rc = sqlite3_exec(s->db, on_network(s->path) ? "PRAGMA journal_mode = DELETE" : "PRAGMA journal_mode = WAL",
		NULL, NULL, NULL);
	if (rc != SQLITE_OK && (rc & 0xff) != SQLITE_BUSY)
		return store_error(s->db, rc, s->path, "write", e);
	store_close_dead_runs(s);
	return 0;
}

int store_open(struct store **out, const char *path, enum store_mode mode, struct err *e)
{
	struct store *s = xcalloc(1, sizeof *s);
	s->mode = mode;
	pthread_mutex_init(&s->lock, NULL);
	if (open_database(s, path, e) != 0) {
		store_close(s);
		*out = NULL;
		return -1;
	}
	*out = s;
	return 0;
}

void store_close(struct store *s)
{
	if (!s)
		return;
	writer_stop(s->writer);
	statements_close(&s->statements);
	sqlite3_close(s->db);
	pthread_mutex_destroy(&s->lock);
	free(s->path);
	free(s);
}

int live_open(const struct store *s)
{
	char *path = xasprintf("%s-live", s->path);
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
	free(path);
	return fd;
}

static struct flock one_byte(short type, int64_t run)
{
	return (struct flock){.l_type = type, .l_whence = SEEK_SET, .l_start = run, .l_len = 1};
}

int live_take(int fd, int64_t run)
{
	struct flock l = one_byte(F_WRLCK, run);
	return fcntl(fd, F_OFD_SETLK, &l);
}

void live_drop(int fd, int64_t run)
{
	struct flock l = one_byte(F_UNLCK, run);
	fcntl(fd, F_OFD_SETLK, &l);
}

bool live_is_held(const struct store *s, int64_t run)
{
	char *path = xasprintf("%s-live", s->path);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	free(path);
	if (fd < 0)
		return false;
	/* A descriptor of our own, so that locks of this very process are seen as well. */
	struct flock l = one_byte(F_WRLCK, run);
	bool held = fcntl(fd, F_OFD_GETLK, &l) == 0 && l.l_type != F_UNLCK;
	close(fd);
	return held;
}

struct phase_record phase_unknown(void)
{
	return (struct phase_record){.read_share = NAN,
		.flush = -1,
		.joules = NAN,
		.idle_joules = NAN,
		.total_joules = NAN,
		.nand_bytes = -1,
		.idle_nand_bytes = -1,
		.die_busy = NAN,
		.fill_level = NAN};
}
