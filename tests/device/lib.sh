# SPDX-License-Identifier: MIT
# For the tests that need block devices: loop devices over files of their own. Sourced with `set -eu` in force.

skip() {
	echo "SKIPPED: $*"
	exit 77
}

[ "$(id -u)" = 0 ] || skip "needs root, to make loop devices"
[ -e /dev/loop-control ] || skip "this kernel has no loop devices"
for tool in losetup sha256sum blockdev addpart delpart; do
	command -v $tool >/dev/null || skip "needs $tool (package util-linux)"
done

scratch=$(mktemp -d "$PWD/device-test-XXXXXX")
loop=

# Detaches and unmounts what this test made, and nothing else.
cleanup() {
	status=$?
	trap - EXIT
	for dir in "$scratch"/mnt*; do
		[ -d "$dir" ] && umount "$dir" 2>/dev/null || true
	done
	if [ -n "$loop" ] && is_mine; then
		swapoff "$loop" 2>/dev/null || true
		[ -b "${loop}p1" ] && swapoff "${loop}p1" 2>/dev/null || true
		[ -b "${loop}p1" ] && delpart "$loop" 1 2>/dev/null || true
		blockdev --setrw "$loop" # it would stay read-only for whoever takes it next
		losetup -d "$loop" || true
	fi
	rm -rf "$scratch"
	exit $status
}
trap cleanup EXIT
trap 'exit 1' INT TERM

# Whether the loop device still belongs to this test's file.
is_mine() {
	[ "$(cat "/sys/block/${loop#/dev/}/loop/backing_file" 2>/dev/null)" = "$scratch/disk" ]
}

# Makes a loop device of 64 MiB (or $1) over a fresh file; sets $loop. Others on this machine may be doing the same.
make_loop() {
	truncate -s "${1:-64M}" "$scratch/disk"
	loop=$(flock "${LOOP_LOCK:-/tmp/loop.lock}" losetup --show -f --direct-io=on "$scratch/disk" 2>/dev/null) ||
		loop=$(flock "${LOOP_LOCK:-/tmp/loop.lock}" losetup --show -f "$scratch/disk") || skip "no free loop device"
	is_mine || { echo "FAILED: $loop is not over $scratch/disk"; loop=; exit 1; }
}

# Adds partition 1 (from 1 MiB, 32 MiB long) to the kernel's table. A kernel with partition parsers may have it already.
add_partition() {
	[ -b "${loop}p1" ] || addpart "$loop" 1 2048 65536
	for i in 1 2 3 4 5 6 7 8 9 10; do
		[ -b "${loop}p1" ] && return
		sleep 0.1
	done
	skip "the kernel made no ${loop}p1"
}

checksum() {
	blockdev --flushbufs "$loop"
	sync "$scratch/disk"
	sha256sum <"$scratch/disk"
}

# refused CODE PATTERN ARGUMENT...: opening must fail with CODE and a line that matches PATTERN, and change no byte.
refused() {
	code=$1 pattern=$2
	shift 2
	before=$(checksum)
	got=0
	"$open_target" --fill --erase "$@" >"$scratch/out" 2>"$scratch/err" </dev/null || got=$?
	if [ $got != "$code" ] || ! grep -q -- "$pattern" "$scratch/err" || [ "$(wc -l <"$scratch/err")" -gt "${lines:-1}" ]; then
		echo "FAILED: exit $got (wanted $code) for '$*', wanted '$pattern':"
		cat "$scratch/err"
		exit 1
	fi
	[ "$(checksum)" = "$before" ] || { echo "FAILED: '$*' was refused, but the device has changed"; exit 1; }
	echo "refused as it should be: $(tail -n 1 "$scratch/err")"
}

# accepted ARGUMENT...: opening and the work asked for must succeed.
accepted() {
	"$open_target" "$@" 2>"$scratch/err" </dev/null || { echo "FAILED: '$*':"; cat "$scratch/err"; exit 1; }
	cat "$scratch/err"
}
