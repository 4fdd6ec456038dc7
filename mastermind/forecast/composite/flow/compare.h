/* SPDX-License-Identifier: BSD-3-Clause */
/* compare.h: where calls per invocation follow from the class in a slot.
 *
 * Each caller of the base is compared with the same caller in experiments that ran the
 * other class. A caller with in-values is compared where these are equal; one without, or
 * one whose run had other run parameters, tells of the class only if nothing differs. */
#ifndef MASTERMIND_FORECAST_COMPOSITE_FLOW_COMPARE_H
#define MASTERMIND_FORECAST_COMPOSITE_FLOW_COMPARE_H

#include "mastermind/forecast/composite/flow/rates.h"
#include "mastermind/counts/dual/notes.h"

/* A node of the base whose calls are taken from donors. */
struct mm_taken {
    struct mm_call_node node;
    struct mm_rates rates;        /* group 0: the donors */
    const struct mm_donor *donor; /* first of them */
};

struct mm_comparison {
    struct mm_donor *all; /* [all_count]; the first is the base itself */
    size_t all_count;
    const struct mm_donor *first; /* best donor; NULL: none */
    struct mm_taken *taken;       /* [taken_count] ascending by node */
    size_t taken_count;
    int without_donors; /* no experiment ran the class of some substitution */
    int doubted; /* something could not be compared, or differs for another reason */
};

/* Compare; adds a note for each caller whose calls are taken, or in doubt. 0 or -ENOMEM;
 * mm_comparison_done either way. */
int mm_comparison_init(struct mm_comparison *comparison, const struct mm_profile *base,
                       struct mm_profile *const *profiles, size_t profile_count,
                       const struct mm_substitution *substitutions, size_t count,
                       struct mm_notes *notes);
void mm_comparison_done(struct mm_comparison *comparison);
const struct mm_taken *mm_comparison_find(const struct mm_comparison *comparison,
                                          const struct mm_call_node *node);

#endif
