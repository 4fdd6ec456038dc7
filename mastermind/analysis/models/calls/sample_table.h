/* SPDX-License-Identifier: BSD-3-Clause */
/* sample_table.h: the sizes of one mode as columns: what the search of forms sees.
 *
 * A size is a distinct tuple of parameters. Its typical cost is the location of the main
 * population of its calls: without what the host did and without rare costs, which are
 * populations of their own. */
#ifndef MASTERMIND_ANALYSIS_MODELS_CALLS_SAMPLE_TABLE_H
#define MASTERMIND_ANALYSIS_MODELS_CALLS_SAMPLE_TABLE_H

#include "mastermind/analysis/models/calls/points.h"

struct mm_sample_table {
    const struct mm_method_info *method; /* borrowed */
    size_t count;
    double *x[MONITOR_MAX_IN]; /* [count] by index of the in-value; NULL for a mode */
    double *typ;               /* [count] typical cost, >= 0; ns or counts */
    double *variance; /* [count] of typ as an estimate of the size's typical cost, from
                         the spread of its calls, ns^2; 0 where no size was seen twice,
                         or the calls of each are equal */
    double *sd;       /* [count] of one call of the main population; NaN: unknown */
    double *n;        /* [count] timed calls */
    double *mean;     /* [count] mean of all calls but what the host is shown to have
                         done */
    const struct mm_point **point;                    /* [count]; borrowed */
    double low[MONITOR_MAX_IN], high[MONITOR_MAX_IN]; /* of each parameter */
    double floor_ns; /* smaller differences may come from measuring; 0: none do */
    int counts;      /* a count: the host does not disturb it, and 0 is a value */
    double *memory;
};

/* Take the points whose modes are those of `modes` into a table; with `lacking` those
 * that lack a parameter, else those that have all. A table may be empty. 0 or -ENOMEM. */
int mm_sample_table_init(struct mm_sample_table *table, const struct mm_points *points,
                         const union monitor_value *modes, int lacking);
void mm_sample_table_done(struct mm_sample_table *table);
/* The numbers of row `row` as a tuple for forms: x[MONITOR_MAX_IN]. */
void mm_sample_table_tuple(const struct mm_sample_table *table, size_t row, double *x);

#endif
