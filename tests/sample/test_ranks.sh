#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# One table for all ranks of MPI, behind the launcher and before it: it adds up over the ranks, and has the times that
# the ranks measure themselves; output and status are those of the program.
. "$(dirname "$0")/../lib/mpi.sh"
skip_sanitized "sanitizers change where the time goes"
cat > ranks.c <<'C'
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
static volatile double sink;
__attribute__((noinline)) static void solve(int n)
{
    double s = 1;
    for (int i = 0; i < n; i++)
        s = s * .999 + 1. / (s + i);
    sink = s;
}
__attribute__((noinline)) static void assemble(int n)
{
    double s = 1;
    for (int i = 0; i < n; i++)
        s = s * .998 + 1. / (s + i);
    sink = s;
}
int main(int argc, char **argv)
{
    int rank;
    double begin, spent[2] = {0}, all[2];
    char *memory = NULL;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1)
        memset(memory = malloc(80 << 20), 1, 80 << 20);
    for (int i = 0; i < 100 * (rank + 1); i++) {
        begin = now(); solve(200000); spent[0] += now() - begin;
        begin = now(); assemble(50000); spent[1] += now() - begin;
    }
    sink = memory ? memory[5] : 0;
    MPI_Reduce(spent, all, 2, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (!rank)
        printf("solve %g assemble %g\n", all[0], all[1]);
    printf("mine %d %g\n", rank, spent[0] + spent[1]);
    fflush(stdout);
    MPI_Finalize();
    return argc > 1 && rank == 2 ? atoi(argv[1]) : 0;
}
C
cat > check.py <<'P'
import re, sys
out, text = open("out").read(), open(sys.argv[1]).read()
mine = {int(r): 1000 * float(s) for r, s in re.findall(r"^mine (\d) (\S+)$", out, re.M)}
true = dict(zip(("solve", "assemble"), (1000 * float(s) for s in re.search(r"solve (\S+) assemble (\S+)", out).groups())))
assert sorted(mine) == [0, 1, 2], out
assert text.count("in all\n") == 1 and text.count("3 ranks of ranks: ") == 1, text
assert len(text.splitlines()) <= 30 and max(map(len, text.splitlines())) <= 110, text
def ms(words):
    number, unit = words.replace(",", "").split()
    return float(number) * {"s": 1000, "ms": 1, "us": .001}[unit]
lines = text.splitlines()
first = next(i for i, line in enumerate(lines) if line.endswith("where"))
column = lines[first].index("CPU ms") + 6
files, total, rows = 0, None, {}
for line in lines[first + 1:]:
    if not line:
        break
    value = float(line[:column].split()[-1].replace(",", ""))
    name = line[lines[first].index("where"):]
    if name == "in all":
        total = value
    elif name.startswith("  "):
        rows[name.split()[0]] = (value, float(line.split()[1]) / max(float(line.split()[0]), .1))
    else:
        files += value
assert abs(files - total) < .01 * total, (files, total)
for name in true:  # three half-widths, and the host's own work
    value, half = rows[name]
    assert abs(value - true[name]) < (3 * half + .04) * true[name], (name, value, half, true)
found = re.search(r"max/mean ([\d.]+); rank (\d) ([\d.,]+ \w+), mean ([\d.,]+ \w+), least rank (\d) ([\d.,]+ \w+)", text)
factor, most, most_ms, mean_ms, least, least_ms = found.groups()
assert (most, least) == ("2", "0"), text
# outside of MPI are also the start of the program and its libraries
mean = sum(mine.values()) / 3
assert abs(ms(most_ms) - mine[2]) < .12 * mine[2] + 40, (most_ms, mine)
assert abs(ms(mean_ms) - mean) < .12 * mean + 40, (mean_ms, mine)
assert abs(ms(least_ms) - mine[0]) < .2 * mine[0] + 40, (least_ms, mine)
assert abs(float(factor) - mine[2] / mean) < .15, (factor, mine)
peak, rank = re.search(r"peak memory ([\d.]+) MiB \(rank (\d)\)", text).groups()
assert rank == "1" and 80 < float(peak) < 160, text
P
cp ranks.c check.py "$dir" 2>/dev/null
one_flavour() {
    cp ../ranks.c ../check.py .
    "mpicc.$flavour" -O2 -g -o ranks ranks.c || fail "cannot compile"
    launch="$root/tests/lib/mpirun.sh $flavour 3"
    $launch ./ranks 3 >alone 2>/dev/null
    ended=$?
    run $ended $launch mastermind ./ranks 3
    grep -q '^no samples: ' err && skip "no samples here: $(cat err)"
    run 0 $launch mastermind ./ranks
    python3 check.py err || fail "behind $flavour: $(cat out err)"
    [ -z "$(sed -n 's/^next, behind the launcher: //p' err)" ] || {
        run 0 sh -c "$launch $(sed -n 's/^next, behind the launcher: //p' err)"
        grep -q 'ranks.function.solve' err || fail "next: $(cat err)"
    }
    run $ended mastermind $launch ./ranks 3
    python3 check.py <(sed -n '/^3 ranks of/,$p' err) || fail "$flavour, one rank fails: $(cat out err)"
    run 0 mastermind record -o kept.mm -- $launch ./ranks
    python3 check.py err || fail "before $flavour: $(cat out err)"
    mv err printed
    mv out own
    run 0 mastermind report kept.mm
    diff printed out || fail "report of the kept run differs"
    # the next command records the ranks
    grep -q '^next: ' printed || return 0
    run 0 sh -c "$(sed -n 's/^next: //p' printed)"
    grep -q 'ranks.function.solve' err || fail "next: $(cat printed err)"
}
under_each one_flavour "One table of all ranks"
