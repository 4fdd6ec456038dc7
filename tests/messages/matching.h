/* SPDX-License-Identifier: BSD-3-Clause */
/* matching.h: which receive gets which message, by MPI's rules alone: for each process
 * and communicator a queue of posted receives and one of messages that nobody waited
 * for; messages between two processes arrive in order. Brute force: small numbers, lists
 * searched from the front. It knows nothing of what it tests. */
#ifndef TESTS_MESSAGES_MATCHING_H
#define TESTS_MESSAGES_MATCHING_H

#include <stdint.h>
#include <string.h>

enum { PROCESSES = 4, COMMS = 4, TAGS = 3, MOST = 512, ANY = -1 };

struct message {
    int comm, src, dst, tag; /* src, dst: processes */
    uint64_t k;              /* how many of its channel were sent before it */
    /* What the sender's engine has said. */
    int counted, sampled, dropped;
    uint64_t key;
    int halves; /* that came out at the receiver */
};

enum receive_state { PENDING, MATCHED, CANCELLED };

struct receive {
    int process, comm, source, tag; /* source: process or ANY */
    enum receive_state state;
    struct message *message; /* MATCHED */
};

struct list {
    void *of[MOST];
    int count;
};

struct machine {
    struct message messages[MOST];
    int message_count;
    struct list links[COMMS][PROCESSES][PROCESSES]; /* messages under way */
    struct list posted[COMMS][PROCESSES], unexpected[COMMS][PROCESSES];
    uint64_t sent[COMMS][PROCESSES][PROCESSES][TAGS],
        got[COMMS][PROCESSES][PROCESSES][TAGS];
};

static inline void list_add(struct list *list, void *entry)
{
    list->of[list->count++] = entry;
}

static inline void *list_take(struct list *list, int at)
{
    void *entry = list->of[at];

    list->count--;
    memmove(list->of + at, list->of + at + 1,
            (size_t)(list->count - at) * sizeof(void *));
    return entry;
}

static inline int message_fits(const struct message *m, int source, int tag)
{
    return (source == ANY || source == m->src) && (tag == ANY || tag == m->tag);
}

static inline struct message *machine_send(struct machine *machine, int comm, int src,
                                           int dst, int tag)
{
    struct message *m = &machine->messages[machine->message_count++];

    *m = (struct message){.comm = comm, .src = src, .dst = dst, .tag = tag};
    m->k = machine->sent[comm][src][dst][tag]++;
    list_add(&machine->links[comm][src][dst], m);
    return m;
}

static inline void machine_match(struct machine *machine, struct receive *r,
                                 struct message *m)
{
    r->state = MATCHED;
    r->message = m;
    machine->got[m->comm][m->src][m->dst][m->tag]++;
}

/* The first message of a link arrives. */
static inline void machine_deliver(struct machine *machine, int comm, int src, int dst)
{
    struct list *posted = &machine->posted[comm][dst];
    struct message *m = list_take(&machine->links[comm][src][dst], 0);

    for (int i = 0; i < posted->count; i++) {
        struct receive *r = posted->of[i];

        if (message_fits(m, r->source, r->tag)) {
            machine_match(machine, list_take(posted, i), m);
            return;
        }
    }
    list_add(&machine->unexpected[comm][dst], m);
}

/* The first message that is there and fits, or NULL. */
static inline struct message *machine_find(struct machine *machine, int process, int comm,
                                           int source, int tag)
{
    struct list *unexpected = &machine->unexpected[comm][process];

    for (int i = 0; i < unexpected->count; i++)
        if (message_fits(unexpected->of[i], source, tag))
            return list_take(unexpected, i);
    return NULL;
}

static inline void machine_post(struct machine *machine, struct receive *r)
{
    struct message *m = machine_find(machine, r->process, r->comm, r->source, r->tag);

    r->state = PENDING;
    r->message = NULL;
    if (m)
        machine_match(machine, r, m);
    else
        list_add(&machine->posted[r->comm][r->process], r);
}

/* 1: the receive is cancelled; 0: it has its message. */
static inline int machine_cancel(struct machine *machine, struct receive *r)
{
    struct list *posted = &machine->posted[r->comm][r->process];

    for (int i = 0; i < posted->count; i++)
        if (posted->of[i] == r) {
            list_take(posted, i);
            r->state = CANCELLED;
            return 1;
        }
    return 0;
}

#endif
