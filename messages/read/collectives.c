/* SPDX-License-Identifier: BSD-3-Clause */
/* collectives.c: join the parts of collective calls by communicator and ordinal.
 *
 * Each range of instances is read twice: first to find the process that came last, then
 * for the waiting times. */
#include "messages/read/collectives.h"

#include <errno.h>
#include <string.h>

enum { DEFAULT_MEMORY = 64 << 20, KEY_WORDS = 5 };

struct instance {
    double last_ns; /* time when the last process entered */
    int32_t last;
    uint32_t parts;
    double p;
    int is_whole;
};

/* Waiting time of one callsite in one instance. */
struct share {
    double ns;
};

struct joining {
    struct mm_collectives *result;
    const struct mm_messages *m;
    uint64_t ranges, now;
    /* table of instances by communicator and ordinal number */
    struct mm_word_table instances;
    /* table of waiting times (struct share) by instance and group */
    struct mm_word_table shares;
    /* table by group and process: number of times that the process came last */
    struct mm_word_table lasts;
    int (*takes)(void *context, int process, uint64_t site,
                 const struct mm_method_info *method);
    void *context;
    struct cca_error *err;
};

static int is_in_range(const struct joining *j, const struct mm_messages_collective *c)
{
    uint64_t hash =
        (c->comm ^ (c->ordinal + 1) * 0x9e3779b97f4a7c15ULL) * 0xff51afd7ed558ccdULL;

    return (hash >> 32) * j->ranges >> 32 == j->now;
}

static int is_good(const struct mm_messages_collective *c)
{
    return c->p > 1e-300 && c->p <= 1 && memchr(c->name, '\0', sizeof c->name);
}

static int find_last(void *context, int process, const void *entry)
{
    struct joining *j = context;
    const struct mm_messages_collective *c = entry;
    const uint64_t key[] = {c->comm, c->ordinal};
    struct instance *instance;
    double enter;

    if (!is_in_range(j, c) || !is_good(c))
        return 0;
    instance = mm_word_table_add(&j->instances, key);
    if (!instance)
        return -ENOMEM;
    enter = mm_messages_common_ns(j->m, process, c->t_enter, NULL);
    if (!instance->parts++ || enter > instance->last_ns) {
        instance->last_ns = enter;
        instance->last = process;
    }
    instance->p = c->p;
    return 0;
}

/* Number of processes of a communicator; 0: unknown, or an intercommunicator. */
static uint32_t size_of(const struct joining *j, uint64_t id)
{
    const struct mm_messages_comm *comm = mm_messages_comm(j->m, id);

    return comm && !(comm->flags & 1) ? comm->size : 0;
}

static void judge_instances(struct joining *j)
{
    for (size_t i = 0; i < j->instances.count; i++) {
        struct instance *instance = mm_word_table_value(&j->instances, i);
        uint32_t size = size_of(j, mm_word_table_key(&j->instances, i)[0]);

        instance->is_whole = !size || instance->parts == size;
        j->result->instances += (uint64_t)instance->is_whole;
        j->result->incomplete += (uint64_t)!instance->is_whole;
    }
}

static struct mm_collective_group *find_group(struct joining *j,
                                              const struct mm_messages_collective *c,
                                              const struct mm_method_info *method)
{
    uint64_t key[KEY_WORDS] = {c->site, method ? method->index + 1 : 0};
    struct mm_collective_group *group;

    memcpy(&key[2], c->name, strlen(c->name));
    group = mm_word_table_add(&j->result->table, key);
    if (group && !group->calls) {
        memcpy(group->function, &key[2], sizeof group->function);
        group->site = c->site;
        group->method = method;
    }
    return group;
}

/* Count that `process` came last in an instance of a group. */
static int count_last(struct joining *j, struct mm_collective_group *group,
                      int32_t process)
{
    const uint64_t key[] = {(uint64_t)(uintptr_t)group, (uint32_t)process};
    uint64_t *count = mm_word_table_add(&j->lasts, key);

    if (!count)
        return -ENOMEM;
    if (++*count > group->last_count ||
        (*count == group->last_count && process < group->last)) {
        group->last_count = *count;
        group->last = process;
    }
    return 0;
}

static int add_wait(void *context, int process, const void *entry)
{
    struct joining *j = context;
    const struct mm_messages_collective *c = entry;
    const uint64_t key[] = {c->comm, c->ordinal};
    const struct mm_method_info *method = mm_messages_method(j->m, process, c->method);
    const struct instance *instance;
    struct mm_collective_group *group;
    struct share *share;
    double enter, leave, wait;
    size_t shares = j->shares.count;

    if (!is_in_range(j, c) || !is_good(c))
        return 0;
    instance = mm_word_table_find(&j->instances, key);
    if (!instance || !instance->is_whole ||
        (j->takes && !j->takes(j->context, process, c->site, method)))
        return 0;
    group = find_group(j, c, method);
    share = group ? mm_word_table_add(&j->shares,
                                      (const uint64_t[]){(uint64_t)(uintptr_t)instance,
                                                         (uint64_t)(uintptr_t)group})
                  : NULL;
    if (!share)
        return -ENOMEM;
    /* a nonblocking collective waits in the completing call */
    enter = mm_messages_common_ns(j->m, process,
                                  c->t_wait > c->t_enter ? c->t_wait : c->t_enter, NULL);
    leave = mm_messages_common_ns(j->m, process, c->t_exit, NULL);
    wait = (leave < instance->last_ns ? leave : instance->last_ns) - enter;
    wait = wait > 0 ? wait : 0;
    share->ns += wait;
    group->calls++;
    group->bytes += c->bytes;
    group->max_ns = wait > group->max_ns ? wait : group->max_ns;
    return shares < j->shares.count ? count_last(j, group, instance->last) : 0;
}

/* Add the waiting times of the instances of the current range to their groups. */
static void fold_shares(struct joining *j)
{
    for (size_t i = 0; i < j->shares.count; i++) {
        const uint64_t *key = mm_word_table_key(&j->shares, i);
        const struct share *share = mm_word_table_value(&j->shares, i);
        const struct instance *instance = (const void *)(uintptr_t)key[0];
        struct mm_collective_group *group = (void *)(uintptr_t)key[1];
        double w = 1 / instance->p, spread = w * w - w;

        group->instances++;
        group->weight += w;
        group->weight_variance += spread;
        group->total_ns += w * share->ns;
        group->variance += spread * share->ns * share->ns;
        group->squares += w * w * share->ns * share->ns;
        group->positive += share->ns > 0;
    }
}

static int join_range(struct joining *j)
{
    int code;

    mm_word_table_init(&j->instances, 2, sizeof(struct instance));
    mm_word_table_init(&j->shares, 2, sizeof(struct share));
    code = mm_messages_walk(j->m, MM_MESSAGES_COLLECTIVES, find_last, j,
                            j->now ? NULL : &j->result->odd, j->err);
    judge_instances(j);
    if (!code)
        code = mm_messages_walk(j->m, MM_MESSAGES_COLLECTIVES, add_wait, j, NULL, j->err);
    if (!code)
        fold_shares(j);
    mm_word_table_done(&j->instances);
    mm_word_table_done(&j->shares);
    return code;
}

int mm_collectives_read(struct mm_collectives *collectives, const struct mm_messages *m,
                        size_t memory,
                        int (*takes)(void *context, int process, uint64_t site,
                                     const struct mm_method_info *method),
                        void *context, struct cca_error *err)
{
    struct joining j = {
        .result = collectives, .m = m, .takes = takes, .context = context, .err = err};
    /* limit of instances in memory: one takes some 256 bytes, with its share and table
     * entries */
    uint64_t most = (memory ? memory : DEFAULT_MEMORY) / 256;
    int code = 0;

    memset(collectives, 0, sizeof *collectives);
    mm_word_table_init(&collectives->table, KEY_WORDS,
                       sizeof(struct mm_collective_group));
    mm_word_table_init(&j.lasts, 2, sizeof(uint64_t));
    /* usually all processes have a part of each instance */
    j.ranges = 1 + m->entries[MM_MESSAGES_COLLECTIVES] / (uint64_t)m->present /
                       (most ? most : 1);
    for (j.now = 0; j.now < j.ranges && !code; j.now++)
        code = join_range(&j);
    mm_word_table_done(&j.lasts);
    return code == -ENOMEM ? cca_no_memory(err) : code;
}

void mm_collectives_done(struct mm_collectives *collectives)
{
    mm_word_table_done(&collectives->table);
}

struct mm_message_estimate mm_collective_wait(const struct mm_collective_group *g)
{
    if (g->instances && g->weight_variance <= 0)
        return (struct mm_message_estimate){g->total_ns, 1, g->total_ns, g->total_ns, 1};
    return mm_estimate_interval(g->total_ns, g->variance, g->squares, g->instances,
                                g->positive);
}
