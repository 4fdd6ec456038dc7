/* SPDX-License-Identifier: BSD-3-Clause */
/* points.h: the calls of one method summed up per distinct tuple of in-values.
 *
 * Models are fitted on points, not on rows: their cost goes with the number of distinct
 * sizes. Sums have every call; of the calls themselves a sample is kept (sample.h). */
#ifndef MASTERMIND_COST_CALLS_POINTS_H
#define MASTERMIND_COST_CALLS_POINTS_H

#include "mastermind/cost/calls/location.h"
#include "mastermind/cost/calls/sample.h"
#include "mastermind/reader/rows.h"

struct mm_point {
    union monitor_value *in; /* [in_count] of the method */
    uint64_t calls;          /* all invocations */
    uint64_t n;              /* invocations that finished and have a time */
    int sums_only;           /* some of them have only sums: no m2, min, max */
    double mean_ns, m2_ns2;  /* exclusive time of those (Welford) */
    double min_ns, max_ns;
    uint64_t evidence; /* of n: with evidence of the host, good or bad */
    double lost_ns;    /* of their time, without those that waited, the host took at most
                          this */
    struct mm_sample sample;
};

struct mm_points {
    const struct mm_method_info *method; /* method of the in-values; borrowed */
    struct mm_point *points;
    size_t count;
    size_t *table; /* of positions + 1, open addressing */
    size_t table_size;
    size_t last;           /* position of the point added to last */
    const void **run_keys; /* [runs] experiments that the calls are of; borrowed */
    size_t runs;
    struct mm_sampler sampler;
    uint64_t unknown; /* invocations with unknown values */
    double floor_ns;  /* floor_ns and cache_bytes of the source */
    double cache_bytes[MM_CACHE_LEVELS];
    int counts;    /* a count: the members in ns are counts */
    int host_free; /* a metric that the host does not disturb: needs no evidence */
};

/* Most runs that are told apart; further ones count as the last. */
#define MM_POINT_RUNS 1024

void mm_points_init(struct mm_points *points, const struct mm_method_info *method);
void mm_points_done(struct mm_points *points);

/* Index of the experiment with `key`, any address that stands for it, among the runs;
 * added if absent. -ENOMEM. */
int mm_points_run(struct mm_points *points, const void *key);

/* Add one invocation; `exclusive_ns` counts only with `timed`. There is no evidence, and
 * the call has no number. A sample is an invocation that a sum counts already. 0 or
 * -ENOMEM. */
int mm_points_add(struct mm_points *points, const union monitor_value *in, int timed,
                  double exclusive_ns);
int mm_points_add_sample(struct mm_points *points, const union monitor_value *in,
                         double exclusive_ns);
/* Add one finished invocation with all that is known of it: `values` has in-values, then
 * out-values of the method. `call->nth` is set here. 0 or -ENOMEM. */
int mm_points_add_call(struct mm_points *points, const union monitor_value *values,
                       const struct mm_call *call);
/* Add a sum of invocations: calls, n, sums_only, mean, m2, min and max of `sum`;
 * `sample` [sample_count] has exclusive times of a fair sample, each too large by
 * `less_ns`. NULL for `in`: unknown values. 0 or -ENOMEM. */
int mm_points_add_sum(struct mm_points *points, const union monitor_value *in,
                      const struct mm_point *sum, const double *sample,
                      size_t sample_count, double less_ns);
/* Add all points of `from`, whose method has the same in-values. Runs with the same key
 * are one. 0 or -ENOMEM. */
int mm_points_merge(struct mm_points *points, const struct mm_points *from);

/* The point of `in`; NULL: none. */
const struct mm_point *mm_points_find(const struct mm_points *points,
                                      const union monitor_value *in);

/* Squared relative spread of single calls, pooled over the sizes; `unknown` where none
 * was seen twice. */
double mm_points_cv2(const struct mm_points *points, double unknown);

/* In-value number `index` as a number. */
double mm_in_value(const struct mm_method_info *method, const union monitor_value *in,
                   size_t index);
/* True where both methods have in-values of the same names, types and kinds, in order. */
int mm_same_in_values(const struct mm_method_info *a, const struct mm_method_info *b);

#endif
