#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# record --metrics NAME=FILE and ENERGY: counters in files, which the program itself writes:
# counts of outermost calls are what it added, also where the counter begins anew.
. "$(dirname "$0")/../lib/lib.sh"
skip_sanitized "a sanitizer cannot be preloaded"
export XDG_CACHE_HOME=$dir/cache

cat > meter.c <<'C'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static long now = 900, range;
static const char *path;
static void add(long more) { FILE *f = fopen(path, "w"); now += more; if (range && now > range) now -= range; fprintf(f, "%ld\n", now); fclose(f); }
__attribute__((noinline)) void inner(long n) { add(n); }
__attribute__((noinline)) void solve(long n) { add(n * n); inner(7); }
int main(int count, char **words)
{
    path = words[1];
    range = count > 2 ? atol(words[2]) : 0;
    add(0);
    if (chdir("/")) return 1; /* the file is found all the same */
    for (long n = 1; n <= 12; n++) { solve(n); add(5); }
    return 4;
}
C
gcc -O1 -g -o meter meter.c || exit 1
check() { # check EXPERIMENT COUNTER
    mastermind records "$1" > rows || fail "no rows of $1"
    python3 - "$2" <<'P' || fail "counts of $1"
import csv, sys
name, solves = sys.argv[1], {}
for row in csv.DictReader(open("rows")):
    value = row["c." + name]
    if row["method"] == "solve":
        assert int(value) == int(row["p.n"]) ** 2 + 7 == int(row["x." + name]), row # inner belongs to it
    elif row["method"] == "inner":
        assert value == "", row
P
}
counter=$dir/counter
echo 900 > counter
run 4 mastermind record --functions solve,inner --metrics "work=counter:J,CPU_TIME" -o m.mm -- ./meter "$counter"
check m.mm work
grep -qx 'work: 794 J in the whole run' err || fail "the whole run" # 650 + 12 * 12
run 0 mastermind report m.mm --metric work --json
grep -q '"unit": "J"' out || fail "its unit"
run 0 mastermind model m.mm --metric work
grep -q 'n^2' out || fail "its law"
echo 900 > counter
run 4 mastermind record --functions solve,inner --no-report --metrics "work=counter:J" -o again.mm -- ./meter "$counter"
run 0 mastermind diff --metric work m.mm -- again.mm

# --- it begins anew at its range, as counters of powercap
mkdir -p cap/intel-rapl:0/intel-rapl:0:0 cap/intel-rapl:0:0 cap/intel-rapl:1
for zone in intel-rapl:0 intel-rapl:0:0 intel-rapl:1; do echo 900 > cap/$zone/energy_uj; done
echo package-0 > cap/intel-rapl:0/name
echo core > cap/intel-rapl:0:0/name
echo psys > cap/intel-rapl:1/name
echo 1000 > cap/intel-rapl:0/max_energy_range_uj
export MM_POWERCAP=$dir/cap
run 4 mastermind record --functions solve,inner --metrics ENERGY -o e.mm -- ./meter "$dir/cap/intel-rapl:0/energy_uj" 1000
check e.mm ENERGY_0
grep -qx 'ENERGY_0: 794 uJ in the whole run' err || fail "energy of the whole run"
grep -q ENERGY_1 err && fail "psys counts twice"

# --- nothing to read, or no number
export MM_POWERCAP=$dir/none
run 4 mastermind record --functions solve --metrics ENERGY -o n.mm -- ./meter "$counter"
run 3 mastermind report n.mm --metric ENERGY
grep -q 'no counter of energy can be read' err || fail "the reason is missing"
echo text > word
expect 3 "cannot read a whole number in 'word'" mastermind record --functions solve --metrics w=word -o w.mm -- ./meter "$counter"
expect 3 "cannot read a whole number in 'absent'" mastermind record --functions solve --metrics w=absent -o w.mm -- ./meter "$counter"
expect 2 "expected NAME=FILE" mastermind record --functions solve --metrics 'a b=word' -o w.mm -- ./meter "$counter"
# a file that goes away during the run: cells are empty, never 0
cat > gone.c <<'C'
#include <unistd.h>
__attribute__((noinline)) void before(int n) { usleep((unsigned)n); }
__attribute__((noinline)) void after(int n) { usleep((unsigned)n); }
int main(int count, char **words) { (void)count; before(1); unlink(words[1]); after(1); return 0; }
C
gcc -O1 -g -o gone gone.c || exit 1
run 0 mastermind record --functions before,after --metrics g=counter -o g.mm -- ./gone counter
mastermind records g.mm > rows
python3 - <<'P' || fail "a file that is gone"
import csv
assert {r["method"]: r["c.g"] for r in csv.DictReader(open("rows"))} == {"before": "0", "after": ""}
P
grep -q "^g: not known, " err || fail "the whole run without its file"

# --- the table of a whole run
echo 900 > counter
run 4 mastermind record --metrics "work=counter" -- ./meter "$counter"
grep -qx 'work: 794 count in the whole run' err || fail "a run without functions"
finish
