/* SPDX-License-Identifier: BSD-3-Clause */
/* channel.c: ends of channels in this process. They are never removed: a channel whose
 * serials restarted would pair the wrong messages. */
#include "messages/engine/hot.h"

enum { FIRST_CHANNELS = 256, LOOK_AHEAD = 512 };

static struct mm_channel_slot *find_slot(const struct mm_channel_table *t, uint64_t comm,
                                         uint64_t envelope)
{
    size_t at = mm_channel_place(comm, envelope, t->mask);

    while (t->slots[at].channel &&
           (t->slots[at].comm != comm || t->slots[at].envelope != envelope))
        at = (at + 1) & t->mask;
    return &t->slots[at];
}

static int grow(struct mm_engine *e, struct mm_channel_table *t)
{
    size_t before = t->slots ? t->mask + 1 : 0,
           size = before ? 2 * before : FIRST_CHANNELS;
    struct mm_channel_slot *old = t->slots, *slots = mm_engine_map(e, size * sizeof *old);

    if (!slots)
        return -1;
    t->slots = slots;
    t->mask = size - 1;
    for (size_t i = 0; i < before; i++)
        if (old[i].channel)
            *find_slot(t, old[i].comm, old[i].envelope) = old[i];
    return 0;
}

/* both ends must compute the same hash, so it is made of source and destination, not of
 * own process and peer */
static uint64_t hash_of(const struct mm_engine *e, uint64_t comm, int side, int32_t peer,
                        int32_t tag)
{
    int32_t src = side == MM_MESSAGES_SEND ? e->process : peer,
            dst = side == MM_MESSAGES_SEND ? peer : e->process;

    return mm_hash_add(
        mm_hash_add(mm_hash_add(e->seed, comm), mm_channel_envelope(src, dst)),
        (uint32_t)tag);
}

static unsigned taint_of(const struct mm_comm *comm, int32_t peer, int32_t tag)
{
    for (int i = 0; i < comm->taint_count; i++)
        if (mm_envelopes_overlap(comm->taints[i].source, comm->taints[i].tag, peer, tag))
            return MM_CHANNEL_FREED;
    return 0;
}

static struct mm_channel *make(struct mm_engine *e, struct mm_comm *comm, int side,
                               int32_t peer, int32_t tag)
{
    struct mm_channel_table *t = side == MM_MESSAGES_SEND ? &e->sends : &e->receives;
    struct mm_channel *channel = NULL;
    struct mm_messages_channel *entry = NULL;

    /* after a message was not counted, no channel may be created that counts later
     * ones */
    if (mm_comm_has(comm, MM_COMM_OFF))
        return NULL;
    if ((t->slots && 2 * (t->used + 1) <= t->mask) || grow(e, t) == 0)
        channel = mm_engine_take(e, sizeof *channel);
    if (channel)
        entry = e->channel_new(e->context);
    if (!entry) {
        mm_comm_off(e, comm);
        return NULL;
    }
    channel->entry = entry;
    channel->comm = comm;
    channel->side = (uint32_t)side;
    channel->peer = peer;
    channel->tag = tag;
    channel->flags = side == MM_MESSAGES_RECEIVE ? taint_of(comm, peer, tag) : 0;
    channel->hash = hash_of(e, comm->id, side, peer, tag);
    entry->comm = comm->id;
    entry->peer = peer;
    entry->tag = tag;
    entry->side = (uint32_t)side;
    entry->flags = channel->flags;
    /* the hash is stored last: from here on readers of the file regard the entry as
     * complete */
    __atomic_store_n(&entry->hash, channel->hash + (channel->hash == 0),
                     __ATOMIC_RELEASE);
    *find_slot(t, comm->id, mm_channel_envelope(peer, tag)) =
        (struct mm_channel_slot){comm->id, mm_channel_envelope(peer, tag), channel};
    t->used++;
    comm->has_channels = 1;
    return channel;
}

struct mm_channel *mm_channel_find(struct mm_engine *e, struct mm_comm *comm, int side,
                                   int32_t peer, int32_t tag)
{
    struct mm_channel_table *t = side == MM_MESSAGES_SEND ? &e->sends : &e->receives;

    if (t->slots) {
        struct mm_channel *channel =
            find_slot(t, comm->id, mm_channel_envelope(peer, tag))->channel;

        if (channel) {
            channel->comm = comm; /* the same communicator may have got a new struct */
            return channel;
        }
    }
    return make(e, comm, side, peer, tag);
}

void mm_channel_looks_ahead(struct mm_channel *channel, uint64_t k, uint64_t threshold)
{
    uint64_t next = k + 1;

    while (threshold && next - k <= LOOK_AHEAD &&
           !mm_hash_chosen(mm_hash_key(channel->hash, next), threshold))
        next++;
    channel->next = threshold ? next : UINT64_MAX;
}

void mm_channel_flag(struct mm_channel *channel, unsigned why)
{
    unsigned flags = __atomic_or_fetch(&channel->flags, why, __ATOMIC_RELAXED);

    __atomic_store_n(&channel->entry->flags, flags, __ATOMIC_RELAXED);
}

void mm_channel_flag_comm(struct mm_engine *e, uint64_t comm, unsigned why)
{
    const struct mm_channel_table *tables[] = {&e->sends, &e->receives};

    for (int i = 0; i < 2; i++)
        for (size_t at = 0; tables[i]->slots && at <= tables[i]->mask; at++)
            if (tables[i]->slots[at].channel && tables[i]->slots[at].comm == comm)
                mm_channel_flag(tables[i]->slots[at].channel, why);
}

void mm_engine_store(struct mm_engine *e)
{
    const struct mm_channel_table *tables[] = {&e->sends, &e->receives};

    for (int i = 0; i < 2; i++)
        for (size_t at = 0; tables[i]->slots && at <= tables[i]->mask; at++) {
            struct mm_channel *channel = tables[i]->slots[at].channel;

            if (!channel)
                continue;
            mm_channel_counts(channel, channel->count);
            mm_channel_adds(channel, 0);
            mm_channel_flag(channel, 0);
        }
}

struct mm_messages_channel *mm_channel_entry(const struct mm_channel *channel)
{
    return channel->entry;
}

void mm_engine_unverify(struct mm_engine *e, struct mm_channel *channel, unsigned why)
{
    (void)e;
    if (channel)
        mm_channel_flag(channel, why);
}

void mm_engine_channels(struct mm_engine *e,
                        void (*visit)(void *context, struct mm_channel *channel),
                        void *context)
{
    const struct mm_channel_table *tables[] = {&e->sends, &e->receives};

    for (int i = 0; i < 2; i++)
        for (size_t at = 0; tables[i]->slots && at <= tables[i]->mask; at++)
            if (tables[i]->slots[at].channel)
                visit(context, tables[i]->slots[at].channel);
}
