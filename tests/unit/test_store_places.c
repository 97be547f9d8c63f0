// SPDX-License-Identifier: MIT
/* Where a store is and what it may not be: what is no store is refused, permissions are told, runs are found by name.
 */
#include "unit.h"

#include "store/schema.h"
#include "store_samples.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static void refused(const char *file, enum store_mode mode, enum exit_code code, const char *words)
{
	struct store *s;
	struct err e = {0};
	assert_int_equal(store_open(&s, file, mode, &e), -1);
	assert_null(s);
	if (!strstr(e.text, words))
		fail_msg("'%s' does not say '%s'", e.text, words);
	assert_non_null(strstr(e.text, file));
	assert_int_equal(e.code, code);
}

static char *file_with(const char *name, const void *data, size_t bytes)
{
	char *file = xasprintf("%s/%s", folder, name);
	FILE *f = fopen(file, "w");
	assert_non_null(f);
	assert_int_equal(fwrite(data, 1, bytes, f), bytes);
	fclose(f);
	return file;
}

static void what_is_no_store_is_refused(void **state)
{
	char *missing = xasprintf("%s/none.db", folder);
	refused(missing, STORE_READ, EXIT_USAGE, "there is no store");
	free(missing);
	refused(folder, STORE_WRITE, EXIT_USAGE, "it is a folder");
	refused("/dev/null", STORE_WRITE, EXIT_USAGE, "not a regular file");
	char *text = file_with("text", "seconds,bytes\n1,2\n", 18);
	refused(text, STORE_WRITE, EXIT_USAGE, "no store of ssdscope");
	refused(text, STORE_READ, EXIT_USAGE, "no store of ssdscope");
	char *below = xasprintf("%s/runs.db", text);
	refused(below, STORE_WRITE, EXIT_USAGE, "Not a directory");
	free(below);
	free(text);
	char *empty = file_with("empty", "", 0);
	refused(empty, STORE_READ, EXIT_USAGE, "there is no store");
	free(empty);

	/* Another program's SQLite file is left as it is. */
	char *other = xasprintf("%s/other.db", folder);
	sqlite3 *db;
	assert_int_equal(sqlite3_open(other, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, "CREATE TABLE t (x); INSERT INTO t VALUES (1)", NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(db);
	refused(other, STORE_WRITE, EXIT_USAGE, "not one of ssdscope");
	refused(other, STORE_READ, EXIT_USAGE, "not one of ssdscope");
	assert_int_equal(sqlite3_open(other, &db), SQLITE_OK);
	int64_t tables;
	assert_int_equal(schema_number(db, "SELECT count(*) FROM sqlite_master", &tables), SQLITE_OK);
	assert_int_equal(tables, 1);
	sqlite3_close(db);
	free(other);
}

static void a_newer_store_is_refused(void **state)
{
	char *newer = xasprintf("%s/newer.db", folder);
	store_close(opened(newer, STORE_WRITE));
	sqlite3 *db;
	assert_int_equal(sqlite3_open(newer, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, "PRAGMA user_version = 1000", NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(db);
	refused(newer, STORE_WRITE, EXIT_USAGE, "a newer ssdscope wrote it");
	refused(newer, STORE_READ, EXIT_USAGE, "schema 1000");
	free(newer);
}

static void permissions(void **state)
{
	if (geteuid() == 0) {
		/* Root may do everything: be somebody else for a moment. Nobody's uid and gid. */
		assert_int_equal(setegid(65534), 0);
		assert_int_equal(seteuid(65534), 0);
	}
	char *own = make_test_folder();
	/* Folders are made for the default path alone. */
	char *elsewhere = xasprintf("%s/elsewhere/runs.db", own);
	refused(elsewhere, STORE_WRITE, EXIT_USAGE, "No such file or directory; make its folder");
	free(elsewhere);
	char *data = xasprintf("%s/deep", own);
	setenv("XDG_DATA_HOME", data, 1);
	free(data);
	char *file = xasprintf("%s/deep/ssdscope/runs.db", own);
	store_close(opened(file, STORE_WRITE));
	assert_int_equal(chmod(file, 0000), 0);
	refused(file, STORE_READ, EXIT_NOT_PERMITTED, "Permission denied");
	refused(file, STORE_WRITE, EXIT_NOT_PERMITTED, "Permission denied");
	assert_int_equal(chmod(file, 0444), 0);
	refused(file, STORE_WRITE, EXIT_NOT_PERMITTED, "Permission denied");
	store_close(opened(file, STORE_READ));
	/* A folder in which nothing can be made: reading works, writing is refused. */
	assert_int_equal(chmod(file, 0644), 0);
	char *below = xasprintf("%s/deep/ssdscope", own);
	assert_int_equal(chmod(below, 0555), 0);
	store_close(opened(file, STORE_READ));
	refused(file, STORE_WRITE, EXIT_NOT_PERMITTED, "both the file and its folder must be writable");
	char *new = xasprintf("%s/deep/ssdscope/ssdscope/runs.db", own);
	setenv("XDG_DATA_HOME", below, 1);
	refused(new, STORE_WRITE, EXIT_NOT_PERMITTED, "cannot make the folder");
	unsetenv("XDG_DATA_HOME");
	free(new);
	assert_int_equal(chmod(below, 0755), 0);
	free(below);
	free(file);
	remove_folder(own);
	if (getuid() == 0) {
		assert_int_equal(seteuid(0), 0);
		assert_int_equal(setegid(0), 0);
	}
}

static void runs_are_found(void **state)
{
	char *file = xasprintf("%s/find.db", folder);
	struct store *s = opened(file, STORE_WRITE);
	struct err e = {0};
	int64_t id, got = -1;
	assert_int_equal(store_find(s, "last", &got, &e), -1);
	assert_non_null(strstr(e.text, "has none yet"));
	static const char *const labels[] = {"a", "b", "a", NULL, "7", "960 GB", "x"};
	for (size_t i = 0; i < ARRAY_SIZE(labels); i++) {
		struct run_record r = bare_run();
		r.state = RUN_DONE;
		r.label = (char *)labels[i];
		assert_int_equal(store_put_run(s, &r, &id, &e), 0);
	}
	static const struct {
		const char *name;
		int64_t id;
	} good[] = {{"1", 1}, {"a", 3}, {"b", 2}, {"last", 7}, {"7", 7}, {"960 GB", 6}, {"004", 4}};
	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		assert_int_equal(store_find(s, good[i].name, &got, &e), 0);
		assert_int_equal(got, good[i].id);
	}
	static const char *const bad[] = {"", "0", "8", "-1", "1 ", "A", "99999999999999999999999", "a' OR '1"};
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		assert_int_equal(store_find(s, bad[i], &got, &e), -1);
		assert_int_equal(e.code, EXIT_USAGE);
		assert_non_null(strstr(e.text, "there are: 7 (x), 6 (960 GB), 5 (7), 4, 3 (a), ..."));
	}
	struct run_record *r;
	assert_int_equal(store_load(s, 99, &r, &e), -1);
	assert_null(r);
	assert_int_equal(e.code, EXIT_USAGE);
	store_close(s);
	free(file);
}

static void the_default_path(void **state)
{
	setenv("HOME", "/home/h", 1);
	unsetenv("SSDSCOPE_STORE");
	unsetenv("XDG_DATA_HOME");
	static const struct {
		const char *variable, *value, *path;
	} cases[] = {
		{"HOME", "/home/h", "/home/h/.local/share/ssdscope/runs.db"},
		{"XDG_DATA_HOME", "relative", "/home/h/.local/share/ssdscope/runs.db"},
		{"XDG_DATA_HOME", "/x", "/x/ssdscope/runs.db"},
		{"SSDSCOPE_STORE", "", "/x/ssdscope/runs.db"},
		{"SSDSCOPE_STORE", "my.db", "my.db"},
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		setenv(cases[i].variable, cases[i].value, 1);
		char *got = store_default_path();
		assert_string_equal(got, cases[i].path);
		free(got);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_no_store_is_refused),
		cmocka_unit_test(a_newer_store_is_refused),
		cmocka_unit_test(permissions),
		cmocka_unit_test(runs_are_found),
		cmocka_unit_test(the_default_path),
	};
	return cmocka_run_group_tests(tests, begin_in_folder, end_in_folder);
}
