# File and store on one small file system, too small for both: a clear partial result, and the store survives.
. "$LIB" || exit 1

[ "$(id -u)" -eq 0 ] || skip "needs root to mount a file system"
truncate -s 96M disk.img
mkfs.ext4 -q disk.img || skip "no mkfs.ext4"
mkdir mnt
mount -o loop disk.img mnt 2>err || skip "cannot mount a loop device here"
cleanup() { umount "$scratch/mnt"; }
export SSDSCOPE_STORE=$scratch/mnt/runs.db
expect 1 run -t fill --size 200M mnt/t.img --json
[ "$(json .run.partial)" = true ] || fail "partial"
[ "$(json .tests.fill.status)" = partial ] || fail "status"
says "no space left"
bytes=$(json .tests.fill.bytes)
[ "$bytes" -gt 30000000 ] && [ "$bytes" -lt 100000000 ] || fail "$bytes bytes"
[ "$(sqlite3 mnt/runs.db 'pragma integrity_check')" = ok ] || fail "the store is damaged"
rm -f mnt/t.img
expect 0 show last --json
[ "$(json .tests.fill.bytes)" = "$bytes" ] || fail "the stored figures differ"
