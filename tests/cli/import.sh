# Import and export: anybody's logs become runs, a run becomes a job for fio, whose log comes back.
. "$LIB"

logs=$SSDSCOPE_DATA/tests/data/logs curves=$SSDSCOPE_DATA/tests/data/curves
expect 0 import "$curves/three_stage_00.csv" --capacity 2TB --label three --json
[ "$(json .target.kind)" = imported ] || fail "kind"
[ "$(json .run.label)" = three ] || fail "label"
near "$(json .tests.fill.cache.bytes)" 200e9 2
[ "$(json '.tests.fill.stages | length')" = 3 ] || fail "stages"
expect 0 show three
prints "cache ends after"
expect 0 report three -o r.html
# Without the capacity the end is not known, so neither is that there is no cache.
expect 0 import "$curves/no_cliff_00.csv" --json
[ "$(json .tests.fill.cache.verdict)" = not-reached ] || fail "verdict without capacity"
[ "$(json '[.run.warnings[].code] | index("capacity-unknown") != null')" = true ] || fail "no warning of the capacity"
bytes=$(json .tests.fill.bytes)
# Where the end of a cache is in the log, the capacity has nothing to tell.
expect 0 import "$curves/three_stage_00.csv" --json
[ "$(json .tests.fill.cache.verdict)" = found ] || fail "verdict of a log with a cache"
[ "$(json '[.run.warnings[].code] | index("capacity-unknown")')" = null ] || fail "a warning of the capacity that does not matter"
expect 0 import "$curves/no_cliff_00.csv" --capacity "$bytes" --json
[ "$(json .tests.fill.cache.verdict)" = none ] || fail "verdict with capacity"
# A side file of throttling.
expect 0 import "$curves/throttle_permanent_masked_00.csv" --throttle "$curves/throttle_permanent_masked_00.throttle" --json
[ "$(json '.tests.fill.throttled | length')" = 1 ] || fail "throttling"
[ "$(json .tests.fill.cache.verdict)" != found ] || fail "throttling is taken for the end of a cache"

# Several files: one run of a log and its JSON, an array where there are several runs, text otherwise.
expect 0 import "$logs/stall-thinktime_bw.1.log" "$logs/stall-thinktime.json" --json
[ "$(json '.tests.fill.stalls | length')" -ge 1 ] || fail "the stalls are not seen"
expect 0 import "$logs/elbencho-live.csv" "$logs/diskspd-write.xml" "$logs/iostat-xt.txt" --json
[ "$(json length)" = 3 ] || fail "not three runs"
expect 0 import "$logs/hist_clat_hist.1.log"
prints "fill, 65.0 MB"

# All or nothing; one line; one document.
before=$("$SSDSCOPE" runs --json | jq '.runs | length')
refused 2 ":2: 'x' is no amount" import "$curves/three_stage_00.csv" <(printf 'seconds,bytes\n1,x\n')
printf 'seconds,bytes\n1,x\n' >broken.csv
refused 2 "broken.csv:2: 'x' is no amount" import "$curves/three_stage_00.csv" broken.csv
refused 2 "row per I/O" import "$logs/per-io_bw.1.log"
refused 2 "no file to import" import
refused 2 "--capacity: 'much' is not a size" import broken.csv --capacity much
expect 2 import broken.csv --json
[ "$(json .run.partial)" = true ] || fail "no document for a failed import"
[ "$("$SSDSCOPE" runs --json | jq '.runs | length')" = "$before" ] || fail "a refused import left a run"

# Another store is merged, once.
cp runs.db other.db
cp runs.db-wal other.db-wal 2>/dev/null
expect 0 import other.db --store merged.db --json
[ "$(json length)" = "$before" ] || fail "not all runs were merged"
expect 0 import other.db --store merged.db --json
[ "$(json length)" = 0 ] || fail "runs were merged twice"

# A store where a log is expected, and the store itself.
refused 2 "it is a store of runs" import <(cat other.db)
refused 2 "is the store itself" import runs.db
sqlite3 foreign.db 'create table t(x); insert into t values(1);'
refused 2 "an SQLite file, but not one of ssdscope" import foreign.db
head -c 5000 other.db >short.db
refused 1 "the file is damaged; go back to a copy" import short.db --store merged.db

# Export: the series can be imported again, with what it says beside the bytes.
expect 0 show three --json
want=$(json .tests.fill.cache.bytes)
expect 0 export three --csv -o three.csv
expect 0 import three.csv --capacity 2TB --json
[ "$(json .tests.fill.cache.bytes)" = "$want" ] || fail "the series did not survive export and import"
expect 0 export three --json
[ "$(json .run.label)" = three ] || fail "export --json"
refused 2 "in which format" export three
refused 2 "one format at a time" export three --csv --fio
refused 2 "no test 'x'" export three --fio -t x
refused 2 "no-such-folder" export three --csv -o no-such-folder/x
expect 0 run -q -t fill null:size=64M
expect 0 export last --fio -o job.fio
grep -q '^rw=write$' job.fio || fail "no write in the job"
grep -q '^filename=\${TARGET}$' job.fio || fail "the target is not taken from the environment"

# fio runs what was exported, and its log comes back with the same bytes.
command -v fio >/dev/null || skip "fio is not installed"
dd if=/dev/zero of=target bs=1M count=1 oflag=direct 2>/dev/null || skip "the scratch folder's file system refuses O_DIRECT"
# io_uring may be forbidden here, and a job must last longer than the window of its log.
sed 's/^ioengine=.*/ioengine=psync\nrate=40m/' job.fio >psync.fio
TARGET=$scratch/target fio --output=fio.json --output-format=json psync.fio >err 2>&1 || fail "fio refuses the job"
[ "$(jq '.jobs[0].write.io_bytes' <(sed -n '/^{/,$p' fio.json))" = 67108864 ] || fail "fio wrote something else"
expect 0 import ./*_bw.*.log fio.json --json
# fio does not log the last window, here of at most 20 MiB; the rate is the one that was asked for.
near "$(json .tests.fill.bytes)" 67108864 31
near "$(json .tests.fill.mean_mbps)" 41.94 5
