# Runs that are cut short: by SIGKILL (all but the last second is there, marked partial), by SIGINT (130, one document).
. "$LIB" || exit 1

# 64 GiB at 1 ms a MiB are 65 s: it is killed when 2 s of it are in the store.
"$SSDSCOPE" run -q -t fill null:size=64G,latency=1ms --label killed >/dev/null 2>&1 &
pid=$!
until_there "select count(*) >= 4 from sample where run = 1"
kill -9 $pid
wait $pid 2>/dev/null
expect 0 show killed --json
[ "$(json .run.partial)" = true ] || fail "a killed run is not marked partial"
[ "$(json .run.error)" != null ] || fail "a killed run says nothing of it"
expect 0 show killed --csv
rows=$(tail -n +2 out | wc -l)
[ "$rows" -ge 4 ] || fail "only $rows rows of 4 that were there"

"$SSDSCOPE" run -q -t fill null:size=64G,latency=1ms --json >out 2>err &
pid=$!
until_there "select count(*) >= 2 from sample where run = 2"
kill -INT $pid
code=0
wait $pid || code=$?
[ "$code" = 130 ] || fail "SIGINT: exit code $code"
[ "$(json .run.partial)" = true ] || fail "not marked partial"
[ "$(json .tests.fill.status)" = partial ] || fail "status"
[ "$(json '.tests.fill.bytes > 0')" = true ] || fail "nothing was kept"
[ "$(json '.tests.fill.cache.verdict')" = not-reached ] || fail "an interrupted fill cannot know that there is no cache"

# An idle of a minute ends at once.
"$SSDSCOPE" run -q -t idle null:size=64M --json >out 2>err &
pid=$!
until_there "select count(*) >= 1 from test where run = 3"
sleep 1
kill -INT $pid
from=$SECONDS
code=0
wait $pid || code=$?
[ "$code" = 130 ] || fail "SIGINT in an idle: exit code $code"
[ $((SECONDS - from)) -lt 20 ] || fail "the idle went on for $((SECONDS - from)) s"
[ "$(json .tests.idle.status)" = partial ] || fail "status of the idle"

# Ctrl-Z: the drive waits for the program, which is told and is no stall of the drive. On a file, for io_uring and threads.
dd if=/dev/zero of=probe.img bs=4k count=1 oflag=direct 2>/dev/null || skip "the scratch folder's file system refuses O_DIRECT"
for engine in "" --pread; do
	rm -f t.img
	"$SSDSCOPE" run -q -t fill $engine fault:stall@1,for=2s:t.img --size 8M --label "z$engine" >out 2>err &
	pid=$!
	until_there "select count(*) from test where run = (select id from run where label = 'z$engine')"
	kill -TSTP $pid
	sleep 1
	grep -q '^State:.T' /proc/$pid/status || fail "SIGTSTP did not stop it"
	kill -CONT $pid
	wait $pid || fail "did not go on"
	expect 0 show "z$engine" --json
	json '.tests.fill.warnings[] | select(.code == "suspended") | .text' | grep -q "was suspended for [1-9]" ||
		fail "no word of the suspension and its length"
done
# A pause within the fill: 64 GiB at 1 ms a MiB are 65 s; stopped for 2 s, then ended.
"$SSDSCOPE" run -q -t fill null:size=64G,latency=1ms --json >out 2>err &
pid=$!
run='run = (select max(id) from run)'
until_there "select count(*) >= 4 from sample where $run"
kill -TSTP $pid
sleep 2
kill -CONT $pid
n=$(sqlite3 runs.db "select count(*) from sample where $run")
until_there "select count(*) >= $n + 8 from sample where $run"
kill -INT $pid
wait $pid
[ "$(sqlite3 runs.db "select kind, end_ns - start_ns between 19e8 and 60e8 from event where $run")" = "suspended|1" ] ||
	fail "no event"
[ "$(json '.tests.fill.stalls | length')" = 0 ] || fail "the pause counts as a stall of the drive"
[ "$(json '[.tests.fill.warnings[].code] | index("suspended") != null')" = true ] || fail "no word of the suspension"
