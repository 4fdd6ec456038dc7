/* SPDX-License-Identifier: BSD-3-Clause */
/* halves.c: join records by key. Send records are held in memory, because each of them is
 * a sample; receive records, of which there may be many more, are streamed. */
#include "messages/read/parts.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"

enum { DEFAULT_MEMORY = 64 << 20 };

struct held {
    struct mm_messages_half half;
    size_t next; /* next record in the hash bucket: index + 1; 0: none */
    int met;
};

struct halves {
    const struct mm_messages *m;
    uint64_t sends; /* number of send records in all files */
    /* parts: number of ranges of keys; now: the range that is read now */
    uint64_t parts, now;
    struct held *held;
    size_t count, *heads, mask;
    mm_message_pair_function function;
    void *context;
    struct mm_messages_joined *joined;
    struct cca_error *err;
};

static int count_send(void *context, int process, const void *entry)
{
    struct halves *h = context;
    const struct mm_messages_half *half = entry;

    (void)process;
    h->sends += half->side == MM_MESSAGES_SEND;
    return 0;
}

static int is_in_range(const struct halves *h, uint64_t key)
{
    return (key >> 32) * h->parts >> 32 == h->now;
}

static size_t *head_of(const struct halves *h, uint64_t key)
{
    return &h->heads[(key * 0x9e3779b97f4a7c15ULL >> 20) & h->mask];
}

static int hold_send(void *context, int process, const void *entry)
{
    struct halves *h = context;
    const struct mm_messages_half *half = entry;
    struct held *held;
    size_t *head;

    (void)process;
    if (half->side != MM_MESSAGES_SEND || !is_in_range(h, half->key))
        return 0;
    held = cca_array_add(&h->held, &h->count, sizeof *held);
    if (!held)
        return cca_no_memory(h->err);
    head = head_of(h, half->key);
    held->half = *half;
    held->next = *head;
    *head = h->count;
    return 0;
}

static int is_same_message(const struct mm_messages_half *a,
                           const struct mm_messages_half *b)
{
    return a->comm == b->comm && a->src == b->src && a->dst == b->dst &&
           a->tag == b->tag && a->k == b->k;
}

static int meet_receive(void *context, int process, const void *entry)
{
    struct halves *h = context;
    const struct mm_messages_half *half = entry;
    struct held *held = NULL;

    if (half->side == MM_MESSAGES_SEND || !is_in_range(h, half->key))
        return 0;
    for (size_t at = *head_of(h, half->key); at && !held; at = h->held[at - 1].next)
        if (h->held[at - 1].half.key == half->key && !h->held[at - 1].met)
            held = &h->held[at - 1];
    if (!held) {
        h->joined->unanswered++;
        return 0;
    }
    held->met = 1;
    h->joined->joined++;
    if (!is_same_message(&held->half, half) || half->dst != process || half->src < 0 ||
        half->src >= h->m->processes ||
        (!((held->half.flags | half->flags) &
           (MM_HALF_BYTES_UNKNOWN | MM_HALF_TRUNCATED)) &&
         held->half.bytes != half->bytes)) {
        h->joined->mismatched++;
        return 0;
    }
    return h->function(h->context, &held->half, half);
}

static int join_range(struct halves *h)
{
    int code;

    h->count = 0;
    memset(h->heads, 0, (h->mask + 1) * sizeof *h->heads);
    code = mm_messages_walk(h->m, MM_MESSAGES_HALVES, hold_send, h, NULL, h->err);
    if (!code)
        code = mm_messages_walk(h->m, MM_MESSAGES_HALVES, meet_receive, h, NULL, h->err);
    for (size_t i = 0; i < h->count && !code; i++)
        h->joined->half += !h->held[i].met;
    /* cca_array_add needs a count of 0 for an array that does not exist yet */
    free(h->held);
    h->held = NULL;
    return code;
}

int mm_messages_halves(const struct mm_messages *messages, size_t memory,
                       mm_message_pair_function function, void *context,
                       struct mm_messages_joined *joined, struct cca_error *err)
{
    struct halves h = {.m = messages,
                       .function = function,
                       .context = context,
                       .joined = joined,
                       .err = err};
    uint64_t most = (memory ? memory : DEFAULT_MEMORY) / (2 * sizeof(struct held));
    int code;

    if (!messages->entries[MM_MESSAGES_HALVES])
        return 0;
    code =
        mm_messages_walk(messages, MM_MESSAGES_HALVES, count_send, &h, &joined->odd, err);
    if (code)
        return code;
    h.parts = 1 + h.sends / (most ? most : 1);
    h.mask = 1;
    while (h.mask < h.sends / h.parts)
        h.mask *= 2;
    h.mask -= 1;
    h.heads = malloc((h.mask + 1) * sizeof *h.heads);
    if (!h.heads)
        return cca_no_memory(err);
    for (h.now = 0; h.now < h.parts && !code; h.now++)
        code = join_range(&h);
    free(h.heads);
    return code;
}
