/* SPDX-License-Identifier: BSD-3-Clause */
/* exact.h: closed forms that equal the counts of every run. */
#ifndef MASTERMIND_COUNTS_LAWS_EXACT_H
#define MASTERMIND_COUNTS_LAWS_EXACT_H

#include "mastermind/counts/laws/terms.h"
#include "mastermind/cost/forms/form.h"

#define MM_LAW_RIVALS 32

/* A form that equals the count of every run, as a sum over variables. */
struct mm_law_form {
    size_t driver;       /* index of the exogenous count that multiplies the
                            form; NO_AXIS: none */
    struct mm_form form; /* sum of variables' products; the constant is last */
    double bits;         /* length of the form's description, with its coefficients */
};

struct mm_law_exact {
    struct mm_law_form form[MM_LAW_RIVALS]; /* closed forms, the shortest first */
    size_t count;
    int incomplete; /* there are more alternatives than fit in `form` */
};

/* Find the sums of one to four terms that are exact and far shorter to describe than the
 * counts of all runs. Take the smallest number of terms with such a sum; return the
 * shortest sum first, then competing sums nearly as short. Returns 0 or -ENOMEM. */
int mm_law_exact_find(struct mm_law_exact *exact, const struct mm_law_data *data,
                      const struct mm_law_terms *terms);
double mm_law_form_value(const struct mm_law_form *form, const double *variables);

#endif
