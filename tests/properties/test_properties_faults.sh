#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Programs with one fault of a known size under each MPI: it is found, it is the first cause, with
# method and rank, and where a severity has a closed form its interval holds it. A program without a
# fault has no finding. SOAK=1: four ranks, five strengths; CLEAN clean runs (FAULT_RUNS).
. "$(dirname "$0")/../lib/mpi.sh"
source=$root/tests/properties/faults
us=40000 iterations=24

# record RANKS KIND EXTRA_US: fault.mm
record() {
    rm -rf fault.mm
    ranks 0 "$1" mastermind record --metrics MPI_SPLIT --messages P-1-FREQ --proxy proxy -o fault.mm -- \
        ./faults "$2" "$us" "$iterations" "$3"
}

# asked STATUS: the methods of the library; keeps fault.json
asked() {
    mastermind properties fault.mm --region 'libsteps*' --confidence .95 --json >fault.json 2>err
    [ $? = "$1" ]
}

# causes PROPERTY METHOD UNIT [SEVERITY]: what the first chain ends in (patterns)
cat >causes.py <<'END'
import fnmatch, json, sys
wanted, severity = sys.argv[1:4], [float(x) for x in sys.argv[4:]]
causes = json.load(open("fault.json"))["causes"]
chain = causes[:1]
for cause in causes[1:]:
    if cause["depth"] == 0:
        break
    chain.append(cause)
last = chain[-1] if chain else {"property": "nothing", "region": "", "unit": ""}
found = [last["property"], last["region"], last["unit"]]
if not all(fnmatch.fnmatchcase(f, w) for f, w in zip(found, wanted)):
    sys.exit("found %s, expected %s" % (found, wanted))
if severity and not last["low"] - .01 <= severity[0] <= last["high"] + .01:
    sys.exit("%s: found %g .. %g, expected %g" % (found, last["low"], last["high"], severity[0]))
END

# find RANKS KIND EXTRA_US PROPERTY METHOD UNIT [SEVERITY]: on a host that others use a run may be disturbed
find_fault() {
    local n=$1 kind=$2 extra=$3
    shift 3
    for _ in 1 2 3; do
        record "$n" "$kind" "$extra"
        asked 1 && python3 "$dir/causes.py" "$@" >>err 2>&1 && return
    done
    fail "$flavour, $n ranks: $kind $extra: $(tail -n 1 err)"
}

# imbalance RANKS EXTRA: of work on all, and so much more on the last
imbalance() {
    python3 -c "n, x = $1, $2 / $us; print((1 - (1 + x / n) / (1 + x)) / (1 - 1 / n))"
}

all_faults() {
    local n=$1 extra=$2 last=$(($1 - 1))
    find_fault "$n" slow "$extra" ExecutionTimeLoadImbalance '*.work' "rank $last" "$(imbalance "$n" "$extra")"
    find_fault "$n" sender "$extra" 'LateSender*' '*.exchange' '*'
    [ "$n" = 2 ] && [ -z "${SOAK:-}" ] && return
    find_fault "$n" reduction "$extra" '*Imbalance' '*.work' "rank $last"
    find_fault "$n" serial "$extra" SerialSection '*.serial' 'rank 0'
    find_fault "$n" root "$extra" 'Co*' '*.spread' '*'
    find_fault "$n" receiver "$extra" '*' '*.exchange' '*'
}

clean_runs() {
    local found=0
    for ((i = 0; i < $1; i++)); do
        record 2 clean 0
        asked 0 || found=$((found + 1))
    done
    echo "$flavour: $found of $1 clean runs with a finding"
    # 5 % of them, and what chance adds to that in one test of a thousand
    python3 -c "n = $1; exit($found > .05 * n + 3.1 * (.05 * .95 * n) ** .5 + (n < 10))" ||
        fail "$flavour: $found of $1 clean runs have a finding: $(cat fault.json)"
}

try() {
    "mpicc.$flavour" -O2 -g -fPIC -shared -I"$source" -o libsteps.so "$source/steps.c" &&
        "mpicc.$flavour" -O2 -g -I"$source" -o faults "$source/faults.c" -L. -lsteps -Wl,-rpath,"$PWD" || fail "mpicc.$flavour"
    run 0 proxygen --interpose "$source/steps.h" --functions work,serial,agree,total,spread,exchange -o proxy
    clean_runs "${FAULT_RUNS:-$([ -n "${SOAK:-}" ] && echo 300 || echo 1)}"
    if [ -z "${SOAK:-}" ]; then
        all_faults 2 20000
    else
        for extra in 4000 8000 16000 32000 64000; do
            all_faults 2 "$extra"
            all_faults 4 "$extra"
        done
    fi
}
under_each try "faults and clean runs"
