/* SPDX-License-Identifier: BSD-3-Clause */
/* elements.c: effect of an element on an actor's clock. */
#include <float.h>
#include <math.h>

#include "activity/run/engine_core.h"

/* Set the error for a cost that is negative or not finite, or for another bad number. */
static int refuse_cost(struct act_engine *g, int32_t actor)
{
    const struct act_event *event = &g->event;
    int32_t pid = g->actors[actor].pid;
    /* printf prints a NaN with a sign as "-nan" */
    const double without_sign = (double)NAN;

    if (!(event->cost_s >= 0) || event->cost_s > DBL_MAX)
        return act_engine_fault(g, pid, event->element,
                                "found the cost %g, expected a finite one of at least 0",
                                isnan(event->cost_s) ? without_sign : event->cost_s);
    if (!(event->memory >= 0) || event->memory > DBL_MAX)
        return act_engine_fault(
            g, pid, event->element,
            "found %g bytes of memory, expected a finite number of at "
            "least 0",
            isnan(event->memory) ? without_sign : event->memory);
    if (event->bytes < 0)
        return act_engine_fault(g, pid, event->element,
                                "found %lld bytes, expected at least 0",
                                (long long)event->bytes);
    return 0;
}

static int is_good(const struct act_event *event)
{
    return event->cost_s >= 0 && event->cost_s <= DBL_MAX && event->memory >= 0 &&
           event->memory <= DBL_MAX && event->bytes >= 0;
}

/* Execute an action. If the actor has its core to itself, its clock advances at once. */
static int act(struct act_engine *g, int32_t actor)
{
    struct act_actor *a = &g->actors[actor];
    double start = a->clock, taken = g->sigma > 0
                                         ? act_engine_taken(g, a, g->event.cost_s)
                                         : g->event.cost_s * g->speed;

    if (g->ordered && (taken > 0 || g->event.memory > 0)) {
        a->cost_s = g->event.cost_s;
        return act_ordered_work(g, actor, taken, g->event.memory);
    }
    a->clock += taken;
    return act_engine_done(g, actor, g->event.element, start, g->event.cost_s, 0);
}

static int send(struct act_engine *g, int32_t actor, int is_request)
{
    struct act_actor *a = &g->actors[actor];
    double start = a->clock;
    int32_t request = -1;
    int rc;

    if (is_request) {
        request = act_engine_request(g, actor, g->event.element, g->event.peer, 0);
        if (request < 0)
            return cca_no_memory(g->err);
    }
    rc = act_engine_send(g, actor, g->event.element, g->event.peer, request);
    if (rc < 0 || (rc > 0 && !is_request))
        return rc < 0 ? rc : 0;
    return act_engine_done(g, actor, g->event.element, start, 0,
                           a->clock - start - a->work_s);
}

static int receive(struct act_engine *g, int32_t actor, int is_request)
{
    struct act_actor *a = &g->actors[actor];
    int32_t request = -1;
    int rc;

    if (is_request) {
        request = act_engine_request(g, actor, g->event.element, g->event.peer, 1);
        if (request < 0)
            return cca_no_memory(g->err);
    }
    rc = act_engine_receive(g, actor, g->event.element, g->event.peer, request);
    if (rc || !is_request) /* messages.c ends the element of a blocking receive */
        return rc;
    return act_engine_done(g, actor, g->event.element, a->clock, 0, 0);
}

static int wait(struct act_engine *g, int32_t actor)
{
    int rc = act_engine_requests(g, actor);

    if (rc == 0)
        g->actors[actor].status = ACT_WAITS_REQUESTS;
    return rc < 0 ? rc : 0;
}

/* Post a receive and a send for each neighbour, then wait for all. */
static int exchange(struct act_engine *g, int32_t actor)
{
    const struct act_event *event = &g->event;
    double start = g->actors[actor].clock;
    int rc = 0;

    for (int i = 0; i < 2 * event->count && rc >= 0; i++) {
        int64_t peer = event->peers[i % event->count];
        int is_receive = i < event->count;
        int32_t request;

        if (peer < 0 || peer >= g->processes)
            continue; /* there is no neighbour at this position */
        request = act_engine_request(g, actor, event->element, peer, is_receive);
        if (request < 0)
            return cca_no_memory(g->err);
        rc = is_receive ? act_engine_receive(g, actor, event->element, peer, request)
                        : act_engine_send(g, actor, event->element, peer, request);
    }
    if (rc < 0)
        return rc;
    g->actors[actor].wait_from = start;
    return wait(g, actor);
}

int act_engine_element(struct act_engine *g, int32_t actor)
{
    struct act_actor *a = &g->actors[actor];
    enum act_kind kind;
    int rc = 0;

    if (!is_good(&g->event))
        return refuse_cost(g, actor);
    g->result->operations++;
    a->element = g->event.element;
    a->peer = -1;
    a->tag = g->event.tag;
    a->bytes = g->event.bytes;
    a->wait_from = a->clock;
    a->work_s = 0;
    if (g->sink && g->sink->begin)
        rc = g->sink->begin(g->sink->context, a->pid, act_engine_tid(g, actor),
                            g->event.element);
    if (rc)
        return rc;
    /* frequent kinds are handled by branches, which are predicted better than a jump
     * table */
    kind = g->elements[g->event.element]->kind;
    if (kind == ACT_ACTION)
        return act(g, actor);
    if (kind == ACT_SEND || kind == ACT_ISEND)
        return send(g, actor, kind == ACT_ISEND);
    if (kind == ACT_RECV || kind == ACT_IRECV)
        return receive(g, actor, kind == ACT_IRECV);
    if (kind == ACT_WAIT)
        return wait(g, actor);
    if (kind == ACT_EXCHANGE)
        return exchange(g, actor);
    return act_engine_collective(g, actor);
}
