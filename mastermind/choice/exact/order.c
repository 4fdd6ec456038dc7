/* SPDX-License-Identifier: BSD-3-Clause */
/* order.c: order slots so that few new links arise (min-fill order). */
#include "mastermind/choice/exact/parts.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

struct graph {
    size_t count;
    char *linked; /* [count][count] true if the two slots are linked */
    /* [count][degree] the remaining slots that are linked to each slot */
    size_t **neighbors;
    size_t *degree;
    char *done;
};

static size_t added_links(const struct graph *g, size_t slot)
{
    size_t added = 0;

    for (size_t i = 0; i < g->degree[slot]; i++)
        for (size_t k = i + 1; k < g->degree[slot]; k++)
            added += !g->linked[g->neighbors[slot][i] * g->count + g->neighbors[slot][k]];
    return added;
}

static double table_size(const struct graph *g, const struct mm_network *network,
                         size_t slot)
{
    double size = log2((double)mm_network_size(network, slot));

    for (size_t i = 0; i < g->degree[slot]; i++)
        size += log2((double)mm_network_size(network, g->neighbors[slot][i]));
    return size;
}

static void link_slots(struct graph *g, size_t a, size_t b)
{
    if (g->linked[a * g->count + b])
        return;
    g->linked[a * g->count + b] = g->linked[b * g->count + a] = 1;
    g->neighbors[a][g->degree[a]++] = b;
    g->neighbors[b][g->degree[b]++] = a;
}

static void eliminate(struct graph *g, size_t slot)
{
    for (size_t i = 0; i < g->degree[slot]; i++) {
        size_t other = g->neighbors[slot][i], at = 0;

        while (g->neighbors[other][at] != slot)
            at++;
        g->neighbors[other][at] = g->neighbors[other][--g->degree[other]];
    }
    for (size_t i = 0; i < g->degree[slot]; i++)
        for (size_t k = i + 1; k < g->degree[slot]; k++)
            link_slots(g, g->neighbors[slot][i], g->neighbors[slot][k]);
    g->done[slot] = 1;
}

static void graph_done(struct graph *g)
{
    for (size_t i = 0; g->neighbors && i < g->count; i++)
        free(g->neighbors[i]);
    free(g->neighbors);
    free(g->linked);
    free(g->degree);
    free(g->done);
}

static int graph_init(struct graph *g, const struct mm_network *network)
{
    size_t count = network->slot_count;

    *g = (struct graph){.count = count};
    g->linked = calloc(count, count);
    g->degree = calloc(count, sizeof *g->degree);
    g->done = calloc(count, 1);
    g->neighbors = calloc(count, sizeof *g->neighbors);
    if (!g->linked || !g->degree || !g->done || !g->neighbors)
        return -ENOMEM;
    for (size_t i = 0; i < count; i++) {
        g->neighbors[i] = malloc(count * sizeof **g->neighbors);
        if (!g->neighbors[i])
            return -ENOMEM;
    }
    for (size_t i = 0; i < network->link_count; i++)
        link_slots(g, network->links[i].slots[0], network->links[i].slots[1]);
    return 0;
}

int mm_order_min_fill(const struct mm_network *network, size_t *order)
{
    struct graph g;
    int result = graph_init(&g, network);

    for (size_t left = g.count; !result && left > 0; left--) {
        size_t best = SIZE_MAX, best_added = SIZE_MAX;
        double best_size = INFINITY;

        for (size_t i = 0; i < g.count; i++) {
            size_t added;
            double size;

            if (g.done[i])
                continue;
            added = added_links(&g, i);
            size = table_size(&g, network, i);
            if (added < best_added || (added == best_added && size <= best_size)) {
                best = i;
                best_added = added;
                best_size = size;
            }
        }
        eliminate(&g, best);
        order[left - 1] = best;
    }
    graph_done(&g);
    return result;
}
