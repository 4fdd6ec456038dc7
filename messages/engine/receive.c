/* SPDX-License-Identifier: BSD-3-Clause */
/* receive.c: receives from posting to completion. Receives that end without a message are
 * in cancel.c. */
#include "messages/engine/hot.h"

/* --- Threads ---------------------------------------------------------------------- */

/* MPI defines no order for receives that two threads post at the same time and that could
 * take the same message, nor for the receives of one MPI_Startall. While such posts
 * overlap (from mm_engine_post to mm_engine_posted; for a blocking receive until it
 * returns), the engine's order may differ from MPI's. Then:
 *
 * - A receive that is posted alone afterwards follows all of them in both orders. Its
 *   serial is the number of receives before it that take messages of its channel, and
 *   that number is the same for each order: as a set they take the same messages. So the
 *   serial is right, and so is each count.
 * - Overlapping receives may have each other's serials. mm_engine_posted returns 0 for
 *   all of them, and their samples are dropped; records of senders with these serials
 *   find no counterpart.
 * - A cancel changes the serials of receives after the cancelled one. If one of these
 *   overlapped (`disordered`), MPI may order it before: the channel is unverified.
 *
 * For sends, which concern only one channel, see engine.c. */
static void begin_post(struct mm_engine *e, struct mm_comm *comm, int32_t source,
                       int32_t tag, struct mm_counted *counted)
{
    struct mm_post *post = NULL;
    int crowded = e->post_hidden > 0;

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
    /* no entry is free to note this post: the samples of all posts that begin while it is
     * in progress are dropped */
    if (!post) {
        e->post_hidden++;
        counted->order = UINT32_MAX;
        return;
    }
    *post = (struct mm_post){comm, source, tag, crowded};
    if ((int)counted->order > e->post_count)
        e->post_count = (int)counted->order;
}

/* End a post. Returns 0 if another post began meanwhile, or if there was no room to
 * notice it. */
static int end_post(struct mm_engine *e, const struct mm_counted *counted)
{
    struct mm_post *post;

    if (!counted->order)
        return 1;
    if (counted->order == UINT32_MAX) {
        e->post_hidden--;
        return 0;
    }
    post = &e->posts[counted->order - 1];
    post->comm = NULL;
    while (e->post_count && !e->posts[e->post_count - 1].comm)
        e->post_count--;
    return !post->disordered;
}

/* --- Posting ---------------------------------------------------------------------- */

static int is_followed(const struct mm_comm *comm)
{
    return comm && !mm_comm_has(comm, MM_COMM_OFF);
}

/* Set `*process` to the process of a rank. Returns 0 if there is no such rank. */
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

    if (r) {
        r->comm = comm;
        r->source = source;
        r->tag = tag;
        if (mm_queue_append(r) == 0)
            return r;
        mm_receive_free(e, r);
    }
    /* serials of the communicator would be wrong from here on: switch it off */
    mm_comm_off(e, comm);
    return NULL;
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
    if (mm_engine_several(e))
        begin_post(e, comm, process, tag, counted);
    if (process != MM_ANY_SOURCE && tag != MM_ANY_TAG &&
        !mm_queue_blocks(comm, UINT64_MAX, process, tag)) {
        struct mm_channel *channel =
            mm_hot_find(e, MM_MESSAGES_RECEIVE, comm, source, process, tag);

        if (channel)
            mm_receive_count(e, channel, counted);
    } else {
        r = enqueue(e, comm, process, tag);
    }
    mm_engine_unlock(e);
    return r;
}

int mm_engine_posted(struct mm_engine *e, struct mm_comm *comm,
                     const struct mm_counted *counted, struct mm_receive *receive)
{
    struct mm_channel *channel = counted->channel;
    uint64_t k = counted->k;
    int alone;

    (void)comm;
    if (!counted->order)
        return 1;
    mm_engine_lock(e);
    alone = end_post(e, counted);
    if (receive && !alone) {
        receive->dropped = 1;
        channel = receive->certain ? receive->counted.channel : NULL;
        k = receive->counted.k;
    }
    if (!alone && channel && channel->disordered <= k)
        channel->disordered = k + 1;
    mm_engine_unlock(e);
    return alone;
}

/* --- Requests --------------------------------------------------------------------- */

static void taint(struct mm_engine *e, struct mm_comm *comm, int32_t source, int32_t tag,
                  unsigned why)
{
    for (size_t i = 0; e->receives.slots && i <= e->receives.mask; i++) {
        struct mm_channel *channel = e->receives.slots[i].channel;

        if (channel && channel->comm->id == comm->id &&
            mm_envelopes_overlap(channel->peer, channel->tag, source, tag))
            mm_channel_flag(channel, why);
    }
    if (comm->taint_count < MM_TAINTS)
        comm->taints[comm->taint_count++] = (struct mm_taint){source, tag};
    else
        comm->taints[0] = (struct mm_taint){MM_ANY_SOURCE, MM_ANY_TAG};
}

/* Remove an uncertain receive whose message is unknown from the queue. */
static void lose(struct mm_engine *e, struct mm_receive *r, unsigned why)
{
    struct mm_comm *comm = r->comm;

    taint(e, comm, r->source, r->tag, why);
    mm_queue_leave(e, r);
    mm_receive_free(e, r);
}

void mm_receive_unfollow(struct mm_engine *e, struct mm_receive *r)
{
    if (r->request)
        mm_followed_remove(e, r->request);
    r->request = 0;
}

void mm_receive_give_up(struct mm_engine *e, struct mm_receive *r, unsigned why)
{
    mm_receive_unfollow(e, r);
    r->awaiting = 0;
    r->dropped = 1;
    if (r->certain)
        mm_receive_free(e, r);
    else if (r->wild)
        lose(e, r, why);
    else /* the envelope (source and tag) of an exact receive is known without a status */
        mm_queue_complete(e, r, r->source, r->tag);
}

struct mm_receive *mm_receive_certain(struct mm_engine *e,
                                      const struct mm_counted *counted)
{
    struct mm_receive *r = mm_receive_new(e);

    if (!r)
        return NULL;
    r->comm = counted->channel->comm;
    r->certain = 1;
    r->counted = *counted;
    mm_receive_name(e, r);
    r->source = r->half.src;
    r->tag = r->half.tag;
    return r;
}

/* MPI returned a request handle for a new request. If an older receive with this handle
 * is still followed, it has completed in a call without wrapper. */
static void reuse(struct mm_engine *e, uintptr_t request)
{
    struct mm_receive *stale = e->following ? mm_followed_find(e, request) : NULL;

    if (!stale)
        return;
    /* another thread may be inside a call that has completed the receive, and will report
     * it */
    if (e->locked && stale->held)
        mm_receive_unfollow(e, stale);
    else
        mm_receive_give_up(e, stale, MM_CHANNEL_UNSEEN);
}

struct mm_receive *mm_engine_follow(struct mm_engine *e, struct mm_comm *comm,
                                    struct mm_receive *receive,
                                    const struct mm_counted *counted, uintptr_t request)
{
    struct mm_receive *r = receive;

    (void)comm;
    mm_engine_lock(e);
    reuse(e, request);
    if (!r && counted->channel && counted->sampled)
        r = mm_receive_certain(e, counted);
    /* the old entry must not be found when the new receive is no longer followed */
    mm_ring_put(e, request, r ? NULL : counted->channel, counted->k);
    /* out of memory: the receive's completion would not be seen */
    if (r && mm_followed_put(e, r, request)) {
        mm_receive_give_up(e, r, MM_CHANNEL_UNSEEN);
        r = NULL;
    }
    mm_engine_unlock(e);
    return r;
}

void mm_engine_other(struct mm_engine *e, uintptr_t request, struct mm_channel *channel)
{
    mm_engine_lock(e);
    reuse(e, request);
    mm_ring_put(e, request, channel, 0);
    mm_engine_unlock(e);
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
    if (r)
        r->held = 1;
    mm_engine_unlock(e);
    return r;
}

/* --- Ends -------------------------------------------------------------------------- */

void mm_engine_completed(struct mm_engine *e, struct mm_receive *r, int source, int tag,
                         int failed)
{
    struct mm_comm *comm = r->comm;
    int32_t process;

    mm_engine_lock(e);
    /* two threads report the completion: MPI reused the handle in a call without wrapper;
     * the first thread has reported it already */
    if (r->freed || (r->completed && !r->awaiting)) {
        mm_engine_unlock(e);
        return;
    }
    mm_receive_unfollow(e, r);
    /* the envelope (source and tag) was known when the message was matched */
    if (r->awaiting) {
        r->awaiting = 0;
        r->dropped |= failed;
        if (r->certain)
            mm_receive_finish(e, r);
    } else if (r->certain) {
        if (failed && r->counted.channel)
            mm_channel_flag(r->counted.channel, MM_CHANNEL_FAILED);
        r->completed = 1;
        r->dropped |= failed;
        mm_receive_finish(e, r);
    } else if (failed || !process_of(comm, source, &process) ||
               process == MM_ANY_SOURCE || tag < 0) {
        lose(e, r, MM_CHANNEL_FAILED);
    } else {
        mm_queue_complete(e, r, process, tag);
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
    if (!mm_engine_several(e) || !is_followed(comm) ||
        !process_of(comm, source, &process))
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
    int alone;

    if (!comm || (!counted->order && !is_followed(comm)))
        return NULL;
    mm_engine_lock(e);
    alone = end_post(e, counted);
    if (is_followed(comm) && process_of(comm, source, &process) &&
        process != MM_ANY_SOURCE && tag >= 0 &&
        (r = enqueue(e, comm, process, tag)) != NULL) {
        r->awaiting = 1;
        r->dropped = !alone;
        mm_queue_complete(e, r, process, tag);
    }
    mm_engine_unlock(e);
    return r;
}

void mm_engine_matched_received(struct mm_engine *e, struct mm_receive *r)
{
    mm_engine_lock(e);
    if (r->awaiting && !r->freed) { /* another thread may have done this already, as in
                                     * mm_engine_completed */
        r->awaiting = 0;
        mm_receive_unfollow(e, r);
        if (r->certain)
            mm_receive_finish(e, r);
    }
    mm_engine_unlock(e);
}
