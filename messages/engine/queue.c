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

enum { CLEAR = 64 };

/* --- Receives --------------------------------------------------------------------- */

struct mm_receive *mm_receive_new(struct mm_engine *e)
{
    struct mm_receive *r = e->free_receives;

    if (!r)
        return mm_engine_take(e, sizeof *r);
    e->free_receives = r->next;
    /* In pieces that the compiler stores itself. */
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

/* Put an entry into the list of its kind, before `next`; NULL: at the end. */
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

/* True if all that this pattern takes is held by a receive before it. */
static int is_covered(const struct mm_comm *comm, uint64_t sequence, int32_t source,
                      int32_t tag)
{
    const struct mm_receive *r = comm->wild.first;

    for (; r && r->sequence < sequence; r = r->kin_next)
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
 * it alone has held. */
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

/* The one whose channel is known behind this, or NULL. */
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
    if (r->wild) { /* it becomes one of the others */
        leave_kin(r);
        r->wild = 0;
        join_kin(r, next_exact(r));
    }
    release(e, comm, sequence, asked_source, asked_tag);
}
