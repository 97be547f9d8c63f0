# The same suite, unchanged, on a modelled drive, on a file and on a loop device: each is told the same, but for how long
# it idles and how often it is asked whether it is quiet.
. "$LIB" || exit 1

# The measured orders of a trace: no times, no idles, no probes of quietness (the only reads of 4 KiB), and what is said
# twice in a row once (a target that knows its watts is first asked what it draws at rest).
orders() {
	awk '$2 == "idle" { next } $2 == "read" && $3 == 4096 { next } { $1 = ""; print }' "$1" | uniq
}
run_on() { # NAME TARGET OPTIONS
	local name=$1
	shift
	expect 0 run -q --suite "$SUITES/small.yaml" --trace $name.trace "$@" --json
	json '.tests | to_entries[] | "\(.key) \(.value.status // (.value | map(.status)))"' >$name.status
	orders $name.trace >$name.orders
}
run_on sim --size 2G sim:tpu-617gb
[ "$(grep -c done sim.status)" -ge 5 ] || fail "not all tests are done"
grep -q 'write 1048576 sequential x64' sim.orders || fail "no fill in the trace"
run_on file --size 64M t.img
diff sim.orders file.orders || fail "the file was told something else"
diff sim.status file.status || fail "other results on the file"

[ "$(id -u)" -eq 0 ] || skip "loop devices need root; the modelled drive and the file agree"
truncate -s 64M loop.img
loop=$(flock /tmp/loop.lock losetup --show -f loop.img 2>err) || skip "no loop device here; the modelled drive and the file agree"
cleanup() { losetup -d "$loop"; }
[ "$(cat "/sys/block/${loop#/dev/}/loop/backing_file")" = "$(realpath loop.img)" ] || fail "not our loop device"
run_on loop --destroy="$loop" "$loop"
diff sim.orders loop.orders || fail "the loop device was told something else"
diff sim.status loop.status || fail "other results on the loop device"
# To repeat it, the report names the drive that is to be erased, as one had to.
[ "$(sqlite3 runs.db "select command from run where target_kind = 'block'" |
	jq -r '.[-2:] | join(" ")')" = "--destroy=$loop $loop" ] || fail "no way to repeat it"
