/* SPDX-License-Identifier: BSD-3-Clause */
/* queue.c: the posting queue of uncertain receives, and who gets which serial.
 *
 * Uncertain receives stand in posting order. A receive gets its serial once its channel
 * is known (it is exact, or has completed) and no receive with wildcards that was posted
 * before it is still pending and could take a message of that channel: such a one may
 * yet turn out to have taken an earlier message.
 *
 * Exact receives stand in nobody's way beyond that. Of two receives of one channel in
 * the queue, what holds the first holds the second, which was posted later: so when one
 * is released, those before it of its channel have been, and serials come in posting
 * order. The same holds for those posted later that are certain at once. */
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
                       !mm_comm_has(channel->comm, MM_COMM_UNORDERED);
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

static int is_exact(const struct mm_receive *r)
{
    return r->source != MM_ANY_SOURCE && r->tag != MM_ANY_TAG;
}

int mm_queue_append(struct mm_receive *r)
{
    struct mm_comm *comm = r->comm;

    if (comm->waiting >= MM_QUEUE)
        return -1;
    comm->waiting++;
    r->sequence = comm->sequence++;
    r->previous = comm->last;
    *(comm->last ? &comm->last->next : &comm->first) = r;
    comm->last = r;
    if (is_exact(r))
        return 0;
    r->wild = 1;
    r->wild_previous = comm->last_wild;
    *(comm->last_wild ? &comm->last_wild->wild_next : &comm->first_wild) = r;
    comm->last_wild = r;
    return 0;
}

/* It is not pending any more. */
static void leave_wild(struct mm_receive *r)
{
    struct mm_comm *comm = r->comm;

    if (!r->wild)
        return;
    *(r->wild_previous ? &r->wild_previous->wild_next : &comm->first_wild) = r->wild_next;
    *(r->wild_next ? &r->wild_next->wild_previous : &comm->last_wild) = r->wild_previous;
    r->wild_next = r->wild_previous = NULL;
    r->wild = 0;
}

static void remove_entry(struct mm_receive *r)
{
    struct mm_comm *comm = r->comm;

    leave_wild(r);
    *(r->previous ? &r->previous->next : &comm->first) = r->next;
    *(r->next ? &r->next->previous : &comm->last) = r->previous;
    r->next = r->previous = NULL;
    comm->waiting--;
}

int mm_queue_blocks(const struct mm_comm *comm, uint64_t sequence, int32_t source,
                    int32_t tag)
{
    const struct mm_receive *r = comm->first_wild;

    for (; r && r->sequence < sequence; r = r->wild_next)
        if (mm_envelopes_overlap(r->source, r->tag, source, tag))
            return 1;
    return 0;
}

/* True if all that this pattern takes is held by a receive before it. */
static int is_covered(const struct mm_comm *comm, uint64_t sequence, int32_t source,
                      int32_t tag)
{
    const struct mm_receive *r = comm->first_wild;

    for (; r && r->sequence < sequence; r = r->wild_next)
        if (mm_envelope_covers(r->source, r->tag, source, tag))
            return 1;
    return 0;
}

/* The receive is certain from here on. */
static void settle(struct mm_engine *e, struct mm_receive *r)
{
    struct mm_channel *channel;

    remove_entry(r);
    channel = mm_channel_find(e, r->comm, MM_MESSAGES_RECEIVE, r->source, r->tag);
    r->certain = 1;
    if (channel) {
        mm_receive_count(e, channel, &r->counted);
        mm_receive_name(e, r);
        if (r->dropped)
            channel->disordered = r->counted.k + 1;
    }
    /* One that is pending stays followed, sampled or not: a caller may hold it. */
    if (r->completed && !r->awaiting)
        mm_receive_finish(e, r);
}

/* A receive of this pattern, posted at `sequence`, is not pending any more: release what
 * it alone has held, from `r` on. */
static void release(struct mm_engine *e, struct mm_comm *comm, struct mm_receive *r,
                    uint64_t sequence, int32_t source, int32_t tag)
{
    struct mm_receive *next;

    if (is_covered(comm, sequence, source, tag))
        return;
    for (; r; r = next) {
        next = r->next;
        if (is_exact(r) && mm_envelopes_overlap(source, tag, r->source, r->tag) &&
            !mm_queue_blocks(comm, r->sequence, r->source, r->tag))
            settle(e, r);
    }
}

void mm_queue_leave(struct mm_engine *e, struct mm_receive *r)
{
    struct mm_comm *comm = r->comm;
    struct mm_receive *next = r->next;
    int held = r->wild;

    remove_entry(r);
    if (held)
        release(e, comm, next, r->sequence, r->source, r->tag);
}

void mm_queue_complete(struct mm_engine *e, struct mm_receive *r, int32_t source,
                       int32_t tag)
{
    struct mm_comm *comm = r->comm;
    int32_t asked_source = r->source, asked_tag = r->tag;

    r->completed = 1;
    leave_wild(r);
    r->source = source;
    r->tag = tag;
    release(e, comm, r, r->sequence, asked_source, asked_tag);
}
