/* SPDX-License-Identifier: BSD-3-Clause */
/* test_msg_engine_matching.c: sender and receiver give each message the same serial, and
 * no other message: random programs on an independent matching machine. FAULT_SCHEDULES
 * is their number, FAULT_FIRST that of the first. */
#include "tests/messages/schedule.h"

static struct world world;

/* A communicator that two processes share, one of them `p`. */
static int any_comm(struct world *w, int p)
{
    const int *peers;
    int comm;

    do
        comm = (int)draw(w, COMMS);
    while (!peers_of(comm, p, &peers));
    return comm;
}

static int has_room(const struct world *w)
{
    return w->machine.message_count < MOST - 16 && w->op_count < MOST - 16;
}

static void do_send(struct world *w, int p, int comm, int dst, int tag)
{
    struct message *m = machine_send(&w->machine, comm, p, dst, tag);
    struct mm_counted counted;

    w->messages++;
    send_count(w, m, &counted, 0);
    send_end(w, m, &counted);
}

static void send_any(struct world *w, int p)
{
    int comm = any_comm(w, p);
    const int *peers;
    int size = peers_of(comm, p, &peers);

    do_send(w, p, comm, peers[draw(w, (uint32_t)size)], (int)draw(w, TAGS));
}

static void deliver_any(struct world *w)
{
    int c = (int)draw(w, COMMS), s = (int)draw(w, PROCESSES), d = (int)draw(w, PROCESSES);

    if (w->machine.links[c][s][d].count)
        machine_deliver(&w->machine, c, s, d);
}

static void receive_any(struct world *w, int p)
{
    enum kind kind = chance(w, 4)             ? BLOCKING
                     : chance(w, w->persists) ? PERSISTENT
                                              : NONBLOCKING;
    struct op *op = new_op(w, p, any_comm(w, p), kind);

    post_count(w, op, 0);
    machine_post(&w->machine, &op->r);
    post_end(w, op);
    if (kind == BLOCKING)
        w->processes[p].blocked = op;
}

static struct op *any_op(struct world *w, int p)
{
    struct process *process = &w->processes[p];

    return process->op_count ? process->ops[draw(w, (uint32_t)process->op_count)] : NULL;
}

static void start_again(struct world *w, struct op *op)
{
    op->r.state = PENDING;
    post_count(w, op, 0);
    machine_post(&w->machine, &op->r);
    post_end(w, op);
}

static void complete(struct world *w, struct op *op)
{
    tell(w, op);
    end_op(w, op);
    if (op->kind == PERSISTENT && draw(w, 2) && has_room(w)) {
        struct op *again = &w->ops[w->op_count++]; /* its messages are told apart */

        *again = *op;
        start_again(w, again);
    }
}

static void cancel(struct world *w, struct op *op)
{
    struct process *process = &w->processes[op->r.process];

    if (op->kind == IMRECV || op->kind == BLOCKING)
        return;
    if (op->r.state == PENDING && machine_cancel(&w->machine, &op->r)) {
        w->cancelled++;
        if (w->togethers) /* those behind it may have no order */
            may_flag(w, op);
        mm_engine_cancelled(process->engine, op->request);
        drain(w, op->r.process);
        end_op(w, op);
    } else if (draw(w, 2)) {
        tell(w, op); /* the wrapper has seen that the cancel lost */
    }
}

/* The program frees an active request, or completes it where nobody sees it. */
static void lose(struct world *w, struct op *op, int freed)
{
    struct process *process = &w->processes[op->r.process];

    if (op->kind != NONBLOCKING || op->told)
        return;
    if (freed)
        mm_engine_freed(process->engine, op->request);
    else if (op->r.state != MATCHED)
        return;
    else
        process->unseen[process->unseen_count++] = op->request;
    may_flag(w, op);
    if (op->r.message)
        op->r.message->dropped = 1;
    op->freed = 1;
    drain(w, op->r.process);
    end_op(w, op);
}

static void probe(struct world *w, int p)
{
    struct process *process = &w->processes[p];
    struct op *op = new_op(w, p, any_comm(w, p), IMRECV);
    struct mm_comm *comm = process->comms[op->r.comm];
    int rank = rank_asked(op), tag = op->r.tag == ANY ? MM_ANY_TAG : op->r.tag;
    struct message *m;

    mm_engine_probing(process->engine, comm, rank, tag, &op->counted);
    m = machine_find(&w->machine, p, op->r.comm, op->r.source, op->r.tag);
    op->receive = mm_engine_matched(process->engine, comm, &op->counted,
                                    m ? rank_of(op->r.comm, p, m->src) : MM_ANY_SOURCE,
                                    m ? m->tag : MM_ANY_TAG);
    drain(w, p);
    if (!m) {
        assert_null(op->receive);
        give_handle(process, op->request);
        return;
    }
    w->matched_probes++;
    machine_match(&w->machine, &op->r, m);
    process->ops[process->op_count++] = op;
    if (op->receive && draw(w, 2)) { /* Mrecv */
        op->receive->user = (uintptr_t)(op - w->ops) + 1;
        mm_engine_matched_received(process->engine, op->receive);
        op->told = 1;
        w->received++;
        drain(w, p);
        end_op(w, op);
    } else { /* Imrecv */
        mm_engine_follow(process->engine, comm, op->receive, &op->counted, op->request);
    }
}

/* MPI_Startall, which starts in an order of its own. */
static void start_together(struct world *w, int p)
{
    struct op *ops[4];
    struct message *sends[4];
    struct mm_counted counted[4];
    int count = 2 + (int)draw(w, 3), turn = (int)draw(w, 4), comm = any_comm(w, p);
    const int *peers;
    int dst = (peers_of(comm, p, &peers), peers[0]);

    mm_engine_together(w->processes[p].engine, 1);
    for (int i = 0; i < count; i++) {
        ops[i] = new_op(w, p, comm, NONBLOCKING);
        post_count(w, ops[i], 1);
    }
    for (int i = 0; i < count; i++) {
        machine_post(&w->machine, &ops[(i + turn) % count]->r);
        sends[(i + turn) % count] =
            machine_send(&w->machine, comm, p, dst, (int)draw(w, TAGS));
    }
    for (int i = 0; i < count; i++)
        send_count(w, sends[i], &counted[i], 1);
    for (int i = 0; i < count; i++) {
        send_end(w, sends[i], &counted[i]);
        post_end(w, ops[i]);
    }
    w->messages += count;
    mm_engine_together(w->processes[p].engine, 0);
}

static void step(struct world *w)
{
    int p = (int)draw(w, PROCESSES);
    struct process *process = &w->processes[p];
    struct op *op = any_op(w, p);

    if (process->blocked) {
        if (process->blocked->r.state == MATCHED)
            complete(w, process->blocked);
    } else if (op && chance(w, w->cancels)) {
        cancel(w, op);
    } else if (op && chance(w, w->frees)) {
        lose(w, op, 1);
    } else if (op && chance(w, w->unseens)) {
        lose(w, op, 0);
    } else if (chance(w, w->probes)) {
        probe(w, p);
    } else if (chance(w, w->togethers)) {
        start_together(w, p);
    } else if (draw(w, 3) == 0) {
        receive_any(w, p);
    } else if (draw(w, 2)) {
        send_any(w, p);
    } else if (op && op->r.state == MATCHED && draw(w, 4) == 0) {
        tell(w, op); /* MPI_Request_get_status */
    } else if (op && op->r.state == MATCHED) {
        complete(w, op);
    }
}

static void deliver_all(struct world *w)
{
    for (int c = 0; c < COMMS; c++)
        for (int s = 0; s < PROCESSES; s++)
            for (int d = 0; d < PROCESSES; d++)
                while (w->machine.links[c][s][d].count)
                    machine_deliver(&w->machine, c, s, d);
}

/* Send what the receive could take. */
static void satisfy(struct world *w, const struct op *op)
{
    const int *peers;

    peers_of(op->r.comm, op->r.process, &peers);
    do_send(w, op->r.source == ANY ? peers[0] : op->r.source, op->r.comm, op->r.process,
            op->r.tag == ANY ? 0 : op->r.tag);
}

/* Each receive that is left is cancelled, or gets a message. */
static void finish(struct world *w)
{
    for (int p = 0; p < PROCESSES; p++)
        while (w->processes[p].op_count) {
            struct op *op = any_op(w, p);

            deliver_all(w);
            w->persists = 0;
            if (op->r.state == MATCHED) {
                tell(w, op);
                end_op(w, op);
            } else if (op->kind == BLOCKING || w->machine.message_count < MOST - 8) {
                satisfy(w, op);
            } else {
                cancel(w, op);
            }
        }
    for (int i = 0; i < w->op_count; i++) {
        struct op *op = &w->ops[i];

        if (!op->freed) /* a freed one is to end, too */
            continue;
        deliver_all(w);
        while (op->r.state == PENDING) {
            satisfy(w, op);
            deliver_all(w);
        }
        op->r.message->dropped = 1;
    }
    for (int p = 0; p < PROCESSES; p++) {
        for (int i = 0; i < w->processes[p].unseen_count; i++)
            mm_engine_other(w->processes[p].engine, w->processes[p].unseen[i], NULL);
        drain(w, p);
        assert_int_equal(mm_engine_following(w->processes[p].engine), 0);
    }
}

/* --- The comparison -------------------------------------------------------------------
 */

static const struct mm_messages_channel *entry_of(const struct world *w, int process,
                                                  const struct message *m, uint32_t side)
{
    const struct process *at = &w->processes[process];
    int peer = side == MM_MESSAGES_SEND ? m->dst : m->src;

    for (int i = 0; i < at->entry_count; i++)
        if (at->entries[i].comm == comm_id(m->comm) && at->entries[i].peer == peer &&
            at->entries[i].tag == m->tag && at->entries[i].side == side)
            return &at->entries[i];
    return NULL;
}

static void check_message(struct world *w, const struct message *m)
{
    const struct mm_messages_channel *sent = entry_of(w, m->src, m, MM_MESSAGES_SEND),
                                     *got = entry_of(w, m->dst, m, MM_MESSAGES_RECEIVE);
    uint64_t received = w->machine.got[m->comm][m->src][m->dst][m->tag];

    if (w->failing && (!sent || sent->flags || !got || got->flags)) {
        w->unverified++;
        return;
    }
    assert_non_null(sent);
    assert_int_equal(sent->flags, 0);
    assert_int_equal(sent->count, w->machine.sent[m->comm][m->src][m->dst][m->tag]);
    assert_int_equal(sent->bytes, 8 * sent->count);
    if (!got) { /* what a freed receive took from it is not known */
        assert_true(!received || w->processes[m->dst].flagged[m->comm][m->src][m->tag]);
        return;
    }
    if (got->flags) {
        assert_true(w->processes[m->dst].flagged[m->comm][m->src][m->tag]);
        w->unverified++;
        return;
    }
    assert_int_equal(got->count, received);
    w->dropped += m->dropped;
    if (m->k >= received || m->dropped)
        return;
    w->verified++;
    if (m->sampled || w->strategy != MM_STRATEGY_P)
        assert_int_equal(m->halves, 1);
    else if (!w->lowered)
        assert_int_equal(m->halves, 0);
}

static void draw_world(struct world *w, uint64_t number)
{
    static const double rates[] = {1, 1, .5, .2, .05, 0};

    w->random = mm_hash_mix(number + 1) | 1;
    w->seed = number;
    memset(&w->machine, 0, sizeof w->machine);
    w->op_count = 0;
    w->strategy = draw(w, 8) ? MM_STRATEGY_P : MM_STRATEGY_C;
    w->p = w->strategy == MM_STRATEGY_P ? rates[draw(w, 6)] : 1 + draw(w, 5);
    w->lowered = 0;
    w->failing = draw(w, 32) == 0;
    w->wild = (int)draw(w, 3) * 3;
    w->cancels = (int)draw(w, 3) * 2;
    w->probes = (int)draw(w, 3);
    w->frees = draw(w, 16) == 0;
    w->unseens = draw(w, 16) == 0;
    w->togethers = draw(w, 8) == 0;
    w->persists = (int)draw(w, 8);
    w->hot = (int)draw(w, 3) * 8;
}

static void run_schedule(struct world *w, uint64_t number)
{
    int steps = 20 + (number % 32 ? (int)(number % 150) : 600);

    draw_world(w, number);
    for (int p = 0; p < PROCESSES; p++)
        begin_process(w, p);
    for (int i = 0; i < steps && has_room(w); i++) {
        step(w);
        deliver_any(w);
        deliver_any(w);
        if (w->strategy == MM_STRATEGY_P && draw(w, 256) == 0) {
            w->lowered = 1;
            mm_engine_set_p(w->processes[draw(w, PROCESSES)].engine, w->p / 2);
        }
    }
    finish(w);
    for (int i = 0; i < w->machine.message_count; i++)
        check_message(w, &w->machine.messages[i]);
    for (int p = 0; p < PROCESSES; p++)
        mm_engine_free(w->processes[p].engine);
}

static int running = -1;

static int tell_which(void **test_state)
{
    (void)test_state;
    if (running >= 0)
        print_message("it was schedule %d: FAULT_FIRST=%d FAULT_SCHEDULES=1\n", running,
                      running);
    return 0;
}

TEST_WITH(both_ends_give_a_message_the_same_serial, NULL, tell_which)
{
    int first = test_count("FIRST", 0, 0), count = test_count("SCHEDULES", 4000, 1000000);
    struct world *w = &world;

    for (running = first; running < first + count; running++)
        run_schedule(w, (uint64_t)running);
    print_message(
        "%d schedules: %lld messages, %lld received, %lld uncertain receives, %lld "
        "cancelled, %lld matched by probes; %lld halves; verified %lld messages, "
        "%lld dropped, %lld of unverified channels\n",
        count, w->messages, w->received, w->uncertain, w->cancelled, w->matched_probes,
        w->halves, w->verified, w->dropped, w->unverified);
    assert_true(count < 1000 || w->verified > 4 * (w->unverified + w->dropped));
    running = -1;
}

TESTS(NULL, NULL)
