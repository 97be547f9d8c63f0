# A regular file: created, filled with O_DIRECT through io_uring or threads, read back and checked.
. "$LIB" || exit 1

probe() { dd if=/dev/zero of=probe.img bs=4k count=1 oflag=direct 2>/dev/null; }
probe || skip "the scratch folder's file system refuses O_DIRECT"
for engine in "" --pread; do
	rm -f t.img
	expect 0 run -t fill $engine --verify --size 64M t.img --json
	[ "$(json .tests.fill.bytes)" = 67108864 ] || fail "bytes"
	[ "$(json .target.kind)" = file ] || fail "kind"
	[ "$(json .target.capacity_bytes)" = 67108864 ] || fail "capacity"
	[ "$(stat -c %s t.img)" = 67108864 ] || fail "size of the file"
	case $(json .target.engine) in
	io_uring*) [ -z "$engine" ] || fail "engine" ;;
	pread*) ;;
	*) fail "engine $(json .target.engine)" ;;
	esac
done
# Incompressible: the same data would shrink to nothing.
packed=$(head -c 4M t.img | gzip -1 | wc -c)
[ "$packed" -gt 4000000 ] || fail "the data can be compressed to $packed bytes of 4 MiB"
# A file that is there keeps its size; a last block that is not whole is written too.
truncate -s $((8 * 1024 * 1024 + 4096)) odd.img
expect 0 run -t fill odd.img --json
[ "$(json .tests.fill.bytes)" = 8392704 ] || fail "not to the last byte"
# One run at a time on a file.
truncate -s 8M held.img
exec 8<held.img
flock -n 8 || fail "cannot lock held.img"
refused 3 "another run tests it" run -t fill held.img
exec 8<&-
expect 0 run -t fill held.img
refused 3 "another run tests it" run -t fill held.img held.img
expect 0 run -t fill --dry-run held.img held.img
