# A power log that another instrument writes: joules of each phase over the very window of its rate, the clocks checked
# against an edge that the run causes; too slow a log says "not measured".
. "$LIB" || exit 1


expect 0 run -q -t burst-seq-read null:size=16M,latency=4ms --json
[ "$(json '.tests["burst-seq-read"].power_w')" = null ] || fail "power without a meter"

# log SECONDS_BETWEEN: the log of an instrument that reads 3 W all the time, from a minute ago to ten minutes ahead (the
# machine may be slow, and the log must not depend on that).
log() {
	awk -v now="$(date +%s)" -v step="$1" 'BEGIN { print "seconds,watts"; for (t = -60; t < 600; t += step) printf "%.2f,3.0\n", now + t }'
}
log 0.02 >log.csv
expect 0 run -q -t burst-seq-read null:size=16M,latency=4ms --meter csv:log.csv --json
near "$(json '.tests["burst-seq-read"].power_w')" 3 0.1
near "$(json '.tests["burst-seq-read"].mean_power_w')" 3 0.1
[ "$(json .power_source)" = csv ] || fail "power source"
# A constant log shows no edge: the run says that the clock could not be checked.
json '.run.warnings[].code' | grep -q meter-clock || fail "nothing said about the clock"
[ "$(sqlite3 runs.db 'select count(*) between 100 and 20000 from power')" = 1 ] || fail "the readings were not stored"

# One reading a second is too slow for bursts of a quarter of a second.
log 1 >slow.csv
expect 0 run -q -t burst-seq-read null:size=16M,latency=4ms --meter csv:slow.csv --json
[ "$(json '.tests["burst-seq-read"].power_w')" = null ] || fail "a figure from too slow a log"
json '.run.warnings[].code, .tests[].warnings[].code' | grep -q power-not-measured || fail "nothing said about it"

refused 2 "virtual time" run -t fill sim:tpu-617gb --meter csv:log.csv
refused 2 "no-such" run -t fill null:size=8M --meter no-such:thing

# A log that cannot be read is refused before the run ...
printf 'a,b,c\n1,2,3\n' >columns.csv
refused 2 "columns.csv:1: no column 'time'; say which with time=NAME or power=NAME" \
	run -t burst-seq-read null:size=16M --meter csv:columns.csv
printf '# a log\n\nseconds\tvolts\n' >columns.csv
refused 2 "columns.csv:3: no column 'power'" run -t burst-seq-read null:size=16M --meter csv:columns.csv
printf '0.5\n' >columns.csv
refused 2 "columns.csv:1: 1 columns where 2 are needed" run -t burst-seq-read null:size=16M --meter csv:columns.csv
printf '0.5,high\n' >columns.csv
refused 2 "'high' is not a power" run -t burst-seq-read --size 16M new.img --meter csv:columns.csv
[ ! -e new.img ] || fail "a refused run left its file"
# ... and where it becomes wrong only later, or stays empty, nothing has measured the power.
for begin in "" "sec"; do
	printf '%s' "$begin" >late.csv
	expect 0 run -q -t fill null:size=8M --meter csv:late.csv --json
	[ "$(json .power_source)" = null ] || fail "a source of power that measured nothing"
	json '.run.warnings[] | select(.code == "meter").text' | grep -q "late.csv" || fail "nothing said about the log"
done
