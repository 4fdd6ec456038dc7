/* SPDX-License-Identifier: BSD-3-Clause */
/* ping_pong.c: one-way time of messages between two ranks, plain and through the
 * wrappers, in one run.
 *
 * Blocks of PMPI and of MPI calls take turns; each block is of 2 milliseconds or as said,
 * so that what the host does falls on both. A line is printed for each size: medians of
 * the blocks, and the median of the ratios of neighbours with its quartiles. What is
 * sampled says MASTERMIND_RECORD_MESSAGES (bench/messages/ping_pong.py starts the runs).
 */
#include <mpi.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BLOCKS = 4000 };

static double plain[MOST_BLOCKS], wrapped[MOST_BLOCKS], ratio[MOST_BLOCKS];
static char *in, *out;

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double quantile(double *values, int count, double q)
{
    qsort(values, (size_t)count, sizeof *values, compare);
    return values[(int)(q * (count - 1) + .5)];
}

#define BLOCK(name, Send, Recv)                                                          \
    static double name(int rank, int bytes, int trips)                                   \
    {                                                                                    \
        double start;                                                                    \
                                                                                         \
        PMPI_Barrier(MPI_COMM_WORLD);                                                    \
        start = PMPI_Wtime();                                                            \
        for (int i = 0; i < trips; i++) {                                                \
            if (rank == 0) {                                                             \
                Send(out, bytes, MPI_BYTE, 1, 1, MPI_COMM_WORLD);                        \
                Recv(in, bytes, MPI_BYTE, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);      \
            } else {                                                                     \
                Recv(in, bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);      \
                Send(out, bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD);                        \
            }                                                                            \
        }                                                                                \
        return (PMPI_Wtime() - start) / trips / 2 * 1e6;                                 \
    }

BLOCK(plain_us, PMPI_Send, PMPI_Recv)
BLOCK(wrapped_us, MPI_Send, MPI_Recv)

static void measure(int rank, int bytes, int blocks, int block_us)
{
    double once = plain_us(rank, bytes, 200);
    int trips;

    once = plain_us(rank, bytes, 200);
    PMPI_Bcast(&once, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    trips = (int)(block_us / (2 * once));
    trips = trips < 2 ? 2 : trips;
    wrapped_us(rank, bytes, trips);
    for (int i = 0; i < blocks; i++) {
        int first = i & 1; /* neither is always second */

        for (int j = 0; j < 2; j++)
            if (first == j)
                plain[i] = plain_us(rank, bytes, trips);
            else
                wrapped[i] = wrapped_us(rank, bytes, trips);
        ratio[i] = wrapped[i] / plain[i];
    }
    if (rank == 0)
        printf("%d %.5f %.5f %.5f %.5f %.5f %.5f %.5f\n", bytes,
               quantile(plain, blocks, .1), quantile(wrapped, blocks, .1),
               quantile(plain, blocks, .5), quantile(wrapped, blocks, .5),
               quantile(ratio, blocks, .25), quantile(ratio, blocks, .5),
               quantile(ratio, blocks, .75));
}

int main(int argc, char **argv)
{
    int rank, size, blocks = argc > 1 ? atoi(argv[1]) : 200, block_us = 2000, most = 4;
    const char *colon = argc > 1 ? strchr(argv[1], ':') : NULL;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (colon)
        block_us = atoi(colon + 1);
    if (size != 2 || argc < 3 || blocks < 1 || blocks > MOST_BLOCKS || block_us < 1) {
        if (rank == 0)
            fprintf(stderr,
                    "usage: mpirun -n 2 ping_pong BLOCKS[:MICROSECONDS] BYTES...  "
                    "(BLOCKS: 1 to %d, of 2000 us each)\n",
                    MOST_BLOCKS);
        MPI_Finalize();
        return 2;
    }
    for (int i = 2; i < argc; i++)
        most = atoi(argv[i]) > most ? atoi(argv[i]) : most;
    in = calloc(1, (size_t)most);
    out = calloc(1, (size_t)most);
    if (!in || !out)
        MPI_Abort(MPI_COMM_WORLD, 5);
    for (int i = 2; i < argc; i++)
        measure(rank, atoi(argv[i]), blocks, block_us);
    free(in);
    free(out);
    MPI_Finalize();
    return 0;
}
