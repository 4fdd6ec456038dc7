/* SPDX-License-Identifier: BSD-3-Clause */
/* points.h: the rows of one method summed up per distinct tuple of in-values.
 *
 * Models are fitted on points, not on rows: their cost goes with the number of distinct
 * sizes. */
#ifndef MASTERMIND_ANALYSIS_MODELS_CALLS_POINTS_H
#define MASTERMIND_ANALYSIS_MODELS_CALLS_POINTS_H

#include "mastermind/analysis/models/calls/robust.h"
#include "mastermind/reader/rows.h"

#define MM_POINT_SAMPLE 512 /* values kept of a point, a fair sample of all */

struct mm_point {
    union monitor_value *in; /* [in_count] of the method */
    uint64_t calls;          /* all invocations */
    uint64_t n;              /* invocations that finished and have a time */
    int sums_only;           /* some of them have only sums: no m2 */
    double mean_ns, m2_ns2;  /* exclusive time of those (Welford) */
    double min_ns, max_ns;
    double *sample; /* [sample_count] */
    size_t sample_count, sample_capacity;
};

struct mm_points {
    const struct mm_method_info *method; /* method of the in-values; borrowed */
    struct mm_point *points;
    size_t count;
    size_t *table; /* of positions + 1, open addressing */
    size_t table_size;
    uint64_t random;
    uint64_t unknown; /* invocations with unknown values */
    double floor_ns;  /* floor_ns of the source */
    int counts;       /* a count: the members in ns are counts */
};

void mm_points_init(struct mm_points *points, const struct mm_method_info *method);
void mm_points_done(struct mm_points *points);

/* Add one invocation; `exclusive_ns` counts only with `timed`. A sample is an invocation
 * that a sum counts already. 0 or -ENOMEM. */
int mm_points_add(struct mm_points *points, const union monitor_value *in, int timed,
                  double exclusive_ns);
int mm_points_add_sample(struct mm_points *points, const union monitor_value *in,
                         double exclusive_ns);
/* Add a sum of invocations: calls, n, sums_only, mean, m2, min, max and sample_count of
 * `sum`; `sample` has exclusive times, each too large by `less_ns`. NULL for `in`:
 * unknown values. 0 or -ENOMEM. */
int mm_points_add_sum(struct mm_points *points, const union monitor_value *in,
                      const struct mm_point *sum, const double *sample, double less_ns);
/* Add all points of `from`, whose method has the same in-values. 0 or -ENOMEM. */
int mm_points_merge(struct mm_points *points, const struct mm_points *from);

/* In-value number `index` as a number. */
double mm_in_value(const struct mm_method_info *method, const union monitor_value *in,
                   size_t index);
/* True where both methods have in-values of the same names, types and kinds, in order,
 * and no mode has a value that they label differently. */
int mm_same_in_values(const struct mm_method_info *a, const struct mm_method_info *b);

#endif
