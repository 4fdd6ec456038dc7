/* SPDX-License-Identifier: BSD-3-Clause */
/* storm_plan.c: what is sent in a round, and the check of what was received. */
#include "tests/messages/programs/storm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SMALL = 1024, LARGE = 200000 };

/* splitmix64 (G. L. Steele, D. Lea, C. H. Flood, OOPSLA 2014) */
uint64_t numbers_next(struct numbers *n)
{
    uint64_t x = n->state += 0x9e3779b97f4a7c15;

    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
}

int below(struct numbers *n, int limit)
{
    return (int)(numbers_next(n) % (uint64_t)limit);
}

int chance(struct numbers *n, int percent)
{
    return below(n, 100) < percent;
}

struct truth_channel channel_of(const struct worker *w, int from, int to, int tag)
{
    const struct family *f = w->family;

    return (struct truth_channel){f->label + (f->inter ? 0 : f->colour[from]), from, to,
                                  tag};
}

int rank_of(const struct worker *w, int world)
{
    return world == MPI_ANY_SOURCE ? MPI_ANY_SOURCE : w->family->rank[world];
}

static int may_send(const struct family *f, int from, int to)
{
    if (f->colour[from] < 0 || f->colour[to] < 0)
        return 0;
    return f->inter ? f->colour[from] != f->colour[to] : f->colour[from] == f->colour[to];
}

static void choose_tags(struct worker *w)
{
    w->tag_count = w->settings->own_tags ? 1 : 1 + below(&w->plan, TAGS);
    for (int i = 0; i < w->tag_count; i++)
        w->tags[i] = 100 * (w->thread + 1) + below(&w->plan, 4) + 4 * i;
    w->any_tag = w->settings->own_tags ? w->tags[0] : MPI_ANY_TAG;
}

static void choose_family(struct worker *w)
{
    const int start = below(&w->plan, FAMILIES_MOST);

    for (int i = 0; i < FAMILIES_MOST; i++) {
        w->family = &w->families[(start + i) % FAMILIES_MOST];
        if (w->family->alive)
            return;
    }
}

/* Sizes differ, so that a message taken for another shows: below a header where headers
 * are not asked for, empty ones among them. */
static int choose_size(struct worker *w, int large)
{
    if (!w->headers && chance(&w->plan, 30))
        return chance(&w->plan, 50) ? 0 : below(&w->plan, TRUTH_HEADER);
    if (large)
        return SMALL + below(&w->plan, LARGE - SMALL);
    return TRUTH_HEADER + below(&w->plan, SMALL - TRUTH_HEADER);
}

static int is_planned(const struct worker *w, const struct message *m)
{
    for (int i = 0; i < w->message_count; i++)
        if (w->messages[i].from == m->from && w->messages[i].to == m->to &&
            w->messages[i].tag == m->tag)
            return 1;
    return 0;
}

static void shuffle_ranks(struct worker *w, int *place)
{
    for (int i = 0; i < w->ranks; i++) {
        const int j = below(&w->plan, i + 1);

        place[i] = place[j];
        place[j] = i;
    }
}

void plan_round(struct worker *w, enum plan_kind kind)
{
    const int large = w->settings->large && chance(&w->plan, 10);
    const int wanted = 1 + below(&w->plan, large ? 10 : w->settings->messages);
    int place[RANKS_MOST];

    choose_family(w);
    choose_tags(w);
    shuffle_ranks(w, place);
    w->headers = chance(&w->plan, 60);
    w->message_count = w->received = w->expected = w->operation_count = 0;
    w->size_most = large ? LARGE : SMALL;
    for (int i = 0; i < wanted; i++) {
        struct message m = {.from = below(&w->plan, w->ranks),
                            .to = below(&w->plan, w->ranks),
                            .tag = w->tags[below(&w->plan, w->tag_count)],
                            .size = choose_size(w, large)};

        if (!may_send(w->family, m.from, m.to) ||
            (m.from == m.to && (kind != PLAN_ANY || !w->settings->self)) ||
            (kind == PLAN_ACYCLIC && place[m.from] > place[m.to]) ||
            (kind == PLAN_DISTINCT && is_planned(w, &m)))
            continue;
        w->messages[w->message_count++] = m;
        w->expected += m.to == w->rank;
    }
}

static int by_order(const void *a, const void *b)
{
    const struct operation *x = *(struct operation *const *)a,
                           *y = *(struct operation *const *)b;

    return (x->order > y->order) - (x->order < y->order);
}

_Noreturn static void tell_wrong(const struct worker *w, const struct operation *o,
                                 const struct truth_header *h)
{
    const struct truth_received *r = &o->record;
    char text[512];

    snprintf(text, sizeof text,
             "%s at %s got message %lld of %d bytes from %d to %d, tag %d, expected "
             "message %lld "
             "of %d bytes from %d to %d, tag %d",
             r->kind, r->site, h ? (long long)h->k : -1, h ? (int)h->size : -1,
             h ? h->channel.from : -1, h ? h->channel.to : -1, h ? h->channel.tag : -1,
             (long long)r->k, r->size, r->channel.from, r->channel.to, r->channel.tag);
    misbehaved(w, text);
}

/* The channel's next message, by the order of posting, must be what this receive has got.
 */
static void check_received(struct worker *w, struct operation *o)
{
    const struct truth_header *h = truth_header_of(o->buffer, o->got_size);
    struct truth_received *r = &o->record;

    r->channel = channel_of(w, o->got_source, w->rank, o->got_tag);
    r->k = truth_next(&w->truth, &r->channel, 1);
    r->size = o->got_size;
    r->serial = h ? h->serial : -1;
    if (!truth_right(&r->channel, r->k, r->size, o->buffer))
        tell_wrong(w, o, h);
    truth_receive(&w->truth, r);
}

void round_end(struct worker *w)
{
    struct operation *sorted[OPERATIONS_MOST];
    int count = 0;

    require(w, w->received == w->expected, "a message is missing");
    comms_sync(w);
    for (int i = 0; i < w->operation_count; i++)
        if (w->operations[i].receiving && w->operations[i].got_size >= 0)
            sorted[count++] = &w->operations[i];
    qsort(sorted, (size_t)count, sizeof *sorted, by_order);
    for (int i = 0; i < count; i++)
        check_received(w, sorted[i]);
    for (int i = 0; i < w->operation_count; i++) {
        require(w, !w->operations[i].pending, "a request is still pending");
        if (w->operations[i].type != MPI_DATATYPE_NULL)
            MPI_Type_free(&w->operations[i].type);
        free(w->operations[i].buffer);
    }
    w->operation_count = 0;
}
