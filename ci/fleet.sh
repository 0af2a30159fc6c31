#!/usr/bin/env bash
# Runs the commands of docs/fleet.md with the engines on this machine. The first try of one part is killed. The merged
# snapshot must have the entries of a single scan.
# usage: ci/fleet.sh DUKE [parallel] [ssh] [slurm]     without names: every engine that is installed
#   parallel  GNU parallel on this machine; --resume-failed repeats the killed part
#   ssh       GNU parallel with two hosts, which are one sshd on 127.0.0.1; --retries repeats the killed part
#   slurm     two nodes on this machine; Slurm requeues the killed part. Needs root, slurmctld, slurmd and munge
# The servers run only during this script, and are ended by their process IDs. Slurm listens on all addresses, so it
# runs in a network namespace that has only the loopback device.
set -euo pipefail
duke=$(realpath "$1"); shift
engines=${*:-parallel ssh slurm}
script=$(realpath "$0"); docs=$(realpath "$(dirname "$0")/../docs/fleet.md")
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

# `duke` in PATH. The first try to save part 2 leaves a mark and hangs until it is killed.
mkdir "$work/bin"
cat > "$work/bin/duke" <<WRAPPER
#!/bin/bash
if [[ " \$* " = *' --part 2 '* ]] && [ ! -e tried ]; then touch tried; exec sleep 1000; fi
[ -z "\${SLURMD_NODENAME-}" ] || echo "\$SLURMD_NODENAME" >> nodes
exec '$duke' "\$@"
WRAPPER
chmod +x "$work/bin/duke"
export PATH=$work/bin:$PATH
# parallel prints a notice about citations unless this file exists.
export PARALLEL_HOME=$work/parallel-home
mkdir "$PARALLEL_HOME"; touch "$PARALLEL_HOME/will-cite"

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

# Prints the commands below the heading $1 of docs/fleet.md, with the test's tree in place of /data.
commands() {
  awk -v heading="## $1" '/^## / { here = $0 == heading } here && sub(/^    /, "")' "$docs" | sed "s|/data\$|$tree|"
}
# Runs the commands on standard input as a user would who pastes them all: a failure does not end the rest. `paste` is
# the shell's process ID.
begin() {
  mkdir "$work/$1"; cd "$work/$1"
  cat > commands
  grep -q 'duke merge' commands || fail "$1: no commands in docs/fleet.md"
  bash commands < /dev/null > output 2>&1 & paste=$!
  for _ in $(seq 600); do [ ! -e tried ] || return 0; sleep 0.1; done
  cat output; fail "$1: part 2 has not begun"
}
# Kills the first try of part 2, which is a descendant of the process $1.
kill_try() {
  local child
  for child in $(pgrep -P "$1"); do
    if [ "$(cat "/proc/$child/comm" 2>/dev/null)" = sleep ]; then kill -9 "$child"; else kill_try "$child"; fi
  done
}
# Waits for the last command, which shows the merged tree, and compares the tree with the single scan.
compare() {
  wait "$paste" || { cat output; fail "$1: the last command has failed"; }
  grep -q a12 output || { cat output; fail "$1: the tree is not shown"; }
  lines all.duke > all.lines
  diff ../whole.lines all.lines > differences || { head differences; fail "$1: the merged tree is another one"; }
  echo "$1: $(wc -l < all.lines) entries of $(ls part-*.duke | wc -l) parts are those of a single scan"
}

with_parallel() {
  begin parallel < <(commands 'GNU parallel')
  kill_try "$paste"
  compare parallel
  [ "$(wc -l < job.log)" = 18 ] || fail "parallel: $(cat job.log)"
}

start_sshd() {
  mkdir -p "$work/sshd"; [ "$(id -u)" != 0 ] || mkdir -p /run/sshd
  ssh-keygen -q -t ed25519 -N '' -f "$work/sshd/host"
  ssh-keygen -q -t ed25519 -N '' -f "$work/sshd/user"
  cat > "$work/sshd/server" <<CONF
ListenAddress 127.0.0.1
Port 16822
HostKey $work/sshd/host
AuthorizedKeysFile $work/sshd/user.pub
PidFile $work/sshd/pid
StrictModes no
UsePAM no
PasswordAuthentication no
PermitRootLogin prohibit-password
SetEnv PATH=$PATH
CONF
  cat > "$work/sshd/client" <<CONF
Host host1 host2
  HostName 127.0.0.1
  Port 16822
  User $(id -un)
  IdentityFile $work/sshd/user
  IdentitiesOnly yes
  StrictHostKeyChecking no
  UserKnownHostsFile /dev/null
  LogLevel ERROR
CONF
  daemons+=("$work/sshd/pid")
  "$(command -v sshd)" -f "$work/sshd/server" -E "$work/sshd/log"
  export PARALLEL_SSH="ssh -F $work/sshd/client"
  for _ in $(seq 100); do $PARALLEL_SSH host1 true 2>/dev/null && return 0; sleep 0.1; done
  cat "$work/sshd/log"; fail "sshd does not start"
}

with_ssh() {
  start_sshd
  begin ssh < <(commands 'GNU parallel' | grep -v -e --resume-failed | sed 's/^parallel/& -S host1,host2 --wd . --retries 2/')
  kill_try "$(cat "$work/sshd/pid")"
  compare ssh
  [ "$(cut -f 2 job.log | sort -u | grep -c '^host[12]$')" = 2 ] || fail "ssh: not both hosts have read parts"
  stop
}

start_slurm() {
  # Slurm asks for addresses with AI_ADDRCONFIG, which ignores an interface that has only 127.0.0.1.
  ip link set lo up; ip address add 127.0.0.2/8 dev lo
  mkdir -p /run/munge /var/log/munge /var/lib/munge slurm/state
  chown munge:munge /run/munge /var/log/munge /var/lib/munge
  if ! munge -n > /dev/null 2>&1; then
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
SlurmdSpoolDir=$PWD/slurm/spool-%n
SlurmctldPidFile=$PWD/slurm/slurmctld.pid
SlurmdPidFile=$PWD/slurm/%n.pid
SlurmctldLogFile=$PWD/slurm/slurmctld.log
SlurmdLogFile=$PWD/slurm/%n.log
SlurmctldPort=16817
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
ReturnToService=2
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=sched_interval=1,batch_sched_delay=0
SlurmdParameters=config_overrides
NodeName=n1 NodeHostname=$here NodeAddr=127.0.0.1 Port=17001 CPUs=8 State=UNKNOWN
NodeName=n2 NodeHostname=$here NodeAddr=127.0.0.1 Port=17002 CPUs=8 State=UNKNOWN
PartitionName=main Nodes=ALL Default=YES MaxTime=60 State=UP
CONF
  export SLURM_CONF=$PWD/slurm.conf
  daemons+=("$PWD/slurm/n1.pid" "$PWD/slurm/n2.pid" "$PWD/slurm/slurmctld.pid")
  slurmctld -c -f "$SLURM_CONF"
  slurmd -f "$SLURM_CONF" -N n1
  slurmd -f "$SLURM_CONF" -N n2
  local deadline=$((SECONDS + 60))
  while [ "$SECONDS" -lt "$deadline" ]; do
    [ "$(sinfo -h -N -t idle -o %N 2>/dev/null | wc -l)" != 2 ] || return 0
    sleep 0.1
  done
  tail -n 5 slurm/*.log; fail "slurm does not start"
}

with_slurm() {
  mkdir -p "$work/slurmd"; cd "$work/slurmd"
  start_slurm
  begin slurm < <(commands Slurm)
  scontrol requeue 1_2
  compare slurm
  [ "$(cat nodes | sort -u | wc -l)" = 2 ] || fail "slurm: not both nodes have read parts"
  stop
}

for engine in $engines; do
  case $engine in
    parallel) needed="parallel pgrep" ;;
    ssh) needed="parallel pgrep ssh sshd ssh-keygen" ;;
    slurm) needed="slurmctld slurmd sbatch munge munged setpriv unshare ip" ;;
    *) fail "unknown engine: $engine" ;;
  esac
  if missing=$(for tool in $needed; do command -v "$tool" >/dev/null || echo "$tool"; done) && [ -n "$missing" ]; then
    echo "SKIPPED: $engine needs" $missing; continue
  fi
  if [ "$engine" = slurm ] && [ "$(id -u)" != 0 ]; then echo "SKIPPED: slurm needs root"; continue; fi
  if [ "$engine" = slurm ] && [ -z "${IN_NAMESPACE-}" ]; then
    IN_NAMESPACE=1 unshare --net "$script" "$duke" slurm; continue
  fi
  "with_$engine"
done
