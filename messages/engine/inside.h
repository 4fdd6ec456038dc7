/* SPDX-License-Identifier: BSD-3-Clause */
/* inside.h: state of the engine, shared by its files. */
#ifndef MESSAGES_ENGINE_INSIDE_H
#define MESSAGES_ENGINE_INSIDE_H

#include <sched.h>

#include "messages/engine/engine.h"
#include "messages/engine/hash.h"

enum {
    MM_POSTS = 64,  /* limit of threads that post receives at the same time */
    MM_RING = 1024, /* requests that are remembered in case they are cancelled */
    MM_TAINTS = 8,  /* limit of pending receives of a communicator that were freed */
    /* channels in the table of hot.h: that many for sends, and for receives */
    MM_HOT = 64,
    MM_QUEUE = 65536 /* limit of uncertain receives of a communicator */
};

/* One end of a channel. */
struct mm_channel {
    /* entry of the channel in the file, for readers: each counter is stored whole and
     * never read back, so that the entry may be copied and mapped elsewhere meanwhile */
    struct mm_messages_channel *entry;
    /* messages, their bytes and the samples among them so far; `count` is also the
     * next serial */
    uint64_t count, bytes, sampled;
    int32_t peer, tag;
    uint32_t flags; /* reasons why the channel is unverified; accessed with __atomic */
    struct mm_comm *comm;
    /* hash of the channel, from which keys of its messages are computed */
    uint64_t hash;
    uint64_t next;   /* next serial that may be a sample; no serial between `count` and it
                      * is a sample */
    uint32_t inside; /* number of threads between mm_engine_send and mm_engine_sent */
    /* number of times that a thread entered while another thread was inside */
    uint32_t order;
    uint64_t disordered; /* 1 + the last serial that two threads may have swapped */
    uint32_t side;
};

/* Slot of a hash table with open addressing; a slot without a channel is free. */
struct mm_channel_slot {
    /* comm: the communicator's id; envelope: peer and tag of the channel */
    uint64_t comm, envelope;
    struct mm_channel *channel;
};

struct mm_channel_table {
    struct mm_channel_slot *slots;
    size_t mask, used;
};

/* Source and tag of a freed uncertain receive: the messages that it could have taken. */
struct mm_taint {
    int32_t source, tag;
};

struct mm_comm {
    uintptr_t handle;
    uint64_t id, children, collectives;
    const int32_t *processes; /* process of each rank; NULL: rank i is process i */
    int size;
    unsigned flags;
    struct mm_receive *first, *last; /* the queue of uncertain receives */
    /* Each receive is also in one of two further lists, in the same order: pending
     * receives with wildcards, and receives whose channel is known. */
    struct mm_kin {
        struct mm_receive *first, *last;
    } wild, exact;
    /* sequence: number of receives queued so far; waiting: number in the queue */
    uint64_t sequence, waiting;
    int has_channels;
    struct mm_taint taints[MM_TAINTS];
    int taint_count;
    struct mm_comm *next; /* next struct in the list of unused communicators */
};

/* A post of a receive in progress, if there are several threads. */
struct mm_post {
    struct mm_comm *comm; /* communicator of the post; NULL: the entry is free */
    int32_t source, tag;
    int disordered;
};

struct mm_followed_slot {
    uintptr_t request;
    struct mm_receive *receive; /* receive of the request; NULL: the slot is free */
};

struct mm_remembered {
    uintptr_t request;
    /* channel of the receive; NULL: not counted, or followed meanwhile */
    struct mm_channel *channel;
    uint64_t k;
};

/* Result of the last lookup of a channel. */
struct mm_hot {
    uintptr_t handle;
    uint64_t envelope;          /* rank in the communicator, and tag */
    struct mm_channel *channel; /* the channel found; NULL: the entry is free */
};

/* Processes by rank; communicators with the same processes share one group. */
struct mm_group {
    struct mm_group *next;
    uint64_t hash;
    int size;
    int32_t processes[];
};

struct mm_piece {
    _Alignas(64) struct mm_piece *next;
    size_t bytes;
};

struct mm_engine {
    /* Members used for each message. */
    /* recently used channels, by side; used by hot.h only */
    struct mm_hot hot[2][MM_HOT];
    /* communicator that the last lookup found; accessed with __atomic */
    struct mm_comm *last_comm;
    struct mm_channel_table sends, receives;
    uint64_t threshold;         /* a send whose key is below this value is a sample;
                                 * mm_engine_set_p changes it */
    uint64_t receive_threshold; /* threshold of the request: receivers keep the records of
                                 * all keys below it */
    double p, p_asked;
    int strategy, sampling, locked, lock;
    int plain; /* 1: strategy P and one thread at a time, so hot.h may be used */
    size_t following;

    uint64_t seed, collective_threshold;
    int process, tsc;
    /* Used by strategy C (counter) and strategy T (timer) only. */
    uint64_t random, left, next_ticks;
    double period, variance, ns_per_tick;

    struct mm_comm **comms; /* hash table of communicators by handle, open addressing */
    size_t comm_mask, comm_used;
    struct mm_comm *free_comms;
    struct mm_followed_slot *followed;
    size_t followed_mask;
    struct mm_receive *ready, *free_receives;
    struct mm_remembered ring[MM_RING];
    uint64_t ring_next;
    struct mm_post posts[MM_POSTS];
    /* number of entries of `posts` that may be in use: all later ones are free */
    int post_count;
    int post_hidden; /* posts in progress for which there was no room */
    int together; /* 1: calls of one thread are treated like calls of several threads */
    struct mm_group *maps;
    struct {
        uint64_t key, count;
    } * groups;
    size_t group_mask, group_used;

    struct mm_messages_channel *(*channel_new)(void *context);
    void *context;
    struct mm_piece *pieces; /* list of all memory that the engine has mapped */
    char *free_bytes;
    size_t free_left;
};

/* Whether calls may be in progress whose order is undefined, because several threads or
 * one MPI_Startall make them. */
static inline int mm_engine_several(const struct mm_engine *e)
{
    return e->locked || e->together;
}

static inline void mm_engine_lock(struct mm_engine *e)
{
    if (!e->locked)
        return;
    for (int spins = 0; __atomic_exchange_n(&e->lock, 1, __ATOMIC_ACQUIRE); spins++)
        if (spins & 64)
            sched_yield();
}

static inline void mm_engine_unlock(struct mm_engine *e)
{
    if (e->locked)
        __atomic_store_n(&e->lock, 0, __ATOMIC_RELEASE);
}

/* memory.c: map zeroed memory that lives as long as the engine; NULL: none. */
void *mm_engine_map(struct mm_engine *e, size_t bytes);
/* like mm_engine_map, for small pieces */
void *mm_engine_take(struct mm_engine *e, size_t bytes);
void mm_engine_unmap(struct mm_engine *e);

/* comm.c */
static inline unsigned mm_comm_has(const struct mm_comm *comm, unsigned flags)
{
    return __atomic_load_n(&comm->flags, __ATOMIC_RELAXED) & flags;
}

static inline int mm_comm_process(const struct mm_comm *c, int rank)
{
    return c->processes ? c->processes[rank] : rank;
}

/* comm.c: switch a communicator off: its serials are no longer known. */
void mm_comm_off(struct mm_engine *e, struct mm_comm *comm);

/* Store the counters of a channel, here and in the entry for readers. */
static inline void mm_channel_counts(struct mm_channel *channel, uint64_t count)
{
    channel->count = count;
    __atomic_store_n(&channel->entry->count, count, __ATOMIC_RELAXED);
}

static inline void mm_channel_adds(struct mm_channel *channel, uint64_t bytes)
{
    channel->bytes += bytes;
    __atomic_store_n(&channel->entry->bytes, channel->bytes, __ATOMIC_RELAXED);
}

/* channel.c: find or make a channel; NULL: there is no room, and the communicator is
 * switched off. */
struct mm_channel *mm_channel_find(struct mm_engine *e, struct mm_comm *comm, int side,
                                   int32_t peer, int32_t tag);
/* Set channel->next to the first serial after `k` that may be a sample. */
void mm_channel_looks_ahead(struct mm_channel *channel, uint64_t k, uint64_t threshold);
/* Whether the message with serial `k` and this key is a sample. Also finds the next
 * sample in advance. */
static inline int mm_channel_chooses(struct mm_channel *channel, uint64_t k, uint64_t key,
                                     uint64_t threshold)
{
    if (k < channel->next)
        return 0;
    if (threshold > UINT64_MAX / 4) /* with many samples the search in advance saves
                                     * nothing */
        channel->next = k + 1;
    else
        mm_channel_looks_ahead(channel, k, threshold);
    return mm_hash_chosen(key, threshold);
}
void mm_channel_flag(struct mm_channel *channel, unsigned why);
/* Flag all channels of the communicator whose id is in `entry`. */
void mm_channel_flag_comm(struct mm_engine *e, uint64_t comm, unsigned why);

/* followed.c: receives by their requests. */
static inline size_t mm_followed_place(uintptr_t request, size_t mask)
{
    uint64_t x = (uint64_t)request * MM_HASH_STEP;

    return (size_t)(x >> 32) & mask;
}

/* The slot of a request, or the free slot for it; e->followed is not NULL. */
static inline struct mm_followed_slot *mm_followed_slot(const struct mm_engine *e,
                                                        uintptr_t request)
{
    size_t at = mm_followed_place(request, e->followed_mask);

    while (e->followed[at].receive && e->followed[at].request != request)
        at = (at + 1) & e->followed_mask;
    return &e->followed[at];
}

static inline struct mm_receive *mm_followed_find(const struct mm_engine *e,
                                                  uintptr_t request)
{
    return e->followed ? mm_followed_slot(e, request)->receive : NULL;
}

/* Follow a receive by its request. Returns 0; -1: no memory. */
int mm_followed_put(struct mm_engine *e, struct mm_receive *r, uintptr_t request);
void mm_followed_remove(struct mm_engine *e, uintptr_t request);
static inline void mm_ring_put(struct mm_engine *e, uintptr_t request,
                               struct mm_channel *channel, uint64_t k)
{
    struct mm_remembered *entry = &e->ring[e->ring_next++ % MM_RING];

    entry->request = request;
    entry->channel = channel;
    entry->k = k;
}
/* The latest entry of a request in the ring; NULL: there was none, or it was
 * overwritten. */
struct mm_remembered *mm_ring_find(struct mm_engine *e, uintptr_t request);

/* queue.c */
struct mm_receive *mm_receive_new(struct mm_engine *e);
/* Free a receive. A second call for the same receive would make the list of free ones a
 * cycle. */
static inline void mm_receive_free(struct mm_engine *e, struct mm_receive *r)
{
    if (__builtin_expect(r->freed, 0))
        return;
    r->freed = 1;
    r->next = e->free_receives;
    e->free_receives = r;
}
/* Append a receive to its communicator's queue. Returns 0; -1: the queue is full. */
int mm_queue_append(struct mm_receive *r);
/* Remove a receive without a message from the queue; later receives may become
 * certain. */
void mm_queue_leave(struct mm_engine *e, struct mm_receive *r);
/* A receive has taken a message with this source and tag or, if it is exact, will take
 * one. Assign serials to all receives whose serial is now determined. */
void mm_queue_complete(struct mm_engine *e, struct mm_receive *r, int32_t source,
                       int32_t tag);
/* Whether a pending receive with wildcards, posted before `sequence`, could take this
 * message. */
int mm_queue_blocks(const struct mm_comm *comm, uint64_t sequence, int32_t source,
                    int32_t tag);
/* Assign the next serial of a channel. */
static inline void mm_receive_count(struct mm_engine *e, struct mm_channel *channel,
                                    struct mm_counted *counted)
{
    uint64_t k = channel->count;

    counted->channel = channel;
    counted->k = k;
    counted->key = mm_hash_key(channel->hash, k);
    counted->sampled =
        mm_channel_chooses(channel, k, counted->key, e->receive_threshold) &&
        !mm_comm_has(channel->comm, MM_COMM_UNORDERED);
    counted->p = 0;
    mm_channel_counts(channel, k + 1);
}
/* Set the fields of a record that name the message, as mm_engine_half does. */
static inline void mm_half_name(const struct mm_engine *e,
                                const struct mm_counted *counted, int side,
                                struct mm_messages_half *half)
{
    const struct mm_channel *channel = counted->channel;
    int sends = side == MM_MESSAGES_SEND;

    half->key = counted->key;
    half->comm = channel->comm->id;
    half->k = counted->k;
    half->src = sends ? e->process : channel->peer;
    half->dst = sends ? channel->peer : e->process;
    half->tag = channel->tag;
    half->side = (uint16_t)side;
    if (__atomic_load_n(&channel->flags, __ATOMIC_RELAXED))
        half->flags |= MM_HALF_UNVERIFIED;
}
/* Finish a complete receive whose serial is known: mm_engine_next will return it, or it
 * is freed if it is no sample. */
void mm_receive_finish(struct mm_engine *e, struct mm_receive *r);
/* Set the fields of a receive's record that depend on its serial, which is known now. */
void mm_receive_name(struct mm_engine *e, struct mm_receive *r);

/* receive.c */
/* Forget the request of a receive, since the request is complete or gone. */
void mm_receive_unfollow(struct mm_engine *e, struct mm_receive *r);
/* Give up a receive whose end will not be seen. */
void mm_receive_give_up(struct mm_engine *e, struct mm_receive *r, unsigned why);
struct mm_receive *mm_receive_certain(struct mm_engine *e,
                                      const struct mm_counted *counted);

/* strategy.c: decide whether a send is a sample. */
void mm_strategy_start(struct mm_engine *e, const struct mm_message_request *request);
int mm_strategy_draws(struct mm_engine *e);

/* Whether two receives, given by source and tag, could take the same message. */
static inline int mm_envelopes_overlap(int32_t source_a, int32_t tag_a, int32_t source_b,
                                       int32_t tag_b)
{
    return (source_a == source_b || source_a == MM_ANY_SOURCE ||
            source_b == MM_ANY_SOURCE) &&
           (tag_a == tag_b || tag_a == MM_ANY_TAG || tag_b == MM_ANY_TAG);
}

/* Whether `a` takes every message that `b` takes. */
static inline int mm_envelope_covers(int32_t source_a, int32_t tag_a, int32_t source_b,
                                     int32_t tag_b)
{
    return (source_a == source_b || source_a == MM_ANY_SOURCE) &&
           (tag_a == tag_b || tag_a == MM_ANY_TAG);
}

#endif
