# What is shown of runs: show, runs, report; and their bad input.
. "$LIB" || exit 1

expect 0 run -t fill --label first null:size=64M,latency=1ms
expect 0 run -t fill -t burst-seq-read --label second sim:tpu-617gb

# show: figures for people, JSON, the raw series.
# A fill that is over at once tells nothing of a cache, and says so alike in words, in the page and in JSON.
expect 0 run -t fill --label short null:size=64M
expect 0 show short --json
[ "$(json .tests.fill.cache.verdict)" = not-reached ] || fail "a verdict on what cannot be known"
[ "$(json '[.tests.fill.warnings[].code] | index("short-fill") != null')" = true ] || fail "no warning of a short fill"
expect 0 show short
prints "not known: the fill was too short to tell"
expect 0 report short -o short.html
grep -q "not known: the fill was too short to tell" short.html || fail "the page says something else of a short fill"
sqlite3 runs.db "PRAGMA foreign_keys = 1; DELETE FROM run WHERE label = 'short'"
expect 0 show first
prints "Filling the whole drive"
[ "$(awk '{ if (length > n) n = length } END { print n }' out)" -le 240 ] || fail "wide lines" # bytes, not columns
expect 0 show --json
[ "$(json .run.label)" = second ] || fail "the default is not the last run"
[ "$(json '.tests | keys | join(" ")')" = "burst-seq-read fill" ] || fail "tests of the document"
expect 0 show 1 --csv
[ "$(head -c 34 out)" = "seconds,bytes_written_in_interval," ] || fail "head of the CSV"
[ "$(awk -F, 'NR > 1 { n += $2 } END { printf "%d", n }' out)" = 67108864 ] || fail "bytes of the CSV"
cp out first.csv
expect 0 show second --csv -t burst-seq-read
prints "burst-seq-read"
expect 0 import first.csv --capacity 67108864 --label again
expect 0 show again --json
[ "$(json .tests.fill.bytes)" = 67108864 ] || fail "bytes of the series that was imported again"
refused 2 "no test 'nonsense'" show first --csv -t nonsense
refused 2 "third" show third
refused 2 "exclude" show --json --csv
refused 2 "--csv" show -t fill
refused 2 "one run" show first second
expect 2 show nothing --json
[ "$(json .run.partial)" = true ] || fail "no document for a run that is not there"

# runs: a table and one document.
expect 0 runs
prints "second"
expect 0 runs --json
[ "$(json '.runs | length')" = 3 ] || fail "number of runs"
[ "$(json '.runs[0].label')" = again ] || fail "newest first"
refused 2 "no argument" runs first

# report: of one run and of several; charts as files.
expect 0 report first -o one.html
grep -q "<svg" one.html || fail "no picture"
expect 0 report first second -o two.html
grep -q "compare-fill" two.html || fail "no comparison"
expect 0 report first second --published -o two.html
grep -q "(published)" two.html || fail "no published figures"
expect 0 report first --svg pictures --csv data
[ -s pictures/fill-over-gb.svg ] && [ -s data/fill-over-gb.csv ] || fail "no files of the charts"
[ ! -e review.html ] || fail "HTML that nobody asked for"
expect 0 report last
[ -s review.html ] || fail "no review.html by default"
expect 0 report first -o /dev/stdout
prints "</html>"
# - is standard output, for all that write a file; what else would go there is left out, or refused.
for args in "report first" "run -q -t fill null:size=8M"; do
	expect 0 $args -o -
	[ "$(head -c 9 out)" = "<!doctype" ] || [ "$(head -c 9 out)" = "<!DOCTYPE" ] || fail "$args -o -: $(head -c 99 out)"
	[ "$(tail -n 1 out)" = "</html>" ] || fail "$args -o -: something after the report"
	! grep -q "report: " err || fail "$args -o -: says where it is"
done
expect 0 export first --csv -o -
cmp -s out first.csv || fail "export -o - is not export"
refused 2 "standard output is taken: give -o a file" run --json -t fill null:size=8M -o -
refused 2 "standard output is taken: give --trace a file" run -t fill null:size=8M --trace -
[ ! -e ./- ] || fail "a file of that name"
expect 0 report first -o ./-
grep -q "</html>" ./- || fail "no file of that name"
refused 2 "no run" report
refused 2 "twice" report first 1 -o x.html
refused 2 "third" report first third -o x.html
refused 2 "no-such-folder" report first -o no-such-folder/x.html
: >file
refused 2 "not a folder" report first --svg file
[ ! -e x.html ] || fail "a report of what failed"
# Runs of the same name are told apart: in the page, in pictures and in data.
expect 0 run -q -t burst-seq-read sim:tpu-617gb --label same
expect 0 run -q -t burst-seq-read sim:samsung-960-pro-512gb --label same
ids=$(sqlite3 runs.db "SELECT group_concat(id, ' ') FROM run WHERE label = 'same'")
expect 0 report $ids --svg same --csv same -o same.html
for id in $ids; do
	for f in same.html same/compare-burst-seq-read-speed.svg same/compare-burst-seq-read-speed.csv; do
		grep -qF "same (run $id)" $f || fail "$f does not tell run $id from the other"
	done
done
# A modelled drive is called what its profile calls it, and by its short name.
expect 0 report second -o one.html
grep -q "<h1>Unnamed 2 TB TLC drive" one.html || fail "no full name"
grep -q "eyebrow.*tpu-617gb" one.html || fail "no short name"
expect 0 show second
prints "(TechPowerUp) (tpu-617gb)"
expect 0 show second --json
[ "$(json .target.model)" = tpu-617gb ] || fail "the name in JSON"
# Settings that are not the same are named at the pictures, with the runs; those of two runs of a suite are not.
cat >own.yaml <<-END
	suite: own
	title: A part of the drive
	tests:
	  - test: fill
	    kind: fill
	    explain: Writes a part.
	    needs: erased
	    leaves: sequential 1g
	    io: {op: write, pattern: sequential, block: 128k, queue_depth: [2], span: 1g}
	    low_power: true
END
expect 0 run -q -t fill --size 16g --label small sim:samsung-960-pro-512gb
expect 0 run -q --suite own.yaml --size 32g --label part sim:samsung-960-pro-512gb
expect 0 report small part -o differ.html --svg differ
grep -q "suite review in small, own in part" differ.html || fail "the suite is not named"
grep -q "block 1 MiB in small, 128 KiB in part" differ.html || fail "the block is not named"
grep -q "queue depth 1 in small, 2 in part" differ.html || fail "the queue depth is not named"
grep -q "span the whole drive in small, 1 GiB in part" differ.html || fail "the span is not named"
grep -q "17.2 GB instead of 512 GB in small" differ.html || fail "the smaller copy is not named"
grep -q "Not measured alike" differ/compare-fill-mean.svg || fail "a picture alone does not say it"
grep -q "writes the whole drive" differ.html && fail "one of these did not write the whole drive"
expect 0 report part -o part.html
grep -q "writes the first 1 GiB of the drive once from an erased state, in order, in blocks of 128 KiB at queue depth 2" part.html ||
	fail "the sentence does not follow the settings"
grep -q "a copy of 34.4 GB instead of 512 GB" part.html || fail "the title does not say that it is a smaller copy"
expect 0 show part
prints "Filling a part of the drive"
expect 0 report $ids -o same.html
grep -q "Not measured alike" same.html && fail "two runs of one suite are called different"
# Drives without a bar in a ranking are named: there is no cache, which is not the same as not measured.
expect 0 run -q -t fill --size 100g --label cached sim:phison-e12-960gb
expect 0 run -q -t fill --size 64g --label plain sim:samsung-960-pro-512gb
expect 0 report second cached small plain -o caches.html
grep -q "None found: plain. Not measured: small" caches.html || fail "a drive without a cache is left out without a word"
# A comparison of quick looks says so at its top, one of full runs does not.
grep -q "A quick look" two.html && fail "full runs are called quick"
expect 0 run -q --quick -t burst-seq-read sim:tpu-617gb --label brief
expect 0 report brief second -o mixed.html
grep -q "A quick look in some of these runs" mixed.html || fail "a quick run is compared without a word"
