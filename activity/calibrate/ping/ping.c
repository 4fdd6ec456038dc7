/* SPDX-License-Identifier: BSD-3-Clause */
/* ping.c: measure LogGP parameters of two processes on one node. `activity calibrate`
 * starts this program on two ranks and reads its output: for each parameter a line "NAME
 * value low high", the median and quartiles of the rounds.
 *
 *   send     duration of MPI_Send of one byte
 *   receive  duration of MPI_Recv of a byte that has already arrived
 *   half     half of a round trip of one byte: send + latency + receive
 *   byte     the slope of half a round trip from 1 KiB to 64 KiB, or the eager limit
 *   gap      back-to-back messages of one byte: time per message, less send
 *   eager    the largest power of two (bytes) for which a send does not block */
#include <stdio.h>
#include <stdlib.h>

#include <mpi.h>

#include "common/statistics.h"

enum { ROUNDS = 41, TRIPS = 200, LARGEST = 1 << 22, PAUSES = 5 };

static char *message;
static int rank;

/* --- Statistics. --- */

static double print(const char *name, double *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, cca_order_double);
    if (rank == 0)
        printf("%s %.6g %.6g %.6g\n", name, cca_quantile(values, count, .5),
               cca_quantile(values, count, .25), cca_quantile(values, count, .75));
    return cca_quantile(values, count, .5);
}

/* --- Measurements. --- */

/* Measure half a round trip of a message, in seconds. */
static double half_trip(int bytes, int trips)
{
    double begin;

    MPI_Barrier(MPI_COMM_WORLD);
    begin = MPI_Wtime();
    for (int i = 0; i < trips; i++) {
        if (rank == 0)
            MPI_Send(message, bytes, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
        MPI_Recv(message, bytes, MPI_BYTE, 1 - rank, 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
        if (rank == 1)
            MPI_Send(message, bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
    }
    return (MPI_Wtime() - begin) / trips / 2;
}

static void pause_s(double seconds)
{
    double end = MPI_Wtime() + seconds;

    while (MPI_Wtime() < end)
        ;
}

/* Time a send whose receive is posted, then a receive of a message that has arrived. */
static void measure_overheads(double *sends, double *receives)
{
    static double own[TRIPS];

    for (int r = 0; r < ROUNDS; r++) {
        double begin = 0;

        for (int i = 0; i < TRIPS; i++) {
            MPI_Barrier(MPI_COMM_WORLD);
            begin = MPI_Wtime();
            if (rank == 0) {
                MPI_Send(message, 1, MPI_BYTE, 1, 2, MPI_COMM_WORLD);
                own[i] = MPI_Wtime() - begin;
            } else {
                pause_s(2e-5); /* pause until the message has arrived */
                begin = MPI_Wtime();
                MPI_Recv(message, 1, MPI_BYTE, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                own[i] = MPI_Wtime() - begin;
            }
        }
        qsort(own, TRIPS, sizeof *own,
              cca_order_double); /* the median, because in some rounds another program
                                  * gets the core */
        sends[r] = receives[r] = cca_quantile(own, TRIPS, .5);
        MPI_Bcast(&receives[r], 1, MPI_DOUBLE, 1, MPI_COMM_WORLD);
        MPI_Bcast(&sends[r], 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    }
}

static void measure_gap(double send, double *gaps)
{
    for (int r = 0; r < ROUNDS; r++) {
        double begin;

        MPI_Barrier(MPI_COMM_WORLD);
        begin = MPI_Wtime();
        for (int i = 0; i < TRIPS; i++)
            if (rank == 0)
                MPI_Send(message, 1, MPI_BYTE, 1, 3, MPI_COMM_WORLD);
            else
                MPI_Recv(message, 1, MPI_BYTE, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        gaps[r] = (MPI_Wtime() - begin) / TRIPS - send;
        gaps[r] = gaps[r] > 0 ? gaps[r] : 0;
        MPI_Bcast(&gaps[r], 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    }
}

/* Whether a send of `bytes` blocks until it is received. This is tried several times with
 * a receiver that is 10 ms late. */
static int does_wait(int bytes)
{
    int waits = 0;

    for (int i = 0; i < PAUSES; i++) {
        double begin;

        MPI_Barrier(MPI_COMM_WORLD);
        begin = MPI_Wtime();
        if (rank == 0) {
            MPI_Send(message, bytes, MPI_BYTE, 1, 4, MPI_COMM_WORLD);
            waits += MPI_Wtime() - begin > 9e-3;
        } else {
            pause_s(1e-2);
            MPI_Recv(message, bytes, MPI_BYTE, 0, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    }
    MPI_Bcast(&waits, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return waits == PAUSES;
}

static int measure_eager(void)
{
    int bytes = 256;

    while (bytes < LARGEST && !does_wait(2 * bytes))
        bytes *= 2;
    return bytes;
}

/* Time per byte, from two sizes on the same side of the eager limit. */
static void measure_byte(int eager, double *slopes)
{
    int large = eager < 65536 ? eager : 65536, small = large / 64;

    for (int r = 0; r < ROUNDS; r++) {
        double a = half_trip(small, TRIPS / 4), b = half_trip(large, TRIPS / 4);

        slopes[r] = b > a ? (b - a) / (large - small) : 0;
        MPI_Bcast(&slopes[r], 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    }
}

int main(int argc, char **argv)
{
    double values[ROUNDS], sends[ROUNDS], receives[ROUNDS], send, limits[1];
    int size, eager;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    message = calloc(1, LARGEST);
    if (size != 2 || !message) {
        fprintf(stderr, "found %d ranks, expected 2\n", size);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    half_trip(1, TRIPS);
    measure_overheads(sends, receives);
    send = print("send", sends, ROUNDS);
    print("receive", receives, ROUNDS);
    for (int r = 0; r < ROUNDS; r++) {
        values[r] = half_trip(1, TRIPS);
        MPI_Bcast(&values[r], 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    }
    print("half", values, ROUNDS);
    measure_gap(send, values);
    print("gap", values, ROUNDS);
    eager = measure_eager();
    limits[0] = eager;
    print("eager", limits, 1);
    measure_byte(eager, values);
    print("byte", values, ROUNDS);
    free(message);
    return MPI_Finalize();
}
