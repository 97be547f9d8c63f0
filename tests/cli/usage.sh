# Bad words on the command line: one clear line, exit code 2, nothing done.
. "$LIB" || exit 1

expect 2
grep -q '^Usage:' err || fail "no usage"
expect 0 --help
prints 'ssdscope run -t fill sim:tpu-617gb'
expect 0 --version
refused 2 "no verb 'fil'" fil
refused 2 "no test 'fil' in suite 'review'; it has fill," run -t fil null:
refused 2 "no suite 'revue'" run --suite revue null:
refused 2 'no target' run
refused 2 "'5parsecs' is not a size" run --size 5parsecs x
refused 2 "'-1' is not a size" run --size -1 x
refused 2 "'0' is not a queue depth" run --qd 0 null:
expect 2 run --no-such-option null:
refused 2 "is not understood" run null:size=8Q
refused 2 "no model 'tpu-617'" run sim:tpu-617
says 'tpu-617gb'
refused 2 "cannot be made" run --size 1k sim:tpu-617gb
refused 2 "cannot be made as small" run --size 1g sim:tpu-617gb
refused 2 "less than the 8.80 TB asked for" run --size 8t sim:tpu-617gb
[ ! -e runs.db ] || [ "$("$SSDSCOPE" runs --json | jq ".runs | length")" = 0 ] || fail "a refused run was stored"
expect 0 tests
prints 'burst-seq-read'
prints '8 bursts of 128 MiB, busy 20 % of the time'
for verb in $("$SSDSCOPE" --help | sed -n 's/^  \([a-z]*\)  .*/\1/p'); do
	expect 0 $verb --help
	prints "Usage: ssdscope $verb"
done
# --json: one document, also where nothing could be run.
expect 2 run --json --size 5parsecs x
[ "$(json .run.partial)" = true ] || fail "no JSON of a wrong command line"
[ -n "$(json .run.error)" ] || fail "no error in the JSON"
[ "$(jq -s length out)" = 1 ] || fail "not one document"
expect 2 run --json --no-such-option null:
[ "$(jq -s length out)" = 1 ] || fail "no JSON of an unknown option"
for args in "runs --json --store missing.db" "export --json --store missing.db" "export --json --csv" "drives --json x"; do
	expect 2 $args
	[ "$(json '.error // .run.error' | grep -c .)" = 1 ] || fail "no JSON of: $args"
	[ "$(jq -s length out)" = 1 ] || fail "not one document: $args"
done
refused 2 "'4294967297' is not a queue depth" run --qd 4294967297 null:
refused 2 "'-1' is not a seed" run --seed -1 null:
refused 2 "'' is not a seed" run --seed= null:
