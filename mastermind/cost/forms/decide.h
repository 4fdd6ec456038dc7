/* SPDX-License-Identifier: BSD-3-Clause */
/* decide.h: what to measure next, so that a model and its rivals part. */
#ifndef MASTERMIND_COST_FORMS_DECIDE_H
#define MASTERMIND_COST_FORMS_DECIDE_H

#include "mastermind/cost/forms/form.h"

/* Where forms are known. */
struct mm_sizes {
    const double *low, *high; /* [count] of each in-value; equal for a mode */
    size_t count;
    double least; /* smallest cost seen */
    double noise; /* relative sd of the typical cost that a few calls at a size give */
};

struct mm_decision {
    const struct mm_form *rival; /* of the forms; borrowed */
    double value;                /* its cost at the tuple asked for */
    double ratio;     /* to that of the best form; below 1: the rival is less */
    size_t parameter; /* index of the in-value to vary */
    double size;      /* its size that would decide */
};

/* Compare the best of `forms` with its rivals at the tuple `x`; the rival that differs
 * most, by more than a factor of `least`, is the answer. `size` is the smallest one, from
 * the sizes seen towards x, at which the two differ by so much more than the noise that a
 * few calls there tell them apart; to one digit.
 *
 * Returns 1, or 0 where no rival differs so much. */
int mm_forms_decide(const struct mm_forms *forms, const struct mm_sizes *sizes,
                    const double *x, double least, struct mm_decision *decision);
/* The tuple at `place` of the way from the smallest to the largest sizes, on a scale of
 * ratios: 0 all smallest, .5 the middle, above 1 beyond them, all in step, as parameters
 * that grow together do. x[count]. */
void mm_sizes_at(const struct mm_sizes *sizes, double place, double *x);
/* That tuple in the middle. */
void mm_sizes_middle(const struct mm_sizes *sizes, double *x);
/* Where `x` of in-value `k` is on that way; NaN where it does not vary. */
double mm_sizes_place(const struct mm_sizes *sizes, size_t k, double x);
/* The in-value that moves the cost most over the sizes seen; count: none does. */
size_t mm_forms_leading(const struct mm_forms *forms, const struct mm_sizes *sizes);

#endif
