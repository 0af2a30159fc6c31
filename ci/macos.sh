#!/usr/bin/env bash
# The macOS build on Linux: linted, linked, its unit tests run, and the machine of macos-machine.c described and made to fail.
# Needs target/debug/duke, for comparison.
# usage: ci/macos.sh FOLDER   (of machrun.c, mktbd.py and syms.txt)
set -euo pipefail
tools=$(realpath "$1")
cd "$(dirname "$0")/.."
work=$PWD/target/macos-check
mkdir -p "$work"
# Without it, the standard library asks confstr(3) for the folder of temporary files, which machrun.c does not have.
export TMPDIR=${TMPDIR:-/tmp}

step() { echo "== macos: $*"; }

rustup target add aarch64-apple-darwin x86_64-apple-darwin >"$work/targets" 2>&1 || { cat "$work/targets"; exit 1; }

step "lints" # of one processor, because almost no code depends on it; the other is compiled below
cargo clippy -q --locked --all-targets --target aarch64-apple-darwin -- -D warnings

step "link" # each imported symbol must be named in syms.txt or in macos-symbols.txt
cat "$tools/syms.txt" ci/macos-symbols.txt | python3 "$tools/mktbd.py" "$work/audited"
python3 "$tools/mktbd.py" "$work/open" </dev/null
flags="-Clinker-flavor=ld64.lld"
any_symbol="$flags -L$work/open -Clink-arg=-undefined -Clink-arg=dynamic_lookup"
export CARGO_TARGET_AARCH64_APPLE_DARWIN_LINKER=rust-lld CARGO_TARGET_X86_64_APPLE_DARWIN_LINKER=rust-lld
RUSTFLAGS="$flags -L$work/audited" \
  cargo build -q --locked --release --target aarch64-apple-darwin --target x86_64-apple-darwin

step "unit tests"
cc -O1 -w -rdynamic -I "$tools" -o "$work/machine" ci/macos-machine.c -ldl -lpthread -lm
# These tests take the longest, and the code that they test is the same on every system.
skipped=(a_search_and_its_filter a_binary_export_is_the_same the_help_key_and a_screen_of_any_size ui::tests::large
  ui::tests::filter)
CARGO_TARGET_X86_64_APPLE_DARWIN_RUNNER="$work/machine" RUSTFLAGS=$any_symbol \
  cargo test -q --locked --lib --target x86_64-apple-darwin -- --no-capture --test-threads=1 "${skipped[@]/#/--skip=}"

step "with faults"
release=target/x86_64-apple-darwin/release
# Compiled without Cargo, which would first compile the library again for the tests. Macros are in target/release/deps.
rustc --edition 2024 --target x86_64-apple-darwin -C linker=rust-lld $any_symbol -o "$work/machine-test" \
  -L "dependency=$release/deps" -L dependency=target/release/deps --extern "duke=$release/libduke.rlib" tests/machine.rs
ci/macos-faults.sh "$work/machine" "$release/duke" target/debug/duke "$work/machine-test"
