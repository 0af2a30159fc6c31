#!/usr/bin/env bash
# Runs the commands in README.md, sections "Install" and "Quick start", as they stand there. Without a terminal, the browser
# prints a table.
set -euo pipefail
cd "$(dirname "$0")/.."

CARGO_INSTALL_ROOT=$(mktemp -d)
export CARGO_INSTALL_ROOT PATH="$CARGO_INSTALL_ROOT/bin:$PATH"
trap 'rm -r "$CARGO_INSTALL_ROOT"' EXIT

# Lines of a section that are indented by four spaces.
commands() { sed -n "/^## $1\$/,/^## /s/^    //p" README.md; }

count=0
while IFS= read -r line; do
  echo "== $line"
  code=0
  bash -c "$line" </dev/null >"$CARGO_INSTALL_ROOT/out" || code=$?
  # 1: some entries could not be read, as for a user who is not root.
  case $line in
  duke*) [ "$code" -le 1 ] && [ -s "$CARGO_INSTALL_ROOT/out" ] ;;
  *) [ "$code" = 0 ] ;;
  esac || { echo "failed with exit code $code: $line" >&2; exit 1; }
  tail -n 3 "$CARGO_INSTALL_ROOT/out"
  count=$((count + 1))
done < <(commands Install; commands "Quick start")
[ "$count" -ge 6 ] || { echo "only $count commands found in README.md" >&2; exit 1; }
echo "$count commands of README.md work"
