/* SPDX-License-Identifier: BSD-3-Clause */
/* steps.c: work and MPI. */
#include "steps.h"

#include <errno.h>
#include <mpi.h>
#include <time.h>

static void sleep_us(int microseconds)
{
    struct timespec left = {.tv_sec = microseconds / 1000000,
                            .tv_nsec = microseconds % 1000000 * 1000L};

    while (nanosleep(&left, &left) && errno == EINTR)
        continue;
}

int work(int microseconds)
{
    sleep_us(microseconds);
    return 0;
}

int serial(int microseconds)
{
    sleep_us(microseconds);
    return 0;
}

int agree(void)
{
    return MPI_Barrier(MPI_COMM_WORLD);
}

int total(void)
{
    double mine = 1, all;

    return MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

int spread(int microseconds)
{
    double value = 1;
    int rank;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        sleep_us(microseconds);
    return MPI_Bcast(&value, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
}

int exchange(int microseconds, int large)
{
    static double values[65536];
    int rank, size, count = large ? 65536 : 1;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank % 2 != large && !(rank % 2 == 0 && rank + 1 == size))
        sleep_us(microseconds);
    if (rank % 2)
        return large ? MPI_Ssend(values, count, MPI_DOUBLE, rank - 1, 1, MPI_COMM_WORLD)
                     : MPI_Send(values, count, MPI_DOUBLE, rank - 1, 1, MPI_COMM_WORLD);
    if (rank + 1 < size)
        return MPI_Recv(values, count, MPI_DOUBLE, rank + 1, 1, MPI_COMM_WORLD,
                        MPI_STATUS_IGNORE);
    return 0;
}

int setup(int microseconds)
{
    MPI_Comm comm;
    int rank, error;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        sleep_us(microseconds);
    error = MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    return error ? error : MPI_Comm_free(&comm);
}

int chatter(int count)
{
    int rank, size, error = 0;
    char byte = 0;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < count && !error; i++) {
        if (rank % 2)
            error = MPI_Sendrecv_replace(&byte, 1, MPI_CHAR, rank - 1, 1, rank - 1, 1,
                                         MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        else if (rank + 1 < size)
            error = MPI_Sendrecv_replace(&byte, 1, MPI_CHAR, rank + 1, 1, rank + 1, 1,
                                         MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    return error;
}

int locked(int microseconds)
{
#pragma omp parallel num_threads(2)
    {
#pragma omp critical
        sleep_us(microseconds);
    }
    return 0;
}

int solve(int n, int extra)
{
    sleep_us(100 * n + extra);
    return 0;
}
