/* SPDX-License-Identifier: BSD-3-Clause */
/* balance.c: which rank has which patch, by the patches' costs. */
#include "components/AMRMesh/balance.h"

#include <errno.h>
#include <stdlib.h>

double patch_cost(struct box box)
{
    return (double)box_cells(box);
}

double balance_imbalance(const struct layout *const *layouts, int levels, int ranks)
{
    double *loads = malloc((size_t)ranks * sizeof *loads);
    double most = 0., mean = 0., steps = 1.;

    if (!loads)
        return -ENOMEM;
    for (int l = 0; l < levels; l++, steps *= 2.) {
        double largest = 0.;

        for (int rank = 0; rank < ranks; rank++)
            loads[rank] = 0.;
        for (int k = 0; k < layouts[l]->count; k++) {
            const struct tile *tile = &layouts[l]->tiles[k];

            loads[tile->rank] += patch_cost(tile->box);
            mean += steps * patch_cost(tile->box) / ranks;
            if (loads[tile->rank] > largest)
                largest = loads[tile->rank];
        }
        most += steps * largest;
    }
    free(loads);
    return mean > 0. ? most / mean : 1.;
}

int balance_due(const struct balance_rule *rule, int64_t step, double imbalance)
{
    if (rule->at_step && step == rule->at_step)
        return 1;
    if (rule->every && step && step % rule->every == 0)
        return 1;
    return rule->threshold > 0. && imbalance > rule->threshold;
}

struct bid {
    double cost;
    int tile;
};

static int bid_compare(const void *a, const void *b)
{
    const struct bid *x = a, *y = b;

    if (x->cost != y->cost)
        return x->cost > y->cost ? -1 : 1;
    return x->tile - y->tile;
}

int balance_assign(struct layout *layout, int ranks)
{
    struct bid *bids = malloc(((size_t)layout->count + 1) * sizeof *bids);
    double *loads = calloc((size_t)ranks, sizeof *loads);
    int code = bids && loads ? 0 : -ENOMEM;

    for (int k = 0; k < layout->count && !code; k++)
        bids[k] = (struct bid){patch_cost(layout->tiles[k].box), k};
    if (!code)
        qsort(bids, (size_t)layout->count, sizeof *bids, bid_compare);
    for (int k = 0; k < layout->count && !code; k++) {
        int least = 0;

        for (int rank = 1; rank < ranks; rank++)
            if (loads[rank] < loads[least])
                least = rank;
        layout->tiles[bids[k].tile].rank = least;
        loads[least] += bids[k].cost;
    }
    free(bids);
    free(loads);
    return code;
}
