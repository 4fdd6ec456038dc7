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

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "activity/run/engine.h"
#include "tests/lib/test.h"

enum { BRUTE_ACTORS = 600, BRUTE_MESSAGES = 3000, BRUTE_STEPS = 20000 };

enum brute_status {
    BRUTE_READY, /* from its clock on */
    BRUTE_WORKS,
    BRUTE_SENDS, /* waits for the receiver */
    BRUTE_RECEIVES,
    BRUTE_WAITS, /* for requests */
    BRUTE_GATHERS,
    BRUTE_PLAYS, /* a script */
    BRUTE_JOINS,
    BRUTE_LOCKS,
    BRUTE_ENDED
};

struct brute_request {
    int message, element;
};

struct brute_script {
    struct {
        int is_receive, peer;
    } all[64];
    int count, at, message;
};

struct brute_actor {
    enum brute_status status;
    int pid, team, parent, element, message;
    double clock, start; /* of the element */
    double work, memory; /* that is left */
    double nic;          /* its network is free again */
    uint64_t since;      /* of equal clocks, who was ready first */
    struct act_state *state;
    struct act_event event; /* of a collective */
    struct brute_request requests[64];
    int request_count, collectives;
    struct brute_script script;
    int64_t turn, chunk_left, dealt; /* threads: turns are counted from 0 */
};

struct brute_message {
    int from, to, is_receive, nth, is_rendezvous;
    int64_t tag, bytes;
    double time; /* eager: it left; rendezvous: the sender is ready; receive: posted */
};

struct brute_team {
    int left, threads, element, pc, has_turns;
    uint32_t turn_at;
    int64_t turns, first, chunk, next; /* chunk 0: even blocks */
    double start, last_take;
};

struct brute_collective {
    const struct act_element *element; /* of who came first */
    int64_t root, arrived;
};

struct brute_lock {
    int pid, holder;
    const char *name;
    double last_asked;
};

struct brute {
    struct act_program *program;
    const struct act_machine *machine;
    int64_t nodes, processes;
    struct brute_actor actors[BRUTE_ACTORS];
    struct brute_message messages[BRUTE_MESSAGES];
    struct brute_team teams[BRUTE_ACTORS];
    struct brute_lock locks[256];
    struct brute_collective collectives[BRUTE_MESSAGES];
    int collective_count;
    int actor_count, message_count, team_count, lock_count;
    double now;
    uint64_t sequence;
    double total_s[2000]; /* by element */
    int64_t calls[2000];
    /* Several asked for a lock or a turn at one time: who comes first is not defined. */
    int is_tied;
    int is_too_large;
};

/* --- What the definitions say. --- */

static inline int64_t brute_node(const struct brute *b, int64_t pid)
{
    return b->machine->placement == ACT_CYCLIC ? pid % b->nodes
                                               : pid * b->nodes / b->processes;
}

static inline const struct act_network *brute_network(const struct brute *b, int from,
                                                      int to)
{
    int inside = from == to || brute_node(b, from) == brute_node(b, to);

    return &b->machine->networks[inside ? ACT_INSIDE : ACT_BETWEEN];
}

static inline double brute_bytes(const struct act_network *net, int64_t bytes)
{
    return bytes > 1 ? (double)(bytes - 1) * net->byte_s : 0;
}

static inline const struct act_element *brute_element(const struct brute *b, int number)
{
    return b->program->model->elements[number];
}

static inline void brute_ready(struct brute *b, struct brute_actor *a, double clock)
{
    a->status = BRUTE_READY;
    a->clock = clock;
    a->since = b->sequence++;
}

static inline void brute_done(struct brute *b, struct brute_actor *a)
{
    b->total_s[a->element] += a->clock - a->start;
    b->calls[a->element]++;
}

/* --- Messages. --- */

static inline int brute_post(struct brute *b, struct brute_message m)
{
    if (b->message_count == BRUTE_MESSAGES) {
        b->is_too_large = 1;
        return 0;
    }
    for (int i = 0; i < b->message_count; i++) {
        const struct brute_message *o = &b->messages[i];

        m.nth += o->from == m.from && o->to == m.to && o->tag == m.tag &&
                 o->is_receive == m.is_receive;
    }
    b->messages[b->message_count] = m;
    return b->message_count++;
}

static inline const struct brute_message *brute_partner(const struct brute *b, int number)
{
    const struct brute_message *m = &b->messages[number];

    for (int i = 0; i < b->message_count; i++) {
        const struct brute_message *o = &b->messages[i];

        if (o->from == m->from && o->to == m->to && o->tag == m->tag &&
            o->is_receive != m->is_receive && o->nth == m->nth)
            return o;
    }
    return NULL;
}

/* When a message is over for the side that `number` is of. 1, or 0: not known yet. */
static inline int brute_over(const struct brute *b, int number, double *time)
{
    const struct brute_message *m = &b->messages[number], *o = brute_partner(b, number);
    const struct brute_message *s = m->is_receive ? o : m, *r = m->is_receive ? m : o;
    const struct act_network *net = brute_network(b, m->from, m->to);
    double left;

    if (s && !s->is_rendezvous) {
        *time = m->is_receive ? s->time + brute_bytes(net, s->bytes) + net->latency_s
                              : s->time;
        return 1;
    }
    if (!s || !r)
        return 0;
    left = fmax(s->time + net->latency_s, r->time) + net->latency_s +
           brute_bytes(net, s->bytes);
    *time = m->is_receive ? left + net->latency_s : left;
    return 1;
}

/* The send of an actor at its clock: its message's number. */
static inline int brute_send(struct brute *b, struct brute_actor *a, int to, int64_t tag,
                             int64_t bytes, int is_eager)
{
    const struct act_network *net = brute_network(b, a->pid, to);
    struct brute_message m = {.from = a->pid, .to = to, .tag = tag, .bytes = bytes};

    m.is_rendezvous = !is_eager && net->eager >= 0 && bytes > net->eager;
    a->clock += net->send_s;
    if (!m.is_rendezvous) {
        a->clock = fmax(a->clock, a->nic);
        a->nic = a->clock + brute_bytes(net, bytes) + net->gap_s;
    }
    m.time = a->clock;
    return brute_post(b, m);
}

static inline int brute_receive(struct brute *b, struct brute_actor *a, int from,
                                int64_t tag)
{
    return brute_post(
        b,
        (struct brute_message){
            .from = from, .to = a->pid, .tag = tag, .is_receive = 1, .time = a->clock});
}

static inline void brute_request(struct brute *b, struct brute_actor *a, int message)
{
    if (a->request_count == 64)
        b->is_too_large = 1;
    else
        a->requests[a->request_count++] =
            (struct brute_request){message, a->event.element};
}

static inline int brute_is_waited(const struct brute *b, const struct brute_actor *a,
                                  const struct brute_request *r)
{
    const struct act_element *wait = brute_element(b, a->element);

    if (wait->kind == ACT_EXCHANGE)
        return r->element == a->element;
    for (int i = 0; i < wait->peer_count; i++)
        if (wait->waited[i]->number == r->element)
            return 1;
    return wait->peer_count == 0;
}

/* A wait whose requests are all known to end is over: the earliest first, a receive takes
 * its time behind each. */
static inline void brute_wait(struct brute *b, struct brute_actor *a)
{
    double time, earliest;

    for (int i = 0; i < a->request_count; i++)
        if (brute_is_waited(b, a, &a->requests[i]) &&
            !brute_over(b, a->requests[i].message, &time))
            return;
    for (;;) {
        int first = -1;
        const struct brute_message *m;

        earliest = INFINITY;
        for (int i = 0; i < a->request_count; i++)
            if (brute_is_waited(b, a, &a->requests[i]) &&
                brute_over(b, a->requests[i].message, &time) && time < earliest) {
                earliest = time;
                first = i;
            }
        if (first < 0)
            break;
        m = &b->messages[a->requests[first].message];
        a->clock = fmax(a->clock, earliest);
        if (m->is_receive)
            a->clock += brute_network(b, m->from, m->to)->receive_s;
        a->requests[first] = a->requests[--a->request_count];
    }
    brute_ready(b, a, a->clock);
    brute_done(b, a);
}

/* --- Collectives. --- */

static inline void brute_say(struct brute_script *s, int is_receive, int64_t peer)
{
    assert_true(s->count < 64);
    s->all[s->count].is_receive = is_receive;
    s->all[s->count++].peer = (int)peer;
}

static inline void brute_tree(struct brute_script *s, int p, int count, int root,
                              int is_reduce)
{
    int i = (p - root + count) % count, mask = 1;

    for (; mask < count && !(i & mask); mask *= 2)
        if (is_reduce && i + mask < count)
            brute_say(s, 1, (i + mask + root) % count);
    if (mask < count)
        brute_say(s, !is_reduce, (i - mask + root) % count);
    for (mask /= 2; mask > 0 && !is_reduce; mask /= 2)
        if (i + mask < count)
            brute_say(s, 0, (i + mask + root) % count);
}

static inline void brute_doubling(struct brute_script *s, int p, int count)
{
    int power = 1, rest, mine;

    while (2 * power <= count)
        power *= 2;
    rest = count - power;
    mine = p >= 2 * rest ? p - rest : p % 2 ? p / 2 : -1;
    if (p < 2 * rest)
        brute_say(s, p % 2, p % 2 ? p - 1 : p + 1);
    for (int mask = 1; mask < power && mine >= 0; mask *= 2) {
        int other = mine ^ mask;

        other = other < rest ? 2 * other + 1 : other + rest;
        brute_say(s, 0, other);
        brute_say(s, 1, other);
    }
    if (p < 2 * rest)
        brute_say(s, !(p % 2), p % 2 ? p - 1 : p + 1);
}

static inline void brute_write(struct brute_script *s, enum act_kind kind, int p,
                               int count, int root)
{
    if (kind == ACT_BCAST || kind == ACT_REDUCE) {
        brute_tree(s, p, count, root, kind == ACT_REDUCE);
    } else if (kind == ACT_ALLREDUCE) {
        brute_doubling(s, p, count);
    } else {
        for (int k = 1; k < count; k = kind == ACT_BARRIER ? 2 * k : k + 1) {
            brute_say(s, 0, (p + k) % count);
            brute_say(s, 1, (p - k + count) % count);
        }
    }
}

/* One line of a process's script, if its time is known. */
static inline int brute_play(struct brute *b, struct brute_script *s,
                             struct brute_actor *a, int64_t bytes)
{
    const int64_t tag = INT64_MIN; /* no model's */
    int peer = s->all[s->at].peer;
    double time;

    if (!s->all[s->at].is_receive) {
        brute_send(b, a, peer, tag, bytes, 1);
        s->at++;
        return 1;
    }
    if (s->message < 0)
        s->message = brute_receive(b, a, peer, tag);
    if (!brute_over(b, s->message, &time))
        return 0;
    a->clock = fmax(a->clock, time) + brute_network(b, peer, a->pid)->receive_s;
    s->message = -1;
    s->at++;
    return 1;
}

/* As much of a script as can be. Whether any of it. */
static inline int brute_go_on(struct brute *b, struct brute_actor *a)
{
    int before = a->script.at;

    while (a->script.at < a->script.count && !b->is_too_large &&
           brute_play(b, &a->script, a, a->event.bytes))
        ;
    if (a->script.at == a->script.count) {
        brute_ready(b, a, a->clock);
        brute_done(b, a);
    }
    return a->script.at > before;
}

static inline int brute_is_expanded(const struct brute *b, const struct act_element *e)
{
    if (e->as == ACT_AS_USUAL)
        return b->machine->expanded && !e->cost && !e->time;
    return e->as == ACT_AS_EXPANDED;
}

/* A process comes to its next collective. 0 or -EDOM: others are in another one. */
static inline int brute_arrive(struct brute *b, struct brute_actor *a)
{
    const struct act_element *e = brute_element(b, a->element);
    int expanded = brute_is_expanded(b, e);
    int rooted = e->kind == ACT_BCAST || e->kind == ACT_REDUCE;
    struct brute_collective *c = &b->collectives[a->collectives++];

    if (a->collectives == BRUTE_MESSAGES) {
        b->is_too_large = 1;
        return 0;
    }
    if (rooted && (a->event.peer < 0 || a->event.peer >= b->processes))
        return -EDOM;
    if (c->arrived++ == 0) {
        c->element = e;
        c->root = a->event.peer;
        b->collective_count++;
    }
    if (c->element->kind != e->kind || (rooted && c->root != a->event.peer) ||
        brute_is_expanded(b, c->element) != expanded)
        return -EDOM;
    a->status = expanded ? BRUTE_PLAYS : BRUTE_GATHERS;
    if (!expanded)
        return 0;
    a->clock += a->event.cost_s / b->machine->speed;
    a->script = (struct brute_script){.message = -1};
    brute_write(&a->script, e->kind, a->pid, (int)b->processes, (int)a->event.peer);
    return 0;
}

/* All processes have come to a collective as cost. */
static inline void brute_gather(struct brute *b)
{
    double latest = 0, cost = 0;

    for (int p = 0; p < b->processes; p++) {
        latest = fmax(latest, b->actors[p].clock);
        cost = fmax(cost, b->actors[p].event.cost_s / b->machine->speed);
    }
    for (int p = 0; p < b->processes; p++) {
        brute_ready(b, &b->actors[p], latest + cost);
        brute_done(b, &b->actors[p]);
    }
}

/* --- Threads. --- */

static inline int brute_near(double a, double b)
{
    return fabs(a - b) <= 1e-9 * fabs(b);
}

/* A thread's next turn. 1, or 0: there is none. */
static inline int brute_turn(struct brute *b, struct brute_actor *a, int is_first)
{
    struct brute_team *t = &b->teams[a->team];
    const struct act_element *e = brute_element(b, t->element);
    int tid = a->state->tid;
    int64_t turn;

    if (a->chunk_left > 0) {
        a->turn++;
    } else if (e->schedule == ACT_DYNAMIC) {
        b->is_tied |= !is_first && brute_near(t->last_take, a->clock);
        t->last_take = is_first ? -1 : a->clock;
        a->turn = t->next;
        t->next += t->chunk;
        a->chunk_left = t->chunk;
    } else if (t->chunk > 0) { /* chunk number dealt*threads + tid */
        a->turn = (a->dealt++ * t->threads + tid) * t->chunk;
        a->chunk_left = t->chunk;
    } else { /* blocks as even as can be, the larger ones first */
        if (!is_first)
            return 0;
        a->turn = 0;
        for (int i = 0; i <= tid; i++) {
            a->turn += a->chunk_left;
            a->chunk_left = t->turns / t->threads + (i < t->turns % t->threads);
        }
        if (a->chunk_left == 0)
            return 0;
    }
    a->chunk_left--;
    if (a->turn >= t->turns)
        return 0;
    turn = t->first + a->turn;
    memcpy((char *)a->state + t->turn_at, &turn, sizeof turn);
    a->state->pc = t->pc;
    return 1;
}

static inline void brute_end(struct brute *b, struct brute_actor *a)
{
    struct brute_team *t;

    if (a->team >= 0 && b->teams[a->team].has_turns && brute_turn(b, a, 0))
        return;
    a->status = BRUTE_ENDED;
    if (a->team < 0)
        return;
    t = &b->teams[a->team];
    if (--t->left == 0) { /* it is the last one, so the latest */
        struct brute_actor *parent = &b->actors[a->parent];

        parent->element = t->element;
        parent->start = t->start;
        brute_ready(b, parent, a->clock);
        brute_done(b, parent);
    }
}

static inline int brute_begin(struct brute *b, int number, const struct act_event *event)
{
    struct brute_actor *parent = &b->actors[number];
    const struct act_element *e = brute_element(b, event->element);
    struct brute_team *t = &b->teams[b->team_count];

    if (event->threads < 1 || event->threads > 1000000 || event->chunk < 0 ||
        (e->chunk && event->chunk == 0))
        return -EDOM;
    if (b->actor_count + event->threads > BRUTE_ACTORS ||
        b->team_count + 1 == BRUTE_ACTORS) {
        b->is_too_large = 1;
        return 0;
    }
    *t = (struct brute_team){.left = (int)event->threads,
                             .threads = (int)event->threads,
                             .element = event->element,
                             .pc = event->pcs[0],
                             .has_turns = event->has_turns,
                             .turn_at = event->turn_at,
                             .first = event->first,
                             .start = parent->clock,
                             .last_take = -1};
    t->turns = event->last >= event->first ? event->last - event->first + 1 : 0;
    t->chunk = event->chunk ? event->chunk : e->schedule == ACT_DYNAMIC;
    parent->status = BRUTE_JOINS;
    for (int i = 0; i < event->threads; i++) {
        struct brute_actor *a = &b->actors[b->actor_count++];

        *a = (struct brute_actor){
            .pid = parent->pid, .team = b->team_count, .parent = number};
        a->state = malloc(b->program->state_bytes);
        assert_non_null(a->state);
        memcpy(a->state, parent->state, b->program->state_bytes);
        a->state->tid = i;
        a->state->nthread = t->threads;
        a->state->pc = event->pcs[event->kind == ACT_EVENT_FORK ? i : 0];
        brute_ready(b, a, parent->clock);
    }
    b->team_count++;
    for (int i = b->actor_count - (int)event->threads; i < b->actor_count; i++)
        if (t->has_turns && !brute_turn(b, &b->actors[i], 1))
            brute_end(b, &b->actors[i]);
    return 0;
}

static inline struct brute_lock *brute_lock(struct brute *b, int pid, const char *name)
{
    int i = 0;

    while (i < b->lock_count &&
           (b->locks[i].pid != pid || strcmp(b->locks[i].name, name) != 0))
        i++;
    assert_true(i < 256);
    if (i == b->lock_count)
        b->locks[b->lock_count++] = (struct brute_lock){pid, -1, name, -1};
    return &b->locks[i];
}

/* Of those that wait for a lock, who has waited longest gets it. */
static inline void brute_grant(struct brute *b, struct brute_lock *lock, double time)
{
    int first = -1;

    for (int i = 0; i < b->actor_count && lock->holder < 0; i++) {
        const struct brute_actor *a = &b->actors[i];

        if (a->status == BRUTE_LOCKS && a->pid == lock->pid &&
            strcmp(brute_element(b, a->element)->name, lock->name) == 0 &&
            (first < 0 || a->since < b->actors[first].since))
            first = i;
    }
    if (first < 0)
        return;
    lock->holder = first;
    brute_ready(b, &b->actors[first], fmax(time, b->actors[first].clock));
    brute_done(b, &b->actors[first]);
}

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
    if (!(event->cost_s >= 0) || isinf(event->cost_s) || !(event->memory >= 0) ||
        isinf(event->memory) || event->bytes < 0)
        return -EDOM;
    switch (kind) {
    case ACT_ACTION:
        a->work = event->cost_s / b->machine->speed;
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
            if (m->is_receive)
                time += brute_network(b, m->from, m->to)->receive_s;
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
