#!/bin/sh
# SPDX-License-Identifier: MIT
# Installs the Debian packages that are missing. `setup.sh build`: what building and running needs; `setup.sh check`: also
# what the tests need. As root or with sudo; says what it installs, and nothing where all is there.
set -eu

build="gcc libc6-dev meson ninja-build pkg-config
	liburing-dev libnvme-dev libjson-c-dev libssl-dev libblkid-dev libmount-dev
	libsqlite3-dev libjansson-dev libcyaml-dev libyaml-dev libexpat1-dev libjs-dygraphs
	nbdkit nbdkit-plugin-dev scdoc"
# libclang-rt-14-dev: clang's sanitizers. A font: Chromium draws no text without one.
check="clang clang-format libclang-rt-14-dev libcmocka-dev
	groff-base util-linux e2fsprogs fdisk lvm2 sqlite3 jq procps fio sigrok-cli
	chromium fonts-dejavu-core nodejs
	qemu-system-x86 qemu-utils busybox-static cpio libnbd-bin ca-certificates"

case ${1:-build} in
build) wanted=$build ;;
check) wanted="$build $check" ;;
*) echo "usage: setup.sh build|check" >&2; exit 2 ;;
esac

missing=
for p in $wanted; do
	status=$(dpkg-query -W -f '${db:Status-Status}' "$p" 2>/dev/null || true)
	[ "$status" = installed ] || missing="$missing $p"
done
[ -n "$missing" ] || exit 0

sudo=
if [ "$(id -u)" -ne 0 ]; then
	command -v sudo >/dev/null || { echo "setup: cannot install$missing: not root, and there is no sudo; install them by hand" >&2; exit 4; }
	sudo=sudo
fi
echo "setup: installing$missing" >&2
log=$(mktemp)
# Another apt may be at work: wait for it rather than fail.
if ! { $sudo apt-get -o DPkg::Lock::Timeout=600 update &&
	$sudo env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=600 install -y --no-install-recommends $missing; } >"$log" 2>&1; then
	tail -n 20 "$log" >&2
	echo "setup: apt-get could not install them; its whole output is in $log" >&2
	exit 1
fi
rm -f "$log"
