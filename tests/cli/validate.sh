# Every claim of the reviews against the models: exactly those of claims-met.txt are met, so that a claim that is lost fails
# here, and one that is won is written down.
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
[ "$(json '[.claims[] | select(.met | not)] | length')" = 0 ] && want=0 || want=5
[ "$got" = "$want" ] || fail "exit code $got, not $want"
[ "$(json '.claims | length')" = 31 ] || fail "not 31 claims"
[ "$(json '[.claims[] | select((.asked | length) == 0 or (.got | length) == 0 or (.drives | length) == 0)] | length')" = 0 ] ||
	fail "a claim without words"
[ "$(json '.published | length > 20')" = true ] || fail "few published figures"
[ "$(json '.error_median < 0.1 and .error_worst > .error_median')" = true ] || fail "the errors of published figures have grown"
# Some models alone: only the claims that they can show, and nothing else is run.
expect 0 validate --json -q intel-optane-900p-280gb sim:ocz-rd400-1tb
[ "$(json '[.claims[].id] | join(" ")')" = S2 ] || fail "claims of two drives: $(json '[.claims[].id] | join(" ")')"
