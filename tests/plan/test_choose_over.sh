#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# `mastermind choose --over`: values of a sweep of any command, against costs that are known by construction.
# Values are compared by CPU time where the machine is loud, and differ by factors where a choice is asserted.
. "$(dirname "$0")/../lib/lib.sh"

cat >work.c <<'END'
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static void work(double steps)
{
    volatile double sum = 0;
    for (long i = 0; i < (long)(steps / 2); i++)
        sum = sum + (double)i;
}
/* Fail in 40 % of the runs: the k-th run by the fraction of k times the golden ratio. */
static int is_bad(void)
{
    int k = 0;
    FILE *file = fopen("runs", "r");
    if (file && fscanf(file, "%d", &k) != 1)
        k = 0;
    if (file)
        fclose(file);
    file = fopen("runs", "w");
    fprintf(file, "%d\n", k + 1);
    fclose(file);
    return fmod(.618034 * (k + 1), 1) < .4;
}
int main(int argc, char **argv)
{
    double n = strtod(argv[1], NULL);
    const char *how = argv[2];
    if (strcmp(how, "square") == 0)
        work(40 * n * n);
    if (strcmp(how, "linear") == 0 || strcmp(how, "twin") == 0)
        work(4e6 + 8000 * n);
    if (strcmp(how, "wrong") == 0)
        work(5e5 + 200 * n);
    if (strcmp(how, "flaky") == 0) {
        work(1e6 + 1000 * n);
        if (is_bad())
            return fprintf(stderr, "no convergence\n"), 3;
    }
    printf("%g\n", 2 * n + (strcmp(how, "wrong") == 0));
    return argc > 3;
}
END
$CC -O1 -o work work.c -lm || fail compile
cat >right.sh <<'END'
#!/bin/sh
awk -v n="$1" '$1 != 2 * n { print "found " $1 ", expected " 2 * n; bad = 1 } END { exit bad }' "$2"
END
chmod +x right.sh

# known FILE: python with the document d, and v, its values by name
known() {
    { echo 'import json
d = json.load(open("out"))
v = {" ".join(i["values"].values()): i for i in d["values"]}
chosen = " ".join(d["choice"].values()) if "choice" in d else None' && cat; } | python3 -
}

# --- Costs cross at n = 431; one value fails at random, one is wrong
run 1 mastermind sweep -D n=100,200,400,800 -D how=square,linear,flaky,wrong --check './right.sh {n}' \
    -o sw -- ./work '{n}' '{how}'
cpu="--metric CPU_TIME"
# shellcheck disable=SC2086
run 0 mastermind choose sw --over how --set n=150 $cpu --json
fits choose-over-metric out
known <<'END' || fail "below the crossing"
assert chosen == "square" and v["square"]["best"] > .7, d
assert v["square"]["low"] < v["square"]["total"] < v["square"]["high"], v
END
# shellcheck disable=SC2086
run 0 mastermind choose sw --over how --set n=1600 $cpu --json
known <<'END' || fail "beyond the crossing"
assert chosen == "linear" and v["linear"]["best"] > .7, d
assert abs(v["linear"]["best"] + v["square"]["best"] - 1) < 1e-6, v
flaky, wrong = v["flaky"], v["wrong"]
assert flaky["failures"] + flaky["runs"] == wrong["failures"] == 12 and not wrong["runs"], v
assert flaky["fails_low"] <= .4 <= flaky["fails_high"] and flaky["failures"] in (4, 5), flaky
assert flaky["error"] == "no convergence" and flaky["on_front"] and not flaky["may_be_chosen"], flaky
assert wrong["wrong"] == 12 and wrong["fails_low"] > .7 and not wrong["has_cost"], wrong
assert wrong["error"].startswith("wrong result: found "), wrong
assert "best" not in flaky and not v["square"]["on_front"] and v["linear"]["on_front"], v
END
run 0 mastermind choose sw --over how --set n=1600
holds out 'at n=1600: WALL_TIME of runs with each value'
# shellcheck disable=SC2086
run 0 mastermind choose sw --over how --set n=1600 $cpu
holds out 'at n=1600: CPU_TIME of runs with each value'
holds out 'choice: how=linear'
holds out 'not chosen: how=wrong: 12 of 12 runs failed (wrong result: found '
holds out 'not chosen: how=flaky: '
holds out 'front of cost and failures:'
awk 'length > 100 { exit 1 }' out || fail "a line of more than 100 columns"
# shellcheck disable=SC2086
run 0 mastermind choose sw --over how --set n=1600 $cpu --quiet
equal quiet how=linear "$(cat out)"
# shellcheck disable=SC2086
run 0 mastermind choose sw --over how --set n=1600 $cpu --may-fail .6 --quiet
equal "a value that may fail" how=flaky "$(cat out)"

# --- Failures that come with the size: chosen below, not chosen from there on, nothing is chosen far beyond all runs
cat >grows.sh <<'END'
#!/bin/sh
[ "$2" = fast ] && [ "$1" -ge 400 ] && echo diverged >&2 && exit 1
case $2 in fast) exec ./work 300 linear ;; *) exec ./work 800 square ;; esac
END
chmod +x grows.sh
run 1 mastermind sweep -D n=50,100,200,400,800 -D how=fast,slow -o grows -- ./grows.sh '{n}' '{how}'
# shellcheck disable=SC2086
for asked in '150 fast' '300 slow' '400 slow' '1500 slow'; do
    run 0 mastermind choose grows --over how --set n="${asked% *}" $cpu --quiet
    equal "with failures from 400 on, at n=${asked% *}" how="${asked#* }" "$(grep how= out)"
done
# shellcheck disable=SC2086
run 0 mastermind choose grows --over how --set n=100 $cpu
holds out 'fails elsewhere: how=fast: 6 of 15 runs from n=400 on (diverged)'
# shellcheck disable=SC2086
run 0 mastermind choose grows --over how --set n=400 $cpu --json
fits choose-over-metric out
known <<'END' || fail "a failure that comes with the size"
fast, slow = v["fast"], v["slow"]
assert fast["fails"] == 1 and fast["fails_with"] == "n" and fast["fails_edge"] == 400, fast
assert fast["fails_chance"] <= .05 and "fails_with" not in slow and slow["fails"] == 0, v
END
# shellcheck disable=SC2086
run 1 mastermind choose grows --over how --set n=2000 $cpu
holds out 'not chosen: how=slow: failures come with the size, and its largest run is 2.5 times smaller'

# --- Failures at another name count for that name alone
run 1 mastermind sweep -D n=200,400,800 -D how=fast,slow -D case=a,b --repeat 2 -o cases -- \
    sh -c '[ {case} = a ] && [ {how} = fast ] && exit 1; exec ./grows.sh 100 {how} # {n}'
# shellcheck disable=SC2086
for asked in 'a slow' 'b fast'; do
    run 0 mastermind choose cases --over how --set n=800 --set case="${asked% *}" $cpu --quiet
    equal "case ${asked% *}" how="${asked#* }" "$(grep how= out)"
done

# --- Set-up against number of uses: by peak memory, whose cost is known; from 64 / .75 = 85.3 uses on `many` has less
# One MiB, mapped as often as the peak wants, costs no memory and hardly any time.
cat >memory.c <<'END'
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    double uses = strtod(argv[1], NULL), n = strtod(argv[2], NULL) / 100;
    int many = strcmp(argv[3], "many") == 0, never = strcmp(argv[3], "never") == 0;
    size_t size = (size_t)(n * 1048576 * ((many ? 64 : never ? 128 : 0) + uses * (many ? .25 : 1)));
    size_t piece = 1 << 20;
    int file = memfd_create("piece", 0);
    if (file < 0 || ftruncate(file, (off_t)piece) != 0)
        return 2;
    for (size_t at = 0; at < size; at += piece)
        if (mmap(NULL, size - at < piece ? size - at : piece, PROT_READ, MAP_SHARED | MAP_POPULATE, file, 0) == MAP_FAILED)
            return 2;
    return argc > 4;
}
END
$CC -O1 -o memory memory.c || fail compile
run 0 mastermind sweep --grid 50 -D k=4,32,256 -D n=50,100,150,200 -D how=few,many,never -o memory.sweep -- ./memory '{k}' '{n}' '{how}'
for n in 100 120; do
    run 0 mastermind choose memory.sweep --over how --uses k --set n="$n" --metric o.peak_bytes --json
    fits choose-uses-metric out
    N=$n python3 - <<'END' || fail "set-up and uses at n=$n"
import json, os
d, scale = json.load(open("out")), int(os.environ["N"]) / 100
few, many, never = (next(v for v in d["values"] if v["values"]["how"] == how) for how in ("few", "many", "never"))
MiB = 1048576 * scale
assert d["is_measured"] == (scale == 1) and len(d["ranges"]) == 2, d
first, then = d["ranges"]
assert first["values"] == {"how": "few"} and first["from"] == 1 and then["values"] == {"how": "many"}, d
assert then["low"] <= 64 / .75 <= then["high"] and then["high"] / then["low"] < 2, then
for v, setup, use in ((few, 0, 1), (many, 64, .25), (never, 128, 1)):
    assert v["use_low"] <= use * MiB <= v["use_high"] and abs(v["use"] / (use * MiB) - 1) < .05, v
    assert v["setup_high"] >= setup * MiB and v["setup_low"] <= setup * MiB + 4e6, v
END
done
run 0 mastermind choose memory.sweep --over how --uses k --set n=100 --metric o.peak_bytes
holds out 'o.peak_bytes of a run = set-up + k x each use, by runs of this size'
holds out 'least from k=1 on: how=few'
run 0 mastermind choose memory.sweep --over how --uses k --set n=100 --metric o.peak_bytes --quiet
awk 'NR == 1 && $0 != "1 how=few" || NR == 2 && !($1 > 80 && $1 < 90 && $2 == "how=many") { exit 1 } END { exit NR != 2 }' \
    out || fail "ranges for scripts: $(cat out)"
expect 2 "--uses without --over" mastermind choose memory.sweep --uses k
expect 2 "--uses: the values of 'how' are no numbers" mastermind choose memory.sweep --over n --uses how --set k=4
expect 2 "--over: 'k' twice" mastermind choose memory.sweep --over how,k --uses k --set n=100

# --- A failed run is made again, and its failure stays known
run 1 mastermind sweep -o sw --json
run 0 mastermind choose sw --over how --set n=1600 --json
known <<'END' || fail "failures of earlier sweeps"
assert v["wrong"]["failures"] == 24 and v["flaky"]["runs"] > 7, v
assert v["flaky"]["fails_low"] <= .4 <= v["flaky"]["fails_high"], v
END

# --- The result can be judged later, too
run 0 mastermind sweep -D n=100,200,400 -D how=linear,wrong --repeat 2 -o late -- ./work '{n}' '{how}'
# shellcheck disable=SC2086
run 0 mastermind choose late --over how --set n=400 $cpu --quiet
equal unchecked how=wrong "$(cat out)"
# shellcheck disable=SC2086
run 0 mastermind choose late --over how --set n=400 $cpu --check './right.sh {n} {out}' --quiet
equal checked how=linear "$(cat out)"

# --- Numbers of threads: work in parallel, and a cost for each thread. Elapsed time decides, CPU time is alike; a
# --- loud machine may leave it open, but decides for no other value
cat >threads.c <<'END'
#include <stdlib.h>
#include <time.h>
int main(int argc, char **argv)
{
    double n = strtod(argv[1], NULL), threads = strtod(argv[2], NULL);
    struct timespec t = {0, (long)(1e6 * (.4 * n / threads + 40 * threads))};
    return nanosleep(&t, NULL) || argc > 3;
}
END
$CC -O1 -o threads threads.c || fail compile
run 0 mastermind sweep -D n=100,200,400,800 -D t=1,4 -o threads.sweep -- ./threads '{n}' '{t}'
for asked in '100 1' '1600 4'; do
    run 0 mastermind choose threads.sweep --over t --set n="${asked% *}" --json
    BEST=${asked#* } known <<'END' || fail "threads at n=${asked% *}"
import os
best = os.environ["BEST"]
assert d["metric"] == "WALL_TIME" and (chosen == best or not d["decided"]), d
END
done

# --- Values of two axes; equal programs tie, and the run that would decide is named
run 0 mastermind sweep -D n=100,200,400,800 -D how=linear,twin -D x=a,b -o twins -- env 'X={x}' ./work '{n}' '{how}'
# shellcheck disable=SC2086
run 0 mastermind choose twins --over how,x --set n=800 $cpu --json
known <<'END' || fail "equal programs"
assert len(v) == 4 and not d["decided"], d
assert abs(sum(i["best"] for i in v.values()) - 1) < 1e-6 and max(i["best"] for i in v.values()) < .97, v
assert d["to_decide"]["n"] == "800" and set(d["to_decide"]) == {"n", "how", "x"}, d
END
# shellcheck disable=SC2086
run 0 mastermind choose twins --over how,x --set n=800 $cpu
grep -qE '^(tie with|not decided against) how=' out || fail "no rival is named"
holds out '  to decide: a run with how='
# shellcheck disable=SC2086
mastermind choose twins --over how,x --set n=800 $cpu --quiet >out 2>err
holds err 'not decided: another value may be the best'
equal "lines of two axes" 2 "$(wc -l <out)"
# shellcheck disable=SC2086
run 0 mastermind choose twins --over x --set how=twin --set n=400 $cpu --json
known <<'END' || fail "the probability is not that of the interval of the difference"
from math import erfc, log, log1p, sqrt
own, other = (v[chosen], v["b" if chosen == "a" else "a"])
low, high = (log1p(other["apart_" + end] / own["total"]) for end in ("low", "high"))
apart = log(other["total"] / own["total"])
assert abs((low + high) / 2 - apart) < 1e-6, (low, high, apart)
assert abs(erfc(-apart / ((high - low) / 2 / 1.6448536) / sqrt(2)) / 2 - own["best"]) < .02, d
END

# --- A sweep of a script of ccafe: parameters, variables, classes; each value from its own runs
run 0 mastermind sweep -D NX=16,32,64 -D T_END=.02,.2 --class flux=EFMFlux,HLLCFlux --repeat 2 -o shock -- \
    ccafe -D NY=8 -D PATCH=16 -D PICTURE=p.png "$root/scripts/shock-demo.rc"
# Ten times the steps, beside the same start, so the choice is known.
run 0 mastermind choose shock --over T_END --set NX=64 --class flux=EFMFlux --json
known <<'END' || fail "a variable of a script"
assert chosen == ".02" and v[".2"]["total_s"] > 1.3 * v[".02"]["total_s"], d
assert v[".02"]["runs"] == 12 and v[".02"]["best"] > .9, v
END
run 0 mastermind choose shock --over flux,T_END --set NX=128
holds out 'choice: flux='
equal "values of a class and a variable" 4 "$(grep -c ' of .* flux=.* T_END=' out)"
run 0 mastermind choose shock --over flux --set NX=32 --set T_END=.2 --quiet
grep -qE '^flux=(EFM|HLLC)Flux$' out || fail "the class that is chosen"
run 0 mastermind sweep -D T_END=.02,.05,.1 --vary mesh.config.patch_nx=8,16 --repeat 1 -o patches -- \
    ccafe -D NX=32 -D NY=8 -D PATCH=0 -D FLUX=EFMFlux -D PICTURE=p.png "$root/scripts/shock-demo.rc"
run 0 mastermind choose patches --over mesh.config.patch_nx --set T_END=.2 --quiet
grep -qE '^mesh.config.patch_nx=(8|16)$' out || fail "the parameter that is chosen"
for flavour in openmpi mpich; do
    case $BUILD in asan | tsan) break ;; esac
    [ -e "$O/lib/libcca_$flavour.so" ] && command -v "mpirun.$flavour" >/dev/null || continue
    run 0 mastermind sweep -D NX=16,32,64 --ranks 1,2 --repeat 1 --launcher "$root/tests/lib/mpirun.sh $flavour %n" \
        -o ranks -- ccafe -D FLUX=EFMFlux -D NY=8 -D PATCH=8 -D T_END=.02 -D PICTURE=p.png "$root/scripts/shock-demo.rc"
    run 0 mastermind choose ranks --over ranks --set NX=64
    holds out 'choice: ranks='
    run 0 mastermind choose ranks --over NX --ranks 2
    holds out 'at ranks=2: TIME of runs with each value'
    expect 2 "--ranks 2: its value is chosen, --over ranks" mastermind choose ranks --over ranks --ranks 2 --set NX=64
    break
done

# --- Refusals
expect 2 "--ranks with --over: this sweep is of a command" mastermind choose sw --over how --set n=1 --ranks 2
expect 2 "NX varied and is not set: --set NX=VALUE" mastermind choose shock --over flux --set T_END=.2
expect 2 "n varied and is not set: --set n=VALUE" mastermind choose sw --over how
expect 2 "--over: 'hwo' is no axis of the sweep; did you mean 'how'?" mastermind choose sw --over hwo --set n=1
expect 2 "--over: 'how' twice" mastermind choose sw --over how,how --set n=1
expect 2 "--set how=linear: its value is chosen, --over how" mastermind choose sw --over how --set how=linear
expect 2 "expected one directory of a sweep" mastermind choose sw/run-001.mm --over how
expect 2 "--slot with --over, which ranks values of a sweep" mastermind choose sw --over how --slot x
expect 2 "--check without --over" mastermind choose sw --check true
run 1 mastermind sweep -D n=1,2 -D how=wrong,flawed --repeat 1 --check false -o bad -- ./work '{n}' '{how}'
expect 1 "no choice: no value has a finished run" mastermind choose bad --over how --set n=3
finish
