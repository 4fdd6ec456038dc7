/* SPDX-License-Identifier: BSD-3-Clause */
/* hot.h: the fast path for most messages, inlined in the caller: one thread at a time,
 * strategy P, a known communicator and channel, and no sample. All other messages use the
 * functions of engine.h, with the same results. */
#ifndef MESSAGES_ENGINE_HOT_H
#define MESSAGES_ENGINE_HOT_H

#include "messages/engine/inside.h"

static inline size_t mm_channel_place(uint64_t comm, uint64_t envelope, size_t mask)
{
    uint64_t x = (comm ^ envelope) * MM_HASH_STEP;

    return (size_t)(x ^ x >> 32) & mask;
}

static inline uint64_t mm_channel_envelope(int32_t peer, int32_t tag)
{
    return (uint64_t)(uint32_t)peer << 32 | (uint32_t)tag;
}

static inline struct mm_hot *mm_hot_place(struct mm_engine *e, int side, uintptr_t handle,
                                          int rank, int tag)
{
    size_t at = (handle >> 4) + (size_t)(unsigned)rank * 5 + (size_t)(unsigned)tag;

    return &e->hot[side][at % MM_HOT];
}

/* Keep a channel in the table of recently used channels. Switching a communicator off
 * empties this table. */
static inline void mm_hot_keep(struct mm_engine *e, int side, struct mm_comm *comm,
                               int rank, int tag, struct mm_channel *channel)
{
    if (e->plain && !(comm->flags & (MM_COMM_OFF | MM_COMM_UNORDERED)))
        *mm_hot_place(e, side, comm->handle, rank, tag) =
            (struct mm_hot){comm->handle, mm_channel_envelope(rank, tag), channel};
}

static inline struct mm_channel *mm_hot_channel(struct mm_engine *e, int side,
                                                uintptr_t handle, int rank, int tag)
{
    const struct mm_hot *hot = mm_hot_place(e, side, handle, rank, tag);

    return hot->handle == handle && hot->envelope == mm_channel_envelope(rank, tag)
               ? hot->channel
               : NULL;
}

/* The channel of messages to or from a rank whose process is `peer`; NULL: no room for a
 * new channel. */
static inline struct mm_channel *mm_hot_find(struct mm_engine *e, int side,
                                             struct mm_comm *comm, int rank, int32_t peer,
                                             int tag)
{
    struct mm_channel *channel = mm_hot_channel(e, side, comm->handle, rank, tag);

    if (channel)
        return channel;
    channel = mm_channel_find(e, comm, side, peer, tag);
    if (channel)
        mm_hot_keep(e, side, comm, rank, tag, channel);
    return channel;
}

/* Count a send that is no sample; returns its channel. NULL: nothing was done, call
 * mm_engine_send. */
static inline struct mm_channel *mm_hot_send(struct mm_engine *e, uintptr_t handle,
                                             int rank, int tag, uint64_t bytes)
{
    struct mm_channel *channel = mm_hot_channel(e, MM_MESSAGES_SEND, handle, rank, tag);

    if (__builtin_expect(!channel || channel->count >= channel->next, 0))
        return NULL;
    mm_channel_counts(channel, channel->count + 1);
    mm_channel_adds(channel, bytes);
    return channel;
}

/* Count a receive with exact source and tag that is certain and no sample; returns its
 * channel and `k`. NULL: nothing was done, call mm_engine_post. */
static inline struct mm_channel *mm_hot_post(struct mm_engine *e, uintptr_t handle,
                                             int rank, int tag, uint64_t *k)
{
    struct mm_channel *channel =
        mm_hot_channel(e, MM_MESSAGES_RECEIVE, handle, rank, tag);

    if (__builtin_expect(!channel || channel->comm->wild.first, 0))
        return NULL;
    *k = channel->count;
    if (__builtin_expect(*k >= channel->next, 0))
        return NULL;
    mm_channel_counts(channel, *k + 1);
    return channel;
}

/* Remember the request of a receive that is no sample, in case it is cancelled. Returns
 * 1; 0: call mm_engine_follow. */
static inline int mm_hot_remember(struct mm_engine *e, uintptr_t request,
                                  struct mm_channel *channel, uint64_t k)
{
    struct mm_remembered *entry;

    if (__builtin_expect(e->following != 0, 0)) /* an earlier receive with the same
                                                 * request handle may still be followed */
        return 0;
    entry = &e->ring[e->ring_next++ % MM_RING];
    entry->request = request;
    entry->channel = channel;
    entry->k = k;
    return 1;
}

/* A request handle now belongs to another request: of a send (pass its channel), or of an
 * operation that is not counted (NULL). Without this call, a cancel would be applied to
 * the receive that had the handle before. */
static inline void mm_hot_other(struct mm_engine *e, uintptr_t request,
                                struct mm_channel *channel)
{
    if (__builtin_expect(e->following != 0 || e->locked, 0))
        mm_engine_other(e, request, channel);
    else
        mm_hot_remember(e, request, channel, 0);
}

#endif
