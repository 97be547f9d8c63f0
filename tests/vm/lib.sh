# SPDX-License-Identifier: MIT
# For the tests in a virtual machine: a Debian kernel under QEMU with an initramfs that holds busybox, the programs under
# test and their libraries, so that they meet a real NVMe driver. Sourced with `set -eu` in force. The machine is emulated
# (TCG) even where KVM is at hand: it is the same everywhere. A test does, in this order:
#
#   vm_kernel                                  fetches the kernel once, sets $kernel
#   vm_initramfs PROGRAM... FILE:PATH... <<'END'
#     ...                                      what the guest does, as a shell script; its exit code is the test's
#   END
#   vm_boot SECONDS QEMU_ARGUMENT...           runs it: the console is in $scratch/console; what the guest wrote to
#                                              $RESULTS (a second serial port, bytes unchanged) in $scratch/results
#
# $VM_CACHE is the folder that keeps the kernel between tests.

skip() {
	echo "SKIPPED: $*"
	exit 77
}
fail() {
	echo "FAILED: $*"
	[ ! -s "$scratch/results" ] || { echo "--- the guest's results"; tail -n 40 "$scratch/results"; }
	[ ! -s "$scratch/console" ] || { echo "--- end of the guest's console"; tail -n 40 "$scratch/console" | tr -d '\r'; }
	exit 1
}

for tool in qemu-system-x86_64 taskset busybox cpio apt-get dpkg-deb flock ldd; do
	command -v $tool >/dev/null || skip "needs $tool (tools/setup.sh check)"
done
# In memory where there is room: on a disk that is busy with other things a flush can take longer than the guest's kernel
# waits for a command, and a minute or more.
room=$(df --output=avail -k /dev/shm 2>/dev/null | tail -n 1)
[ "$(stat -f -c %T /dev/shm 2>/dev/null)" = tmpfs ] && [ "${room:-0}" -gt 1048576 ] && base=/dev/shm || base=$PWD
scratch=$(mktemp -d "$base/vm-test-XXXXXX")
# A test that starts a process of its own ends it in `stop`.
stop() { :; }
cleanup() {
	status=$?
	trap - EXIT
	stop
	rm -rf "$scratch"
	exit $status
}
trap cleanup EXIT
trap 'exit 1' INT TERM

# The kernel of Debian's cloud flavour: small, and its NVMe driver is built in. Unpacked, never installed.
vm_kernel() {
	mkdir -p "$VM_CACHE"
	(
		flock 9
		[ ! -e "$VM_CACHE/vmlinuz" ] || exit 0
		package=$(apt-cache depends linux-image-cloud-amd64 2>/dev/null | sed -n 's/.*Depends: \(linux-image-[0-9]\)/\1/p' | head -n 1)
		[ -n "$package" ] || exit 1
		rm -rf "$VM_CACHE/package"
		mkdir "$VM_CACHE/package"
		cd "$VM_CACHE/package"
		apt-get -q download "$package" >apt.log 2>&1 || exit 1
		dpkg-deb -x ./*.deb . && mv boot/vmlinuz-* ../vmlinuz
		cd .. && rm -rf package
	) 9>"$VM_CACHE/lock" || skip "cannot get a Debian kernel (package linux-image-cloud-amd64): is the network there, and was apt-get update run?"
	kernel=$VM_CACHE/vmlinuz
}

# Puts a program and the libraries that it loads into the root folder $1.
vm_add_program() {
	cp "$2" "$1/bin/"
	for file in $(ldd "$2" | grep -o '/[^ ]*'); do
		[ -e "$1$file" ] || { mkdir -p "$1$(dirname "$file")" && cp -L "$file" "$1$file"; }
	done
}

vm_initramfs() {
	root=$scratch/root
	mkdir -p "$root/bin" "$root/dev" "$root/proc" "$root/sys" "$root/tmp" "$root/run"
	cp "$(command -v busybox)" "$root/bin/busybox"
	! ldd "$root/bin/busybox" >/dev/null 2>&1 || skip "needs a static busybox (package busybox-static)"
	for item in "$@"; do
		case $item in
		*:*) mkdir -p "$root$(dirname "${item##*:}")" && cp -RL "${item%%:*}" "$root${item##*:}" ;;
		*) vm_add_program "$root" "$item" ;;
		esac
	done
	cat >"$root/test"
	cat >"$root/init" <<-'END'
		#!/bin/busybox sh
		/bin/busybox --install -s /bin
		mount -t proc proc /proc
		mount -t sysfs sysfs /sys
		mount -t devtmpfs dev /dev
		mount -t tmpfs tmpfs /tmp
		ln -s /proc/self/fd /dev/fd
		export PATH=/bin HOME=/tmp TMPDIR=/tmp RESULTS=/dev/ttyS1
		stty -F $RESULTS raw -echo
		cd /tmp
		code=0
		sh -eu /test || code=$?
		printf '\nVM-EXIT %s\n' $code
		sync
		poweroff -f
	END
	chmod +x "$root/init"
	(cd "$root" && find . | cpio --quiet -o -H newc | gzip -1) >"$scratch/initramfs"
}

# The guest's driver and the emulated drive tell each other of new commands through memory (shadow doorbells). QEMU 7.2
# writes how far it has read and then looks for more without a barrier between, so on two CPUs it can miss a command, which
# then waits until the kernel's time-out (asked about on its mailing list when that was new: "Isn't this racy against the
# driver?"). On one CPU there is nothing that could be reordered. And where a pattern is set in $vm_give_up, a console that
# shows it ends the machine at once, with 75.
vm_boot() {
	limit=$1
	cpu=$(taskset -pc $$ | sed 's/.*[^0-9]//')
	shift
	taskset -c "$cpu" timeout "$limit" qemu-system-x86_64 -accel tcg -cpu max -m 1024 -nodefaults -display none -no-reboot \
		-serial file:"$scratch/console" -serial file:"$scratch/results" \
		-kernel "$kernel" -initrd "$scratch/initramfs" -append "console=ttyS0 loglevel=5 panic=-1 ${vm_kernel_words-}" \
		"$@" </dev/null &
	qemu=$!
	while kill -0 $qemu 2>/dev/null; do
		if [ -n "${vm_give_up-}" ] && grep -q "$vm_give_up" "$scratch/console" 2>/dev/null; then
			kill $qemu
			wait $qemu || true
			(fail "the guest's console has '$vm_give_up'") || exit 75
		fi
		sleep 0.2
	done
	wait $qemu || fail "QEMU ended with $? (124: after $limit s without an end)"
	code=$(tr -d '\r' <"$scratch/console" | sed -n 's/^VM-EXIT //p')
	[ -n "$code" ] || fail "the guest did not come to its end"
	[ "$code" != 77 ] || skip "$(tail -n 2 "$scratch/console" | head -n 1)"
	[ "$code" = 0 ] || fail "the guest's script ended with $code"
}
