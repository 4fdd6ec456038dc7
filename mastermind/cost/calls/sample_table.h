/* SPDX-License-Identifier: BSD-3-Clause */
/* sample_table.h: table of the sizes of the calls in one mode, an array per column; the
 * input of the search for forms.
 *
 * A size is a distinct tuple of parameters. Its typical cost is the location of the main
 * population of its calls, without time attributed to the host and without rare costs,
 * which form populations of their own. */
#ifndef MASTERMIND_COST_CALLS_SAMPLE_TABLE_H
#define MASTERMIND_COST_CALLS_SAMPLE_TABLE_H

#include "mastermind/cost/calls/location.h"
#include "mastermind/cost/calls/points.h"

struct mm_sample_table {
    const struct mm_method_info *method; /* method whose calls these are; borrowed */
    size_t count;
    double *x[MONITOR_MAX_IN]; /* [count] values of each parameter, by index of the
                                  in-value; NULL for a mode (in-value that selects
                                  behaviour) */
    double *typ;               /* [count] typical cost, >= 0; ns or counts */
    double *variance; /* [count] squared standard error of `typ`, from the spread of the
                         size's calls, ns^2; > 0 unless the metric is a count or exact */
    double *sd;       /* [count] standard deviation of one call of the main population;
                         NaN: unknown */
    double *n;        /* [count] number of timed calls of each size */
    double *mean;     /* [count] mean of all calls, without time attributed to the host */
    double *cut;      /* [count] upper limit of the main population */
    double *least;    /* [count] lower limit of the main population */
    double *host_ns, *host_calls;  /* [count] time attributed to the host, and the
                                      number of calls that lost it */
    const struct mm_point **point; /* [count] calls of each size; borrowed */
    double low[MONITOR_MAX_IN], high[MONITOR_MAX_IN]; /* smallest and largest value of
                                                         each parameter */
    double floor_ns; /* differences of cost below this may be measurement overhead; 0: for
                        metrics without it */
    double scale;    /* relative spread of the lower half of calls, median over sizes */
    double pooled;   /* relative sd of one call of the main population, over all sizes */
    double tick;     /* tick of a clock that is coarse compared with the costs; 0: fine */
    int counts; /* true if the metric is a count: the host does not disturb it, and 0 is a
                   valid value */
    int whole;  /* true if all calls of a size are treated as one population */
    int host_free; /* true if the host does not disturb the metric */
    size_t runs;   /* number of experiments with calls in the table */
    double *memory;
};

#define MM_PEAK_BYTES                                                                    \
    "peak_bytes" /* out-value with the peak of memory of a whole run                     \
                  */

/* Index of the peak of memory among the out-values of a method, of which each call is a
 * run of a program; SIZE_MAX: the method has none. */
size_t mm_method_peak(const struct mm_method_info *method);

/* Least share of all calls for the main population. */
#define MM_SPLIT_SHARE .1

/* Put the points with the modes `modes` into a table: with `lacking` the points that lack
 * a parameter, else the points with all parameters. The table may be empty. Returns 0 or
 * -ENOMEM. */
int mm_sample_table_init(struct mm_sample_table *table, const struct mm_points *points,
                         const union monitor_value *modes, int lacking);
void mm_sample_table_done(struct mm_sample_table *table);
/* The parameters of row `row` as a tuple for forms: x[MONITOR_MAX_IN]. */
void mm_sample_table_tuple(const struct mm_sample_table *table, size_t row, double *x);

/* Correct sizes with few calls; `fitted` [count] has the typical costs by a first form.
 * Calls far from it are excluded from the main population; a size without other calls
 * loses its weight; with noisy costs, weights follow the fitted costs. Returns the number
 * of changes, after which another search is worthwhile; or -ENOMEM. */
int mm_sample_table_trim(struct mm_sample_table *table, const double *fitted);

/* The range of usual costs at sizes with few calls, relative to the fitted cost. */
struct mm_usual {
    double least, most;
};

/* Find the range of usual costs from `ratios` [count] of costs to fitted costs, which get
 * sorted: it covers the larger of two populations, without costs far above it. */
struct mm_usual mm_usual_of(const struct mm_sample_table *table, struct mm_value *ratios,
                            size_t count);

/* Set the time that the host took from the calls of size `row`, whose typical cost and sd
 * are set, and the mean without that time. The sample has only some of the calls, but the
 * time lost is known for all of them. */
void mm_sample_table_set_host(struct mm_sample_table *table, size_t row);

#endif
