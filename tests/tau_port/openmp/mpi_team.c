/* SPDX-License-Identifier: BSD-3-Clause */
/* mpi_team.c: ranks with teams. Rank r works with 4 threads for 20 (r + 1) ms a thread's
 * number, then meets the others. */
#include <mpi.h>
#include <omp.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int level, rank;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
#pragma omp parallel num_threads(4)
    usleep(20000 * (useconds_t)((rank + 1) * omp_get_thread_num()));
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
