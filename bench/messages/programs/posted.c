/* SPDX-License-Identifier: BSD-3-Clause */
/* posted.c: receives that are posted just in time, and how many come too late.
 *
 *   mpirun -n 2 posted [--rounds 100] [--messages 64] [--work-ns 2000]
 *
 * Rank 0 works and sends, again and again; rank 1 posts a receive, waits, works. In each
 * round rank 0 works longer by a margin; the margins take turns. As long as rank 1 needs
 * less time for a message than rank 0, each receive is posted before its message is sent.
 * What a measurement adds to the receiver counts against the margin; where it is used up,
 * messages are unexpected, and more of them are queued with each that comes.
 *
 * Each message carries the time just before it is sent, so the program knows by itself,
 * whatever measures it, which messages came before their receives. One line for each
 * margin, the medians over all rounds, so that rounds in which a rank lost its core do
 * not count:
 *
 *   margin NS unexpected SHARE queue MEAN latency_ns MEDIAN receiver_ns N
 *
 * queue: messages sent and not yet received when a receive is posted, the mean of a
 * round; receiver_ns: from one receive to the next, without the work, where messages
 * had been sent before. -1: there were none. Both ranks read one clock, so they must be
 * on one node. */
#include "bench/messages/programs/program.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BYTES = 64, MOST_MESSAGES = 4096, MOST_ROUNDS = 10000 };

static const int margins_ns[] = {-400, -200, 0,    100,  200,  300, 400,
                                 600,  800,  1200, 1600, 2400, 3200};
enum { MARGINS = sizeof margins_ns / sizeof *margins_ns };

enum { UNEXPECTED, QUEUE, LATENCY, RECEIVER, QUANTITIES };

static int rounds = 100, messages = 64, work_ns = 2000;
static double found[MARGINS][QUANTITIES][MOST_ROUNDS];
static int64_t sent[MOST_MESSAGES], posted[MOST_MESSAGES], ended[MOST_MESSAGES];

static int64_t now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

static void work(int ns)
{
    const int64_t until = now_ns() + ns;

    while (now_ns() < until)
        continue;
}

static void send_round(int pause_ns)
{
    char message[BYTES] = {0};
    int64_t start;

    for (int i = 0; i < messages; i++) {
        work(pause_ns);
        start = now_ns();
        memcpy(message, &start, sizeof start);
        MPI_Send(message, BYTES, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
    }
}

static int receive_round(void)
{
    char message[BYTES];
    MPI_Request request;
    int right = 1;

    for (int i = 0; i < messages; i++) {
        posted[i] = now_ns();
        MPI_Irecv(message, BYTES, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        ended[i] = now_ns();
        memcpy(&sent[i], message, sizeof sent[i]);
        right &= sent[i] <= ended[i] && (i == 0 || sent[i] > sent[i - 1]);
        work(work_ns);
    }
    return right;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double median(double *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, compare);
    return values[count / 2];
}

/* What a round was like; call it before the next. */
static void look_at_round(double *quantities[])
{
    static double latency[MOST_MESSAGES], receiver[MOST_MESSAGES];
    int late = 0, queued = 0, receiver_count = 0;

    for (int i = 0, first_unsent = 0; i < messages; i++) {
        while (first_unsent < messages && sent[first_unsent] < posted[i])
            first_unsent++;
        late += first_unsent > i;
        queued += first_unsent > i ? first_unsent - i : 0;
        latency[i] = (double)(ended[i] - sent[i]);
        if (i && first_unsent > i + 1) /* it need not wait */
            receiver[receiver_count++] = (double)(ended[i] - ended[i - 1] - work_ns);
    }
    *quantities[UNEXPECTED] = (double)late / messages;
    *quantities[QUEUE] = (double)queued / messages;
    *quantities[LATENCY] = median(latency, messages);
    *quantities[RECEIVER] = receiver_count ? median(receiver, receiver_count) : -1;
}

static int run_rounds(int rank)
{
    int right = 1;

    for (int r = 0; r < rounds; r++)
        for (int m = 0; m < MARGINS; m++) {
            double *quantities[QUANTITIES];

            MPI_Barrier(MPI_COMM_WORLD);
            if (rank == 0) {
                send_round(work_ns + margins_ns[m]);
                continue;
            }
            right &= receive_round();
            for (int q = 0; q < QUANTITIES; q++)
                quantities[q] = &found[m][q][r];
            look_at_round(quantities);
        }
    return right;
}

/* Rounds without the quantity have -1, and come first. */
static double median_known(double *values)
{
    int unknown = 0;

    qsort(values, (size_t)rounds, sizeof *values, compare);
    while (unknown < rounds && values[unknown] < 0)
        unknown++;
    return unknown < rounds ? values[(unknown + rounds) / 2] : -1;
}

static void print(void)
{
    for (int m = 0; m < MARGINS; m++)
        printf("margin %d unexpected %.4f queue %.3f latency_ns %.0f receiver_ns %.0f\n",
               margins_ns[m], median_known(found[m][UNEXPECTED]),
               median_known(found[m][QUEUE]), median_known(found[m][LATENCY]),
               median_known(found[m][RECEIVER]));
    fflush(stdout);
}

static int on_one_node(void)
{
    MPI_Comm node;
    int ranks;

    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_size(node, &ranks);
    MPI_Comm_free(&node);
    return ranks;
}

int main(int argc, char **argv)
{
    const struct program_option options[] = {
        {"rounds", &rounds, 1, MOST_ROUNDS},
        {"messages", &messages, 2, MOST_MESSAGES},
        {"work-ns", &work_ns, 1000, 1000000},
        {NULL, NULL, 0, 0},
    };
    int rank, ranks, together, right;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    program_options(argc, argv, options);
    together = on_one_node();
    if (ranks != 2 || together != 2) {
        if (rank == 0)
            fprintf(stderr, "posted: found %d ranks, %d on this node, expected 2 and 2\n",
                    ranks, together);
        MPI_Finalize();
        return 2;
    }
    right = run_rounds(rank);
    if (rank == 1)
        print();
    MPI_Barrier(MPI_COMM_WORLD);
    right = program_verdict("posted", right);
    MPI_Finalize();
    return right;
}
