/* SPDX-License-Identifier: BSD-3-Clause */
/* groups.h: sum samples by the requested key: callsites, ranks, nodes, methods, sizes. */
#ifndef MESSAGES_READ_GROUPS_H
#define MESSAGES_READ_GROUPS_H

#include "messages/read/estimate.h"
#include "messages/read/parts.h"

/* Components of the key by which samples are grouped. */
enum mm_message_by {
    MM_BY_SITES = 1,   /* the key has both callsites */
    MM_BY_METHODS = 2, /* the key has both methods */
    MM_BY_SIZE = 4,
    MM_BY_RANKS = 8,
    MM_BY_NODES = 16,   /* the key has the hosts of both ends */
    MM_BY_RECEIVER = 32 /* with MM_BY_METHODS: only the receiving method */
};

struct mm_message_group {
    int32_t src, dst; /* ranks of sender and receiver; -1: the key has no processes, or
                       * `other` is set */
    uint64_t send_site, recv_site;
    const struct mm_method_info *send_method, *recv_method;
    int32_t src_host, dst_host; /* hosts of sender and receiver; -1: unknown */
    uint32_t size_class;
    int other;
    struct mm_message_sums sums;
    /* Exact counts from mm_message_groups_exact, if the key has only ranks or nodes. */
    uint64_t messages, bytes;
    int bytes_unknown; /* 1: the exact bytes are unknown, because a sender has no file */
    double buckets[MM_MESSAGES_BUCKETS]; /* estimated number of messages in each bucket
                                          * of latency */
};

struct mm_message_groups {
    const struct mm_messages *messages;
    unsigned by; /* components of the key: bits of enum mm_message_by */
    struct mm_word_table table;
    int has_buckets;
};

void mm_message_groups_init(struct mm_message_groups *groups,
                            const struct mm_messages *messages, unsigned by);
void mm_message_groups_done(struct mm_message_groups *groups);
/* Add a part, samples with equal keys, to its group. Returns 0 or -ENOMEM. */
int mm_message_groups_add(struct mm_message_groups *groups,
                          const struct mm_message_part *part);
/* Add exact numbers of messages and bytes from the channels for which `takes` (may be
 * NULL) is true; for groups by ranks or nodes only. The numbers are the sender's, or the
 * receiver's if the sender has no file. Returns 0 or a negative errno with `err`. */
int mm_message_groups_exact(struct mm_message_groups *groups,
                            int (*takes)(void *context, int src, int dst), void *context,
                            struct cca_error *err);

static inline size_t mm_message_groups_count(const struct mm_message_groups *groups)
{
    return groups->table.count;
}
static inline struct mm_message_group *
mm_message_groups_at(const struct mm_message_groups *groups, size_t index)
{
    return mm_word_table_value(&groups->table, index);
}

#endif
