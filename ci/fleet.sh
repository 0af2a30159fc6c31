#!/usr/bin/env bash
# Runs docs/fleet.md with the engines on this machine: a tree in four parts, one task of which is killed, merged and
# compared with a single scan, entry for entry.
# usage: ci/fleet.sh DUKE [parallel] [slurm]     without names: every engine that is installed
# Slurm needs root, slurmctld, slurmd and munge; everything listens for this run only and is ended by its id.
set -euo pipefail
duke=$(realpath "$1"); shift
engines=${*:-parallel slurm}
work=$(mktemp -d); trap 'stop; rm -rf "$work"' EXIT
tree=$work/tree
daemons=()
stop() {
  for file in "${daemons[@]}"; do
    [ -e "$file" ] || continue
    id=$(cat "$file"); kill "$id" 2>/dev/null || true
    for _ in $(seq 100); do kill -0 "$id" 2>/dev/null || break; sleep 0.1; done
  done
  daemons=()
}
fail() { echo "FAILED: $*"; exit 1; }
export PATH=$(dirname "$duke"):$PATH

# Directories of different depths, 6000 files, and hard links across them.
for a in $(seq 12); do
  for b in $(seq 10); do
    mkdir -p "$tree/a$a/b$b/c"
    for c in $(seq 49); do : > "$tree/a$a/b$b/c/$c"; done
    head -c $((a * b * 100)) /dev/zero > "$tree/a$a/b$b/file"
  done
  ln "$tree/a1/b1/file" "$tree/a$a/again" 2>/dev/null || true
done
mkdir "$tree/a3/"$'not \xff UTF-8'; echo x > "$tree/a3/"$'not \xff UTF-8/x'
lines() { duke -f "$1" --ndjson | sed -E 's/"scanned_at":[0-9]+//' | LC_ALL=C sort; }
duke save -q -o "$work/whole.duke" "$tree"
lines "$work/whole.duke" > "$work/whole.lines"

# Runs the part that is the first argument. The first try of part 2 hangs after it has left a mark, until it is killed.
cat > "$work/task.sh" <<'TASK'
#!/bin/bash
part=${1:-$SLURM_ARRAY_TASK_ID}
if [ "$part" = 2 ] && [ ! -e tried ]; then touch tried; exec sleep 1000; fi
exec duke save -q --plan plan.json --part "$part" -t 2 -o "part-$part.duke"
TASK
chmod +x "$work/task.sh"

begin() {
  mkdir "$work/$1"; cd "$work/$1"
  duke plan --parts 4 -o plan.json -f ../whole.duke "$tree"
}
compare() {
  [ -e tried ] || fail "$1: no task was killed"
  lines all.duke > all.lines
  diff ../whole.lines all.lines > differences || { head differences; fail "$1: the merged tree is another one"; }
  echo "$1: $(wc -l < all.lines) entries of $(ls part-*.duke | wc -l) parts are those of a single scan"
}
marked() { for _ in $(seq 300); do [ ! -e tried ] || return 0; sleep 0.1; done; fail "the task to kill has not begun"; }

with_parallel() {
  begin parallel
  parallel --will-cite -j2 --joblog job.log ../task.sh {} ::: 0 1 2 3 & local engine=$!
  marked
  kill -9 "$(pgrep -P "$engine" -f 'sleep 1000')"
  if wait "$engine"; then fail "parallel: a killed task is no error"; fi
  [ ! -e part-2.duke ] || fail "parallel: the killed task has left a file"
  parallel --will-cite -j2 --resume-failed --joblog job.log ../task.sh {} ::: 0 1 2 3
  duke merge --plan plan.json -o all.duke part-*.duke
  compare parallel
}

start_slurm() {
  mkdir -p /run/munge /var/log/munge /var/lib/munge slurm/state slurm/spool
  chown munge:munge /run/munge /var/log/munge /var/lib/munge
  if ! pgrep -x munged >/dev/null; then
    setpriv --reuid munge --regid munge --clear-groups /usr/sbin/munged
    daemons+=(/run/munge/munged.pid)
  fi
  local here; here=$(hostname -s)
  cat > slurm.conf <<CONF
ClusterName=duke
SlurmctldHost=$here(127.0.0.1)
AuthType=auth/munge
SlurmUser=root
SlurmdUser=root
StateSaveLocation=$PWD/slurm/state
SlurmdSpoolDir=$PWD/slurm/spool
SlurmctldPidFile=$PWD/slurm/slurmctld.pid
SlurmdPidFile=$PWD/slurm/slurmd.pid
SlurmctldLogFile=$PWD/slurm/slurmctld.log
SlurmdLogFile=$PWD/slurm/slurmd.log
SlurmctldPort=16817
SlurmdPort=16818
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
ReturnToService=2
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=sched_interval=1,batch_sched_delay=0
NodeName=$here NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN
PartitionName=main Nodes=ALL Default=YES MaxTime=60 State=UP
CONF
  export SLURM_CONF=$PWD/slurm.conf
  daemons+=("$PWD/slurm/slurmd.pid" "$PWD/slurm/slurmctld.pid")
  slurmctld -c -f "$SLURM_CONF"
  slurmd -f "$SLURM_CONF"
  for _ in $(seq 200); do sinfo -h -o %T 2>/dev/null | grep -q idle && return 0; sleep 0.1; done
  tail -n 5 slurm/*.log; fail "slurm does not start"
}

with_slurm() {
  begin slurm
  start_slurm
  local job merge
  job=$(sbatch --parsable --requeue --array=0-3 --cpus-per-task=1 -o 'log-%A_%a.out' ../task.sh)
  merge=$(sbatch --parsable --dependency=afterany:"$job" -o merge.out --wrap 'duke merge --plan plan.json -o all.duke part-*.duke')
  marked
  scontrol requeue "${job}_2"
  for _ in $(seq 3000); do [ -n "$(squeue -h -j "$job,$merge" 2>/dev/null)" ] || break; sleep 0.1; done
  [ -e all.duke ] || { cat ./*.out; scontrol show job; fail "slurm: nothing was merged"; }
  compare slurm
  stop
}

for engine in $engines; do
  case $engine in
    parallel) needed="parallel pgrep" ;;
    slurm) needed="slurmctld slurmd sbatch munged setpriv" ;;
    *) fail "unknown engine: $engine" ;;
  esac
  if missing=$(for tool in $needed; do command -v "$tool" >/dev/null || echo "$tool"; done) && [ -n "$missing" ]; then
    echo "SKIPPED: $engine needs" $missing; continue
  fi
  if [ "$engine" = slurm ] && [ "$(id -u)" != 0 ]; then echo "SKIPPED: slurm needs root"; continue; fi
  "with_$engine"
done
