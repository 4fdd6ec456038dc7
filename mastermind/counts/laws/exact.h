/* SPDX-License-Identifier: BSD-3-Clause */
/* exact.h: closed forms that have every run. */
#ifndef MASTERMIND_COUNTS_LAWS_EXACT_H
#define MASTERMIND_COUNTS_LAWS_EXACT_H

#include "mastermind/counts/laws/terms.h"
#include "mastermind/cost/forms/form.h"

#define MM_LAW_RIVALS 32

/* A form that has every run; over variables. */
struct mm_law_form {
    size_t driver;       /* a variable that the form is multiplied with; NO_AXIS: none */
    struct mm_form form; /* a and basis count; the constant last */
    double bits;         /* length of its description, with coefficients */
};

struct mm_law_exact {
    struct mm_law_form form[MM_LAW_RIVALS]; /* the shortest first */
    size_t count;
    int incomplete; /* more rivals than fit */
};

/* Find the sums of one to four terms that are exact and, with the counts of all runs, far
 * longer to describe without them; the fewest terms that are, the shortest first, with
 * their rivals: those that are nearly as short. Returns 0 or -ENOMEM. */
int mm_law_exact_find(struct mm_law_exact *exact, const struct mm_law_data *data,
                      const struct mm_law_terms *terms);
double mm_law_form_value(const struct mm_law_form *form, const double *variables);

#endif
