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
refused 2 "--size: '16777216T' is too large a size: give less than 8 EiB" run --size 16777216T x
refused 2 "'9e9' is not a size" import --capacity 9e9 x.csv
refused 2 "--capacity: '0' is too small a size" import --capacity 0 x.csv
refused 2 "'99999999999T' is too large a size" serve --capacity 99999999999T tpu-617gb
refused 2 "'0' is not a queue depth" run --qd 0 null:
expect 2 run --no-such-option null:
refused 2 "'8Q' is not a size" run null:size=8Q
refused 2 "'latency=x' is not understood" run null:latency=x
# Names that are not UTF-8 are no reason to leave a document out.
name=$(printf 'n\xff\xc3(')
expect 0 run -n --json -t fill --size 8M "$name"
[ "$(json '.plans | length')" = 1 ] || fail "no plan for a file whose name is not UTF-8"
expect 2 show --json "$name" --store missing.db
[ "$(json '.run.error | length')" -gt 0 ] || fail "no error for a name that is not UTF-8"
expect 2 import --json "$name"
json '.run.error' | grep -q "cannot open 'n" || fail "no error for a name that is not UTF-8"
refused 2 "no model 'tpu-617'" run sim:tpu-617
says 'tpu-617gb'
# The name that was meant, where one is near; among equals the first.
expect 2 run -n sim:phisn-e12
says "the nearest name is 'phison-e12-960gb'"
expect 2 run -n sim:samsung-960-pro-3tb
says "the nearest name is 'samsung-960-pro-2tb'"
expect 2 run -n sim:intel-dc-p4500-3tb
says "the nearest name is 'intel-dc-p4500-1tb'"
for name in "" qqqqq x; do
	expect 2 run -n "sim:$name"
	says "there is no model '$name'; there are: "
done
# The smallest size, which works when it is given.
for model in tpu-617gb phison-e12-960gb samsung-960-pro-512gb intel-optane-900p-280gb; do
	refused 2 "cannot be made as small as 1 B" run -n -t fill --size 1 sim:$model
	least=$(sed 's/.*give at least //' err)
	expect 0 run -n -t fill --size "$least" sim:$model
	most=$(awk -v l="${least%?B}" 'BEGIN { print l * 0.98 }')${least: -2}
	refused 2 "give at least $least" run -n -t fill --size "$most" sim:$model
done
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
# What is listed, for programs.
expect 0 models --json
[ "$(json '.schema, (.models | length > 20), (.models[] | select(.name == "tpu-617gb") | .capacity_bytes, .bits_per_cell)' |
	paste -sd' ')" = "1 true 2000398934016 3" ] || fail "the models"
[ "$(json '[.models[] | [.[] == 0] | any] | any')" = false ] || fail "a figure that is not known is 0"
"$SSDSCOPE" models | grep -o '^[a-z][^ ]*' | diff - <(json '.models[].name') || fail "other models than the list has"
expect 0 tests --json
[ "$(json '.schema, .suite, .tests[0].test, .tests[0].io.span_bytes, .tests[0].io.block_bytes, (.suites | index("review"))' |
	paste -sd' ' | sed 's/[0-9]*$//')" = "1 review fill null 1048576 " ] || fail "the tests: $(json .tests[0])"
expect 0 tests -j "$(json '.suites[1]')"
[ "$(jq -s length out)" = 1 ] || fail "not one document"
expect 2 tests --json nothing
[ "$(json .run.partial)" = true ] || fail "no JSON of a missing suite"
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
# The last word counts, and an option given twice does what it does once.
expect 0 run -n --json --quick -t fill --size 10G sim:tpu-617gb
cp out want
expect 0 run -n --json --quick --quick -t fill -t fill --size 1k --size 10G sim:tpu-617gb
cmp -s out want || fail "--quick twice is not --quick"
for seeds in "--seed 7" "--seed 1 --seed 7"; do
	expect 0 run -q --json -t burst-rand-read --size 100G $seeds sim:tpu-617gb
	jq -S '.tests, .run.command' out >"seeds$(wc -w <<<"$seeds")"
done
cmp -s seeds2 seeds4 || fail "not the last seed"
refused 2 "--verify reads a fill back" run --verify -t burst-seq-read null:
# The plan as JSON.
expect 0 run --dry-run --json --quick null: sim:tpu-617gb
[ "$(jq -s length out)" = 1 ] || fail "not one document"
[ "$(json '[.plans[] | .writes_bytes == ([.tests[].writes_bytes] | add)] | all')" = true ] || fail "the bytes do not add up"
[ "$(json '.plans[1].tests[0].cut')" = "sizes cut to a span of 1.00 TB for --quick" ] || fail "the cut: $(json '.plans[1].tests[0].cut')"
# Wrong suites: what is wrong, where, and what there is.
sed 's/duty: 0.2/duty: 1e-300/' "$SSDSCOPE_DATA/suites/review.yaml" >rare.yaml
refused 2 "not between 0.001 and 1" run --dry-run --suite rare.yaml null:
sed '0,/queue_depth: \[1\]/s//queue_depth: [99999999999]/' "$SSDSCOPE_DATA/suites/review.yaml" >deep.yaml
refused 2 "is too large: 99999999999" run --dry-run --suite deep.yaml null:
echo 'sute: x' >field.yaml
refused 2 "sute: there is no such field; there are " run --dry-run --suite field.yaml null:
# As editors of other systems write it: a byte order mark, line ends with a carriage return, UTF-16.
(printf '\xef\xbb\xbf'; cat "$SSDSCOPE_DATA/suites/review.yaml") >bom.yaml
sed 's/$/\r/' "$SSDSCOPE_DATA/suites/review.yaml" >crlf.yaml
expect 0 tests
cp out want
for file in bom crlf; do
	expect 0 tests ./$file.yaml
	cmp -s out want || fail "$file.yaml is read otherwise"
done
sed 's/^    kind/\tkind/' "$SSDSCOPE_DATA/suites/review.yaml" >tabs.yaml
refused 2 "tabs.yaml:7: not YAML: found a tab character that violates indentation" tests ./tabs.yaml
printf 'suite: a\xff\xfe\n' >latin.yaml
refused 2 "latin.yaml:1: not YAML: invalid leading UTF-8 octet" tests ./latin.yaml
printf 'suite: "a\\e[2J"\ntitle: x\ntests: []\n' >escape.yaml
refused 2 "escape.yaml:1: suite: has a control character in it" tests ./escape.yaml
refused 2 "cannot open './none.yaml': No such file or directory; give a YAML file" tests ./none.yaml
refused 2 "cannot read './': Is a directory" tests ./
refused 2 "class_gb: is out of range" run -n "sim:$(sed 's/^class_gb.*/class_gb: -1/' "$SSDSCOPE_DATA/profiles/tpu-617gb.yaml" >neg.yaml; echo ./neg.yaml)"
# Labels that could not be found again; names that a terminal would obey.
for label in last 7 ''; do
	refused 2 "is no label" run -t fill null:size=8M --label "$label"
	refused 2 "is no label" import --label "$label" x.csv
done
expect 0 run -t fill null:size=8M --label "$(printf 'a\nssdscope: b\033[2J')"
refused 2 "no run 'x'" show x
[ "$(wc -l <err)" = 1 ] || fail "a label broke the line"
grep -q "$(printf '\033')" err && fail "a control character of a label came through"
exit 0
