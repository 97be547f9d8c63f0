# Several modelled drives at once use all cores and give the figures that each gives alone; one report compares them.
. "$LIB" || exit 1

expect 0 run -q -t burst-seq-write -t burst-rand-read sim:tpu-617gb --json
jq .tests out >alone.json
expect 0 run -q -t burst-seq-write -t burst-rand-read sim:tpu-617gb sim:tpu-617gb sim:tpu-617gb -o all.html --json
[ "$(json length)" = 3 ] || fail "not an array of three documents"
for i in 0 1 2; do
	diff alone.json <(jq ".[$i].tests" out) >/dev/null || fail "run $i differs from the one alone"
done
grep -q '<svg' all.html || fail "no comparison"
# One wrong target among several: nothing is run.
refused 2 "no model" run -q -t burst-seq-read sim:tpu-617gb sim:nothing
[ "$("$SSDSCOPE" runs --json | jq '.runs | length')" = 4 ] || fail "a run was made all the same"
# Ids in the order of the command line, whichever is ready first.
expect 0 run -q -t burst-seq-read --size 100G sim:phison-e12-960gb null:size=16M sim:wd-sn850x sim:tpu-617gb \
	sim:samsung-960-pro-2tb --json
[ "$(json '[.[].run.id] == [.[0].run.id + (0, 1, 2, 3, 4)]')" = true ] || fail "ids: $(json '[.[].run.id]')"
