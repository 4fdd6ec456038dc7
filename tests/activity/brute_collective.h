/* SPDX-License-Identifier: BSD-3-Clause */
/* brute_collective.h: collectives of the second simulator. */
#ifndef TESTS_ACTIVITY_BRUTE_COLLECTIVE_H
#define TESTS_ACTIVITY_BRUTE_COLLECTIVE_H

#include "tests/activity/brute_core.h"

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
    a->busy += brute_network(b, peer, a->pid)->receive_s;
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
    a->busy = a->event.cost_s / b->machine->speed;
    a->clock += a->busy;
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
        b->actors[p].busy = cost;
        brute_ready(b, &b->actors[p], latest + cost);
        brute_done(b, &b->actors[p]);
    }
}

#endif
