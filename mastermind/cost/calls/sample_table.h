/* SPDX-License-Identifier: BSD-3-Clause */
/* sample_table.h: the sizes of one mode as columns: what the search of forms sees.
 *
 * A size is a distinct tuple of parameters. Its typical cost is the location of the main
 * population of its calls: without what the host did and without rare costs, which are
 * populations of their own. */
#ifndef MASTERMIND_COST_CALLS_SAMPLE_TABLE_H
#define MASTERMIND_COST_CALLS_SAMPLE_TABLE_H

#include "mastermind/cost/calls/location.h"
#include "mastermind/cost/calls/points.h"

struct mm_sample_table {
    const struct mm_method_info *method; /* borrowed */
    size_t count;
    double *x[MONITOR_MAX_IN]; /* [count] by index of the in-value; NULL for a mode */
    double *typ;               /* [count] typical cost, >= 0; ns or counts */
    double *variance; /* [count] of typ as an estimate of the size's typical cost, from
                         the spread of its calls, ns^2; > 0 unless counts or exact */
    double *sd;       /* [count] of one call of the main population; NaN: unknown */
    double *n;        /* [count] timed calls */
    double *mean;     /* [count] mean of all calls but what the host is shown to have
                         done */
    double *cut;      /* [count] calls above are not of the main population */
    double *least;    /* [count] nor are calls below */
    double *host_ns, *host_calls;  /* [count] what the host is shown to have taken, and of
                                      how many calls */
    const struct mm_point **point; /* [count]; borrowed */
    double low[MONITOR_MAX_IN], high[MONITOR_MAX_IN]; /* of each parameter */
    double floor_ns; /* smaller differences may come from measuring; 0: none do */
    double scale;    /* relative scale of the lower half of calls at most sizes */
    double pooled;   /* relative sd of one call of the main population, over all sizes */
    double tick;     /* of a clock that is coarse beside the costs; 0 */
    int counts;      /* a count: the host does not disturb it, and 0 is a value */
    int whole;       /* all calls of a size are taken as one population */
    int host_free;   /* a metric that the host does not disturb */
    size_t runs;     /* experiments that the calls are of */
    double *memory;
};

/* Least share of a population that may be the main one. */
#define MM_SPLIT_SHARE .1

/* Take the points whose modes are those of `modes` into a table; with `lacking` those
 * that lack a parameter, else those that have all. A table may be empty. 0 or -ENOMEM. */
int mm_sample_table_init(struct mm_sample_table *table, const struct mm_points *points,
                         const union monitor_value *modes, int lacking);
void mm_sample_table_done(struct mm_sample_table *table);
/* The numbers of row `row` as a tuple for forms: x[MONITOR_MAX_IN]. */
void mm_sample_table_tuple(const struct mm_sample_table *table, size_t row, double *x);

/* Look again at the sizes with `fitted` [count], the typical costs by a first form. Where
 * a size has few calls, those far from it are not of the main population, and a size that
 * has no other call loses its weight; where costs are noisy, weights go with the fitted
 * costs. Returns the number of changes: worth another search; -ENOMEM. */
int mm_sample_table_trim(struct mm_sample_table *table, const double *fitted);

/* What is usual where sizes have few calls: this range, as a share of the fitted cost. */
struct mm_usual {
    double least, most;
};

/* From `ratios` [count] of costs over fitted ones, which get sorted: the larger of two
 * populations, without what lies far above it. */
struct mm_usual mm_usual_of(const struct mm_sample_table *table, struct mm_value *ratios,
                            size_t count);

/* Set what the host is shown to have taken of the calls of size `row`, whose typical cost
 * and sd are known, and the mean without it. The sample has only some of the calls, but
 * the time lost of all is known. */
void mm_sample_table_set_host(struct mm_sample_table *table, size_t row);

#endif
