/* SPDX-License-Identifier: BSD-3-Clause */
/* queue.c: the posting queue of uncertain receives, and who gets which serial.
 *
 * An entry that has completed knows its channel, and no longer stands in anybody's way:
 * what it took is taken. It gets its serial once no earlier entry is pending that could
 * take a message of the channel, for that one may yet turn out to have taken an earlier
 * message. A pending exact entry gets its serial under the same rule. Entries of one
 * channel that wait are held by the same pending entry, so their serials come in
 * posting order. */
#include "messages/engine/inside.h"

#include <string.h>

/* --- Receives --------------------------------------------------------------------- */

struct mm_receive *mm_receive_new(struct mm_engine *e)
{
    struct mm_receive *r = e->free_receives;

    if (!r)
        return mm_engine_take(e, sizeof *r);
    e->free_receives = r->next;
    memset(r, 0, sizeof *r);
    return r;
}

void mm_receive_free(struct mm_engine *e, struct mm_receive *r)
{
    r->next = e->free_receives;
    e->free_receives = r;
}

void mm_receive_count(struct mm_engine *e, struct mm_channel *channel,
                      struct mm_counted *counted)
{
    uint64_t k = channel->count;

    counted->channel = channel;
    counted->k = k;
    counted->key = mm_hash_key(channel->hash, k);
    counted->sampled = mm_channel_chooses(channel, k, e->receive_threshold) &&
                       !(channel->comm->flags & MM_COMM_UNORDERED);
    counted->p = 0;
    mm_channel_counts(channel, k + 1);
}

void mm_engine_half(const struct mm_engine *e, const struct mm_counted *counted, int side,
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

void mm_receive_name(struct mm_engine *e, struct mm_receive *r)
{
    mm_engine_half(e, &r->counted, MM_MESSAGES_RECEIVE, &r->half);
}

void mm_receive_finish(struct mm_engine *e, struct mm_receive *r)
{
    if (!r->counted.channel || !r->counted.sampled) {
        mm_receive_free(e, r);
        return;
    }
    if (__atomic_load_n(&r->counted.channel->flags, __ATOMIC_RELAXED))
        r->half.flags |= MM_HALF_UNVERIFIED;
    r->next = e->ready;
    __atomic_store_n(&e->ready, r, __ATOMIC_RELEASE);
}

struct mm_receive *mm_engine_next(struct mm_engine *e)
{
    struct mm_receive *r;

    if (!__atomic_load_n(&e->ready, __ATOMIC_ACQUIRE))
        return NULL;
    mm_engine_lock(e);
    r = e->ready;
    if (r)
        __atomic_store_n(&e->ready, r->next, __ATOMIC_RELEASE);
    mm_engine_unlock(e);
    return r;
}

void mm_engine_release(struct mm_engine *e, struct mm_receive *r)
{
    mm_engine_lock(e);
    mm_receive_free(e, r);
    mm_engine_unlock(e);
}

/* --- The queue -------------------------------------------------------------------- */

void mm_queue_append(struct mm_receive *r)
{
    struct mm_comm *comm = r->comm;

    r->next = NULL;
    r->previous = comm->last;
    if (comm->last)
        comm->last->next = r;
    else
        comm->first = r;
    comm->last = r;
}

void mm_queue_remove(struct mm_receive *r)
{
    struct mm_comm *comm = r->comm;

    if (r->previous)
        r->previous->next = r->next;
    else
        comm->first = r->next;
    if (r->next)
        r->next->previous = r->previous;
    else
        comm->last = r->previous;
    r->next = r->previous = NULL;
}

int mm_queue_blocks(const struct mm_comm *comm, const struct mm_receive *end,
                    int32_t source, int32_t tag)
{
    for (const struct mm_receive *r = comm->first; r != end; r = r->next)
        if (!r->completed && mm_envelopes_overlap(r->source, r->tag, source, tag))
            return 1;
    return 0;
}

static int is_exact(const struct mm_receive *r)
{
    return r->source != MM_ANY_SOURCE && r->tag != MM_ANY_TAG;
}

void mm_queue_resolve(struct mm_engine *e, struct mm_comm *comm)
{
    struct mm_receive *next;

    for (struct mm_receive *r = comm->first; r; r = next) {
        struct mm_channel *channel;

        next = r->next;
        if (!is_exact(r) || mm_queue_blocks(comm, r, r->source, r->tag))
            continue;
        mm_queue_remove(r);
        channel = mm_channel_find(e, comm, MM_MESSAGES_RECEIVE, r->source, r->tag);
        r->certain = 1;
        if (channel) {
            mm_receive_count(e, channel, &r->counted);
            mm_receive_name(e, r);
        }
        /* One that is pending stays followed, sampled or not: a caller may hold it. */
        if (r->completed && !r->awaiting)
            mm_receive_finish(e, r);
    }
}
