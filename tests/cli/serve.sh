# A modelled drive as NBD: what nbdinfo says of it, data written and read back by qemu-io and fio, trim, zero, flush, FUA,
# several connections, its state and statistics, and every bad input.
. "$LIB"
for tool in nbdkit nbdinfo qemu-io fio jq; do
	command -v $tool >/dev/null || skip "needs $tool (tools/setup.sh check)"
done

server=
cleanup() { [ -z "$server" ] || kill "$server" 2>/dev/null; }

# serve ARGS...: starts the server in the background; sets $uri.
serve() {
	: >served
	"$SSDSCOPE" serve "$@" --socket "$scratch/s" >served 2>serve-err </dev/null &
	server=$!
	for _ in $(seq 600); do
		[ ! -s served ] || break
		kill -0 $server 2>/dev/null || { cat serve-err; fail "serve $* ended at once"; }
		sleep 0.1
	done
	uri=$(cat served)
	[ "$uri" = "nbd+unix:///?socket=$scratch/s" ] || fail "stdout is '$uri'"
}
# Ends it as Ctrl-C does.
finish() {
	local code=0
	kill -INT $server
	wait $server || code=$?
	server=
	[ $code = 0 ] || { cat serve-err; fail "serve ended with $code"; }
	[ ! -e s ] || fail "the socket is left behind"
}
# io COMMAND...: each must succeed, patterns included.
io() {
	local args=()
	for c in "$@"; do args+=(-c "$c"); done
	qemu-io -f raw -d unmap "${args[@]}" "$uri" >out 2>&1 || { cat out; fail "qemu-io failed: $*"; }
	! grep -qiE 'failed|error' out || fail "qemu-io: $*"
}

# What clients are told.
serve tpu-617gb --capacity 4G --stats stats.json
grep -q "fio --name=x --ioengine=nbd --uri='$uri'" serve-err || fail "no word of fio"
for word in QEMU nbd-client nbdfuse Ctrl-C "4.29 GB"; do grep -q "$word" serve-err || fail "no word of $word"; done
nbdinfo --json "$uri" >out || fail "nbdinfo"
[ "$(json '.exports[0] | [."export-size", .can_multi_conn, .can_fua, .can_flush, .can_trim, .can_zero, .can_fast_zero,
	.is_rotational, .is_read_only, .block_size_minimum] | map(tostring) | join(" ")')" = \
	"4294967296 true true true true true true false false 512" ] || fail "nbdinfo says something else"

# Data are kept: at both ends, across units, with FUA; trim and zero give zeros, and no more than asked for.
io 'write -P 7 0 1M' 'write -P 9 4095M 1M' 'write -f -P 3 1536 512' 'flush' \
	'read -P 7 0 1536' 'read -P 3 1536 512' 'read -P 7 2048 1046528' 'read -P 9 4095M 1M' 'read -P 0 1M 1M'
io 'discard 0 4096' 'read -P 0 0 4096' 'read -P 7 4096 4096' \
	'write -z 8192 512' 'read -P 0 8192 512' 'read -P 7 8704 3584' \
	'write -z -u 65536 65536' 'read -P 0 65536 65536' 'read -P 7 131072 65536' 'read -P 7 61440 4096'
# What is a hole and what is data.
nbdinfo --map --json "$uri" >out
[ "$(json '[.[] | select(.type == 0) | .length] | add')" = $((2 * 1048576 - 4096 - 65536)) ] || fail "the map of extents"

# Four connections with 8 requests each in flight, verified after; then a random mix with flushes.
fio --name=v --ioengine=nbd --uri="$uri" --numjobs=4 --offset_increment=64M --size=64M --rw=randwrite --bs=4k-64k --iodepth=8 \
	--verify=crc32c --do_verify=1 --fsync=64 --output=fio.txt >/dev/null 2>&1 || { cat fio.txt; fail "fio found wrong data"; }
fio --name=t --ioengine=nbd --uri="$uri" --size=32M --rw=randtrim --bs=64k --output=fio.txt >/dev/null 2>&1 || fail "fio trim"
finish
grep -q 'requests; replies were late by' serve-err || fail "no word of the pace"
cp stats.json out
[ "$(json '.requests.written_bytes > 128e6 and .requests.flushes > 16 and .requests.trims > 500')" = true ] ||
	fail "the statistics are not those of what was done"
[ "$(json '.pace.replies == .requests.reads + .requests.writes + .requests.trims + .requests.flushes')" = true ] || fail "replies"
[ "$(json '.drive.mapped_bytes > 100e6 and .drive.mapped_bytes < .requests.written_bytes')" = true ] || fail "mapped"

# The model's pace: at time scale 50 the link and the flash are far slower than this host, so a write can't be faster than
# the model (reads of what was never written cost no flash).
serve tpu-617gb --capacity 4G --timescale 50 --transport 0
fio --name=w --ioengine=nbd --uri="$uri" --rw=write --bs=1M --size=128M --output-format=json --output=fio.json >/dev/null 2>&1 ||
	fail "fio write"
finish
cp fio.json out
slowest=$(json '.jobs[0].write.bw_bytes')
awk -v r="$slowest" 'BEGIN { exit !(r <= 7.3e9 / 50) }' || fail "$slowest bytes/s is faster than the drive"

# Its state goes on: a drive that holds 512 MiB still does, and data in a file too.
serve tpu-617gb --capacity 4G --state drive.state --backing disk --stats stats.json
fio --name=w --ioengine=nbd --uri="$uri" --rw=write --bs=1M --size=512M --output=fio.txt >/dev/null 2>&1 || fail "fio write"
io 'write -P 5 1G 64k'
finish
cp stats.json out
before=$(json .drive.mapped_bytes)
[ "$before" = $((512 * 1048576 + 65536)) ] || fail "$before bytes mapped"
serve tpu-617gb --capacity 4G --state drive.state --backing disk --stats stats.json
io 'read -P 5 1G 64k'
# A second server would overwrite it in the end; also after the state was saved on the way.
refused 3 "cannot use state '$scratch/drive.state': another server serves that drive" \
	serve tpu-617gb --capacity 4G --state drive.state --socket s2
finish
cp stats.json out
[ "$(json .drive.mapped_bytes)" = "$before" ] || fail "the state was not loaded"
[ "$(json '.drive.host_bytes')" = "$before" ] || fail "host bytes"

# Nothing is kept where nothing is asked to be.
serve tpu-617gb --backing none
nbdinfo --size "$uri" >out
[ "$(cat out)" = 2000398934016 ] || fail "size $(cat out)"
io 'write -P 5 1T 1M' 'read -P 0 1T 1M'
# A second server on the same socket.
refused 2 "a server is using it" serve tpu-617gb --socket s
finish
# A server that was killed leaves its socket; the next one takes it over.
serve tpu-617gb --capacity 4G
kill -KILL $server
{ wait $server; } 2>/dev/null
server=
sleep 0.5
[ -S s ] || fail "kill -9 removed the socket"
serve tpu-617gb --capacity 4G
finish

refused 2 "no model" serve
refused 2 "one model too many" serve a b
refused 2 "there is no model 'tpu'" serve tpu
refused 2 "not a size" serve tpu-617gb --capacity big
refused 2 "cannot be made as small" serve tpu-617gb --capacity 1M
refused 2 "less than" serve tpu-617gb --capacity 4T
refused 2 "not a time scale" serve tpu-617gb --timescale 0
refused 2 "not a time" serve tpu-617gb --transport x
refused 2 "not a regular file" serve tpu-617gb --backing /dev/null
echo 1234 >five
refused 2 "has 5 bytes" serve tpu-617gb --backing five
truncate -s 4G held
exec 8<held
flock -n 8 || fail "cannot lock held"
"$SSDSCOPE" serve tpu-617gb --capacity 4G --backing held >out 2>err </dev/null && fail "a backing that is in use"
says "another server serves it"
exec 8<&-
refused 2 "damaged, or no state" serve tpu-617gb --state five
refused 2 "another drive" serve tpu-617gb --capacity 8G --state drive.state
refused 2 "is no socket" serve tpu-617gb --capacity 4G --socket five
refused 2 "107 characters" serve tpu-617gb --socket "/tmp/$(printf '%0120d' 0)"
refused 2 "No such file" serve tpu-617gb --stats /nonexistent/x
# Without nbdkit.
PATH=/nonexistent expect 1 serve tpu-617gb --capacity 4G
says "cannot start nbdkit"

# The plugin by itself.
plugin=$(dirname "$SSDSCOPE")/plugin/nbdkit-ssdscope-plugin.so
nbdkit --dump-plugin "$plugin" >out 2>err || fail "--dump-plugin"
prints "name=ssdscope"
prints "max_thread_model=parallel"
grep -q '^ssdscope_models=.*tpu-617gb' out || fail "no list of models"
! nbdkit -U - "$plugin" capacity=4G 2>err || fail "started without a model"
says "no model"
! nbdkit -U - "$plugin" model=tpu-617gb speed=3 2>err || fail "started with a wrong parameter"
says "no parameter 'speed'"

# Installed, it finds its plugin and its data without help, and so does nbdkit alone.
command -v meson >/dev/null || skip "needs meson"
DESTDIR=$scratch/root meson install -C "$(dirname "$SSDSCOPE")" --no-rebuild --quiet >out 2>&1 || fail "meson install"
unset SSDSCOPE_DATA
SSDSCOPE=$(find root -name ssdscope -type f -perm -u+x)
plugin=$(find root -name nbdkit-ssdscope-plugin.so)
serve tpu-617gb --capacity 4G
pid=$(pgrep -P $server nbdkit)
grep -q "$scratch/root/.*/nbdkit/plugins/nbdkit-ssdscope-plugin.so" "/proc/$pid/maps" || fail "not the installed plugin"
tr '\0' '\n' <"/proc/$pid/environ" | grep -q "^SSDSCOPE_DATA=$scratch/root/.*/share/ssdscope" || fail "not the installed data"
finish
profiles=$(dirname "$(find root -name tpu-617gb.yaml)")
cp "$profiles/tpu-617gb.yaml" "$profiles/only-here.yaml"
nbdkit --dump-plugin "$PWD/$plugin" >out 2>err || fail "--dump-plugin"
grep -q '^ssdscope_models=.*only-here' out || fail "nbdkit alone does not find the installed profiles"
