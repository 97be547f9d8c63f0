# File and store on one small file system, too small for both: a clear partial result, and the store survives.
. "$LIB" || exit 1

[ "$(id -u)" -eq 0 ] || skip "needs root to mount a file system"
truncate -s 96M disk.img
mkfs.ext4 -q disk.img || skip "no mkfs.ext4"
mkdir mnt
mount -o loop disk.img mnt 2>err || skip "cannot mount a loop device here"
cleanup() { umount "$scratch/mnt"; }
export SSDSCOPE_STORE=$scratch/mnt/runs.db
# Too large from the start: it is not begun.
refused 2 "its file system has room for" run -t fill --size 200M mnt/t.img
[ ! -e mnt/t.img ] || fail "the file was left"
# Somebody else takes all but 20 MB of the room while it runs: the drive stalls at the first I/O, before the fill.
"$SSDSCOPE" run -q -t fill --size 60M fault:stall@1,for=5s:mnt/t.img --json >out 2>err </dev/null &
pid=$!
until_there "select count(*) from test"
fallocate -l "$(($(stat -f -c '%a * %S' mnt) - 20000000))" mnt/others || fail "cannot take the room"
code=0
wait $pid || code=$?
[ $code = 1 ] || fail "exit code $code"
[ "$(json .run.partial)" = true ] || fail "partial"
[ "$(json .tests.fill.status)" = partial ] || fail "status"
says "no space left"
bytes=$(json .tests.fill.bytes)
[ "$bytes" -gt 5000000 ] && [ "$bytes" -lt 40000000 ] || fail "$bytes bytes"
[ "$(sqlite3 mnt/runs.db 'pragma integrity_check')" = ok ] || fail "the store is damaged"
rm -f mnt/t.img mnt/others
expect 0 show last --json
[ "$(json .tests.fill.bytes)" = "$bytes" ] || fail "the stored figures differ"
