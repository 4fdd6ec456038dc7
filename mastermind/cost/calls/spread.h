/* SPDX-License-Identifier: BSD-3-Clause */
/* spread.h: the standard deviation of one call as a function of the typical cost. */
#ifndef MASTERMIND_COST_CALLS_SPREAD_H
#define MASTERMIND_COST_CALLS_SPREAD_H

#include <stddef.h>

#define MM_SPREAD_KNOTS 8

/* sd = factor * typ^power * correction(typ); the correction is linear in logarithms
 * between its knots, constant beyond, and 1 where there are none. Above the last knot sd
 * grows at most like typ. */
struct mm_spread {
    int known;
    double factor, power;
    size_t knots;
    double at[MM_SPREAD_KNOTS];         /* logarithms of the typical costs at the
                                           knots, ascending */
    double correction[MM_SPREAD_KNOTS]; /* logarithm of the correction at each knot */
};

/* Standard deviation of one call at typical cost `typ`; NaN: unknown. */
double mm_spread_at(const struct mm_spread *spread, double typ);

/* A size; `distance` is the mean absolute difference of its calls from the typical cost
 * `typ` > 0. */
struct mm_distance {
    double typ, distance;
    double calls; /* number of calls from which the distance is estimated */
};

/* Fit a spread to sizes sorted by `typ`. `power` is 1, 0, 1/2 or another from 0 to 2, as
 * the data support it; groups of sizes that depart from it get a correction. `factor`
 * gives the mean absolute `distance` of calls, not their standard deviation. The spread
 * is unknown without sizes, and 0 where all distances are 0. Returns 0 or -ENOMEM. */
int mm_spread_of(const struct mm_distance *sizes, size_t count, struct mm_spread *spread);

#endif
