#!/usr/bin/env bash
# The tests on Linux with what they find on a Mac: BSD's du, no /dev/full, names that must be UTF-8 and have no case, and a
# user who is not root. Needs root, to make a file system. Prints the failed tests.
# usage: as-a-mac.sh [ARGUMENT OF THE TESTS]..
set -euo pipefail
cd "$(dirname "$0")/.."
work=$(mktemp -d); chmod 755 "$work"
trap 'rm -rf "$work"' EXIT

mkdir "$work/bin" "$work/tmp"
cat >"$work/bin/du" <<'DU'
#!/bin/sh
# Takes only the options of BSD's du, and prints blocks of BLOCKSIZE bytes.
real=$(PATH=/usr/bin:/bin command -v du)
for word; do case $word in --) break ;; --*|-B*|-*B*|-b|-*b) echo "du: unrecognized option $word" >&2; exit 64 ;; esac; done
exec env POSIXLY_CORRECT=1 "$real" "$@"
DU
chmod 755 "$work/bin/du"
truncate -s 4G "$work/disk"
# `casefold` needs a kernel with CONFIG_UNICODE. Without it, names keep their case and need not be UTF-8.
mkfs.ext4 -q -O casefold -E "encoding=utf8,encoding_flags=strict,root_owner=65534:65534" "$work/disk" 2>/dev/null
if ! unshare --mount --propagation private mount -o loop "$work/disk" "$work/tmp" 2>/dev/null; then
  echo "SKIPPED: this kernel has no casefold"
  mkfs.ext4 -qF -E root_owner=65534:65534 "$work/disk" 2>/dev/null
fi
tests=$(cargo test --no-run --message-format=json 2>/dev/null |
  python3 -c 'import json, sys; print(*[each["executable"] for each in map(json.loads, sys.stdin) if each.get("executable") and each["profile"]["test"]])')

unshare --mount --propagation private bash -euc '
  work=$1 tests=$2; shift 2
  mount -o loop "$work/disk" "$work/tmp"
  mkdir -p "$work/tmp/here"; chattr +F "$work/tmp/here" 2>/dev/null || true
  chown 65534:65534 "$work/tmp/here"
  mkdir "$work/dev"; mount -t tmpfs none "$work/dev"
  for node in null zero random urandom tty; do touch "$work/dev/$node"; mount --bind "/dev/$node" "$work/dev/$node"; done
  mkdir "$work/dev/pts"; mount -t devpts -o newinstance,ptmxmode=666 devpts "$work/dev/pts"
  ln -s pts/ptmx "$work/dev/ptmx"; ln -s /proc/self/fd "$work/dev/fd"
  mount --move "$work/dev" /dev
  # Programs in a terminal start in the home of the user.
  sed "s|^\(nobody:.*:\)[^:]*\(:[^:]*\)$|\1$work/tmp/here\2|" /etc/passwd >"$work/passwd"; chmod 644 "$work/passwd"
  mount --bind "$work/passwd" /etc/passwd
  status=0
  for each in $tests; do
    echo "== $each"
    env HOME="$work/tmp/here" PATH="$work/bin:$PATH" TMPDIR="$work/tmp/here" setpriv --reuid=65534 --regid=65534 --clear-groups "$each" "$@" || status=1
  done
  exit $status
' _ "$work" "$tests" "$@"
