#!/usr/bin/env bash
# The library and its examples without features, with `formats` alone, and the program: without warnings.
set -euo pipefail
cd "$(dirname "$0")/.."

for features in --no-default-features "--no-default-features --features formats" --all-features; do
  # Unquoted: several words.
  cargo clippy --locked --lib --examples $features -- -D warnings
done
