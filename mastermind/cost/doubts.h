/* SPDX-License-Identifier: BSD-3-Clause */
/* doubts.h: what the sizes of a model cannot show, however well its form fits them. */
#ifndef MASTERMIND_COST_DOUBTS_H
#define MASTERMIND_COST_DOUBTS_H

#include "mastermind/cost/forms/form.h"
#include "mastermind/cost/calls/sample_table.h"

struct mm_doubts {
    size_t few[MONITOR_MAX_IN];  /* distinct values of a parameter that has at most
                                    MM_DOUBTS_FEW; 0: it has more */
    double step[MONITOR_MAX_IN]; /* all values are multiples of this power of 2; 1: all
                                    are powers of 2; 0: neither */
    size_t category; /* 1 + index of a parameter whose effect has no order; 0 */
    int end; /* 1: the form has a break that only its smallest or largest size shows */
    double level_error; /* relative; of its levels about the form */
    int coarse;         /* the clock's tick is large beside the costs */
    double unseen; /* relative standard error of the form at the largest sizes: a term
                      that grows faster may hide in it */
};

#define MM_DOUBTS_FEW 3

/* See what `table` leaves open, whose costs by `form` are `fitted` [count]. */
void mm_doubts_fit(struct mm_doubts *doubts, const struct mm_sample_table *table,
                   const struct mm_form *form, const double *fitted);
/* True where x[k] has no such structure as all sizes seen have. */
int mm_doubts_other_step(const struct mm_doubts *doubts, size_t k, double x);
/* Relative variance of the cost at `x` for what the sizes leave open, `far` [in_count]
 * being how many times outside the sizes each parameter is, 1 inside. */
double mm_doubts_variance(const struct mm_doubts *doubts, const double *x,
                          const double *far, size_t in_count);

#endif
