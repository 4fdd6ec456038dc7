/* SPDX-License-Identifier: BSD-3-Clause */
/* receive.c: receives from their posting to their end. */
#include "messages/engine/hot.h"

#include <stddef.h>

/* --- Threads ---------------------------------------------------------------------- */

/* Two threads that post at once what could take the same message have no order that
 * anybody knows; a receive that blocks is posting until it returns. Both are told. */
static struct mm_post *begin_post(struct mm_engine *e, struct mm_comm *comm,
                                  int32_t source, int32_t tag, struct mm_counted *counted)
{
    struct mm_post *post = NULL;
    int crowded = 0;

    counted->order = 0;
    if (!e->locked)
        return NULL;
    for (int i = 0; i <= e->post_count && i < MM_POSTS; i++) {
        struct mm_post *other = &e->posts[i];

        if (!other->comm) {
            if (!post) {
                post = other;
                counted->order = (uint32_t)i + 1;
            }
        } else if (other->comm == comm &&
                   mm_envelopes_overlap(other->source, other->tag, source, tag)) {
            other->disordered = crowded = 1;
        }
    }
    if (post)
        *post = (struct mm_post){comm, source, tag, crowded};
    if (post && (int)counted->order > e->post_count)
        e->post_count = (int)counted->order;
    return post;
}

/* 0: another thread came between, or there was no room to see. */
static int end_post(struct mm_engine *e, const struct mm_counted *counted)
{
    struct mm_post *post = counted->order ? &e->posts[counted->order - 1] : NULL;
    int alone = post && !post->disordered;

    if (post)
        post->comm = NULL;
    while (e->post_count && !e->posts[e->post_count - 1].comm)
        e->post_count--;
    return alone;
}

/* --- Posting ---------------------------------------------------------------------- */

static int is_followed(const struct mm_comm *comm)
{
    return comm && !(comm->flags & MM_COMM_OFF);
}

/* 0: no such rank. */
static int process_of(const struct mm_comm *comm, int rank, int32_t *process)
{
    if (rank != MM_ANY_SOURCE && (rank < 0 || rank >= comm->size))
        return 0;
    *process = rank == MM_ANY_SOURCE ? MM_ANY_SOURCE : mm_comm_process(comm, rank);
    return 1;
}

static struct mm_receive *enqueue(struct mm_engine *e, struct mm_comm *comm,
                                  int32_t source, int32_t tag)
{
    struct mm_receive *r = mm_receive_new(e);

    if (!r) {
        mm_comm_off(e, comm); /* from here on its serials would be wrong */
        return NULL;
    }
    r->comm = comm;
    r->source = source;
    r->tag = tag;
    mm_queue_append(r);
    return r;
}

struct mm_receive *mm_engine_post(struct mm_engine *e, struct mm_comm *comm, int source,
                                  int tag, struct mm_counted *counted)
{
    struct mm_receive *r = NULL;
    int32_t process;

    counted->channel = NULL;
    counted->sampled = 0;
    counted->order = 0;
    if (!is_followed(comm) || !process_of(comm, source, &process))
        return NULL;
    mm_engine_lock(e);
    if (e->locked)
        begin_post(e, comm, process, tag, counted);
    if (process != MM_ANY_SOURCE && tag != MM_ANY_TAG &&
        (!comm->first || !mm_queue_blocks(comm, NULL, process, tag))) {
        struct mm_channel *channel =
            mm_channel_find(e, comm, MM_MESSAGES_RECEIVE, process, tag);

        if (channel) {
            mm_hot_keep(e, MM_MESSAGES_RECEIVE, comm, source, tag, channel);
            mm_receive_count(e, channel, counted);
        }
    } else {
        r = enqueue(e, comm, process, tag);
    }
    mm_engine_unlock(e);
    return r;
}

int mm_engine_posted(struct mm_engine *e, struct mm_comm *comm,
                     const struct mm_counted *counted, struct mm_receive *receive)
{
    int alone;

    if (!e->locked || !is_followed(comm))
        return 1;
    mm_engine_lock(e);
    alone = end_post(e, counted);
    if (receive && !alone)
        receive->dropped = 1;
    mm_engine_unlock(e);
    return alone;
}

/* --- Requests --------------------------------------------------------------------- */

static void taint(struct mm_engine *e, struct mm_comm *comm, int32_t source, int32_t tag,
                  unsigned why)
{
    for (size_t i = 0; e->receives.slots && i <= e->receives.mask; i++) {
        struct mm_channel *channel = e->receives.slots[i].channel;

        if (channel && channel->comm == comm &&
            mm_envelopes_overlap(channel->peer, channel->tag, source, tag))
            mm_channel_flag(channel, why);
    }
    if (comm->taint_count < MM_TAINTS)
        comm->taints[comm->taint_count++] = (struct mm_taint){source, tag};
    else
        comm->taints[0] = (struct mm_taint){MM_ANY_SOURCE, MM_ANY_TAG};
}

/* An uncertain receive leaves the queue without having told what it took. */
static void lose(struct mm_engine *e, struct mm_receive *r, unsigned why)
{
    struct mm_comm *comm = r->comm;

    taint(e, comm, r->source, r->tag, why);
    mm_queue_remove(r);
    mm_receive_free(e, r);
    mm_queue_resolve(e, comm);
}

/* The request's handle was given out again while it is followed: the receive completed
 * where no wrapper saw it. */
static void evict(struct mm_engine *e, struct mm_receive *r)
{
    mm_followed_remove(e, r->request);
    r->request = 0;
    if (r->certain) {
        mm_receive_free(e, r);
    } else if (r->source == MM_ANY_SOURCE || r->tag == MM_ANY_TAG) {
        lose(e, r, MM_CHANNEL_UNSEEN);
    } else { /* its envelope is known all the same */
        r->completed = r->dropped = 1;
        mm_queue_resolve(e, r->comm);
    }
}

static struct mm_receive *new_certain(struct mm_engine *e, struct mm_comm *comm,
                                      const struct mm_counted *counted)
{
    struct mm_receive *r = mm_receive_new(e);

    if (!r)
        return NULL;
    r->comm = comm;
    r->certain = 1;
    r->counted = *counted;
    mm_receive_name(e, r);
    r->source = r->half.src;
    r->tag = r->half.tag;
    return r;
}

struct mm_receive *mm_engine_follow(struct mm_engine *e, struct mm_comm *comm,
                                    struct mm_receive *receive,
                                    const struct mm_counted *counted, uintptr_t request)
{
    struct mm_receive *stale, *r = receive;

    if (!r && !counted->channel)
        return NULL;
    mm_engine_lock(e);
    if (e->following && (stale = mm_followed_find(e, request)) != NULL)
        evict(e, stale);
    if (!r && counted->sampled)
        r = new_certain(e, comm, counted);
    if (r)
        mm_followed_put(e, r, request);
    else
        mm_ring_put(e, request, counted);
    mm_engine_unlock(e);
    return r;
}

size_t mm_engine_following(const struct mm_engine *e)
{
    return __atomic_load_n(&e->following, __ATOMIC_RELAXED);
}

struct mm_receive *mm_engine_followed(struct mm_engine *e, uintptr_t request)
{
    struct mm_receive *r;

    if (!mm_engine_following(e))
        return NULL;
    mm_engine_lock(e);
    r = mm_followed_find(e, request);
    mm_engine_unlock(e);
    return r;
}

/* --- Ends -------------------------------------------------------------------------- */

static void unfollow(struct mm_engine *e, struct mm_receive *r)
{
    if (r->request)
        mm_followed_remove(e, r->request);
    r->request = 0;
}

void mm_engine_completed(struct mm_engine *e, struct mm_receive *r, int source, int tag,
                         int failed)
{
    struct mm_comm *comm = r->comm;
    int32_t process;

    mm_engine_lock(e);
    unfollow(e, r);
    r->completed = 1;
    if (r->certain) {
        if (failed && r->counted.channel)
            mm_channel_flag(r->counted.channel, MM_CHANNEL_FAILED);
        r->dropped |= failed;
        mm_receive_finish(e, r);
    } else if (failed || !process_of(comm, source, &process) ||
               process == MM_ANY_SOURCE || tag < 0) {
        lose(e, r, MM_CHANNEL_FAILED);
    } else {
        r->source = process;
        r->tag = tag;
        mm_queue_resolve(e, comm);
    }
    mm_engine_unlock(e);
}

void mm_engine_probing(struct mm_engine *e, struct mm_comm *comm, int source, int tag,
                       struct mm_counted *counted)
{
    int32_t process;

    counted->channel = NULL;
    counted->sampled = 0;
    counted->order = 0;
    if (!e->locked || !is_followed(comm) || !process_of(comm, source, &process))
        return;
    mm_engine_lock(e);
    begin_post(e, comm, process, tag, counted);
    mm_engine_unlock(e);
}

struct mm_receive *mm_engine_matched(struct mm_engine *e, struct mm_comm *comm,
                                     const struct mm_counted *counted, int source,
                                     int tag)
{
    struct mm_receive *r = NULL;
    int32_t process;
    int alone = 1;

    if (!is_followed(comm))
        return NULL;
    mm_engine_lock(e);
    if (e->locked)
        alone = end_post(e, counted);
    if (process_of(comm, source, &process) && process != MM_ANY_SOURCE && tag >= 0 &&
        (r = enqueue(e, comm, process, tag)) != NULL) {
        r->completed = r->awaiting = 1;
        r->dropped = !alone;
        mm_queue_resolve(e, comm);
    }
    mm_engine_unlock(e);
    return r;
}

void mm_engine_matched_received(struct mm_engine *e, struct mm_receive *r)
{
    mm_engine_lock(e);
    r->awaiting = 0;
    unfollow(e, r);
    if (r->certain)
        mm_receive_finish(e, r);
    mm_engine_unlock(e);
}

/* --- Cancelled and freed ------------------------------------------------------------ */

/* Follow a receive that was not sampled under its old serial and is under its new one.
 * When it was posted is not known. */
static void promote(struct mm_engine *e, struct mm_remembered *entry,
                    struct mm_counted *counted)
{
    struct mm_receive *r = new_certain(e, counted->channel->comm, counted);

    if (!r)
        return;
    mm_followed_put(e, r, entry->request);
    entry->channel = NULL;
}

static void recount(struct mm_engine *e, struct mm_counted *counted, uint64_t k)
{
    struct mm_channel *channel = counted->channel;
    uint64_t count = channel->count;

    channel->count = k;
    channel->next = 0;
    mm_receive_count(e, channel, counted);
    channel->next = 0;
    mm_channel_counts(channel, count);
}

/* The receive with serial `k` of a channel was cancelled. One posted later cannot have
 * matched while it was pending: those are pending, too, and each comes one earlier. */
static void uncount(struct mm_engine *e, struct mm_channel *channel, uint64_t k)
{
    uint64_t later = channel->count - 1 - k, found = 0;

    /* Before the ring, which adds to those that are followed. */
    for (size_t i = 0; e->followed && later && i <= e->followed_mask; i++) {
        struct mm_receive *r = e->followed[i].receive;

        if (r && r->certain && !r->completed && r->counted.channel == channel &&
            r->counted.k > k) {
            recount(e, &r->counted, r->counted.k - 1);
            mm_receive_name(e, r);
            found++;
        }
    }
    for (uint64_t i = 0; later && i < MM_RING; i++) {
        struct mm_remembered *entry = &e->ring[i];
        struct mm_counted counted = {.channel = channel};

        if (entry->channel != channel || entry->k <= k)
            continue;
        found++;
        recount(e, &counted, --entry->k);
        if (counted.sampled)
            promote(e, entry, &counted);
    }
    mm_channel_counts(channel, channel->count - 1);
    if (found != later)
        mm_channel_flag(channel, MM_CHANNEL_CANCELLED);
}

/* Nobody knows which channel the request was of. */
static void flag_all(struct mm_engine *e)
{
    for (size_t i = 0; e->receives.slots && i <= e->receives.mask; i++)
        if (e->receives.slots[i].channel)
            mm_channel_flag(e->receives.slots[i].channel, MM_CHANNEL_CANCELLED);
}

int mm_engine_remembers(struct mm_engine *e, uintptr_t request)
{
    int found;

    mm_engine_lock(e);
    found = mm_ring_find(e, request) != NULL;
    mm_engine_unlock(e);
    return found;
}

static void cancel_followed(struct mm_engine *e, struct mm_receive *r)
{
    struct mm_comm *comm = r->comm;

    unfollow(e, r);
    if (r->certain) {
        if (r->counted.channel)
            uncount(e, r->counted.channel, r->counted.k);
        mm_receive_free(e, r);
        return;
    }
    mm_queue_remove(r);
    mm_receive_free(e, r);
    mm_queue_resolve(e, comm);
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
    } else if (entry) {
        struct mm_channel *channel = entry->channel;

        entry->channel = NULL;
        uncount(e, channel, entry->k);
    } else {
        flag_all(e);
    }
    mm_engine_unlock(e);
}

void mm_engine_freed(struct mm_engine *e, uintptr_t request)
{
    struct mm_receive *r;

    mm_engine_lock(e);
    r = mm_followed_find(e, request);
    if (r) {
        unfollow(e, r);
        if (!r->certain)
            lose(e, r, MM_CHANNEL_FREED);
        else
            mm_receive_free(e, r);
    }
    mm_engine_unlock(e);
}
