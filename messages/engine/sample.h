/* SPDX-License-Identifier: BSD-3-Clause */
/* sample.h: like hot.h, for messages that are samples or may be: one thread at a time,
 * strategy P, a known communicator and channel. */
#ifndef MESSAGES_ENGINE_SAMPLE_H
#define MESSAGES_ENGINE_SAMPLE_H

#include "messages/engine/hot.h"

/* Like mm_engine_send, for a channel in the table. Returns 0: nothing was done, call
 * mm_engine_send. */
static inline int mm_sample_send(struct mm_engine *e, uintptr_t handle, int rank, int tag,
                                 uint64_t bytes, struct mm_counted *counted)
{
    struct mm_channel *channel = mm_hot_channel(e, MM_MESSAGES_SEND, handle, rank, tag);
    uint64_t k;

    if (!channel || e->together)
        return 0;
    k = channel->count;
    counted->channel = channel;
    counted->k = k;
    counted->key = mm_hash_key(channel->hash, k);
    counted->order = 0;
    counted->p = e->p;
    counted->sampled = mm_channel_chooses(channel, k, counted->key, e->threshold) &&
                       __atomic_load_n(&e->sampling, __ATOMIC_RELAXED);
    mm_channel_counts(channel, k + 1);
    mm_channel_adds(channel, bytes);
    return 1;
}

/* Fast path of mm_engine_sent. */
static inline int mm_sample_sent(struct mm_engine *e, const struct mm_counted *counted,
                                 int failed)
{
    struct mm_channel *channel = counted->channel;

    if (!e->plain || counted->order || failed || !channel || !counted->sampled)
        return mm_engine_sent(e, counted, failed);
    __atomic_store_n(&channel->entry->sampled, ++channel->sampled, __ATOMIC_RELAXED);
    return 1;
}

/* Like mm_engine_post, for a receive with exact source and tag and no uncertain receive
 * before it. Returns 0: nothing was done, call mm_engine_post. */
static inline int mm_sample_post(struct mm_engine *e, uintptr_t handle, int rank, int tag,
                                 struct mm_counted *counted)
{
    struct mm_channel *channel =
        mm_hot_channel(e, MM_MESSAGES_RECEIVE, handle, rank, tag);

    if (!channel || e->together || channel->comm->wild.first)
        return 0;
    counted->order = 0;
    mm_receive_count(e, channel, counted);
    return 1;
}

/* Like mm_engine_completed, for a receive that took its message without an error. Returns
 * 1: the message is a sample; the caller uses its record now, then releases it; 0:
 * nothing was done. */
static inline int mm_sample_completed(struct mm_engine *e, struct mm_receive *r)
{
    if (!e->plain || !r->certain || r->awaiting || r->dropped || !r->counted.sampled)
        return 0;
    if (r->request)
        mm_followed_remove(e, r->request);
    r->request = 0;
    if (__atomic_load_n(&r->counted.channel->flags, __ATOMIC_RELAXED))
        r->half.flags |= MM_HALF_UNVERIFIED;
    return 1;
}

/* Fast path of mm_engine_followed. */
static inline struct mm_receive *mm_sample_followed(struct mm_engine *e,
                                                    uintptr_t request)
{
    return e->plain ? mm_followed_find(e, request) : mm_engine_followed(e, request);
}

/* Whether mm_engine_next has receives to return. */
static inline int mm_sample_ready(const struct mm_engine *e)
{
    return __atomic_load_n(&e->ready, __ATOMIC_ACQUIRE) != NULL;
}

#endif
