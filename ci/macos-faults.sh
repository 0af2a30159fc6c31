#!/usr/bin/env bash
# Let the kernel fail in every way the macOS scanner has an answer to, and look at the numbers it comes to.
# usage: macos-faults.sh RUNNER MACOS_BINARY NATIVE_BINARY MACOS_TEST_MACHINE   (the last is tests/machine.rs)
# RUNNER is macos-machine.c, which runs a macOS binary on this system and describes further faults. The variables of machrun.c:
#   MR_EIO=name  MR_FAIL=directory=errno,..  MR_MNT=name  MR_TRIGGER=name  MR_FIRMLINK=name  MR_DATALESS=name
#   MR_BATCH=entries-per-call  MR_NOAPFS=1 (attributes only APFS has are missing)
set -euo pipefail
here=$(realpath "$(dirname "$0")")
runner=$(realpath "$1") macos=$(realpath "$2") native=$(realpath "$3") machine=$(realpath "$4")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

mkdir -p tree/many tree/deep/er/est tree/plain
for number in $(seq 700); do head -c $((number * 31)) /dev/zero >"tree/many/file with a long name, number $number"; done
printf 'content' >tree/deep/er/est/bottom
printf 'x%.0s' $(seq 9000) >tree/plain/bad
ln tree/plain/bad tree/deep/link
ln -s nowhere tree/plain/soft
truncate -s 1G tree/plain/sparse
mkfifo tree/plain/fifo
strange=$(printf 'not\377text')
mkdir "tree/$strange"
printf y >"tree/$strange/$strange"

"$native" --json tree >expected.json
status=0

# same NAME VARIABLE..: the same report as the native build's
same() {
  local name=$1; shift
  local code=0; env "$@" "$runner" "$macos" --json tree >got.json 2>err || code=$?
  judge "$name" "$code" 0 'differing(got, expected) == []'
}

# other NAME EXIT EXPRESSION VARIABLE..: this exit code, and the Python expression holds for the report
other() {
  local name=$1 exit=$2 expression=$3; shift 3
  local code=0; env "$@" "$runner" "$macos" --json tree >got.json 2>err || code=$?
  judge "$name" "$code" "$exit" "$expression"
}

judge() {
  if ! python3 - "$@" <<'PYTHON'
import json, sys
name, code, exit, expression = sys.argv[1:]
got, expected = (json.load(open(path, encoding='utf-8')) for path in ('got.json', 'expected.json'))

def entries(report):
    found, waiting = {}, [((), root) for root in report['roots']]
    while waiting:
        path, entry = waiting.pop()
        path += (entry.get('name_base64', entry['name']),)
        found['/'.join(path)] = entry
        waiting += [(path, child) for child in entry.get('children', [])]
    return found

def differing(a, b):
    "The paths whose entries are not the same, in whatever respect."
    a, b = ({path: {key: value for key, value in entry.items() if key != 'children'}
             for path, entry in entries(report).items()} for report in (a, b))
    return sorted(path for path in a.keys() | b.keys() if a.get(path) != b.get(path))

def entry(path):
    return entries(got)['tree/' + path]

def lost(*paths):
    "Totals are those of the native build less what these have."
    gone = [entries(expected)['tree/' + path] for path in paths]
    return all(got['totals'][key] == expected['totals'][key] - sum(each[key] for each in gone)
               for key in ('disk', 'apparent'))

def below(path):
    "Totals are those of the native build less what this directory holds."
    whole = entries(expected)['tree/' + path]['children']
    return all(got['totals'][key] == expected['totals'][key] - sum(each[key] for each in whole)
               for key in ('disk', 'apparent'))

def files(report, path):
    "What the files below a path hold, each inode once. Directories have other lengths on other file systems."
    each = {(entry.get('inode'), entry.get('inode') or name): entry['apparent'] for name, entry in entries(report).items()
            if name.startswith(path + '/') and 'apparent' in entry and entry['type'] != 'directory'}
    return sum(each.values())

if code != exit:
    sys.exit(f'{name}: exit code {code} in place of {exit}: ' + open('err').read())
if not eval(' '.join(expression.split('\n'))):
    sys.exit(f'{name}: not true: {expression}\n  errors {got["errors"]}\n  totals {got["totals"]}'
             f'\n  native {expected["totals"]}\n  differing {differing(got, expected)[:9]}')
PYTHON
  then
    status=1
  else
    echo "ok: $1"
  fi
}

ENOTSUP=45 ENOSYS=78 EDEADLK=11

same "nothing fails" MR_NONE=1
same "one entry in each call" MR_BATCH=1
same "seven entries in each call" MR_BATCH=7
same "a file system with few attributes" MR_NOAPFS=1
same "interrupted by a signal" MR_FAIL=many=4
for errno in $ENOTSUP $ENOSYS 22 34; do
  same "no bulk reading of one directory, error $errno" MR_FAIL=many=$errno
done
same "no bulk reading of any directory" MR_FAIL="tree=$ENOTSUP,many=34,deep=22,er=$ENOSYS,est=22,plain=34"
same "a mount of the same device" MR_MNT=deep
same "other device numbers in listings" MR_BULKDEV=1 MR_BATCH=3
same "a firmlink" MR_FIRMLINK=deep
same "a firmlink and a mount" MR_FIRMLINK=many MR_MNT=er
same "a file in the cloud" MR_DATALESS=bottom

other "an entry with an error" 1 \
  'entry("deep/er/est/bottom")["errno"] == 5 and lost("deep/er/est/bottom") and got["totals"]["errors"] == 1' \
  MR_EIO=bottom
other "one name of a linked file with an error" 1 \
  'entry("plain/bad")["errno"] == 5 and got["totals"]["disk"] == expected["totals"]["disk"]' MR_EIO=bad
other "a directory with an error" 1 'entry("deep/er")["errno"] == 5 and lost("deep/er")' MR_EIO=er
other "errors in more than one batch" 1 'got["totals"]["errors"] == 2 and lost("deep/er/est/bottom", "plain/soft")' \
  MR_EIO=bottom,soft MR_BATCH=2
for errno in 1 5 13 $EDEADLK; do
  other "a directory that cannot be read, error $errno" 1 \
    "entry('many')['errno'] == $errno and len(got['errors']) == 1 and below('many')" MR_FAIL=many=$errno
done
other "what the privacy settings refuse is one line" 1 \
  'open("err").read() == "duke: cannot read 2 directories: the terminal needs Full Disk Access\n"' MR_FAIL=many=1,deep=1
other "a lack of rights is another matter" 1 \
  '"many: cannot read: permission denied" in open("err").read() and "cannot read 1 directory: the terminal needs Full Disk" in open("err").read()' \
  MR_FAIL=many=13,deep=1
other "a trigger" 0 'entry("many")["excluded"] == "kernel_filesystem" and lost("many")' MR_TRIGGER=many
other "a trigger on which something is mounted" 0 'differing(got, expected) == []' MR_TRIGGER=many MR_MNT=many
other "a folder in the cloud" 0 'entry("many")["excluded"] == "dataless" and lost("many")' MR_DATALESS=many

# Neither may so much as be opened: nothing is read after the directories around it.
for closed in MR_TRIGGER MR_DATALESS; do
  calls=$(env MR_TRACE=1 "$closed=many" "$runner" "$macos" --json tree 2>&1 >/dev/null | grep -c getattrlistbulk) || true
  [ "$calls" = 6 ] || { echo "$closed: $calls calls in place of 6"; status=1; }
done

# A directory of 100 files takes five calls: openat, two getattrlistbulk, fstatat, and a close, which is not traced.
calls_of() {
  rm -rf hundreds
  for directory in $(seq "$1"); do mkdir -p "hundreds/$directory"; (cd "hundreds/$directory"; touch $(seq 100)); done
  env MR_TRACE=1 "$runner" "$macos" --json hundreds 2>&1 >/dev/null | grep -c -e openat -e getattrlistbulk -e stat
}
calls=$(($(calls_of 5) - $(calls_of 4)))
if [ "$calls" -le 4 ]; then echo "ok: calls for a directory of 100 files"
else echo "$calls calls for a directory of 100 files, in place of 4"; status=1; fi

other "a root that cannot be read" 2 'got["errors"][0]["errno"] == 1' MR_FAIL=tree=1

# changes NAME EXPECTED VARIABLE.. -- ARGUMENT..: what tests/machine.rs prints, in a fresh directory with a home and a volume
changes() {
  local name=$1 expected=$2 variables=() got; shift 2
  while [ "$1" != -- ]; do variables+=("$1"); shift; done
  shift
  rm -rf change; mkdir -p change/closed/me/.Trash change/volume/folder change/inner/cloud change/inner/deep; (cd change; touch "sandbox of macos-faults.sh")
  chmod 700 change/closed/me/.Trash
  printf x >change/inner/file; ln change/inner/file change/inner/link; printf y >change/volume/folder/file; printf z >change/volume/mine
  [ -z "${trashes-}" ] || mkdir -m 1333 change/volume/.Trashes
  printf '/ /dev/disk3s5 apfs 0 9 9 9\n%s /dev/disk9s1 apfs 0 9 9 9\n' "$work/change/volume" >mounts
  got=$(cd change; env MR_MOUNTS="$work/mounts" "${variables[@]}" "$runner" "$machine" "$@" 2>&1) || got="$got, exit code $?"
  got=${got//"$work/change/"/}; got=${got//$'\n'/, }
  if [ "$got" = "$expected" ]; then echo "ok: $name"; else echo "$name: $got, in place of $expected"; status=1; fi
}
C=$work/change
changes "a directory is deleted" "deleted 5" MR_NONE=1 -- delete "$C/inner" "$C"
changes "a linked file is deleted where a listing has other device numbers" "deleted 1" MR_BULKDEV=1 -- delete "$C/inner/link" "$C"
changes "a folder only in the cloud is deleted without a download" "deleted 5" MR_DEADLK=cloud -- delete "$C/inner" "$C"
changes "a trash that may not be opened takes entries" "moved 1" MR_TCC=.Trash -- trash "$C/closed/me" "$C/inner" "$C"
[ -e change/closed/me/.Trash/inner/file ] && [ ! -e change/inner ] || { echo "it is not in the trash"; status=1; }
changes "and gives them back" "moved 1, restored 1" MR_TCC=.Trash -- restore "$C/closed/me" "$C/inner" "$C"
[ -e change/inner/file ] && [ ! -e change/closed/me/.Trash/inner ] || { echo "it is not restored"; status=1; }
changes "a home below a folder that may only be searched" "moved 1" MR_SEARCH=closed -- trash "$C/closed/me" "$C/inner" "$C"
changes "a volume without a trash" "moved 0, failed volume/mine: no trash on this volume; to create one, move a file of the volume to the Trash in Finder" \
  MR_NONE=1 -- trash /proc "$C/volume/mine" "$C/volume"
trashes=1
changes "a trash of a volume that may only be searched" "moved 1, restored 1" MR_SEARCH=.Trashes -- restore /proc "$C/volume/mine" "$C/volume"
changes "the items are in the folder of the user" "moved 1" MR_SEARCH=.Trashes -- trash /proc "$C/volume/mine" "$C/volume"
[ -e "change/volume/.Trashes/$(id -u)/mine" ] || { echo "it is not in the trash of the volume"; status=1; }
trashes=
changes "nothing is downloaded to be trashed" "moved 0, failed inner/file: only in the cloud; trash it in Finder, or delete it" \
  MR_DEADLK=file -- trash "$C/closed/me" "$C/inner/file" "$C"

# A terminal of which the system reports nothing: /dev/tty, for which poll answers POLLNVAL, and which is then closed.
(cd change; timeout 60 python3 - "$runner" "$machine" <<'PYTHON' >../terminal || true
import os, pty, sys, time
pid, terminal = pty.fork()
if pid == 0:
    output = os.open('../hangup', os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(output, 1); os.dup2(output, 2)
    import signal
    signal.signal(signal.SIGHUP, signal.SIG_IGN) # as with nohup: only the terminal tells
    os.environ['MR_NOTTYPOLL'] = '1'
    os.execv(sys.argv[1], [sys.argv[1], sys.argv[2], 'hangup'])
time.sleep(1)
os.close(terminal)
for _ in range(100):
    if os.waitpid(pid, os.WNOHANG)[0]: break
    time.sleep(0.1)
else:
    os.kill(pid, 9)
print(open('../hangup').read().replace('\n', ', '))
PYTHON
)
if [ "$(cat terminal)" = "accepts output: true, Hangup, " ]; then echo "ok: a terminal that cannot be polled"
else echo "a terminal that cannot be polled: $(cat terminal)"; status=1; fi

# A system of two volumes: /Users is a firmlink into the one at /System/Volumes/Data. In a mount namespace of our own, with a
# bind mount for the firmlink; the second time the volume has a device number of its own.
system() {
  local volume=$1; shift
  unshare --map-root-user --mount bash -euc '
    cd "$1"; shift
    volume=$1; shift
    if [ "$volume" = own-device ]; then
      rm -rf data; cp -a system/System/Volumes/Data data
      mount -t tmpfs none system/System/Volumes/Data
      cp -a data/. system/System/Volumes/Data
    fi
    mount --bind system/System/Volumes/Data/Users system/Users
    mount --rbind /proc system/proc
    exec env MR_APFS=1 MR_TRIGGER=proc MR_MNT=Data,mnt1,snap,OS MR_FIRMLINK=Users MR_MOUNTS=/mounts \
      MR_SNAPSHOTS=/=com.apple.os.update-1,/System/Volumes/Data=com.apple.TimeMachine.1 chroot system /runner /duke --json "$@"
  ' _ "$work" "$volume" "$@"
}

# volumes NAME EXIT EXPRESSION VOLUME ARGUMENT..: as `other`, for that system
volumes() {
  local name=$1 exit=$2 expression=$3; shift 3
  local code=0; system "$@" >got.json 2>err || code=$?
  judge "$name" "$code" "$exit" "$expression"
}

if unshare --map-root-user --mount true 2>/dev/null; then
  # Two names of one folder, as on a disk of Time Machine.
  mkdir -p twice/{first,second}/backup
  head -c 33333 /dev/zero >twice/first/backup/file
  unshare --map-root-user --mount sh -euc 'mount --bind twice/first/backup twice/second/backup
    MR_DIRLINK=backup "$1" "$2" --json twice >got.json' _ "$runner" "$macos"
  "$native" --json twice >expected.json
  judge "a folder with two names counts once" 0 0 'sum(each.get("excluded") == "second_link" for each in entries(got).values()) == 1
    and files(got, "twice") == files(expected, "twice") == 33333'
  mkdir -p system/{Users,Library,System/Volumes/{Update/mnt1,Data/Users/me},System/Cryptexes/OS,Volumes/snap,proc}
  for library in $(ldd "$runner" | grep -o '/[^ ]*'); do mkdir -p "system$(dirname "$library")"; cp -L "$library" "system$library"; done
  # One container: the system (sealed, a snapshot itself) and its data; then what macOS and Time Machine leave mounted.
  cat >system/mounts <<'MOUNTS'
/ /dev/disk3s1s1 apfs 4480d001 1000000 400000 100000
/System/Volumes/Data /dev/disk3s5 apfs 1090d000 1000000 400000 450000
/System/Volumes/Update/mnt1 /dev/disk3s1 apfs 1090d000 1000000 400000 100000
/Volumes/snap com.apple.TimeMachine.2026-01-02-030405.local@/dev/disk3s5 apfs 40009001 1000000 400000 450000
/System/Cryptexes/OS /System/Volumes/Preboot/Cryptexes/OS nullfs 1001 1000000 400000 1
link /Users /System/Volumes/Data
MOUNTS
  for again in System/Volumes/Update/mnt1 System/Cryptexes/OS Volumes/snap; do head -c 77777 /dev/zero >system/$again/again; done
  cp "$runner" system/runner
  cp "$macos" system/duke
  head -c 123456 /dev/zero >system/System/Volumes/Data/Users/me/mine
  head -c 12345 /dev/zero >system/System/Volumes/Data/data
  head -c 1234 /dev/zero >system/Library/library
  ln system/System/Volumes/Data/Users/me/{mine,again}
  "$native" --json system >expected.json
  once='entries(got)["//System/Volumes/Data"]["excluded"] == "other_filesystem"
    and entries(got)["//System/Volumes/Update/mnt1"]["excluded"] == "second_mount"
    and entries(got)["//System/Cryptexes/OS"]["excluded"] == "second_mount"
    and entries(got)["//Volumes/snap"]["excluded"] == "snapshot"
    and files(got, "//Users") == 123456
    and files(got, "/") == files(expected, "system") - files(expected, "system/System/Volumes/Data") - 3 * 77777 + 123456'
  alone=${once//second_mount/other_filesystem}; alone=${alone//\"snapshot\"/\"other_filesystem\"}
  for volume in same-device own-device; do
    volumes "the data volume is counted once from /, $volume" 0 "$once" $volume /
    volumes "and with -x, where a mount on the same device is another file system, $volume" 0 \
      "$alone" $volume -x /
    volumes "once with both as roots, $volume" 0 \
      'len(got["roots"]) == 2 and got["totals"]["disk"] == got["roots"][0]["disk"] and '"${once#*and }" $volume / /System/Volumes/Data
    volumes "once in the other order, $volume" 0 \
      'got["totals"]["disk"] == got["roots"][1]["disk"] and '"${once#*and }" $volume /System/Volumes/Data /
    volumes "a snapshot as the root is scanned, $volume" 0 'files(got, "/Volumes/snap") == 77777' $volume /Volumes/snap
    volumes "df counts the container once, and the other volumes are those that were not scanned, $volume" 0 \
      'got["filesystem"]["source"] == "/dev/disk3s1s1" and got["filesystem"]["whole"] and not got["filesystem"]["hidden"]
        and got["filesystem"]["parts"] == [{"name": "other_volumes", "disk": 50000 * 4096, "counted": "used"}]
        and got["filesystem"]["scanned"] == got["totals"]["disk"]
        and [each["name"] for each in got["filesystem"]["snapshots"]] == ["com.apple.TimeMachine.1"]' $volume /
    volumes "df of the data volume, $volume" 0 \
      'got["filesystem"]["source"] == "/dev/disk3s5" and got["filesystem"]["whole"]
        and got["filesystem"]["parts"] == [{"name": "other_volumes", "disk": 150000 * 4096, "counted": "used"}]' \
      $volume /System/Volumes/Data
    volumes "all of it where it is the root, $volume" 0 \
      'files(got, "/System/Volumes/Data") == files(expected, "system/System/Volumes/Data") == 123456 + 12345' \
      $volume /System/Volumes/Data
    volumes "not from the folders above, $volume" 0 \
      'entries(got)["/System/Volumes/Data"]["excluded"] == "other_filesystem"' $volume /System
  done
else
  echo "skipped: two volumes, as there are no user namespaces"
fi
exit $status
