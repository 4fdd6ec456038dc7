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
