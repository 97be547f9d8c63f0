#!/bin/sh
# SPDX-License-Identifier: MIT
# Draws the pictures of the README anew: pictures.sh [BUILD-FOLDER]. Reviews every modelled drive first (minutes each), unless
# $STORE names a store that has them already, labelled by their model.
set -eu
cd "$(dirname "$0")/.."
program=$(realpath "${1:-build}")/ssdscope
out=docs/pictures
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
store=${STORE:-$work/runs.db}
models=$(basename -s .yaml profiles/*.yaml)
if [ -z "${STORE:-}" ]; then
	for m in $models; do
		"$program" run -q --store "$store" --label "$m" "sim:$m" >/dev/null
	done
fi
mkdir -p "$out"
"$program" report --store "$store" tpu-617gb -o "$work/fill.html"
node tools/picture.mjs "$work/fill.html" "#fill-over-gb" "$out/fill.png"
"$program" report --store "$store" phison-e12-960gb --svg "$work/e12"
cp "$work/e12/seq-read-speed.svg" "$out/fragmentation.svg"
# shellcheck disable=SC2086 # one word per model
"$program" report --store "$store" phison-e12-960gb $(echo "$models" | grep -vx phison-e12-960gb) --svg "$work/all"
cp "$work/all/compare-burst-seq-write-speed.svg" "$out/ranking.svg"
ls -l "$out"
