/* SPDX-License-Identifier: BSD-3-Clause */
/* requests.c: nonblocking sends and receives, and waits for them. */
#include <stdlib.h>

#include "activity/run/engine_core.h"

static struct act_request *request_at(const struct act_engine *g, int32_t number)
{
    return (struct act_request *)g->requests.all + number;
}

int32_t act_engine_request(struct act_engine *g, int32_t actor, int32_t element,
                           int64_t peer, int is_receive)
{
    struct act_actor *a = &g->actors[actor];
    int32_t number = act_pool_take(&g->requests);

    if (number < 0)
        return number;
    *request_at(g, number) = (struct act_request){.element = element,
                                                  .next = a->requests,
                                                  .peer = (int32_t)peer,
                                                  .is_receive = is_receive != 0};
    a->requests = number;
    return number;
}

void act_request_set(struct act_engine *g, int32_t request, double time)
{
    request_at(g, request)->is_done = 1;
    request_at(g, request)->time = time;
}

/* Whether a wait or exchange waits for a request. */
static int is_for(const struct act_element *wait, const struct act_engine *g,
                  const struct act_request *r)
{
    const struct act_element *of = g->elements[r->element];

    if (wait->kind == ACT_EXCHANGE)
        return of == wait;
    for (int i = 0; i < wait->peer_count; i++)
        if (wait->waited[i] == of)
            return 1;
    return wait->peer_count == 0;
}

/* Whether the search in a process's list of requests can stop at a request; `is_own`: the
 * element waits for it. An exchange's requests are the newest in the list; a wait
 * searches the whole list. */
static int is_last(const struct act_element *wait, int is_own)
{
    return wait->kind == ACT_EXCHANGE && !is_own;
}

/* A request that a wait completes. */
struct due {
    double time, receive_s;
    int64_t order;
};

static int compare(const void *a, const void *b)
{
    const struct due *x = a, *y = b;

    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

enum { FEW = 64 };

static void sort(struct due *all, int64_t count)
{
    if (count > FEW) {
        qsort(all, (size_t)count, sizeof *all, compare);
        return;
    }
    for (int64_t i = 1; i < count; i++) {
        struct due one = all[i];
        int64_t at = i;

        for (; at > 0 && all[at - 1].time > one.time; at--)
            all[at] = all[at - 1];
        all[at] = one;
    }
}

/* Remove the requests of a wait from its process's list. Returns their number. */
static int64_t take(struct act_engine *g, struct act_actor *a,
                    const struct act_element *wait, struct due *all)
{
    int32_t *link = &a->requests;
    int64_t count = 0;

    while (*link >= 0) {
        int32_t number = *link;
        struct act_request *r = request_at(g, number);
        int own = is_for(wait, g, r), network;

        if (is_last(wait, own))
            break;
        if (!own) {
            link = &r->next;
            continue;
        }
        network = act_engine_network(g, r->peer, a->pid);
        all[count] = (struct due){.time = r->time, .order = count};
        if (r->is_receive)
            all[count].receive_s = g->options->machine.networks[network].receive_s;
        count++;
        *link = r->next;
        act_pool_give(&g->requests, number);
    }
    return count;
}

/* End a wait whose requests are all done: the clock advances to the last one; receives
 * take receive_s each, in the order of their arrival. */
static int end_wait(struct act_engine *g, int32_t actor, int64_t count)
{
    struct act_actor *a = &g->actors[actor];
    struct due few[FEW], *all = few;
    double clock = a->clock, busy = a->work_s;

    if (count > FEW)
        all = malloc((size_t)count * sizeof *all);
    if (!all)
        return cca_no_memory(g->err);
    count = take(g, a, g->elements[a->element], all);
    sort(all, count);
    for (int64_t i = 0; i < count; i++) {
        clock = (all[i].time > clock ? all[i].time : clock) + all[i].receive_s;
        busy += all[i].receive_s;
    }
    if (all != few)
        free(all);
    a->clock = clock;
    return act_engine_done(g, actor, a->element, a->wait_from, 0,
                           clock - a->wait_from - busy);
}

int act_engine_requests(struct act_engine *g, int32_t actor)
{
    struct act_actor *a = &g->actors[actor];
    const struct act_element *wait = g->elements[a->element];
    int64_t count = 0;
    int rc;

    a->undone = 0;
    for (int32_t n = a->requests; n >= 0; n = request_at(g, n)->next) {
        int own = is_for(wait, g, request_at(g, n));

        if (is_last(wait, own))
            break;
        count += own;
        a->undone += own && !request_at(g, n)->is_done;
    }
    a->waited = (int32_t)count;
    if (a->undone > 0)
        return 0;
    rc = end_wait(g, actor, count);
    return rc ? rc : 1;
}

int act_request_over(struct act_engine *g, int32_t actor, int32_t request, double time)
{
    struct act_actor *a = &g->actors[actor];
    int rc;

    act_request_set(g, request, time);
    if (a->status != ACT_WAITS_REQUESTS ||
        !is_for(g->elements[a->element], g, request_at(g, request)) || --a->undone > 0)
        return 0;
    rc = end_wait(g, actor, a->waited);
    if (!rc)
        act_engine_wake(g, actor);
    return rc;
}
