/* SPDX-License-Identifier: BSD-3-Clause */
/* faults.c: a program with one fault of a known size, on any number of ranks.
 *
 *   mpirun -n N faults KIND MICROSECONDS ITERATIONS EXTRA
 *
 * Each iteration every rank works for MICROSECONDS and all wait for each other. EXTRA is the
 * fault, in microseconds an iteration:
 *   clean      none
 *   slow       the last rank works for so much longer
 *   linear     rank i works for i / (N - 1) of it longer
 *   serial     rank 0 works for it alone
 *   reduction  as slow, but all meet in a reduction
 *   root       the root of a broadcast comes so much later
 *   sender     odd ranks send so much later
 *   receiver   even ranks receive so much later what is sent synchronously
 * Sleeping needs no core, so there may be more ranks than cores. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "steps.h"

static int rank, size;

static int is(const char *kind, const char *name)
{
    return strcmp(kind, name) == 0;
}

static void iterate(const char *kind, int us, int extra)
{
    int last = rank == size - 1, more = 0;

    if (is(kind, "slow") || is(kind, "reduction"))
        more = last ? extra : 0;
    if (is(kind, "linear") && size > 1)
        more = extra * rank / (size - 1);
    if (is(kind, "serial") && rank == 0)
        serial(extra);
    if (is(kind, "serial"))
        agree();
    work(us + more);
    if (is(kind, "root"))
        spread(extra);
    if (is(kind, "sender"))
        exchange(extra, 0);
    if (is(kind, "receiver"))
        exchange(extra, 1);
    if (is(kind, "reduction"))
        total();
    else
        agree();
}

int main(int argc, char **argv)
{
    if (argc != 5)
        return 2;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < atoi(argv[3]); i++)
        iterate(argv[1], atoi(argv[2]), atoi(argv[4]));
    MPI_Finalize();
    return 0;
}
