#!/bin/sh
# SPDX-License-Identifier: MIT
# The loop closed: a modelled drive is served over NBD, QEMU makes it an NVMe drive, a Debian kernel drives it, and there
# `ssdscope run` measures what the model was made from: the size of the cache, and the rates as ratios. What is expected
# comes from a run on the full-size model in virtual time: the served drive is a small one of the same kind.
set -eu
. "$(dirname "$0")/lib.sh"
command -v jq >/dev/null || skip "needs jq"
command -v nbdkit >/dev/null || skip "needs nbdkit"

model=tpu-617gb
capacity=2147483648
# Slow enough for an emulated machine, of which 1 MiB costs about 1.3 ms: 7 GB/s become 58 MB/s, 18 ms for 1 MiB.
scale=120

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

vm_kernel
vm_initramfs "$SSDSCOPE" "$SSDSCOPE_DATA/suites:/share/suites" <<'END'
export SSDSCOPE_DATA=/share SSDSCOPE_STORE=/tmp/runs.db
ssdscope run -q -t fill /dev/nvme0n1 --destroy=LOOP1 --json >$RESULTS
END
vm_boot 900 -drive "if=none,id=d,file=$(cat "$scratch/uri"),format=raw,cache=none,discard=unmap" \
	-device nvme,drive=d,serial=LOOP1,mdts=8
kill -INT $server
wait $server || fail "serve ended with $?"
server=

fill() { jq "$1" "$scratch/$2"; }
# near WHAT GOT WANTED PERCENT
near() {
	awk -v v="$2" -v w="$3" -v p="$4" 'BEGIN { d = v - w; if (d < 0) d = -d; exit !(d <= w * p / 100) }' || {
		jq -c '.tests.fill' "$scratch/results"; cat "$scratch/stats" "$scratch/console"
		fail "$1 is $2, not within $4 % of $3"
	}
	echo "$1: $2, expected $3"
}
[ "$(fill .target.kind results)" = '"block"' ] || fail "not a block device"
[ "$(fill .target.capacity_bytes results)" = $capacity ] || fail "capacity"
[ "$(fill .tests.fill.bytes results)" = $capacity ] || fail "not filled"
[ "$(fill .tests.fill.cache.verdict results)" = '"found"' ] || { cat "$scratch/stats"; fill .tests.fill results; fail "no cache found"; }
whole=$(fill .target.capacity_bytes model.json)
near "cache, share of the capacity" "$(fill ".tests.fill.cache.bytes / $capacity" results)" \
	"$(fill ".tests.fill.cache.bytes / $whole" model.json)" 3
grep 'set the pace' "$scratch/serve.txt"
# Whether the rates are the model's, too, is up to this host: asked of ratios, and only where it was not too busy to keep up.
if [ "$(jq '.pace.overdue_share < 0.05' "$scratch/stats")" = true ]; then
	near "rate in the cache over rate after it" "$(fill '.tests.fill.cache | .mbps / .after_mbps' results)" \
		"$(fill '.tests.fill.cache | .mbps / .after_mbps' model.json)" 15
	near "rate in the cache over mean rate" "$(fill '.tests.fill | .cache.mbps / .mean_mbps' results)" \
		"$(fill '.tests.fill | .cache.mbps / .mean_mbps' model.json)" 15
fi
