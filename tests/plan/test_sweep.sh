#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# mastermind sweep: what it runs, keeps and reports; killed, interrupted, cut by a budget, with failing runs;
# and which words it refuses.
. "$(dirname "$0")/../lib/lib.sh"
demo=$root/scripts/shock-demo.rc
fixed=(-D NY=8 -D PATCH=16 -D T_END=.05 -D PICTURE=p.png)

# --- A grid of sizes and classes
run 0 mastermind sweep -D NX=64,32 --class flux=EFMFlux,HLLCFlux --repeat 2 -o one -- ccafe "${fixed[@]}" "$demo"
quiet
holds out "8 of 8 runs of 4 points (the full grid)"
holds out "repeats do not suffice"
holds out "sizes do not suffice: NX has 2 (add 128)"
holds out "would sharpen most: another size"
equal experiments "$(seq -f 'one/run-%03g.mm' 8)" "$(ls -d one/*.mm)"
run 0 mastermind sweep -o one --json
fits sweep out
python3 - <<'END_PYTHON' || fail "the document and the experiments"
import json
sweep = json.load(open("out"))
seen = {}
for run in sweep["runs"]:
    about = json.load(open("one/" + run["experiment"] + "/experiment.json"))
    assert about["cpu_time"] and about["finished"], about
    assert about["variables"]["NX"] == run["values"]["NX"]
    assert about["classes"]["flux"] == run["values"]["flux"]
    assert run["state"] == "done" and run["rows"] == about["totals"]["rows"]
    assert 0 < run["cpu_s"] and run["cpu_s"] < 1.1 * run["time_s"] < 1.2 * run["elapsed_s"]
    seen.setdefault(tuple(run["values"].values()), []).append(run["repeat"])
assert sorted(seen) == [(n, c) for n in ("32", "64") for c in ("EFMFlux", "HLLCFlux")], seen
assert all(sorted(repeats) == [1, 2] for repeats in seen.values())
# Repeats are interleaved: every point once before any twice.
assert [run["repeat"] for run in sweep["runs"]] == [1] * 4 + [2] * 4
assert sweep["next"]["values"]["NX"] == "128" and sweep["host_share"] >= 0
END_PYTHON

# --- Its directory stands for its experiments
run 0 mastermind model one/run-*.mm && cp out all
holds out HLLCFlux
run 0 mastermind model one && cmp -s out all || fail "model of a sweep"
run 2 mastermind predict one --set flux=HLLCFlux
complains "mastermind: NX varied and is not set: --set NX=VALUE; it was 32, 64"
run 0 mastermind predict one --set flux=HLLCFlux --set NX=64

# --- Parameters, and a design instead of a grid
run 0 mastermind sweep --vary driver.config.nx=32,48 -D T_END=.02,.03 --repeat 1 -o two -- \
    ccafe -D NX=16 -D NY=8 -D PATCH=0 -D PICTURE=p.png -D FLUX=EFMFlux --metrics=CPU_TIME "$demo"
for run in two/*.mm; do
    grep -q '"driver.config.nx": "\(32\|48\)"' "$run/experiment.json" || fail "$run has another nx"
done
many=(-D A=1,2,3,4 -D B=1,2,3,4 -D C=1,2,3,4 --class d=x,y,z)
expect 0 "the grid has 192" mastermind sweep "${many[@]}" --dry-run -o none -- ccafe x.rc
[ "$(wc -l <out)" -lt 150 ] || fail "a design of $(wc -l <out) runs"
expect 0 "576 runs of 192 points: the full grid" mastermind sweep "${many[@]}" --grid 192 --dry-run -o none -- ccafe x.rc
cp out first
run 0 mastermind sweep "${many[@]}" --grid 192 --dry-run -o none -- ccafe x.rc
cmp -s out first || fail "the same sweep has another order"
run 0 mastermind sweep "${many[@]}" --grid 192 --seed 2 --dry-run -o none -- ccafe x.rc
cmp -s out first && fail "another seed has the same order"
[ ! -e none ] || fail "a dry run makes a directory"

# --- Ranks: the launcher and its words
mkdir fake
cat >fake/mpirun <<'END_MPIRUN'
#!/bin/sh
echo "$0 $1 $2" >>launched
shift 2
exec "$@"
END_MPIRUN
chmod +x fake/mpirun
launched() # WANTED OPTIONS...
{
    rm -rf ranks launched
    PATH=$dir/fake:$PATH run 1 mastermind sweep --ranks 1,2 --repeat 1 "${@:2}" -o ranks -- \
        nice ccafe run --class flux=EFMFlux -D NX=16 "${fixed[@]}" "$demo"
    holds err "failed: ranks=2: found 1 rank, expected 2" # this launcher makes none
    equal "launchers" "$1" "$(sort launched | sed 's|.*/||' | tr '\n' ' ')"
}
launched "mpirun -n 1 mpirun -n 2 "
launched "mpirun --np=1 -q mpirun --np=2 -q " --launcher "./fake/mpirun  --np=%n -q"
cp fake/mpirun fake/srun
sed -i 's/^shift 2/shift 3/' fake/srun
launched "srun -q -n srun -q -n " --launcher "./fake/srun -q"
for flavour in openmpi mpich; do
    case $BUILD in asan | tsan) break ;; esac
    [ -e "$O/lib/libcca_$flavour.so" ] && command -v "mpirun.$flavour" >/dev/null || continue
    run 0 mastermind sweep --ranks 1,2 --repeat 1 --launcher "$root/tests/lib/mpirun.sh $flavour %n" -o $flavour -- \
        ccafe --class flux=EFMFlux -D NX=32 "${fixed[@]}" "$demo"
    equal "ranks of experiments" '1 2' "$(sed -n 's/^ *"ranks": \([0-9]*\),.*/\1/p' $flavour/*.mm/experiment.json | sort | xargs)"
    break
done

# --- Killed and interrupted, then taken up. The launcher sends its parent a signal.
cat >hook <<'END_HOOK'
#!/bin/bash
echo >>ran
[ $(wc -l <ran) != "${AT:-0}" ] || { kill -"$SIGNAL" $PPID; [ "$SIGNAL" = KILL ] || exec tail -f /dev/null; }
exec "$@"
END_HOOK
chmod +x hook
sweep=(mastermind sweep -D NX=16,24,32 --repeat 2 --launcher ./hook -o killed -- ccafe --class flux=EFMFlux "${fixed[@]}" "$demo")
export AT SIGNAL
AT=3 SIGNAL=KILL run 137 "${sweep[@]}"
equal "kept by a kill" "killed/run-001.mm killed/run-002.mm" "$(echo killed/*.mm)"
stat -c %i killed/run-00[12].mm >kept
mkdir -p killed/run-003.part && echo half >killed/run-003.part/experiment.json
AT=5 SIGNAL=INT run 130 "${sweep[@]}"
complains "mastermind: ended by signal 2 with 3 of 6 runs; 'mastermind sweep -o killed' goes on"
[ ! -e killed/run-004.part ] || fail "an interrupted run is kept"
stat -c %i killed/run-00[12].mm | cmp -s - kept || fail "finished runs were made again"
# An experiment that has not ended is made again, wherever it comes from.
python3 - <<'END_PYTHON'
import json
path = "killed/run-002.mm/experiment.json"
about = json.load(open(path))
about["finished"] = False
del about["check"]
json.dump(about, open(path, "w"))
END_PYTHON
AT=0 run 0 mastermind sweep -o killed
holds out "6 of 6 runs of 3 points"
stat -c %i killed/run-001.mm | cmp -s - <(head -n 1 kept) || fail "a finished run was made again"
AT=0 run 0 "${sweep[@]}"
equal "runs of a sweep that is complete" 9 "$(wc -l <ran)"

# A run that outlives its sweep keeps the next one waiting: both would write into the same files.
mkfifo end note
cat >stays <<'END_STAYS'
#!/bin/bash
rm stay 2>/dev/null && { trap '' TERM; kill -KILL $PPID; exec cat end; }
exec "$@"
END_STAYS
chmod +x stays
touch stay
run 137 mastermind sweep -D NX=16 --repeat 1 --launcher ./stays -o stays.d -- \
    ccafe --class flux=EFMFlux "${fixed[@]}" "$demo"
mastermind sweep -o stays.d >out 2>note &
IFS= read -r line <note
equal "the next sweep" "mastermind: waiting for a run in 'stays.d' that a killed sweep left" "$line"
echo >end
wait $! || fail "the next sweep: status $?"
holds out "1 of 1 run of 1 point"

# --- A budget, then more of it
sweep=(mastermind sweep -D NX=16,24,32 --repeat 2 -o budget -- ccafe --class flux=EFMFlux "${fixed[@]}" "$demo")
expect 0 "the budget of 1.00 us ends with 1 of 6 runs" "${sweep[@]:0:2}" --budget .000001s "${sweep[@]:2}"
holds out "sizes do not suffice: NX has 1 of 3 (add 43)"
run 0 mastermind sweep -o budget --budget 1h
holds out "sizes do not suffice: NX has 3 (add 43)"
holds out "6 of 6 runs"
quiet

# --- Runs that fail
expect 1 "HLLCFlx: no class 'HLLCFlx'" mastermind sweep --class flux=EFMFlux,HLLCFlx -D NX=16,24 --repeat 1 -o bad -- \
    ccafe "${fixed[@]}" "$demo"
equal "failed runs reported" 2 "$(grep -c 'failed: .*flux=HLLCFlx: .*no class' err)"
holds out "2 of 4 runs of 4 points"
equal "experiments beside failures" 2 "$(ls -d bad/*.mm | wc -l)"
expect 1 "failed: NXX=1: the script does not use the variable 'NXX'" mastermind sweep -D NXX=1 --repeat 1 -o unused -- \
    ccafe --class flux=EFMFlux -D NX=16 "${fixed[@]}" "$demo"
run 1 mastermind sweep -o bad --json
fits sweep out
expect 1 "cannot run '/none/ccafe'" mastermind sweep -D NX=1 --repeat 1 -o none -- /none/ccafe "$demo"
expect 3 "found a sweep without a finished run" mastermind model none

# --- Wrong words: one line, status 2
refuse() # TEXT OPTIONS...
{
    expect 2 "$1" mastermind sweep "${@:2}"
    [ "$(cat out err | wc -l)" = 1 ] || fail "more than a line: ${*:2}"
}
refuse "found no -o" -D NX=1,2 -- ccafe x.rc
refuse "found no command, and no plan" -o new
refuse "found -D and no command" -D NX=1 -o one
refuse "found no {NX} in the command" -D NX=1 -o new -- ./program
refuse "expected NAME=VALUE" -D NX -o new -- ccafe x.rc
refuse "expected INSTANCE.PORT.NAME" --vary nx=1,2 -o new -- ccafe x.rc
refuse "expected INSTANCE=VALUE" --class =A -o new -- ccafe x.rc
refuse "empty value" -D NX=1,,2 -o new -- ccafe x.rc
refuse "found '64' twice" -D NX=64,32,64 -o new -- ccafe x.rc
refuse "twice" -D NX=64,064 -o new -- ccafe x.rc
refuse "is an axis already" -D NX=1,2 -D NX=3,4 -o new -- ccafe x.rc
refuse "'NX' is an axis, and the command sets it, too" -D NX=1,2 -o new -- ccafe -D NX=4 x.rc
refuse "'flux' is an axis" --class flux=A,B -o new -- ccafe --class=flux=C x.rc
refuse "the command has -o" -D NX=1,2 -o new -- ccafe -o x.mm x.rc
refuse "expected numbers of ranks" --ranks 1,x -o new -- ccafe x.rc
refuse "needs --ranks" --launcher 'mpirun -n %n' -o new -- ccafe x.rc
refuse "for --budget" --budget 10x -o new -- ccafe x.rc
refuse "for --repeat" --repeat 0 -o new -- ccafe x.rc
refuse "did you mean '--repeat'" --repeats 2 -o new -- ccafe x.rc
refuse "expected -- before the command" -o new ccafe x.rc
refuse "'one' has another plan: its axes" -D NZ=64,33 --class flux=EFMFlux,HLLCFlux --repeat 2 -o one -- \
    ccafe "${fixed[@]}" "$demo"
refuse "'one' has another plan: its repeats: 2, requested: 1" -D NX=64,32 --class flux=EFMFlux,HLLCFlux --repeat 1 -o one -- \
    ccafe "${fixed[@]}" "$demo"
sed 's/"NX": "64"/"NX": "63"/' one/plan.json >plan && cp one/plan.json kept && cp plan one/plan.json
refuse "'one' has runs in another order" -o one
cp kept one/plan.json
mkdir full && touch full/file
refuse "is not empty, and has no plan" -D NX=1 -o full -- ccafe x.rc
[ ! -e new ] || fail "a refused sweep makes a directory"
echo '{' >full/plan.json
expect 3 "is damaged" mastermind sweep -o full
flock -n one true || fail "the directory stays locked"
expect 2 "another sweep is at work in 'one'" flock one mastermind sweep -o one
finish
