/* SPDX-License-Identifier: BSD-3-Clause */
/* sleeps.c: late senders and late receivers, late by known lengths of time.
 *
 *   mpirun -n N sleeps SEED [--messages N] [--most-us N] [--truth PREFIX]
 *
 * Ranks 2i and 2i + 1 exchange messages (100); both compute from the seed who sends the
 * next one, how, who sleeps before it, and how long (up to --most-us, 1000 by default).
 * Tags say what happens:
 *   1  late sender, small, MPI_Recv          2  late sender, small, MPI_Irecv and
 * MPI_Wait 3  late sender, large, MPI_Recv          4  late receiver, large, MPI_Recv 5
 * late receiver, large, MPI_Irecv       6  nobody is late on purpose, small Large ones
 * are sent by MPI_Ssend, whose sender waits for the receiver.
 *
 * With --truth: PREFIX.RANK.0 as in truth.h, and PREFIX.waits.RANK with a line for each
 * channel that the rank receives by:
 *   wait LABEL FROM TO TAG MESSAGES LATE_SENDER_NS LATE_RECEIVER_NS SLEPT_NS
 * LATE_SENDER_NS is the sum of max(0, min(send, end) - enter) by the times in the
 * payloads, enter and end being those of the completing call; LATE_RECEIVER_NS that of
 * max(0, post - send), for large messages alone; SLEPT_NS what the sleeper was asked to
 * sleep. Exit 0: each message came as sent; 1: not so; 2: a wrong word. */
#include "tests/messages/programs/truth.h"

#include <errno.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SMALL = 512, LARGE = 300000, TAGS = 6 };
enum { LATE_RECV = 1, LATE_WAIT, LATE_LARGE, RECEIVER_RECV, RECEIVER_WAIT, IN_TIME };

struct waits {
    long long messages, late_sender_ns, late_receiver_ns, slept_ns;
};

static struct truth truth;
static struct waits waits[TAGS + 1];
static unsigned char *buffer;
static int rank, peer, messages = 100, most_us = 1000, wrong;
static const char *prefix;

/* splitmix64 (G. L. Steele, D. Lea, C. H. Flood, OOPSLA 2014), the same on both ranks of
 * a pair */
static uint64_t next_number(uint64_t *state)
{
    uint64_t x = *state += 0x9e3779b97f4a7c15;

    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
}

static void sleep_ns(uint64_t ns)
{
    struct timespec left = {.tv_sec = (time_t)(ns / 1000000000),
                            .tv_nsec = (long)(ns % 1000000000)};

    while (nanosleep(&left, &left) && errno == EINTR)
        continue;
}

static int is_large(int tag)
{
    return tag >= LATE_LARGE && tag <= RECEIVER_WAIT;
}

static void send_one(int tag, int size, uint64_t length_ns)
{
    const struct truth_channel c = {0, rank, peer, tag};
    size_t sent;

    if (tag <= LATE_LARGE)
        sleep_ns(length_ns);
    if (is_large(tag)) {
        sent = truth_send(&truth, &c, size, "Ssend", HERE, buffer);
        MPI_Ssend(buffer, size, MPI_BYTE, peer, tag, MPI_COMM_WORLD);
    } else {
        sent = truth_send(&truth, &c, size, "Send", HERE, buffer);
        MPI_Send(buffer, size, MPI_BYTE, peer, tag, MPI_COMM_WORLD);
    }
    truth_send_ends(&truth, sent);
}

static void receive_blocking(struct truth_received *r)
{
    r->kind = "Recv";
    r->site = r->done_site = HERE;
    r->post_ns = r->enter_ns = truth_now();
    MPI_Recv(buffer, LARGE, MPI_BYTE, peer, r->channel.tag, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
    r->end_ns = r->last_ns = truth_now();
}

static void receive_later(struct truth_received *r)
{
    MPI_Request request;

    r->kind = "Irecv";
    r->site = HERE;
    r->post_ns = truth_now();
    MPI_Irecv(buffer, LARGE, MPI_BYTE, peer, r->channel.tag, MPI_COMM_WORLD, &request);
    r->done_site = HERE;
    r->enter_ns = truth_now();
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    r->end_ns = r->last_ns = truth_now();
}

static void add_waits(const struct truth_received *r, uint64_t send_ns,
                      uint64_t length_ns)
{
    struct waits *w = &waits[r->channel.tag];
    const uint64_t until = send_ns < r->end_ns ? send_ns : r->end_ns;

    w->messages++;
    w->late_sender_ns += until > r->enter_ns ? (long long)(until - r->enter_ns) : 0;
    if (is_large(r->channel.tag) && r->post_ns > send_ns)
        w->late_receiver_ns += (long long)(r->post_ns - send_ns);
    w->slept_ns += r->channel.tag == IN_TIME ? 0 : (long long)length_ns;
}

static void receive_one(int tag, int size, uint64_t length_ns)
{
    struct truth_received r = {.channel = {0, peer, rank, tag}, .size = size};
    const struct truth_header *h;

    if (tag == RECEIVER_RECV || tag == RECEIVER_WAIT)
        sleep_ns(length_ns);
    if (tag == LATE_WAIT || tag == RECEIVER_WAIT)
        receive_later(&r);
    else
        receive_blocking(&r);
    r.k = truth_next(&truth, &r.channel, 1);
    h = truth_header_of(buffer, size);
    if (!h || !truth_right(&r.channel, r.k, size, buffer)) {
        wrong = 1;
        return;
    }
    r.serial = h->serial;
    truth_receive(&truth, &r);
    add_waits(&r, h->start_ns, length_ns);
}

static int write_waits(void)
{
    char path[4096];
    FILE *file;

    snprintf(path, sizeof path, "%s.waits.%d", prefix, rank);
    file = fopen(path, "w");
    if (!file) {
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
        return -1;
    }
    for (int tag = 1; tag <= TAGS; tag++)
        if (waits[tag].messages)
            fprintf(file, "wait 0 %d %d %d %lld %lld %lld %lld\n", peer, rank, tag,
                    waits[tag].messages, waits[tag].late_sender_ns,
                    waits[tag].late_receiver_ns, waits[tag].slept_ns);
    return fclose(file);
}

static void exchange_all(uint64_t seed)
{
    uint64_t state = seed * 1000003 + (uint64_t)(rank / 2);

    for (int i = 0; i < messages; i++) {
        const int even_sends = (int)(next_number(&state) & 1);
        const int tag = 1 + (int)(next_number(&state) % TAGS);
        const int extra = (int)(next_number(&state) % 256);
        const uint64_t length_ns = 1000 * (next_number(&state) % (uint64_t)most_us + 1);
        const int size = is_large(tag) ? LARGE - extra : TRUTH_HEADER + extra;

        if (even_sends == (rank % 2 == 0))
            send_one(tag, size, length_ns);
        else
            receive_one(tag, size, length_ns);
    }
}

/* Returns the index of the first wrong word, or 0. */
static int read_words(int argc, char **argv, long long *seed)
{
    char *end = NULL;

    if (argc < 2)
        return argc;
    *seed = strtoll(argv[1], &end, 10);
    if (end == argv[1] || *end || *seed < 0)
        return 1;
    for (int i = 2; i < argc; i += 2) {
        int *number = !strcmp(argv[i], "--messages")  ? &messages
                      : !strcmp(argv[i], "--most-us") ? &most_us
                                                      : NULL;

        if (i + 1 == argc || (!number && strcmp(argv[i], "--truth")))
            return i;
        if (!number) {
            prefix = argv[i + 1];
            continue;
        }
        *number = (int)strtol(argv[i + 1], &end, 10);
        if (end == argv[i + 1] || *end || *number < 1)
            return i + 1;
    }
    return 0;
}

int main(int argc, char **argv)
{
    long long seed = 0;
    const int wrong_word = read_words(argc, argv, &seed);
    int ranks, any_wrong = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (wrong_word || ranks % 2) {
        if (rank == 0 && wrong_word)
            fprintf(stderr,
                    "found '%s', expected SEED [--messages N] [--most-us N] [--truth "
                    "PREFIX]\n",
                    wrong_word < argc ? argv[wrong_word] : "");
        else if (rank == 0)
            fprintf(stderr, "found %d ranks, expected an even number\n", ranks);
        MPI_Finalize();
        return 2;
    }
    peer = rank ^ 1;
    buffer = calloc(1, LARGE);
    if (!buffer)
        MPI_Abort(MPI_COMM_WORLD, 1);
    truth_init(&truth, rank, 0, 0);
    MPI_Barrier(MPI_COMM_WORLD);
    exchange_all((uint64_t)seed);
    if (prefix && (truth_write(&truth, prefix) || write_waits()))
        wrong = 1;
    MPI_Allreduce(&wrong, &any_wrong, 1, MPI_INT, MPI_LOR, MPI_COMM_WORLD);
    if (rank == 0)
        printf("sleeps: %s\n", any_wrong ? "WRONG" : "verified");
    truth_done(&truth);
    free(buffer);
    MPI_Finalize();
    return any_wrong;
}
