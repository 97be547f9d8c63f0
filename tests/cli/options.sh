# SPDX-License-Identifier: MIT
# Options that there are not, or that lack or have a value too much: one line, a way out, 2; with --json one document.
. "$LIB" || exit 1

# line TEXT ARGS...: the one line on stderr, and nothing on stdout.
line() {
	local text=$1
	shift
	expect 2 "$@"
	[ "$(cat err)" = "ssdscope: $text" ] || fail "$*: not '$text'"
	[ ! -s out ] || fail "$*: something on stdout"
}
for verb in $("$SSDSCOPE" --help | sed -n 's/^  \([a-z]*\)  .*/\1/p'); do
	line "unknown option '--foz'; 'ssdscope $verb --help' lists them" $verb --foz
	line "unknown option '-Z'; 'ssdscope $verb --help' lists them" $verb -Z
	expect 0 $verb --usage
done
line "unknown option '--foz'; 'ssdscope run --help' lists them" run --foz=3 null:
line "unknown option '-é'; 'ssdscope run --help' lists them" run -é
line "unknown option '-x'; 'ssdscope run --help' lists them" run -qx null:
line "option '--size' has no value: give BYTES after it; see 'ssdscope run --help'" run null: --size
line "option '-t' has no value: give TEST after it; see 'ssdscope run --help'" run null: -qt
line "option '--quick' takes no value: leave '=yes' out" run --quick=yes null:
line "option '--s' may be any of --suite, --size, --store, --seed: write more of it" run --s 3 null:
line "'b' is too much: 'ssdscope tests' takes [SUITE|FILE]" tests a b
line "'x' is too much: 'ssdscope models' takes no argument" models x
line "'x' is too much: 'ssdscope drives' takes no argument" drives x
line "no verb '--foz'; 'ssdscope --help' lists them" --foz
# What follows -- is no option; a beginning that only one option has is that option.
refused 2 "cannot open '--foz'" run -- --foz
expect 0 run --dry --te fill null:
for args in "run --foz --json null:" "run null: --json --size" "show --json a b" "drives --json x" "export --json -q" \
	"validate --foz -j" "drives -jx" "fil --json"; do
	expect 2 $args
	[ "$(json '.run.partial')" = true ] || fail "no document of: $args"
	[ "ssdscope: $(json .run.error)" = "$(cat err)" ] || fail "$args: not the error of stderr"
	[ "$(jq -s length out)" = 1 ] || fail "not one document: $args"
done

# Standard output that is closed or full, also for --help; a drive under test does not take its place.
for args in "--help" "--version" "run --help" "models"; do
	for to in /dev/full closed; do
		[ -e $to ] || [ $to = closed ] || continue
		if [ $to = closed ]; then "$SSDSCOPE" $args >&- 2>err; else "$SSDSCOPE" $args >$to 2>err; fi
		[ $? = 1 ] || fail "$args: no error with $to"
		[ "$(grep -c '' err)" = 1 ] || fail "not one line"
		says "cannot write the output: "
	done
done
"$SSDSCOPE" run -q -t fill --size 8M new.img >&- 2>err </dev/null && fail "a closed output is no error"
grep -qa 'end of a cache' new.img && fail "the target took what is printed"

# Nobody reads on: what only prints ends without a word.
{ sleep 0.5; "$SSDSCOPE" tests 2>err; } | true
[ -f err ] && [ ! -s err ] || fail "complains when nobody reads: $(cat err)"

# Names that a terminal would obey, on their way to stderr and stdout.
name=$(printf 'a\033[2J\nb')
expect 0 run -t fill --size 8M "$name" -o "$name.html"
says "report: "
expect 0 run -t fill -n "$name" --size 8M
expect 0 show
expect 0 runs
for args in "show" "" "import" "run --suite" "run --meter" "tests" "validate" "serve" "export --csv -t"; do
	"$SSDSCOPE" $args "$name" >>out 2>err </dev/null && fail "$args: no error"
	[ "$(grep -c '' err)" = 1 ] || fail "$args: not one line"
	cat err >>out
done
grep -q "$(printf '\033')" out && fail "a control character of a name came through"
exit 0
