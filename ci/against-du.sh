#!/usr/bin/env bash
# Compare duke's totals with those of du, folder by folder: the disk usage must be the same to the kilobyte.
# usage: against-du.sh DUKE FOLDER..
# What du cannot read duke cannot read either, but what changes in between differs: a folder gets three tries.
set -euo pipefail
duke=$1; shift
status=0
for folder; do
  for try in 1 2 3; do
    theirs=$(du -skx "$folder" 2>/dev/null | cut -f1) || true
    ours=$("$duke" --json -x -d 0 "$folder" 2>/dev/null |
      python3 -c 'import json, sys; print(-(-json.load(sys.stdin)["totals"]["disk"] // 1024))') || true
    [ "$ours" != "$theirs" ] || break
  done
  if [ "$ours" = "$theirs" ]; then
    echo "same: $ours KiB  $folder"
  else
    echo "different: duke $ours, du $theirs KiB  $folder"; status=1
  fi
done
exit $status
