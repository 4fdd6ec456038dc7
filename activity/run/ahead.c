/* SPDX-License-Identifier: BSD-3-Clause */
/* ahead.c: without shared cores, each process runs on its own clock until it has to wait
 * for another one. Messages are matched by source, destination and tag in posting order,
 * so it does not matter which process runs first. */
#include "activity/run/engine_core.h"

/* Events that a process runs in one turn. messages.c ends the turn earlier if many
 * messages wait for their receivers. */
enum { AHEAD = 1000 };

static int run(struct act_engine *g, int32_t pid)
{
    struct act_state *state =
        (struct act_state *)(void *)(g->states + (size_t)pid * g->program->state_bytes);
    struct act_actor *a = &g->actors[pid];
    int rc = 0, left = AHEAD;

    g->is_crowded = 0;
    if (a->line >= 0)
        rc = act_engine_script(g, pid);
    while (!rc && a->status == ACT_RUNS) {
        if (left-- == 0 || g->is_crowded) { /* the process's turn ends: it goes to the end
                                             * of the queue */
            g->current = -1;
            act_engine_wake(g, pid);
            return 0;
        }
        rc = act_engine_next(g, pid, state);
        if (rc)
            break;
        if (g->event.kind == ACT_EVENT_ELEMENT) {
            rc = act_engine_element(g, pid);
        } else if (g->event.kind == ACT_EVENT_END) {
            a->status = ACT_ENDED;
            g->ended++;
        } else if (g->event.kind == ACT_EVENT_ENTER || g->event.kind == ACT_EVENT_LEAVE) {
            rc = act_engine_tell(g, pid);
            /* the lock is free, since no other thread exists */
        } else if (g->event.kind == ACT_EVENT_LOCK) {
            a->element = g->event.element;
            a->peer = -1;
            rc = act_engine_done(g, pid, a->element, a->clock, 0, 0);
        }
    }
    return rc;
}

/* Prefetch the memory of the actor after the next one: with many processes it is not in a
 * cache. */
static void fetch_later(const struct act_engine *g)
{
    int64_t at = g->queue_first + 2;
    int32_t pid;

    if (g->queue_count <= 2)
        return;
    pid = g->queue[at < g->processes ? at : at - g->processes];
    __builtin_prefetch(&g->actors[pid]);
    __builtin_prefetch((const char *)(&g->actors[pid] + 1) - 1);
    __builtin_prefetch(g->states + (size_t)pid * g->program->state_bytes);
}

int act_engine_ahead(struct act_engine *g)
{
    int rc = 0;

    for (int64_t pid = 0; pid < g->processes; pid++)
        g->queue[pid] = (int32_t)pid;
    g->queue_count = g->processes;
    while (!rc && g->queue_count > 0) {
        fetch_later(g);
        g->current = g->queue[g->queue_first];
        if (++g->queue_first == g->processes)
            g->queue_first = 0;
        g->queue_count--;
        rc = run(g, g->current);
    }
    g->current = -1;
    return rc;
}
