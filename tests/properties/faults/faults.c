/* SPDX-License-Identifier: BSD-3-Clause */
/* faults.c: a program with one fault of a known size, on any number of ranks.
 *
 *   mpirun -n N faults KIND MICROSECONDS ITERATIONS EXTRA
 *
 * Each iteration every rank works for MICROSECONDS and all wait for each other. EXTRA is
 * the fault, in microseconds an iteration: clean        none slow         the last rank
 * works for so much longer linear       rank i works for i / (N - 1) of it longer
 *   alternating  another rank works longer in each iteration
 *   serial       rank 0 works for it alone
 *   reduction    as slow, but all meet in a reduction
 *   root         the root of a broadcast comes so much later
 *   sender       odd ranks send so much later
 *   receiver     even ranks receive so much later what is sent synchronously
 *   setup        rank 0 comes so much later to MPI_Comm_dup
 *   chatter      so many messages of a byte, one after the other
 *   locked       two threads work for it one after the other
 *   model        work is a sum of calls of nine sizes; the sixth costs so much more
 * Sleeping needs no core, so there may be more ranks than cores. Each rank prints what
 * its own clock says: "truth RANK FUNCTION SECONDS", and of the function `total` the time
 * from before MPI_Init to after MPI_Finalize. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "steps.h"

enum {
    WORK,
    SERIAL,
    AGREE,
    TOTAL,
    SPREAD,
    EXCHANGE,
    SETUP,
    CHATTER,
    LOCKED,
    SOLVE,
    COUNT
};

static const char *const names[COUNT] = {"work",   "serial",   "agree", "reduction",
                                         "spread", "exchange", "setup", "chatter",
                                         "locked", "solve"};
static double spent[COUNT];
static int rank, size, called[COUNT];

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#define TIMED(what, call)                                                                \
    do {                                                                                 \
        double before = now();                                                           \
        call;                                                                            \
        spent[what] += now() - before;                                                   \
        called[what] = 1;                                                                \
    } while (0)

static int is(const char *kind, const char *name)
{
    return strcmp(kind, name) == 0;
}

static int work_of(const char *kind, int us, int extra, int i)
{
    if (is(kind, "slow") || is(kind, "reduction"))
        return us + (rank == size - 1 ? extra : 0);
    if (is(kind, "linear") && size > 1)
        return us + extra * rank / (size - 1);
    if (is(kind, "alternating"))
        return us + (i % size == rank ? extra : 0);
    return us;
}

static void iterate(const char *kind, int us, int extra, int i)
{
    if (is(kind, "serial")) {
        if (rank == 0)
            TIMED(SERIAL, serial(extra));
        TIMED(AGREE, agree());
    }
    if (is(kind, "setup"))
        TIMED(SETUP, setup(extra));
    if (is(kind, "model"))
        for (int k = 0; k < 9; k++)
            TIMED(SOLVE, solve(10 * (k + 1), k == 5 ? extra : 0));
    else
        TIMED(WORK, work(work_of(kind, us, extra, i)));
    if (is(kind, "root"))
        TIMED(SPREAD, spread(extra));
    if (is(kind, "sender"))
        TIMED(EXCHANGE, exchange(extra, 0));
    if (is(kind, "receiver"))
        TIMED(EXCHANGE, exchange(extra, 1));
    if (is(kind, "chatter"))
        TIMED(CHATTER, chatter(extra));
    if (is(kind, "locked"))
        TIMED(LOCKED, locked(extra));
    if (is(kind, "reduction"))
        TIMED(TOTAL, total());
    else
        TIMED(AGREE, agree());
}

int main(int argc, char **argv)
{
    double start = now();
    int us;

    if (argc != 5)
        return 2;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    us = atoi(argv[2]);
    for (int i = 0; i < atoi(argv[3]); i++)
        iterate(argv[1], us, atoi(argv[4]), i);
    MPI_Finalize();
    for (int i = 0; i < COUNT; i++)
        if (called[i])
            printf("truth %d %s %.9f\n", rank, names[i], spent[i]);
    printf("truth %d total %.9f\n", rank, now() - start);
    return 0;
}
