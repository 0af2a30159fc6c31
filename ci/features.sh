#!/usr/bin/env bash
# The library with each feature alone, and with none: without warnings.
set -euo pipefail
cd "$(dirname "$0")/.."

cargo clippy --locked --lib --examples --no-default-features -- -D warnings
for feature in $(sed -n '/^\[features\]/,/^\[/s/^\([a-z]*\) = .*/\1/p' Cargo.toml); do
  cargo clippy --locked --lib --no-default-features --features "$feature" -- -D warnings
done
