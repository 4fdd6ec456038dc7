/* SPDX-License-Identifier: BSD-3-Clause */
/* doubts.h: uncertainty of a model that its measured sizes cannot reveal, however well
 * its form fits them. */
#ifndef MASTERMIND_COST_DOUBTS_H
#define MASTERMIND_COST_DOUBTS_H

#include "mastermind/cost/forms/form.h"
#include "mastermind/cost/calls/sample_table.h"

struct mm_doubts {
    size_t few[MONITOR_MAX_IN];  /* number of distinct values of a parameter, if at
                                    most MM_DOUBTS_FEW; 0: more */
    double step[MONITOR_MAX_IN]; /* > 1: all values are multiples of this power of 2;
                                    1: all are powers of 2; 0: neither */
    size_t category; /* 1 + index of a parameter whose effect on the cost has no order;
                        0: none */
    int end;         /* true if the form has a jump that only its smallest or largest size
                        supports */
    double level_error; /* relative error of the form at the values of `category` */
    int coarse;         /* true if the clock's tick is large compared with the costs */
    double unseen;      /* relative standard error of the form at the largest sizes: a
                           faster growing term of this size may be hidden there */
};

#define MM_DOUBTS_FEW 3

/* Find the structure of the sizes in `table`; `fitted` [count] has their costs by `form`.
 */
void mm_doubts_fit(struct mm_doubts *doubts, const struct mm_sample_table *table,
                   const struct mm_form *form, const double *fitted);
/* True where x[k] lacks the structure (multiple or power of 2) of all measured values. */
int mm_doubts_other_step(const struct mm_doubts *doubts, size_t k, double x);
/* Relative variance of the cost at `x` due to `doubts`. `far` [in_count] is the factor by
 * which each parameter is outside its measured range; 1: inside. */
double mm_doubts_variance(const struct mm_doubts *doubts, const double *x,
                          const double *far, size_t in_count);

#endif
