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
