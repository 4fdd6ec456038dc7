/* SPDX-License-Identifier: BSD-3-Clause */
/* inside.h: what the files of the engine share. */
#ifndef MESSAGES_ENGINE_INSIDE_H
#define MESSAGES_ENGINE_INSIDE_H

#include <sched.h>

#include "messages/engine/engine.h"
#include "messages/engine/hash.h"

enum {
    MM_POSTS = 64,   /* threads that post at once */
    MM_RING = 1024,  /* requests remembered for a cancel */
    MM_TAINTS = 8,   /* receives freed under way, of a communicator */
    MM_HOT = 64,     /* channels in reach of hot.h, of a side */
    MM_QUEUE = 65536 /* uncertain receives of a communicator */
};

/* One end of a channel. */
struct mm_channel {
    /* Of the file, for readers: it gets each counter whole, and nothing is read from it,
     * so that it may be copied and mapped elsewhere meanwhile. */
    struct mm_messages_channel *entry;
    uint64_t count, bytes, sampled; /* so far; the next serial is `count` */
    int32_t peer, tag;
    uint32_t flags; /* why it is unverified; __atomic */
    struct mm_comm *comm;
    uint64_t hash;       /* of the keys */
    uint64_t next;       /* no serial from the present one to before it is a sample */
    uint32_t inside;     /* threads between mm_engine_send and mm_engine_sent */
    uint32_t order;      /* grows where a second one came */
    uint64_t disordered; /* 1 + the last serial that two threads may have swapped */
    uint32_t side;
};

/* Open addressing; a slot without a channel is free. */
struct mm_channel_slot {
    uint64_t comm, envelope; /* id; peer and tag */
    struct mm_channel *channel;
};

struct mm_channel_table {
    struct mm_channel_slot *slots;
    size_t mask, used;
};

/* What an uncertain receive that was freed could have taken. */
struct mm_taint {
    int32_t source, tag;
};

struct mm_comm {
    uintptr_t handle;
    uint64_t id, children, collectives;
    const int32_t *processes; /* NULL: identity */
    int size;
    unsigned flags;
    struct mm_receive *first, *last; /* the queue of uncertain receives */
    /* Each is in one of two more, in the same order: pending ones with wildcards, and
     * those whose channel is known. */
    struct mm_kin {
        struct mm_receive *first, *last;
    } wild, exact;
    uint64_t sequence, waiting; /* receives of the queue: ever, now */
    int has_channels;
    struct mm_taint taints[MM_TAINTS];
    int taint_count;
    struct mm_comm *next; /* of the free ones */
};

/* A post under way, where threads are several. */
struct mm_post {
    struct mm_comm *comm; /* NULL: free */
    int32_t source, tag;
    int disordered;
};

struct mm_followed_slot {
    uintptr_t request;
    struct mm_receive *receive; /* NULL: free */
};

struct mm_remembered {
    uintptr_t request;
    struct mm_channel *channel; /* NULL: not counted, or followed by now */
    uint64_t k;
};

/* A channel as it was last asked for. */
struct mm_hot {
    uintptr_t handle;
    uint64_t envelope;          /* rank in the communicator, and tag */
    struct mm_channel *channel; /* NULL: free */
};

/* Processes of ranks; communicators that agree in them share one. */
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
    /* What each message reads. */
    struct mm_hot hot[2][MM_HOT]; /* by side; only where hot.h serves */
    struct mm_comm *last_comm;    /* that was looked up; __atomic */
    struct mm_channel_table sends, receives;
    uint64_t threshold;         /* of the sender, now */
    uint64_t receive_threshold; /* of the request: the superset that receivers keep */
    double p, p_asked;
    int strategy, sampling, locked, lock;
    int plain; /* strategy P, one thread at a time: hot.h serves */
    size_t following;

    uint64_t seed, collective_threshold;
    int process, tsc;
    /* Strategies C and T. */
    uint64_t random, left, next_ticks;
    double period, variance, ns_per_tick;

    struct mm_comm **comms; /* open addressing by handle */
    size_t comm_mask, comm_used;
    struct mm_comm *free_comms;
    struct mm_followed_slot *followed;
    size_t followed_mask;
    struct mm_receive *ready, *free_receives;
    struct mm_remembered ring[MM_RING];
    uint64_t ring_next;
    struct mm_post posts[MM_POSTS];
    int post_count;  /* none is in use from here on */
    int post_hidden; /* posts under way that found no room */
    int together;    /* calls of one thread are taken as those of several */
    struct mm_group *maps;
    struct {
        uint64_t key, count;
    } * groups;
    size_t group_mask, group_used;

    struct mm_messages_channel *(*channel_new)(void *context);
    void *context;
    struct mm_piece *pieces; /* all memory */
    char *free_bytes;
    size_t free_left;
};

/* Are calls under way that have no order? */
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

/* memory.c: zeroed memory for the life of the engine, or NULL. */
void *mm_engine_map(struct mm_engine *e, size_t bytes);
void *mm_engine_take(struct mm_engine *e, size_t bytes); /* small pieces */
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

/* comm.c: serials of the communicator cannot be told any more. */
void mm_comm_off(struct mm_engine *e, struct mm_comm *comm);

/* Store a counter, here and for readers. */
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

/* channel.c: the channel, made if it is new; NULL: no room, the communicator is off. */
struct mm_channel *mm_channel_find(struct mm_engine *e, struct mm_comm *comm, int side,
                                   int32_t peer, int32_t tag);
/* Set channel->next to the first serial after `k` that may be a sample. */
void mm_channel_looks_ahead(struct mm_channel *channel, uint64_t k, uint64_t threshold);
/* Is serial `k` of this key a sample? Looks ahead to the next one. */
static inline int mm_channel_chooses(struct mm_channel *channel, uint64_t k, uint64_t key,
                                     uint64_t threshold)
{
    if (k < channel->next)
        return 0;
    if (threshold > UINT64_MAX / 4) /* samples are many: it would spare nothing */
        channel->next = k + 1;
    else
        mm_channel_looks_ahead(channel, k, threshold);
    return mm_hash_chosen(key, threshold);
}
void mm_channel_flag(struct mm_channel *channel, unsigned why);
/* Flag all channels of a communicator, of which `entry` has the id. */
void mm_channel_flag_comm(struct mm_engine *e, uint64_t comm, unsigned why);

/* followed.c: receives by their requests. */
static inline size_t mm_followed_place(uintptr_t request, size_t mask)
{
    uint64_t x = (uint64_t)request * MM_HASH_STEP;

    return (size_t)(x >> 32) & mask;
}

/* The slot of a request, or the free one where it would go; e->followed is not NULL. */
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

/* 0; -1: no memory. */
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
/* The latest of a request, or NULL: forgotten. */
struct mm_remembered *mm_ring_find(struct mm_engine *e, uintptr_t request);

/* queue.c */
struct mm_receive *mm_receive_new(struct mm_engine *e);
/* Once: a second time would make a circle of the list. */
static inline void mm_receive_free(struct mm_engine *e, struct mm_receive *r)
{
    if (__builtin_expect(r->freed, 0))
        return;
    r->freed = 1;
    r->next = e->free_receives;
    e->free_receives = r;
}
/* 0; -1: the queue is full. */
int mm_queue_append(struct mm_receive *r);
/* The receive leaves the queue without a message; those behind it may be certain now. */
void mm_queue_leave(struct mm_engine *e, struct mm_receive *r);
/* The receive has taken a message of this envelope, or will, where it is exact. Give
 * serials to all that can have one now. */
void mm_queue_complete(struct mm_engine *e, struct mm_receive *r, int32_t source,
                       int32_t tag);
/* True if a receive with wildcards, posted before `sequence`, is pending and could take
 * this. */
int mm_queue_blocks(const struct mm_comm *comm, uint64_t sequence, int32_t source,
                    int32_t tag);
/* The next serial of a channel. */
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
/* As mm_engine_half. */
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
/* A complete receive whose serial is known: hand it out by mm_engine_next, or forget it
 * where it is no sample. */
void mm_receive_finish(struct mm_engine *e, struct mm_receive *r);
/* The receive's serial is known: fill the half. */
void mm_receive_name(struct mm_engine *e, struct mm_receive *r);

/* receive.c */
/* The receive has no request any more. */
void mm_receive_unfollow(struct mm_engine *e, struct mm_receive *r);
/* Nobody will tell what becomes of it. */
void mm_receive_give_up(struct mm_engine *e, struct mm_receive *r, unsigned why);
struct mm_receive *mm_receive_certain(struct mm_engine *e,
                                      const struct mm_counted *counted);

/* strategy.c: does this send get sampled? */
void mm_strategy_start(struct mm_engine *e, const struct mm_message_request *request);
int mm_strategy_draws(struct mm_engine *e);

/* Is there a message that both could take? */
static inline int mm_envelopes_overlap(int32_t source_a, int32_t tag_a, int32_t source_b,
                                       int32_t tag_b)
{
    return (source_a == source_b || source_a == MM_ANY_SOURCE ||
            source_b == MM_ANY_SOURCE) &&
           (tag_a == tag_b || tag_a == MM_ANY_TAG || tag_b == MM_ANY_TAG);
}

/* Does `a` take all that `b` takes? */
static inline int mm_envelope_covers(int32_t source_a, int32_t tag_a, int32_t source_b,
                                     int32_t tag_b)
{
    return (source_a == source_b || source_a == MM_ANY_SOURCE) &&
           (tag_a == tag_b || tag_a == MM_ANY_TAG);
}

#endif
