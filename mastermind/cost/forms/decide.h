/* SPDX-License-Identifier: BSD-3-Clause */
/* decide.h: the size to measure next, in order to decide between a model and its
 * alternatives. */
#ifndef MASTERMIND_COST_FORMS_DECIDE_H
#define MASTERMIND_COST_FORMS_DECIDE_H

#include "mastermind/cost/forms/form.h"

/* The range of sizes for which forms were fitted. */
struct mm_sizes {
    const double *low, *high; /* [count] measured range of each in-value; equal for
                                 modes (in-values that select behaviour) */
    size_t count;
    double least; /* least measured cost */
    double noise; /* relative sd of a typical cost measured by a few calls at one size */
};

struct mm_decision {
    const struct mm_form *rival; /* an alternative form; borrowed */
    double value;     /* cost of the alternative form at the tuple (of in-values) that the
                         caller gave */
    double ratio;     /* cost of the alternative form over the cost of the best form */
    size_t parameter; /* index of the in-value to vary */
    double size;      /* value of that in-value at which a measurement would decide */
};

/* Compare the best of `forms` with its alternatives at the tuple `x`, and report the
 * alternative that differs most, by more than a factor of `least`. `size` is the smallest
 * value, from the measured sizes towards x, at which a few calls distinguish the two in
 * spite of noise; rounded to one digit.
 *
 * Returns 1, or 0 where no alternative differs so much. */
int mm_forms_decide(const struct mm_forms *forms, const struct mm_sizes *sizes,
                    const double *x, double least, struct mm_decision *decision);
/* The tuple at position `place` between the smallest and the largest sizes, on a
 * logarithmic scale, the same for all parameters: 0 smallest, .5 middle, 1 largest, above
 * 1 beyond. x[count]. */
void mm_sizes_at(const struct mm_sizes *sizes, double place, double *x);
/* Set `x` to the in-values in the middle of the measured ranges: position .5 on the scale
 * of mm_sizes_at. */
void mm_sizes_middle(const struct mm_sizes *sizes, double *x);
/* The position of value `x` of in-value `k` on the scale of mm_sizes_at; NaN where the
 * in-value does not vary. */
double mm_sizes_place(const struct mm_sizes *sizes, size_t k, double x);
/* The in-value that changes the cost most over the measured sizes; sizes->count: none. */
size_t mm_forms_leading(const struct mm_forms *forms, const struct mm_sizes *sizes);

#endif
