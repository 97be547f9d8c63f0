#!/bin/sh
# SPDX-License-Identifier: MIT
# guard.sh OPEN_TARGET CASE [SSDSCOPE]: what the guard refuses and what it lets through, on loop devices.
set -eu
open_target=$1 case=$2
. "$(dirname "$0")/lib.sh"

force() { echo "--destroy=$loop --overwrite-filesystem"; }

case $case in
mounted)
	make_loop
	mkfs.ext4 -q "$loop"
	mkdir "$scratch/mnt"
	mount -o ro "$loop" "$scratch/mnt" # of its own accord ext4 writes for a while after a mount
	refused 3 "is mounted on $scratch/mnt.*there is no override" $(force) "$loop"
	lines=2 refused 3 'is mounted' --answer="$loop" --overwrite-filesystem "$loop"
	# Reading is nobody's loss, and a descriptor for reading can do nothing else.
	before=$(checksum)
	accepted --read-only --write-anyway "$loop"
	[ "$(checksum)" = "$before" ]
	;;
medium)
	# The file behind a loop device, also by another name of it: whoever has mounted the device would lose all.
	make_loop
	mkfs.ext4 -q "$loop"
	ln "$scratch/disk" "$scratch/link"
	refused 3 "is the medium of $loop" --destroy="$scratch/disk" --overwrite-filesystem "$scratch/disk"
	refused 3 "is the medium of $loop" --destroy="$scratch/link" "$scratch/link"
	;;
mounted-elsewhere)
	# In a mount namespace of its own, as a container has: no table of mounts that we can see tells.
	make_loop
	mkfs.ext4 -q "$loop"
	mkdir "$scratch/mnt"
	mkfifo "$scratch/go"
	# The folder is made a mount of its own that passes nothing on: where / is no mount point, as in a chroot, the
	# propagation of everything cannot be changed.
	mount --bind "$scratch/mnt" "$scratch/mnt" && mount --make-private "$scratch/mnt"
	unshare -m --propagation unchanged sh -c "mount -o ro '$loop' '$scratch/mnt' && echo up >'$scratch/up' && read x <'$scratch/go'" &
	while [ ! -s "$scratch/up" ]; do
		kill -0 $! 2>/dev/null || skip "cannot mount in a namespace"
		sleep 0.05
	done
	refused 3 'in use by another program, another container' $(force) "$loop"
	echo >"$scratch/go"
	wait $!
	umount "$scratch/mnt"
	;;
swap)
	make_loop
	mkswap -q "$loop" >/dev/null
	refused 3 'it holds swap' --destroy="$loop" "$loop"
	swapon "$loop"
	refused 3 'is active swap' $(force) "$loop"
	;;
child-mounted)
	make_loop
	add_partition
	mkfs.ext4 -q "${loop}p1"
	mkdir "$scratch/mnt"
	mount -o ro "${loop}p1" "$scratch/mnt"
	refused 3 "${loop#/dev/}p1 is mounted on" $(force) "$loop"
	refused 3 "${loop#/dev/}p1 is mounted on" --destroy="${loop}p1" --overwrite-filesystem "${loop}p1"
	;;
child-swap)
	make_loop
	add_partition
	mkswap -q "${loop}p1" >/dev/null
	swapon "${loop}p1"
	refused 3 "${loop#/dev/}p1 is active swap" $(force) "$loop"
	;;
child-signature)
	# No partition table on the disk itself: only the look at each child finds the file system.
	make_loop
	add_partition
	mkfs.ext4 -q -L precious "${loop}p1"
	refused 3 "ext4 file system 'precious' on ${loop#/dev/}p1" --destroy="$loop" "$loop"
	accepted $(force) --fill "$loop"
	;;
partition)
	# A partition as the target: its neighbours stay as they are.
	make_loop
	add_partition
	refused 3 "add --destroy=${loop}p1" "${loop}p1"
	refused 3 "does not name it" --destroy="$loop" "${loop}p1"
	printf 'before' | dd of="$loop" bs=1 seek=1048570 conv=notrunc status=none
	printf 'after' | dd of="$loop" bs=1 seek=34603008 conv=notrunc status=none
	sync
	accepted --destroy="${loop}p1" --fill --erase "${loop}p1"
	blockdev --flushbufs "$loop"
	[ "$(dd if="$scratch/disk" bs=1 skip=1048570 count=6 status=none)" = before ]
	[ "$(dd if="$scratch/disk" bs=1 skip=34603008 count=5 status=none)" = after ]
	;;
held)
	make_loop
	mkfifo "$scratch/hold"
	"$open_target" --destroy="$loop" --hold "$loop" <"$scratch/hold" >"$scratch/held" 2>&1 &
	exec 9>"$scratch/hold"
	while ! grep -q '^open$' "$scratch/held"; do
		kill -0 $!
		sleep 0.05
	done
	refused 3 'open exclusively' $(force) "$loop"
	# The claim lasts as long as the run: nobody can mount it meanwhile.
	mkdir "$scratch/mnt"
	! mount "$loop" "$scratch/mnt" 2>"$scratch/mount"
	grep -q -i 'busy' "$scratch/mount"
	exec 9>&-
	wait $!
	accepted --destroy="$loop" --fill "$loop"
	;;
file-system)
	command -v mkfs.ext4 >/dev/null || skip "needs mkfs.ext4 (package e2fsprogs)"
	make_loop
	mkfs.ext4 -q -L photos "$loop"
	refused 3 "ext4 file system 'photos'.*add --overwrite-filesystem --destroy=$loop" "$loop"
	refused 3 'add --overwrite-filesystem$' --destroy="$loop" "$loop"
	refused 3 "add --destroy=$loop" --overwrite-filesystem "$loop"
	refused 3 "does not name it" --overwrite-filesystem --destroy=S12345 "$loop"
	# a prompt does not replace the flag either
	refused 3 'add --overwrite-filesystem' --answer="$loop" "$loop"
	accepted $(force) --fill "$loop"
	;;
damaged-file-system)
	# One flipped bit in the superblock, as a bad cable leaves it: still somebody's data.
	make_loop
	mkfs.ext4 -q -L photos -O metadata_csum "$loop"
	printf '\001' | dd of="$loop" bs=1 seek=1256 conv=notrunc status=none
	sync
	refused 3 'ext4' --destroy="$loop" "$loop"
	;;
lvm)
	command -v pvcreate >/dev/null || skip "needs pvcreate (package lvm2)"
	make_loop
	pvcreate -q -q --config 'devices { use_devicesfile = 0 scan = "/dev" }' "$loop" >/dev/null 2>"$scratch/pv" || skip "pvcreate: $(cat "$scratch/pv")"
	refused 3 'LVM2_member volume or RAID member' --destroy="$loop" "$loop"
	;;
raid)
	# Version 1.2 superblock of md, 4 KiB into the device, by hand: magic, major version, and the checksum that goes with it.
	make_loop
	python3 - "$loop" <<'PY'
import struct, sys
sb = bytearray(256)
struct.pack_into('<IIII', sb, 0, 0xa92b4efc, 1, 0, 0)
sb[16:32] = bytes(range(16))
struct.pack_into('<Q', sb, 144, 8)
total = sum(struct.unpack('<64I', sb))
struct.pack_into('<I', sb, 216, ((total & 0xffffffff) + (total >> 32)) & 0xffffffff)
with open(sys.argv[1], 'r+b') as f:
    f.seek(4096)
    f.write(sb)
PY
	sync
	refused 3 'linux_raid_member volume or RAID member' --destroy="$loop" "$loop"
	;;
partition-table)
	command -v sfdisk >/dev/null || skip "needs sfdisk (package fdisk)"
	make_loop
	printf 'label: gpt\nstart=2048, size=65536\n' | sfdisk -q --no-reread --no-tell-kernel "$loop"
	refused 3 'gpt partition table' --destroy="$loop" "$loop"
	# the protective MBR gone: GPT proper is still there
	dd if=/dev/zero of="$loop" bs=512 count=1 conv=notrunc status=none
	sync
	refused 3 'gpt partition table' --destroy="$loop" "$loop"
	;;
several)
	# ext4 and squashfs at once: no single answer, which is not "nothing".
	make_loop
	mkfs.ext4 -q "$loop"
	printf 'hsqs' | dd of="$loop" bs=1 conv=notrunc status=none
	printf '\004' | dd of="$loop" bs=1 seek=28 conv=notrunc status=none
	sync
	refused 3 'several contradicting signatures' --destroy="$loop" "$loop"
	;;
read-only)
	make_loop
	blockdev --setro "$loop"
	refused 3 'it is read-only' $(force) "$loop"
	;;
name)
	make_loop
	refused 3 "no serial number, 67.1 MB; holds no signature.*add --destroy=$loop" "$loop"
	refused 3 'does not name it' --destroy= "$loop"
	refused 3 'does not name it' --destroy="${loop}x" "$loop"
	refused 3 'does not name it' --destroy="${loop#/dev/}" "$loop"
	lines=2 refused 3 'not confirmed' --answer=yes "$loop"
	# A wrong name is not put right at the prompt.
	refused 3 'does not name it' --destroy=/dev/other --answer="$loop" "$loop"
	refused 2 'smallest size' --destroy="$loop" --size=4095 "$loop"
	refused 2 'choose a smaller --size' --destroy="$loop" --size=1000000000 "$loop"
	# A link names itself, as typed.
	ln -s "$loop" "$scratch/by-id"
	refused 3 'does not name it' --destroy="$loop" "$scratch/by-id"
	accepted --destroy="$scratch/by-id" "$scratch/by-id"
	;;
allowed)
	make_loop
	for engine in '' --pread; do
		accepted --destroy="$loop" $engine --fill "$loop"
		# Everything was written: no block of zeros is left.
		[ "$(tr -d '\000' <"$scratch/disk" | wc -c)" -gt 66000000 ]
		accepted --answer="$loop" $engine --erase "$loop"
		[ "$(tr -d '\000' <"$scratch/disk" | wc -c)" = 0 ]
		accepted --destroy="$loop" $engine --fill --size=10000000 "$loop"
		[ "$(tail -c +9998337 "$scratch/disk" | tr -d '\000' | wc -c)" -lt 4096 ]
	done
	;;
changed)
	# The drive is exchanged for a smaller one in the middle of a run.
	make_loop
	mkfifo "$scratch/hold"
	"$open_target" --destroy="$loop" --hold "$loop" <"$scratch/hold" >"$scratch/held" 2>"$scratch/err" &
	exec 9>"$scratch/hold"
	while ! grep -q '^open$' "$scratch/held"; do
		kill -0 $!
		sleep 0.05
	done
	truncate -s 32M "$scratch/disk"
	losetup -c "$loop"
	exec 9>&-
	got=0
	wait $! || got=$?
	[ $got = 1 ]
	grep -q "changed its size: it had 67108864 bytes and has 33554432 now" "$scratch/err"
	;;
erase-all)
	# The whole device is erased, also where the test used only its beginning.
	make_loop
	accepted --destroy="$loop" --fill "$loop"
	accepted --destroy="$loop" --size=8388608 --erase "$loop"
	grep -q 'discard, all 64 probes read zeros' "$scratch/err"
	[ "$(tr -d '\000' <"$scratch/disk" | wc -c)" = 0 ]
	;;
drives)
	# `ssdscope drives` says beforehand what the guard would say.
	ssdscope=$3
	command -v jq >/dev/null || skip "needs jq"
	drive() { "$ssdscope" drives --json | jq -r --arg path "$loop" '.drives[] | select(.path == $path) | '"$1"; }
	make_loop
	[ "$(drive '[.capacity_bytes, .logical_block_bytes, .erasable, .serial, .reason] | @text')" = \
		"[67108864,512,true,null,\"with --destroy=$loop\"]" ]
	mkfs.ext4 -q -L photos "$loop"
	[ "$(drive .reason)" = "with --destroy=$loop --overwrite-filesystem" ]
	[ "$(drive .contents)" = "ext4 file system 'photos' on ${loop#/dev/}" ]
	before=$(checksum)
	mkdir "$scratch/mnt"
	mount -o ro "$loop" "$scratch/mnt"
	[ "$(drive '[.erasable, .in_use] | @text')" = "[false,\"${loop#/dev/} is mounted on $scratch/mnt\"]" ]
	"$ssdscope" drives | grep -A 3 "^$loop  67.1 MB" | grep "may not be erased: ${loop#/dev/} is mounted on"
	umount "$scratch/mnt"
	mkfifo "$scratch/hold"
	"$open_target" --destroy="$loop" --overwrite-filesystem --hold "$loop" <"$scratch/hold" >"$scratch/held" 2>&1 &
	exec 9>"$scratch/hold"
	while ! grep -q '^open$' "$scratch/held"; do
		kill -0 $!
		sleep 0.05
	done
	[ "$(drive .in_use)" = "in use by another program, another container or the kernel" ]
	exec 9>&-
	wait $!
	[ "$(checksum)" = "$before" ]
	;;
output)
	# What is written for people goes to files: a disk as the place for it is refused as well, empty or not.
	ssdscope=$3
	make_loop
	export SSDSCOPE_STORE="$scratch/runs.db"
	"$ssdscope" run -q -t fill null:size=8M >/dev/null
	ln -s "$loop" "$scratch/report.html"
	before=$(checksum)
	for words in "run -q -t fill null:size=8M -o $loop" "run -q -t fill null:size=8M -o $scratch/report.html" \
		"run -q -t fill null:size=8M --trace $loop" "report last -o $loop" "export last --fio -o $loop" \
		"run -q -t fill null:size=8M --store $loop"; do
		got=0
		"$ssdscope" $words >"$scratch/out" 2>"$scratch/err" </dev/null || got=$?
		case $got:$words in
		3:* | 2:*--store*) echo "refused as it should be: $(tail -n 1 "$scratch/err")" ;;
		*) echo "FAILED: exit $got for '$words': $(cat "$scratch/err")"; exit 1 ;;
		esac
		[ "$(checksum)" = "$before" ] || { echo "FAILED: '$words' has changed the device"; exit 1; }
	done
	;;
prompt)
	# At a terminal: a wrong answer and none are refusals, Ctrl-C is an interruption; nothing is written.
	ssdscope=$3
	command -v script >/dev/null || skip "no script"
	make_loop
	before=$(checksum)
	for answer in '3 no\n' '3 \004' '130 \003'; do
		got=0
		{ sleep 2; printf "${answer#* }"; sleep 1; } |
			script -qec "'$ssdscope' run -t fill --store '$scratch/runs.db' $loop" /dev/null >"$scratch/out" || got=$?
		grep -q "type $loop to go on: " "$scratch/out" && [ "$got" = "${answer%% *}" ] ||
			{ echo "FAILED: exit $got after '$answer': $(cat "$scratch/out")"; exit 1; }
		[ "$(checksum)" = "$before" ] || { echo "FAILED: the device has changed"; exit 1; }
	done
	;;
each-named)
	# Several targets in one command: each must be named, or none is touched.
	ssdscope=$3
	make_loop
	head -c 8M /dev/urandom >"$scratch/data"
	before=$(checksum)$(sha256sum <"$scratch/data")
	for names in "--destroy=$loop" "--destroy=$scratch/data" "--destroy=$loop --destroy=$scratch/dat"; do
		got=0
		"$ssdscope" run -q -t fill --store "$scratch/runs.db" "$loop" "$scratch/data" $names >"$scratch/out" \
			2>"$scratch/err" </dev/null || got=$?
		[ $got = 3 ] && [ "$(checksum)$(sha256sum <"$scratch/data")" = "$before" ] ||
			{ echo "FAILED: exit $got with '$names': $(cat "$scratch/err")"; exit 1; }
	done
	"$ssdscope" run -q -t fill --store "$scratch/runs.db" "$loop" "$scratch/data" "--destroy=$scratch/data" \
		"--destroy=$loop" >"$scratch/out" 2>"$scratch/err" </dev/null || { cat "$scratch/err"; exit 1; }
	;;
*)
	echo "no such case: $case"
	exit 1
	;;
esac
echo "passed: $case"
