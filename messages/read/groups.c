/* SPDX-License-Identifier: BSD-3-Clause */
/* groups.c: sum samples by key. */
#include "messages/read/groups.h"

#include <errno.h>
#include <string.h>

enum { KEY_WORDS = 6 };

void mm_message_groups_init(struct mm_message_groups *groups,
                            const struct mm_messages *messages, unsigned by)
{
    groups->messages = messages;
    groups->by = by;
    groups->has_buckets = 0;
    mm_word_table_init(&groups->table, KEY_WORDS, sizeof(struct mm_message_group));
}

void mm_message_groups_done(struct mm_message_groups *groups)
{
    mm_word_table_done(&groups->table);
}

static int32_t host_of(const struct mm_messages *m, int32_t process)
{
    return process >= 0 && process < m->processes && m->process[process].present
               ? (int32_t)m->process[process].host
               : -1;
}

static uint64_t method_word(const struct mm_method_info *method)
{
    return method ? method->index + 1 : 0;
}

/* Find or add the group of a part (samples with equal keys), without adding its sums;
 * NULL: out of memory. */
static struct mm_message_group *find_group(struct mm_message_groups *groups,
                                           const struct mm_message_part *part)
{
    uint64_t key[KEY_WORDS] = {0};
    struct mm_message_group own = {.src = -1, .dst = -1, .src_host = -1, .dst_host = -1};
    struct mm_message_group *group;

    own.other = part->other;
    if (groups->by & MM_BY_SITES) {
        own.send_site = part->send_site;
        own.recv_site = part->recv_site;
    }
    if (groups->by & MM_BY_METHODS) {
        own.send_method = groups->by & MM_BY_RECEIVER ? NULL : part->send_method;
        own.recv_method = part->recv_method;
    }
    if (groups->by & MM_BY_SIZE)
        own.size_class = part->size_class;
    if (groups->by & MM_BY_RANKS) {
        own.src = part->src;
        own.dst = part->dst;
    }
    if (groups->by & (MM_BY_RANKS | MM_BY_NODES)) {
        own.src_host = host_of(groups->messages, part->src);
        own.dst_host = host_of(groups->messages, part->dst);
    }
    key[0] = (uint64_t)(uint32_t)own.src << 32 | (uint32_t)own.dst;
    key[1] = own.send_site;
    key[2] = own.recv_site;
    key[3] = method_word(own.send_method) << 32 | method_word(own.recv_method);
    key[4] = (uint64_t)own.size_class << 1 | (unsigned)own.other;
    key[5] = (uint64_t)(uint32_t)own.src_host << 32 | (uint32_t)own.dst_host;
    group = mm_word_table_add(&groups->table, key);
    if (group && !group->sums.count && !group->messages)
        memcpy(group, &own, offsetof(struct mm_message_group, sums));
    return group;
}

int mm_message_groups_add(struct mm_message_groups *groups,
                          const struct mm_message_part *part)
{
    struct mm_message_group *group = find_group(groups, part);
    double weight = part->sums.count ? part->sums.weight / (double)part->sums.count : 0;

    if (!group)
        return -ENOMEM;
    mm_message_sums_add(&group->sums, &part->sums);
    if (part->buckets) {
        groups->has_buckets = 1;
        for (size_t i = 0; i < MM_MESSAGES_BUCKETS; i++)
            group->buckets[i] += weight * part->buckets[i];
    } else if (part->bucket >= 0) {
        groups->has_buckets = 1;
        group->buckets[part->bucket] += weight;
    }
    return 0;
}

struct exact {
    struct mm_message_groups *groups;
    int (*takes)(void *context, int src, int dst);
    void *context;
};

static int on_channel(void *context, int process, const void *entry)
{
    struct exact *exact = context;
    struct mm_message_groups *groups = exact->groups;
    const struct mm_messages *m = groups->messages;
    const struct mm_messages_channel *channel = entry;
    int is_send = channel->side == MM_MESSAGES_SEND;
    struct mm_message_part part = {.src = is_send ? process : channel->peer,
                                   .dst = is_send ? channel->peer : process};
    struct mm_message_group *group;

    if (!is_send &&
        (part.src < 0 || part.src >= m->processes || m->process[part.src].present))
        return 0;
    if (!channel->count ||
        (exact->takes && !exact->takes(exact->context, part.src, part.dst)))
        return 0;
    group = find_group(groups, &part);
    if (!group)
        return -ENOMEM;
    group->messages += channel->count;
    group->bytes += is_send ? channel->bytes : 0;
    group->bytes_unknown |= !is_send;
    return 0;
}

int mm_message_groups_exact(struct mm_message_groups *groups,
                            int (*takes)(void *context, int src, int dst), void *context,
                            struct cca_error *err)
{
    struct exact exact = {groups, takes, context};
    int code = mm_messages_walk(groups->messages, MM_MESSAGES_CHANNELS, on_channel,
                                &exact, NULL, err);

    return code == -ENOMEM ? cca_no_memory(err) : code;
}
