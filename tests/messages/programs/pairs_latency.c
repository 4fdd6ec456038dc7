/* SPDX-License-Identifier: BSD-3-Clause */
/* pairs_latency.c: the latency of each message, by the program that exchanges them.
 *
 *   mpirun -n N pairs_latency [--size N] [--messages N] [--stream] [--truth PREFIX]
 *
 * Ranks 2i and 2i + 1 exchange messages of --size bytes (56, the least, by default),
 * --messages in each direction (10000): each in answer to another, or with --stream 32 at
 * once one way by MPI_Isend, received by MPI_Irecv and MPI_Waitany. Latency is from
 * before the call that sends, in the payload, to after the call that completes the
 * receive. Rank 0 prints for all ranks: latency_ns SIZE messages N mean N p50 N p90 N p99
 * N max N With --truth: PREFIX.RANK.0 as in truth.h. Exit 0: each message came as sent,
 * in order; 1: not so; 2: a wrong word. */
#include "tests/messages/programs/truth.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WINDOW = 32, TAG = 4, MESSAGES_MOST = 1000000, SIZE_MOST = 1 << 24 };

static struct truth truth;
static unsigned char *buffers;
static int rank, peer, size = TRUTH_HEADER, messages = 10000, stream, wrong;
static long long *latencies; /* of what this rank received */
static int latency_count;
static const char *prefix;

static unsigned char *buffer(int i)
{
    return buffers + (size_t)i * (size_t)size;
}

static void note_received(struct truth_received *r, const unsigned char *payload)
{
    const struct truth_header *h = truth_header_of(payload, size);

    if (!h || !truth_right(&r->channel, r->k, size, payload)) {
        wrong = 1;
        return;
    }
    latencies[latency_count++] = (long long)(r->end_ns - h->start_ns);
    r->size = size;
    r->serial = h->serial;
    truth_receive(&truth, r);
}

static void send_one(void)
{
    const struct truth_channel c = {0, rank, peer, TAG};
    size_t sent;

    sent = truth_send(&truth, &c, size, "Send", HERE, buffer(0));
    MPI_Send(buffer(0), size, MPI_BYTE, peer, TAG, MPI_COMM_WORLD);
    truth_send_ends(&truth, sent);
}

static void receive_one(void)
{
    struct truth_received r = {.channel = {0, peer, rank, TAG}, .kind = "Recv"};

    r.k = truth_next(&truth, &r.channel, 1);
    r.site = r.done_site = HERE;
    r.post_ns = r.enter_ns = truth_now();
    MPI_Recv(buffer(1), size, MPI_BYTE, peer, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    r.end_ns = r.last_ns = truth_now();
    note_received(&r, buffer(1));
}

static void ping_pong(void)
{
    for (int i = 0; i < messages; i++) {
        if (rank % 2 == 0)
            send_one();
        receive_one();
        if (rank % 2)
            send_one();
    }
}

static void send_window(int count)
{
    const struct truth_channel c = {0, rank, peer, TAG};
    MPI_Request requests[WINDOW];
    size_t sent;

    for (int i = 0; i < count; i++) {
        sent = truth_send(&truth, &c, size, "Isend", HERE, buffer(i));
        MPI_Isend(buffer(i), size, MPI_BYTE, peer, TAG, MPI_COMM_WORLD, &requests[i]);
        truth_send_ends(&truth, sent);
    }
    MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
}

static void receive_window(int count)
{
    struct truth_received all[WINDOW];
    MPI_Request requests[WINDOW];

    for (int i = 0; i < count; i++) {
        all[i] =
            (struct truth_received){.channel = {0, peer, rank, TAG}, .kind = "Irecv"};
        all[i].k = truth_next(&truth, &all[i].channel, 1);
        all[i].post_ns = truth_now();
        all[i].site = HERE;
        MPI_Irecv(buffer(i), size, MPI_BYTE, peer, TAG, MPI_COMM_WORLD, &requests[i]);
    }
    for (int i = 0; i < count; i++) {
        const uint64_t enter_ns = truth_now();
        const char *site = HERE;
        int index;

        MPI_Waitany(count, requests, &index, MPI_STATUS_IGNORE);
        all[index].end_ns = all[index].last_ns = truth_now();
        all[index].enter_ns = enter_ns;
        all[index].done_site = site;
    }
    for (int i = 0; i < count; i++)
        note_received(&all[i], buffer(i));
}

/* One way, then the other. */
static void streams(void)
{
    for (int way = 0; way < 2; way++)
        for (int done = 0; done < messages; done += WINDOW) {
            const int count = messages - done < WINDOW ? messages - done : WINDOW;

            if (rank % 2 == way)
                send_window(count);
            else
                receive_window(count);
        }
}

static int by_size(const void *a, const void *b)
{
    const long long x = *(const long long *)a, y = *(const long long *)b;

    return (x > y) - (x < y);
}

static void print_latencies(int ranks)
{
    const int count = ranks * messages;
    long long *all = NULL, sum = 0;

    if (rank == 0 && !(all = malloc((size_t)count * sizeof *all)))
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Gather(latencies, messages, MPI_LONG_LONG, all, messages, MPI_LONG_LONG, 0,
               MPI_COMM_WORLD);
    if (rank)
        return;
    qsort(all, (size_t)count, sizeof *all, by_size);
    for (int i = 0; i < count; i++)
        sum += all[i];
    printf("latency_ns %d messages %d mean %lld p50 %lld p90 %lld p99 %lld max %lld\n",
           size, count, sum / count, all[count / 2], all[count * 9LL / 10],
           all[count * 99LL / 100], all[count - 1]);
    free(all);
}

/* Returns the index of the first wrong word, or 0. */
static int read_words(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        const int is_size = !strcmp(argv[i], "--size");
        char *end = NULL;
        long value;

        if (!strcmp(argv[i], "--stream")) {
            stream = 1;
            continue;
        }
        if (i + 1 == argc ||
            (!is_size && strcmp(argv[i], "--messages") && strcmp(argv[i], "--truth")))
            return i;
        if (!strcmp(argv[i], "--truth")) {
            prefix = argv[++i];
            continue;
        }
        value = strtol(argv[++i], &end, 10);
        if (end == argv[i] || *end || value < (is_size ? TRUTH_HEADER : 1) ||
            value > (is_size ? SIZE_MOST : MESSAGES_MOST))
            return i;
        *(is_size ? &size : &messages) = (int)value;
    }
    return 0;
}

static void end_wrong(const char *found)
{
    if (rank == 0)
        fprintf(stderr,
                "found %s, expected an even number of ranks, [--size %d..%d] [--messages "
                "1..%d] "
                "[--stream] [--truth PREFIX]\n",
                found, TRUTH_HEADER, SIZE_MOST, MESSAGES_MOST);
    MPI_Finalize();
    exit(2);
}

int main(int argc, char **argv)
{
    const int wrong_word = read_words(argc, argv);
    int ranks, any_wrong = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (wrong_word || ranks % 2)
        end_wrong(wrong_word ? argv[wrong_word] : "an odd number of ranks");
    peer = rank ^ 1;
    buffers = calloc(WINDOW, (size_t)size);
    latencies = calloc((size_t)messages, sizeof *latencies);
    if (!buffers || !latencies)
        MPI_Abort(MPI_COMM_WORLD, 1);
    truth_init(&truth, rank, 0, 0);
    MPI_Barrier(MPI_COMM_WORLD);
    if (stream)
        streams();
    else
        ping_pong();
    if (prefix && truth_write(&truth, prefix))
        wrong = 1;
    wrong |= latency_count != messages;
    print_latencies(ranks);
    MPI_Allreduce(&wrong, &any_wrong, 1, MPI_INT, MPI_LOR, MPI_COMM_WORLD);
    if (rank == 0)
        printf("pairs_latency: %s\n", any_wrong ? "WRONG" : "verified");
    truth_done(&truth);
    free(buffers);
    free(latencies);
    MPI_Finalize();
    return any_wrong;
}
