# A whole run on `null:`: plan line, progress off, figures, JSON, CSV, and the list of runs.
. "$LIB" || exit 1

expect 0 run -t fill null:size=64M,latency=100us --label first
says "null:size=64M,latency=100us"
says "writes up to 67.1 MB"
prints "fill"
expect 0 run -t fill null:size=64M --json
[ "$(json .schema)" = 1 ] || fail "schema"
[ "$(json .run.partial)" = false ] || fail "partial"
[ "$(json .target.kind)" = null ] || fail "kind"
[ "$(json .tests.fill.status)" = done ] || fail "status"
[ "$(json .tests.fill.bytes)" = 67108864 ] || fail "bytes"
[ "$(json .tests.fill.power_w)" = null ] || fail "power that nobody measured"
expect 0 runs
prints first
expect 0 show first
prints "67.1 MB"
expect 0 show first --csv
[ "$(head -n 1 out | cut -d, -f1,2)" = seconds,bytes_written_in_interval ] || fail "CSV header"
[ "$(tail -n +2 out | awk -F, '{ s += $2 } END { printf "%d", s }')" = 67108864 ] || fail "CSV sum"
expect 2 show no-such-run
says "no-such-run"
one_line_error
