# The main job: a modelled 2 TB drive is filled, its cache found, the report drawn. The claims A1 to A5 and A9 hold.
. "$LIB" || exit 1

expect 0 run -t fill sim:tpu-617gb -o review.html --json
near "$(json .tests.fill.cache.mbps)" 7000 3
near "$(json .tests.fill.cache.bytes)" 617e9 1
near "$(json .tests.fill.cache.share_of_cells)" 0.90 1.1
near "$(json .tests.fill.cache.after_mbps)" 1775 9.9
near "$(json .tests.fill.mean_mbps)" 2417 2
[ "$(json .tests.fill.cache.verdict)" = found ] || fail "verdict"
after=$(json '[.tests.fill.stages[1:][] | .nand_bytes] | add')
host=$(json '.tests.fill.bytes - .tests.fill.cache.bytes')
awk -v n="$after" -v h="$host" 'BEGIN { exit !(n > 1.2 * h) }' || fail "A9: $after NAND bytes for $host host bytes"
grep -q '<svg' review.html || fail "no chart"
grep -q '617' review.html || fail "the report does not name the size"
! grep -qE '(src|href)="(https?:)?//' review.html || fail "the report asks the network for something"
# The same seed gives the same figures.
cp out first.json
expect 0 run -t fill sim:tpu-617gb --json
diff <(jq .tests first.json) <(jq .tests out) || fail "two runs differ"

# A drive that throttles says so in every test that it slows down, not only in the fill.
{ cat "$SSDSCOPE_DATA"/profiles/tpu-617gb.yaml; printf 'heat:\n  throttle_c: 40\n  hysteresis_c: 20\n'; } >hot.yaml
expect 0 run -q --json -t fill -t burst-seq-write --size 400G sim:./hot.yaml
[ "$(json '[.tests[] | .warnings[] | select(.code == "throttled")] | length')" = 2 ] || fail "throttled without a word"
[ "$(json '.tests.fill.throttled | length > 0')" = true ] || fail "no stretch in the fill"
expect 0 run -q --json -t burst-seq-write sim:tpu-617gb
[ "$(json '[.tests[] | .warnings[] | select(.code == "throttled")] | length')" = 0 ] || fail "a cool drive throttles"
