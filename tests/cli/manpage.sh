# SPDX-License-Identifier: MIT
# The manual page has every verb and every option that --help has, and no other; groff has nothing to say about it.
. "$LIB" || exit 1

[ -f "$MANPAGE" ] || skip "the page was not built: scdoc is not installed"
command -v groff >/dev/null || skip "groff is not installed"
groff -man -Tascii -P-c -P-b -P-u -rLL=200n -ww "$MANPAGE" >page 2>err || fail "groff refuses the page"
[ ! -s err ] || fail "groff warns"

verbs=$("$SSDSCOPE" --help | sed -n 's/^  \([a-z]*\)  .*/\1/p')
[ "$(sed -n '/^       run /,/^TARGETS/s/^       \([a-z]\+\)\( .*\)\?$/\1/p' page | sort)" = \
	"$(printf '%s\n' $verbs | sort)" ] || fail "other verbs than --help lists"
for verb in $verbs; do
	# From the verb's own line to the next one's. --store is said before the first.
	sed -n '/^       run /,/^TARGETS/p' page | awk -v verb="$verb" '/^       [a-z]/ { on = $1 == verb } on' |
		grep -oE -- '--[a-z-]+' | sort -u >described
	"$SSDSCOPE" $verb --help | grep -oE '^ +(-., )?--[a-z-]+' | grep -oE -- '--[a-z-]+' | grep -vE -- '--(help|usage|store)$' |
		sort -u >offered
	diff offered described >differ || fail "$verb: $(cat differ)"
done
for code in 0 1 2 3 4 5 130; do
	grep -qE "^       $code( |\$)" page || fail "no exit code $code"
done
