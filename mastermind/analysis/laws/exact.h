/* SPDX-License-Identifier: BSD-3-Clause */
/* exact.h: closed forms that have every run. */
#ifndef MASTERMIND_ANALYSIS_LAWS_EXACT_H
#define MASTERMIND_ANALYSIS_LAWS_EXACT_H

#include "mastermind/analysis/laws/subset.h"
#include "mastermind/analysis/models/forms/form.h"

#define MM_LAW_RIVALS 32

/* A form that has every run; over variables. */
struct mm_law_form {
    struct mm_form form; /* a and basis count; the constant last */
    double bits;         /* length of its description, with coefficients */
};

struct mm_law_exact {
    struct mm_law_form form[MM_LAW_RIVALS]; /* the shortest first */
    size_t count;
    int incomplete; /* more rivals than fit */
};

/* Try the sets of terms, the best first; keep those that are exact and, with the counts
 * of all runs, far longer to describe without them. */
void mm_law_exact_try(struct mm_law_exact *exact, const struct mm_law_data *data,
                      const struct mm_law_terms *terms, const double *weight,
                      const struct mm_law_subset *subset, size_t count, double *work);
/* Keep the shortest and its rivals: those that are nearly as short. */
void mm_law_exact_end(struct mm_law_exact *exact);

#endif
