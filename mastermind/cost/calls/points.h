/* SPDX-License-Identifier: BSD-3-Clause */
/* points.h: the calls of one method, summed up for each distinct tuple of in-values.
 *
 * Models are fitted to points, not to rows, so the fitting time depends on the number of
 * distinct sizes. Sums cover every call; of single calls a sample is kept (sample.h). */
#ifndef MASTERMIND_COST_CALLS_POINTS_H
#define MASTERMIND_COST_CALLS_POINTS_H

#include "mastermind/cost/calls/location.h"
#include "mastermind/cost/calls/sample.h"
#include "mastermind/reader/rows.h"

struct mm_point {
    union monitor_value *in; /* [in_count] in-values that all calls of the point share */
    uint64_t calls;          /* number of all invocations with these in-values */
    uint64_t n;              /* invocations that finished and have a time */
    int sums_only; /* true if some of the n invocations are known only as sums: without
                      `m2`, min, max */
    double mean_ns, m2_ns2; /* exclusive time of the n invocations (Welford's mean and
                               sum of squares) */
    double min_ns, max_ns;
    uint64_t evidence; /* number of the n invocations with a record of whether the host
                          took time from them */
    double lost_ns;    /* upper limit of the time that the host took from calls that
                          did not wait */
    struct mm_sample sample;
};

struct mm_points {
    const struct mm_method_info *method; /* method of the in-values; borrowed */
    struct mm_point *points;
    size_t count;
    size_t *table; /* hash table with open addressing: 1 + index in `points` of the point
                      in each slot; 0: free */
    size_t table_size;
    size_t last;           /* index of the point found last */
    const void **run_keys; /* [runs] keys of the experiments; borrowed */
    size_t runs;
    struct mm_sampler sampler;
    uint64_t unknown; /* number of invocations with unknown in-values */
    double floor_ns;  /* `floor_ns` and `cache_bytes` of the source of the rows */
    double cache_bytes[MM_CACHE_LEVELS];
    int counts;    /* true if the metric is a count: members in ns are counts */
    int host_free; /* true if the host does not disturb the metric: no evidence is needed
                    */
};

/* Largest number of runs that are distinguished among the calls of a method; further runs
 * share the last index. */
#define MM_POINT_RUNS 1024

void mm_points_init(struct mm_points *points, const struct mm_method_info *method);
void mm_points_done(struct mm_points *points);

/* Index of the run with `key`, any address that identifies its experiment; the run is
 * added if absent. Returns the index or -ENOMEM. */
int mm_points_run(struct mm_points *points, const void *key);

/* Add one invocation without evidence and call number; `exclusive_ns` is used only if
 * `timed`. mm_points_add_sample adds the time of an invocation that a sum counts already.
 * Returns 0 or -ENOMEM. */
int mm_points_add(struct mm_points *points, const union monitor_value *in, int timed,
                  double exclusive_ns);
int mm_points_add_sample(struct mm_points *points, const union monitor_value *in,
                         double exclusive_ns);
/* Add one finished invocation; `values` has the in-values, then the out-values of the
 * method. Sets `call->nth`. Returns 0 or -ENOMEM. */
int mm_points_add_call(struct mm_points *points, const union monitor_value *values,
                       const struct mm_call *call);
/* Add a sum of invocations: calls, n, sums_only, mean, m2, min and max of `sum`. `sample`
 * [sample_count] has exclusive times of a uniform sample, each too large by `less_ns`.
 * `in` may be NULL: unknown values. Returns 0 or -ENOMEM. */
int mm_points_add_sum(struct mm_points *points, const union monitor_value *in,
                      const struct mm_point *sum, const double *sample,
                      size_t sample_count, double less_ns);
/* Add all points of `from`, whose method has the same in-values. Runs with equal keys are
 * merged. Returns 0 or -ENOMEM. */
int mm_points_merge(struct mm_points *points, const struct mm_points *from);

/* The point (sums of calls) with in-values `in`; NULL: none. */
const struct mm_point *mm_points_find(const struct mm_points *points,
                                      const union monitor_value *in);

/* Squared relative spread of single calls, pooled over the sizes; `unknown` where no size
 * has two calls. */
double mm_points_cv2(const struct mm_points *points, double unknown);

/* In-value `index` as a double. */
double mm_in_value(const struct mm_method_info *method, const union monitor_value *in,
                   size_t index);
/* True where both methods have in-values with equal names, types and kinds, in the same
 * order. */
int mm_same_in_values(const struct mm_method_info *a, const struct mm_method_info *b);

#endif
