#!/bin/sh
# SPDX-License-Identifier: MIT
# Draws the pictures of the README anew from modelled drives: pictures.sh [BUILD-FOLDER].
set -eu
cd "$(dirname "$0")/.."
program=$(realpath "${1:-build}")/ssdscope
out=docs/pictures
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export SSDSCOPE_STORE="$work/runs.db"
mkdir -p "$out"

# The top of a review.
"$program" run -q -t fill -t recovery --label fill sim:tpu-617gb >/dev/null
"$program" report fill -o "$work/fill.html"
node tools/picture.mjs "$work/fill.html" "#fill-over-gb" "$out/fill.png"

# One drive's reads, fresh and fragmented.
"$program" run -q -t seq-read --label "HP EX920 1 TB, modelled" sim:hp-ex920-1tb >/dev/null
"$program" report "HP EX920 1 TB, modelled" --svg "$work/reads"
cp "$work/reads/seq-read-speed.svg" "$out/fragmentation.svg"

# All drives in one test, one of them highlighted.
others=
for m in $(basename -s .yaml profiles/*.yaml); do
	"$program" run -q -t burst-seq-write --label "$m" "sim:$m" >/dev/null
	[ "$m" = phison-e12-960gb ] || others="$others $m"
done
# shellcheck disable=SC2086 # one word per model
"$program" report phison-e12-960gb $others --svg "$work/all"
cp "$work/all/compare-burst-seq-write-speed.svg" "$out/ranking.svg"
ls -l "$out"
