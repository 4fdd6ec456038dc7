/* SPDX-License-Identifier: BSD-3-Clause */
/* collectives.c: operations of all processes together.
 *
 * A collective is simulated in one of two ways. As cost (Pllana's AllReduce): it begins
 * when the last process arrives and lasts the largest of their costs. Expanded: each
 * process spends its own cost, then sends and receives the messages of the usual
 * algorithm (script.c), and leaves after its last message, possibly before others
 * arrive. */
#include <errno.h>
#include <string.h>

#include "activity/run/engine_core.h"
#include "common/array.h"

static double later(double a, double b)
{
    return a > b ? a : b;
}

static int is_expanded(const struct act_engine *g, const struct act_element *e)
{
    return e->as == ACT_AS_EXPANDED ||
           (e->as == ACT_AS_USUAL && g->options->machine.expanded && !e->cost &&
            !e->time);
}

static int is_rooted(const struct act_element *e)
{
    return e->kind == ACT_BCAST || e->kind == ACT_REDUCE;
}

/* --- Pending collectives: some processes have not arrived. --- */

/* Find the collective at which a process arrives; the first process to arrive makes a new
 * one. NULL: out of memory. */
static struct act_gathering *find_gathering(struct act_engine *g,
                                            const struct act_actor *a)
{
    int32_t at = (int32_t)(a->collectives - g->first_gathering);

    if (at == g->gathering_count) {
        if (cca_array_extend(&g->gatherings, &g->gathering_room, sizeof *g->gatherings,
                             (size_t)(g->gathering_at + at) + 1))
            return NULL;
        g->gathering_count++;
        g->gatherings[g->gathering_at + at] =
            (struct act_gathering){.element = g->event.element, .root = g->event.peer};
    }
    return &g->gatherings[g->gathering_at + at];
}

/* Drop the oldest pending collective: all processes have arrived. */
static void drop_gathering(struct act_engine *g)
{
    g->first_gathering++;
    g->gathering_count--;
    if (++g->gathering_at <= g->gathering_count)
        return;
    memcpy(g->gatherings, g->gatherings + g->gathering_at,
           (size_t)g->gathering_count * sizeof *g->gatherings);
    g->gathering_at = 0;
}

/* Refuse a process whose collective differs from the first process's collective in its
 * kind or root, or in being expanded. */
static int check_same(struct act_engine *g, int32_t pid, const struct act_element *own,
                      const struct act_gathering *all)
{
    const struct act_element *first = g->elements[all->element];

    if (first->kind == own->kind && (!is_rooted(own) || all->root == g->event.peer) &&
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
                            (long long)g->event.peer, (long long)all->root);
}

int act_engine_gathered(struct act_engine *g)
{
    const struct act_gathering *all = g->gatherings + g->gathering_at;

    if (g->gathering_count == 0)
        return 0;
    return cca_error_set(
        g->err, -EDOM, "%s:%d:%d: %lld of %lld processes ended without %s %s",
        g->program->model->file, g->elements[all->element]->place.line,
        g->elements[all->element]->place.column, (long long)(g->processes - all->arrived),
        (long long)g->processes, act_kind_name(g->elements[all->element]->kind),
        g->elements[all->element]->name ? g->elements[all->element]->name : "");
}

/* --- As cost. --- */

/* End a collective that has a cost, at time `end`, for all processes. */
static int finish_cost(struct act_engine *g, double end, double cost_s)
{
    int rc = 0;

    for (int64_t pid = 0; pid < g->processes && !rc; pid++) {
        struct act_actor *a = &g->actors[pid];
        double start = a->clock;

        a->clock = end;
        act_engine_wake(g, (int32_t)pid);
        rc = act_engine_done(g, (int32_t)pid, a->element, start, a->cost_s,
                             end - start - cost_s);
    }
    return rc;
}

static int arrive(struct act_engine *g, int32_t actor, struct act_gathering *all)
{
    struct act_actor *a = &g->actors[actor];
    double end, cost_s;

    all->clock = later(all->clock, a->clock);
    all->cost_s = later(all->cost_s, act_engine_taken(g, a, a->cost_s));
    a->status = ACT_WAITS_COLLECTIVE;
    if (++all->arrived < g->processes)
        return 0;
    cost_s = all->cost_s;
    end = all->clock + cost_s;
    drop_gathering(g);
    return finish_cost(g, end, cost_s);
}

/* --- Expanded. --- */

int act_engine_script(struct act_engine *g, int32_t actor)
{
    struct act_actor *a = &g->actors[actor];
    const struct act_element *e = g->elements[a->element];
    struct act_line line;
    int rc = 0;

    while (!rc && a->status == ACT_RUNS &&
           act_script_line(e->kind, g->processes, a->pid, a->tag, a->line, &line)) {
        a->line++;
        rc = line.is_receive ? act_engine_script_receive(g, actor, line.peer)
                             : act_engine_script_send(g, actor, line.peer);
    }
    if (rc || a->status != ACT_RUNS)
        return rc;
    a->line = -1;
    a->peer = -1;
    a->tag = 0;
    return act_engine_done(g, actor, a->element, a->wait_from, a->cost_s,
                           later(0, a->clock - a->wait_from - a->work_s));
}

static int expand(struct act_engine *g, int32_t actor, struct act_gathering *all)
{
    struct act_actor *a = &g->actors[actor];

    if (++all->arrived == g->processes)
        drop_gathering(g);
    a->work_s = act_engine_taken(g, a, a->cost_s);
    a->clock += a->work_s;
    a->tag = g->event.peer;
    a->line = 0;
    return act_engine_script(g, actor);
}

int act_engine_collective(struct act_engine *g, int32_t actor)
{
    struct act_actor *a = &g->actors[actor];
    const struct act_element *e = g->elements[g->event.element];
    struct act_gathering *all;
    int rc;

    if (is_rooted(e) && (g->event.peer < 0 || g->event.peer >= g->processes))
        return act_engine_fault(g, a->pid, e->number,
                                "found root process %lld, expected 0 to %lld",
                                (long long)g->event.peer, (long long)g->processes - 1);
    all = find_gathering(g, a);
    if (!all)
        return cca_no_memory(g->err);
    rc = check_same(g, a->pid, e, all);
    if (rc)
        return rc;
    a->collectives++;
    a->cost_s = g->event.cost_s;
    return is_expanded(g, e) ? expand(g, actor, all) : arrive(g, actor, all);
}
