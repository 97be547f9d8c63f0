# Stores and reports that cannot be written: said before the run, not after it.
. "$LIB" || exit 1

refused 2 "no-such-folder/r.html" run -t fill null:size=8M -o no-such-folder/r.html
[ ! -e runs.db ] || fail "it ran all the same"
refused 2 "Is a directory" run -t fill null:size=8M -o "$scratch"
refused 2 "cannot make the store 'no-such-folder/s.db': No such file or directory; make its folder" \
	run -t fill null:size=8M --store no-such-folder/s.db
SSDSCOPE_STORE=no-such-folder/s.db refused 2 "make its folder" run -t fill null:size=8M
[ ! -e no-such-folder ] || fail "a folder was made"
# Only the default store's own folder is.
SSDSCOPE_STORE='' XDG_DATA_HOME=$scratch/data expect 0 run -q -t fill null:size=8M
[ -s data/ssdscope/runs.db ] || fail "no default store"

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
# Somebody else's store is read all the same.
if [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null; then
	mkdir theirs && chmod 755 theirs "$scratch"
	expect 0 run -t fill null:size=8M --store theirs/runs.db
	nobody="setpriv --reuid=65534 --regid=65534 --clear-groups"
	if $nobody test -x "$SSDSCOPE"; then
		$nobody "$SSDSCOPE" show --json --store theirs/runs.db >out 2>err || fail "another user's store cannot be read"
		[ "$(json .run.id)" = 1 ] || fail "not the run"
	fi
fi
if [ "$(id -u)" -ne 0 ]; then
	mkdir shut && chmod 555 shut
	expect 4 run -t fill null:size=8M --store shut/runs.db
	one_line_error
	expect 4 run -t fill null:size=8M -o shut/r.html
	one_line_error
fi
# What -o and --trace name by mistake keeps what it holds.
expect 0 run -t fill null:size=8M
before=$(sha256sum <runs.db)
refused 2 "it is a store" run -t fill null:size=8M -o runs.db --store second.db
refused 2 "it is a store" run -t fill null:size=8M --trace runs.db --store second.db
refused 2 "it is a store" report last -o runs.db
refused 2 "it is a store" export last --csv -o runs.db
[ "$(sha256sum <runs.db)" = "$before" ] || fail "the store was overwritten"
# Output that cannot be written is one line.
if [ -c /dev/full ]; then
	for args in show "show --json" "export --csv" runs tests models; do
		"$SSDSCOPE" $args >/dev/full 2>err && fail "$args: a full device is no error"
		one_line_error
	done
fi
# A name as long as names may be has no room for a temporary one beside it.
long=$(printf '%0255d' 0)
expect 0 report last -o "$long"
grep -q '</html>' "$long" || fail "no report under a long name"

# The very file that is tested takes no report, no trace and no store, and stays as it was.
head -c 8M /dev/zero >target.img
refused 2 "is the target and the report too" run -t fill target.img --destroy=target.img -o target.img
refused 2 "is the target and the trace too" run -t fill target.img --destroy=target.img --trace target.img
refused 2 "is the target and the store too" run -t fill target.img --destroy=target.img --store target.img
refused 2 "is the target and the store too" run -t fill --size 8M new.img --store new.img
[ "$(stat -c %s target.img)" = 8388608 ] || fail "the file changed its size"
refused 1 "cannot write the trace" run -q -t fill -t idle null:size=8M --trace /dev/full
refused 1 "cannot write the trace" run -q -t fill null:size=8M --trace /dev/full
refused 2 "let the instrument begin its log before the run" run --meter csv:/nonexistent --size 8M made.img
[ ! -e made.img ] || fail "a run without its meter left a file"
refused 2 "leave --meter out" run --meter csv:/nonexistent sim:tpu-617gb
refused 2 "leave --meter out" run --meter csv:target.img fault:eio@99:sim:tpu-617gb
refused 2 "leave out" run --resume last --quick null:

# The store is deleted while a run goes on: the results are printed, and it is said that they are kept nowhere.
export SSDSCOPE_STORE=$scratch/gone.db
"$SSDSCOPE" run -q -t fill null:size=256M,latency=5ms --json -o gone.html >out 2>err </dev/null &
pid=$!
until_there "select count(*) from test"
rm gone.db*
code=0
wait $pid || code=$?
[ $code = 1 ] || fail "exit code $code"
says "the store '$scratch/gone.db' was deleted or replaced during the run"
one_line_error
[ "$(json '.tests.fill | .status, .bytes' | paste -sd' ')" = "done 268435456" ] || fail "the results are lost"
grep -q '</html>' gone.html || fail "the report is lost"
[ ! -e gone.db ] || fail "a store all the same"

# A run of which not even the beginning can be stored leaves nothing that it made.
expect 0 run -q -t fill null:size=8M --store stuck.db
sqlite3 stuck.db "create trigger stuck before insert on run begin select raise(abort, 'stuck'); end"
expect 1 run -q -t fill --size 8M made.img --store stuck.db
[ ! -e made.img ] || fail "left the file that it made"
