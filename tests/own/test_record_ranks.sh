#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# `mastermind record --library` and --functions behind mpirun: one report, of all ranks, also where a
# rank ends late; the exit status is the program's.
. "$(dirname "$0")/../lib/mpi.sh"
skip_sanitized "no sanitizer bears what stands in front of it"
export XDG_CACHE_HOME=$dir/cache
cat > work.c <<'C'
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <zlib.h>
__attribute__((noinline)) static unsigned long work(int n)
{
    Bytef *s = calloc(1, n), *d = malloc(2 * n + 100);
    uLongf m = 2 * n + 100;
    compress2(d, &m, s, n, 6);
    free(s);
    free(d);
    return m;
}
int main(int count, char **words)
{
    int rank;
    unsigned long sum = 0;
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 1; i <= 10 + rank; i++)
        sum += work(10000 * i);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    if (rank)
        usleep(400000);
    else
        printf("%lu\n", sum);
    return count > 1 && !rank ? 4 : 0;
}
C
recorded() {
    "mpicc.$flavour" -O1 -finstrument-functions -o work ../work.c -lz || { fail "$flavour: mpicc"; return; }
    ranks 0 2 ./work
    cp out plain
    ranks 0 2 mastermind record --library z --functions work -- ./work
    cmp -s plain out || fail "$flavour: another result"
    equal "$flavour: reports" 1 "$(grep -c 'the rest' err)"
    equal "$flavour: experiments" work-1.mm "$(echo ./*.mm | sed 's#\./##g')"
    grep -q 'did not end in order' err && fail "$flavour: the report was early: $(cat err)"
    holds err 'in all, over all ranks'
    mastermind records work-1.mm > rows.csv
    equal "$flavour: calls of both ranks" "10 11" \
        "$(awk -F, '$7 == "work" { n[$1]++ } END { print n[0], n[1] }' rows.csv)"
    ranks bad 2 mastermind record --library z --functions work -o bad.mm -- ./work x
    holds err 'the rest'
    ranks 0 2 mastermind record --library z --no-report -o none.mm -- ./work
    equal "$flavour: reports with --no-report" 0 "$(grep -c 'the rest' err)"
}
under_each recorded "one report of all ranks"
