#!/usr/bin/env bash
# Runs the indented commands in README.md as they stand there, and those in the text that install nothing. Without a terminal,
# the browser prints a table. What a command needs is prepared here: as root, /srv is a btrfs file system in a file, which
# other programs do not see; `ssh` runs commands on this machine; snapshots of /usr are kept.
# Commands that cannot run here are printed with SKIPPED.
set -euo pipefail
cd "$(dirname "$0")/.."

if [ "$(id -u)" = 0 ] && command -v mkfs.btrfs >/dev/null && [ -z "${README_IN_NAMESPACE-}" ]; then
  README_IN_NAMESPACE=1 exec unshare --mount "$0"
fi

source=$PWD
readme=$source/README.md
place=$(mktemp -d)
trap 'umount /srv 2>/dev/null || true; rm -r "$place"' EXIT
mkdir -p "$place/bin" "$place/work/one" "$place/work/two"
printf 'some bytes' | tee "$place/work/one/file" >"$place/work/two/file"
export CARGO_INSTALL_ROOT=$place PATH="$place/bin:$PATH" XDG_STATE_HOME=$place/state XDG_CONFIG_HOME=$place/config

# The last argument is the command.
printf '#!/bin/sh\nshift $(($# - 1))\nexec sh -c "$1"\n' >"$place/bin/ssh"
chmod 755 "$place/bin/ssh"

if [ -n "${README_IN_NAMESPACE-}" ]; then
  truncate -s 200M "$place/image"
  mkfs.btrfs -q "$place/image"
  mount -o loop "$place/image" /srv
  btrfs -q subvolume create /srv/data
  printf 'more bytes' >/srv/data/file
  btrfs -q subvolume snapshot -r /srv/data /srv/snapshot
fi

count=0
run() { # run COMMAND
  echo "== $1"
  local code=0 least=1 command=$1
  case $1 in
  *'duke subvolumes '*) [ -n "${README_IN_NAMESPACE-}" ] || { echo "SKIPPED: /srv is on btrfs only for root" >&2; return; } ;;
  'cargo test '*) echo "SKIPPED: .ci/run runs the tests" >&2; return ;;
  'cargo run '*) command="cd '$source'; ${1/ PATH / '$place/work' }" ;;
  *'| jq '*) command -v jq >/dev/null || { echo "SKIPPED: no jq" >&2; return; } ;;
  esac
  case $1 in
  *' -o '* | *' --min-size '*) least=0 ;; # writes a file, or prints only what is there
  esac
  case $1 in
  *' --pick '*)
    command -v script >/dev/null || { echo "SKIPPED: no script(1)" >&2; return; }
    # Marks the first entry and prints it.
    { sleep 3; printf ' '; sleep 1; printf p; sleep 1; } | TERM=xterm script -qec "$1" /dev/null >"$place/out" || code=$?
    grep -qE "$place/work/[a-z.]+"$'\r?$' "$place/out" || code=3
    ;;
  *) bash -c "$command" </dev/null >"$place/out" || code=$? ;;
  esac
  # 1: some entries could not be read, as for a user who is not root.
  case $1 in
  duke*) [ "$code" -le 1 ] && [ "$(wc -c <"$place/out")" -ge "$least" ] ;;
  *) [ "$code" = 0 ] ;;
  esac || { echo "failed with exit code $code: $1" >&2; exit 1; }
  tail -n 3 "$place/out"
  count=$((count + 1))
}

# Lines of a section that are indented by four spaces.
commands() { sed -n "/^## $1\$/,/^## /s/^    //p" "$readme"; }
run_all() { # run_all SECTION
  local lines
  mapfile -t lines < <(commands "$1")
  [ "${#lines[@]}" -gt 0 ] || { echo "README.md has no commands in the section: $1" >&2; exit 1; }
  for line in "${lines[@]}"; do run "$line"; done
}

run_all Install
cd "$place/work"
run_all "Quick start"
# The browser keeps snapshots of its scans; here, one is four days old.
duke save /usr || [ $? = 1 ]
for file in "$XDG_STATE_HOME"/duke/scan-*.duke; do
  seconds=${file##*-0} seconds=${seconds%.duke}
  cp "$file" "${file%"$seconds".duke}$((seconds - 4 * 24 * 3600)).duke"
done
run_all "What you can do"
for shell in bash zsh fish elvish powershell; do run "duke completions $shell"; done
run "duke man | man -l -"
echo "$count commands of README.md work"
