#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# mastermind search: it finds an injected late sender in its first run, ends when all is decided or the time
# is out, goes on after a kill, writes jobs, and refuses what it cannot do.
. "$(dirname "$0")/../lib/mpi.sh"
skip_sanitized "MPI leaks, and a sanitizer's run-time is in the way of preloading"
stages=$root/tests/tau_port/split
flavour=${flavours##* }

# The program: 40 times rank 1 waits 10 ms for rank 0, of which the library's function knows.
cat >late.c <<'END'
#include "stage.h"
#include <mpi.h>
int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    for (int i = 0; i < 40; i++)
        stage(0, 10);
    MPI_Finalize();
    return 0;
}
END
"mpicc.$flavour" -O1 -g -Wno-stringop-overflow -fPIC -shared -Wl,--defsym=stage_fortran_=0 -I"$stages" -o libstage.so "$stages/stage.c" || fail stage.c
"mpicc.$flavour" -O1 -g -I"$stages" -o late late.c -L. -lstage -Wl,-rpath,"$PWD" || fail late.c
run 0 proxygen --interpose "$stages/stage.h" --functions stage -o proxy
launcher="$root/tests/lib/mpirun.sh $flavour %n"
program="mastermind record --proxy $PWD/proxy -- ./late"

# --- The loop
# shellcheck disable=SC2086
mastermind search --ranks 2 --launcher "$launcher" --budget 8s -o found --why -- $program >out 2>err
status=$?
[ $status = 1 ] || fail "status $status: $(cat out err)"
grep -Eq "^   1      2  MPI_SPLIT, OPENMP, messages .* sure, first " out || fail "the first step: $(cat out)"
grep -q "ended: " out || fail "no end: $(cat out)"
mastermind properties found/run-001.mm --json >first.json
[ $? = 1 ] || fail "the first run alone"
python3 - first.json <<'END' || fail "the cause is not in the first run"
import json, sys
found = [f for f in json.load(open(sys.argv[1]))["findings"] if f["confident"]]
names = {(f["property"], f.get("region", "")) for f in found}
assert any(p == "LateSender" and "stage" in r for p, r in names), names
late = max(f["severity"] for f in found if f["property"] == "LateSender" and "stage" in f["region"])
assert .3 < late <= 1, late
END
awk 'length > 100' out | grep . && fail "wider than 100 columns"

# --- Going on: the same again makes no step twice
steps=$(grep -c '"state": "done"' found/search.json)
mastermind search -o found --budget 0.1s >again 2>err
[ "$(grep -c '"state": "done"' found/search.json)" = "$steps" ] || fail "steps were made anew"
grep -q "the budget has ended\|all is decided\|no further run is worth" again || fail "again: $(cat again err)"

# A search that is killed in a run
# shellcheck disable=SC2086
mastermind search --ranks 2 --launcher "$launcher" -o killed -- $program >out 2>err &
search=$!
for _ in $(seq 100); do
    [ -e killed/run-001.part ] && break
    sleep .05
done
kill -TERM $search
wait $search
[ $? = 143 ] || fail "killed: $(cat err)"
grep -q "'mastermind search -o killed' goes on" err || fail "killed: $(cat err)"
mastermind search -o killed --budget 2s >out 2>err
grep -Eq "^   1      2 .* sure, first " out || fail "after the kill: $(cat out err)"
mastermind search -o killed --budget 0.1s --json >out.json
fits search out.json
python3 - "$root" out.json <<'END' || fail "the document"
import json, sys
document = json.load(open(sys.argv[2]))
assert document["schema"] == "mastermind/search/1" and document["steps"][0]["state"] == "done", document
END

# --- Jobs
# shellcheck disable=SC2086
mastermind search --ranks 2 --launcher "$launcher" --slurm -o jobs -- $program >out || fail "jobs: $?"
grep -q "sbatch jobs/run-001.sh" out || fail "$(cat out)"
grep -q -- "--ntasks=2" jobs/run-001.sh || fail "$(cat jobs/run-001.sh)"
mastermind search -o jobs --slurm >out
grep -q "jobs have not ended" out || fail "$(cat out)"
bash jobs/run-001.sh >job 2>&1 || fail "the job: $(cat job)"
mastermind search -o jobs --budget 0.1s >out
grep -Eq "^   1      2 .* sure, first " out || fail "after the job: $(cat out)"

# --- A program without MPI, without a launcher: what it cannot be asked is not asked
cat >team.c <<'END'
#include <omp.h>
#include <unistd.h>
int main(void)
{
#pragma omp parallel num_threads(2)
    usleep(20000 * (omp_get_thread_num() + 1));
    return 0;
}
END
gcc -g -fopenmp -o team team.c || fail "team.c"
mastermind search --budget 5s -o alone -- mastermind record -- ./team >out 2>err
grep -Eq "^   1      1  OPENMP +[0-9.]+ m?s  " out && [ ! -s err ] || fail "without a launcher: $(cat out err)"
! grep -q "failed" out || fail "without a launcher: $(cat out)"

# --- What it refuses
refused() { # STATUS WORDS ARGUMENTS...
    local status=$1 words=$2
    shift 2
    mastermind search "$@" >out 2>err
    [ $? = "$status" ] || fail "$*: status, expected $status: $(cat err)"
    [ "$(wc -l <err)" = 1 ] && grep -q -- "$words" err || fail "$*: $(cat err)"
}
refused 2 "found no -o" -- ccafe x.rc
refused 2 "found no command" -o new
refused 2 "found no ccafe" -o new -- ./late
refused 2 "which the search chooses" -o new -- ccafe -o x x.rc
refused 2 "for --ranks" --ranks 1,two -o new -- ccafe x.rc
refused 2 "has another search" --ranks 4 -o found -- ccafe x.rc
refused 2 "is not empty" -o proxy -- ccafe x.rc
refused 2 "for --confidence" --confidence 2 -o new -- ccafe x.rc
echo '{' >jobs/search.json
refused 3 "is damaged" -o jobs
mastermind search --budget 5s -o fails -- ccafe no.rc >out 2>err
grep -q "two runs in a row failed" out || fail "runs that fail: $(cat out err)"
