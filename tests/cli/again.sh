# The command line that a report gives "to repeat it" does the same run again, with every option that had a part in it.
. "$LIB" || exit 1

# again RUN: does what the report of RUN says, as a shell takes it, as the run RUN-again; its JSON is in `out`.
again() {
	expect 0 report "$1" -o report.html
	grep -A1 'The same again' report.html | sed -n 's|^<pre>\(ssdscope run .*\)</pre>$|\1|p' |
		sed "s/&lt;/</g; s/&gt;/>/g; s/&quot;/\"/g; s/&#39;/'/g; s/&amp;/\&/g" >command
	[ -s command ] || fail "no command line in the report"
	(
		ssdscope() { "$SSDSCOPE" "$@" -q --json --label "${label}-again"; }
		label=$1
		. ./command
	) >out 2>err </dev/null || fail "exit code $? of: $(cat command)"
}
# plans_equal RUN: what the store has of both.
plans_equal() {
	[ "$(sqlite3 runs.db "select count(distinct plan || command || coalesce(capacity_bytes, '') || target_engine ||
		target_path) from run where label in ('$1', '$1-again')")" = 1 ] || fail "$1: $(cat command)"
}

# A model that was made smaller, a suite of one's own, one condition of a test, a depth, a seed, a profile in a file whose
# name a shell would take apart. Virtual time: the figures are the same to the last digit.
cp "$SSDSCOPE_DATA"/profiles/tpu-617gb.yaml 'my "drive" & co.yaml'
cp "$SSDSCOPE_DATA"/suites/review.yaml "it's mine.yaml"
expect 0 run -q --json --suite "./it's mine.yaml" -t seq-read:fresh -t burst-seq-write --size 40G --qd 3 --seed 7 \
	"sim:./my \"drive\" & co.yaml" --label odd
json .tests >first
again odd
json .tests >second
cmp -s first second || fail "other figures: $(diff first second | head -5)"
plans_equal odd
[ "$(json '.tests["seq-read"].fresh.points | map(.qd) | join(" ")')" = 3 ] || fail "not at the depth that was given"
[ "$(json .target.capacity_bytes)" = 42949672960 ] || fail "not as small"

# A file: there still, and made again. Nothing is said that was not.
expect 0 run -q --size 8M --pread --verify --quick -t fill drive.img --label file
again file
plans_equal file
rm drive.img
sqlite3 runs.db "delete from run where label = 'file-again'"
again file
plans_equal file
grep -q -- '--verify' command && grep -q -- '--pread' command && grep -q -- '--quick' command || fail "$(cat command)"
! grep -q -- '--seed\|--qd\|--suite\|--destroy' command || fail "$(cat command)"

# A file with somebody's data was overwritten because that was said; and a run that went on after a stop has its own line.
head -c 8M /dev/urandom >data.img
expect 0 run -q -t fill data.img --destroy=data.img --label data
again data
grep -q -- '--destroy=data.img' command || fail "$(cat command)"

# A run of an older version has none, and an imported one cannot have one: the report says so.
sqlite3 runs.db "update run set command = NULL where label = 'data'"
expect 0 report data -o report.html
grep -q 'has not kept the command line' report.html || fail "no word on a command line that is not there"
expect 0 show data --csv
cp out log.csv
expect 0 import log.csv --label log
expect 0 report log -o report.html
! grep -q 'The same again' report.html || fail "a command line for an imported run"
