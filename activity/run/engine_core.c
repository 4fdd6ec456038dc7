/* SPDX-License-Identifier: BSD-3-Clause */
/* engine_core.c: functions that all parts of the engine use: pools of memory, error
 * messages, the compute node of a process, the end of an element of the model, and the
 * waking of an actor (simulated process or thread). */
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "activity/run/ordered_core.h"
#include "common/array.h"
#include "common/clock.h"

/* --- Pools. --- */

int32_t act_pool_take(struct act_pool *pool)
{
    int32_t number = pool->free;

    if (number >= 0) {
        memcpy(&pool->free, (char *)pool->all + (size_t)number * pool->size,
               sizeof pool->free);
        return number;
    }
    if (pool->count == pool->room) {
        int32_t room = pool->room ? pool->room > INT32_MAX / 2 ? 0 : 2 * pool->room : 64;
        void *all = room ? realloc(pool->all, (size_t)room * pool->size) : NULL;

        if (!all)
            return -1;
        pool->all = all;
        pool->room = room;
    }
    return pool->count++;
}

/* Make an entry free: its first bytes become the number of the next free entry. */
void act_pool_give(struct act_pool *pool, int32_t number)
{
    memcpy((char *)pool->all + (size_t)number * pool->size, &pool->free,
           sizeof pool->free);
    pool->free = number;
}

/* --- Errors. --- */

int act_engine_fault(struct act_engine *g, int32_t pid, int32_t element,
                     const char *format, ...)
{
    const struct act_element *e = element >= 0 ? g->elements[element] : NULL;
    char text[300];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return cca_error_set(g->err, -EDOM, "%s:%d:%d: %s (%s%sprocess %d)",
                         g->program->model->file, e ? e->place.line : 1,
                         e ? e->place.column : 1, text, e && e->name ? e->name : "",
                         e && e->name ? ", " : "", (int)pid);
}

static int is_late(const struct act_run_options *options)
{
    return cca_clock_s(CLOCK_MONOTONIC) > options->until_s;
}

int act_engine_look(struct act_engine *g, int32_t actor)
{
    int64_t most =
        g->options->most_events ? g->options->most_events : (int64_t)1000000000000;

    g->next_look = g->events + ACT_LOOKS <= most ? g->events + ACT_LOOKS : most + 1;
    if (g->events <= most && !(g->options->until_s > 0 && is_late(g->options)))
        return 0;
    return act_engine_fault(g, g->actors[actor].pid, g->event.element,
                            "found no end after %lld events%s", (long long)g->events - 1,
                            g->events > most ? "" : ": it took too long");
}

/* --- Nodes of processes. --- */

int64_t act_engine_node(const struct act_engine *g, int64_t pid)
{
    if (g->node_shift >= 0)
        return pid >> g->node_shift;
    return g->options->machine.placement == ACT_CYCLIC ? pid % g->nodes
                                                       : pid * g->nodes / g->processes;
}

int32_t act_engine_tid(const struct act_engine *g, int32_t actor)
{
    return actor < g->processes ? 0 : act_thread_at(g, actor)->number;
}

/* --- Sums. --- */

static enum act_event_kind kind_of(const struct act_engine *g, int32_t element)
{
    return g->elements[element]->kind == ACT_CRITICAL ? ACT_EVENT_LOCK
                                                      : ACT_EVENT_ELEMENT;
}

static int tell_span(struct act_engine *g, int32_t actor, int32_t element, double start,
                     double wait)
{
    const struct act_actor *a = &g->actors[actor];

    return g->sink->span(g->sink->context,
                         &(struct act_span){.kind = kind_of(g, element),
                                            .pid = a->pid,
                                            .tid = act_engine_tid(g, actor),
                                            .element = element,
                                            .start_s = start,
                                            .end_s = a->clock,
                                            .busy_s = a->clock - start - wait,
                                            .bytes = a->bytes,
                                            .peer = a->peer,
                                            .tag = a->tag});
}

int act_engine_done(struct act_engine *g, int32_t actor, int32_t element, double start,
                    double cost_s, double wait)
{
    struct act_element_sum *sum = &g->result->elements[element];
    double lasted = g->actors[actor].clock - start;

    if (sum->calls++ == 0 || lasted < sum->least_s)
        sum->least_s = lasted;
    if (lasted > sum->largest_s)
        sum->largest_s = lasted;
    sum->cost_s += cost_s;
    sum->total_s += lasted;
    sum->wait_s += wait;
    return g->sink && g->sink->span ? tell_span(g, actor, element, start, wait) : 0;
}

int act_engine_tell(const struct act_engine *g, int32_t actor)
{
    const struct act_actor *a = &g->actors[actor];

    if (!g->sink || !g->sink->span)
        return 0;
    return g->sink->span(g->sink->context,
                         &(struct act_span){.kind = g->event.kind,
                                            .pid = a->pid,
                                            .tid = act_engine_tid(g, actor),
                                            .element = g->event.element,
                                            .start_s = a->clock,
                                            .end_s = a->clock});
}

/* --- Waking. --- */

void act_ordered_push(struct act_engine *g, struct act_timed event)
{
    struct act_ordered *o = g->ordered;
    int64_t at;

    if (cca_array_extend(&o->heap, &o->room, sizeof *o->heap, (size_t)o->count + 1)) {
        o->failed = 1;
        return;
    }
    event.sequence = o->sequence++;
    for (at = o->count++; at > 0 && act_timed_before(&event, &o->heap[(at - 1) / 2]);
         at = (at - 1) / 2)
        o->heap[at] = o->heap[(at - 1) / 2];
    o->heap[at] = event;
}

void act_ordered_wake(struct act_engine *g, int32_t actor)
{
    act_ordered_push(g,
                     (struct act_timed){.time = g->actors[actor].clock, .actor = actor});
}

void act_engine_wake(struct act_engine *g, int32_t actor)
{
    int64_t at;

    g->actors[actor].status = ACT_RUNS;
    if (actor == g->current)
        return;
    if (g->ordered) {
        act_ordered_wake(g, actor);
        return;
    }
    at = g->queue_first + g->queue_count++;
    g->queue[at < g->processes ? at : at - g->processes] = actor;
}

/* --- Costs. --- */

/* Mix the bits of a word as SplitMix64 does (G. Steele, D. Lea, C. Flood, 2014). */
static uint64_t mix(uint64_t z)
{
    z += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* Draw a standard normal number (Box and Muller). It depends only on the seed, the actor
 * and the number of the actor's draws, not on the order of execution. */
static double normal(const struct act_engine *g, int64_t actor, uint32_t draw)
{
    uint64_t a = mix(mix(g->options->seed ^ mix((uint64_t)actor)) + draw), b = mix(a);
    double u = ((double)(a >> 11) + 0.5) * 0x1p-53, v = (double)(b >> 11) * 0x1p-53;

    return sqrt(-2 * log(u)) * cos(2 * 3.14159265358979323846 * v);
}

double act_engine_taken(struct act_engine *g, struct act_actor *a, double cost_s)
{
    double taken = cost_s * g->speed;

    if (g->sigma > 0)
        taken *= exp(g->sigma * normal(g, a - g->actors, a->draws++) -
                     g->sigma * g->sigma / 2);
    return taken;
}
