# SPDX-License-Identifier: MIT
# What the CLI tests share. Each test is a script that meson starts with $SSDSCOPE (the program) set; it works in a scratch
# folder of its own and ends at the first thing that is not as expected. `skip REASON` ends it as skipped.
[ -n "${SSDSCOPE-}" ] || { echo "SSDSCOPE is not set: run this through meson test"; exit 1; }
set -u
scratch=$(mktemp -d "${TMPDIR:-/var/tmp}/ssdscope-cli-XXXXXX")
trap 'cleanup; rm -rf "$scratch"' EXIT
cleanup() { :; }
cd "$scratch" || exit 1
export SSDSCOPE_STORE=$scratch/runs.db NO_COLOR=1
unset XDG_DATA_HOME

fail() {
	echo "FAILED: $*"
	echo "--- stdout"; head -c 4000 out 2>/dev/null
	echo "--- stderr"; head -c 4000 err 2>/dev/null
	exit 1
}
skip() { echo "SKIP: $*"; exit 77; }

# expect CODE ARGS...: runs ssdscope with ARGS, output in files `out` and `err`; its exit code must be CODE.
expect() {
	local want=$1 got=0
	shift
	"$SSDSCOPE" "$@" >out 2>err </dev/null || got=$?
	[ "$got" = "$want" ] || fail "ssdscope $*: exit code $got, not $want"
}

# says TEXT: stderr has TEXT, and the program's error is one line.
says() {
	grep -qF -- "$1" err || fail "stderr does not say: $1"
}
one_line_error() {
	[ "$(grep -c '^ssdscope: ' err)" = 1 ] || fail "not one line of error"
}
# refused CODE TEXT ARGS...: exit code, one line of error that has TEXT.
refused() {
	local code=$1 text=$2
	shift 2
	expect "$code" "$@"
	says "$text"
	one_line_error
}
prints() { grep -qF -- "$1" out || fail "stdout does not say: $1"; }
# json FILTER: the value of a jq filter over `out`, which must be one JSON document.
json() { jq -r "$1" out || fail "no JSON: $1"; }
# near VALUE WANTED PERCENT
near() {
	awk -v v="$1" -v w="$2" -v p="$3" 'BEGIN { d = v - w; if (d < 0) d = -d; exit !(d <= w * p / 100) }' ||
		fail "$1 is not within $3 % of $2"
}
# until_there QUERY: waits until a query on the store says 1; a slow machine may need its time.
until_there() {
	local i
	for i in $(seq 300); do
		[ "$(sqlite3 "$SSDSCOPE_STORE" "$1" 2>/dev/null)" = 1 ] && return
		sleep 0.2
	done
	fail "not there after a minute: $1"
}
