/* SPDX-License-Identifier: BSD-3-Clause */
/* location.h: the location (centre) of the main population among the calls of a size. */
#ifndef MASTERMIND_COST_CALLS_LOCATION_H
#define MASTERMIND_COST_CALLS_LOCATION_H

#include <stddef.h>

/* A cost that represents `weight` calls. */
struct mm_value {
    double value, weight;
};

struct mm_location {
    double typ;    /* location of the values kept: their mean, or their median where
                      they are skewed */
    double sd;     /* standard deviation of the values kept; 0 with fewer than two */
    double scale;  /* spread estimated from the lower half, as the sd of a normal
                      distribution */
    double cut;    /* limit of the values kept: larger ones were excluded */
    double weight; /* total weight of the values kept */
    double count;  /* effective number of values kept: equal weights of the same
                      precision */
};

/* Locate the main population of `values`, which get sorted; `count` > 0.
 *
 * The host and rare costs make calls slower, hardly ever faster. So values more than
 * MM_CUT_SCALES spreads of the lower half above the median are excluded, repeatedly until
 * none is left. `others` is the relative spread at other sizes, or 0; it supports the
 * estimate from few values. Of three values none is excluded; of two, the larger one if
 * it is more than twice the other. `tick` is the tick of a coarse clock, with which the
 * mean is always used; 0: the clock is fine. */
struct mm_location mm_location_of(struct mm_value *values, size_t count, double others,
                                  double tick);
/* The tick of a clock that is too coarse to time single calls; 0: the clock is fine.
 * Sorts `values`. */
double mm_values_tick(struct mm_value *values, size_t count);
/* Spread of the lower half of sorted values, as the sd of a normal distribution. */
double mm_values_scale(const struct mm_value *sorted, size_t count);

/* Sort values (costs of calls) in ascending order. */
void mm_values_sort(struct mm_value *values, size_t count);
double mm_values_weight(const struct mm_value *values, size_t count);
/* Quantile `p` of sorted values, interpolated; `count` > 0. */
double mm_values_quantile(const struct mm_value *sorted, size_t count, double p);

/* Find two populations with a gap between them, each with at least `least` of the weight
 * and two values. Returns the index of the first sorted value of the upper one; 0: there
 * is one population. */
size_t mm_values_split(const struct mm_value *sorted, size_t count, double least);

#endif
