#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# `mastermind sweep --over`: only the runs that decide which values cost least, against costs that are known by
# construction. Values differ by factors, and count by CPU time, so that a loud machine does not change the best one.
. "$(dirname "$0")/../lib/lib.sh"

cat >work.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* 2e5 x size x factors of solver and preconditioner additions; lu takes more from size 4 on; cg with none fails. */
int main(int argc, char **argv)
{
    const char *solvers[] = {"cg", "gmres", "bcgs", "richardson"}, *others[] = {"none", "ilu", "sor", "lu"};
    double factors[] = {1, 1.6, 2.5, 4}, factor[] = {4, 1, 2, .5}, size = strtod(argv[1], NULL), steps = 2e6 * size;
    volatile double sum = 0;
    for (int i = 0; i < 4; i++) {
        steps *= strcmp(argv[2], solvers[i]) == 0 ? factors[i] : 1;
        steps *= strcmp(argv[3], others[i]) == 0 ? factor[i] * (i == 3 && size >= 4 ? 6 : 1) : 1;
    }
    if (strcmp(argv[2], "cg") == 0 && strcmp(argv[3], "none") == 0)
        return fprintf(stderr, "diverged\n"), 1;
    for (long i = 0; i < (long)steps; i++)
        sum = sum + (double)i;
    return argc > 4;
}
END
$CC -O1 -o work work.c || fail compile

# choices: "size solver other" of the document, a line each
choices() {
    python3 -c 'import json
for v in json.load(open("out"))["choices"]["values"]:
    print(" ".join(v[k] for k in ("n", "solver", "pc")))'
}

solvers="-D solver=cg,gmres,bcgs,richardson -D pc=none,ilu,sor,lu"
# shellcheck disable=SC2086
run 0 mastermind sweep -D n=1,4 $solvers --repeat 20 --over solver,pc --metric CPU_TIME -o sw --json -- \
    ./work '{n}' '{solver}' '{pc}'
fits sweep out
equal "choices of both sizes" $'1 cg lu\n4 cg ilu' "$(choices | sort)"
python3 - <<'END' || fail "runs of a race"
import json
d = json.load(open("out"))
made = [r for r in d["runs"] if r["state"] != "open"]
assert d["choices"]["decided"] == d["choices"]["contexts"] == 2 and d["choices"]["regret"] <= .02, d["choices"]
assert len(d["runs"]) == 640 and len(made) <= 64, len(made)
for name in ("solver", "pc"):
    assert len({r["values"][name] for r in made}) == 4, name
dear = [r for r in made if r["values"]["solver"] == "richardson"]
assert len(dear) <= len(made) / 3, (len(dear), len(made))
END
# It is decided: nothing is run again
cp sw/runs.json before
run 0 mastermind sweep -o sw
cmp -s before sw/runs.json || fail "a decided race was run again"
holds out 'choice: n=4 solver=cg pc=ilu'
holds out '2 of 2 choices decided by CPU_TIME, by '
# shellcheck disable=SC2086
expect 2 "has another plan: its over" mastermind sweep -D n=1,4 $solvers --repeat 20 -o sw -- \
    ./work '{n}' '{solver}' '{pc}'

# --- A budget ends it undecided, and a larger one goes on
run 1 mastermind sweep -D pc=ilu,lu --repeat 20 --over pc --budget .01 --metric CPU_TIME -o short -- ./work 1 cg '{pc}'
run 0 mastermind sweep -o short
holds out 'choice: pc=lu'

# --- Elapsed time is the default: the one that sleeps loses
run 0 mastermind sweep -D s=0.01,0.5 --repeat 9 --over s -o sleeps -- sleep '{s}'
holds out 'choice: s=0.01'

# --- Classes of a script race, too
run 0 mastermind sweep -D NX=16,32 --class flux=EFMFlux,HLLCFlux,GodunovFlux --repeat 20 --over flux --metric CPU_TIME \
    -o classes --json -- ccafe -D NY=16 -D PATCH=16 -D T_END=.02 -D PICTURE= "$root/scripts/shock-demo.rc"
python3 - <<'END' || fail "a race of classes"
import json
d = json.load(open("out"))
assert d["choices"]["decided"] == 2 and {v["NX"] for v in d["choices"]["values"]} == {"16", "32"}, d["choices"]
assert sum(r["state"] == "done" for r in d["runs"]) < 60, len(d["runs"])
END

# --- Refusals
expect 2 "--over: 'hwo' is no axis, or is there twice; did you mean 'how'?" \
    mastermind sweep -D how=a,b --over hwo -o no -- echo '{how}'
expect 2 "--over: 'how' is no axis, or is there twice" mastermind sweep -D how=a,b --over how,how -o no -- echo '{how}'
expect 2 "--within without --over" mastermind sweep -D how=a,b --within .1 -o no -- echo '{how}'
expect 2 "'TIME' for --metric, expected WALL_TIME or CPU_TIME" \
    mastermind sweep -D how=a,b --over how --metric TIME -o no -- echo '{how}'
expect 2 "found --over with --shared or --slurm" \
    mastermind sweep -D how=a,b --over how --shared -o no -- echo '{how}'
finish
