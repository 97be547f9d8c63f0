#!/bin/sh
# SPDX-License-Identifier: MIT
# nvme.sh OPEN_TARGET SSDSCOPE: our programs against the kernel's NVMe driver: three emulated drives, one of them with two namespaces,
# one with a sector that cannot be written. What is checked is in nvme-guest.sh.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib.sh"

vm_kernel
vm_initramfs "$1" "$2" "$here/../../suites:/data/suites" "$here/../../profiles:/data/profiles" <"$here/nvme-guest.sh"
for image in one two-a two-b bad; do
	truncate -s 64M "$scratch/$image"
done
drive() { echo "if=none,id=$1,file=$scratch/$1,format=raw,discard=unmap"; }
# mdts=5: the largest transfer is 2^5 pages of 4 KiB. Sector 40960 is at 20 MiB.
vm_boot 300 \
	-drive "$(drive one)" -device nvme,id=c1,serial=ONE,mdts=5 -device nvme-ns,drive=one,bus=c1,nsid=1 \
	-drive "$(drive two-a)" -drive "$(drive two-b)" -device nvme,id=c2,serial=TWO,mdts=5 \
	-device nvme-ns,drive=two-a,bus=c2,nsid=1 -device nvme-ns,drive=two-b,bus=c2,nsid=2 \
	-blockdev '{"driver":"raw","node-name":"bad","file":{"driver":"blkdebug","image":{"driver":"file","filename":"'"$scratch/bad"'"},
		"inject-error":[{"event":"none","iotype":"write","sector":40960,"errno":5}]}}' \
	-device nvme,id=c3,serial=BAD,mdts=5 -device nvme-ns,drive=bad,bus=c3,nsid=1
cat "$scratch/results"
grep -q '^all checks done' "$scratch/results"
! grep -q '^FAILED' "$scratch/results"
