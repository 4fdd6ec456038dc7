/* SPDX-License-Identifier: BSD-3-Clause */
/* messages.c: matching of sends and receives by destination, source and tag, in the order
 * in which they were posted. Times are LogGP (machine.h):
 *
 *   eager        leaves at send_s after its begin, or (m - 1) byte_s + gap_s after the
 *                eager message before it, of m bytes, left; arrives (m - 1) byte_s +
 *                latency_s later; the sender goes on when it leaves
 *   rendezvous   the sender's request takes latency_s, the receiver's
 *                answer, given when it has posted its receive, latency_s, too; then it
 *                leaves, at once, and the sender goes on (m - 1) byte_s later
 *
 * A receiver spends receive_s on each message after its arrival. */
#include <stdlib.h>
#include <string.h>

#include "activity/run/engine_core.h"

/* Tag of messages of expanded collectives; models cannot use it. */
#define SCRIPT_TAG INT64_MIN

enum { MANY_POSTED = 1 << 16 };

static struct act_posted *posted_at(const struct act_engine *g, int32_t number)
{
    return (struct act_posted *)g->posted.all + number;
}

static const struct act_network *network_of(const struct act_engine *g, int64_t from,
                                            int64_t to)
{
    return &g->options->machine.networks[act_engine_network(g, from, to)];
}

/* --- Posted sends and receives, by key. --- */

/* Hash a destination, source and tag to a bucket. Neighbouring receivers with equal `from
 * - to` have adjacent buckets. */
static uint32_t bucket_of(const struct act_engine *g, int64_t to, int64_t from,
                          int64_t tag)
{
    uint64_t h =
        (uint64_t)(from - to) * 0x9e3779b97f4a7c15u ^ (uint64_t)tag * 0x165667b19e3779f9u;

    return (uint32_t)((h >> 32 ^ h >> 12) + (uint64_t)to) & g->bucket_mask;
}

static int is_key(const struct act_posted *p, int64_t to, int64_t from, int64_t tag)
{
    return p->to == to && p->from == from && p->tag == tag;
}

static int grow(struct act_engine *g)
{
    uint32_t count = 2 * (g->bucket_mask + 1), old = g->bucket_mask + 1;
    int32_t *buckets = malloc(count * sizeof *buckets), *was = g->buckets;

    if (!buckets)
        return cca_no_memory(g->err);
    memset(buckets, 0xff, count * sizeof *buckets);
    g->buckets = buckets;
    g->bucket_mask = count - 1;
    for (uint32_t b = 0; b < old; b++)
        for (int32_t n = was[b], next; n >= 0; n = next) {
            struct act_posted *p = posted_at(g, n);
            uint32_t to = bucket_of(g, p->to, p->from, p->tag);

            next = p->next;
            p->next = buckets[to];
            buckets[to] = n;
        }
    free(was);
    return 0;
}

/* Append a posted send or receive to the entries of the same destination, source and tag
 * (its key). Returns 0 or -ENOMEM. */
static int post(struct act_engine *g, const struct act_posted *what)
{
    int32_t number = act_pool_take(&g->posted), first;
    uint32_t bucket;
    struct act_posted *p;

    if (number < 0 || (g->posted_count > 2 * (int64_t)g->bucket_mask &&
                       g->bucket_mask < 1u << 30 && grow(g)))
        return cca_no_memory(g->err);
    if (++g->posted_count > MANY_POSTED + 2 * g->processes && !what->is_receive)
        g->is_crowded = 1; /* many messages are waiting: let other processes run first */
    p = posted_at(g, number);
    p->time = what->time; /* memberwise: a copy of the whole struct would stall on the
                           * stores of its parts */
    p->tag = what->tag;
    p->bytes = what->bytes;
    p->to = what->to;
    p->from = what->from;
    p->request = what->request;
    p->is_receive = what->is_receive;
    p->is_rendezvous = what->is_rendezvous;
    p->same = -1;
    p->last_same = number;
    bucket = bucket_of(g, p->to, p->from, p->tag);
    for (first = g->buckets[bucket]; first >= 0; first = posted_at(g, first)->next) {
        struct act_posted *f = posted_at(g, first);

        if (is_key(f, p->to, p->from, p->tag)) {
            posted_at(g, f->last_same)->same = number;
            f->last_same = number;
            return 0;
        }
    }
    p->next = g->buckets[bucket];
    g->buckets[bucket] = number;
    return 0;
}

/* Remove the first posted receive, or the first posted send, of a destination, source and
 * tag. The caller gives the entry back after the match. NULL: none. */
static const struct act_posted *take(struct act_engine *g, int64_t to, int64_t from,
                                     int64_t tag, int is_receive)
{
    struct act_posted *taken;
    int32_t *link;

    if (g->posted_count == 0)
        return NULL;
    link = &g->buckets[bucket_of(g, to, from, tag)];
    while (*link >= 0 && !is_key(posted_at(g, *link), to, from, tag))
        link = &posted_at(g, *link)->next;
    if (*link < 0)
        return NULL;
    taken = posted_at(g, *link);
    if (taken->is_receive != is_receive)
        return NULL;
    if (taken->same >= 0) {
        struct act_posted *second = posted_at(g, taken->same);

        second->next = taken->next;
        second->last_same = taken->last_same;
        *link = taken->same;
    } else {
        *link = taken->next;
    }
    g->posted_count--;
    return taken;
}

static void give_back(struct act_engine *g, const struct act_posted *taken)
{
    act_pool_give(&g->posted,
                  (int32_t)(taken - (const struct act_posted *)g->posted.all));
}

/* --- After a match. --- */

/* Complete a request, or let the blocked process run on; `overhead` of the time is
 * work. */
static int finish(struct act_engine *g, int32_t actor, int32_t request, double time,
                  double overhead)
{
    struct act_actor *a = &g->actors[actor];

    if (request < 0 && a->line >= 0) { /* the process continues its expanded collective */
        a->clock = (time > a->clock ? time : a->clock) + overhead;
        a->work_s += overhead;
        act_engine_wake(g, actor);
        return 0;
    }
    if (request >= 0)
        return act_request_over(g, actor, request, time);
    a->clock = (time > a->clock ? time : a->clock) + overhead;
    act_engine_wake(g, actor);
    return act_engine_done(g, actor, a->element, a->wait_from, 0,
                           a->clock - a->wait_from - a->work_s - overhead);
}

/* Match a send with a receive that was posted at time `posted`, by a request or by a
 * blocked process. */
static int meet(struct act_engine *g, const struct act_posted *s, double posted,
                int32_t request)
{
    const struct act_network *net = network_of(g, s->from, s->to);
    double arrives = s->time, ready = s->time + net->latency_s;
    int rc = 0;

    if (s->is_rendezvous) {
        double leaves = (ready > posted ? ready : posted) + net->latency_s;
        double left = leaves + (double)(s->bytes > 0 ? s->bytes - 1 : 0) * net->byte_s;

        arrives = left + net->latency_s;
        rc = finish(g, s->from, s->request, left, 0);
    }
    if (request < 0 && s->tag != SCRIPT_TAG)
        g->actors[s->to].bytes = s->bytes;
    return rc ? rc : finish(g, s->to, request, arrives, net->receive_s);
}

/* Post a send, or match it with a posted receive. In the usual case the receiver is
 * blocked in its only receive; its actor alone shows that. */
static int match_send(struct act_engine *g, const struct act_posted *s)
{
    const struct act_actor *to = &g->actors[s->to];
    const struct act_posted *r;
    int rc;

    if (to->status == ACT_WAITS_RECEIVE && to->is_alone && to->peer == s->from &&
        (to->line >= 0 ? SCRIPT_TAG : to->tag) == s->tag)
        return meet(g, s, to->clock, -1);
    r = take(g, s->to, s->from, s->tag, 1);
    if (!r)
        return post(g, s);
    rc = meet(g, s, r->time, r->request);
    give_back(g, r);
    return rc;
}

/* Post a receive, or match it with a posted send. `request` -1: the process is blocked
 * until the receive completes. */
static int match_receive(struct act_engine *g, struct act_actor *a, int64_t tag,
                         int32_t request)
{
    const struct act_posted *s = take(g, a->pid, a->peer, tag, 0);
    int rc;

    if (request < 0)
        a->status = ACT_WAITS_RECEIVE;
    if (s) {
        rc = meet(g, s, a->clock, request);
        give_back(g, s);
        return rc;
    }
    a->is_alone = request < 0 && a->requests < 0;
    if (a->is_alone)
        return 0;
    return post(g, &(struct act_posted){.tag = tag,
                                        .to = a->pid,
                                        .from = a->peer,
                                        .time = a->clock,
                                        .request = request,
                                        .is_receive = 1});
}

/* Compute when an eager message that is sent at the actor's clock leaves and arrives. */
static void leave(struct act_actor *a, const struct act_network *net,
                  struct act_posted *s)
{
    double rest = (double)(s->bytes > 0 ? s->bytes - 1 : 0) * net->byte_s;

    a->clock += net->send_s;
    a->work_s += net->send_s;
    if (a->clock < a->nic_free)
        a->clock = a->nic_free;
    a->nic_free = a->clock + rest + net->gap_s;
    s->time = a->clock + rest + net->latency_s;
}

int act_engine_script_send(struct act_engine *g, int32_t actor, int32_t to)
{
    struct act_actor *a = &g->actors[actor];
    struct act_posted s = {
        .tag = SCRIPT_TAG, .bytes = a->bytes, .to = to, .from = a->pid, .request = -1};
    const struct act_network *net = network_of(g, a->pid, to);

    leave(a, net, &s);
    return match_send(g, &s);
}

int act_engine_script_receive(struct act_engine *g, int32_t actor, int32_t from)
{
    g->actors[actor].peer = from;
    return match_receive(g, &g->actors[actor], SCRIPT_TAG, -1);
}

static int check_peer(struct act_engine *g, int32_t actor, int32_t element, int64_t peer,
                      const char *word)
{
    if (peer >= 0 && peer < g->processes)
        return 0;
    return act_engine_fault(g, g->actors[actor].pid, element,
                            "found %s process %lld, expected 0 to %lld", word,
                            (long long)peer, (long long)g->processes - 1);
}

int act_engine_send(struct act_engine *g, int32_t actor, int32_t element, int64_t to,
                    int32_t request)
{
    struct act_actor *a = &g->actors[actor];
    struct act_posted s = {.tag = g->event.tag,
                           .bytes = g->event.bytes,
                           .to = (int32_t)to,
                           .from = a->pid,
                           .request = request};
    int rc = check_peer(g, actor, element, to, "a send to");
    const struct act_network *net;

    if (rc)
        return rc;
    net = network_of(g, a->pid, to);
    g->result->messages++;
    g->result->bytes += s.bytes;
    a->peer = (int32_t)to;
    if (net->eager >= 0 && s.bytes > net->eager) {
        s.is_rendezvous = 1;
        a->clock += net->send_s;
        a->work_s += net->send_s;
        s.time = a->clock;
        if (request < 0)
            a->status = ACT_WAITS_SEND;
    } else {
        leave(a, net, &s);
        if (request >= 0)
            act_request_set(g, request, a->clock);
    }
    rc = match_send(g, &s);
    return rc ? rc : s.is_rendezvous;
}

int act_engine_receive(struct act_engine *g, int32_t actor, int32_t element, int64_t from,
                       int32_t request)
{
    struct act_actor *a = &g->actors[actor];
    int rc = check_peer(g, actor, element, from, "a receive from");

    if (rc)
        return rc;
    a->peer = (int32_t)from;
    return match_receive(g, a, g->event.tag, request);
}
