/* SPDX-License-Identifier: BSD-3-Clause */
/* schedule.c: the cost of a schedule, and the cheapest schedule. */
#include "mesh/balance/schedule.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void mesh_schedule_judge(const struct mesh_loads *loads, const struct mesh_price *price,
                         const unsigned char *schedule, struct mesh_outcome *outcome)
{
    int64_t s = 0, weighty = 0;

    memset(outcome, 0, sizeof *outcome);
    for (int64_t k = 0; k < loads->steps; k++) {
        double largest, mean = loads->mean[k], over;

        if (k > 0 && schedule[k]) {
            outcome->cost += mesh_price_of(loads, price, s, k);
            outcome->cells_moved += mesh_moved(loads, s, k);
            outcome->repartitions++;
            s = k;
        }
        largest = mesh_load(loads, s, k);
        outcome->cost += largest;
        if (mean <= 0)
            continue;
        weighty++;
        over = largest / mean - 1;
        outcome->imbalance_mean += over;
        outcome->imbalance_max = fmax(outcome->imbalance_max, over);
        outcome->loss_mean += 1 - mean / largest;
        outcome->loss_max = fmax(outcome->loss_max, 1 - mean / largest);
    }
    if (weighty) {
        outcome->imbalance_mean /= (double)weighty;
        outcome->loss_mean /= (double)weighty;
    }
}

/* The cheapest way to go on after a repartition at a step. */
struct way {
    double cost;
    int64_t count; /* number of repartitions */
    int64_t next;  /* step of the next repartition; `steps`: none */
};

static void look_from(const struct mesh_loads *loads, const struct mesh_price *price,
                      struct way *ways, int64_t s)
{
    struct way best = {INFINITY, 0, 0};
    double sum = 0;

    for (int64_t t = s + 1; t <= loads->steps; t++) {
        struct way way = {0, 0, t};
        double equal;

        sum += mesh_load(loads, s, t - 1);
        way.cost = sum;
        if (t < loads->steps) {
            way.cost += mesh_price_of(loads, price, s, t) + ways[t].cost;
            way.count = ways[t].count + 1;
        }
        equal = 1e-12 * fabs(way.cost);
        if (way.cost < best.cost - equal ||
            (way.cost <= best.cost + equal && way.count < best.count))
            best = way;
    }
    ways[s] = best;
}

int mesh_oracle(const struct mesh_loads *loads, const struct mesh_price *price,
                unsigned char *schedule)
{
    struct way *ways = calloc((size_t)loads->steps, sizeof *ways);

    if (!ways)
        return -ENOMEM;
    for (int64_t s = loads->steps; s-- > 0;)
        look_from(loads, price, ways, s);
    memset(schedule, 0, (size_t)loads->steps);
    for (int64_t s = ways[0].next; s < loads->steps; s = ways[s].next)
        schedule[s] = 1;
    free(ways);
    return 0;
}

void mesh_bounds_make(const struct mesh_loads *loads, struct mesh_bounds *bounds)
{
    bounds->means = bounds->least = 0;
    for (int64_t k = 0; k < loads->steps; k++) {
        double least = INFINITY;

        for (int64_t s = 0; s <= k; s++)
            least = fmin(least, mesh_load(loads, s, k));
        bounds->means += loads->mean[k];
        bounds->least += least;
    }
}
