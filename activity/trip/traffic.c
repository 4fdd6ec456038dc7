/* SPDX-License-Identifier: BSD-3-Clause */
/* traffic.c: messages and collectives by method, read from their files. */
#include "activity/trip/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "messages/read/collectives.h"
#include "messages/read/groups.h"

struct gathering {
    struct trip *trip;
    struct trip_traffic *traffic;
};

static int add_across(struct gathering *g, const struct mm_message_part *part)
{
    struct trip_traffic *traffic = g->traffic;
    struct trip_across *across;

    for (size_t i = 0; i < traffic->across_count; i++)
        if (traffic->across[i].sender == part->send_method &&
            traffic->across[i].receiver == part->recv_method)
            return 0;
    across = cca_array_add(&traffic->across, &traffic->across_count, sizeof *across);
    if (!across)
        return cca_no_memory(g->trip->err);
    across->sender = part->send_method;
    across->receiver = part->recv_method;
    return 0;
}

static int add_part(void *context, const struct mm_message_part *part)
{
    struct gathering *g = context;
    struct trip_traffic *traffic = g->traffic;
    struct trip_pair *pair = NULL;

    if (part->other || part->src < 0 || part->dst < 0 || !part->send_method ||
        !part->recv_method || part->src == part->dst)
        return 0;
    if (part->send_method != part->recv_method)
        return add_across(g, part);
    for (size_t i = 0; i < traffic->pair_count && !pair; i++)
        if (traffic->pairs[i].method == part->send_method &&
            traffic->pairs[i].src == part->src && traffic->pairs[i].dst == part->dst)
            pair = &traffic->pairs[i];
    if (!pair) {
        pair = cca_array_add(&traffic->pairs, &traffic->pair_count, sizeof *pair);
        if (!pair)
            return cca_no_memory(g->trip->err);
        pair->method = part->send_method;
        pair->src = part->src;
        pair->dst = part->dst;
    }
    pair->messages += part->sums.weight;
    if (part->sums.count)
        pair->bytes +=
            (double)part->sums.bytes / (double)part->sums.count * part->sums.weight;
    return 0;
}

static int read_collectives(struct gathering *g, const struct mm_messages *messages)
{
    struct mm_collectives all;
    int rc = mm_collectives_read(&all, messages, 0, NULL, NULL, g->trip->err);

    for (size_t i = 0; i < all.table.count && !rc; i++) {
        const struct mm_collective_group *group = mm_word_table_value(&all.table, i);
        struct trip_collective *c;

        /* Use only collectives of all processes, because the members of smaller groups
         * are unknown here. */
        if (!group->method || !group->instances ||
            group->calls != group->instances * (uint64_t)messages->processes)
            continue;
        c = cca_array_add(&g->traffic->collectives, &g->traffic->collective_count,
                          sizeof *c);
        if (!c) {
            rc = cca_no_memory(g->trip->err);
            break;
        }
        c->method = group->method;
        c->function =
            act_arena_text(g->trip->arena, group->function, strlen(group->function));
        c->instances = group->weight;
        c->bytes = (double)group->bytes / (double)group->calls;
        rc = c->function ? 0 : cca_no_memory(g->trip->err);
    }
    mm_collectives_done(&all);
    return rc;
}

/* Give an activity of its own to each method that communicates. */
static void open_methods(struct trip *trip, const struct trip_traffic *traffic)
{
    for (size_t i = 0; i < trip->symbol_count; i++) {
        struct trip_symbol *s = &trip->symbols[i];

        for (size_t k = 0; k < traffic->pair_count; k++)
            s->has_callees |= traffic->pairs[k].method == s->method;
        for (size_t k = 0; k < traffic->collective_count; k++)
            s->has_callees |= traffic->collectives[k].method == s->method;
    }
}

int trip_traffic_read(struct trip *trip, size_t run, struct trip_traffic *traffic)
{
    struct gathering gathering = {trip, traffic};
    struct mm_messages_joined joined;
    struct cca_error err = {0};
    struct mm_messages *messages;
    int rc;

    memset(traffic, 0, sizeof *traffic);
    memset(&joined, 0, sizeof joined);
    if (!trip->mpi_apart || trip->experiments[run]->ranks < 2)
        return 0;
    messages = mm_messages_open(trip->experiments[run], &err);
    if (!messages) {
        if (err.code == -ENOENT)
            return 0;
        *trip->err = err;
        return err.code;
    }
    traffic->known = 1;
    traffic->sampled = messages->request.strategy != MM_STRATEGY_P ||
                       messages->request.x < 1 || messages->request.collectives < 1;
    rc = mm_messages_parts(messages, 0, 0, add_part, &gathering, &joined, trip->err);
    rc = rc ? rc : read_collectives(&gathering, messages);
    mm_messages_free(messages);
    if (!rc && run == 0)
        open_methods(trip, traffic);
    return rc;
}

void trip_traffic_done(struct trip_traffic *traffic)
{
    free(traffic->pairs);
    free(traffic->collectives);
    free(traffic->across);
}

double trip_calls_by_rank(const struct trip *trip, const struct mm_method_info *method)
{
    double first = -1;

    for (int rank = 0; rank < trip->experiments[0]->ranks; rank++) {
        double calls = 0;

        for (size_t k = 0; k < trip->thread_count; k++) {
            const struct trip_thread *t = &trip->threads[k];

            for (size_t i = 0; t->run == 0 && t->rank == rank && i < t->count; i++)
                calls += trip->symbols[t->calls[i].symbol].method == method;
        }
        for (size_t i = 0; i < trip->summed_count; i++)
            if (trip->summed[i].run == 0 && trip->summed[i].rank == rank &&
                trip->symbols[trip->summed[i].callee].method == method)
                calls += (double)trip->summed[i].calls;
        if (rank > 0 && calls != first)
            return -1;
        first = calls;
    }
    return first;
}
