/* SPDX-License-Identifier: BSD-3-Clause */
/* pairs.c: numbers of messages and of samples for each pair of processes. */
#include "messages/read/parts.h"

#include <errno.h>
#include <stdlib.h>

struct pair {
    uint64_t messages, samples;
};

struct mm_message_pairs {
    struct mm_word_table table; /* table of counts by sending and receiving process */
    struct pair all;
};

static struct pair *add_pair(struct mm_message_pairs *pairs, int src, int dst)
{
    uint64_t key[] = {(uint32_t)src, (uint32_t)dst};

    return mm_word_table_add(&pairs->table, key);
}

static int on_channel(void *context, int process, const void *entry)
{
    struct mm_message_pairs *pairs = context;
    const struct mm_messages_channel *channel = entry;
    struct pair *pair;

    if (channel->side != MM_MESSAGES_RECEIVE)
        return 0;
    pair = add_pair(pairs, channel->peer, process);
    if (!pair)
        return -ENOMEM;
    pair->messages += channel->count;
    pairs->all.messages += channel->count;
    return 0;
}

struct mm_message_pairs *mm_message_pairs_new(const struct mm_messages *messages,
                                              struct cca_error *err)
{
    struct mm_message_pairs *pairs = calloc(1, sizeof *pairs);
    int code;

    if (!pairs) {
        cca_no_memory(err);
        return NULL;
    }
    mm_word_table_init(&pairs->table, 2, sizeof(struct pair));
    code = mm_messages_walk(messages, MM_MESSAGES_CHANNELS, on_channel, pairs, NULL, err);
    if (!code)
        return pairs;
    if (code == -ENOMEM)
        cca_no_memory(err);
    mm_message_pairs_free(pairs);
    return NULL;
}

void mm_message_pairs_free(struct mm_message_pairs *pairs)
{
    if (pairs)
        mm_word_table_done(&pairs->table);
    free(pairs);
}

int mm_message_pairs_sampled(struct mm_message_pairs *pairs, int src, int dst,
                             uint64_t count)
{
    struct pair *pair = add_pair(pairs, src, dst);

    if (!pair)
        return -ENOMEM;
    pair->samples += count;
    pairs->all.samples += count;
    return 0;
}

double mm_message_pairs_factor(const struct mm_message_pairs *pairs, int src, int dst)
{
    uint64_t key[] = {(uint32_t)src, (uint32_t)dst};
    const struct pair *pair = mm_word_table_find(&pairs->table, key);

    /* the count is older than the samples, because the run is not finished */
    if (!pair || pair->messages < pair->samples || !pair->samples)
        pair = &pairs->all;
    return pair->samples && pair->messages > pair->samples
               ? (double)pair->messages / (double)pair->samples
               : 1;
}
