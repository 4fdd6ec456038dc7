#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# `mastermind sweep --slurm` with a Slurm of its own on this machine: a job array that is resumed after kills of its
# tasks, scancel, and the death of slurmd; programs that srun starts; grow, choose and predict from its directory.
# lane: waits
. "$(dirname "$0")/../lib/lib.sh"
PATH=$PATH:/usr/sbin:/sbin
for program in slurmctld slurmd munged sbatch srun squeue scancel; do
    command -v $program >/dev/null || skip "no $program: slurm-wlm and munge are not installed"
done
[ "$(id -u)" = 0 ] || skip "slurmctld and slurmd need root here"
skip_sanitized "a sanitizer's library would be in the tasks of Slurm, too"

# --- A Slurm in this folder: one node, no accounting
pids=()
cleanup() {
    scancel --user=root 2>/dev/null
    for _ in 1 2 3 4 5 6 7 8 9 10; do
        [ -z "$(squeue -h 2>/dev/null)" ] && break
        sleep .5
    done
    for pid in "${pids[@]}" ${slurmd-}; do
        kill "$pid" 2>/dev/null
        tail --pid="$pid" -f /dev/null &
        wait $! # ends with the process
    done
}
# free ports, by asking the kernel for two at once
read -r port other_port < <(python3 -c '
import socket
two = [socket.socket(), socket.socket()]
for one in two:
    one.bind(("127.0.0.1", 0))
print(*(one.getsockname()[1] for one in two))')
node=$(hostname -s)
mkdir state spool
chmod 755 .
export SLURM_CONF=$dir/slurm.conf
cat >slurm.conf <<END
ClusterName=test
SlurmctldHost=$node(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$dir/munge.socket
CredType=cred/munge
SlurmctldPort=$port
SlurmdPort=$other_port
StateSaveLocation=$dir/state
SlurmdSpoolDir=$dir/spool
SlurmctldPidFile=$dir/slurmctld.pid
SlurmdPidFile=$dir/slurmd.pid
SlurmctldLogFile=$dir/slurmctld.log
SlurmdLogFile=$dir/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SwitchType=switch/none
ReturnToService=2
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/filetxt
JobCompLoc=$dir/jobs
JobAcctGatherType=jobacct_gather/linux
KillWait=2
SchedulerParameters=batch_sched_delay=0,sched_min_interval=0
NodeName=$node NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE OverSubscribe=FORCE:2 State=UP
END
head -c 1024 /dev/urandom >munge.key
chmod 400 munge.key
munged --foreground --force --socket="$dir/munge.socket" --key-file="$dir/munge.key" --pid-file="$dir/munged.pid" \
    --log-file="$dir/munged.log" --seed-file="$dir/munged.seed" >munged.out 2>&1 &
pids+=($!)
until [ -S munge.socket ]; do kill -0 ${pids[0]} 2>/dev/null || skip "munged cannot run here: $(cat munged.out)"; sleep .1; done
slurmctld -D -f slurm.conf >ctld.out 2>&1 &
pids+=($!)
until squeue >/dev/null 2>&1; do
    kill -0 ${pids[1]} 2>/dev/null || skip "slurmctld cannot run here: $(tail -n 3 ctld.out slurmctld.log)"
    sleep .2
done
start_slurmd() {
    slurmd -D -f slurm.conf >slurmd.out 2>&1 &
    slurmd=$!
    until sinfo -h -o %T | grep -qE 'idle|mixed|allocated'; do
        kill -0 $slurmd 2>/dev/null || skip "slurmd cannot run here: $(tail -n 3 slurmd.out slurmd.log)"
        sleep .2
    done
}
start_slurmd
drained() { until [ -z "$(squeue -h)" ]; do sleep .3; done; }

# --- A run notes its process, so that two at a time would be seen; one value waits until the test lets it go on
cat >one.py <<'END'
import os, resource, sys, time
n, place = sys.argv[1], os.environ["PLACE"] + "/"
def is_alive(pid):
    try:
        return open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()[0] not in "ZX"
    except OSError:
        return False
try:
    other = open(place + n).read()
    if other and is_alive(int(other)):
        open(place + "overlaps", "a").write(n + "\n")
except FileNotFoundError:
    pass
open(place + n, "w").write(str(os.getpid()))
while os.path.exists(place + "hold." + n):
    time.sleep(.05)
data = bytearray(int(n) * 2 ** 20)
sum(range(int(n) * 40000))
usage = resource.getrusage(resource.RUSAGE_SELF)
print(usage.ru_utime + usage.ru_stime, 1024 * usage.ru_maxrss, flush=True)
open(place + n, "w").close()
open(place + "made", "a").write(n + "\n")
END
export PLACE=$dir/notes
mkdir notes
appears() { until [ -s "$PLACE/$1" ]; do sleep .1; done; } # VALUE: a run with it has begun

# --- A job array whose tasks are killed, cancelled, and lose their slurmd
touch notes/hold.20 notes/hold.30
run 0 mastermind sweep -D n=10,20,30,40,50,60 --repeat 2 --slurm --tasks 4 --sbatch '--job-name=grown' -o jobs.d -- \
    python3 one.py '{n}'
grep -q '^job [0-9]*: 4 tasks for 12 runs in jobs.d' out || fail "no job: $(cat out)"
[ "$(squeue -h -o %j | sort -u)" = grown ] || fail "an option of sbatch is lost: $(squeue)"
run 0 mastermind sweep --status -o jobs.d --json
cp out status.json
fits sweep status.json
appears 20
appears 30
worker=$(ls jobs.d/queue | sed -n 's/.*\.claim\..*\.\([0-9]*\)\.[0-9]*\.[^.]*$/\1/p' | head -n 1)
kill -KILL "$worker"                              # one of the two tasks that wait
scancel "$(squeue -h -o %F | head -n 1)"           # the rest of the array: its tasks give their runs back
drained
run 2 mastermind sweep --slurm --patience 100x -o jobs.d
# what was killed hard is given back by the next worker, which is submitted by the same words again
run 0 mastermind sweep --slurm --tasks 2 -o jobs.d
appears 20
appears 30
{ kill -KILL $slurmd && wait $slurmd; } 2>/dev/null # tasks go on without it
rm notes/hold.20
start_slurmd
rm notes/hold.30
drained
run 0 mastermind sweep --slurm -o jobs.d # for runs that no task was left for
drained
run 0 mastermind sweep --status -o jobs.d
holds out '12 of 12 runs of 6 points'
[ ! -e notes/overlaps ] || fail "two tasks make run of $(cat notes/overlaps)"
equal "experiments" 12 "$(ls -d jobs.d/run-*.mm | wc -l)"
[ -s jobs ] || fail "Slurm knows no job"

# --- The other verbs take the directory; CPU time and peak are those that the program found itself
run 0 mastermind grow -o jobs.d --at 120 --json
cp out grow.json
fits grow grow.json
run 0 mastermind predict jobs.d --set n=120
run 0 mastermind choose --over n jobs.d
cat >truth.py <<'END'
import json, sys
plan, runs = (json.load(open(f"{sys.argv[1]}/{name}.json"))["runs"] for name in ("plan", "runs"))
for i, (planned, run) in enumerate(zip(plan, runs)):
    ranks = [[float(x) for x in line.split()] for line in open(f"{sys.argv[1]}/run-{i + 1:03}.out")]
    assert len(ranks) == int(planned["values"].get("ranks", 1)), ranks
    cpu, peak = sum(r[0] for r in ranks), max(r[1] for r in ranks)
    assert cpu <= run["cpu_s"] + 1e-6 and run["cpu_s"] < 1.5 * cpu + .2, (cpu, run)
    assert peak <= run["peak_bytes"] <= 1.1 * peak + 2e6, (peak, run)
    assert run["peak_bytes"] > int(planned["values"]["n"]) * 2 ** 20, run
END
python3 truth.py jobs.d || fail "cost of runs in tasks"

# --- Programs that srun starts are children of a daemon: each rank measures itself
rm -f notes/*
run 0 mastermind sweep -D n=11,41 --ranks 1,2 --repeat 1 --launcher 'srun --overlap -n %n' --slurm -o ranks.d -- \
    sh -c 'PLACE=$(mktemp -d -p .) exec python3 one.py {n}'
drained
run 0 mastermind sweep --status -o ranks.d
holds out '4 of 4 runs'
python3 truth.py ranks.d || fail "cost of runs by srun"
run 0 mastermind sweep -D n=12 --ranks 2 --repeat 1 --launcher 'srun --overlap' --slurm -o wrong.d -- \
    sh -c 'test $SLURM_PROCID = 0 && exec python3 one.py {n}'
drained
expect 1 'failed: n=12 ranks=2' mastermind sweep --status -o wrong.d

# --- Without our launcher the cost is that of sacct; without accounting there is a warning
run 0 mastermind sweep -D n=13 --repeat 1 --slurm -o srun.d -- srun --overlap -n 1 python3 one.py '{n}'
drained
cat srun.d/slurm-*.out >out
grep -q 'has CPU time and memory of srun alone' out || fail "no warning without accounting: $(cat out)"
mkdir fake
cat >fake/sacct <<'END'
#!/bin/sh
# steps as sacct prints them: one before the run, and that of the run
job=${SLURM_JOB_ID:?}
echo "$job|00:00.000||Unknown"
echo "$job.batch|00:00.000||Unknown"
[ -e "$PLACE/queried" ] && echo "$job.0|01:02.500|2048K|2026-11-29T02:16:36"
touch "$PLACE/queried"
END
chmod +x fake/sacct
PATH=$dir/fake:$PATH run 0 mastermind sweep -D n=14 --repeat 1 --slurm -o sacct.d -- srun --overlap -n 1 python3 one.py '{n}'
drained
python3 - <<'END' || fail "cost of steps by sacct: $(cat sacct.d/slurm-*.out)"
import json
run, = json.load(open("sacct.d/runs.json"))["runs"]
assert run["state"] == "done" and abs(run["cpu_s"] - 62.5) < .01 and run["peak_bytes"] >= 2 * 2 ** 20, run
END

# --- grow by a job array
run 0 mastermind grow -n 10,15,20,30 --repeat 2 --slurm -o grow.d -- python3 one.py '{n}'
grep -q "'mastermind grow -o grow.d' prints the results" out || fail "no way to the results: $(cat out)"
drained
run 0 mastermind grow -o grow.d
holds out '60 '
expect 2 "'ranks.d' varies 2 parameters, expected one" mastermind grow -o ranks.d
expect 2 "found no command; option '-n' needs one" mastermind grow -n 1,2 -o grow.d
finish
