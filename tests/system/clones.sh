#!/usr/bin/env bash
# Fills a new file system with files that share data: clones, overwritten, truncated and punched ones, preallocated,
# small and hard-linked ones; on btrfs also compressed and nocow ones, in subvolumes with snapshots, and snapshots of them.
#
#   tests/system/clones.sh btrfs|xfs ROOT [SEED]
#
# The places of all changes depend on SEED only. Needs bash, coreutils, util-linux and, for btrfs, btrfs-progs and chattr.
set -euo pipefail

kind=$1
cd "$2"
RANDOM=${3:-7}

noise() { head -c "$1" /dev/urandom; }

# Writes up to 20 blocks somewhere into a file.
overwrite() {
  dd if=/dev/urandom of="$1" bs=4096 seek=$((RANDOM % 60)) count=$((1 + RANDOM % 20)) conv=notrunc status=none
}

# Changes every third file below a directory in one of four ways.
change() {
  local number=0 file
  find "$1" -type f -size +8k | sort >"$list"
  while read -r file; do
    number=$((number + 1))
    [ $((number % 3)) -eq 0 ] || continue
    case $((RANDOM % 4)) in
      0 | 1) overwrite "$file" ;;
      2) truncate -s $((RANDOM * 4)) "$file" ;;
      3) fallocate -p -o $((RANDOM % 10 * 4096)) -l $((4096 * (1 + RANDOM % 8))) "$file" ;;
    esac
  done <"$list"
}

list=$(mktemp)
trap 'rm -f "$list"' EXIT

# `snapshot FROM TO` and `subvolume NAME` make plain directories where there are no subvolumes.
subvolume() { mkdir "$1"; }
snapshot() { cp -a --reflink=always "$1" "$2"; }
if [ "$kind" = btrfs ]; then
  subvolume() { btrfs -q subvolume create "$1"; }
  snapshot() { btrfs -q subvolume snapshot "${@:3}" "$1" "$2"; }
fi

subvolume data
mkdir -p data/{a,b/deep,c} snapshots
directories=(data/a data/b data/b/deep data/c)
for number in {0..27}; do
  directory=${directories[number % 4]}
  noise $((4096 * (1 + RANDOM % 60) + RANDOM % 4096)) >"$directory/file$number"
done
for number in {0..27..2}; do
  cp --reflink=always "${directories[number % 4]}/file$number" "${directories[RANDOM % 4]}/clone$number"
done
for number in {0..5}; do
  noise $((1 + RANDOM % 1500)) >"${directories[number % 4]}/small$number"
  fallocate -l $((4096 * (1 + RANDOM % 40))) "${directories[number % 4]}/prealloc$number"
  ln "${directories[number % 4]}/file$((number * 4 + number % 4))" "${directories[RANDOM % 4]}/link$number"
  ln "${directories[number % 4]}/prealloc$number" "${directories[number % 4]}/twin$number"
done
if [ "$kind" = btrfs ]; then
  mkdir data/nocow data/zstd
  chattr +C data/nocow
  btrfs property set data/zstd compression zstd
  for number in {0..3}; do
    noise $((4096 * (1 + RANDOM % 60))) >"data/nocow/file$number"
    seq $((RANDOM % 1000)) $((40000 + RANDOM)) >"data/zstd/file$number"
    cp --reflink=always "data/zstd/file$number" "data/zstd/clone$number"
  done
fi
sync -f .
change data
sync -f .

snapshot data snapshots/one -r
change data
rm data/a/file0
sync -f .
snapshot data snapshots/two -r
snapshot snapshots/one snapshots/three
change snapshots/three
sync -f .
snapshot snapshots/three snapshots/four
change snapshots/four
rm -r snapshots/four/b
subvolume other
cp -a --reflink=always data/a other/a
noise 300000 >top
sync -f .
