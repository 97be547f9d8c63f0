# SPDX-License-Identifier: MIT
# Drives that fail on the way: what was measured is kept, the reason is named, exit 1, never a hang. (src/target/fault.h)
. "$LIB" || exit 1

for fault in eio@60 short@60; do
	expect 1 run --json -t fill fault:$fault:null:size=64M
	says "nput/output error"
	[ "$(json .run.partial)" = true ] || fail "partial"
	[ "$(json .tests.fill.status)" = partial ] || [ "$(json .tests.fill.status)" = failed ] || fail "status"
	json .tests.fill.reason | grep -q "nput/output error" || fail "reason"
	expect 0 show last --csv
	sum=$(tail -n +2 out | awk -F, '{ s += $2 } END { printf "%d", s }')
	[ "$sum" -ge 1048576 ] && [ $((sum % 1048576)) = 0 ] || fail "what was written before the fault is not kept: $sum"
done

# Also while a test is prepared: the place in the drive.
truncate -s 64M quiet.img
refused 1 "waiting until quiet: cannot read 'quiet.img' at " run -t burst-seq-read fault:eio@3:quiet.img
says " MB: Input/output error"
refused 1 "preparing: sequential data: cannot write 'null:size=64M' at 56.6 MB: Input/output error" \
	run -t burst-seq-read fault:eio@55:null:size=64M

expect 1 run --json -t fill -t burst-seq-read fault:vanish@10:null:size=64M
[ "$(json .run.partial)" = true ] || fail "partial"
json .tests.fill.reason | grep -qi "no such device\|is gone" || fail "reason of the first test"

# A stall of 30 s is a part of the curve: zeros, and the fill goes on.
expect 0 run --json -t fill fault:stall@2000:sim:tpu-617gb
[ "$(json .tests.fill.status)" = done ] || fail "status after a stall"
[ "$(json '.tests.fill.stalls | length')" = 1 ] || fail "the stall is not among the figures"
near "$(json '.tests.fill.stalls[0].seconds')" 30 5
