/* SPDX-License-Identifier: BSD-3-Clause */
/* storm_shared.c: threads that send and receive on the same channels. MPI gives their
 * messages no order, so nobody can say which is the k-th; each must still come once. */
#include "tests/messages/programs/storm.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { TAG = 7, SIZE = 256, AT_ONCE = 8 };

struct shared_thread {
    const struct settings *settings;
    struct truth truth;
    MPI_Comm comm;
    int rank, ranks, failed;
};

static void send_one(struct shared_thread *t, struct numbers *n, unsigned char *buffer,
                     MPI_Request *request)
{
    const struct truth_channel c = {0, t->rank, (t->rank + 1) % t->ranks, TAG};
    const int size = TRUTH_HEADER + below(n, SIZE - TRUTH_HEADER);
    size_t sent;

    sent = truth_send(&t->truth, &c, size, "Isend", HERE, buffer);
    MPI_Isend(buffer, size, MPI_BYTE, c.to, TAG, t->comm, request);
    truth_send_ends(&t->truth, sent);
}

static void receive_one(struct shared_thread *t)
{
    unsigned char buffer[SIZE] = {0};
    struct truth_received r = {.site = HERE, .done_site = HERE, .kind = "Recv"};
    const struct truth_header *h;
    MPI_Status status;

    r.post_ns = r.enter_ns = truth_now();
    MPI_Recv(buffer, SIZE, MPI_BYTE, (t->rank + t->ranks - 1) % t->ranks, TAG, t->comm,
             &status);
    r.end_ns = r.last_ns = truth_now();
    MPI_Get_count(&status, MPI_BYTE, &r.size);
    h = truth_header_of(buffer, r.size);
    if (!h || !truth_right(&h->channel, h->k, r.size, buffer)) {
        t->failed = 1;
        return;
    }
    r.channel = h->channel;
    r.k = h->k;
    r.serial = h->serial;
    truth_receive(&t->truth, &r);
}

static void *shared_thread_run(void *argument)
{
    struct shared_thread *t = argument;
    const int total = t->settings->rounds * t->settings->messages;
    struct numbers n = {(uint64_t)t->settings->seed * 1000 + (uint64_t)t->truth.thread};
    unsigned char buffers[AT_ONCE][SIZE];
    MPI_Request requests[AT_ONCE];

    for (int done = 0; done < total; done += AT_ONCE) {
        for (int i = 0; i < AT_ONCE; i++)
            send_one(t, &n, buffers[i], &requests[i]);
        for (int i = 0; i < AT_ONCE; i++)
            receive_one(t);
        MPI_Waitall(AT_ONCE, requests, MPI_STATUSES_IGNORE);
    }
    return NULL;
}

static int thread_end(struct shared_thread *t)
{
    int failed = t->failed;

    if (t->settings->truth && truth_write(&t->truth, t->settings->truth))
        failed = 1;
    truth_done(&t->truth);
    return failed;
}

int shared_channels(const struct settings *s)
{
    struct shared_thread *threads = calloc((size_t)s->threads, sizeof *threads);
    pthread_t *ids = calloc((size_t)s->threads, sizeof *ids);
    int failed = !threads || !ids;

    for (int i = 0; i < s->threads && !failed; i++) {
        struct shared_thread *t = &threads[i];

        *t = (struct shared_thread){.settings = s, .comm = MPI_COMM_WORLD};
        MPI_Comm_rank(t->comm, &t->rank);
        MPI_Comm_size(t->comm, &t->ranks);
        truth_init(&t->truth, t->rank, i, 1);
        if (pthread_create(&ids[i], NULL, shared_thread_run, t)) {
            fprintf(stderr, "storm: no thread\n");
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
    }
    for (int i = 0; i < s->threads && !failed; i++)
        pthread_join(ids[i], NULL);
    for (int i = 0; i < s->threads && threads && ids; i++)
        failed |= thread_end(&threads[i]);
    free(threads);
    free(ids);
    return failed;
}
