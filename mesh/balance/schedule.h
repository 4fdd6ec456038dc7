/* SPDX-License-Identifier: BSD-3-Clause */
/* schedule.h: at which steps to repartition, what that costs, and the optimum. */
#ifndef MESH_BALANCE_SCHEDULE_H
#define MESH_BALANCE_SCHEDULE_H

#include "mesh/balance/loads.h"

/* What a repartition costs in the unit of the weights; at least 0. */
struct mesh_price {
    double repartition; /* each */
    double cell;        /* each cell that changes owner */
    /* NULL, or another way to a price: of the partition that begins at step t instead of
     * that of s, where `moved` cells change owner. */
    double (*function)(void *context, const struct mesh_price *price, int64_t s,
                       int64_t t, int64_t moved);
    void *context; /* of `function` */
};

/* A schedule is an array of `steps` bytes, 1 where the mesh is repartitioned before the
 * step is computed; schedule[0] is 0: the first partition, of step 0, is free. */

struct mesh_outcome {
    double cost; /* sum of the largest part loads of all steps, and of the prices */
    int64_t repartitions;
    int64_t cells_moved;
    double imbalance_mean, imbalance_max; /* (largest - mean) / mean, over the steps that
                                             have weight */
    double loss_mean, loss_max;           /* (largest - mean) / largest */
};

/* What a schedule costs, into *outcome. */
void mesh_schedule_judge(const struct mesh_loads *loads, const struct mesh_price *price,
                         const unsigned char *schedule, struct mesh_outcome *outcome);

/* The price of replacing the partition of s by that of t where `moved` cells move. */
static inline double mesh_price_moved(const struct mesh_price *price, int64_t s,
                                      int64_t t, int64_t moved)
{
    if (price->function)
        return price->function(price->context, price, s, t, moved);
    return price->repartition + price->cell * (double)moved;
}

/* The price of replacing the partition of s by that of t. */
static inline double mesh_price_of(const struct mesh_loads *loads,
                                   const struct mesh_price *price, int64_t s, int64_t t)
{
    return mesh_price_moved(price, s, t, mesh_moved(loads, s, t));
}

/* The cheapest schedule, exactly: with best[s] the least cost from step s on where the
 * partition of s has just been made,
 *
 *     best[s] = min over t > s of sum_{s <= k < t} M[s][k] + price(s, t) + best[t],
 *
 * t = steps without the last two terms. The step of the partition is all of the state, so
 * this holds with migration. Of equals (to 1e-12 of the cost) that with the fewest
 * repartitions, of these the earliest. 0 or -ENOMEM. */
int mesh_oracle(const struct mesh_loads *loads, const struct mesh_price *price,
                unsigned char *schedule);

/* Lower bounds of any schedule's cost: the sum of the mean part loads; the sum over k of
 * the least M[s][k], s <= k. */
struct mesh_bounds {
    double means, least;
};
void mesh_bounds_make(const struct mesh_loads *loads, struct mesh_bounds *bounds);

#endif
