# Stores and reports that cannot be written: said before the run, not after it.
. "$LIB" || exit 1

refused 2 "no-such-folder/r.html" run -t fill null:size=8M -o no-such-folder/r.html
[ "$("$SSDSCOPE" runs --json 2>/dev/null | jq ".runs | length" 2>/dev/null || true)" = "" ] || fail "it ran all the same"
refused 2 "Is a directory" run -t fill null:size=8M -o "$scratch"
[ ! -e no-such-folder ] || fail "a folder was made"

echo "this is no database, but a letter to somebody who reads it one day" >letter.txt
expect 2 run -t fill null:size=8M --store letter.txt
says "letter.txt"
one_line_error
[ "$(head -c 7 letter.txt)" = "this is" ] || fail "the letter was changed"
sqlite3 other.db 'create table t(x); insert into t values(1);'
expect 2 run -t fill null:size=8M --store other.db
one_line_error
expect 0 run -t fill null:size=8M --store newer.db
sqlite3 newer.db 'pragma user_version = 999;'
expect 2 run -t fill null:size=8M --store newer.db
says "newer"
one_line_error
expect 2 show last --store missing.db
one_line_error
# A refused run leaves no empty report behind.
refused 2 "no model" run -t fill sim:nothing -o r.html
[ ! -e r.html ] || fail "an empty report was left"
if [ "$(id -u)" -ne 0 ]; then
	mkdir shut && chmod 555 shut
	expect 4 run -t fill null:size=8M --store shut/runs.db
	one_line_error
	expect 4 run -t fill null:size=8M -o shut/r.html
	one_line_error
fi
