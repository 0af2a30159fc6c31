#!/usr/bin/env bash
# The tree under Miri, or the scan under ThreadSanitizer. Needs a nightly toolchain with rust-src, and with miri for Miri.
# usage: ci/sanitizers.sh miri|threads
set -euo pipefail
cd "$(dirname "$0")/.."

case ${1:-} in
miri)
  MIRIFLAGS=-Zmiri-disable-isolation cargo +nightly miri test --lib -- platform::memory
  # rayon's queue needs tree borrows.
  MIRIFLAGS=-Zmiri-tree-borrows cargo +nightly miri test --lib -- \
    tree::tests::any_bytes tree::tests::damaged tree::tests::a_listing_with_any
  ;;
threads)
  suppressions=$(mktemp)
  trap 'rm "$suppressions"' EXIT
  # A job is pushed to rayon's queue by a volatile write, which the stealing thread validates.
  printf 'race:%s\n' crossbeam_deque rayon_core::job::JobRef >"$suppressions"
  TSAN_OPTIONS="suppressions=$suppressions" RUSTFLAGS=-Zsanitizer=thread \
    cargo +nightly test -Zbuild-std --target "$(rustc -vV | sed -n 's/^host: //p')" --test it -- scan totals rescan
  ;;
*)
  echo "usage: ci/sanitizers.sh miri|threads" >&2
  exit 2
  ;;
esac
