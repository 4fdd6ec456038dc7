/* SPDX-License-Identifier: BSD-3-Clause */
/* brute.h: a second simulator, to compare activity/run/ with.
 *
 * Written from the definitions (engine.h, machine.h) and slow on purpose. One list of
 * actors and one of messages; each step asks every actor when it can go on, and does the
 * earliest thing. Shared cores lose their work second by second: no virtual time, no
 * heap. Expanded collectives are sends and receives of each process, as in MPICH. Noise
 * is not simulated. */
#ifndef TESTS_ACTIVITY_BRUTE_H
#define TESTS_ACTIVITY_BRUTE_H

#include "tests/activity/brute_collective.h"
#include "tests/activity/brute_threads.h"

/* --- Steps. --- */

static inline int brute_messages(struct brute *b, struct brute_actor *a, enum act_kind k)
{
    int64_t peer = a->event.peer;
    int sends = k == ACT_SEND || k == ACT_ISEND;

    if (peer < 0 || peer >= b->processes)
        return -EDOM;
    a->message = sends ? brute_send(b, a, (int)peer, a->event.tag, a->event.bytes, 0)
                       : brute_receive(b, a, (int)peer, a->event.tag);
    if (k == ACT_ISEND || k == ACT_IRECV) {
        brute_request(b, a, a->message);
        brute_done(b, a);
        return 0;
    }
    a->status = sends ? BRUTE_SENDS : BRUTE_RECEIVES; /* ask_all lets it go on */
    return 0;
}

static inline void brute_exchange(struct brute *b, struct brute_actor *a)
{
    for (int i = 0; i < 2 * a->event.count; i++) {
        int64_t peer = a->event.peers[i % a->event.count];

        if (peer >= 0 && peer < b->processes)
            brute_request(
                b, a,
                i < a->event.count
                    ? brute_receive(b, a, (int)peer, a->event.tag)
                    : brute_send(b, a, (int)peer, a->event.tag, a->event.bytes, 0));
    }
    a->status = BRUTE_WAITS;
}

static inline int brute_do(struct brute *b, struct brute_actor *a)
{
    const struct act_event *event = &a->event;
    enum act_kind kind = brute_element(b, event->element)->kind;

    a->element = event->element;
    a->start = a->clock;
    a->busy = 0;
    if (!(event->cost_s >= 0) || isinf(event->cost_s) || !(event->memory >= 0) ||
        isinf(event->memory) || event->bytes < 0)
        return -EDOM;
    switch (kind) {
    case ACT_ACTION:
        a->work = a->busy = event->cost_s / b->machine->speed;
        a->memory = b->machine->memory > 0 ? event->memory : 0;
        a->status = BRUTE_WORKS;
        return 0;
    case ACT_SEND:
    case ACT_ISEND:
    case ACT_RECV:
    case ACT_IRECV:
        return brute_messages(b, a, kind);
    case ACT_WAIT:
        a->status = BRUTE_WAITS;
        return 0;
    case ACT_EXCHANGE:
        brute_exchange(b, a);
        return 0;
    default:
        return brute_arrive(b, a);
    }
}

/* The next event of an actor. 0 or negative. */
static inline int brute_step(struct brute *b, int number)
{
    struct brute_actor *a = &b->actors[number];
    struct cca_error err = {0};
    int rc = b->program->next(b->program, a->state, &a->event, &err);
    struct brute_lock *lock;

    if (rc)
        return rc;
    switch (a->event.kind) {
    case ACT_EVENT_ELEMENT:
        return brute_do(b, a);
    case ACT_EVENT_PARALLEL:
    case ACT_EVENT_FORK:
        return brute_begin(b, number, &a->event);
    case ACT_EVENT_LOCK:
        a->element = a->event.element;
        a->start = a->clock;
        a->busy = 0;
        a->status = BRUTE_LOCKS;
        a->since = b->sequence++;
        lock = brute_lock(b, a->pid, brute_element(b, a->element)->name);
        b->is_tied |= brute_near(lock->last_asked, a->clock);
        lock->last_asked = a->clock;
        brute_grant(b, lock, a->clock);
        return 0;
    case ACT_EVENT_UNLOCK:
        lock = brute_lock(b, a->pid, brute_element(b, a->event.element)->name);
        lock->holder = -1;
        brute_grant(b, lock, a->clock);
        return 0;
    case ACT_EVENT_END:
        brute_end(b, a);
        return 0;
    default:
        return 0;
    }
}

/* Ask all that wait whether they can go on. Whether a script did, so that others may. */
static inline int brute_ask_all(struct brute *b)
{
    int gathered = 0, moved = 0;
    double time;

    for (int i = 0; i < b->actor_count; i++) {
        struct brute_actor *a = &b->actors[i];

        if (a->status == BRUTE_WAITS)
            brute_wait(b, a);
        if (a->status == BRUTE_PLAYS)
            moved |= brute_go_on(b, a);
        if ((a->status == BRUTE_SENDS || a->status == BRUTE_RECEIVES) &&
            brute_over(b, a->message, &time)) {
            const struct brute_message *m = &b->messages[a->message];

            time = fmax(time, a->clock);
            if (m->is_receive) {
                time += brute_network(b, m->from, m->to)->receive_s;
                a->busy += brute_network(b, m->from, m->to)->receive_s;
            }
            brute_ready(b, a, time);
            brute_done(b, a);
        }
        gathered += a->status == BRUTE_GATHERS;
    }
    if (gathered == b->processes)
        brute_gather(b);
    return moved;
}

/* Seconds until an actor's work is done if nothing changes: it has its part of a core,
 * its node's memory. Its rates. */
static inline double brute_left(const struct brute *b, const struct brute_actor *a,
                                double *core, double *memory)
{
    int workers = 0, users = 0;

    for (int i = 0; i < b->actor_count; i++) {
        const struct brute_actor *o = &b->actors[i];

        if (o->status != BRUTE_WORKS || brute_node(b, o->pid) != brute_node(b, a->pid))
            continue;
        workers += o->work > 0;
        users += o->memory > 0;
    }
    *core = a->work > 0 ? fmin(1, (double)b->machine->cores / workers) : 1;
    *memory = a->memory > 0 ? b->machine->memory / users : 1;
    if (a->work > 0 && a->memory > 0)
        return fmin(a->work / *core, a->memory / *memory);
    return a->work > 0 ? a->work / *core : a->memory > 0 ? a->memory / *memory : 0;
}

/* All that work go on to `time`; a part that ends in `least` is done. */
static inline void brute_advance(struct brute *b, double time, double least)
{
    double core[BRUTE_ACTORS], memory[BRUTE_ACTORS], lasts = time - b->now;

    for (int i = 0; i < b->actor_count; i++)
        if (b->actors[i].status == BRUTE_WORKS)
            brute_left(b, &b->actors[i], &core[i], &memory[i]);
    for (int i = 0; i < b->actor_count; i++) {
        struct brute_actor *a = &b->actors[i];

        if (a->status != BRUTE_WORKS)
            continue;
        a->work = a->work / core[i] <= least ? 0 : a->work - lasts * core[i];
        a->memory = a->memory / memory[i] <= least ? 0 : a->memory - lasts * memory[i];
        a->work = a->work < 0 ? 0 : a->work;
        a->memory = a->memory < 0 ? 0 : a->memory;
    }
    b->now = time;
}

static inline void brute_finish_work(struct brute *b)
{
    for (int i = 0; i < b->actor_count; i++) {
        struct brute_actor *a = &b->actors[i];

        if (a->status == BRUTE_WORKS && a->work == 0 && a->memory == 0) {
            brute_ready(b, a, fmax(b->now, a->clock));
            brute_done(b, a);
        }
    }
}

/* Do the earliest thing. 1, 0: there is nothing left to do, or negative. */
static inline int brute_once(struct brute *b)
{
    double least = INFINITY, core, memory;
    int first = -1, rc;

    while (brute_ask_all(b))
        ;
    for (int i = 0; i < b->actor_count; i++) {
        const struct brute_actor *a = &b->actors[i];

        if (a->status == BRUTE_WORKS)
            least = fmin(least, brute_left(b, a, &core, &memory));
        if (a->status == BRUTE_READY &&
            (first < 0 || a->clock < b->actors[first].clock ||
             (a->clock == b->actors[first].clock && a->since < b->actors[first].since)))
            first = i;
    }
    if (first < 0 && isinf(least))
        return 0;
    if (first >= 0 && b->actors[first].clock <= b->now + least) {
        if (b->actors[first].clock > b->now)
            brute_advance(b, b->actors[first].clock, 0);
        rc = brute_step(b, first);
        return rc ? rc : 1;
    }
    brute_advance(b, b->now + least, least);
    brute_finish_work(b);
    return 1;
}

/* Run a program. 0, or negative: a fault. Ends of processes are their actors' clocks. */
static inline int brute_run(struct brute *b, struct act_program *program,
                            const struct act_machine *machine,
                            const struct act_config *config)
{
    struct cca_error err = {0};
    int rc = 1, steps = 0;

    for (int i = 0; i < b->actor_count; i++)
        free(b->actors[i].state);
    memset(b, 0, sizeof *b);
    b->program = program;
    b->machine = machine;
    b->processes = config->processes;
    b->nodes = config->nodes < config->processes ? config->nodes : config->processes;
    program->system.nproc = config->processes;
    program->system.nnode = config->nodes;
    program->system.nthread = config->threads ? config->threads : machine->threads;
    assert_true(program->model->element_count < 2000);
    for (int p = 0; p < config->processes; p++) {
        struct brute_actor *a = &b->actors[b->actor_count++];

        a->pid = p;
        a->team = -1;
        a->state = calloc(1, program->state_bytes);
        assert_non_null(a->state);
        a->state->pid = p;
        a->state->nthread = (int32_t)program->system.nthread;
        rc = program->start(program, a->state, &err) ? -EDOM : rc;
        brute_ready(b, a, 0);
    }
    while (rc > 0 && !b->is_too_large) {
        rc = brute_once(b);
        b->is_too_large |= ++steps == BRUTE_STEPS;
    }
    for (int p = 0; p < config->processes && rc == 0; p++)
        rc = b->actors[p].status == BRUTE_ENDED ? 0 : -EDOM;
    for (int i = 0; i < b->collective_count && rc == 0; i++)
        rc = b->collectives[i].arrived == b->processes ? 0 : -EDOM;
    return rc;
}

#endif
