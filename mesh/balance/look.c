/* SPDX-License-Identifier: BSD-3-Clause */
/* look.c: the policy look:H, the optimum of a window that moves with the steps. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mesh/balance/parts.h"

/* Compute cost[t]: the least cost of the steps t .. end - 1 if a partition is made at
 * step t. */
static void look_back(const struct mesh_loads *loads, const struct mesh_price *price,
                      int64_t now, int64_t end, double *cost)
{
    for (int64_t s = end; s-- > now;) {
        double sum = 0, best = INFINITY;

        for (int64_t t = s + 1; t <= end; t++) {
            sum += mesh_load(loads, s, t - 1);
            best = fmin(
                best, t == end ? sum : sum + mesh_price_of(loads, price, s, t) + cost[t]);
        }
        cost[s] = best;
    }
}

/* Whether it is cheaper to repartition now than at any later step. `stands` is the step
 * of the current partition.
 */
static int now_is_best(const struct mesh_loads *loads, const struct mesh_price *price,
                       int64_t stands, int64_t now, int64_t end, const double *cost)
{
    double at_once = mesh_price_of(loads, price, stands, now) + cost[now], sum = 0;
    double later = INFINITY;

    for (int64_t t = now + 1; t <= end; t++) {
        sum += mesh_load(loads, stands, t - 1);
        later =
            fmin(later,
                 t == end ? sum : sum + mesh_price_of(loads, price, stands, t) + cost[t]);
    }
    return at_once < later;
}

int mesh_look(const struct mesh_loads *loads, const struct mesh_price *price,
              int64_t ahead, unsigned char *schedule)
{
    int64_t window = ahead < loads->steps ? ahead : loads->steps, s = 0;
    double *cost = malloc((size_t)loads->steps * sizeof *cost);
    int64_t known = 0; /* step up to which cost[] was computed */

    if (!cost)
        return -ENOMEM;
    memset(schedule, 0, (size_t)loads->steps);
    for (int64_t now = 1; now < loads->steps; now++) {
        int64_t end = now + window < loads->steps ? now + window : loads->steps;

        if (end != known)
            look_back(loads, price, now, end, cost);
        known = end;
        schedule[now] = (unsigned char)now_is_best(loads, price, s, now, end, cost);
        if (schedule[now])
            s = now;
    }
    free(cost);
    return 0;
}
