#!/usr/bin/env bash
# Compares the public interface of the library without features with ci/public-api.txt. Needs a nightly toolchain and
# cargo-public-api.   usage: ci/public-api.sh [--update]
set -euo pipefail
cd "$(dirname "$0")/.."

listing=ci/public-api.txt
found=$(mktemp)
trap 'rm "$found"' EXIT
# -sss: without implementations that the compiler adds or derives.
cargo +nightly public-api -sss --no-default-features >"$found"
[ -s "$found" ] || { echo "cargo public-api printed nothing" >&2; exit 1; }
case ${1:-} in
--update) cp "$found" "$listing" ;;
'')
  diff -u "$listing" "$found" || {
    echo "the public interface has changed: a removed or changed line needs a new version, see src/lib.rs;" \
      "ci/public-api.sh --update accepts the lines" >&2
    exit 1
  }
  ;;
*)
  echo "usage: ci/public-api.sh [--update]" >&2
  exit 2
  ;;
esac
