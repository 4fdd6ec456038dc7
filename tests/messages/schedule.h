/* SPDX-License-Identifier: BSD-3-Clause */
/* schedule.h: random programs on the matching machine (matching.h), each process with an
 * engine that is told what the wrappers around MPI would tell it. */
#ifndef TESTS_MESSAGES_SCHEDULE_H
#define TESTS_MESSAGES_SCHEDULE_H

#include "tests/lib/test.h"

#include "messages/engine/hot.h"
#include "messages/words/words.h"
#include "tests/messages/matching.h"

enum { HANDLES = 4 * MOST, ENTRIES = 256 };
enum kind { BLOCKING, NONBLOCKING, PERSISTENT, IMRECV };

/* A receive as the program and the wrappers have it. */
struct op {
    struct receive r;
    enum kind kind;
    int told, freed, dropped; /* told: the engine knows that it is complete */
    uintptr_t request;
    struct mm_counted counted;
    struct mm_receive *receive; /* of the engine, where the wrapper still has it */
};

struct process {
    struct mm_engine *engine;
    struct mm_comm *comms[COMMS];
    struct mm_messages_channel entries[ENTRIES];
    int entry_count, entries_most;
    uintptr_t handles[HANDLES]; /* free ones, a stack: the last one is reused first */
    int handle_count;
    uintptr_t handle_next;
    struct op *ops[MOST]; /* active */
    int op_count;
    struct op *blocked;
    uintptr_t unseen[MOST]; /* handles of receives that ended where no wrapper saw it */
    int unseen_count;
    int flagged[COMMS][PROCESSES][TAGS]; /* channels that may be unverified */
};

struct world {
    struct machine machine;
    struct process processes[PROCESSES];
    struct op ops[MOST];
    int op_count;
    uint64_t random, seed;
    double p;
    int strategy, lowered, failing;
    /* How often, of 16. */
    int wild, cancels, probes, frees, unseens, togethers, persists, hot;
    /* What happened, over all schedules. */
    long long messages, received, halves, cancelled, dropped, verified, unverified,
        uncertain, matched_probes;
};

/* Members of each communicator by rank; an intercommunicator has two groups. */
static const struct {
    int size, inter, processes[PROCESSES], others, other[PROCESSES];
} groups[COMMS] = {
    {PROCESSES, 0, {0, 1, 2, 3}, 0, {0}},
    {PROCESSES, 0, {3, 2, 1, 0}, 0, {0}},
    {3, 0, {2, 0, 1}, 0, {0}},
    {2, 1, {0, 3}, 2, {2, 1}},
};

static inline uint32_t draw(struct world *w, uint32_t below)
{
    w->random ^= w->random << 13;
    w->random ^= w->random >> 7;
    w->random ^= w->random << 17;
    return (uint32_t)((w->random >> 24) % below);
}

static inline int chance(struct world *w, int of_16)
{
    return (int)draw(w, 16) < of_16;
}

static inline int has(const int *list, int size, int process)
{
    for (int i = 0; i < size; i++)
        if (list[i] == process)
            return 1;
    return 0;
}

/* The processes that `process` can talk to in a communicator, by rank; their number. */
static inline int peers_of(int comm, int process, const int **peers)
{
    if (has(groups[comm].processes, groups[comm].size, process)) {
        *peers = groups[comm].inter ? groups[comm].other : groups[comm].processes;
        return groups[comm].inter ? groups[comm].others : groups[comm].size;
    }
    *peers = groups[comm].processes;
    return groups[comm].inter && has(groups[comm].other, groups[comm].others, process)
               ? groups[comm].size
               : 0;
}

static inline int rank_of(int comm, int process, int peer)
{
    const int *peers;
    int size = peers_of(comm, process, &peers);

    for (int i = 0; i < size; i++)
        if (peers[i] == peer)
            return i;
    return MM_ANY_SOURCE;
}

static inline uintptr_t comm_handle(int comm)
{
    return 0x44000000u + (uintptr_t)comm;
}

static inline uint64_t comm_id(int comm)
{
    return mm_hash_mix((uint64_t)comm + 1);
}

/* --- The beginning ------------------------------------------------------------------ */

static struct mm_messages_channel *new_entry(void *context)
{
    struct process *process = context;

    return process->entry_count < process->entries_most
               ? &process->entries[process->entry_count++]
               : NULL;
}

static inline void begin_process(struct world *w, int p)
{
    struct process *process = &w->processes[p];
    struct mm_message_request request = {.strategy = w->strategy, .x = w->p};
    struct mm_engine_options options = {.request = &request,
                                        .seed = w->seed,
                                        .process = p,
                                        .ns_per_tick = 1,
                                        .channel_new = new_entry,
                                        .context = process};

    memset(process, 0, sizeof *process);
    process->entries_most = w->failing ? (int)draw(w, 12) : ENTRIES;
    process->handle_next = 0x1000;
    process->engine = mm_engine_new(&options, NULL);
    assert_non_null(process->engine);
    for (int c = 0; c < COMMS; c++) {
        int32_t list[PROCESSES];
        const int *peers;
        int size = peers_of(c, p, &peers);

        for (int i = 0; i < size; i++)
            list[i] = peers[i];
        if (size)
            process->comms[c] = mm_engine_comm_add(process->engine, comm_handle(c),
                                                   comm_id(c), c ? list : NULL, size,
                                                   groups[c].inter ? MM_COMM_INTER : 0);
    }
}

/* --- What the wrappers do with requests --------------------------------------------- */

static inline uintptr_t take_handle(struct process *process)
{
    return process->handle_count ? process->handles[--process->handle_count]
                                 : (process->handle_next += 16);
}

static inline void give_handle(struct process *process, uintptr_t handle)
{
    process->handles[process->handle_count++] = handle;
}

static inline void may_flag(struct world *w, const struct op *op)
{
    struct process *process = &w->processes[op->r.process];

    for (int s = 0; s < PROCESSES; s++)
        for (int t = 0; t < TAGS; t++)
            if ((op->r.source == ANY || op->r.source == s) &&
                (op->r.tag == ANY || op->r.tag == t))
                process->flagged[op->r.comm][s][t] = 1;
}

/* A half has come out for a message: it has to be that message's. */
static inline void check_half(struct world *w, const struct mm_messages_half *half,
                              struct message *m)
{
    m->halves++;
    w->halves++;
    if (half->flags & MM_HALF_UNVERIFIED)
        return;
    assert_int_equal(half->k, m->k);
    assert_int_equal(half->comm, comm_id(m->comm));
    assert_int_equal(half->src, m->src);
    assert_int_equal(half->dst, m->dst);
    assert_int_equal(half->tag, m->tag);
    if (m->counted)
        assert_int_equal(half->key, m->key);
}

static inline void drain(struct world *w, int p)
{
    struct mm_engine *e = w->processes[p].engine;

    for (struct mm_receive *r; (r = mm_engine_next(e)) != NULL;) {
        struct message *m = r->user ? w->ops[r->user - 1].r.message : NULL;

        /* Of one that was freed, or ended unseen, nobody has told. */
        assert_true(m || r->dropped);
        if (!r->dropped)
            check_half(w, &r->half, m);
        else if (m)
            m->dropped = 1;
        mm_engine_release(e, r);
    }
}

/* The engine learns that the receive has its message. */
static inline void tell(struct world *w, struct op *op)
{
    struct process *process = &w->processes[op->r.process];
    struct message *m = op->r.message;
    struct mm_receive *r = op->kind == BLOCKING
                               ? op->receive
                               : mm_engine_followed(process->engine, op->request);

    if (op->dropped)
        m->dropped = 1;
    if (op->told)
        return;
    op->told = 1;
    w->received++;
    if (r) {
        r->user = (uintptr_t)(op - w->ops) + 1;
        mm_engine_completed(process->engine, r, rank_of(m->comm, op->r.process, m->src),
                            m->tag, 0);
    } else if (op->kind == BLOCKING && op->counted.sampled && !op->dropped) {
        struct mm_messages_half half = {0};

        mm_engine_half(process->engine, &op->counted, MM_MESSAGES_RECEIVE, &half);
        check_half(w, &half, m);
    }
    drain(w, op->r.process);
}

static inline void end_op(struct world *w, struct op *op)
{
    struct process *process = &w->processes[op->r.process];

    for (int i = 0; i < process->op_count; i++)
        if (process->ops[i] == op)
            process->ops[i] = process->ops[--process->op_count];
    if (op->kind != BLOCKING && op->kind != PERSISTENT)
        give_handle(process, op->request);
    if (process->blocked == op)
        process->blocked = NULL;
}

/* --- Sends and receives ---------------------------------------------------------------
 */

static inline void send_count(struct world *w, struct message *m,
                              struct mm_counted *counted, int together)
{
    struct process *process = &w->processes[m->src];
    struct mm_engine *e = process->engine;
    int rank = rank_of(m->comm, m->src, m->dst);

    memset(counted, 0, sizeof *counted);
    if (!together && chance(w, w->hot))
        counted->channel = mm_hot_send(e, comm_handle(m->comm), rank, m->tag, 8);
    if (!counted->channel)
        mm_engine_send(e, process->comms[m->comm], rank, m->tag, 8, counted);
    else
        counted->k = mm_channel_entry(counted->channel)->count - 1;
}

static inline void send_end(struct world *w, struct message *m,
                            const struct mm_counted *counted)
{
    struct process *process = &w->processes[m->src];
    struct mm_channel *channel = counted->channel;

    m->counted = channel != NULL;
    if (channel && !mm_engine_sent(process->engine, counted, 0))
        m->dropped = 1;
    else if (channel && !mm_channel_entry(channel)->flags)
        assert_int_equal(counted->k, m->k);
    m->sampled = counted->sampled;
    if (channel)
        m->key = mm_hash_key(mm_channel_entry(channel)->hash, m->k);
    if (channel && w->strategy == MM_STRATEGY_P && !w->lowered && !m->dropped &&
        !mm_channel_entry(channel)->flags)
        assert_int_equal(m->sampled, mm_hash_chosen(m->key, mm_hash_threshold(w->p)));
    if (draw(w, 2)) { /* it was nonblocking */
        uintptr_t handle = take_handle(process);

        mm_hot_other(process->engine, handle, channel);
        give_handle(process, handle);
    }
}

static inline struct op *new_op(struct world *w, int p, int comm, enum kind kind)
{
    struct op *op = &w->ops[w->op_count++];
    const int *peers;
    int size = peers_of(comm, p, &peers), source = peers[draw(w, (uint32_t)size)];

    *op = (struct op){.kind = kind};
    op->r = (struct receive){p,
                             comm,
                             chance(w, w->wild) ? ANY : source,
                             chance(w, w->wild) ? ANY : (int)draw(w, TAGS),
                             PENDING,
                             NULL};
    if (kind != BLOCKING)
        op->request = take_handle(&w->processes[p]);
    return op;
}

static inline int rank_asked(const struct op *op)
{
    return op->r.source == ANY ? MM_ANY_SOURCE
                               : rank_of(op->r.comm, op->r.process, op->r.source);
}

static inline void post_count(struct world *w, struct op *op, int together)
{
    struct process *process = &w->processes[op->r.process];
    struct mm_engine *e = process->engine;
    int rank = rank_asked(op), tag = op->r.tag == ANY ? MM_ANY_TAG : op->r.tag;

    memset(&op->counted, 0, sizeof op->counted);
    op->receive = NULL;
    op->told = op->dropped = 0;
    process->ops[process->op_count++] = op;
    if (!together && chance(w, w->hot))
        op->counted.channel =
            mm_hot_post(e, comm_handle(op->r.comm), rank, tag, &op->counted.k);
    if (!op->counted.channel)
        op->receive =
            mm_engine_post(e, process->comms[op->r.comm], rank, tag, &op->counted);
    w->uncertain += op->receive != NULL;
}

static inline void post_end(struct world *w, struct op *op)
{
    struct process *process = &w->processes[op->r.process];
    struct mm_engine *e = process->engine;

    op->dropped =
        !mm_engine_posted(e, process->comms[op->r.comm], &op->counted, op->receive);
    if (op->kind == BLOCKING)
        return;
    if (!op->receive && op->counted.sampled && op->dropped)
        op->counted.sampled = 0;
    if (op->receive || op->counted.sampled || !draw(w, 2) || !op->counted.channel ||
        !mm_hot_remember(e, op->request, op->counted.channel, op->counted.k))
        mm_engine_follow(e, process->comms[op->r.comm], op->receive, &op->counted,
                         op->request);
}

#endif
