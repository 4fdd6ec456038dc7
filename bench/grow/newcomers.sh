#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# How long it takes a newcomer, from the installed package to a law of a program of their own: commands and seconds.
#
#   newcomers.sh [PREFIX]
#
# PREFIX: where `make install` put the package; else it is installed into a folder first (which is not counted). Three
# paths in new folders, with nothing in the environment but PATH and HOME: a C program, a Python script, an MPI
# program. Each command is counted, also the compiler's. A path fails that has no scaling function in the end. CPU time
# is that of all commands: elapsed time is longer where others use the machine.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
prefix=${1:-}
if [ -z "$prefix" ]; then
    prefix=$place/prefix
    make -s -C "$root" install PREFIX="$prefix" >/dev/null || exit 2
fi

commands=0
# type COMMAND: what the newcomer types, in a clean environment
type_command() {
    commands=$((commands + 1))
    env -i PATH="$prefix/bin:/usr/bin:/bin" HOME="$place" bash -c "$1" >>out 2>&1
}
# path NAME COMMAND...: the last one prints the law
path() {
    local name=$1 start end status=0 law cpu
    shift
    commands=0
    times >before
    start=$(date +%s%N)
    for command; do
        type_command "$command" || status=$?
    done
    end=$(date +%s%N)
    times >after # the last line is of the children: user, system
    cpu=$(awk -v now="$(tail -n 1 after)" -v before="$(tail -n 1 before)" 'function s(t) { split(t, p, /[ms ]+/); return 60 * p[1] + p[2] + 60 * p[3] + p[4] }
        BEGIN { printf "%.1f", s(now) - s(before) }')
    law=$(sed -n 's/^CPU time  *//p' out | tail -n 1)
    [ -n "$law" ] || status=1
    printf '%-14s commands %d  elapsed %5.1f s  CPU %5.1f s  %s\n' "$name" $commands "$(((end - start) / 1000000))e-3" \
        "$cpu" "${law:-no scaling function}"
    [ $status = 0 ] || { echo "$name: status $status" && tail -n 20 out; } >&2
    [ $status = 0 ] || failed=1
}
failed=0

mkdir "$place/c" && cd "$place/c" || exit 2
cat >heat.c <<'END'
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 100;
    double *u = calloc((size_t)n * n, sizeof *u), *v = calloc((size_t)n * n, sizeof *v);
    for (int step = 0; step < n / 2; step++) {
        for (int i = 1; i < n - 1; i++)
            for (int k = 1; k < n - 1; k++)
                v[i * n + k] = .25 * (u[i * n + k - 1] + u[i * n + k + 1] + u[i * n - n + k] + u[i * n + n + k]) + 1;
        double *w = u;
        u = v, v = w;
    }
    printf("%g\n", u[n / 2 * n + n / 2]);
    return 0;
}
END
path "C" "gcc -O2 -g -o heat heat.c" "mastermind grow -n 150,200,300,400,600,800 -- ./heat '{n}'"

mkdir "$place/python" && cd "$place/python" || exit 2
cat >pairs.py <<'END'
import random, sys
n = int(sys.argv[1])
random.seed(1)
points = [(random.random(), random.random()) for _ in range(n)]
print(sum(1 for i, (x, y) in enumerate(points) for a, b in points[:i] if (x - a) ** 2 + (y - b) ** 2 < .01))
END
path "Python" "mastermind grow -n 250,375,500,750,1000,1500 -- python3 pairs.py '{n}'"

if command -v mpicc >/dev/null && command -v mpirun >/dev/null; then
    mkdir "$place/mpi" && cd "$place/mpi" || exit 2
    cat >matrix.c <<'END'
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 100, rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    double *a = malloc(sizeof *a * n * n), sum = 0, total;
    for (int i = 0; i < n * n; i++)
        a[i] = i % 7;
    for (int i = rank; i < n; i += size)
        for (int k = 0; k < n; k++)
            for (int l = 0; l < n; l++)
                sum += a[i * n + l] * a[l * n + k];
    MPI_Reduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%g\n", total);
    return MPI_Finalize();
}
END
    root_words=
    # mpirun of Open MPI refuses root without these words; a newcomer is not root
    [ "$(id -u)" != 0 ] || ! mpirun --version | grep -q 'Open MPI' || root_words=' --allow-run-as-root'
    path "MPI, 2 ranks" "mpicc -O2 -g -o matrix matrix.c" \
        "mastermind grow -n 160,220,320,450,640 -- mpirun$root_words -n 2 ./matrix '{n}'"
fi
exit $failed
