/* SPDX-License-Identifier: BSD-3-Clause */
/* storm_free.c: rounds in which each rank does what it likes, in any order.
 *
 * No rank blocks before it has started all its sends, unless sends go one way through the
 * ranks. Then a rank blocks only for what must come: it knows how many messages it gets.
 * A strict round posts as many receives of each envelope as messages of it come, so any
 * of them may be waited for. Else receives are posted at random, taken back by
 * MPI_Cancel, and what matches none is found by probes. */
#include "tests/messages/programs/storm.h"

#include <sched.h>

enum { PENDING_MOST = 16, CANCELS_PERCENT = 24 };

struct envelope {
    int source, tag;
};

struct free_round {
    struct worker *w;
    const struct message *mine[MESSAGES_MOST]; /* sends, in order of the plan */
    struct envelope open[MESSAGES_MOST]; /* receives that a strict round will post */
    int mine_count, next, open_count, strict, acyclic;
};

/* MPICH 4.0.2 loses messages to oneself where receives are cancelled: not both in one
 * round. */
static void start(struct free_round *r)
{
    struct worker *w = r->w;
    const int any_source = w->settings->wildcards && chance(&w->own, 50);
    const int any_tag = w->settings->wildcards && chance(&w->own, 50);

    r->strict = !w->settings->cancel || chance(&w->own, 30);
    for (int i = 0; i < w->message_count; i++) {
        const struct message *m = &w->messages[i];

        if (m->from == w->rank)
            r->mine[r->mine_count++] = m;
        if (m->to == w->rank)
            r->open[r->open_count++] = (struct envelope){
                any_source ? MPI_ANY_SOURCE : m->from, any_tag ? w->any_tag : m->tag};
    }
}

static struct envelope random_envelope(struct worker *w)
{
    const struct message *m = &w->messages[below(&w->own, w->message_count)];
    struct envelope e = {m->to == w->rank ? m->from : MPI_ANY_SOURCE, m->tag};

    if (!w->settings->wildcards && m->to == w->rank)
        return e;
    if (chance(&w->own, 30))
        e.source = MPI_ANY_SOURCE;
    if (chance(&w->own, 30))
        e.tag = w->any_tag;
    return e;
}

/* Take one that is still open to the end of the list; strict rounds alone. */
static struct envelope *choose_open(struct free_round *r)
{
    const int i = below(&r->w->own, r->open_count);
    const struct envelope chosen = r->open[i];

    r->open[i] = r->open[r->open_count - 1];
    r->open[r->open_count - 1] = chosen;
    return &r->open[r->open_count - 1];
}

static void post_one(struct free_round *r)
{
    struct worker *w = r->w;
    struct envelope e;

    if (r->strict && !r->open_count)
        return;
    if (!r->strict && (pending_count(w, PENDING_RECEIVES) >= PENDING_MOST ||
                       w->operation_count > OPERATIONS_MOST - 2 * MESSAGES_MOST))
        return;
    e = r->strict ? *choose_open(r) : random_envelope(w);
    r->open_count -= r->strict;
    post_receive(w, e.source, e.tag);
    if (!r->strict && chance(&w->own, CANCELS_PERCENT))
        cancel_one(w);
}

static void probe_one(struct free_round *r, int blocking)
{
    struct worker *w = r->w;
    struct envelope e = {MPI_ANY_SOURCE, w->any_tag};
    const int before = w->operation_count;

    if (r->strict && !r->open_count)
        return;
    if (r->strict)
        e = *choose_open(r);
    receive_probed(w, e.source, e.tag, blocking);
    if (r->strict && w->operation_count > before)
        r->open_count--;
}

static void receive_one(struct free_round *r)
{
    struct envelope e = {MPI_ANY_SOURCE, r->w->any_tag};

    if (r->strict && !r->open_count)
        return;
    if (r->strict) {
        e = *choose_open(r);
        r->open_count--;
    }
    receive_now(r->w, e.source, e.tag);
}

/* Does not block, whatever the others do. */
static void do_something(struct free_round *r)
{
    struct worker *w = r->w;
    const int what = below(&w->own, 100);

    if (what < 45)
        post_one(r);
    else if (what < 80 || !w->settings->probes)
        complete_some(w, PENDING_ALL, COMPLETE_TEST);
    else if (what < 98)
        probe_one(r, 0);
    else
        to_nobody(w);
}

static int takes_all(const struct worker *w)
{
    for (int i = 0; i < w->operation_count; i++) {
        const struct operation *o = &w->operations[i];

        if (o->receiving && o->pending && !o->cancelled && o->source == MPI_ANY_SOURCE &&
            o->tag == w->any_tag)
            return 1;
    }
    return 0;
}

/* Blocks for what must come, all own sends being started. A sender that blocks may wait
 * for another receive to be posted first. */
static void wait_for_something(struct free_round *r)
{
    struct worker *w = r->w;
    const int spare =
        r->strict ? r->open_count
                  : w->expected - w->received - pending_count(w, PENDING_RECEIVES);

    if (r->strict && r->acyclic && r->open_count)
        return;
    if (spare > 0 && chance(&w->own, 40))
        receive_one(r);
    else if (spare > 0 && w->settings->probes && chance(&w->own, 50))
        probe_one(r, 1);
    else if (r->strict)
        complete_some(w, r->open_count ? PENDING_RECEIVES : PENDING_ALL, COMPLETE_WAIT);
    else if (takes_all(w))
        complete_some(w, PENDING_RECEIVES, COMPLETE_ONE_OF);
}

static void take_all_back(struct worker *w)
{
    int pending = pending_count(w, PENDING_RECEIVES);

    while (pending-- > 0)
        cancel_one(w);
}

/* Without probes, what no receive matches is found by one that takes all. */
static void take_what_is_left(struct free_round *r)
{
    if (!r->strict && !r->w->settings->probes && !takes_all(r->w))
        post_receive(r->w, MPI_ANY_SOURCE, r->w->any_tag);
}

void round_free(struct worker *w)
{
    struct free_round r = {.w = w, .acyclic = chance(&w->plan, 40)};

    plan_round(w, r.acyclic ? PLAN_ACYCLIC : PLAN_ANY);
    start(&r);
    while (r.next < r.mine_count)
        if (chance(&w->own, 50))
            send_message(w, r.mine[r.next++], r.acyclic ? SEND_NOW : SEND_LATER);
        else
            do_something(&r);
    for (int i = 0; w->received < w->expected; i++) {
        if (chance(&w->own, 10))
            wait_for_something(&r);
        else
            do_something(&r);
        if (i % 4 == 3)
            sched_yield();
        if (i % 64 == 63)
            take_what_is_left(&r);
    }
    take_all_back(w);
    complete_rest(w, PENDING_ALL);
    round_end(w);
}
