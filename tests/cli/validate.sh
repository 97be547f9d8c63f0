# Every claim of the reviews against the models: exactly those of claims-met.txt are met, so that a claim that is lost fails
# here, and one that is won is written down. All patterns of data/patterns.yaml are shown.
. "$LIB"

refused 2 "no-such-model" validate no-such-model
expect 2 validate --json no-such-model
[ "$(json '.run.error | length > 0')" = true ] || fail "no error in the document"

# An interruption ends it, with one document, and nothing stays behind.
mkdir tmp
TMPDIR=$PWD/tmp timeout -s INT 2 "$SSDSCOPE" validate --json -q >out 2>err </dev/null
[ "$(json .run.partial)" = true ] || fail "no document after an interruption"
[ -z "$(ls tmp)" ] || fail "left behind: $(ls tmp)"
TMPDIR=$PWD/none refused 1 "set TMPDIR" validate -q tpu-617gb

got=0
"$SSDSCOPE" validate --json -q >out 2>err </dev/null || got=$?
grep -v '^#' "$(dirname "$LIB")/claims-met.txt" >want
jq -r '.claims[] | select(.met) | .id' out >met || fail "no JSON"
diff want met >difference || fail "claims met (>) are not those of claims-met.txt (<): $(tr '\n' ' ' <difference)"
[ "$(json '[.claims[], .patterns[] | select(.met | not)] | length')" = 0 ] && want=0 || want=5
[ "$got" = "$want" ] || fail "exit code $got, not $want"
[ "$(json '.claims | length')" = 31 ] || fail "not 31 claims"
[ "$(json '[.claims[] | select((.asked | length) == 0 or (.got | length) == 0 or (.drives | length) == 0)] | length')" = 0 ] ||
	fail "a claim without words"
[ "$(json '[.patterns[].number] | tostring')" = '[1,2,3,4,5,6,7,8,9,10]' ] || fail "not ten patterns"
lost=$(json '[.patterns[] | select(.met | not) | .number] | tostring')
[ "$lost" = '[]' ] || fail "patterns that the models do not show: $lost"
[ "$(json '[.patterns[].figures[] | select(.met and .unit != "" and (.error | fabs) > .allowed)] | length')" = 0 ] ||
	fail "a figure that is met beyond its error"
[ "$(json '.published | length > 90')" = true ] || fail "few published figures"
[ "$(json '[.published[] | select(.figure | test("^stage [0-9]+ (end, GB|rate, MB/s)$"))] | length > 30')" = true ] ||
	fail "few published stages"
[ "$(json '.error_median < 0.1 and .error_worst > .error_median')" = true ] || fail "the errors of published figures have grown"
# Some models alone: only the claims that they can show, and nothing else is run.
expect 0 validate --json -q intel-optane-900p-280gb sim:ocz-rd400-1tb
[ "$(json '[.claims[].id] | join(" ")')" = S2 ] || fail "claims of two drives: $(json '[.claims[].id] | join(" ")')"
[ "$(json '.patterns')" = '[]' ] || fail "patterns that need more drives"

# A model with half the cache does not show its pattern any more, and validate says so.
data=${SSDSCOPE_DATA:?}
mkdir other
cp -r "$data/profiles" "$data/suites" "$data/data" other
expect 0 validate -q team-cardea-iops-1tb
grep -q '^  1    met' out || fail "pattern 1: $(cat out)"
sed -i 's/static_mib: .*/static_mib: 10490/' other/profiles/team-cardea-iops-1tb.yaml
SSDSCOPE_DATA=$PWD/other expect 5 validate -q team-cardea-iops-1tb
grep -q '^  1    NOT MET' out || fail "pattern 1 with half the cache: $(cat out)"
grep -q 'cache-size .*: NOT MET$' out || fail "the figure that is off is not named"
