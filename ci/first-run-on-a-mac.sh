#!/usr/bin/env bash
# Ten checks for the first run of duke on a Mac. Each prints the command, the expected result, and PASS, FAIL or SKIP.
# Nothing outside of a new folder in the home directory is changed, except for one file that is moved to the trash.
# Needs the command line tools of Xcode (xcode-select --install) and a Rust toolchain.
#
# usage: ci/first-run-on-a-mac.sh [--quick] [--anywhere]
#   --quick     omits the test suite
#   --anywhere  also runs on other systems, where the checks of APFS are skipped
#
# Run once before and once after the terminal gets Full Disk Access (docs/macos.md).
set -euo pipefail
cd "$(dirname "$0")/.."

quick=no anywhere=no
for word; do
  case $word in
    --quick) quick=yes ;;
    --anywhere) anywhere=yes ;;
    *) echo "usage: ci/first-run-on-a-mac.sh [--quick] [--anywhere]" >&2; exit 2 ;;
  esac
done
if [ "$(uname)" != Darwin ] && [ "$anywhere" = no ]; then
  echo "first-run-on-a-mac.sh: this is not a Mac; --anywhere runs the checks that do not need one" >&2
  exit 2
fi

duke=$PWD/target/release/duke
work=$(mktemp -d "$HOME/duke-first-run.XXXXXX")
trap 'rm -rf "$work"' EXIT
number=0 failed=0

# check COMMAND EXPECTED FUNCTION: the function returns 0 for PASS and 77 for SKIP, and prints details.
check() {
  number=$((number + 1))
  printf '\n%2d. %s\n    expected: %s\n' "$number" "$1" "$2"
  local status=0 output
  output=$("$3" 2>&1) || status=$?
  [ -z "$output" ] || printf '%s\n' "$output" | tail -n 15 | sed 's/^/    | /'
  case $status in
    0) echo "    PASS" ;;
    77) echo "    SKIP" ;;
    *) echo "    FAIL"; failed=$((failed + 1)) ;;
  esac
}

# Prints one value of a JSON file. The argument is a Python expression about `it`.
json() { python3 -c 'import json, sys; it = json.load(open(sys.argv[2])); print(eval(sys.argv[1]))' "$@"; }

# in_terminal DIRECTORY KEYS [HANG]: runs the browser in a terminal of its own, with standard output in a pipe, types the
# keys, which are separated by blanks, and prints what the browser wrote to standard output. HANG closes the terminal instead.
in_terminal() {
  python3 - "$duke" "$@" <<'PY'
import os, pty, select, subprocess, sys, termios, time
program, directory, keys = sys.argv[1:4]
master, slave = pty.openpty()
before = termios.tcgetattr(slave)
def begin():
    os.setsid()
    import fcntl
    fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
child = subprocess.Popen([program, "--pick", directory], stdin=slave, stderr=slave, stdout=subprocess.PIPE,
                         preexec_fn=begin, env={**os.environ, "TERM": "xterm-256color"})
def read(seconds):
    end, seen = time.time() + seconds, b""
    while select.select([master], [], [], max(0, end - time.time()))[0]:
        seen += os.read(master, 65536)
    return seen
seen = read(2)
if len(sys.argv) > 4:
    os.close(slave); os.close(master)
else:
    for key in keys.split():
        os.write(master, {"Space": " "}.get(key, key).encode())
        seen += read(1)
try:
    child.wait(10)
except subprocess.TimeoutExpired:
    child.kill()
    sys.exit("the browser did not end within 10 seconds")
if len(sys.argv) <= 4:
    if termios.tcgetattr(slave) != before:
        sys.exit("the settings of the terminal were not restored")
    if b"\x1b[?1049l" not in seen + read(0.2):
        sys.exit("the screen was not restored")
sys.stdout.write(child.stdout.read().decode())
PY
}

tests() {
  [ "$quick" = no ] || return 77
  cargo test --locked
}

sizes() {
  local folders=(/usr/share)
  for folder in /Applications /System/Library/Fonts "$HOME/Library/Fonts"; do
    [ ! -d "$folder" ] || folders+=("$folder")
  done
  ci/against-du.sh "$duke" "${folders[@]}"
}

data_volume() {
  [ -d /System/Volumes/Data ] || return 77
  "$duke" --json -q -d 3 / >"$work/root.json" || [ $? = 1 ]
  local reason used
  reason=$(json 'next(c for a in it["roots"][0]["children"] if a["name"] == "System"
    for b in a["children"] if b["name"] == "Volumes" for c in b["children"] if c["name"] == "Data").get("excluded")' "$work/root.json")
  used=$(json 'it["totals"]["disk"] // 1024' "$work/root.json")
  echo "Data is excluded as $reason; duke $used KiB, used on / and Data: $(df -k / /System/Volumes/Data | awk 'NR > 1 { sum += $3 } END { print sum }') KiB"
  [ "$reason" = other_filesystem ]
}

both_roots() {
  [ -d /System/Volumes/Data ] || return 77
  "$duke" --json -q -d 0 / /System/Volumes/Data >"$work/both.json" || [ $? = 1 ]
  local once both
  once=$(json 'it["totals"]["disk"]' "$work/root.json")
  both=$(json 'it["totals"]["disk"]' "$work/both.json")
  echo "/: $once bytes, / and Data: $both bytes"
  # The system writes meanwhile.
  python3 -c 'import sys; one, both = map(int, sys.argv[1:]); sys.exit(abs(both - one) > one // 50)' "$once" "$both"
}

container() {
  command -v diskutil >/dev/null || return 77
  "$duke" df --json -q / >"$work/df.json" || [ $? = 1 ]
  local ours theirs
  ours=$(json 'it["filesystems"][0]["size"]' "$work/df.json")
  theirs=$(diskutil info -plist / | plutil -extract APFSContainerSize raw -o - -)
  echo "size of the container: duke $ours, diskutil $theirs bytes"
  [ "$ours" = "$theirs" ]
}

privacy() {
  local status=0
  "$duke" -s -q "$HOME" >"$work/home" 2>"$work/errors" || status=$?
  cat "$work/home" "$work/errors"
  [ "$status" = 0 ] || { [ "$status" = 1 ] && grep -q "Full Disk Access" "$work/errors"; }
}

clones() {
  mkdir -p "$work/clones"
  dd if=/dev/urandom of="$work/clones/one" bs=1048576 count=8 2>/dev/null
  cp -c "$work/clones/one" "$work/clones/two" 2>/dev/null || return 77
  ln "$work/clones/one" "$work/clones/three"
  ci/against-du.sh "$duke" "$work/clones"
}

trash() {
  mkdir -p "$work/trash"
  echo "moved by ci/first-run-on-a-mac.sh" >"$work/trash/duke-first-run.txt"
  in_terminal "$work/trash" "D y q" || return 1
  [ ! -e "$work/trash/duke-first-run.txt" ] || return 1
  # Without Full Disk Access the trash can be written to, and not be listed.
  ls "$HOME/.Trash/duke-first-run.txt" 2>&1 || true
}

terminal() {
  mkdir -p "$work/pick"
  touch "$work/pick/file"
  local picked
  picked=$(in_terminal "$work/pick" "Space p") || { echo "$picked"; return 1; }
  echo "picked: $picked"
  [ "$picked" = "$work/pick/file" ] && in_terminal "$work/pick" "" hang
}

threads() {
  local folder=/usr/share
  [ ! -d /System/Library ] || folder=/System/Library
  python3 - "$duke" "$folder" <<'PY'
import subprocess, sys, time
def seconds(count):
    start = time.time()
    subprocess.run([sys.argv[1], "-s", "-q", "-t", str(count), sys.argv[2]], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.time() - start
seconds(8)
times = {count: min(seconds(count) for _ in range(5)) for count in (1, 2, 4, 6, 8, 12, 16)}
for count, time in times.items():
    print(f"-t {count:2}  {time:.3f} s")
sys.exit(times[8] > 1.2 * min(times.values()))
PY
}

cargo build --locked --release
check "cargo test" "every test passes" tests
check "ci/against-du.sh target/release/duke /usr/share /Applications, and other folders" "\"same\" for each folder" sizes
check "duke --json -d 3 /" "/System/Volumes/Data is excluded as other_filesystem" data_volume
check "duke --json -d 0 / /System/Volumes/Data" "the same total as for / alone, within 2 %" both_roots
check "duke df --json /" "the size that diskutil reports for the container" container
check "duke -s ~" "no errors with Full Disk Access; otherwise one line says how many directories need it" privacy
check "cp -c one two; ln one three; duke ." "clones and hard links count as in du" clones
check "duke, D on a file, y" "the file is in the trash" trash
check "duke --pick, then Space and p on a file; in a second run, closing the terminal" "the path of the file is printed and the terminal is restored; the second run ends when its terminal is closed" terminal
check "duke -s -t N /System/Library" "8 threads take at most 1.2 times as long as the fastest number" threads

printf '\n%d checks, %d failed\n' "$number" "$failed"
[ "$failed" = 0 ]
