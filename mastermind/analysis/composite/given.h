/* SPDX-License-Identifier: BSD-3-Clause */
/* given.h: models of a library that were not fitted to its experiments, but kept. */
#ifndef MASTERMIND_ANALYSIS_COMPOSITE_GIVEN_H
#define MASTERMIND_ANALYSIS_COMPOSITE_GIVEN_H

#include "mastermind/analysis/composite/library.h"

/* Strings and callees are borrowed and must outlive the library. */
struct mm_given_model {
    struct mm_model *model; /* taken over where it is added: zeros remain */
    const char *origin;     /* where it is kept, to print */
    uint64_t calls; /* invocations of the method that the callees are counted by */
    const struct mm_callee *callees;
    size_t callee_count;
};

/* Put a model into the library: in the place of one that was fitted for the same class,
 * build, port type, method and mode, or beside the others. 0 or -ENOMEM. */
int mm_library_add_model(struct mm_library *library, const struct mm_given_model *given);

#endif
