/* SPDX-License-Identifier: BSD-3-Clause */
/* collectives.c: what all processes do together.
 *
 * As cost (the paper's AllReduce): it begins when the last process arrives and lasts the
 * largest of their costs. Expanded: each process takes its own cost, then the messages of
 * the usual algorithms go between them, LogGP each, as if all were sent at once:
 *
 *   barrier              dissemination (D. Hensgen, R. Finkel, U. Manber, 1988)
 *   bcast, reduce        binomial tree
 *   allreduce            recursive doubling; of P that is no power of two, the first
 *                        processes in pairs before and behind it (R. Thakur, R.
 * Rabenseifner, W. Gropp, 2005) alltoall             pairwise: in round k from pid - k,
 * to pid + k */
#include <errno.h>
#include <stdlib.h>

#include "activity/run/engine_core.h"

/* --- Expanded. --- */

struct expansion {
    const struct act_engine *g;
    double *t;    /* of each process */
    double *was;  /* before a round */
    double bytes; /* of a message, less one, at least 0 */
};

static const struct act_network *network_of(const struct expansion *x, int64_t from,
                                            int64_t to)
{
    return &x->g->options->machine.networks[act_engine_network(x->g, from, to)];
}

/* When a message that is sent at `time` arrives. */
static double arrival(const struct expansion *x, const struct act_network *net,
                      double time)
{
    return time + net->send_s + x->bytes * net->byte_s + net->latency_s;
}

static double later(double a, double b)
{
    return a > b ? a : b;
}

/* One message. */
static void send_one(const struct expansion *x, int64_t from, int64_t to)
{
    const struct act_network *net = network_of(x, from, to);

    x->t[to] = later(x->t[to], arrival(x, net, x->t[from])) + net->receive_s;
    x->t[from] += net->send_s;
}

/* A process sends to one and receives from another in a round; all clocks as they were
 * before it in `was`. */
static void swap_one(const struct expansion *x, int64_t pid, int64_t to, int64_t from)
{
    const struct act_network *out = network_of(x, pid, to),
                             *in = network_of(x, from, pid);

    x->t[pid] =
        later(x->was[pid] + out->send_s, arrival(x, in, x->was[from])) + in->receive_s;
}

static void remember(const struct expansion *x)
{
    for (int64_t pid = 0; pid < x->g->processes; pid++)
        x->was[pid] = x->t[pid];
}

/* Barrier and alltoall: rounds with partners at a distance. */
static void circles(const struct expansion *x, int doubling)
{
    int64_t count = x->g->processes;

    for (int64_t k = 1; k < count; k = doubling ? 2 * k : k + 1) {
        remember(x);
        for (int64_t pid = 0; pid < count; pid++)
            swap_one(x, pid, (pid + k) % count, (pid + count - k) % count);
    }
}

/* Processes are counted from the root on. */
static void tree_down(const struct expansion *x, int64_t root)
{
    int64_t count = x->g->processes, top = 1;

    while (top < count)
        top *= 2;
    for (int64_t k = top / 2; k >= 1; k /= 2) /* the farthest first */
        for (int64_t i = 0; i + k < count; i += 2 * k)
            send_one(x, (root + i) % count, (root + i + k) % count);
}

static void tree_up(const struct expansion *x, int64_t root)
{
    int64_t count = x->g->processes;

    for (int64_t k = 1; k < count; k *= 2)
        for (int64_t i = 0; i + k < count; i += 2 * k)
            send_one(x, (root + i + k) % count, (root + i) % count);
}

static void doubling(const struct expansion *x)
{
    int64_t count = x->g->processes, power = 1, rest;

    while (2 * power <= count)
        power *= 2;
    rest = count - power; /* pairs (0, 1), (2, 3), .. of the first 2 rest processes */
    for (int64_t i = 0; i < rest; i++)
        send_one(x, 2 * i, 2 * i + 1);
    for (int64_t k = 1; k < power; k *= 2) {
        remember(x);
        for (int64_t i = 0; i < power; i++) {
            int64_t j = i ^ k;
            int64_t pid = i < rest ? 2 * i + 1 : i + rest;
            int64_t other = j < rest ? 2 * j + 1 : j + rest;

            swap_one(x, pid, other, other);
        }
    }
    for (int64_t i = 0; i < rest; i++)
        send_one(x, 2 * i + 1, 2 * i);
}

static int expand(struct act_engine *g, double *t, enum act_kind kind)
{
    struct expansion x = {.g = g,
                          .t = t,
                          .was = malloc((size_t)g->processes * sizeof *x.was),
                          .bytes = g->all.bytes > 0 ? (double)(g->all.bytes - 1) : 0};

    if (!x.was)
        return cca_no_memory(g->err);
    if (kind == ACT_BARRIER || kind == ACT_ALLTOALL)
        circles(&x, kind == ACT_BARRIER);
    else if (kind == ACT_BCAST)
        tree_down(&x, g->all.root);
    else if (kind == ACT_REDUCE)
        tree_up(&x, g->all.root);
    else
        doubling(&x);
    free(x.was);
    return 0;
}

/* --- All arrived. --- */

static int is_expanded(const struct act_engine *g, const struct act_element *e)
{
    return e->as == ACT_AS_EXPANDED ||
           (e->as == ACT_AS_USUAL && g->options->machine.expanded && !e->cost &&
            !e->time);
}

/* A process leaves at `end`; `busy` of the time in it at work. */
static int leave(struct act_engine *g, int32_t pid, double end, double busy,
                 double cost_s)
{
    struct act_actor *a = &g->actors[pid];
    double start = a->clock;

    a->clock = end;
    act_engine_wake(g, pid);
    return act_engine_done(g, pid, a->element, start, cost_s, end - start - busy);
}

static int finish_cost(struct act_engine *g)
{
    double end = g->all.clock + g->all.cost_s;
    int rc = 0;

    for (int64_t pid = 0; pid < g->processes && !rc; pid++)
        rc = leave(g, (int32_t)pid, end, g->all.cost_s, g->all.costs[pid]);
    return rc;
}

static int finish_expanded(struct act_engine *g, enum act_kind kind)
{
    double *t = malloc((size_t)g->processes * sizeof *t);
    int rc = t ? 0 : cca_no_memory(g->err);

    for (int64_t pid = 0; pid < g->processes && !rc; pid++)
        t[pid] = g->actors[pid].clock +
                 act_engine_taken(g, &g->actors[pid], g->all.costs[pid]);
    rc = rc ? rc : expand(g, t, kind);
    for (int64_t pid = 0; pid < g->processes && !rc; pid++)
        rc = leave(g, (int32_t)pid, t[pid], 0, g->all.costs[pid]);
    free(t);
    return rc;
}

/* Another one than this process is in: the same kind, root and way for all. */
static int check_same(struct act_engine *g, int32_t pid, const struct act_element *own)
{
    const struct act_element *first = g->elements[g->all.element];
    int rooted = own->kind == ACT_BCAST || own->kind == ACT_REDUCE;

    if (first->kind == own->kind && (!rooted || g->all.root == g->event.peer) &&
        is_expanded(g, first) == is_expanded(g, own))
        return 0;
    if (first->kind != own->kind || first != own)
        return act_engine_fault(
            g, pid, own->number,
            "found %s %s while others are in %s %s (line %d), expected "
            "all processes in the same collective",
            act_kind_name(own->kind), own->name, act_kind_name(first->kind), first->name,
            first->place.line);
    return act_engine_fault(g, pid, own->number,
                            "found root %lld while others have %lld, expected one root",
                            (long long)g->event.peer, (long long)g->all.root);
}

int act_engine_collective(struct act_engine *g, int32_t actor)
{
    struct act_actor *a = &g->actors[actor];
    const struct act_element *e = g->elements[g->event.element];
    int rooted = e->kind == ACT_BCAST || e->kind == ACT_REDUCE, rc = 0;
    double taken;

    if (rooted && (g->event.peer < 0 || g->event.peer >= g->processes))
        return act_engine_fault(g, a->pid, e->number,
                                "found root process %lld, expected 0 to %lld",
                                (long long)g->event.peer, (long long)g->processes - 1);
    if (!g->all.costs) {
        g->all.costs = malloc((size_t)g->processes * sizeof *g->all.costs);
        if (!g->all.costs)
            return cca_no_memory(g->err);
    }
    if (g->all.arrived > 0)
        rc = check_same(g, a->pid, e);
    if (rc)
        return rc;
    if (g->all.arrived++ == 0) {
        g->all.element = e->number;
        g->all.clock = g->all.cost_s = 0;
        g->all.bytes = 0;
        g->all.root = g->event.peer;
    }
    taken = is_expanded(g, e) ? 0 : act_engine_taken(g, a, g->event.cost_s);
    g->all.costs[a->pid] = g->event.cost_s;
    g->all.clock = later(g->all.clock, a->clock);
    g->all.cost_s = later(g->all.cost_s, taken);
    if (g->event.bytes > g->all.bytes)
        g->all.bytes = g->event.bytes;
    a->status = ACT_WAITS_COLLECTIVE;
    if (g->all.arrived < g->processes)
        return 0;
    g->all.arrived = 0;
    return is_expanded(g, e) ? finish_expanded(g, e->kind) : finish_cost(g);
}
