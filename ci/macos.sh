#!/usr/bin/env bash
# The macOS build on Linux: checked, linked, its unit tests run, and the machine of macos-machine.c described and made to fail.
# usage: ci/macos.sh FOLDER   (of check.sh and machrun.c)
set -euo pipefail
tools=$(realpath "$1")
cd "$(dirname "$0")/.."
work=$PWD/target/macos-check
# Without it, the standard library asks confstr(3) for the folder of temporary files, which machrun.c does not have.
export TMPDIR=${TMPDIR:-/tmp}

# check.sh runs programs with the machine of macos-machine.c, which has what machrun.c lacks, such as statfs(2).
stage=$work/tools
mkdir -p "$stage"
cp "$tools"/{check.sh,mktbd.py,syms.txt} "$stage"
cp "$tools/machrun.c" "$stage/base.c"
sed 's/"machrun.c"/"base.c"/' ci/macos-machine.c >"$stage/machrun.c"
"$stage/check.sh" .

echo "== macos: with faults"
cc -O1 -w -rdynamic -I "$tools" -o "$work/machine" ci/macos-machine.c -ldl -lpthread -lm
export CARGO_TARGET_X86_64_APPLE_DARWIN_LINKER=rust-lld
export CARGO_TARGET_X86_64_APPLE_DARWIN_RUSTFLAGS="-Clinker-flavor=ld64.lld -L$work/open -Clink-arg=-undefined -Clink-arg=dynamic_lookup"
# The unit tests need an optimized duke; these few calls do not, and without optimization it is compiled sooner.
tests=$(cargo test -q --no-run --config 'profile.dev.package.duke.opt-level=0' --test machine --target x86_64-apple-darwin --message-format=json |
  python3 -c 'import json, sys; print(*[each["executable"] for each in map(json.loads, sys.stdin) if each.get("executable") and each["target"]["name"] == "machine"])')
ci/macos-faults.sh "$work/machine" target/x86_64-apple-darwin/release/duke target/release/duke "$tests"
