# SPDX-License-Identifier: MIT
# Runs in the virtual machine of nvme.sh. Every check prints one line that begins with "ok" or "FAILED".
exec >$RESULTS 2>&1
export SSDSCOPE_DATA=/data

# The name (nvme0) of the controller with a serial number; they may come in any order.
controller() {
	for i in 1 2 3 4 5 6 7 8 9 10; do
		for c in /sys/class/nvme/*; do
			[ "$(tr -d ' ' <"$c/serial" 2>/dev/null)" = "$1" ] && { echo "${c##*/}"; return; }
		done
		sleep 1
	done
}

# check NAME CODE PATTERN COMMAND...: the exit code and a line of the output.
check() {
	name=$1 code=$2 pattern=$3
	shift 3
	got=0
	echo "$(cut -d ' ' -f 1 /proc/uptime) s: $name"
	timeout -s KILL 60 "$@" >/tmp/out 2>&1 </dev/null || got=$?
	if [ "$got" = "$code" ] && grep -q -- "$pattern" /tmp/out; then
		echo "ok $name: $(grep -- "$pattern" /tmp/out | head -n 1)"
	else
		echo "FAILED $name: exit $got (wanted $code), wanted '$pattern':"
		cat /tmp/out
	fi
}

one=$(controller ONE)
two=$(controller TWO)
bad=$(controller BAD)
echo "drives: $one $two $bad"

check names-the-drive 3 "QEMU NVMe Ctrl, serial ONE, 67.1 MB; holds no signature.*add --destroy=ONE" open_target /dev/${one}n1
check path-is-no-name 3 "does not name it" open_target --destroy=/dev/${one}n1 /dev/${one}n1
check block-io 0 "^block, engine io_uring, 67108864 bytes, block 512, largest transfer 131072" open_target --destroy=ONE --fill /dev/${one}n1
check format 0 "format with user-data erase, all 64 probes read zeros" open_target --destroy=ONE --fill --erase /dev/${one}n1
check discard 0 "discard, all 64 probes read zeros" open_target --destroy=ONE --fill --discard /dev/${one}n1
check no-sanitize 1 "knows no sanitize" open_target --destroy=ONE --sanitize /dev/${one}n1

# Passthrough: 1 MiB I/Os become commands of 128 KiB, the drive's largest.
generic=ng${one#nvme}n1
check passthrough-io 0 "engine io_uring_cmd, 67108864 bytes" open_target --destroy=ONE --fill --erase /dev/$generic
check passthrough-is-guarded 3 "add --destroy=ONE" open_target /dev/$generic
mkfifo /tmp/hold
rm -f /tmp/held
open_target --destroy=ONE --hold /dev/${one}n1 </tmp/hold >/tmp/held 2>&1 &
exec 9>/tmp/hold
while ! grep -q '^open$' /tmp/held; do sleep 0.2; done
check passthrough-while-held 3 "open exclusively" open_target --destroy=ONE /dev/$generic
exec 9>&-
wait

# Two namespaces: a format of one leaves the other as it is.
check second-namespace 0 "engine io_uring" open_target --destroy=TWO --fill /dev/${two}n2
before=$(sha256sum </dev/${two}n2)
check format-of-one 0 "format with user-data erase" open_target --destroy=TWO --fill --erase /dev/${two}n1
[ "$before" = "$(sha256sum </dev/${two}n2)" ] && echo "ok other-namespace-unchanged" || echo "FAILED other-namespace-unchanged"

# A sector that cannot be written, at 20 MiB.
check injected-error 1 "write: Input/output error" open_target --destroy=BAD --fill /dev/${bad}n1
# On a slow machine the kernel gives the command up before the emulated drive answers.
check injected-error-passthrough 1 "write: \(Input/output error\|Connection timed out\)" open_target --destroy=BAD --fill /dev/ng${bad#nvme}n1

check drives 0 "QEMU NVMe Ctrl" ssdscope drives
check drives-json 0 '"serial": "ONE"' ssdscope drives --json
# As it is, without the erase and the wait until it is quiet, which an emulated drive never is.
cat >/tmp/fill.yaml <<'SUITE'
suite: fill
title: A fill of the drive as it is
tests:
  - test: fill
    kind: fill
    explain: Writes the whole drive in one sequential stream.
    needs: any
    leaves: full
    io: {op: write, pattern: sequential, block: 1m, queue_depth: [1], span: all}
    low_power: true
SUITE
check run-fill 0 '"status": "done"' ssdscope run --json --suite /tmp/fill.yaml --destroy=ONE --store /tmp/runs.db /dev/${one}n1
ssdscope report last --store /tmp/runs.db -o /tmp/report.html
for fact in "LBA format.*512 bytes, one of" "largest command.*128 KiB" "rated life used.*0 %" "NVMe version.*1.4"; do
	check "report-$(echo "$fact" | tr -cs 'A-Za-z0-9' -)" 0 "$fact" grep -o "Drive: $fact" /tmp/report.html
done
check run-fill-error 1 '"partial": true' ssdscope run --json --suite /tmp/fill.yaml --destroy=BAD --store /tmp/runs.db /dev/${bad}n1

# The drive is pulled out while it is open.
rm -f /tmp/held
open_target --destroy=ONE --hold /dev/${one}n1 </tmp/hold >/tmp/held 2>&1 &
exec 9>/tmp/hold
while ! grep -q '^open$' /tmp/held; do sleep 0.2; done
echo 1 >/sys/class/nvme/$one/device/remove
exec 9>&-
got=0
wait $! || got=$?
[ $got = 1 ] && grep -q "is gone" /tmp/held && echo "ok pulled-out: $(tail -n 1 /tmp/held)" || { echo "FAILED pulled-out: exit $got"; cat /tmp/held; }
echo "all checks done"
