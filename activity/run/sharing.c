/* SPDX-License-Identifier: BSD-3-Clause */
/* sharing.c: cores and memory of each node, shared by the actors that work there. An
 * action ends when it has had its share of both. */
#include <errno.h>
#include <stdlib.h>

#include "activity/run/ordered_core.h"
#include "common/array.h"

/* --- Jobs of a shared resource: a heap by their end in virtual time. --- */

static int is_before(const struct act_job *a, const struct act_job *b)
{
    return a->end < b->end || (a->end == b->end && a->sequence < b->sequence);
}

static int push(struct act_share *share, struct act_job job)
{
    int32_t at;

    if (cca_array_extend(&share->jobs, &share->room, sizeof *share->jobs,
                         (size_t)share->count + 1))
        return -ENOMEM;
    for (at = share->count++; at > 0 && is_before(&job, &share->jobs[(at - 1) / 2]);
         at = (at - 1) / 2)
        share->jobs[at] = share->jobs[(at - 1) / 2];
    share->jobs[at] = job;
    return 0;
}

static struct act_job pop(struct act_share *share)
{
    struct act_job first = share->jobs[0], last = share->jobs[--share->count];
    int32_t at = 0, child;

    while ((child = 2 * at + 1) < share->count) {
        if (child + 1 < share->count &&
            is_before(&share->jobs[child + 1], &share->jobs[child]))
            child++;
        if (!is_before(&share->jobs[child], &last))
            break;
        share->jobs[at] = share->jobs[child];
        at = child;
    }
    if (share->count > 0)
        share->jobs[at] = last;
    return first;
}

/* --- Time. --- */

/* Rate of a shared resource: virtual time per second. */
static double rate_of(const struct act_share *share)
{
    double part = share->count > 0 ? share->capacity / share->count : share->most;

    return share->most > 0 && part > share->most ? share->most : part;
}

static void advance(struct act_share *share, double now)
{
    if (share->count > 0)
        share->virtual += (now - share->last) * rate_of(share);
    share->last = now;
}

/* Schedule the end of the first job at the current rate. */
static void plan(struct act_engine *g, int32_t number)
{
    struct act_share *share = &g->ordered->shares[number];
    double left;

    share->version++;
    if (share->count == 0) {
        /* the resource is idle: restart its virtual time, to keep precision */
        share->virtual = 0;
        return;
    }
    left = share->jobs[0].end - share->virtual;
    act_ordered_push(g, (struct act_timed){.time = g->ordered->now +
                                                   (left > 0 ? left / rate_of(share) : 0),
                                           .actor = -1,
                                           .share = number,
                                           .version = share->version});
}

static int enter(struct act_engine *g, int32_t number, int32_t actor, double work)
{
    struct act_share *share = &g->ordered->shares[number];

    advance(share, g->ordered->now);
    if (push(share, (struct act_job){.end = share->virtual + work,
                                     .sequence = g->ordered->sequence++,
                                     .actor = actor}))
        return cca_no_memory(g->err);
    g->ordered->parts[actor]++;
    plan(g, number);
    return 0;
}

int act_ordered_work(struct act_engine *g, int32_t actor, double taken, double memory)
{
    struct act_actor *a = &g->actors[actor];
    int32_t node = (int32_t)act_engine_node(g, a->pid);
    int rc = 0;

    a->status = ACT_WAITS_CORE;
    a->work_s = taken;
    if (taken > 0)
        rc = enter(g, node, actor, taken);
    if (!rc && memory > 0 && g->options->machine.memory > 0)
        rc = enter(g, node + (int32_t)g->nodes, actor, memory);
    /* the action needs no core, and memory is unlimited */
    if (!rc && g->ordered->parts[actor] == 0) {
        a->status = ACT_RUNS;
        rc = act_engine_done(g, actor, a->element, a->wait_from, a->cost_s, 0);
    }
    return rc;
}

/* Complete an actor's action when all parts of its work are done. */
static int finish(struct act_engine *g, int32_t actor)
{
    struct act_actor *a = &g->actors[actor];
    double lasted = g->ordered->now - a->wait_from;

    a->clock = g->ordered->now;
    act_engine_wake(g, actor);
    return act_engine_done(g, actor, a->element, a->wait_from, a->cost_s,
                           lasted > a->work_s ? lasted - a->work_s : 0);
}

int act_sharing_due(struct act_engine *g, const struct act_timed *event)
{
    struct act_share *share = &g->ordered->shares[event->share];
    int rc = 0;

    if (event->version != share->version)
        return 0;
    advance(share, g->ordered->now);
    /* set the virtual time exactly, without rounding errors */
    share->virtual = share->jobs[0].end;
    do {
        struct act_job job = pop(share);

        if (--g->ordered->parts[job.actor] == 0)
            rc = finish(g, job.actor);
    } while (!rc && share->count > 0 && share->jobs[0].end <= share->virtual);
    plan(g, event->share);
    return rc;
}

int act_sharing_new(struct act_engine *g)
{
    struct act_ordered *o = g->ordered;

    o->shares = calloc((size_t)g->nodes * 2, sizeof *o->shares);
    if (!o->shares)
        return cca_no_memory(g->err);
    for (int64_t n = 0; n < g->nodes; n++) {
        o->shares[n].capacity = (double)g->options->machine.cores;
        o->shares[n].most = 1;
        o->shares[g->nodes + n].capacity = g->options->machine.memory;
    }
    return 0;
}

void act_sharing_free(struct act_engine *g)
{
    struct act_ordered *o = g->ordered;

    for (int64_t n = 0; o->shares && n < 2 * g->nodes; n++)
        free(o->shares[n].jobs);
    free(o->shares);
}
