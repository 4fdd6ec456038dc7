/* SPDX-License-Identifier: BSD-3-Clause */
/* dies.c: a rank that kills itself after calls of MPI whose number is known: dies RANK
 * ROUNDS [inside|aborts|hangs]. The others wait for it. With `inside` it dies in a
 * reduction's own operation; with `aborts` it calls MPI_Abort; with `hangs` it does
 * nothing any more. */
#include <mpi.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void operation(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)in;
    (void)inout;
    (void)count;
    (void)type;
    raise(SIGKILL);
}

static void die(const char *how)
{
    int one = 1, two = 2;
    MPI_Op op;

    if (how && strcmp(how, "aborts") == 0)
        MPI_Abort(MPI_COMM_WORLD, 3);
    usleep(100000); /* the others wait by now */
    if (how && strcmp(how, "inside") == 0) {
        MPI_Op_create(operation, 1, &op);
        MPI_Reduce_local(&one, &two, 1, MPI_INT, op);
    }
    while (how && strcmp(how, "hangs") == 0)
        pause();
    raise(SIGKILL);
}

int main(int argc, char **argv)
{
    int who = argc > 1 ? atoi(argv[1]) : 0, rounds = argc > 2 ? atoi(argv[2]) : 0, rank,
        sum;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < rounds; i++)
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == who)
        die(argc > 3 ? argv[3] : NULL);
    MPI_Barrier(MPI_COMM_WORLD);
    return MPI_Finalize();
}
