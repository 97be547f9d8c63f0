# Targets that cannot be tested: a clear line each, before anything is done.
. "$LIB" || exit 1

refused 2 "--size" run -t fill missing.img
refused 2 "a directory" run -t fill .
mkfifo pipe
refused 2 "pipe" run -t fill pipe
: >empty.img
refused 2 "empty.img" run -t fill empty.img
truncate -s 100k small.img
refused 2 "less than one block" run -t fill small.img
refused 2 "no-such-folder" run -t fill --size 8M no-such-folder/x.img
if [ "$(id -u)" -ne 0 ]; then
	truncate -s 8M locked.img
	chmod 400 locked.img
	refused 4 "locked.img" run -t fill locked.img
fi

# A file larger than the room for it: refused before anything is written, with a size that fits; nothing is left behind.
for size in 7000000T 100T; do
	expect 2 run -t fill --size $size huge.img
	says "huge.img"
	says "its file system has room for "
	one_line_error
	[ ! -e huge.img ] || fail "huge.img was left"
done
if truncate -s 4T sparse.img 2>/dev/null; then
	refused 2 "cannot write 4.40 TB to 'sparse.img'" run -t fill sparse.img
	expect 0 run -n -t fill --size "$(sed 's/.*--size=\([0-9]*[GM]\) .*/\1/' err)" sparse.img
	# It is sparse: what is not written takes no room; what may be written is worth a warning.
	expect 0 run -n -t burst-seq-write sparse.img
	! grep -q "may become full" err || fail "a warning where there is room"
	expect 0 run -n -t recovery sparse.img
	says "'sparse.img' may become full"
fi
# A refused run removes what it made, and only that.
for spec in new.img fault:eio@3:new.img; do
	refused 2 "less than one block of test 'fill'" run -t fill --size 4097 $spec --trace new.trace
	[ ! -e new.img ] && [ ! -e new.trace ] || fail "a refused run left its file"
done
truncate -s 8M old.img
refused 2 "no model" run -t fill --size 8M new.img old.img sim:nothing
[ ! -e new.img ] && [ -e old.img ] || fail "not what was there before: $(ls)"
# A profile without sim: is no file to be overwritten.
cp "$SSDSCOPE_DATA/profiles/tpu-617gb.yaml" prof.yaml
for dry in "" -n; do
	refused 2 "say sim:./prof.yaml to test the drive that it models" run $dry ./prof.yaml
done
cmp -s "$SSDSCOPE_DATA/profiles/tpu-617gb.yaml" prof.yaml || fail "the profile was overwritten"
expect 0 run -n -t fill sim:./prof.yaml
