/* SPDX-License-Identifier: BSD-3-Clause */
/* cancel.c: receives that were cancelled or freed, and sends that were cancelled.
 *
 * A cancelled receive that has a serial gives it back, and the serials of later receives
 * decrease by one. MPI allows this only while all of them are pending: a later receive
 * cannot have taken a message of the channel that the cancelled one, still pending, could
 * have taken. */
#include "messages/engine/hot.h"

/* Decrease the serial of a message by one, and recompute its key. */
static void recount(struct mm_engine *e, struct mm_counted *counted)
{
    struct mm_channel *channel = counted->channel;

    counted->k--;
    counted->key = mm_hash_key(channel->hash, counted->k);
    counted->sampled = mm_hash_chosen(counted->key, e->receive_threshold) &&
                       !mm_comm_has(channel->comm, MM_COMM_UNORDERED);
}

/* Follow a receive that was no sample under its old serial and is a sample under its new
 * serial. The time of its posting is unknown. */
static void promote(struct mm_engine *e, struct mm_remembered *entry,
                    const struct mm_counted *counted)
{
    struct mm_receive *r;

    if (!entry->request || mm_followed_find(e, entry->request))
        return; /* the request was freed: its completion will not be seen */
    r = mm_receive_certain(e, counted);
    if (r && mm_followed_put(e, r, entry->request) == 0)
        entry->channel = NULL;
    else if (r)
        mm_receive_free(e, r);
}

/* Take back the serial `k` of a cancelled receive of a channel. */
static void uncount(struct mm_engine *e, struct mm_channel *channel, uint64_t k)
{
    uint64_t later = channel->count - 1 - k, found = 0;
    /* if two threads posted at the same time, a later receive may have been posted first
     * in MPI's order, and have completed */
    int ordered = channel->disordered <= k;

    /* search the followed receives first, then the ring, because receives of the ring may
     * become followed ones */
    for (size_t i = 0; e->followed && later && i <= e->followed_mask; i++) {
        struct mm_receive *r = e->followed[i].receive;

        if (r && r->certain && !r->completed && r->counted.channel == channel &&
            r->counted.k > k) {
            recount(e, &r->counted);
            mm_receive_name(e, r);
            found++;
        }
    }
    for (uint64_t i = 0; later && i < MM_RING; i++) {
        struct mm_remembered *entry = &e->ring[i];
        struct mm_counted counted = {.channel = channel, .k = entry->k};

        if (entry->channel != channel || entry->k <= k)
            continue;
        found++;
        recount(e, &counted);
        entry->k = counted.k;
        if (counted.sampled && ordered)
            promote(e, entry, &counted);
    }
    mm_channel_counts(channel, channel->count - 1);
    channel->next = 0; /* the serial given back may be a sample */
    if (found != later || !ordered)
        mm_channel_flag(channel, MM_CHANNEL_CANCELLED);
}

/* Flag all channels: the request's channel is unknown. */
static void flag_all(const struct mm_channel_table *t)
{
    for (size_t i = 0; t->slots && i <= t->mask; i++)
        if (t->slots[i].channel)
            mm_channel_flag(t->slots[i].channel, MM_CHANNEL_CANCELLED);
}

int mm_engine_remembers(struct mm_engine *e, uintptr_t request)
{
    struct mm_remembered *entry;
    int found;

    mm_engine_lock(e);
    entry = mm_ring_find(e, request);
    found = entry && entry->channel && entry->channel->side == MM_MESSAGES_RECEIVE;
    mm_engine_unlock(e);
    return found;
}

static void cancel_followed(struct mm_engine *e, struct mm_receive *r)
{
    mm_receive_unfollow(e, r);
    if (r->awaiting) { /* it is unknown which receive will take the matched message */
        struct mm_channel *channel =
            mm_channel_find(e, r->comm, MM_MESSAGES_RECEIVE, r->source, r->tag);

        if (channel)
            mm_channel_flag(channel, MM_CHANNEL_CANCELLED);
        mm_receive_give_up(e, r, MM_CHANNEL_CANCELLED);
        return;
    }
    if (!r->certain)
        mm_queue_leave(e, r);
    else if (r->counted.channel)
        uncount(e, r->counted.channel, r->counted.k);
    mm_receive_free(e, r);
}

void mm_engine_cancelled(struct mm_engine *e, uintptr_t request)
{
    struct mm_receive *r;
    struct mm_remembered *entry;

    mm_engine_lock(e);
    r = mm_followed_find(e, request);
    entry = r ? NULL : mm_ring_find(e, request);
    if (r) {
        cancel_followed(e, r);
    } else if (!entry) {
        flag_all(&e->sends);
        flag_all(&e->receives);
    } else if (entry->channel) {
        struct mm_channel *channel = entry->channel;

        entry->channel = NULL;
        if (channel->side == MM_MESSAGES_RECEIVE)
            uncount(e, channel, entry->k);
        else
            mm_channel_flag(channel, MM_CHANNEL_CANCELLED);
    }
    mm_engine_unlock(e);
}

void mm_engine_freed(struct mm_engine *e, uintptr_t request)
{
    struct mm_remembered *entry;
    struct mm_receive *r;

    mm_engine_lock(e);
    r = mm_followed_find(e, request);
    entry = r ? NULL : mm_ring_find(e, request);
    if (r)
        mm_receive_give_up(e, r, MM_CHANNEL_FREED);
    else if (entry) /* the persistent receive stays pending; its handle will be reused */
        entry->request = 0;
    mm_engine_unlock(e);
}
