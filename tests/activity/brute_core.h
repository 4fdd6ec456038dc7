/* SPDX-License-Identifier: BSD-3-Clause */
/* brute_core.h: the second simulator's state; its messages. */
#ifndef TESTS_ACTIVITY_BRUTE_CORE_H
#define TESTS_ACTIVITY_BRUTE_CORE_H

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
    double busy;         /* of it, at work */
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
    double total_s[2000], wait_s[2000]; /* by element */
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
    b->wait_s[a->element] += fmax(0, a->clock - a->start - a->busy);
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
    a->busy += net->send_s;
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
        if (m->is_receive) {
            a->clock += brute_network(b, m->from, m->to)->receive_s;
            a->busy += brute_network(b, m->from, m->to)->receive_s;
        }
        a->requests[first] = a->requests[--a->request_count];
    }
    brute_ready(b, a, a->clock);
    brute_done(b, a);
}

#endif
