#!/bin/sh
# SPDX-License-Identifier: MIT
# closed_loop.sh qemu|fio: the loop closed. A modelled drive is served over NBD and filled: by `ssdscope run` in a virtual
# machine, to which QEMU shows it as an NVMe drive that a Debian kernel drives; or by fio, whose logs are imported. What the
# model was made from must be found again: the size of the cache, and the rates as ratios. What is expected comes from a run
# on the full-size model in virtual time: the served drive is a small one of the same kind.
set -eu
. "$(dirname "$0")/lib.sh"
for tool in jq nbdkit fio; do
	command -v $tool >/dev/null || skip "needs $tool (tools/setup.sh check)"
done

model=tpu-617gb
capacity=2147483648
# Slow enough for an emulated machine, where 1 MiB costs at least 1.3 ms: 7 GB/s become 58 MB/s, 18 ms for 1 MiB.
scale=120
[ "$1" = qemu ] || scale=90

server=
stop() { [ -z "$server" ] || { kill "$server"; wait "$server" || true; }; }

export SSDSCOPE_STORE=$scratch/runs.db
"$SSDSCOPE" run -q -t fill "sim:$model" --json >"$scratch/model.json"

"$SSDSCOPE" serve $model --capacity $capacity --timescale $scale --socket "$scratch/nbd" --stats "$scratch/stats" \
	>"$scratch/uri" 2>"$scratch/serve.txt" </dev/null &
server=$!
for i in $(seq 600); do
	[ ! -s "$scratch/uri" ] || break
	kill -0 $server 2>/dev/null || { cat "$scratch/serve.txt"; fail "serve ended at once"; }
	sleep 0.1
done
uri=$(cat "$scratch/uri")

case $1 in
qemu)
	vm_kernel
	vm_initramfs "$SSDSCOPE" "$SSDSCOPE_DATA/suites:/share/suites" <<-'END'
		export SSDSCOPE_DATA=/share SSDSCOPE_STORE=/tmp/runs.db
		ssdscope run -q -t fill /dev/nvme0n1 --destroy=LOOP1 --json >$RESULTS
	END
	vm_boot 900 -drive "if=none,id=d,file=$uri,format=raw,cache=none,discard=unmap" -device nvme,drive=d,serial=LOOP1,mdts=8
	kind=block
	;;
fio)
	(cd "$scratch" && fio --name=fill --ioengine=nbd --uri="$uri" --rw=write --bs=1M --write_bw_log=fill --log_avg_msec=500 \
		--output-format=json --output=fill.json) >"$scratch/console" 2>&1 || fail "fio ended with $?"
	"$SSDSCOPE" import "$scratch/fill_bw.1.log" "$scratch/fill.json" --capacity $capacity --json >"$scratch/results"
	kind=imported
	;;
esac
kill -INT $server
wait $server || fail "serve ended with $?"
server=

of_run() { jq -r "$1" "$scratch/results"; }
of_model() { jq -r "$1" "$scratch/model.json"; }
# is WHAT GOT WANTED
is() { [ "$2" = "$3" ] || { of_run '.tests.fill'; cat "$scratch/stats"; fail "$1 is $2, not $3"; }; }
# near WHAT GOT WANTED PERCENT
near() {
	awk -v v="$2" -v w="$3" -v p="$4" 'BEGIN { d = v - w; if (d < 0) d = -d; exit !(d <= w * p / 100) }' || {
		of_run '.tests.fill'
		cat "$scratch/stats"
		fail "$1 is $2, not within $4 % of $3"
	}
	echo "$1: $2, expected $3"
}
is kind "$(of_run .target.kind)" $kind
is capacity "$(of_run .target.capacity_bytes)" $capacity
# fio's log lacks its last window.
near "bytes written" "$(of_run .tests.fill.bytes)" $capacity 2
is verdict "$(of_run .tests.fill.cache.verdict)" found
whole=$(of_model .target.capacity_bytes)
near "cache, share of the capacity" "$(of_run ".tests.fill.cache.bytes / $capacity")" \
	"$(of_model ".tests.fill.cache.bytes / $whole")" 3
grep 'set the pace' "$scratch/serve.txt"
# Means: so slow a drive does few requests in a sample, so that medians are coarse.
ratio=$(of_run '.tests.fill.cache | .mbps / .after_mean_mbps') expected=$(of_model '.tests.fill.cache | .mbps / .after_mean_mbps')
echo "rate in the cache over mean rate after it: $ratio, expected $expected"
awk -v r="$ratio" -v e="$expected" 'BEGIN { exit !(r > e / 3 && r < e * 1.15) }' || fail "no such ratio"
# Whether it is just the model's is up to this host: asked only where neither the server was late nor the client slow.
if [ "$(jq '.pace | .overdue_share < 0.05 and .waited_s / (.busy_s + .waited_s) < 0.04' "$scratch/stats")" = true ]; then
	near "rate in the cache over mean rate after it" "$ratio" "$expected" 15
	near "rate in the cache over mean rate" "$(of_run '.tests.fill | .cache.mbps / .mean_mbps')" \
		"$(of_model '.tests.fill | .cache.mbps / .mean_mbps')" 15
fi
