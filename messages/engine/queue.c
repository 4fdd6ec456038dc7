/* SPDX-License-Identifier: BSD-3-Clause */
/* queue.c: the queue of uncertain receives, and assignment of serials.
 *
 * Uncertain receives are queued in posting order. A receive gets its serial when its
 * channel is known (it is exact, or has completed) and no earlier receive with wildcards
 * is still pending that could take a message of that channel: such a receive may still
 * turn out to have taken an earlier message.
 *
 * Exact receives do not block others beyond that. Of two receives of one channel in the
 * queue, whatever blocks the first blocks the second, which was posted later. So when one
 * is released, all earlier ones of its channel have been released, and serials are
 * assigned in posting order. The same holds for later receives that are certain at
 * once. */
#include "messages/engine/inside.h"

#include <string.h>

enum { CLEAR = 64 };

/* --- Receives --------------------------------------------------------------------- */

struct mm_receive *mm_receive_new(struct mm_engine *e)
{
    struct mm_receive *r = e->free_receives;

    if (!r)
        return mm_engine_take(e, sizeof *r);
    e->free_receives = r->next;
    /* Clear in pieces that the compiler stores inline. */
    for (size_t i = 0; i < sizeof *r / CLEAR; i++)
        memset((char *)r + i * CLEAR, 0, CLEAR);
    memset((char *)r + sizeof *r / CLEAR * CLEAR, 0, sizeof *r % CLEAR);
    return r;
}

void mm_engine_half(const struct mm_engine *e, const struct mm_counted *counted, int side,
                    struct mm_messages_half *half)
{
    mm_half_name(e, counted, side, half);
}

void mm_receive_name(struct mm_engine *e, struct mm_receive *r)
{
    mm_half_name(e, &r->counted, MM_MESSAGES_RECEIVE, &r->half);
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

/* Insert an entry into the list of its kind, before `next`; NULL: at the end. */
static void join_kin(struct mm_receive *r, struct mm_receive *next)
{
    struct mm_kin *kin = r->wild ? &r->comm->wild : &r->comm->exact;

    r->kin_next = next;
    r->kin_previous = next ? next->kin_previous : kin->last;
    *(r->kin_previous ? &r->kin_previous->kin_next : &kin->first) = r;
    *(next ? &next->kin_previous : &kin->last) = r;
}

static void leave_kin(struct mm_receive *r)
{
    struct mm_kin *kin = r->wild ? &r->comm->wild : &r->comm->exact;

    *(r->kin_previous ? &r->kin_previous->kin_next : &kin->first) = r->kin_next;
    *(r->kin_next ? &r->kin_next->kin_previous : &kin->last) = r->kin_previous;
    r->kin_next = r->kin_previous = NULL;
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
    r->wild = r->source == MM_ANY_SOURCE || r->tag == MM_ANY_TAG;
    join_kin(r, NULL);
    return 0;
}

static void remove_entry(struct mm_receive *r)
{
    struct mm_comm *comm = r->comm;

    leave_kin(r);
    r->wild = 0;
    *(r->previous ? &r->previous->next : &comm->first) = r->next;
    *(r->next ? &r->next->previous : &comm->last) = r->previous;
    r->next = r->previous = NULL;
    comm->waiting--;
}

int mm_queue_blocks(const struct mm_comm *comm, uint64_t sequence, int32_t source,
                    int32_t tag)
{
    const struct mm_receive *r = comm->wild.first;

    for (; r && r->sequence < sequence; r = r->kin_next)
        if (mm_envelopes_overlap(r->source, r->tag, source, tag))
            return 1;
    return 0;
}

/* Whether an earlier pending receive takes every message that this source and tag
 * take. */
static int is_covered(const struct mm_comm *comm, uint64_t sequence, int32_t source,
                      int32_t tag)
{
    const struct mm_receive *r = comm->wild.first;

    for (; r && r->sequence < sequence; r = r->kin_next)
        if (mm_envelope_covers(r->source, r->tag, source, tag))
            return 1;
    return 0;
}

/* Make a receive certain: its channel and serial are known from now on. */
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
    /* a pending receive stays followed, sample or not: a caller may hold a pointer to
     * it */
    if (r->completed && !r->awaiting)
        mm_receive_finish(e, r);
}

/* Release the receives that were blocked only by one receive, which had this source and
 * tag, was posted at `sequence`, and is no longer pending. */
static void release(struct mm_engine *e, struct mm_comm *comm, uint64_t sequence,
                    int32_t source, int32_t tag)
{
    struct mm_receive *r, *next;

    if (is_covered(comm, sequence, source, tag))
        return;
    for (r = comm->exact.first; r; r = next) {
        next = r->kin_next;
        if (r->sequence >= sequence &&
            mm_envelopes_overlap(source, tag, r->source, r->tag) &&
            !mm_queue_blocks(comm, r->sequence, r->source, r->tag))
            settle(e, r);
    }
}

void mm_queue_leave(struct mm_engine *e, struct mm_receive *r)
{
    int held = r->wild;

    remove_entry(r);
    if (held)
        release(e, r->comm, r->sequence, r->source, r->tag);
}

/* The next receive in the queue whose channel is known, or NULL. */
static struct mm_receive *next_exact(const struct mm_receive *r)
{
    const struct mm_kin *exact = &r->comm->exact;
    struct mm_receive *next = r->next;

    if (!exact->last || exact->last->sequence < r->sequence)
        return NULL;
    if (exact->first->sequence > r->sequence)
        return exact->first;
    while (next->wild)
        next = next->next;
    return next;
}

void mm_queue_complete(struct mm_engine *e, struct mm_receive *r, int32_t source,
                       int32_t tag)
{
    struct mm_comm *comm = r->comm;
    int32_t asked_source = r->source, asked_tag = r->tag;
    uint64_t sequence = r->sequence;

    r->completed = 1;
    r->source = source;
    r->tag = tag;
    if (r->wild) { /* move the receive to the list of receives whose channel is known */
        leave_kin(r);
        r->wild = 0;
        join_kin(r, next_exact(r));
    }
    release(e, comm, sequence, asked_source, asked_tag);
}
