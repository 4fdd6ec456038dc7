#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# examples/mrtd, the paper's case: fields beside independent truth, the same fields to the last bit whoever has
# the cells (C and Fortran, both flavours, 1 to 4 ranks, random owners that change), schedules, wrong input.
# lane: agents, its runs have names in /dev/shm
. "$(dirname "$0")/../lib/lib.sh"
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0" # MPI's own
truth=$root/tests/mesh/mrtd_truth.py
programs=$O/libexec/mastermind/mrtd
[ ! -e "$O/libexec/mastermind/mrtd_f" ] || programs="$programs $O/libexec/mastermind/mrtd_f"

# fields: the checksum that the last run has printed, energy: those of both ends
fields() { sed -n 's/^fields *//p' out; }
energy() { sed -n 's/^energy *\([^ ]*\) at the first step, \([^ ]*\) at the last/\1 \2/p' out; }

# --- Truth: all wavelets are Yee's scheme on half cells
for p in $programs; do
    run 0 "$p" --cells 5,4,3 --steps 60 --courant 1 --width .7 --source 2,1,1 --absorb 0 --threshold 0 --dump d.bin
    python3 "$truth" yee d.bin 5,4,3 60 1 .7 2,1,1 >said || fail "$(basename "$p") beside Yee's scheme: $(cat said)"
done
# A mode of the box has the frequency of the closed form: the speed of light. Its energy stays.
run 0 "$O/libexec/mastermind/mrtd" --cells 6,5,4 --mode 1,0,2 --courant .9 --steps 200 --threshold 0 --absorb 0 --watch 2,2,1 --energy
python3 "$truth" mode 6,5,4 1,0,2 .9 <out >said || fail "a mode of the box: $(cat said)"
energy | awk '{ exit !($1 > 1 && ($1 - $2)^2 < 1e-24 * $1^2) }' || fail "energy of a mode: $(energy)"
# The limit of the time step of this very box, from below and above.
limit=$(python3 "$truth" limit 4,4,4)
for factor in .999 1.01; do
    courant=$(awk "BEGIN { printf \"%.12f\", $limit * $factor }")
    run 0 "$O/libexec/mastermind/mrtd" --cells 4,4,4 --absorb 0 --steps 2000 --threshold 0 --courant "$courant" --width .5 --watch 1,1,1
    last=$(sed -n 's/^watch 1999 [^ ]* [^ ]* //p' out)
    case $factor in
    .999) awk "BEGIN { x = $last; exit !(x * x < 1) }" || fail "unstable below the limit: $last" ;;
    *) case $last in *nan* | *inf* | *e+*) ;; *) fail "stable above the limit: $last" ;; esac ;;
    esac
done

# --- The threshold bounds the error, and takes energy only
box="--cells 14,10,10 --steps 120 --source 4,4,4 --absorb 0"
run 0 "$O/libexec/mastermind/mrtd" $box --threshold 0 --dump exact.bin
for threshold in 1e-5 1e-4 1e-3; do
    run 0 "$O/libexec/mastermind/mrtd" $box --threshold $threshold --dump near.bin
    python3 "$truth" near exact.bin near.bin "$(awk "BEGIN { print 20 * $threshold }")" >said ||
        fail "threshold $threshold: $(cat said)"
    work=$(sed -n 's/^work *\([0-9]*\).*/\1/p' out)
    [ "$work" -lt "${before:-$((14 * 1000 * 48 * 120))}" ] && [ "$work" -gt $((14 * 100 * 6 * 120)) ] ||
        fail "threshold $threshold: work $work"
    before=$work
done
run 0 "$O/libexec/mastermind/mrtd" --cells 6,5,4 --mode 0,0,1 --steps 200 --threshold .02 --absorb 0 --energy
energy | awk '{ exit !($1 > 1 && $2 < $1 && $2 > 0) }' || fail "energy with a threshold: $(energy)"

# --- Schedules of a file
schedule='{"shape": [9, 7, 6], "parts": 1, "steps": [{"step": 0, "runs": [[0, 378]]}, {"step": 5, "runs": [[0, 100], [0, 278]]}]}'
small="--cells 9,7,6 --steps 30 --source 4,3,3 --absorb 2 --threshold 1e-3"
echo "$schedule" >one.json
run 0 "$O/libexec/mastermind/mrtd" $small
wanted=$(fields)
[ -n "$wanted" ] || fail "no checksum"
run 0 "$O/libexec/mastermind/mrtd" $small --schedule one.json --moves moves.csv --json
cat >check.py <<'END'
import csv, json, sys
report = json.load(open("out"))
assert report["fields"] == sys.argv[1], report["fields"]
assert [(r["step"], r["cells_moved"]) for r in report["repartitions"]] == [(5, 0)], report
rows = list(csv.DictReader(open("moves.csv")))
assert len(rows) == 1 and rows[0]["step"] == "5" and rows[0]["cells_moved"] == "0", rows
assert abs(float(rows[0]["cpu_ns"]) * 1e-9 - report["repartitions"][0]["cpu_s"]) < 1e-12
END
python3 check.py "$wanted" || fail "report and moves of a schedule"

# --- Profiles: work of each cell, also where cells move in each step; sums are those of the report
cells_of() { mastermind mesh "$1" --probe work --csv | cut -d, -f1-4,6; }
# profiled NAME PROGRAM...: keep its profile
profiled() {
    local name=$1
    shift
    MM_MESH_SLOTS=16 mastermind record --cells work,cost -o "$name.mm" -- "$@" $small --steps 12 --pace 10 --times "$name.csv" \
        >out 2>err </dev/null || fail "$name: profiled"
    cells_of "$name.mm" >"$name.cells" || fail "$name: profile"
}
# A machine that is busy loses steps of a profile: what is there has to be right.
cat >same.py <<'END'
import csv, sys
def steps(name):
    found = {}
    for row in csv.DictReader(open(name + ".cells")):
        found.setdefault(int(row["step"]), []).append([row[n] for n in "ijk"] + [float(row["work"])])
    return found
one, other, sums = steps(sys.argv[1]), steps(sys.argv[2]), {}
for row in csv.DictReader(open(sys.argv[2] + ".csv")):
    sums[int(row["step"])] = sums.get(int(row["step"]), 0) + float(row["work"])
both = sorted(one.keys() & other.keys())
print("steps in both:", both)
assert len(sums) == 12 and len(both) >= 3
for step in both:
    assert sorted(one[step]) == sorted(other[step]), f"step {step}: other cells"
    assert sum(c[3] for c in other[step]) == sums[step], f"step {step}: another sum than the run's"
END
if [ "$BUILD" = release ] || [ "$BUILD" = debug ]; then
    for p in $programs; do
        profiled "$(basename "$p")" "$p"
        python3 same.py mrtd "$(basename "$p")" >said 2>&1 || fail "$(basename "$p"): a profile: $(cat said)"
    done
    for flavour in openmpi mpich; do
        [ -x "$O/libexec/mastermind/mrtd_$flavour" ] && command -v "mpirun.$flavour" >/dev/null || continue
        profiled $flavour "$root/tests/lib/mpirun.sh" $flavour 2 "$O/libexec/mastermind/mrtd_$flavour" --policy fixed:2 --partitioner random:1
        python3 same.py mrtd $flavour >said 2>&1 || fail "$flavour: a profile of two ranks: $(cat said)"
    done
fi

# --- What the simulator predicts is what the run does, to the last coefficient: by its schedule and by a policy
cat >predicted.py <<'END'
import json
told, runs = json.load(open("told.json")), [json.load(open(f"{way}.json")) for way in ("scheduled", "live")]
policy = next(p for p in told["policies"] if p["policy"] == "fixed:3")
for run in runs:
    moves = run["repartitions"]
    assert [m["step"] for m in moves] == policy["repartitions"] == [3, 6, 9], moves
    assert sum(m["cells_moved"] for m in moves) == policy["cells_moved"] > 0, moves
    assert run["work"]["most"] + 100 * len(moves) + policy["cells_moved"] == policy["cost"], (run, policy)
END
for flavour in openmpi mpich; do
    [ -x "$O/libexec/mastermind/mrtd_$flavour" ] && command -v "mpirun.$flavour" >/dev/null && [ -e mrtd.cells ] && [ "$(cut -d, -f1 mrtd.cells | uniq | wc -l)" = 13 ] || continue
    mastermind balance mrtd.mm --parts 2 --lag 1 --price 100 --move 1 --policy fixed:3 --schedule s.json --json >told.json || fail "balance"
    for way in "scheduled --schedule s.json" "live --policy fixed:3"; do
        "$root/tests/lib/mpirun.sh" $flavour 2 "$O/libexec/mastermind/mrtd_$flavour" $small --steps 12 ${way#* } --json >${way%% *}.json
    done
    python3 predicted.py >said 2>&1 || fail "a schedule's costs: $(cat said)"
    break
done

# --- Wrong input: one line, a code, nothing else
wrong() { # STATUS TEXT ARGUMENTS...
    local status=$1 text=$2
    shift 2
    for p in $programs; do
        expect "$status" "$text" "$p" "$@"
        [ ! -s out ] && [ "$(wc -l <err)" = 1 ] || fail "$(basename "$p") $*: more than a line"
    done
}
wrong 2 "found '--bogus', expected an option" --bogus
wrong 2 "found '3,4', expected NX,NY,NZ" --cells 3,4
wrong 2 "found '0', expected X from 1e-06 to 10" --courant 0
wrong 2 "found 'nan', expected E" --threshold nan
wrong 2 "found 'nothing', expected" --steps
wrong 2 "--source: found 3,3,3, expected a cell of 3 x 3 x 3" --cells 3,3,3 --source 3,3,3
wrong 2 "expected one" --policy fixed:3 --schedule one.json
wrong 3 "fixed" --policy fixed:0
wrong 3 "mastermind balance --schedule" --policy oracle
wrong 3 "nonsense" --partitioner nonsense
wrong 3 "random:SEED" --partitioner random:x
wrong 3 "none.json" --schedule none.json
damaged() { # TEXT SED-EXPRESSION
    echo "$schedule" | sed "$2" >bad.json
    wrong 3 "$1" $small --schedule bad.json
}
damaged "'shape': found 9,7,5, expected 9,7,6" 's/6]/5]/'
damaged "'parts': found 2, expected 1" 's/"parts": 1/"parts": 2/'
damaged "steps[1]: 'runs' are not" 's/278\]\]}\]/279]]}]/'
damaged "steps[1]: 'runs' are not" 's/\[0, 278\]/[1, 278]/'
damaged "steps[1]: 'runs' are not" 's/\[0, 278\]/[0, 277.5]/'
damaged "steps[1]: 'runs' are not" 's/, \[0, 278\]//'
damaged "steps[0]: 'step' is not 0" 's/"step": 0/"step": 1/'
damaged "steps[1]: 'step' is not a number above" 's/"step": 5/"step": 0/'
damaged "found no 'steps'" 's/"steps"/"stops"/'
damaged "bad.json:1: " 's/runs/"/'
run 3 "$O/libexec/mastermind/mrtd" $small --moves /nonexistent/moves.csv
run 3 "$O/libexec/mastermind/mrtd" $small --dump /nonexistent/dump

# --- The same fields whoever has the cells
at_ranks() { "$root/tests/lib/mpirun.sh" "$flavour" "$@" >out 2>err </dev/null; }
ways=("--policy fixed:7 --partitioner random:3" "--policy fixed:9 --partitioner rcb:planes"
    "--policy expect --price .5x --decide 4" "--policy each --partitioner hilbert")
same() { # RANKS PROGRAM OPTIONS...
    local n=$1 p=$2
    shift 2
    [ -x "$O/libexec/mastermind/${p}_$flavour" ] || return 0
    at_ranks "$n" "$O/libexec/mastermind/${p}_$flavour" $small "$@" || fail "$flavour, $n ranks, $p $*"
    equal "$flavour, $n ranks, $p $*" "$wanted" "$(fields)"
}
# Where ranks have no core of their own, as four on most machines of tests, MPICH spins: few starts, all in
# the long form.
check_ranks() {
    same 2 mrtd ${ways[0]} --dump ranks.bin
    same 3 mrtd_f ${ways[1]}
    same 4 mrtd ${ways[2]}
    for n in ${SOAK:+1 2 3 4}; do
        for way in "${ways[@]}"; do
            same "$n" mrtd $way
            same "$n" mrtd_f $way
        done
    done
    "$O/libexec/mastermind/mrtd" $small --dump alone.bin >out
    cmp ranks.bin alone.bin || fail "$flavour: dumps of 2 ranks and of one differ"
    # Missing on one rank alone
    at_ranks 2 "$dir/each" "$O/libexec/mastermind/mrtd_$flavour $small --schedule \$RANK.json"
    equal "$flavour: status where one rank has no schedule" 3 $?
    [ "$(grep -c '^mrtd: ' err)" = 1 ] && grep -q '1\.json' err || fail "$flavour: a schedule that one rank lacks"
    at_ranks 2 "$O/libexec/mastermind/mrtd_$flavour" $small --schedule one.json
    equal "$flavour: status of a schedule for one rank" 3 $?
    [ "$(grep -c '^mrtd: ' err)" = 1 ] || fail "$flavour: a schedule for one rank"
}
# A program that is another one on each rank
cat >each <<'END'
#!/bin/bash
export RANK=${OMPI_COMM_WORLD_RANK:-$PMI_RANK}
eval "$@"
END
chmod +x each
sed 's/"parts": 1/"parts": 2/' one.json >0.json
ran=
for flavour in openmpi mpich; do
    [ -x "$O/libexec/mastermind/mrtd_$flavour" ] && command -v "mpirun.$flavour" >/dev/null && [ "$BUILD" != tsan ] || continue
    check_ranks
    ran="$ran $flavour"
done

# --- The installed example builds from its sources alone, and has the same fields
if [ -n "${SOAK-}" ] && [ "$BUILD" = release ]; then
    install_into "$dir/usr"
    export PKG_CONFIG_PATH=$dir/usr/lib/pkgconfig
    cp -r usr/share/mastermind/examples .
    run 0 env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS make -s -C examples/mrtd FLAGS="-O1 -ffp-contract=off" mrtd \
        $([ ! -e "$O/libexec/mastermind/mrtd_f" ] || echo mrtd_f)
    for p in examples/mrtd/mrtd examples/mrtd/mrtd_f; do
        [ -x $p ] || continue
        run 0 ./$p $small
        equal "$p" "$wanted" "$(fields)"
    done
    for flavour in openmpi mpich; do
        [ -x "$O/libexec/mastermind/mrtd_f_$flavour" ] && command -v "mpirun.$flavour" >/dev/null || continue
        run 0 env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS make -s -C examples/mrtd FLAGS="-O1 -ffp-contract=off" MPICC=mpicc.$flavour \
            MPIFC=mpif90.$flavour mrtd_mpi mrtd_f_mpi
        for p in examples/mrtd/mrtd_mpi examples/mrtd/mrtd_f_mpi; do
            at_ranks 2 ./$p $small --policy fixed:7 || fail "$flavour: $p"
            equal "$flavour: $p" "$wanted" "$(fields)"
        done
        rm -f examples/mrtd/mrtd_mpi examples/mrtd/mrtd_f_mpi examples/mrtd/comm_mpi.o
    done
fi

finish "fields of $(echo "$programs" | wc -w) programs as expected; ranks under:${ran:- none}"
