/* SPDX-License-Identifier: BSD-3-Clause */
/* location.h: where the main population of the calls of a size lies. */
#ifndef MASTERMIND_COST_CALLS_LOCATION_H
#define MASTERMIND_COST_CALLS_LOCATION_H

#include <stddef.h>

/* A value that stands for `weight` calls. */
struct mm_value {
    double value, weight;
};

struct mm_location {
    double typ;    /* of the values kept: mean, or median where they are skewed */
    double sd;     /* of one value kept; 0 below two */
    double scale;  /* the lower half's, as the sd of a normal distribution */
    double cut;    /* larger values were not kept */
    double weight; /* of the values kept */
    double count;  /* values that know as much as those kept with their weights */
};

/* Sorts `values`, `count` > 0. Calls get slower by the host and by rare costs, seldom
 * faster: values above median + 4 scales of the lower half go until nothing changes.
 * `others` is the relative scale at other sizes, or 0: few values do not tell their own.
 * Below four values nothing goes but the larger of two that differ by more than 2. Of
 * values that a coarse clock counts by `tick` the mean is what they are equal to; 0: it
 * is none. */
struct mm_location mm_location_of(struct mm_value *values, size_t count, double others,
                                  double tick);
/* The tick of a clock that is too coarse to time single calls; 0: none. Sorts `values`.
 */
double mm_values_tick(struct mm_value *values, size_t count);
/* Scale of the lower half of sorted values, as the sd of a normal distribution. */
double mm_values_scale(const struct mm_value *sorted, size_t count);

/* Sort ascending by value. */
void mm_values_sort(struct mm_value *values, size_t count);
double mm_values_weight(const struct mm_value *values, size_t count);
/* Quantile `p` of sorted values, interpolated; count > 0. */
double mm_values_quantile(const struct mm_value *sorted, size_t count, double p);

/* Two populations with an empty range between them: the position where the upper one of
 * the sorted values begins; 0: there is one population. Each side has at least `least` of
 * the weight and two values. */
size_t mm_values_split(const struct mm_value *sorted, size_t count, double least);

#endif
