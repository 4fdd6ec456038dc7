#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# `mastermind sweep --shared`: several workers in one directory make each run once, also when they are killed, when
# claims of other hosts are left, and when a worker loses its claim; other verbs read the results; job arrays.
. "$(dirname "$0")/../lib/lib.sh"

# A run leaves its process id in a file of its own: a second process in it while the first lives is an overlap.
# HOLD: a run with this value waits for the fifo `go`; STUBBORN: and ignores SIGTERM.
cat >one.py <<'END'
import os, signal, sys, time
n, place = sys.argv[1], os.environ["PLACE"] + "/"
def is_alive(pid):
    try:
        return open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()[0] not in "ZX"
    except OSError:
        return False
if "STUBBORN" in os.environ:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
try:
    other = open(place + n).read()
    if other and is_alive(int(other)):
        open(place + "overlaps", "a").write(n + "\n")
except FileNotFoundError:
    pass
open(place + n, "w").write(str(os.getpid()))
if os.environ.get("HOLD") == n:
    open(place + "waits", "w").close() # a fifo: the test goes on when the run is here
    open(place + "go").read()
time.sleep(float(os.environ.get("NAP", 0)))
print("result", n, flush=True)
open(place + n, "w").close()
open(place + "made", "a").write(n + "\n")
sys.exit(3 if n == "13" else 0)
END
export PLACE
place() # NAME: a new folder for the notes of runs
{
    PLACE=$dir/$1.notes
    mkdir "$PLACE"
    mkfifo "$PLACE/waits" "$PLACE/go"
}
made() { sort -n "$PLACE/made" | xargs; }
complete() # DIR RUNS: each run was made and kept once, and nothing is left over
{
    [ ! -e "$PLACE/overlaps" ] || fail "$1: two workers make run of $(cat "$PLACE/overlaps")"
    equal "$1: experiments" "$2" "$(ls -d "$1"/run-*.mm | wc -l)"
    equal "$1: rest of workers" "" "$(find "$1" -maxdepth 1 -name '*.[0-9]*.[0-9]*.*' | xargs)"
    python3 - "$1" "$2" <<'END' || fail "$1: runs.json"
import json, sys
plan, runs = (json.load(open(f"{sys.argv[1]}/{name}.json"))["runs"] for name in ("plan", "runs"))
assert [run["state"] for run in runs].count("done") == int(sys.argv[2]), runs
for i, (planned, run) in enumerate(zip(plan, runs)):
    if run["state"] == "done":
        assert run["cpu_s"] > 0 and run["peak_bytes"] > 0, run
        assert open(f"{sys.argv[1]}/run-{i + 1:03}.out").read() == f"result {planned['values']['n']}\n"
END
}
sweep=(mastermind sweep --repeat 1 -D n="$(seq -s, 1 13)")
command=(-- python3 one.py '{n}')

# --- One worker, for comparison; then four that start at once, without a directory yet
place one
run 1 "${sweep[@]}" -o one "${command[@]}"
place four
for i in 1 2 3 4; do
    "${sweep[@]}" --shared -o four "${command[@]}" >out.$i 2>err.$i &
done
for job in $(jobs -p); do
    wait "$job"
    status=$?
    [ $status -le 1 ] || fail "a worker ends with status $status: $(cat err.*)"
done
equal "runs made" "$(seq 1 13 | xargs)" "$(made)"
complete four 12
cmp -s one/plan.json four/plan.json || fail "the plan of several workers is another"
run 1 mastermind sweep -o four --status
holds out '12 of 13 runs of 13 points'
holds out 'failed: n=13: status 3'
run 1 mastermind sweep -o four --status --json
cp out four.json
fits sweep four.json
run 1 mastermind sweep -o one --status --json
cp out one.json
python3 - <<'END' || fail "several workers find what one finds"
import json
def known(name):
    return [{key: value for key, value in run.items() if key in ("experiment", "values", "repeat", "state", "error",
             "failures", "wrong", "rows")} for run in json.load(open(name))["runs"]]
assert known("one.json") == known("four.json"), (known("one.json"), known("four.json"))
hosts = {run["host"] for run in json.load(open("four.json"))["runs"]}
assert len(hosts) == 1 and "host" not in json.load(open("one.json"))["runs"][0], hosts
END
run 0 mastermind predict four --set n=26
run 0 mastermind model four
run 0 mastermind choose --over n four
# one worker takes the directory over: a failed run is made again, with its number of failures, others are not
[ -d four/queue ] || fail "no queue"
run 1 mastermind sweep -o four
equal "runs made again" "$(seq 1 13 | xargs) 13" "$(made)"
[ ! -e four/queue ] || fail "the queue stays"
complete four 12
equal "failures" 2 "$(python3 -c '
import json
print(*[run["failures"] for run in json.load(open("four/runs.json"))["runs"] if run["state"] == "failed"])')"

# --- A worker is killed: its run is made by the next one, at once
sweep=(mastermind sweep --repeat 1 -D n=1,2,3,4,5)
place killed
HOLD=3 "${sweep[@]}" --shared -o killed "${command[@]}" >out 2>err &
worker=$!
cat "$PLACE/waits"
{ kill -KILL $worker && wait $worker; } 2>/dev/null
run 0 mastermind sweep --shared -o killed
grep -q 'run [0-9]* is open again: its worker .*(process '$worker') has died' err || fail "no death: $(cat err)"
complete killed 5

# --- Its run outlives it: nobody else makes that run before it has ended
place stays
STUBBORN=1 HOLD=3 "${sweep[@]}" --shared -o stays "${command[@]}" >out 2>err &
worker=$!
cat "$PLACE/waits"
{ kill -KILL $worker && wait $worker; } 2>/dev/null
run 0 mastermind sweep --shared -o stays
holds out '4 of 5 runs are done, other workers make 1'
stayed=$(cat "$PLACE/3") # at its end the run empties this file
echo >"$PLACE/go"
tail --pid="$stayed" -f /dev/null
run 0 mastermind sweep --shared -o stays
holds out '5 of 5 runs'
equal "the run that stayed, and again" "1 2 3 3 4 5" "$(made)"
complete stays 5

# --- A worker is ended by a signal: it gives its run back
place ended
HOLD=3 "${sweep[@]}" --shared -o ended "${command[@]}" >out 2>err &
worker=$!
cat "$PLACE/waits"
run 2 mastermind sweep -o ended
holds err "another sweep is at work in 'ended'"
kill -TERM $worker
wait $worker
equal "status of a worker that is ended" 143 $?
equal "claims" 0 "$(ls ended/queue | grep -c claim)"
[ -z "$(ls ended | grep part)" ] || fail "an unfinished run is left"
run 0 mastermind sweep -o ended --shared
complete ended 5

# --- Claims of another host: renewed, not renewed
place other
run 0 mastermind sweep --repeat 1 -D n=1,2,3 --budget .000001s --shared -o other "${command[@]}"
open=$(ls other/queue | sed -n 's/\.open$//p' | head -n 1)
claim=other/queue/$open.claim.node9.example.77.5.0123abcd
mv "other/queue/$open.open" "$claim"
while sleep .2 && touch -c "$claim"; do :; done 2>/dev/null &
toucher=$!
run 0 mastermind sweep -o other --shared --patience 100s
holds out '2 of 3 runs are done, other workers make 1'
run 2 mastermind sweep -o other --patience 100s
holds err 'other workers make 1 run'
holds err 'node9.example (process 77)'
kill $toucher
wait $toucher 2>/dev/null
run 0 mastermind sweep -o other --shared --patience 1s
holds err "its worker node9.example (process 77) has not renewed its claim"
complete other 3

# --- A worker loses its claim to another host's patience, and then ends its run: its results are dropped
place lost
HOLD=3 "${sweep[@]}" --shared -o lost "${command[@]}" >lost.out 2>lost.err &
worker=$!
cat "$PLACE/waits"
claim=$(ls lost/queue | grep claim)
mv "lost/queue/$claim" "lost/queue/${claim%%.*}.open"
mv "$PLACE/3" "$PLACE/first" # the overlap is wanted here
run 0 mastermind sweep --shared -o lost
holds out '5 of 5 runs'
stat -c %i "lost/run-${claim%%.*}.mm" >before
echo >"$PLACE/go"
wait $worker || fail "a worker that lost its claim ends with status $?: $(cat lost.err)"
holds lost.err 'its results are dropped'
stat -c %i "lost/run-${claim%%.*}.mm" | cmp -s - before || fail "the results of a lost run are kept"
complete lost 5

# --- Workers of which one is killed each time that a run has ended: no run is lost, none is made by two at once
place storm
touch "$PLACE/made"
kills=0 seen=0
until [ -e storm/queue ] && [ "$(ls storm/queue | grep -c '\.done\.')" = 18 ]; do
    for i in 1 2 3; do
        kill -0 "${workers[i]:-x}" 2>/dev/null && continue
        NAP=.05 mastermind sweep --repeat 1 -D n="$(seq -s, 21 38)" --shared -o storm "${command[@]}" >out.$i 2>err.$i &
        workers[i]=$!
    done
    sleep .05
    [ "$(wc -l <"$PLACE/made")" -gt $seen ] && [ $kills -lt 20 ] || continue
    seen=$(wc -l <"$PLACE/made")
    victim=$((RANDOM % 3 + 1))
    { kill -KILL "${workers[victim]}" && wait "${workers[victim]}"; kills=$((kills + 1)); } 2>/dev/null
done
wait
complete storm 18
[ $kills -gt 0 ] || fail "no worker was killed"

# --- A job array: the script, what sbatch gets, and tasks that are run by hand
place array
mkdir fake
cat >fake/sbatch <<'END'
#!/bin/sh
[ "$1" = --parsable ] || exit 9
cp "$2" "$PLACE/script"
echo "4711;cluster"
END
chmod +x fake/sbatch
sweep=(mastermind sweep --repeat 1 -D n=1,2,3,4,5 --slurm --sbatch '--time=10:00  --partition=long' -o "an array's")
run 5 env PATH="$O/bin:/usr/bin:/bin" "${sweep[@]/an array\'s/none}" --tasks 2 -- ./nothing '{n}'
grep -q "cannot submit 'none/sweep.sbatch': " err || fail "no sbatch: $(cat err)"
PATH=$dir/fake:$PATH run 0 "${sweep[@]}" --tasks 2 "${command[@]}"
says "job 4711: 2 tasks for 5 runs in an array's; 'mastermind sweep --status -o an array's' prints the results"
for line in '#!/bin/bash' '#SBATCH --array=1-2' '#SBATCH --time=10:00' '#SBATCH --partition=long' '#SBATCH --requeue' \
    "#SBATCH --output=\"$dir/an array's/slurm-%A_%a.out\""; do
    grep -qxF -- "$line" "$PLACE/script" || fail "no line $line: $(cat "$PLACE/script")"
done
run 0 mastermind sweep -o "an array's" --status
holds out '0 of 5 runs'
for i in 1 2; do bash "$PLACE/script" >out.$i 2>err.$i & done
wait
complete "an array's" 5
PATH=$dir/fake:$PATH run 0 mastermind sweep --slurm -o "an array's"
says "all 5 runs in an array's are done"
PATH=$dir/fake:$PATH run 0 mastermind sweep --ranks 2,4 --repeat 1 --slurm -o ranks -- true
grep -qx '#SBATCH --ntasks=4' "$PLACE/script" || fail "no room for ranks: $(cat "$PLACE/script")"

# --- Refusals
expect 2 'found --shared and --slurm' mastermind sweep -D n=1 --shared --slurm -o no -- ./one '{n}'
expect 2 "option '--tasks' needs --slurm" mastermind sweep -D n=1 --tasks 3 -o no -- ./one '{n}'
expect 2 'expected sweep --status -o DIR' mastermind sweep -D n=1 --status -o no -- ./one '{n}'
expect 2 "for --patience" mastermind sweep --patience x --shared -o one
[ ! -e no ] || fail "a refused sweep leaves a directory"
finish
