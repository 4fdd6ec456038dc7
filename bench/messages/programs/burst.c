/* SPDX-License-Identifier: BSD-3-Clause */
/* burst.c: a phase of computing, then a burst of sends, again and again.
 *
 *   mpirun -n 2 burst [--bursts 1000] [--sends 16] [--compute-us 1000]
 *
 * Rank 0 computes for a while and sends a burst to rank 1, all on one channel. So message
 * k has place k % sends in its burst: which places a strategy samples can be read off the
 * serials of its samples. */
#include "bench/messages/programs/program.h"

#include <mpi.h>
#include <stdio.h>

static int bursts = 1000, sends = 16, compute_us = 1000;

static void compute(void)
{
    const double until = MPI_Wtime() + 1e-6 * compute_us;

    while (MPI_Wtime() < until)
        continue;
}

static void send_bursts(void)
{
    int message[2];

    for (message[0] = 0; message[0] < bursts; message[0]++) {
        compute();
        for (message[1] = 0; message[1] < sends; message[1]++)
            MPI_Send(message, 2, MPI_INT, 1, 1, MPI_COMM_WORLD);
    }
}

static int receive_bursts(void)
{
    int message[2], right = 1;

    for (int b = 0; b < bursts; b++)
        for (int i = 0; i < sends; i++) {
            MPI_Recv(message, 2, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            right &= message[0] == b && message[1] == i;
        }
    return right;
}

int main(int argc, char **argv)
{
    const struct program_option options[] = {
        {"bursts", &bursts, 1, 1000000},
        {"sends", &sends, 1, 1000},
        {"compute-us", &compute_us, 0, 1000000},
        {NULL, NULL, 0, 0},
    };
    int rank, ranks, status, right = 1;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    program_options(argc, argv, options);
    if (ranks != 2) {
        if (rank == 0)
            fprintf(stderr, "burst: found %d ranks, expected 2\n", ranks);
        MPI_Finalize();
        return 2;
    }
    if (rank == 0)
        send_bursts();
    else
        right = receive_bursts();
    status = program_verdict("burst", right);
    MPI_Finalize();
    return status;
}
