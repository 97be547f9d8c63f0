# A run that was interrupted goes on where it was: finished tests are kept, the broken one starts again.
. "$LIB" || exit 1

# Bursts of 32 MiB at 1 ms per 128 KiB: 8 x (0.26 s + 1 s idle). The interruption comes into the second test.
"$SSDSCOPE" run -q -t burst-seq-read -t burst-seq-write null:size=64M,latency=1ms --label cut --json >out 2>err &
pid=$!
until_there "select count(*) from test where name = 'burst-seq-write'"
kill -INT $pid
code=0
wait $pid || code=$?
[ "$code" = 130 ] || fail "exit code $code"
[ "$(json '.tests["burst-seq-read"].status')" = done ] || fail "first test"
[ "$(json '.tests["burst-seq-write"].status')" != done ] || fail "second test"
first=$(json '.tests["burst-seq-read"].mbps')
refused 2 "leave out -t" run --resume cut -t fill
refused 2 "cannot resume run" run --resume cut null:size=32M
expect 0 run -q --resume cut --json
[ "$(json .run.partial)" = false ] || fail "still partial"
[ "$(json '.tests["burst-seq-read"].mbps')" = "$first" ] || fail "a finished test was done again"
[ "$(json '.tests["burst-seq-write"].status')" = done ] || fail "second test after resume"
[ "$("$SSDSCOPE" runs --json | jq ".runs | length")" = 1 ] || fail "a second run was made"
refused 2 "nothing to resume" run --resume cut
refused 2 "no-such" run --resume no-such

# A drive of a model's kind that was made smaller is that small again; a profile of one's own is found where it was;
# and it goes on with the seed that it began with: in virtual time to the last digit as if nothing had been.
cp "$SSDSCOPE_DATA"/profiles/tpu-617gb.yaml mine.yaml
"$SSDSCOPE" run -q --size 20G --seed 7 -t rand-write sim:./mine.yaml --label small >out 2>err &
pid=$!
until_there "select count(*) from test where name = 'rand-write'"
kill -INT $pid
wait $pid
expect 0 run -q --resume small --json
[ "$(json '.target.capacity_bytes')" = 21474836480 ] || fail "another size"
[ "$(json '.target.path')" = sim:./mine.yaml ] || fail "another path"
json .tests >resumed
expect 0 run -q --size 20G --seed 7 -t rand-write sim:./mine.yaml --json
json .tests | cmp -s - resumed || fail "other figures than without a stop"

# What is started with nohup outlives its terminal.
(trap '' HUP; exec "$SSDSCOPE" run -q -t fill null:size=256M,latency=5ms --label up >out 2>err) &
pid=$!
sleep 0.7
kill -HUP $pid
wait $pid || fail "hung up: $(cat err)"

# Of a file the part that was used before, read back again if it was.
truncate -s 12M part.img
expect 0 run -q --size 8M --verify -t fill part.img --label part
sqlite3 runs.db "update run set state = 'partial' where label = 'part'; update test set status = 'partial' where run =
	(select id from run where label = 'part')"
expect 0 run -q --resume part --trace part.trace --json
[ "$(json '.target.capacity_bytes')" = 8388608 ] || fail "not the part that it used"
grep -q ' verify 1048576 sequential' part.trace || fail "not verified again"

# Its file is gone, or was cut: no word of --size, which a resumed run does not take.
expect 0 run -q -t fill -t burst-seq-read --size 8M gone.img --label gone
sqlite3 runs.db "update run set state = 'partial' where label = 'gone'"
truncate -s 4M gone.img
refused 2 "its file 'gone.img' was cut" run --resume gone
rm gone.img
refused 2 "its file 'gone.img' is gone" run --resume gone
! grep -q -- --size err || fail "advises --size"
[ ! -e gone.img ] || fail "made the file again"
# Another tool's run.
printf 'seconds,bytes_written_in_interval\n1,1000000000\n2,1000000000\n3,1000000000\n' >other.csv
expect 0 import other.csv --label other
refused 2 "it was imported from another tool's log" run --resume other
