/* SPDX-License-Identifier: BSD-3-Clause */
/* ordered.c: ordered mode: events in order of time, because processes and threads share
 * cores. */
#include <stdlib.h>

#include "activity/run/ordered_core.h"

/* --- The heap: earliest event first; of equal times, the oldest. --- */

static struct act_timed pop(struct act_ordered *o)
{
    struct act_timed first = o->heap[0], last = o->heap[--o->count];
    int64_t at = 0, child;

    while ((child = 2 * at + 1) < o->count) {
        if (child + 1 < o->count &&
            act_timed_before(&o->heap[child + 1], &o->heap[child]))
            child++;
        if (!act_timed_before(&o->heap[child], &last))
            break;
        o->heap[at] = o->heap[child];
        at = child;
    }
    o->heap[at] = last;
    return first;
}

/* --- Actors. --- */

static int end_actor(struct act_engine *g, int32_t actor)
{
    if (actor >= g->processes)
        return act_threads_end(g, actor);
    g->actors[actor].status = ACT_ENDED;
    g->ended++;
    return 0;
}

static int handle(struct act_engine *g, int32_t actor)
{
    int rc;

    switch (g->event.kind) {
    case ACT_EVENT_ELEMENT:
        return act_engine_element(g, actor);
    case ACT_EVENT_PARALLEL:
    case ACT_EVENT_FORK:
        return act_threads_begin(g, actor);
    case ACT_EVENT_LOCK:
        return act_threads_lock(g, actor);
    case ACT_EVENT_UNLOCK:
        return act_threads_unlock(g, actor);
    case ACT_EVENT_END:
        rc = end_actor(g, actor);
        return rc < 0 ? rc : 0;
    default:
        return act_engine_tell(g, actor);
    }
}

/* Run an actor (process or thread) until it waits or its clock is beyond the current
 * time. */
static int run(struct act_engine *g, int32_t actor)
{
    int rc = 0;

    g->current = actor;
    while (!rc && g->actors[actor].status == ACT_RUNS) {
        if (g->actors[actor].clock > g->ordered->now) {
            act_ordered_wake(g, actor);
            break;
        }
        if (g->actors[actor].line >= 0) {
            rc = act_engine_script(g, actor);
        } else {
            rc = act_engine_next(g, actor, act_ordered_state(g, actor));
            rc = rc ? rc : handle(g, actor);
        }
    }
    g->current = -1;
    return rc;
}

static int run_all(struct act_engine *g)
{
    struct act_ordered *o = g->ordered;
    int rc = 0;

    for (int64_t pid = 0; pid < g->processes; pid++)
        act_ordered_wake(g, (int32_t)pid);
    while (!rc && o->count > 0 && !o->failed) {
        struct act_timed event = pop(o);

        o->now = event.time;
        rc = event.actor >= 0 ? run(g, event.actor) : act_sharing_due(g, &event);
    }
    return rc ? rc : o->failed ? cca_no_memory(g->err) : 0;
}

int act_engine_ordered(struct act_engine *g)
{
    struct act_ordered ordered = {
        .teams = {.free = -1, .size = sizeof(struct act_team)},
        .threads = {.free = -1, .size = sizeof(struct act_thread)}};
    int rc;

    g->ordered = &ordered;
    rc = act_sharing_new(g);
    rc = rc ? rc : act_threads_new(g);
    rc = rc ? rc : run_all(g);
    act_threads_free(g);
    act_sharing_free(g);
    free(ordered.heap);
    g->ordered = NULL;
    return rc;
}
