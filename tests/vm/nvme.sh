#!/bin/sh
# SPDX-License-Identifier: MIT
# nvme.sh OPEN_TARGET SSDSCOPE: our programs against the kernel's NVMe driver: three emulated drives, one of them with two namespaces,
# one with a sector that cannot be written. What is checked is in nvme-guest.sh.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib.sh"

drive() { echo "if=none,id=$1,file=$scratch/$1,format=raw,discard=unmap,cache=unsafe"; }
# mdts=5: the largest transfer is 2^5 pages of 4 KiB. Sector 40960 is at 20 MiB.
attempt() {
	for image in one two-a two-b bad; do
		rm -f "$scratch/$image"
		truncate -s 64M "$scratch/$image"
	done
	vm_boot 300 \
		-drive "$(drive one)" -device nvme,id=c1,serial=ONE,mdts=5 -device nvme-ns,drive=one,bus=c1,nsid=1 \
		-drive "$(drive two-a)" -drive "$(drive two-b)" -device nvme,id=c2,serial=TWO,mdts=5 \
		-device nvme-ns,drive=two-a,bus=c2,nsid=1 -device nvme-ns,drive=two-b,bus=c2,nsid=2 \
		-blockdev '{"driver":"raw","node-name":"bad","cache":{"no-flush":true},"file":{"driver":"blkdebug",
			"image":{"driver":"file","filename":"'"$scratch/bad"'"},
			"inject-error":[{"event":"none","iotype":"write","sector":40960,"errno":5}]}}' \
		-device nvme,id=c3,serial=BAD,mdts=5 -device nvme-ns,drive=bad,bus=c3,nsid=1
	cat "$scratch/results"
	grep -q '^all checks done' "$scratch/results" && ! grep -q '^FAILED' "$scratch/results"
}

vm_kernel
vm_initramfs "$1" "$2" "$here/../../suites:/data/suites" "$here/../../profiles:/data/profiles" <"$here/nvme-guest.sh"
# A command that the emulated drive does not answer for so long (see vm_boot) says nothing about our programs, so it is done
# once more; whatever else fails, fails.
vm_kernel_words=nvme_core.io_timeout=20
vm_give_up='nvme.*timeout, '
for try in 1 2 3; do
	(attempt) >"$scratch/said" 2>&1 && status=0 || status=$?
	cat "$scratch/said"
	[ $status != 0 ] || exit 0
	[ $status = 75 ] || exit $status
	echo "--- attempt $try: the emulated drive did not answer the kernel"
done
exit $status
