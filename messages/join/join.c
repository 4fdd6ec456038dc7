/* SPDX-License-Identifier: BSD-3-Clause */
/* join.c: join the send record and the receive record of a message by their key. */
#include "messages/join/join.h"

#include "messages/join/parts.h"
#include "messages/join/waiting.h"

#include <pthread.h>

enum { RING = 16384, RING_ALL = 65536, MOST_RING = 1 << 30 };

struct mm_join {
    struct mm_join_options options;
    struct mm_waiting receives, sends;
    uint64_t receives_lost; /* receive records that were displaced, and are not yet set
                             * off against a send record */
    pthread_mutex_t mutex;
};

struct mm_join *mm_join_new(const struct mm_join_options *options, struct cca_error *err)
{
    struct mm_join *join = mm_memory_new(sizeof *join);
    size_t ring = options->ring;

    if (!ring)
        ring = options->remembers_all ? RING_ALL : RING;
    if (ring > MOST_RING)
        ring = MOST_RING;
    if (!join || mm_waiting_init(&join->receives, ring) ||
        mm_waiting_init(&join->sends, ring)) {
        cca_no_memory(err);
        mm_join_free(join);
        return NULL;
    }
    join->options = *options;
    pthread_mutex_init(&join->mutex, NULL);
    return join;
}

void mm_join_free(struct mm_join *join)
{
    if (!join)
        return;
    mm_waiting_done(&join->receives);
    mm_waiting_done(&join->sends);
    mm_memory_free(join, sizeof *join);
}

static void lock(struct mm_join *join)
{
    if (join->options.locked)
        pthread_mutex_lock(&join->mutex);
}

static void unlock(struct mm_join *join)
{
    if (join->options.locked)
        pthread_mutex_unlock(&join->mutex);
}

static void count(struct mm_join *join, enum mm_messages_count which, uint64_t number)
{
    mm_messages_add(&join->options.counts[which], number, join->options.locked);
}

static int is_one_message(const struct mm_messages_half *send,
                          const struct mm_messages_half *recv)
{
    if (send->comm != recv->comm || send->k != recv->k || send->src != recv->src ||
        send->dst != recv->dst || send->tag != recv->tag)
        return 0;
    return send->bytes == recv->bytes ||
           (send->flags | recv->flags) & (MM_HALF_BYTES_UNKNOWN | MM_HALF_TRUNCATED);
}

static void meet(struct mm_join *join, const struct mm_messages_half *send,
                 const struct mm_messages_half *recv)
{
    count(join, MM_MESSAGES_JOINED, 1);
    if ((send->flags | recv->flags) & MM_HALF_UNVERIFIED)
        count(join, MM_MESSAGES_UNVERIFIED, 1);
    else if (!is_one_message(send, recv))
        count(join, MM_MESSAGES_MISMATCHED, 1);
    else
        join->options.joined(join->options.context, send, recv);
}

void mm_join_receive(struct mm_join *join, const struct mm_messages_half *half)
{
    uint32_t other;

    lock(join);
    other = mm_waiting_find(&join->sends, half->key);
    if (other) {
        meet(join, &join->sends.entries[other].half, half);
        mm_waiting_remove(&join->sends, other);
    } else if (mm_waiting_add(&join->receives, half)) {
        count(join, MM_MESSAGES_UNANSWERED, 1);
        join->receives_lost++;
    }
    unlock(join);
}

void mm_join_send(struct mm_join *join, const struct mm_messages_half *half)
{
    uint32_t other;

    lock(join);
    other = mm_waiting_find(&join->receives, half->key);
    if (other) {
        meet(join, half, &join->receives.entries[other].half);
        mm_waiting_remove(&join->receives, other);
    } else if (mm_waiting_add(&join->sends, half)) {
        count(join, MM_MESSAGES_DROPPED_RING, 1);
        /* the receive record of the oldest send was most likely displaced */
        join->receives_lost -= join->receives_lost > 0;
    }
    unlock(join);
}

static size_t drop_all(struct mm_waiting *waiting)
{
    size_t number = waiting->count;

    while (waiting->oldest)
        mm_waiting_remove(waiting, waiting->oldest);
    return number;
}

void mm_join_end(struct mm_join *join)
{
    uint64_t sends, dropped;

    lock(join);
    count(join, MM_MESSAGES_UNANSWERED, drop_all(&join->receives));
    sends = drop_all(&join->sends);
    dropped = sends < join->receives_lost ? sends : join->receives_lost;
    count(join, MM_MESSAGES_DROPPED_RING, dropped);
    count(join, MM_MESSAGES_HALF, sends - dropped);
    join->receives_lost = 0;
    unlock(join);
}
