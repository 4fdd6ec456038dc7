/* SPDX-License-Identifier: BSD-3-Clause */
/* blocked.c: error message of a deadlock: which process waits for which. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "activity/run/engine_core.h"

enum { TOLD = 4 };

/* The process that `pid` waits for; -1: it does not wait for a single one. */
static int32_t waits_for(const struct act_engine *g, int32_t pid)
{
    const struct act_actor *a = &g->actors[pid];
    const struct act_request *requests = g->requests.all;

    if (a->status == ACT_WAITS_RECEIVE || a->status == ACT_WAITS_SEND)
        return a->peer;
    for (int32_t n = a->requests; a->status == ACT_WAITS_REQUESTS && n >= 0;
         n = requests[n].next)
        if (!requests[n].is_done)
            return requests[n].peer;
    return -1;
}

static void add(char *text, size_t size, const char *more)
{
    size_t used = strlen(text);

    snprintf(text + used, size - used, "%s", more);
}

/* Append where a process waits and for whom: "process 2 in recv Before (line 9) for
 * 1". */
static void say(const struct act_engine *g, int32_t pid, char *text, size_t size)
{
    const struct act_element *e = g->elements[g->actors[pid].element];
    int32_t other = waits_for(g, pid);
    char one[160];

    snprintf(one, sizeof one, "%sprocess %d in %s %.40s (%d:%d)", *text ? "; " : "",
             (int)pid, act_kind_name(e->kind), e->name ? e->name : "", e->place.line,
             e->place.column);
    add(text, size, one);
    if (other >= 0)
        snprintf(one, sizeof one, " for process %d%s", (int)other,
                 g->actors[other].status == ACT_ENDED ? ", which has ended" : "");
    else
        snprintf(one, sizeof one, " for %s",
                 g->actors[pid].status == ACT_WAITS_COLLECTIVE ? "all"
                 : g->actors[pid].status == ACT_WAITS_THREADS  ? "its threads"
                                                               : "its lock");
    add(text, size, one);
}

/* The first process of a cycle of waiting processes, or -1. Each process is visited once:
 * `seen` holds the start of the walk that visited it first. */
static int32_t find_circle(const struct act_engine *g)
{
    int32_t *seen = calloc((size_t)g->processes, sizeof *seen), found = -1;

    for (int32_t first = 0; seen && first < g->processes && found < 0; first++) {
        int32_t pid = first;

        while (pid >= 0 && seen[pid] == 0) {
            seen[pid] = first + 1;
            pid = waits_for(g, pid);
        }
        if (pid >= 0 && seen[pid] == first + 1)
            found = pid;
    }
    free(seen);
    return found;
}

int act_engine_blocked(struct act_engine *g)
{
    int32_t circle = find_circle(g), first = -1, pid;
    char text[400] = "";
    int64_t waiting = 0;
    int told = 0;

    for (pid = circle; pid >= 0 && told < TOLD; pid = waits_for(g, pid)) {
        if (told++ && pid == circle)
            break;
        say(g, pid, text, sizeof text);
    }
    for (int64_t i = 0; i < g->processes; i++) {
        if (g->actors[i].status == ACT_ENDED)
            continue;
        first = first < 0 ? (int32_t)i : first;
        if (waiting++ < TOLD && circle < 0)
            say(g, (int32_t)i, text, sizeof text);
    }
    first = circle >= 0 ? circle : first;
    return cca_error_set(
        g->err, -EDOM, "%s:%d:%d: %lld of %lld processes wait without end%s: %s",
        g->program->model->file, g->elements[g->actors[first].element]->place.line,
        g->elements[g->actors[first].element]->place.column, (long long)waiting,
        (long long)g->processes, circle >= 0 ? ", in a circle" : "", text);
}
