/* SPDX-License-Identifier: BSD-3-Clause */
/* schedule.h: schedules (the steps at which to repartition), their cost, and the optimum.
 */
#ifndef MESH_BALANCE_SCHEDULE_H
#define MESH_BALANCE_SCHEDULE_H

#include "mesh/balance/loads.h"

/* The price of a repartition in the unit of the weights; at least 0. */
struct mesh_price {
    double repartition; /* price of one repartition */
    double cell;        /* price of each cell that changes owner */
    /* NULL, or computes the price of replacing the partition of step s by the partition
     * of step t, where `moved` cells change owner. */
    double (*function)(void *context, const struct mesh_price *price, int64_t s,
                       int64_t t, int64_t moved);
    void *context; /* first argument of `function` */
};

/* A schedule is an array of `steps` bytes: 1 if the mesh is repartitioned before that
 * step is computed. schedule[0] is 0: the first partition is free. */

struct mesh_outcome {
    double cost; /* sum over all steps of the largest load of a part, and of the prices */
    int64_t repartitions;
    int64_t cells_moved;
    double imbalance_mean, imbalance_max; /* mean and maximum of (largest - mean) / mean
                                             over the steps that have weight */
    double loss_mean, loss_max; /* loss of a step: (largest - mean) / largest; its mean
                                   and maximum over the steps */
};

/* Compute the outcome of a schedule. */
void mesh_schedule_judge(const struct mesh_loads *loads, const struct mesh_price *price,
                         const unsigned char *schedule, struct mesh_outcome *outcome);

/* Return the price of replacing the partition of step s by the partition of step t if
 * `moved` cells move. */
static inline double mesh_price_moved(const struct mesh_price *price, int64_t s,
                                      int64_t t, int64_t moved)
{
    if (price->function)
        return price->function(price->context, price, s, t, moved);
    return price->repartition + price->cell * (double)moved;
}

/* Return the price of replacing the partition of step s by the partition of step t. */
static inline double mesh_price_of(const struct mesh_loads *loads,
                                   const struct mesh_price *price, int64_t s, int64_t t)
{
    return mesh_price_moved(price, s, t, mesh_moved(loads, s, t));
}

/* Compute the cheapest schedule exactly: best[s] is the least cost from step s on if the
 * partition of s has just been made,
 *
 *     best[s] = min over t > s of sum_{s <= k < t} M[s][k] + price(s, t) + best[t],
 *
 * t = steps without the last two terms. The state is the step of the current partition
 * alone, so the result is exact with prices of migration, too. Ties (to 1e-12 of the
 * cost): the fewest repartitions, then the earliest. Returns 0 or -ENOMEM. */
int mesh_oracle(const struct mesh_loads *loads, const struct mesh_price *price,
                unsigned char *schedule);

/* Compute lower bounds of any schedule's cost: the sum over steps of the mean load of a
 * part; the sum over steps k of the least M[s][k] (loads.h), s <= k. */
struct mesh_bounds {
    double means, least;
};
void mesh_bounds_make(const struct mesh_loads *loads, struct mesh_bounds *bounds);

#endif
